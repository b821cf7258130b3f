package chart

import (
	"math"
	"strings"
	"testing"
)

func coverageExample() Coverage {
	return Coverage{Bars: []Covers{
		{Label: "path time", Unit: Share, Parts: []Covered{{"exact", 0.02, Recorded}, {"anchored", 0.904, WorkedOut}, {"residual", 0.076, LeftOver}}},
		{Label: "its stages", Unit: Share, Parts: []Covered{{"attributed", 0.93, Recorded}, {"unattributed", 0.07, Nothing}}},
		{Label: "requests", Note: "n = 1,110", Parts: []Covered{{"complete", 1100, Recorded}, {"incomplete", 0, Nothing}, {"broken", 10, Nothing}}},
		{Label: "nothing", Parts: []Covered{{"none", 0, Recorded}, {"odd", math.NaN(), Recorded}, {"negative", -3, Recorded}}},
	}}
}

// TestCoverageTilesItsBars: the parts of a bar follow each other over all of its length, each as
// long as its part of the whole, and one of nothing is not there.
func TestCoverageTilesItsBars(t *testing.T) {
	svg := coverageExample().SVG("a", "title")
	wants(t, svg, "path time", "exact 2.0 %", "anchored 90.4 %", "residual 7.6 %", "unattributed 7.0 %", "n = 1,110", "complete 1,100")
	if strings.Contains(svg, "nothing") || strings.Contains(svg, "incomplete") {
		t.Error("a bar or a part of nothing is drawn")
	}
	for bar, shares := range map[string][]float64{"path time": {0.02, 0.904, 0.076}, "its stages": {0.93, 0.07}, "requests": {1100. / 1110, 10. / 1110}} {
		parts := titled(t, svg, bar+": ")
		if len(parts) != len(shares) {
			t.Fatalf("%s has %d parts, want %d", bar, len(parts), len(shares))
		}
		at := coverLeft
		for i, share := range shares {
			x, w := parts[i].number(t, "x"), parts[i].number(t, "width")
			if math.Abs(x-at) > 0.11 || math.Abs(w-share*(width-coverLeft)) > 1.2 {
				t.Errorf("part %d of %s is at %v, %v wide, want %v at %v", i, bar, x, w, share*(width-coverLeft), at)
			}
			at += share * (width - coverLeft)
		}
	}
}

func TestCoverageOfNothing(t *testing.T) {
	for _, c := range []Coverage{{}, {Bars: coverageExample().Bars[3:]}, {Bars: []Covers{{Label: "much", Parts: []Covered{{"a", math.MaxFloat64, Recorded}, {"b", math.MaxFloat64, Recorded}}}}}} {
		if svg := c.SVG("a", "title"); !strings.Contains(svg, "There is nothing to draw") {
			t.Errorf("%+v is drawn:\n%s", c, svg)
		}
	}
}
