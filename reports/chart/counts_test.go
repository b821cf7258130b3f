package chart

import (
	"math"
	"regexp"
	"slices"
	"testing"
)

// No step of the legend stands for counts that no cell can have, and none has the count of another.
func TestEveryStepOfTheLegendHasItsOwnCount(t *testing.T) {
	for _, highest := range []int64{1, 2, 3, 7, 8, 9, 40, 255, 256, 257, 5000} {
		svg := Heat{XUnit: Plain, YUnit: Plain, X: []float64{0, 1}, Y: []float64{1, 2}, Counts: [][]int64{{highest}}}.SVG("a", "title")
		texts := textOf(t, svg)
		from := slices.Index(texts, "requests in a cell") + 1
		to := slices.Index(texts, "at most "+count(highest))
		if from == 0 || to < from {
			t.Fatalf("%d: no legend in %q", highest, texts)
		}
		labels := texts[from:to]
		if len(labels) > int(highest) || len(slices.Compact(slices.Clone(labels))) != len(labels) || labels[0] != "1" && highest > 1 {
			t.Errorf("%d: the legend counts %q", highest, labels)
		}
	}
}

// Requests are counted in whole numbers.
func TestAxesOfCountsAreWhole(t *testing.T) {
	fraction := regexp.MustCompile(`^[0-9]+\.[0-9]+$`)
	for n := int64(1); n < 12; n++ {
		svg := Tail{Unit: Nanos, Edges: []float64{1e6, 2e6}, Counts: []int64{n}}.SVG("a", "title")
		for _, text := range textOf(t, svg) {
			if fraction.MatchString(text) {
				t.Errorf("%d requests: the axis says %q", n, text)
			}
		}
	}
}

// A point between two that are not known is drawn all the same, and not by a dash.
func TestALonePointIsSeen(t *testing.T) {
	c := newCanvas("a")
	c.series("l-ink dash", []point{{10, math.NaN()}, {20, 30}, {30, math.NaN()}}, "alone")
	got := elements(t, c.finish(50, "title", "desc"))
	if !slices.ContainsFunc(got, func(e element) bool { return e.is("l-ink") && !e.is("dash") && e.name == "path" }) {
		t.Errorf("no spot in %+v", got)
	}
}
