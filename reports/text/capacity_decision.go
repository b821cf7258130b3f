package text

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// decision writes what holds the system up, and what was asked to tell.
func (p *page) decision(s *reports.System) {
	p.title("what holds it up")
	if s.Refused != "" {
		p.hanging(plain, "  ", "cannot say: "+s.Refused)
		return
	}
	d := s.Decision
	p.hanging(plain, "  ", d.Words)
	if len(d.Rows) == 0 {
		return
	}
	g := grid{columns: []column{{head: "asked in this order", text: true}, {head: "", text: true}, {head: "found"}, {head: "speaks for it"}, {head: "n"}}}
	signs := false
	for _, r := range d.Rows {
		g.rows = append(g.rows, []string{reports.SignatureText(r.Signature), speaks[r.Speaks], "", "", ""})
		for i, f := range r.Figures {
			text := "  " + f.Text()
			if i > 0 && f.Sign != r.Figures[i-1].Sign {
				text, signs = "  or "+f.Text(), true
			}
			g.rows = append(g.rows, []string{text, speaks[f.Says], f.Found(), f.For(), f.Counted()})
		}
	}
	p.table(g)
	rule := "a row says yes when all of its figures do. "
	if signs {
		rule = "a row says yes when all of its figures do, or all after an \"or\". "
	}
	p.hanging(dim, "  ", "the first yes is the answer, unless an unknown comes before it; "+rule+reports.FiguresText)
	var lacks []string
	for _, r := range d.Rows {
		if len(r.Missing) > 0 {
			lacks = append(lacks, fmt.Sprintf("%s: %s", reports.SignatureText(r.Signature), strings.Join(r.Missing, ", ")))
		}
	}
	if lacks != nil {
		p.hanging(dim, "  ", "not recorded: "+strings.Join(lacks, "; "))
	}
}

// speaks says what a figure, or a row, says of its signature.
var speaks = map[string]string{"for": "yes", "against": "no", "unknown": "unknown"}

// contextRecord writes what the figures must be read with.
func (p *page) contextRecord(c reports.Context) {
	p.title("read these figures with")
	levels := func(l reports.ContextLevel) string { return fmt.Sprintf("mean %s, p95 %s", rate(l.Mean), whole(l.P95)) }
	tokens := func(t reports.ContextCounts) string { return fmt.Sprintf("p50 %s, p95 %s", whole(t.P50), whole(t.P95)) }
	window := unknown
	if c.WindowNS != nil {
		window = reports.Period(*c.WindowNS)
	}
	p.labelled("seen", fmt.Sprintf("from %s; window %s; n = %s; sampling %s; load %s", named(c.Vantage), window, whole(c.N), named(c.Sampling), named(c.LoadMode)))
	p.labelled("system", fmt.Sprintf("model %s; engine %s, version %s; GPU type %s, number of GPUs %s; replicas %s",
		named(c.Model), named(c.Engine), named(c.EngineVersion), named(c.GPUType), whole(c.GPUCount), whole(c.Replicas)))
	p.labelled("load", fmt.Sprintf("%s arrivals/s; in flight %s, peak %s; waiting %s", rate(c.ArrivalRate), levels(c.Concurrency), whole(c.Concurrency.Peak), levels(c.Waiting)))
	p.labelled("lengths", fmt.Sprintf("prompt tokens %s; output tokens %s", tokens(c.InputTokens), tokens(c.OutputTokens)))
	p.labelled("latency", fmt.Sprintf("ttft p50 %s, p95 %s; itl p95 %s, p99 %s; tpot p95 %s; e2e p50 %s, p99 %s", timed(c.TTFT.P50NS), timed(c.TTFT.P95NS),
		timed(c.ITL.P95NS), timed(c.ITL.P99NS), timed(c.TPOT.P95NS), timed(c.E2E.P50NS), timed(c.E2E.P99NS)))
	p.labelled("failures", shareOf(c.FailureRate)+"; cache hits "+shareOf(c.CacheHit))
	definitions := strings.Join(c.Definitions, ", ")
	if definitions == "" {
		definitions = unknown
	}
	p.labelled("definitions", definitions)
}

// unknown is what is written for what nothing tells.
const unknown = "unknown"

func named(v *string) string {
	if v == nil || *v == "" {
		return unknown
	}
	return *v
}

func timed(ns *int64) string {
	if ns == nil {
		return unknown
	}
	return reports.Duration(*ns)
}

func shareOf(v *float64) string {
	if v == nil {
		return unknown
	}
	return reports.Percent(*v) + " %"
}
