package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// latencyWhole writes how long requests took over the whole time, a row for each metric.
func (b *builder) latencyWhole(l *reports.LoadLatency) {
	if len(l.Of) == 0 {
		return
	}
	g := Table{Columns: []Column{{Text: true}, {Head: "n"}, {Head: "mean"}, {Head: "95 %", Join: true}}}
	for _, x := range l.Of[0].Percentiles {
		g.Columns = append(g.Columns, Column{Head: x.P}, Column{Head: "95 %", Join: true})
	}
	needs := map[string]int64{}
	percentiles := len(l.Of[0].Percentiles)
	for i := range l.Of {
		m := &l.Of[i]
		if len(m.Percentiles) != percentiles {
			continue // it is not made so
		}
		row := []string{m.Metric, reports.Integer(m.N)}
		var mean, low, high *int64
		if f := m.Mean; f != nil {
			mean, low, high = wholeNS(&f.Value), wholeNS(f.Low), wholeNS(f.High)
		}
		row = append(row, boundCells(mean, low, high, reports.Duration, durations)...)
		for _, x := range m.Percentiles {
			row = append(row, boundCells(x.ValueNS, x.LowNS, x.HighNS, reports.Duration, durations)...)
			if x.ValueNS == nil {
				needs[x.P] = x.Need
			}
		}
		g.Rows = append(g.Rows, row)
	}
	if m := l.Generation; m != nil && len(m.Percentiles) == percentiles {
		row := []string{"generation tokens/s", reports.Integer(m.N)}
		var mean, low, high *float64
		if f := m.Mean; f != nil {
			mean, low, high = &f.Value, f.Low, f.High
		}
		row = append(row, boundCells(mean, low, high, reports.Number, numbers)...)
		for _, x := range m.Percentiles {
			row = append(row, boundCells(x.Value, x.Low, x.High, reports.Number, numbers)...)
			if x.Value == nil {
				needs[x.P] = x.Need
			}
		}
		g.Rows = append(g.Rows, row)
	}
	b.section("latency", "how long requests took, of the whole time: "+requestsOf(l))
	b.table(g.without(g.empty()...))
	var few []string
	for _, x := range l.Of[0].Percentiles {
		if n := needs[x.P]; n > 0 {
			few = append(few, fmt.Sprintf("a %s needs %s", x.P, reports.Integer(n)))
		}
	}
	if few != nil {
		b.hanging(Dim, "  ", absent+": "+strings.Join(few, ", "))
	}
	b.latencyDoubts(l)
}

// requestsOf says which requests latencies are of.
func requestsOf(l *reports.LoadLatency) string {
	switch {
	case l.Weighted:
		return "estimates for all requests, by the weights of " + plural(l.N, "trace")
	case l.Kept != "":
		return l.Kept
	}
	return plural(l.N, "request") + " that were answered"
}

// latencyDoubts says how intervals are made, and what they rest on where they are too narrow.
func (b *builder) latencyDoubts(l *reports.LoadLatency) {
	var list []string
	open := ""
	add := func(ws []reports.Warning) {
		for _, w := range ws {
			if w.ID == noUpper {
				open = "; >=: what lies above came in too few separate times for an upper bound"
			}
			if (w.ID == independence || w.ID == noInterval) && !slices.Contains(list, w.Text) {
				list = append(list, w.Text)
			}
		}
	}
	for i := range l.Of {
		add(l.Of[i].Warnings)
	}
	if l.Generation != nil {
		add(l.Generation.Warnings)
	}
	if l.Weighted {
		b.hanging(Dim, "  ", "nothing bounds percentiles by weights")
		return
	}
	if len(list) == 0 {
		b.hanging(Dim, "  ", "95 %: by drawing blocks of time again; of percentiles no narrower than for independent requests"+open)
		return
	}
	if !b.o.Verbose && len(list) > 1 {
		b.hanging(Dim, "  ", "95 %: of some figures for independent requests alone, and too narrow when requests queue behind each other; -v says of which and why"+open)
		return
	}
	for _, text := range list {
		b.hanging(Dim, "  ", "95 %: "+text)
	}
	if !b.o.Verbose {
		return
	}
	for i := range l.Of {
		for _, w := range l.Of[i].Warnings {
			b.hanging(Plain, "  - ", l.Of[i].Metric+": "+w.Text)
		}
	}
}

// noInterval is the id of the reason why there is no interval, noUpper of that why it has no
// upper end.
const (
	noInterval = "no-interval"
	noUpper    = "no-upper-bound"
)

// wholeNS returns a time in whole ns, nil for none.
func wholeNS(v *float64) *int64 {
	if v == nil {
		return nil
	}
	ns := int64(math.Round(*v))
	return &ns
}

// durations and numbers write an interval.
func durations(low, high int64) string {
	u := reports.CommonUnit(low, high)
	return u.Format(low) + "–" + u.Format(high) + " " + u.Name
}

func numbers(low, high float64) string { return reports.Number(low) + "–" + reports.Number(high) }

