package page

import (
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// TestMeasuresOfSeveralTablesAreNamed: a table has so many columns of figures at most, several are
// called after their measures, and one alone after its section. A measure of nothing is in none.
func TestMeasuresOfSeveralTablesAreNamed(t *testing.T) {
	of := func(ids ...string) (captions []string) {
		var list []reports.Measure
		for _, id := range ids {
			m := reports.Measure{ID: id, Unit: "ns", N: 10, Percentiles: []reports.MeasurePercentile{{P: "p50"}}, Rules: []reports.MeasureRule{{Rule: "lower", Percentiles: []reports.MeasurePercentile{{P: "p50"}}}, {Rule: "upper", Percentiles: []reports.MeasurePercentile{{P: "p50"}}}}}
			if id == "none" {
				m.N = 0
			}
			list = append(list, m)
		}
		b := newBuilder(Options{})
		b.measured(list)
		checkTables(t, b.page)
		for _, block := range b.page.Sections[1].Blocks {
			if x, is := block.(Table); is {
				captions = append(captions, x.Caption)
			}
		}
		return captions
	}
	if got := of("a", "b", "none"); len(got) != 1 || got[0] != "" {
		t.Errorf("%q", got)
	}
	if got := of("a", "none", "b", "c"); len(got) != 2 || got[0] != "a, b" || got[1] != "c" {
		t.Errorf("%q", got)
	}
}
