package page

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/reports"
)

func (b *builder) summary(s *reports.Summary) {
	b.missed(s.Objectives)
	for _, c := range s.Verdict.Caveats {
		b.hanging(Plain, "caveat: ", c.Text+" ("+c.ID+")")
	}
	b.blank()
	b.load(s)
	if s.Population.Used > 0 {
		b.percentiles(s)
		b.objectives(s.Objectives)
		b.by(s.By, s.Duration.Tail.Q)
		b.excess(s)
		b.forAll(s)
		b.queueing(s)
		b.bands(s.Duration, "bands", "where the time goes, by how long the request took")
		b.stageFigure(s.Duration)
		b.silently(b.pathFigure(s.Path))
		if s.TTFT.N > 0 {
			if b.o.Verbose {
				b.bands(s.TTFT, "ttft-bands", "where the time to the first token goes, by how long that took")
			}
			b.blank()
			b.firstToken(s)
		}
		b.stalling(s.Stalling)
		b.measures(s.Measures)
		b.contextLines(s.Context)
	}
	b.leftOut(s)
}

// load writes the window, the rates and the errors.
func (b *builder) load(s *reports.Summary) {
	l := s.Load
	b.used(s.Population)
	if text := joinedWords(s.Joining); text != "" {
		b.field("sources", text)
	}
	if text := retriedWords(s.Joining); text != "" {
		b.field("attempts", text)
	}
	b.errors(s.Population.ErrorRate)
	if l.Elsewhere > 0 {
		b.field("clocks", elsewhere(l))
	}
	if l.Requests == 0 {
		return
	}
	b.field("window", loadWindow(l))
	if l.ArrivalRate == nil || l.ConcurrencyMean == nil || l.ConcurrencyP50 == nil || l.ConcurrencyP95 == nil {
		b.field("load", "too short a window for a rate")
		return
	}
	load := fmt.Sprintf("%s requests/s", reports.Number(*l.ArrivalRate))
	if l.OutputTokenRate != nil {
		least := ""
		if l.TokensKnown < l.Requests {
			least = "at least "
		}
		load += fmt.Sprintf(", %s%s output tokens/s", least, reports.Number(*l.OutputTokenRate))
	}
	b.field("load", fmt.Sprintf("%s (n = %s)", load, reports.Integer(l.Requests)))
	b.field("in flight", fmt.Sprintf("mean %s, p50 %s, p95 %s, peak %s", reports.Number(*l.ConcurrencyMean),
		reports.Integer(*l.ConcurrencyP50), reports.Integer(*l.ConcurrencyP95), reports.Integer(l.ConcurrencyPeak)))
}

// used writes how many requests the figures stand on.
func (b *builder) used(pop reports.Population) {
	used := fmt.Sprintf("%s of %s", reports.Integer(pop.Used), reports.Integer(pop.Requests))
	if pop.Words != "" {
		used += ", " + pop.Words
	}
	b.field("requests", used)
}

// errors writes how many requests failed.
func (b *builder) errors(e reports.ErrorRate) {
	if e.Of == 0 {
		return
	}
	low, high := reports.PercentRange(e.Low, e.High)
	share := reports.Percent(e.Share)
	if e.N > 0 && share == "0.0" {
		share = "<0.1"
	}
	text := fmt.Sprintf("%s of %s complete requests: %s %% (95 %%: %s to %s)", reports.Integer(e.N), reports.Integer(e.Of), share, low, high)
	if e.Aborted > 0 {
		text += fmt.Sprintf("; %s more were given up by who asked", reports.Integer(e.Aborted))
	}
	b.field("errors", text)
}

