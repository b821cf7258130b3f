package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// within writes the interval of a figure, "" without one.
func within(f *reports.Figure) string {
	if f == nil || f.Low == nil || f.High == nil {
		return ""
	}
	return fmt.Sprintf("95 %%: %s–%s", reports.Number(*f.Low), reports.Number(*f.High))
}

// rateBounds writes the interval of a rate, after what stands before it; "" without one.
func rateBounds(s *reports.System, of string) string {
	for i := range s.Rates {
		if r := &s.Rates[i]; r.Of == of {
			if text := within(&r.Rate); text != "" {
				return "; " + text
			}
		}
	}
	return ""
}

// levelText writes a number of requests over time.
func levelText(l *reports.Level) string {
	mean := reports.Number(l.Mean)
	if text := within(l.Bounds); text != "" {
		mean += " (" + text + ")"
	}
	return fmt.Sprintf("mean %s, p50 %s, p95 %s, p99 %s, p99.9 %s, peak %s", mean, reports.Integer(l.P50), reports.Integer(l.P95),
		reports.Integer(l.P99), reports.Integer(l.P999), reports.Integer(l.Peak))
}

// loadBounds says why rates and levels have no interval, and writes those of percentiles of
// the levels.
func (b *builder) loadBounds(s *reports.System) {
	var reasons []string
	of := map[string][]string{}
	none := func(what, why string) {
		if why == "" {
			return
		}
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
		of[why] = append(of[why], strings.ReplaceAll(what, "_", " "))
	}
	for _, r := range s.Rates {
		none(r.Of, r.Why)
	}
	for _, l := range s.Levels {
		none(l.Of, l.NoBounds)
	}
	for _, why := range reasons {
		which := "of " + strings.Join(of[why], ", ") + " "
		if len(of[why]) == len(s.Rates)+len(s.Levels) {
			which = ""
		}
		b.field("intervals", "none "+which+"can be told: "+why)
	}
	if !b.o.Verbose {
		return
	}
	for _, l := range s.Levels {
		var list []string
		for _, x := range l.Percentiles {
			if x.Low != nil && x.High != nil {
				list = append(list, fmt.Sprintf("%s %s–%s", x.P, reports.Integer(*x.Low), reports.Integer(*x.High)))
			}
		}
		if list != nil {
			b.field("", strings.ReplaceAll(l.Of, "_", " ")+", 95 % of each: "+strings.Join(list, ", "))
		}
	}
}

// batchSizes writes how many requests engines execute at a time.
func (b *builder) batchSizes(sizes *reports.Batches) {
	if sizes.Refused == "" && sizes.Executing == nil && len(sizes.Engines) == 0 {
		return
	}
	b.title("batch size: requests on the GPU at a time, while any is")
	if sizes.Refused != "" {
		b.hanging(Plain, "  ", "unknown: "+sizes.Refused)
		return
	}
	g := Table{Columns: []Column{{Text: true, Flex: true, Told: true}, {Text: true}, {Head: "n"}, {Head: "mean"}, {Head: "p50"}, {Head: "p95"}, {Head: "p99"}, {Head: "peak"}}}
	add := func(name, kind, n string, mean float64, list ...string) {
		g.Rows = append(g.Rows, append([]string{name, kind, n, reports.Number(mean)}, list...))
	}
	level := func(name string, l *reports.ExecutingLevel) {
		if l != nil {
			add(name, "by time", reports.Duration(l.BusyNS), l.Mean, reports.Integer(l.P50), reports.Integer(l.P95), reports.Integer(l.P99), reports.Integer(l.Peak))
		}
	}
	if len(sizes.Engines) != 1 {
		level("all engines", sizes.Executing)
	}
	shown := sizes.Engines
	if len(shown) > 1 && !b.o.Verbose {
		shown = nil
		if sizes.Executing == nil {
			shown = sizes.Engines[:1] // what it says of itself is all that there is
		}
	}
	for _, e := range shown {
		level(e.Name, e.Executing)
		if s := e.Batches; s != nil {
			cells := []string{absent, absent, absent}
			for _, q := range s.Percentiles {
				if k := slices.Index([]string{"p50", "p95", "p99"}, q.P); k >= 0 && q.Value != nil {
					cells[k] = reports.Integer(*q.Value)
				}
			}
			add(e.Name, "batches, "+s.Basis, reports.Integer(s.N), s.Mean, append(cells, reports.Integer(s.Peak))...)
		}
		for _, r := range e.Readings {
			add(e.Name, "its own "+r.Metric, reports.Integer(r.N), r.Mean, reports.Number(r.P50), reports.Number(r.P95), reports.Number(r.P99), reports.Number(r.Peak))
		}
	}
	b.table(g)
	if more := len(sizes.Engines) - len(shown); more > 0 {
		b.hanging(Dim, "  ", "-v has "+plural(int64(more), "engine")+" for themselves")
	}
	b.hanging(Dim, "  ", "by time: n is the busy time; batches and readings count once each, however long")
}

// useCells are how engines were used in a stretch: for which share of it they were busy, and
// for which share of the time with work idle while a request waited; empty where nothing tells.
func useCells(t *reports.LoadStretch) (busy, idle string) {
	if t == nil || t.Use == nil {
		return "", ""
	}
	idle = absent
	if of := t.Use.IdleWaiting; of != nil {
		if idle = reports.Percent(*of); t.Use.IdleLeast {
			idle = ">= " + idle
		}
	}
	return reports.Percent(t.Use.Busy), idle
}
