package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// contextLines writes the part of a context that a report does not tell elsewhere.
func (b *builder) contextLines(c reports.Context) {
	b.section("context", "read these figures with")
	window := unknown
	if c.WindowNS != nil {
		window = reports.Period(*c.WindowNS)
	}
	b.labelled("seen", fmt.Sprintf("from %s; window %s; n = %s with failed requests; sampling %s; load %s", named(c.Vantage), window, whole(c.N), named(c.Sampling), named(c.LoadMode)))
	b.labelled("system", fmt.Sprintf("model %s; engine %s, version %s; GPU type %s, number of GPUs %s; replicas %s",
		named(c.Model), named(c.Engine), named(c.EngineVersion), named(c.GPUType), whole(c.GPUCount), whole(c.Replicas)))
	b.labelled("lengths", fmt.Sprintf("prompt tokens p50 %s, p95 %s; output tokens p50 %s, p95 %s; cache hits %s",
		whole(c.InputTokens.P50), whole(c.InputTokens.P95), whole(c.OutputTokens.P50), whole(c.OutputTokens.P95), shareOf(c.CacheHit)))
	b.labelled("concurrency", fmt.Sprintf("in flight mean %s, p95 %s; waiting for a place mean %s, p95 %s",
		rate(c.Concurrency.Mean), whole(c.Concurrency.P95), rate(c.Waiting.Mean), whole(c.Waiting.P95)))
}

// contexts writes what the figures of both sides of a comparison must be read with.
func (b *builder) contexts(c *reports.Compare) {
	b.section("context", "read these figures with")
	g := Table{Columns: []Column{{Text: true}, {Head: "base", Text: true, Flex: true}, {Head: "new", Text: true, Flex: true}}}
	var neither []string
	for _, r := range c.ContextRows() {
		if r.Base == "" && r.New == "" {
			neither = append(neither, r.Name)
			continue
		}
		row := []string{r.Name, r.Base, r.New}
		for i := range row {
			if row[i] == "" {
				row[i] = unknown
			}
		}
		g.Rows = append(g.Rows, row)
	}
	if len(g.Rows) > 0 {
		b.table(g)
	}
	if neither != nil {
		b.hanging(Dim, "  ", "unknown on both sides: "+strings.Join(neither, ", "))
	}
	if len(c.Untold) > 0 {
		b.hanging(Dim, "  ", "whether the sides are alike in it cannot be told: "+strings.Join(c.Untold, "; "))
	}
}
