package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// groupsOf makes the comparison of groups that got slower, one of each combination of values.
func groupsOf(t *testing.T, keys []string, values ...[]string) reports.Document {
	return crowded(t, "compare_by", func(d *reports.Document) {
		by := d.Compare.By
		slower := by.Groups[0]
		by.Keys, by.Groups, by.OtherGroups = keys, nil, 0
		for _, list := range values {
			g := slower
			g.Values = nil
			for _, v := range list {
				g.Values = append(g.Values, &v)
			}
			by.Groups = append(by.Groups, g)
		}
	})
}

// byTables returns the tables of groups, by their ids.
func byTables(t *testing.T, d reports.Document) map[string]Table {
	t.Helper()
	b := newBuilder(Options{})
	b.changeBy(d.Compare.By)
	out := map[string]Table{}
	for _, s := range b.page.Sections {
		for _, block := range s.Blocks {
			if table, is := block.(Table); is {
				out[table.ID] = table
			}
		}
	}
	for _, id := range []string{"by-groups", "by-percentiles", "by-added"} {
		if len(out[id].Rows) == 0 {
			t.Fatalf("no table %s among %d", id, len(out))
		}
	}
	return out
}

// TestGroupsOfSeveralKeysAreToldApart: a comma in a value makes no two groups one, in any table,
// and each key has its column.
func TestGroupsOfSeveralKeysAreToldApart(t *testing.T) {
	for id, table := range byTables(t, groupsOf(t, []string{"a", "b"}, []string{"x", "y, z"}, []string{"x, y", "z"})) {
		if table.Columns[1].Head != "a" || table.Columns[2].Head != "b" {
			t.Errorf("%s has columns %v", id, table.Columns)
		}
		names := map[string]bool{}
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) || names[row[0]] {
				t.Errorf("%s: a second row %q, or one of %d cells", id, row, len(row))
			}
			names[row[0]] = true
		}
	}
	if page := textOf(built(groupsOf(t, []string{"a"}, []string{"x, y"}, []string{"z"}))); strings.Contains(page, "#1") || !strings.Contains(page, "\np95 x, y ") {
		t.Errorf("short values of one key are not their names:\n%s", page)
	}
}

func built(d reports.Document) *builder {
	b := newBuilder(Options{})
	b.changeBy(d.Compare.By)
	return b
}

// TestTheNoteOnAddedTimeSaysTheOrderThatHolds: groups in the order of a key are not said to be in that
// of their time.
func TestTheNoteOnAddedTimeSaysTheOrderThatHolds(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		d := groupsOf(t, []string{"a"}, []string{"x"}, []string{"y"})
		d.Compare.By.Ordered = ordered
		page := textOf(built(d))
		if !strings.Contains(page, "added: the change of the mean times the requests of new") || strings.Contains(page, "by which changed groups are in order") == ordered {
			t.Errorf("%v:\n%s", fmt.Sprint("ordered: ", ordered), page)
		}
	}
}
