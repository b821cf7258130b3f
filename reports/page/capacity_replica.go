package page

import (
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// engineTimes writes how long requests took at each engine, and how long its device took for
// the same piece of work: a replica that is slower shows there and nowhere else. One engine
// alone is set beside nothing.
func (b *builder) engineTimes(list []reports.EngineLoad) {
	if len(list) < 2 && !b.o.Verbose {
		return
	}
	value := func(o reports.Observed) string {
		if o.ValueNS == nil {
			return ""
		}
		return reports.Duration(*o.ValueNS)
	}
	g := Table{Columns: []Column{{Head: "engine", Text: true, Flex: true, Told: true}, {Head: "time of", Text: true}, {Head: "n"}, {Head: "p50"}, {Head: "bounds", Join: true}, {Head: "p99"}, {Head: "bounds", Join: true}}}
	for _, e := range shownOf(b, list, rowsOf) {
		for i, t := range e.Times {
			name := ""
			if i == 0 {
				name = e.Name
			}
			g.Rows = append(g.Rows, []string{name, t.Of, reports.Integer(t.P50.N), value(t.P50), observedInterval(&t.P50), value(t.P99), observedInterval(&t.P99)})
		}
	}
	if len(g.Rows) == 0 {
		return
	}
	b.title("replicas side by side")
	b.table(g.without(g.empty()...))
}

// engineVerdict writes what holds one engine up, with the numbers for and against it.
func (b *builder) engineVerdict(e *reports.EngineLoad) {
	b.hanging(Plain, "  - ", e.Name+": "+e.Words)
	for _, r := range e.Decision.Rows {
		if told := deciding(r); len(told) > 0 {
			b.hanging(Dim, "    ", reports.SignatureText(r.Signature)+" "+speaks[r.Speaks]+": "+strings.Join(told, "; "))
		}
		if r.Speaks == "for" {
			break // nothing after it is asked
		}
	}
}

// deciding returns the numbers of a row that say what the row says: of one that speaks for its
// signature, those of a sign all of whose figures do.
func deciding(r reports.DecisionRow) (told []string) {
	doubted := map[int64]bool{}
	for _, f := range r.Figures {
		doubted[f.Sign] = doubted[f.Sign] || f.Says != "for"
	}
	for _, f := range r.Figures {
		if f.Says == r.Speaks && (r.Speaks != "for" || !doubted[f.Sign]) {
			told = append(told, f.Text()+" "+f.Found()+", "+f.For()+" speaks for it, n = "+f.Counted())
		}
	}
	return told
}