// boundCells writes a value that may be unknown, and its interval.
func boundCells[T int64 | float64](value, low, high *T, format func(T) string, interval func(low, high T) string) []string {
	switch {
	case value == nil:
		return []string{absent, ""}
	case low == nil && high == nil:
		return []string{format(*value), ""}
	case high == nil:
		return []string{format(*value), ">= " + format(*low)}
	case low == nil:
		return []string{format(*value), "<= " + format(*high)}
	}
	return []string{format(*value), interval(*low, *high)}
}

// stretchColumns are the figures of a stretch that have a column.
var stretchColumns = []struct{ metric, p string }{
	{"e2e", "p50"}, {"e2e", "p95"}, {"e2e", "p99"}, {"ttft", "p50"}, {"ttft", "p95"}, {"itl", "p95"}, {"tpot", "p50"}, {"tpot", "p95"},
}

// stretchExtremes are the figures of which the least and the most are told: of each metric the
// first that two stretches have.
var stretchExtremes = []struct{ metric, p string }{
	{"e2e", "p95"}, {"e2e", "p50"}, {"ttft", "p95"}, {"ttft", "p50"}, {"itl", "p95"}, {"itl", "p50"}, {"tpot", "p95"}, {"tpot", "p50"},
}

// stretchValue returns a percentile of a metric in a stretch, nil where it is not known.
func stretchValue(t *reports.LoadStretch, metric, percentile string) *int64 {
	for i := range t.Of {
		if t.Of[i].Metric != metric {
			continue
		}
		for _, x := range t.Of[i].Percentiles {
			if x.P == percentile {
				return x.ValueNS
			}
		}
	}
	return nil
}

// latencyOverTime writes how long requests took by when they came: between which stretches
// it lay, or of every stretch.
func (b *builder) latencyOverTime(s *reports.System) {
	if len(s.Stretches) < 2 {
		return
	}
	first := s.Stretches[0]
	title := fmt.Sprintf("how long requests took, by when they came, in stretches of %s", reports.Period(first.ToNS-first.FromNS))
	if b.o.Verbose {
		b.everyStretch(s.Stretches, title)
		return
	}
	b.leastAndMost(s.Stretches, title)
}

// leastAndMost writes, for each metric, the stretches with the least and the most of its p95,
// or else of its median.
func (b *builder) leastAndMost(list []reports.LoadStretch, title string) {
	g := Table{Columns: []Column{{Text: true}, {Head: "stretches"}, {Head: "least"}, {Head: "at", Text: true}, {Head: "n"}, {Head: "most"}, {Head: "at", Text: true}, {Head: "n"}}}
	shown := map[string]bool{}
	for _, c := range stretchExtremes {
		if shown[c.metric] {
			continue
		}
		var least, most *reports.LoadStretch
		var low, high, known int64
		for i := range list {
			v := stretchValue(&list[i], c.metric, c.p)
			if v == nil {
				continue
			}
			known++
			if least == nil || *v < low {
				least, low = &list[i], *v
			}
			if most == nil || *v > high {
				most, high = &list[i], *v
			}
		}
		if known < 2 {
			continue
		}
		shown[c.metric] = true
		at := func(t *reports.LoadStretch) string { return since(t.FromNS - list[0].FromNS) }
		n := func(t *reports.LoadStretch) string {
			for i := range t.Of {
				if t.Of[i].Metric == c.metric {
					return reports.Integer(t.Of[i].N)
				}
			}
			return absent
		}
		g.Rows = append(g.Rows, []string{c.metric + " " + c.p, fmt.Sprintf("%d of %d", known, len(list)), reports.Duration(low), at(least), n(least), reports.Duration(high), at(most), n(most)})
	}
	if g.Rows == nil {
		return
	}
	b.section("latency-over-time", title)
	b.table(g)
	b.hanging(Dim, "  ", "of the stretches with enough for the percentile; the least and the most of several differ by chance as well: -v has each, the JSON its interval")
}

// everyStretch writes a row for each stretch.
func (b *builder) everyStretch(list []reports.LoadStretch, title string) {
	start := list[0].FromNS
	g := Table{Columns: []Column{{Head: "arrived", Text: true}, {Head: "n"}}}
	g.Rows = make([][]string, len(list))
	for i := range list {
		g.Rows[i] = []string{since(list[i].FromNS - start), reports.Integer(list[i].N)}
	}
	few := false
	for _, c := range stretchColumns {
		var values []int64
		for i := range list {
			if v := stretchValue(&list[i], c.metric, c.p); v != nil {
				values = append(values, *v)
			}
		}
		if values == nil {
			continue // nothing has as many, or none tells
		}
		u := reports.CommonUnit(values...)
		g.Columns = append(g.Columns, Column{Head: c.metric + " " + c.p + " " + u.Name})
		for i := range list {
			cell := absent
			if v := stretchValue(&list[i], c.metric, c.p); v != nil {
				cell = u.Format(*v)
			}
			few = few || cell == absent
			g.Rows[i] = append(g.Rows[i], cell)
		}
	}
	if len(g.Columns) == 2 {
		return
	}
	b.section("latency-over-time", title)
	b.table(g)
	if few {
		b.hanging(Dim, "  ", absent+": a p50 needs 5, a p95 59, a p99 299; the JSON has means, p99.9 and the interval of each")
	}
}
