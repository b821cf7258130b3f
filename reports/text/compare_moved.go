package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// moved writes which stages the change comes from: what each adds to the change of the
// mean and of two percentiles, and its mean in every band. Only latencies with parts have
// them; the duration has, and others that the verdict is about or when asked for.
func (p *page) moved(c *reports.Compare, why *reasons) {
	for i, m := range c.Metrics {
		if m.Mean == nil || len(m.Mean.Parts) == 0 || i > 0 && m.Metric != c.Verdict.Metric && !p.o.Verbose {
			continue
		}
		order := partOrder(c, m)
		p.contributions(c, m, order, why)
		p.bandChanges(m, order, why)
		for _, b := range m.Blind {
			p.hanging(dim, "  ", fmt.Sprintf("%s: not recorded in %s; mean %s on the other side, while %s are unattributed here", b.Stage, b.Side,
				reports.Duration(b.SeenNS), reports.Duration(b.UnattributedNS)))
		}
	}
}

// partOrder returns the parts that took any time in any table, the largest contribution to the change
// at the percentile of the verdict first, else to that of the mean.
func partOrder(c *reports.Compare, m reports.MetricChange) (order []int) {
	by := m.Mean.Parts
	for _, a := range m.At {
		if a.P == c.Verdict.P {
			by = a.Parts
		}
	}
	for i, part := range m.Mean.Parts {
		if anyTime(m, i) || always(part.Part) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(absolute(by[b].DifferenceNS), absolute(by[a].DifferenceNS))
	})
	return order
}

// anyTime reports whether a part took any time anywhere: what is a fraction of a nanosecond
// in the mean of all may be more in a band.
func anyTime(m reports.MetricChange, part int) bool {
	took := func(s reports.ChangeSplit) bool { return s.Parts[part].BaseNS != 0 || s.Parts[part].NewNS != 0 }
	return took(*m.Mean) ||
		slices.ContainsFunc(m.At, func(a reports.ChangeAt) bool { return took(a.ChangeSplit) }) ||
		slices.ContainsFunc(m.Bands, func(b reports.ChangeBand) bool { return took(b.ChangeSplit) })
}

func absolute(ns int64) int64 { return max(ns, -ns) }

// contributions writes what each part adds to the change.
func (p *page) contributions(c *reports.Compare, m reports.MetricChange, order []int, why *reasons) {
	type of struct {
		head  string
		split reports.ChangeSplit
	}
	shown := []of{{"mean", *m.Mean}}
	for i, a := range m.At {
		if a.Ample && (i == 0 || i == len(m.At)-1 || a.P == c.Verdict.P) {
			shown = append(shown, of{a.P, a.ChangeSplit})
		}
	}
	var all []int64
	for _, s := range shown {
		for _, part := range append([]reports.PartChange{s.split.Total}, s.split.Parts...) {
			all = append(all, part.DifferenceNS)
			if part.LowNS != nil && part.HighNS != nil {
				all = append(all, *part.LowNS, *part.HighNS)
			}
		}
	}
	u := reports.CommonUnit(all...)
	p.title(fmt.Sprintf("what moved %s: %s that each stage adds to the change; they add up to it %s", m.Metric, u.Name, mark(p.notes+1)))
	notes := []note{{"harrell-davis", "percentiles here are means over the requests around the rank: near the percentile above, and not it; " + same + ": does not stand out from chance"}}
	g := grid{columns: []column{{text: true}}}
	for _, i := range order {
		g.rows = append(g.rows, []string{m.Mean.Parts[i].Part})
	}
	g.rows = append(g.rows, []string{"total"})
	for _, s := range shown {
		g.columns = append(g.columns, column{head: s.head}, column{head: "95 %" + why.mark(p, &notes, ofSplit(s.split)...), join: true}, column{text: true, join: true})
		whole := u.Steps(s.split.Total.DifferenceNS)
		parts := make([]int64, len(s.split.Parts))
		for i, part := range s.split.Parts {
			parts[i] = part.DifferenceNS
		}
		steps := u.Split(parts, whole)
		for at, i := range order {
			g.rows[at] = append(g.rows[at], changeCells(u, s.split.Parts[i], steps[i])...)
		}
		g.rows[len(order)] = append(g.rows[len(order)], changeCells(u, s.split.Total, whole)...)
	}
	p.table(g)
	p.footnotes(notes)
	p.none(withoutTime(m, order))
}

