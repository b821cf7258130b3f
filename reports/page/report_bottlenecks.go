package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// confidenceWords say how sure a bottleneck is.
var confidenceWords = map[string]string{
	"dominates": "dominates", "leads": "leads", "describes": "here only", "too_few": "too few",
}

// reportBottlenecks writes the stages that make some requests slow, the largest first: all in
// one table, then each with what to look at, and at last what removing them would give.
func (b *builder) reportBottlenecks(d reports.Document) {
	list := d.Report.Bottlenecks
	if len(list) == 0 {
		b.styled(Plain, "none: no stage takes longer in some requests than in the usual ones by enough to be one")
	} else {
		list = shownOf(b, list, everything)
		b.bottleneckTable(d.Report, list)
		for _, x := range list {
			b.blank()
			b.bottleneck(d.Report, x)
		}
	}
	b.figureOf(helpFigure(d))
	b.figureOf(b.streamFigure(d))
}

// bottleneckTable sets the bottlenecks beside each other, in the order of what the slow requests
// spent in them.
func (b *builder) bottleneckTable(r *reports.Report, list []reports.Bottleneck) {
	var gains []int64
	shares := make([]float64, len(list))
	for i, x := range list {
		if x.GainNS != nil {
			gains = append(gains, *x.GainNS)
		}
		shares[i] = x.Share
	}
	u := reports.CommonUnit(gains...)
	gain := "gain of " + list[0].Q // which they have in common
	if len(gains) > 0 {
		gain += " " + u.Name
	}
	t := Table{ID: "bottleneck-list", Caption: "bottlenecks, by what the slow requests (" + list[0].Q + " and above) spent in them beyond the median request", Columns: []Column{
		{Head: "id", Text: true, Told: true}, {Head: "stage", Text: true}, {Head: "% of slow excess"}, {Head: "hit"}, {Head: "of"}, {Head: "excess request-s"}, {Head: "% of excess"},
		{Head: gain}, {Head: "confidence", Text: true}, {Head: timesWord(r) + "s"},
	}}
	percents := reports.Percents(shares)
	for i, x := range list {
		slow := absent
		if x.SlowShare != nil {
			slow = reports.Percent(*x.SlowShare)
		}
		t.Rows = append(t.Rows, []string{
			x.ID, stageOf(x), slow, reports.Integer(x.Hit), reports.Integer(x.Of), reports.Number(x.Excess), percents[i],
			formatted(u, x.GainNS), cmp.Or(confidenceWords[x.Confidence], x.Confidence), reports.Integer(x.Weeks),
		})
	}
	b.table(t)
	b.rest(Dim, len(list), len(r.Bottlenecks), "")
	if n := r.Lesser.N; n > 0 {
		b.styled(Dim, fmt.Sprintf("%s more, with %s %% of the excess together: bottlenecks are %s 5 %% or more of the excess of all or of the slow requests", reports.Integer(n), reports.Percent(r.Lesser.Share), b.bottleneckWords()))
	}
	b.styled(Dim, "excess: time in the stage beyond its median over all requests; hit: as few requests as hold 90 % of it; gain: what the percentile would fall by without it: arithmetic on these requests, no forecast, and gains do not add up")
}

// bottleneckWords say how many bottlenecks a report names: five, unless more were asked for.
func (b *builder) bottleneckWords() string {
	const usual = 5
	switch n := b.most(usual); {
	case n == everything:
		return "those of"
	case n > usual:
		return fmt.Sprintf("at most %s, of", reports.Integer(int64(n)))
	}
	return "at most five, of"
}

// timesWord is what the times of a report and those before are called.
func timesWord(r *reports.Report) string {
	if r.Week != nil {
		return "week"
	}
	return "time"
}

// stageOf names the stage of a bottleneck, with its detail.
func stageOf(x reports.Bottleneck) string {
	if x.Detail == "" {
		return x.Stage
	}
	return x.Stage + "/" + x.Detail
}

