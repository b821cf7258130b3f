package text

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

func (p *page) summary(s *reports.Summary) {
	p.missed(s.Objectives)
	for _, c := range s.Verdict.Caveats {
		p.hanging(plain, "caveat: ", c.Text+" ("+c.ID+")")
	}
	p.blank()
	p.load(s)
	if s.Population.Used > 0 {
		p.percentiles(s)
		p.objectives(s.Objectives)
		p.by(s.By, s.Duration.Tail.Q)
		p.excess(s)
		p.forAll(s)
		p.queueing(s)
		p.bands(s.Duration, "where the time goes, by how long the request took")
		if s.TTFT.N > 0 {
			if p.o.Verbose {
				p.bands(s.TTFT, "where the time to the first token goes, by how long that took")
			}
			p.blank()
			p.firstToken(s)
		}
		p.stalling(s.Stalling)
		p.measures(s.Measures)
		p.contextLines(s.Context)
	}
	p.leftOut(s)
}

// load writes the window, the rates and the errors.
func (p *page) load(s *reports.Summary) {
	l := s.Load
	p.used(s.Population)
	if text := joinedWords(s.Joining); text != "" {
		p.field("sources", text)
	}
	if text := retriedWords(s.Joining); text != "" {
		p.field("attempts", text)
	}
	p.errors(s.Population.ErrorRate)
	if l.Elsewhere > 0 {
		p.field("clocks", elsewhere(l))
	}
	if l.Requests == 0 {
		return
	}
	p.field("window", window(l.Clock, l.StartNS, l.EndNS))
	if l.ArrivalRate == nil || l.ConcurrencyMean == nil || l.ConcurrencyP50 == nil || l.ConcurrencyP95 == nil {
		p.field("load", "too short a window for a rate")
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
	p.field("load", fmt.Sprintf("%s (n = %s)", load, reports.Integer(l.Requests)))
	p.field("in flight", fmt.Sprintf("mean %s, p50 %s, p95 %s, peak %s", reports.Number(*l.ConcurrencyMean),
		reports.Integer(*l.ConcurrencyP50), reports.Integer(*l.ConcurrencyP95), reports.Integer(l.ConcurrencyPeak)))
}

// used writes how many requests the figures stand on.
func (p *page) used(pop reports.Population) {
	used := fmt.Sprintf("%s of %s", reports.Integer(pop.Used), reports.Integer(pop.Requests))
	if pop.Words != "" {
		used += ", " + pop.Words
	}
	p.field("requests", used)
}

// errors writes how many requests failed.
func (p *page) errors(e reports.ErrorRate) {
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
	p.field("errors", text)
}

// percentiles writes one row a percentile and, for every metric, its value and
// interval.
func (p *page) percentiles(s *reports.Summary) {
	metrics := []reports.Percentiles{s.Duration.Percentiles}
	for _, m := range []reports.Percentiles{s.TTFT.Percentiles, s.TPOT} {
		if m.N > 0 {
			metrics = append(metrics, m)
		}
	}
	notes := percentileNotes(metrics)
	title := "how long requests took"
	if len(notes) > 0 && notes[0].id == independence {
		title += ", with 95 % intervals " + mark(p.notes+1)
	}
	p.title(title)
	g := grid{columns: []column{{text: true}}}
	for i, q := range metrics[0].Percentiles {
		g.rows = append(g.rows, []string{q.P + p.marks(notes, func(n percentileNote) bool { return n.rows[i] })})
	}
	g.rows = append(g.rows, []string{"slowest"}, []string{"n"})
	for _, m := range metrics {
		p.metric(&g, m)
	}
	p.table(g)
	var written []note
	for _, n := range notes {
		written = append(written, n.note)
	}
	p.footnotes(written)
	d := s.Duration
	exemplar := func(name string, ref *reports.RequestRef) {
		if ref != nil {
			p.emit(plain, p.clean(fmt.Sprintf("  %-8s%s", name, ref.TraceID)))
		}
	}
	p.emit(plain, "traces to look at:")
	for _, q := range d.Percentiles.Percentiles {
		if q.P == "p50" && p.o.Verbose || q.P == d.Tail.Q {
			exemplar(q.P, q.Exemplar)
		}
	}
	exemplar("slowest", d.Slowest)
}

// metric adds the columns of one metric to the percentile table.
func (p *page) metric(g *grid, m reports.Percentiles) {
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
	g.columns = append(g.columns, column{head: m.Metric + " " + u.Name}, column{head: "95 %", join: true})
	if weighted {
		g.columns = append(g.columns, column{head: "all requests", join: true})
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
		g.rows[i] = append(g.rows[i], cells...)
	}
	slowest, n := len(m.Percentiles), len(m.Percentiles)+1
	value := absent
	if m.Slowest != nil {
		value = u.Format(m.Slowest.NS)
	}
	g.rows[slowest] = append(g.rows[slowest], value, "")
	g.rows[n] = append(g.rows[n], reports.Integer(m.N), "")
	if weighted {
		g.rows[slowest], g.rows[n] = append(g.rows[slowest], ""), append(g.rows[n], "")
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
