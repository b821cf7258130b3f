package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// overTime is the time of a report in stretches of one length.
type overTime struct {
	*reports.Heat
	n       int    // stretches
	missing string // why there is none
}

// leastCharted is how many requests it takes to show them over time or to count them by how long
// they took: of fewer, most stretches and cells have none.
const leastCharted = 20

// stretchesOf returns the stretches of a report; without times, and of a few requests, there are none.
func stretchesOf(d reports.Document) overTime { return stretchesIn(d.Report.Heat, usable(d)) }

// stretchesIn is stretchesOf n requests; h may be nil.
func stretchesIn(h *reports.Heat, n int64) overTime {
	switch {
	case h == nil || len(h.Times) < 2:
		return overTime{missing: noTimes}
	case n < leastCharted:
		return overTime{missing: fmt.Sprintf("%s: it takes %d", plural(n, "request"), leastCharted)}
	}
	return overTime{Heat: h, n: len(h.Times) - 1}
}

// stretchOf returns what is known of a stretch, nil for nothing.
func stretchOf[T any](list []*T, i int) *T {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// count returns how many requests started in a stretch.
func (o overTime) count(i int) int64 {
	if i < len(o.N) {
		return o.N[i]
	}
	return 0
}

// celled reports whether there is a count for each cell of the heat map.
func (o overTime) celled() bool {
	return len(o.Counts) == o.n && len(o.Levels) > 1 &&
		!slices.ContainsFunc(o.Counts, func(column []int64) bool { return len(column) != len(o.Levels)-1 })
}

// axis returns the edges of the stretches, and what they are in: dates on the wall clock, else
// times since the first.
func (o overTime) axis() (chart.Unit, []float64) {
	unit, from := chart.UnixTime, int64(0)
	if o.Clock != wall {
		unit, from = chart.Nanos, o.Times[0]
	}
	edges := make([]float64, len(o.Times))
	for i, t := range o.Times {
		edges[i] = float64(t - from)
	}
	return unit, edges
}

// stamp writes when a stretch begins.
func (o overTime) stamp(i int) string { return stampOf(o.Clock, o.Times[i], o.Times[0]) }

// length writes how long the stretches are.
func (o overTime) length() string { return reports.Period(o.Times[1] - o.Times[0]) }

// line returns a number of every stretch for a chart; what is not known parts the line. The only
// line of a panel needs no label.
func line[T int64 | float64](o overTime, label string, list []*T) chart.Line {
	out := chart.Line{Label: label, Values: make([]float64, o.n)}
	for i := range out.Values {
		out.Values[i] = math.NaN()
		if v := stretchOf(list, i); v != nil {
			out.Values[i] = float64(*v)
		}
	}
	return out
}

// extremes returns the stretches with the least and the most of what is known, the first of
// equals; false when nothing is.
func extremes[T cmp.Ordered](o overTime, list []*T) (least, most int, known bool) {
	for i := range o.n {
		v := stretchOf(list, i)
		switch {
		case v == nil:
		case !known:
			least, most, known = i, i, true
		default:
			if *v < *list[least] {
				least = i
			}
			if *v > *list[most] {
				most = i
			}
		}
	}
	return least, most, known
}

// allOf returns the numbers of n stretches.
func allOf(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// stretchRows is how many stretches the table of a chart shows: all of a few, else those with
// the most of what the chart is about. The rest are in the table of all stretches.
const stretchRows = 12

// mostOf returns the stretches that a table shows, in the order of time: of many, those of which
// more than some number is known.
func mostOf[T cmp.Ordered](o overTime, list []*T, more T) (shown []int) {
	for i := range o.n {
		shown = append(shown, i)
	}
	if o.n <= stretchRows {
		return shown
	}
	told := func(i int) bool { v := stretchOf(list, i); return v != nil && *v > more }
	if slices.ContainsFunc(shown, told) {
		shown = slices.DeleteFunc(shown, func(i int) bool { return !told(i) })
	}
	slices.SortStableFunc(shown, func(a, b int) int {
		x, y := stretchOf(list, a), stretchOf(list, b)
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return 1
		case y == nil:
			return -1
		}
		return cmp.Compare(*y, *x)
	})
	shown = shown[:min(stretchRows, len(shown))]
	slices.Sort(shown)
	return shown
}

// shownWords says which stretches a table shows, and where the others are.
func (o overTime) shownWords(shown []int, by string) []string {
	switch n := len(shown); {
	case n == o.n:
		return nil
	case n == 1:
		return []string{fmt.Sprintf("the one of %d stretches of which %s is known and not nothing; all are in %s", o.n, by, overTimeTitle)}
	case n < stretchRows:
		return []string{fmt.Sprintf("the %d of %d stretches of which %s is known and not nothing; all are in %s", n, o.n, by, overTimeTitle)}
	}
	return []string{fmt.Sprintf("the %d of %d stretches with the highest %s; all are in %s", stretchRows, o.n, by, overTimeTitle)}
}

// bracketsOf marks the incidents in which most was waited on an axis of time.
func (o overTime) bracketsOf(d reports.Document) (out []chart.Bracket) {
	if d.Queue == nil {
		return nil
	}
	return o.bracketsIn(d.Queue.When)
}

// bracketsIn is bracketsOf the incidents of a queue.
func (o overTime) bracketsIn(w reports.When) (out []chart.Bracket) {
	if o.n == 0 || w.Clock != o.Clock {
		return nil
	}
	from := int64(0)
	if o.Clock != wall {
		from = o.Times[0]
	}
	for _, i := range w.MostWaited(incidentRows) {
		out = append(out, chart.Bracket{Label: fmt.Sprintf("incident %d", i.No), From: float64(i.OnsetNS - from), To: float64(i.RecoveryNS - from)})
	}
	return out
}

// markedWords says how many incidents a chart marks, and of how many; empty for none.
func markedWords(marked []chart.Bracket, w reports.When) string {
	n := int64(len(marked))
	switch all := w.All(); {
	case n == 0:
		return ""
	case all > n:
		return fmt.Sprintf("; %s marked, those of %s in which most was waited", plural(n, "incident"), reports.Integer(all))
	}
	return fmt.Sprintf("; %s marked", plural(n, "incident"))
}

// timeColumn is a column of a table over time.
type timeColumn struct {
	head string
	cell func(i int) string
}

// stretchTable writes some stretches.
func (o overTime) stretchTable(t Table, shown []int, columns ...timeColumn) Table {
	t.Columns = []Column{{Head: "from", Text: true}, {Head: "n"}}
	columns = slices.DeleteFunc(slices.Clone(columns), func(c timeColumn) bool { // of nothing
		return !slices.ContainsFunc(shown, func(i int) bool { return c.cell(i) != absent })
	})
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{Head: c.head})
	}
	for _, i := range shown {
		row := []string{o.stamp(i), reports.Integer(o.count(i))}
		for _, c := range columns {
			row = append(row, c.cell(i))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// latencyColumns are the percentiles of the stretches.
func (o overTime) latencyColumns() []timeColumn {
	var values []int64
	for i := range o.n {
		for _, v := range []*int64{stretchOf(o.P50, i), stretchOf(o.P99, i)} {
			if v != nil {
				values = append(values, *v)
			}
		}
	}
	u := reports.CommonUnit(values...)
	return []timeColumn{
		{"p50 " + u.Name, func(i int) string { return formatted(u, stretchOf(o.P50, i)) }},
		{"p99 " + u.Name, func(i int) string { return formatted(u, stretchOf(o.P99, i)) }},
	}
}

// trafficColumns are what came in the stretches.
func (o overTime) trafficColumns() []timeColumn {
	return []timeColumn{
		{"requests/s", func(i int) string { return rateIn(stretchOf(o.Rate, i)) }},
		{"output tokens/s", func(i int) string { return rateIn(stretchOf(o.Tokens, i)) }},
		{"prompt tokens p50", func(i int) string { return countIn(stretchOf(o.Prompt, i)) }},
		{"output tokens p50", func(i int) string { return countIn(stretchOf(o.Output, i)) }},
	}
}

// waitingColumns are what waited in the stretches.
func (o overTime) waitingColumns() []timeColumn {
	return []timeColumn{
		{"waiting", func(i int) string { return depthIn(stretchOf(o.Depth, i)) }},
		{"queue %", func(i int) string {
			if v := stretchOf(o.Queue, i); v != nil {
				return reports.Percent(*v)
			}
			return absent
		}},
	}
}

// leastDepth is the least mean number of requests that is written: nobody counts a thousandth.
const leastDepth = 0.001

// depthIn writes how many waited on average.
func depthIn(v *float64) string {
	if v != nil && *v > 0 && *v < leastDepth {
		return "<0.001"
	}
	return rateIn(v)
}

// noTimes stands in place of a chart over time.
const noTimes = "the requests have no times: traces with the wall clock's times have"

// heatFigure shows when requests were slow.
func heatFigure(d reports.Document) chartOf {
	o := stretchesOf(d)
	if o.n == 0 {
		return chartOf{missing: "no heat map: " + o.missing}
	}
	if !o.celled() {
		return chartOf{missing: "no heat map: the counts do not fit their edges"}
	}
	heat := chart.Heat{YUnit: chart.Nanos, Counts: o.Counts, Brackets: o.bracketsOf(d)}
	heat.XUnit, heat.X = o.axis()
	for _, l := range o.Levels {
		heat.Y = append(heat.Y, float64(l))
	}
	for _, l := range []struct {
		label string
		list  []*int64
	}{{"p50", o.P50}, {"p99", o.P99}} {
		if _, _, known := extremes(o, l.list); known {
			heat.Lines = append(heat.Lines, line(o, l.label, l.list))
		}
	}
	by, name := o.P99, "p99"
	if _, _, known := extremes(o, by); !known {
		by, name = o.P50, "p50"
	}
	answer := fmt.Sprintf("too few requests in every stretch of %s for a percentile", o.length())
	if least, most, known := extremes(o, by); known {
		answer = fmt.Sprintf("%s was highest in the %s from %s: %s (n = %s), and lowest in those from %s: %s (n = %s)", name, o.length(),
			o.stamp(most), reports.Duration(*by[most]), reports.Integer(o.count(most)), o.stamp(least), reports.Duration(*by[least]), reports.Integer(o.count(least)))
		if least == most {
			answer = fmt.Sprintf("%s is known of the %s from %s alone: %s (n = %s)", name, o.length(), o.stamp(most), reports.Duration(*by[most]), reports.Integer(o.count(most)))
		}
	}
	if d.Queue != nil {
		answer += markedWords(heat.Brackets, d.Queue.When)
	}
	shown := mostOf(o, by, 0)
	table := o.stretchTable(Table{ID: "slow-stretches", Caption: "duration by time of start, in stretches of " + o.length()}, shown, o.latencyColumns()...)
	return chartOf{
		figure: Figure{ID: "figure-heat", Answer: answer, Drawing: heat}, tables: []Table{table},
		remarks: append(o.shownWords(shown, name), "the count of each cell is in "+overTimeTitle),
	}
}