// bottleneck writes one entry. Its owner is for a person to fill in.
func (b *builder) bottleneck(r *reports.Report, x reports.Bottleneck) {
	b.add(Labelled{ID: b.id("bottleneck-" + slugAll(x.ID)), Tone: Strong, Label: x.ID + ": ", Text: x.Words})
	b.field("  scope", scopeOf(x))
	b.field("  window", windowOf(x))
	if x.GainNS != nil {
		b.field("  gain", fmt.Sprintf("%s would be %s less without it", x.Q, reports.Duration(*x.GainNS)))
	} else {
		b.field("  gain", "not known: too few requests for "+x.Q)
	}
	confidence := cmp.Or(confidenceWords[x.Confidence], x.Confidence)
	if x.Why != "" {
		confidence += ": " + x.Why
	}
	b.field("  confidence", confidence)
	if x.Weeks > 1 {
		text := plural(x.Weeks, timesWord(r)) + " in a row"
		if x.Since != "" {
			text += ", the first " + x.Since
		}
		b.field("  seen", text)
	}
	b.tracesOf(x)
	if x.Check != "" {
		b.field("  check", x.Check)
	}
	b.add(Blank{"owner of " + x.ID})
}

// scopeOf writes which requests a bottleneck is limited to.
func scopeOf(x reports.Bottleneck) string {
	var parts []string
	for _, f := range x.Scope {
		values := make([]string, len(f.Values))
		for i, v := range f.Values {
			values[i] = reports.FieldText(f.Field, v)
		}
		parts = append(parts, f.Field+" "+strings.Join(values, ", "))
	}
	if parts == nil {
		return "all requests"
	}
	return strings.Join(parts, "; ")
}

// windowOf writes the time in which most of the excess of a bottleneck is.
func windowOf(x reports.Bottleneck) string {
	length := reports.Period(x.ToNS - x.FromNS)
	switch {
	case x.From != "" && x.To != "":
		if x.ToNS <= x.FromNS {
			return "at " + stampOf(wall, x.FromNS, 0) + ", with 90 % of the excess"
		}
		return fmt.Sprintf("%s to %s, %s, with 90 %% of the excess", stampOf(wall, x.FromNS, 0), stampOf(wall, x.ToNS, 0), length)
	case x.ToNS > x.FromNS:
		return length + ", with 90 % of the excess, on a clock without dates"
	}
	return "not known: the requests have no times"
}

// tracesOf writes requests to look at; one that is an example of several things once.
func (b *builder) tracesOf(x reports.Bottleneck) {
	label := "  traces"
	for i := 0; i < len(x.Exemplars); {
		ref, roles := x.Exemplars[i], []string{}
		for ; i < len(x.Exemplars) && x.Exemplars[i] == ref; i++ {
			if len(x.Exemplars) == len(exemplarRoles) {
				roles = append(roles, exemplarRoles[i])
			}
		}
		text := fmt.Sprintf("%s, %s", ref.TraceID, reports.Duration(ref.NS))
		if len(roles) > 0 {
			text += " (" + strings.Join(roles, ", ") + " by excess)"
		}
		b.field(label, text)
		label = ""
	}
}

// exemplarRoles say what the traces of a bottleneck are examples of: the requests hit, in the
// order of their excess in it, which is not that of how long they took.
var exemplarRoles = []string{"typical", "p99", "worst"}

// stateWords say what became of a bottleneck of the report before.
var stateWords = map[string]string{"gone": "gone", "same": "~ same", "worse": "▲ worse", "better": "▼ better", "unknown": "unknown"}

// reportOpenItems writes what became of the bottlenecks of the report before.
func (b *builder) reportOpenItems(d reports.Document) {
	r := d.Report
	if len(r.OpenItems) == 0 {
		b.styled(Plain, "none: the report before had no bottleneck")
		return
	}
	t := Table{ID: "open-item-list", Caption: "bottlenecks of the report before, and the excess in request-seconds", Columns: []Column{
		{Head: "id", Text: true, Told: true}, {Head: "state", Text: true}, {Head: "before"}, {Head: "now"}, {Head: "what", Text: true, Below: true}, {Head: "why", Text: true, Below: true},
	}}
	for _, x := range r.OpenItems {
		t.Rows = append(t.Rows, []string{x.ID, cmp.Or(stateWords[x.State], x.State), reports.Number(x.Before), rateIn(x.Now), x.Words, x.Why})
	}
	b.table(t)
}