// percentiles writes one row a percentile and, for every metric, its value and
// interval.
func (b *builder) percentiles(s *reports.Summary) {
	metrics := []reports.Percentiles{s.Duration.Percentiles}
	for _, m := range []reports.Percentiles{s.TTFT.Percentiles, s.TPOT} {
		if m.N > 0 {
			metrics = append(metrics, m)
		}
	}
	notes := percentileNotes(metrics)
	known := slices.ContainsFunc(metrics, func(m reports.Percentiles) bool {
		return slices.ContainsFunc(m.Percentiles, func(q reports.Percentile) bool { return q.ValueNS != nil })
	})
	title := "how long requests took"
	switch {
	case !known && len(notes) > 0: // no row shows the mark of why
		title += " " + mark(b.notes+1)
	case len(notes) > 0 && notes[0].id == independence:
		title += ", with 95 % intervals " + mark(b.notes+1)
	case known:
		title += ", with 95 % intervals"
	}
	b.section("latency", title)
	g := Table{Columns: []Column{{Text: true}}}
	if known {
		for i, q := range metrics[0].Percentiles {
			g.Rows = append(g.Rows, []string{q.P + b.marks(notes, func(n percentileNote) bool { return n.rows[i] })})
		}
	}
	g.Rows = append(g.Rows, []string{"slowest"}, []string{"n"})
	for _, m := range metrics {
		if !known {
			slowest(&g, m)
			continue
		}
		b.metric(&g, m)
	}
	b.table(g)
	var written []note
	for _, n := range notes {
		written = append(written, n.note)
	}
	b.footnotes(written)
	d := s.Duration
	exemplar := func(name string, ref *reports.RequestRef) {
		if ref != nil {
			b.add(Paragraph{Text: fmt.Sprintf("  %-8s%s", name, ref.TraceID), Line: true})
		}
	}
	b.add(Paragraph{Text: "traces to look at:", Line: true})
	for _, q := range d.Percentiles.Percentiles {
		if q.P == "p50" && b.o.Verbose || q.P == d.Tail.Q {
			exemplar(q.P, q.Exemplar)
		}
	}
	exemplar("slowest", d.Slowest)
}

// slowest adds a column of a metric of which no percentile is known.
func slowest(g *Table, m reports.Percentiles) {
	head, value := m.Metric, absent
	if m.Slowest != nil {
		u := reports.CommonUnit(m.Slowest.NS)
		head, value = head+" "+u.Name, u.Format(m.Slowest.NS)
	}
	g.Columns = append(g.Columns, Column{Head: head})
	g.Rows[0], g.Rows[1] = append(g.Rows[0], value), append(g.Rows[1], reports.Integer(m.N))
}

// metric adds the columns of one metric to the percentile table.
func (b *builder) metric(g *Table, m reports.Percentiles) {
	var values []int64
	weighted := false
	for _, q := range m.Percentiles {
		for _, v := range []*int64{q.ValueNS, q.LowNS, q.HighNS} {
			if v != nil {
				values = append(values, *v)
			}
		}
		weighted = weighted || q.Weighted != nil
	}
	if m.Slowest != nil {
		values = append(values, m.Slowest.NS)
	}
	u := reports.CommonUnit(values...)
	g.Columns = append(g.Columns, Column{Head: m.Metric + " " + u.Name}, Column{Head: "95 %", Join: true})
	if weighted {
		g.Columns = append(g.Columns, Column{Head: "all requests", Join: true})
	}
	for i, q := range m.Percentiles {
		cells := []string{absent, absent}
		if q.ValueNS != nil {
			cells = []string{u.Format(*q.ValueNS), interval(u, q)}
		}
		if weighted {
			cell := absent
			if q.Weighted != nil && q.Weighted.ValueNS != nil {
				cell = u.Format(*q.Weighted.ValueNS)
			}
			cells = append(cells, cell)
		}
		g.Rows[i] = append(g.Rows[i], cells...)
	}
	slowest, n := len(m.Percentiles), len(m.Percentiles)+1
	value := absent
	if m.Slowest != nil {
		value = u.Format(m.Slowest.NS)
	}
	g.Rows[slowest] = append(g.Rows[slowest], value, "")
	g.Rows[n] = append(g.Rows[n], reports.Integer(m.N), "")
	if weighted {
		g.Rows[slowest], g.Rows[n] = append(g.Rows[slowest], ""), append(g.Rows[n], "")
	}
}

// absent stands for a figure that is not known.
const absent = "-"

func interval(u reports.Unit, q reports.Percentile) string {
	low, high := "0", "∞"
	if q.LowNS != nil {
		low = u.Format(*q.LowNS)
	}
	if q.HighNS != nil {
		high = u.Format(*q.HighNS)
	}
	return low + "–" + high
}
