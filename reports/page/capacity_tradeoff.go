package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// interference writes what prefills cost those who decode, and how the time to the first token
// and the gaps between tokens go against each other.
func (b *builder) interference(s *reports.System) {
	b.section("prefills", "prefills against tokens of others")
	if st := &s.Interference; st.Requests == 0 {
		b.hanging(Plain, "  ", "stalls cannot be told: no instants of tokens are recorded, or too few of each request")
	} else {
		b.hanging(Plain, "  ", st.Verdict.Sentence)
		shown := shownOf(b, st.Engines, b.unless(enginesStalled))
		for _, e := range shown {
			b.hanging(Plain, "  - ", stallEngine(e)+stallOdds(e))
		}
		b.rest(Dim, len(shown), len(st.Engines), "and "+plural(int64(len(st.Engines)-len(shown)), "engine"))
	}
	if s.Refused == "" {
		b.tradeoff(s)
	}
}

// enginesStalled is how many engines have a line of their stalls by default.
const enginesStalled = 4

// stallOdds says how sure it is that stalls at an engine go with prefills.
func stallOdds(e reports.StallEngine) string {
	if e.Stalls == 0 {
		return ""
	}
	text := fmt.Sprintf("; P by shifted prefills %s", reports.Number(e.Adjusted))
	if e.Odds != nil {
		text = fmt.Sprintf("; odds ratio %s", reports.Number(*e.Odds)) + text
	}
	return text
}

// tradeoff writes the correlations over windows, and the windows in which one got better and
// the other worse.
func (b *builder) tradeoff(s *reports.System) {
	t := &s.Tradeoff
	if t.Why != "" {
		b.labelled("trade-off", "cannot say: "+t.Why)
		return
	}
	text := fmt.Sprintf("P95 of ttft and of %s in %s of %s", t.Metric, plural(t.Measured, "window"), reports.Period(t.WindowNS))
	if t.Substituted != "" {
		text += fmt.Sprintf(" (%s and not gaps: %s)", t.Metric, t.Substituted)
	}
	if t.NoPrefill != "" {
		text += "; prefilled tokens unknown: " + t.NoPrefill
	}
	b.labelled("trade-off", text)
	for _, c := range t.Correlations {
		b.hanging(Plain, "  - ", correlationWords(&c))
	}
	if t.Better+t.Worse == 0 {
		b.hanging(Plain, "  ", fmt.Sprintf("in none of %s did one get better and the other worse by more than chance", plural(t.Judged, "window")))
	} else {
		b.hanging(Plain, "  ", fmt.Sprintf("of %s, %s had ttft improved and %s worse, and %s the reverse, by more than chance", plural(t.Judged, "window"), reports.Integer(t.Better), t.Metric, reports.Integer(t.Worse)))
		b.moves(t, s.FromNS)
	}
	if b.o.Verbose {
		b.hanging(Dim, "  ", "rule: "+t.Rule)
	}
}

// movesShown is how many windows have a row by default.
const movesShown = 3

func (b *builder) moves(t *reports.Tradeoff, from int64) {
	list := shownOf(b, t.Moves, b.unless(movesShown))
	g := Table{Columns: []Column{{Head: "from", Text: true}, {Head: "ttft p95"}, {Head: "before"}, {Head: t.Metric + " p95"}, {Head: "before"}, {Head: "prefilled tokens/s"}, {Head: "before"}}}
	known := func(v *float64) string {
		if v == nil {
			return ""
		}
		return reports.Number(*v)
	}
	for _, m := range list {
		g.Rows = append(g.Rows, []string{
			since(m.FromNS - from), reports.Duration(m.TTFT), reports.Duration(m.TTFTBefore), reports.Duration(m.Gap), reports.Duration(m.GapBefore),
			known(m.PrefillRate), known(m.RateBefore),
		})
	}
	b.table(g.without(g.empty()...))
	all := t.Better + t.Worse
	b.rest(Dim, len(list), int(all), "and "+plural(all-int64(len(list)), "window"))
}

// correlationWords writes a rank correlation.
func correlationWords(c *reports.TradeoffCorrelation) string {
	name := strings.ReplaceAll(c.Of, "_", " ") + " with " + c.With
	if c.Rho == nil {
		text := name + ": unknown"
		for _, w := range c.Warnings {
			text += ", " + w.Text
		}
		return text
	}
	text := fmt.Sprintf("%s: rho %s", name, reports.Number(c.Rho.Value))
	if c.Rho.Low == nil || c.Rho.High == nil {
		for _, w := range c.Warnings {
			text += ", " + w.Text
		}
		return text
	}
	return text + fmt.Sprintf(" (95 %%: %s to %s; P %s, n = %s worth %s)",
		reports.Number(*c.Rho.Low), reports.Number(*c.Rho.High), reports.Number(c.P), plural(c.Rho.N, "window"), reports.Number(c.Effective))
}
