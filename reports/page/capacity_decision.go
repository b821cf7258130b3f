package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// decision writes what holds the system up, and what was asked to tell.
func (b *builder) decision(s *reports.System) {
	b.title("what holds it up")
	if s.Refused != "" {
		b.hanging(Plain, "  ", "cannot say: "+s.Refused)
		return
	}
	d := s.Decision
	b.hanging(Plain, "  ", d.Words)
	if len(d.Rows) == 0 {
		return
	}
	g := Table{Columns: []Column{{Head: "asked in this order", Text: true}, {Head: "", Text: true}, {Head: "found"}, {Head: "speaks for it"}, {Head: "n"}}}
	signs := false
	for _, r := range d.Rows {
		g.Rows = append(g.Rows, []string{reports.SignatureText(r.Signature), speaks[r.Speaks], "", "", ""})
		for i, f := range r.Figures {
			text := "  " + f.Text()
			if i > 0 && f.Sign != r.Figures[i-1].Sign {
				text, signs = "  or "+f.Text(), true
			}
			g.Rows = append(g.Rows, []string{text, speaks[f.Says], f.Found(), f.For(), f.Counted()})
		}
	}
	b.table(g)
	rule := "a row says yes when all of its figures do. "
	if signs {
		rule = "a row says yes when all of its figures do, or all after an \"or\". "
	}
	b.hanging(Dim, "  ", "the first yes is the answer, unless an unknown comes before it; "+rule+reports.FiguresText)
	var lacks []string
	for _, r := range d.Rows {
		if len(r.Missing) > 0 {
			lacks = append(lacks, fmt.Sprintf("%s: %s", reports.SignatureText(r.Signature), strings.Join(r.Missing, ", ")))
		}
	}
	if lacks != nil {
		b.hanging(Dim, "  ", "not recorded: "+strings.Join(lacks, "; "))
	}
}

// speaks says what a figure, or a row, says of its signature.
var speaks = map[string]string{"for": "yes", "against": "no", "unknown": "unknown"}

// contextRecord writes what the figures must be read with.
func (b *builder) contextRecord(c reports.Context) {
	b.section("context", "read these figures with")
	levels := func(l reports.ContextLevel) string { return fmt.Sprintf("mean %s, p95 %s", rate(l.Mean), whole(l.P95)) }
	tokens := func(t reports.ContextCounts) string { return fmt.Sprintf("p50 %s, p95 %s", whole(t.P50), whole(t.P95)) }
	window := unknown
	if c.WindowNS != nil {
		window = reports.Period(*c.WindowNS)
	}
	b.labelled("seen", fmt.Sprintf("from %s; window %s; n = %s; sampling %s; load %s", named(c.Vantage), window, whole(c.N), named(c.Sampling), named(c.LoadMode)))
	b.labelled("system", fmt.Sprintf("model %s; engine %s, version %s; GPU type %s, number of GPUs %s; replicas %s",
		named(c.Model), named(c.Engine), named(c.EngineVersion), named(c.GPUType), whole(c.GPUCount), whole(c.Replicas)))
	b.labelled("load", fmt.Sprintf("%s arrivals/s; in flight %s, peak %s; waiting %s", rate(c.ArrivalRate), levels(c.Concurrency), whole(c.Concurrency.Peak), levels(c.Waiting)))
	b.labelled("lengths", fmt.Sprintf("prompt tokens %s; output tokens %s", tokens(c.InputTokens), tokens(c.OutputTokens)))
	b.labelled("latency", fmt.Sprintf("ttft p50 %s, p95 %s; itl p95 %s, p99 %s; tpot p95 %s; e2e p50 %s, p99 %s", timed(c.TTFT.P50NS), timed(c.TTFT.P95NS),
		timed(c.ITL.P95NS), timed(c.ITL.P99NS), timed(c.TPOT.P95NS), timed(c.E2E.P50NS), timed(c.E2E.P99NS)))
	b.labelled("failures", shareOf(c.FailureRate)+"; cache hits "+shareOf(c.CacheHit))
	definitions := strings.Join(c.Definitions, ", ")
	if definitions == "" {
		definitions = unknown
	}
	b.labelled("definitions", definitions)
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
