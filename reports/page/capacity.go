package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// capacity writes what the system carries within each objective, and what holds it up.
func (b *builder) capacity(c *reports.Capacity) {
	for _, w := range append(slices.Clone(c.Warnings), c.System.Warnings...) {
		b.hanging(Plain, "caveat: ", w.Text+" ("+w.ID+")")
	}
	b.blank()
	b.used(c.Population)
	b.errors(c.Population.ErrorRate)
	if c.Population.Used > 0 {
		b.systemLoad(&c.System)
		b.objectives(c.Objectives)
		for i := range c.Objectives {
			b.carried(&c.Objectives[i])
		}
		b.measures(c.Measures)
		b.system(c)
		b.decision(&c.System)
		b.outsideLoads(&c.System)
		b.interference(&c.System)
		b.alternatives(c.Alternatives)
		b.contextRecord(c.System.Context)
	}
	b.capacityLeftOut(c)
}

// outcomes are the words for what became of an objective.
var outcomes = map[string]string{"pass": "PASS", "fail": "FAIL", "inconclusive": "INCONCLUSIVE"}

// objectives writes the terms of all objectives, and how many requests met each as a whole.
func (b *builder) objectives(list []reports.Objective) {
	if len(list) == 0 {
		return
	}
	g := Table{Columns: []Column{
		{Head: "objective", Text: true, Flex: true, Told: true}, {Head: "observed"}, {Head: "95 %", Join: true}, {Head: "limit", Join: true},
		{Head: "met %"}, {Head: "95 %", Join: true}, {Head: "n"}, {Head: "outcome", Text: true}, {Head: "needs"},
	}}
	notes := objectiveNotes(list)
	for _, o := range list {
		indent := ""
		if len(o.Terms) > 1 {
			g.Rows = append(g.Rows, []string{o.Objective, "", "", "", "", "", "", outcomes[o.Outcome], ""})
			indent = "  "
		}
		for _, t := range o.Terms {
			g.Rows = append(g.Rows, append([]string{indent + t.Term}, termCells(t)...))
		}
	}
	b.section("objectives", "objectives "+mark(b.notes+1))
	b.table(g.without(g.empty()...))
	b.footnotes(notes)
	b.title("met in full: requests that kept every limit, each in one and the same request")
	for _, o := range list {
		b.hanging(Plain, "  - ", o.Objective+": "+goodWords(o))
	}
}

// termCells are the figures of a term.
func termCells(t reports.ObjectiveTerm) []string {
	observed, interval, limit := absent, "", ""
	if o := t.Observed; o != nil {
		if o.ValueNS != nil {
			observed = reports.Duration(*o.ValueNS)
		}
		interval = observedInterval(o)
		limit = t.Limits[0].Text()
	}
	met, bounds, n := absent, "", "0"
	if a := t.Attainment; a != nil {
		decimals := t.MetDecimals()
		met, n = reports.Met(a.Value, decimals), reports.Integer(a.N)
		if a.Low != nil && a.High != nil {
			bounds = reports.MetRange(*a.Low, *a.High, decimals)
		}
	}
	if t.Of != "" && t.Of != ofRequests {
		n += " " + t.Of
	}
	need := ""
	switch {
	case t.Need > 0:
		need = reports.Integer(t.Need)
	case t.Outcome == "inconclusive":
		need = absent
	}
	return []string{observed, interval, limit, met, bounds, n, outcomes[t.Outcome], need}
}

// ofRequests is what is counted where nothing else is said.
const ofRequests = "requests"

// observedInterval writes the interval of a percentile in the unit of its bounds.
func observedInterval(o *reports.Observed) string {
	switch {
	case o.ValueNS == nil || o.LowNS == nil && o.HighNS == nil:
		return ""
	case o.HighNS == nil:
		return ">= " + reports.Duration(*o.LowNS)
	case o.LowNS == nil:
		return "<= " + reports.Duration(*o.HighNS)
	}
	u := reports.CommonUnit(*o.LowNS, *o.HighNS)
	return u.Format(*o.LowNS) + "–" + u.Format(*o.HighNS) + " " + u.Name
}