// withoutTime names the parts that no request has time in.
func withoutTime(m reports.MetricChange, order []int) (names []string) {
	for i, part := range m.Mean.Parts {
		if !slices.Contains(order, i) {
			names = append(names, part.Part)
		}
	}
	return names
}

// changeCells returns a difference, its interval, and the mark of one that does not stand
// out.
func changeCells(u reports.Unit, part reports.PartChange, steps int64) []string {
	value := u.Text(steps, part.DifferenceNS)
	if steps > 0 {
		value = "+" + value
	}
	bounds := absent
	if part.LowNS != nil && part.HighNS != nil {
		bounds = u.Format(*part.LowNS) + " to " + u.Format(*part.HighNS)
	}
	what := same
	if part.Stands {
		what = ""
	}
	return []string{value, bounds, what}
}

// bandChanges writes the mean of every part in every band on both sides.
func (p *page) bandChanges(m reports.MetricChange, order []int, why *reasons) {
	var all []int64
	var few []string
	for _, b := range m.Bands {
		if !b.Ample {
			few = append(few, fmt.Sprintf("%s has %s and %s requests", b.Band, reports.Integer(b.BaseN), reports.Integer(b.NewN)))
			continue
		}
		for _, part := range append([]reports.PartChange{b.Total}, b.Parts...) {
			all = append(all, part.BaseNS, part.NewNS)
		}
	}
	if all == nil {
		return
	}
	u := reports.CommonUnit(all...)
	title := fmt.Sprintf("where the time goes, by how long %s took: mean %s", m.Metric, u.Name)
	p.title(title + p.markOf(few != nil, 0))
	var notes []note
	if few != nil {
		notes = append(notes, note{tooFew, strings.Join(few, ", ") + "; means need ten on either side"})
	}
	for _, b := range m.Bands {
		if b.Ample {
			p.table(bandGrid(u, b, order, why.mark(p, &notes, ofSplit(b.ChangeSplit)...)))
		}
	}
	p.footnotes(notes)
}

// bandGrid is the table of one band, narrow enough for every terminal. missing marks why it
// has no intervals.
func bandGrid(u reports.Unit, b reports.ChangeBand, order []int, missing string) grid {
	g := grid{columns: []column{{head: b.Band, text: true, flex: true}, {head: "base"}, {head: "new", join: true}, {head: "difference", join: true}, {head: "95 %" + missing}, {text: true, join: true}}}
	base, new := make([]int64, len(b.Parts)), make([]int64, len(b.Parts))
	for i, part := range b.Parts {
		base[i], new[i] = part.BaseNS, part.NewNS
	}
	wholeBase, wholeNew := u.Steps(b.Total.BaseNS), u.Steps(b.Total.NewNS)
	baseSteps, newSteps := u.Split(base, wholeBase), u.Split(new, wholeNew)
	row := func(name string, part reports.PartChange, was, is int64) {
		g.rows = append(g.rows, append([]string{name, u.Text(was, part.BaseNS), u.Text(is, part.NewNS)}, changeCells(u, part, is-was)...))
	}
	for _, i := range order {
		row(b.Parts[i].Part, b.Parts[i], baseSteps[i], newSteps[i])
	}
	row("mean", b.Total, wholeBase, wholeNew)
	g.rows = append(g.rows, []string{"n", reports.Integer(b.BaseN), reports.Integer(b.NewN), "", "", ""})
	return g
}
