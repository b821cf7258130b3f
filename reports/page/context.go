package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// contextLines writes the part of a context that a report does not tell elsewhere: what is known
// first, then the names of what is not.
func (b *builder) contextLines(c reports.Context) {
	b.section("context", "read these figures with")
	window := unknown
	if c.WindowNS != nil {
		window = reports.Period(*c.WindowNS)
	}
	var missing []string
	line := func(label string, facts ...fact) {
		var parts []string
		for _, f := range facts {
			if f.value == unknown {
				missing = append(missing, f.name)
				continue
			}
			parts = append(parts, fmt.Sprintf(cmp.Or(f.as, f.name+" %s"), f.value))
		}
		if parts != nil {
			b.labelled(label, strings.Join(parts, "; "))
		}
	}
	line("seen", fact{"seen from", "from %s", named(c.Vantage)}, fact{name: "window", value: window}, fact{"n", "n = %s with failed requests", whole(c.N)},
		fact{name: "sampling", value: named(c.Sampling)}, fact{name: "load", value: named(c.LoadMode)})
	line("system", fact{name: "model", value: named(c.Model)}, fact{name: "engine", value: named(c.Engine)}, fact{name: "engine version", value: named(c.EngineVersion)},
		fact{name: "GPU type", value: named(c.GPUType)}, fact{name: "number of GPUs", value: whole(c.GPUCount)}, fact{name: "replicas", value: whole(c.Replicas)})
	line("lengths", fact{name: "prompt tokens", value: pair("p50", whole(c.InputTokens.P50), whole(c.InputTokens.P95))},
		fact{name: "output tokens", value: pair("p50", whole(c.OutputTokens.P50), whole(c.OutputTokens.P95))}, fact{name: "cache hits", value: shareOf(c.CacheHit)})
	line("concurrency", fact{name: "in flight", value: pair("mean", rate(c.Concurrency.Mean), whole(c.Concurrency.P95))},
		fact{name: "waiting for a place", value: pair("mean", rate(c.Waiting.Mean), whole(c.Waiting.P95))})
	if missing != nil {
		b.labelled("unknown", strings.Join(missing, ", "))
	}
}

// fact is something that figures must be read with, and how it is said.
type fact struct{ name, as, value string }

// pair writes a middle and the p95 of what requests ask for or meet; it is unknown if both are.
func pair(of, middle, p95 string) string {
	if middle == unknown && p95 == unknown {
		return unknown
	}
	return of + " " + middle + ", p95 " + p95
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