// objectiveNotes say what the columns are, and what percentiles take that are not known.
func objectiveNotes(list []reports.Objective) []note {
	text := "bounds: an objective passes when the lower bound of what met it reaches the target, and fails when the upper one is below it; each bound of met % holds with 95 %, for independent requests"
	gaps, needs, weighted := false, false, false
	var few []string
	var doubts []note
	doubt := func(of string, list []reports.Warning) {
		for _, w := range list {
			// That requests are taken for independent is said of all bounds at once.
			if w.ID != independence {
				doubts = append(doubts, note{w.ID, of + ": " + w.Text})
			}
		}
	}
	for _, o := range list {
		if len(o.Terms) > 1 {
			doubt(o.Objective, o.Warnings)
		}
		for _, t := range o.Terms {
			doubt(t.Term, t.Warnings)
			weighted = weighted || t.Attainment.Weighted()
			gaps = gaps || t.Of != "" && t.Of != ofRequests
			needs = needs || t.Outcome == "inconclusive"
			if q := t.Observed; q != nil && q.ValueNS == nil && q.Need > 0 {
				few = append(few, fmt.Sprintf("%s needs %s and has %s", t.Term, reports.Integer(q.Need), reports.Integer(q.N)))
			}
		}
	}
	if gaps {
		text += "; of gaps, by resampling blocks of time"
	}
	if weighted {
		text += "; met % is that of all requests, kept or not, by their sampling weights, and n counts kept ones"
	}
	if needs {
		text += "; needs: how many in all would decide, if more were like these; " + absent + " when more of them would not"
	}
	notes := []note{{"", text}}
	if few != nil {
		notes = append(notes, note{tooFew, "too few for the percentile: " + strings.Join(few, ", ")})
	}
	return append(notes, doubts...)
}

// goodWords says how many requests met an objective as a whole.
func goodWords(o reports.Objective) string {
	text := "no request could be asked"
	if a := o.Attainment; a != nil {
		decimals := 2
		for _, t := range o.Terms {
			decimals = max(decimals, t.MetDecimals())
		}
		text = fmt.Sprintf("%s of %s: %s %%", reports.Integer(o.Good), plural(o.Asked, "request"), reports.Met(a.Value, decimals))
		if a.Weighted() {
			text += " by sampling weights"
		}
		if a.Low != nil && a.High != nil {
			text += fmt.Sprintf(" (95 %% each: %s)", reports.MetRange(*a.Low, *a.High, decimals))
		}
	}
	switch {
	case o.Goodput != nil:
		text += fmt.Sprintf(", %s good requests/s", reports.Number(*o.Goodput))
	case o.Attainment != nil:
		text += "; a rate of them is unknown: " + o.NoGoodput
	}
	if list := reasonWords(o.Undefined); list != "" {
		text += "; not asked: " + list
	}
	return text
}

// reasonWords lists how many there are for each reason; empty for none.
func reasonWords(list []reports.Count) string {
	var words []string
	for _, c := range list {
		words = append(words, fmt.Sprintf("%s (%s)", reports.Integer(c.N), c.Name))
	}
	return strings.Join(words, ", ")
}

// capacityLeftOut writes what the figures do not stand on.
func (b *builder) capacityLeftOut(c *reports.Capacity) {
	b.title("left out")
	b.excluded(c.Population)
	if n := c.System.Others; n > 0 {
		b.field("  clocks", plural(n, "request")+" on other clocks, or without times: in no rate and not in flight")
	}
	for _, o := range c.Objectives {
		for _, t := range o.Terms {
			if list := reasonWords(t.Undefined); list != "" {
				b.hanging(Plain, "  - ", t.Term+": "+list)
			}
		}
	}
	for _, x := range c.System.LeftOut {
		b.field("  system", reports.Integer(x.N)+" "+x.Name)
	}
}
