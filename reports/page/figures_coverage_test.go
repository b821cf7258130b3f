package page

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// TestCoverageRepeatsThePage: every number of the chart is on the page in words or in a table,
// other formats write nothing for it, and what does not add up is not drawn.
func TestCoverageRepeatsThePage(t *testing.T) {
	n := 0
	for name, d := range fixed(t) {
		if d.Inspect == nil || d.Kind != reports.KindInspect {
			continue
		}
		p := Of(d, Options{})
		f, is := figuresOf(p)["figure-coverage"]
		if !is {
			if d.Inspect.Coverage.PathSeconds > 0 {
				t.Errorf("%s has no chart", name)
			}
			continue
		}
		n++
		var said []figureText
		for _, s := range p.Sections {
			blocks := slices.DeleteFunc(slices.Clone(s.Blocks), func(b Block) bool { _, is := b.(Figure); return is })
			said = append(said, figuresIn(blocks)...)
		}
		for _, bar := range f.Drawing.(chart.Coverage).Bars {
			sums := map[string]float64{} // requests of a class have a row for each reason
			for _, part := range bar.Parts {
				sums[part.Label] += part.Value
				if part.Value != 0 && !slices.ContainsFunc(said, func(w figureText) bool { return math.Abs(part.Value-w.value) <= 3*w.give }) {
					t.Errorf("%s: %s %v of %s is not written", name, part.Label, part.Value, bar.Label)
				}
			}
			if len(sums) == 0 {
				t.Errorf("%s: %s has no part", name, bar.Label)
			}
		}
		if !f.Silent || f.Answer == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if n == 0 {
		t.Error("no document of inspect has a path")
	}

	in := reports.Inspect{Requests: 3, Coverage: reports.Coverage{PathSeconds: 1, Exact: 0.5, Residual: 0.5, Attributed: 0.9, Unattributed: 0.1}}
	in.Classes = []reports.ClassCount{{Class: "complete", N: 2}, {Class: "broken", N: 1}}
	var bars []string
	f := coverageFigure(&in).figure
	for _, b := range f.Drawing.(chart.Coverage).Bars {
		bars = append(bars, b.Label+" "+fmt.Sprint(b.Parts))
	}
	if got, want := fmt.Sprint(bars), "[its stages [{attributed 0.9 0} {unattributed 0.1 3}] requests [{complete 2 0} {broken 1 3}]]"; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if want := "90.0 % of path time is attributed to a stage"; f.Answer != want {
		t.Errorf("%q, want %q", f.Answer, want)
	}
	in.Coverage.Balanced = true
	if want := "90.0 % of path time is attributed to a stage; 50.0 % is exact, 0.0 % anchored, 50.0 % residual"; coverageFigure(&in).figure.Answer != want {
		t.Errorf("%q, want\n%q", coverageFigure(&in).figure.Answer, want)
	}
	in.Coverage.PathSeconds = 0
	if c := coverageFigure(&in); c.figure.Drawing != nil {
		t.Errorf("a chart of no time: %+v", c)
	}
}
