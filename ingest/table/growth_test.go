package table

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestGrow says that Grow adds a row of default values to every column, whatever room
// was made before, whoever appended rows, and whatever the columns held beyond their end.
func TestGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSet()
		for _, table := range s.Tables() {
			for range rapid.IntRange(0, 8).Draw(t, "steps") {
				before := table.Len()
				switch rapid.IntRange(0, 4).Draw(t, "step") {
				case 0:
					n := rapid.IntRange(1, 3000).Draw(t, "rows")
					if table.MakeRoom(n); table.Len() != before || before < mostRoom && table.Room() < n {
						t.Fatalf("table %s: %d rows of %d, room for %d of %d more", table.schema.Name, table.Len(), before, table.Room(), n)
					}
				case 1:
					n := rapid.IntRange(1, 3000).Draw(t, "rows")
					if table.Reserve(n); table.Room() != n {
						t.Fatalf("table %s: room for %d and not %d", table.schema.Name, table.Room(), n)
					}
				case 2:
					table.truncate(before / 2)
				case 4:
					if table.Trim(); table.Len() != before || table.Room() != 0 {
						t.Fatalf("table %s: %d rows of %d, room for %d more", table.schema.Name, table.Len(), before, table.Room())
					}
					checkTrimmed(t, table)
				case 3:
					for range rapid.IntRange(1, 1100).Draw(t, "rows") {
						before = table.Len()
						if i := table.Grow(); i != before || table.Len() != before+1 {
							t.Fatalf("table %s: row %d of %d behind %d", table.schema.Name, i, table.Len(), before)
						}
						checkAbsent(t, table, before)
						spoil(table, before)
					}
				}
			}
		}
	})
}

// checkTrimmed checks that no column has much room.
func checkTrimmed(t *rapid.T, r *Rows) {
	for k, c := range r.cols {
		v := reflect.ValueOf(c.slice()).Elem()
		if v.Kind() != reflect.Slice {
			v = reflect.ValueOf(c.(*mapped).attrs.ends)
		}
		const page = 8192 // bytes to which a list is rounded up
		if room := v.Cap() - v.Len(); room > v.Len()/8 && room*int(v.Type().Elem().Size()) > page {
			t.Fatalf("table %s: column %s of %d rows has room for %d more", r.schema.Name, r.schema.Fields[k].Name, v.Len(), room)
		}
	}
}

// checkAbsent checks that a row holds the default of every column.
func checkAbsent(t *rapid.T, r *Rows, row int) {
	for k, c := range r.cols {
		if c.size() != row+1 {
			t.Fatalf("table %s: column %s has %d rows and not %d", r.schema.Name, r.schema.Fields[k].Name, c.size(), row+1)
		}
		fine := true
		switch c := c.(type) {
		case *plain[int64]:
			fine = (*c.vals)[row] == c.absent
		case *plain[float64]:
			v := (*c.vals)[row]
			fine = v == c.absent || math.IsNaN(v) && math.IsNaN(c.absent)
		case *mapped:
			fine = c.attrs.Count(row) == 0
		default:
			fine = reflect.ValueOf(c.slice()).Elem().Index(row).IsZero()
		}
		if !fine {
			t.Fatalf("table %s: column %s: row %d is not the default", r.schema.Name, r.schema.Fields[k].Name, row)
		}
	}
}

// spoil gives the columns of a row other values than the default.
func spoil(r *Rows, row int) {
	for _, c := range r.cols {
		switch vals := c.slice().(type) {
		case *[]int64:
			(*vals)[row] = 7
		case *[]float64:
			(*vals)[row] = 7
		case *[]Sym:
			(*vals)[row] = 7
		case *[]string:
			(*vals)[row] = "seven"
		case *[]uint8:
			(*vals)[row] = 7
		case *Attrs:
			vals.Add(7, IntValue(7))
		}
	}
}
