package page

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports"
)

// fallOf returns the waterfall of a request, and what is said behind it.
func fallOf(t *testing.T, r reports.Request, o Options) (w Waterfall, said string) {
	t.Helper()
	b := newBuilder(o)
	b.waterfall(r, "")
	for _, x := range b.page.Sections[0].Blocks {
		switch x := x.(type) {
		case Waterfall:
			w = x
		case Labelled:
			said = x.Text
		}
	}
	return w, said
}

// TestWaterfallRows: times are from the start of the request, what is unusual is in the label,
// and a mark that no sign is known of is left out.
func TestWaterfallRows(t *testing.T) {
	const ms = 1_000_000
	r := reports.Request{StartNS: 5 * ms, EndNS: 25 * ms, DurationNS: 20 * ms, Units: 2, Rows: []reports.Row{
		{Label: "root", Role: "root", StartNS: 5 * ms, EndNS: 25 * ms, OnPathNS: 8 * ms, Marks: []reports.Mark{{StartNS: 5 * ms, EndNS: 13 * ms, Sign: "path"}, {StartNS: 13 * ms, EndNS: 14 * ms, Sign: "odd"}}},
		{Label: "gpu", Depth: 1, OfStage: true, StartNS: 5 * ms, EndNS: 13 * ms, OnPathNS: 8 * ms},
		{Label: "late", Depth: 1, Error: true, Role: "linked", Source: "logs/a.log", Line: 7, StartNS: 24 * ms, EndNS: 30 * ms, Marks: []reports.Mark{{StartNS: 24 * ms, EndNS: 25 * ms, Sign: "derived"}, {StartNS: 25 * ms, EndNS: 26 * ms, Sign: "ambiguous"}}},
	}}
	got, said := fallOf(t, r, Options{})
	want := Waterfall{ID: "waterfall", LengthNS: 20 * ms, Unit: "ms", Rows: []WaterfallRow{
		{Label: "root", To: 20 * ms, Took: "20.0", OnPath: "8.0", Marks: []WaterfallMark{{0, 8 * ms, OnPath}}},
		{Label: "gpu", Depth: 1, To: 8 * ms, OnPath: "8.0", OfStage: true},
		{Label: "late ! (linked) [a.log:7]", Depth: 1, From: 19 * ms, To: 25 * ms, Took: "6.0", OnPath: absent, Marks: []WaterfallMark{{19 * ms, 20 * ms, Derived}, {20 * ms, 21 * ms, Ambiguous}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" || said != "" {
		t.Errorf("%q:\n%s", said, diff)
	}
	rows := [][]string{{"root", "0", "20.0", "8.0", "recorded"}, {"· gpu", "0", "", "8.0", ""}, {"· late ! (linked) [a.log:7]", "19.0", "6.0", "-", "derived, ambiguous"}}
	if diff := cmp.Diff(rows, got.Table().Rows); diff != "" {
		t.Error(diff)
	}
	got.Rows = []WaterfallRow{{Label: "deep", Depth: 12, From: -5}}
	if row := got.Table().Rows[0]; row[0] != strings.Repeat("· ", depthMost)+"[12] deep" || row[1] != "-5" {
		t.Errorf("%q", row)
	}
}

// TestOnlyABriefPageOmitsRows: it has rows for the path, for what is above it and for the longest
// of the others, and counts the rest with those that the document omits.
func TestOnlyABriefPageOmitsRows(t *testing.T) {
	r := reports.Request{DurationNS: 1000, EndNS: 1000, RowsOmitted: 7, Rows: []reports.Row{
		{Label: "root", EndNS: 1000, OnPathNS: 5}, {Depth: 1, Label: "stage", OfStage: true, EndNS: 1000, OnPathNS: 5},
	}}
	for i := range 497 {
		r.Rows = append(r.Rows, reports.Row{Depth: 1, Label: fmt.Sprintf("call %03d", i), EndNS: int64(i)})
	}
	r.Rows = append(r.Rows, reports.Row{Depth: 1, Label: "parent"}, reports.Row{Depth: 2, Label: "leaf", EndNS: 1, OnPathNS: 1})
	if w, said := fallOf(t, r, Options{}); len(w.Rows) != len(r.Rows) || w.Omitted != 7 || said != "7 spans off the path not drawn" {
		t.Errorf("%d rows, %d omitted, %q", len(w.Rows), w.Omitted, said)
	}
	w, said := fallOf(t, r, Options{Brief: true})
	if len(w.Rows) != spansMost+1 || w.Omitted != 307 || said != "307 spans off the path not drawn" {
		t.Errorf("%d rows, %d omitted, %q", len(w.Rows), w.Omitted, said)
	}
	has := map[string]bool{}
	for _, row := range w.Rows {
		has[row.Label] = true
	}
	for label, want := range map[string]bool{"root": true, "stage": true, "parent": true, "leaf": true, "call 496": true, "call 300": true, "call 299": false} {
		if has[label] != want {
			t.Errorf("%s has a row: %v, want %v", label, has[label], want)
		}
	}
	if rows, omitted := rowsShown(r.Rows, 500); len(rows) != len(r.Rows) || omitted != 0 {
		t.Errorf("500 spans at a limit of 500: %d rows, %d omitted", len(rows), omitted)
	}
}

// TestOddRowsMakeAWaterfall: a depth below none and times at the ends of what a number holds.
func TestOddRowsMakeAWaterfall(t *testing.T) {
	w, _ := fallOf(t, reports.Request{StartNS: 1, Rows: []reports.Row{{Depth: -3, StartNS: math.MinInt64, EndNS: math.MaxInt64}}}, Options{Brief: true})
	if len(w.Rows) != 1 || w.Rows[0].Depth != 0 {
		t.Errorf("%+v", w)
	}
}
