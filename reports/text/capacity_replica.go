package text

import (
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// engineTimes writes how long requests took at each engine, and how long its device took for
// the same piece of work: a replica that is slower shows there and nowhere else. One engine
// alone is set beside nothing.
func (p *page) engineTimes(list []reports.EngineLoad) {
	if len(list) < 2 && !p.o.Verbose {
		return
	}
	value := func(o reports.Observed) string {
		if o.ValueNS == nil {
			return ""
		}
		return reports.Duration(*o.ValueNS)
	}
	g := grid{columns: []column{{head: "engine", text: true, flex: true, told: true}, {head: "time of", text: true}, {head: "n"}, {head: "p50"}, {head: "bounds", join: true}, {head: "p99"}, {head: "bounds", join: true}}}
	for _, e := range list[:min(len(list), rowsOf)] {
		for i, t := range e.Times {
			name := ""
			if i == 0 {
				name = e.Name
			}
			g.rows = append(g.rows, []string{name, t.Of, reports.Integer(t.P50.N), value(t.P50), observedInterval(&t.P50), value(t.P99), observedInterval(&t.P99)})
		}
	}
	if len(g.rows) == 0 {
		return
	}
	p.title("replicas side by side")
	p.table(g.without(g.empty()...))
}

// engineVerdict writes what holds one engine up, with the numbers for and against it.
func (p *page) engineVerdict(e *reports.EngineLoad) {
	p.hanging(plain, "  - ", e.Name+": "+e.Words)
	for _, r := range e.Decision.Rows {
		if told := deciding(r); len(told) > 0 {
			p.hanging(dim, "    ", reports.SignatureText(r.Signature)+" "+speaks[r.Speaks]+": "+strings.Join(told, "; "))
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
