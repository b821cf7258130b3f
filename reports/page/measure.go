package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// measures writes the figures by other definitions than those of the report, and what each
// definition is.
func (b *builder) measures(m *reports.Measures) {
	if m == nil {
		return
	}
	b.measured(m.Values)
	b.byRules(m.Rules)
}

// mostFigures is how many columns of figures one table of measures has, with those of other
// rules, if it is of more than one measure.
const mostFigures = 6

// measured writes the measures, in tables that a page holds.
func (b *builder) measured(list []reports.Measure) {
	if len(list) == 0 {
		return
	}
	b.section("measures", "requests by other definitions, with 95 % intervals")
	var parts [][]reports.Measure
	figures, from := 0, 0
	for i, m := range list {
		if m.N == 0 {
			continue // its line below says why
		}
		if figures += 1 + len(m.Rules); figures > mostFigures && figures > 1+len(m.Rules) {
			parts = append(parts, list[from:i])
			from, figures = i, 1+len(m.Rules)
		}
	}
	for _, part := range append(parts, list[from:]) {
		b.measureTable(part, parts != nil)
	}
	b.measureNotes(list)
}

// measureTable writes a column, its intervals and those of other rules for every measure. One of
// several tables is named after its measures.
func (b *builder) measureTable(list []reports.Measure, several bool) {
	var ids []string
	g := Table{Columns: []Column{{Text: true}}}
	for _, q := range list[0].Percentiles {
		g.Rows = append(g.Rows, []string{q.P})
	}
	g.Rows = append(g.Rows, []string{"mean"}, []string{"n"})
	for _, m := range list {
		if m.N == 0 {
			continue
		}
		ids = append(ids, m.ID)
		values := []*float64{}
		for _, q := range m.Percentiles {
			values = append(values, q.Value, q.Low, q.High)
		}
		if m.Mean != nil {
			values = append(values, &m.Mean.Value, m.Mean.Low, m.Mean.High)
		}
		unit, write := inUnitOf(m.Unit, values)
		g.Columns = append(g.Columns, Column{Head: m.ID + " " + unit}, Column{Head: "95 %", Join: true})
		rows := len(g.Rows)
		for i, q := range m.Percentiles {
			g.Rows[i] = append(g.Rows[i], cells(write, q.Value, q.Low, q.High)...)
		}
		// The bounds of other rules are the same.
		for _, r := range m.Rules {
			g.Columns = append(g.Columns, Column{Head: r.Rule})
		}
		mean := []string{absent, absent}
		if m.Mean != nil {
			mean = cells(write, &m.Mean.Value, m.Mean.Low, m.Mean.High)
			if m.Mean.Low == nil && m.Mean.High == nil {
				mean[1] = absent
			}
		}
		g.Rows[rows-2] = append(g.Rows[rows-2], mean...)
		g.Rows[rows-1] = append(g.Rows[rows-1], reports.Integer(m.N), "")
		for _, r := range m.Rules {
			for i, q := range r.Percentiles {
				g.Rows[i] = append(g.Rows[i], cells(write, q.Value, nil, nil)[0])
			}
			g.Rows[rows-2], g.Rows[rows-1] = append(g.Rows[rows-2], ""), append(g.Rows[rows-1], "")
		}
	}
	if several {
		g.Caption = strings.Join(ids, ", ")
	}
	if len(g.Columns) > 1 {
		b.table(g)
	}
}

// measureNotes writes what each measure is, and what is not known of it.
func (b *builder) measureNotes(list []reports.Measure) {
	var notes lacks
	for _, m := range list {
		b.hanging(Plain, "  - ", m.ID+": "+measureWords(m))
		if m.N == 0 {
			continue
		}
		notes.add(m.ID, m.Percentiles)
		for _, w := range m.Warnings {
			if !slices.Contains(notes.of[w.Text], m.ID) { // else it is all of the measure that lacks one
				notes.note(w.Text, "mean "+m.ID)
			}
		}
	}
	b.lacking(notes)
}

// inUnitOf returns the name of a unit for some values, and what writes them in it.
func inUnitOf(unit string, values []*float64) (name string, write func(float64) string) {
	if unit != "ns" {
		return unit, reports.Number
	}
	var whole []int64
	for _, v := range values {
		if v != nil {
			whole = append(whole, int64(math.Round(*v)))
		}
	}
	u := reports.CommonUnit(whole...)
	return u.Name, func(v float64) string { return u.Format(int64(math.Round(v))) }
}

// cells are a value and its interval; what is not known is absent.
func cells(write func(float64) string, value, low, high *float64) []string {
	if value == nil {
		return []string{absent, absent}
	}
	if low == nil && high == nil {
		return []string{write(*value), absent}
	}
	from, to := "0", "∞"
	if low != nil {
		from = write(*low)
	}
	if high != nil {
		to = write(*high)
	}
	return []string{write(*value), from + "–" + to}
}

// measureWords say what a measure is, what it is of, and what of it is not known.
func measureWords(m reports.Measure) string {
	words := m.Text
	if m.ID == "tpot" {
		words += "; tpot in the other tables is " + idOf(m.ID)
	}
	if m.Of != ofRequests {
		words += ", pooled"
		if m.N > 0 {
			words += "; of " + plural(m.Requests, "request")
		}
	}
	for _, u := range m.Undefined {
		words += fmt.Sprintf("; undefined in %s: %s", reports.Integer(u.N), u.Name)
	}
	if m.MeanForAll != nil {
		name, write := inUnitOf(m.Unit, []*float64{m.MeanForAll})
		words += "; mean of all requests, kept or not: " + write(*m.MeanForAll) + " " + name
	}
	return words
}

