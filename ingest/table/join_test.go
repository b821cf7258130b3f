package table

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestJoinIsAppendOfEach says that Join comes to what Append of one set after the other does,
// symbols too, that it gives up what it copied and has no room to spare, and that rows can be
// added to the set, and to those that were emptied.
func TestJoinIsAppendOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(sets(4), 0, 4).Draw(t, "parts")
		want := NewSet()
		for k, part := range parts {
			if k == 0 {
				want.Symbols.internAll(part.Symbols)
			}
			want.Append(part)
		}
		got := Join(parts)
		if d := Difference(want, got); d != "" {
			t.Fatal(d)
		}
		if !reflect.DeepEqual(got.Symbols.text, want.Symbols.text) {
			t.Fatalf("symbols are %q and not %q", got.Symbols.text, want.Symbols.text)
		}
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
		for k, part := range parts {
			for _, table := range part.Tables() {
				if k == 0 {
					break // it is the one that was returned
				}
				for c, column := range table.cols {
					if !reflect.ValueOf(column.slice()).Elem().IsZero() {
						t.Fatalf("table %s: column %s of set %d is still held", table.schema.Name, table.schema.Fields[c].Name, k)
					}
				}
				checkAbsent(t, table, table.Grow())
			}
		}
		for _, table := range got.Tables() {
			if table.Room() != 0 {
				t.Fatalf("table %s: room for %d more", table.schema.Name, table.Room())
			}
			checkAbsent(t, table, table.Grow())
		}
	})
}