// lacks are what is not known of figures: which percentiles need more values, and why there
// is no interval, by reason.
type lacks struct {
	needs, reasons []string
	of             map[string][]string
}

// note notes a reason for a figure.
func (l *lacks) note(reason, figure string) {
	if l.of == nil {
		l.of = map[string][]string{}
	}
	if l.of[reason] == nil {
		l.reasons = append(l.reasons, reason)
	}
	if !slices.Contains(l.of[reason], figure) {
		l.of[reason] = append(l.of[reason], figure)
	}
}

// add notes what the percentiles of a figure lack.
func (l *lacks) add(figure string, list []reports.MeasurePercentile) {
	for _, q := range list {
		for _, w := range q.Warnings {
			need := q.P + " needs " + reports.Integer(q.Need)
			switch {
			case w.ID == tooFew && !slices.Contains(l.needs, need):
				l.needs = append(l.needs, need)
			case w.ID == "no-interval":
				l.note(w.Text, figure)
			}
		}
	}
}

// lacking writes what figures lack.
func (b *builder) lacking(l lacks) {
	if len(l.needs) > 0 {
		b.hanging(Dim, "  ", absent+" too few: "+strings.Join(l.needs, ", "))
	}
	for _, reason := range l.reasons {
		b.hanging(Dim, "  ", strings.Join(l.of[reason], ", ")+": "+reason)
	}
}

// byRules writes the percentiles of the report by other rules.
func (b *builder) byRules(list []reports.ByRule) {
	if len(list) == 0 {
		return
	}
	g := Table{Columns: []Column{{Text: true}}}
	for _, q := range list[0].Percentiles {
		g.Rows = append(g.Rows, []string{q.P})
	}
	g.Rows = append(g.Rows, []string{"n"})
	b.section("rules", "percentiles by other rules, with the 95 % intervals of the percentiles")
	var rules []reports.ByRule
	for _, r := range list {
		if !slices.ContainsFunc(rules, func(o reports.ByRule) bool { return o.Rule == r.Rule }) {
			rules = append(rules, r)
		}
		if r.N == 0 && r.Metric != "duration" {
			continue
		}
		values := []*float64{}
		for _, q := range r.Percentiles {
			values = append(values, q.Value, q.Low, q.High)
		}
		unit, write := inUnitOf("ns", values)
		g.Columns = append(g.Columns, Column{Head: r.Rule + " " + idOf(r.Metric) + " " + unit}, Column{Head: "95 %", Join: true})
		for i, q := range r.Percentiles {
			g.Rows[i] = append(g.Rows[i], cells(write, q.Value, q.Low, q.High)...)
		}
		g.Rows[len(g.Rows)-1] = append(g.Rows[len(g.Rows)-1], reports.Integer(r.N), "")
	}
	b.table(g)
	for _, r := range rules {
		b.hanging(Plain, "  - ", r.Rule+": "+r.Text+", of n values in order")
	}
	var notes lacks
	for _, r := range list {
		if r.N > 0 {
			notes.add(r.Metric, r.Percentiles)
		}
	}
	b.lacking(notes)
}

// idOf is the id of the definition of a figure of the report.
func idOf(metric string) string {
	if metric == "tpot" {
		return "tpot_to_end"
	}
	return metric
}

// requestMeasures writes how a request ended, its tokens and its measures.
func (b *builder) requestMeasures(r reports.Request) {
	b.field("outcome", outcomeWords(r))
	var parts []string
	undefined := map[string][]string{}
	var reasons []string
	without := func(id, why string) {
		if undefined[why] == nil {
			reasons = append(reasons, why)
		}
		undefined[why] = append(undefined[why], id)
	}
	for _, m := range r.Measures {
		switch {
		case m.Value == nil:
			without(m.ID, m.Undefined)
		case m.Unit == "ns":
			parts = append(parts, m.ID+" "+reports.Duration(int64(math.Round(*m.Value))))
		default:
			parts = append(parts, m.ID+" "+reports.Number(*m.Value)+" "+m.Unit)
		}
	}
	for _, g := range r.Gaps {
		if g.MeanNS == nil || g.MedianNS == nil || g.MostNS == nil {
			without(g.ID, g.Undefined)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s mean %s, median %s, longest %s (n = %s)", g.ID, reports.Duration(*g.MeanNS),
			reports.Duration(*g.MedianNS), reports.Duration(*g.MostNS), reports.Integer(g.N)))
	}
	for i, why := range reasons {
		text := strings.Join(undefined[why], ", ") + " (" + why + ")"
		if i == 0 {
			text = "undefined: " + text
		}
		parts = append(parts, text)
	}
	if len(parts) > 0 {
		b.field("measures", strings.Join(parts, "; "))
	}
}

// outcomeWords say how a request ended, in how many attempts, and how many tokens it had.
func outcomeWords(r reports.Request) string {
	number := func(n *int64) string {
		if n == nil {
			return "unknown"
		}
		return reports.Integer(*n)
	}
	return fmt.Sprintf("%s, %s; tokens: prompt %s, of it cached %s, output %s", r.Outcome, plural(r.Attempts, "attempt"),
		number(r.PromptTokens), number(r.CachedTokens), number(r.OutputTokens))
}
