package page

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
func (b *builder) moved(c *reports.Compare, why *reasons) {
	for i, m := range c.Metrics {
		if m.Mean == nil || len(m.Mean.Parts) == 0 || i > 0 && m.Metric != c.Verdict.Metric && !b.o.Verbose {
			continue
		}
		order := partOrder(c, m)
		b.contributions(c, m, order, why)
		b.bandChanges(m, order, why)
		for _, band := range m.Blind {
			b.hanging(Dim, "  ", fmt.Sprintf("%s: not recorded in %s; mean %s on the other side, while %s are unattributed here", band.Stage, band.Side,
				reports.Duration(band.SeenNS), reports.Duration(band.UnattributedNS)))
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
func (b *builder) contributions(c *reports.Compare, m reports.MetricChange, order []int, why *reasons) {
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
			if part.Judged() {
				all = append(all, *part.LowNS, *part.HighNS)
			}
		}
	}
	u := reports.CommonUnit(all...)
	b.section("moved-"+slug(m.Metric), fmt.Sprintf("what moved %s: %s that each stage adds to the change; they add up to it %s", m.Metric, u.Name, mark(b.notes+1)))
	notes := []note{{"harrell-davis", "percentiles here are means over the requests around the rank: near the percentile above, and not it"}}
	g := Table{Columns: []Column{{Text: true}}}
	for _, i := range order {
		g.Rows = append(g.Rows, []string{m.Mean.Parts[i].Part})
	}
	g.Rows = append(g.Rows, []string{"total"})
	for _, s := range shown {
		g.Columns = append(g.Columns, Column{Head: s.head}, Column{Head: "95 %" + why.mark(b, &notes, ofSplit(s.split)...), Join: true}, Column{Text: true, Join: true})
		whole := u.Steps(s.split.Total.DifferenceNS)
		parts := make([]int64, len(s.split.Parts))
		for i, part := range s.split.Parts {
			parts[i] = part.DifferenceNS
		}
		steps := u.Split(parts, whole)
		for at, i := range order {
			g.Rows[at] = append(g.Rows[at], changeCells(u, s.split.Parts[i], steps[i])...)
		}
		g.Rows[len(order)] = append(g.Rows[len(order)], changeCells(u, s.split.Total, whole)...)
	}
	b.table(g)
	if slices.ContainsFunc(g.Rows, func(row []string) bool { return slices.Contains(row, same) }) {
		notes[0].text += "; " + same + ": does not stand out from chance"
	}
	b.footnotes(notes)
	b.none(withoutTime(m, order))
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

// changeCells returns a difference, its interval, and the mark of one that by this does not stand
// out.
func changeCells(u reports.Unit, part reports.PartChange, steps int64) []string {
	value := u.Text(steps, part.DifferenceNS)
	if steps > 0 {
		value = "+" + value
	}
	bounds := absent
	if part.Judged() {
		bounds = u.Format(*part.LowNS) + " to " + u.Format(*part.HighNS)
	}
	what := ""
	if part.Judged() && !part.Stands {
		what = same
	}
	return []string{value, bounds, what}
}

// bandChanges writes the mean of every part in every band on both sides.
func (b *builder) bandChanges(m reports.MetricChange, order []int, why *reasons) {
	var all []int64
	var few []string
	for _, band := range m.Bands {
		if !band.Ample {
			few = append(few, fmt.Sprintf("%s has %s and %s requests", band.Band, reports.Integer(band.BaseN), reports.Integer(band.NewN)))
			continue
		}
		for _, part := range append([]reports.PartChange{band.Total}, band.Parts...) {
			all = append(all, part.BaseNS, part.NewNS)
		}
	}
	if all == nil {
		return
	}
	u := reports.CommonUnit(all...)
	title := fmt.Sprintf("where the time goes, by how long %s took: mean %s", m.Metric, u.Name)
	id := "bands-" + slug(m.Metric)
	b.section(id, title+b.markOf(few != nil, 0))
	var notes []note
	if few != nil {
		notes = append(notes, note{tooFew, strings.Join(few, ", ") + "; means need ten on either side"})
	}
	for _, band := range slices.Backward(m.Bands) { // of the slowest that has a table
		if band.Ample {
			b.silently(bandChangeFigure(m, band, order))
			break
		}
	}
	for _, band := range m.Bands {
		if band.Ample {
			t := bandGrid(u, band, order, why.mark(b, &notes, ofSplit(band.ChangeSplit)...))
			t.ID, t.Caption = id+"-"+slugAll(band.Band), band.Band
			b.table(t)
		}
	}
	b.footnotes(notes)
}

// bandGrid is the table of one band, narrow enough for every terminal. missing marks why it
// has no intervals.
func bandGrid(u reports.Unit, b reports.ChangeBand, order []int, missing string) Table {
	g := Table{Columns: []Column{{Head: b.Band, Text: true, Flex: true}, {Head: "base"}, {Head: "new", Join: true}, {Head: "difference", Join: true}, {Head: "95 %" + missing}, {Text: true, Join: true}}}
	base, new := make([]int64, len(b.Parts)), make([]int64, len(b.Parts))
	for i, part := range b.Parts {
		base[i], new[i] = part.BaseNS, part.NewNS
	}
	wholeBase, wholeNew := u.Steps(b.Total.BaseNS), u.Steps(b.Total.NewNS)
	baseSteps, newSteps := u.Split(base, wholeBase), u.Split(new, wholeNew)
	row := func(name string, part reports.PartChange, was, is int64) {
		g.Rows = append(g.Rows, append([]string{name, u.Text(was, part.BaseNS), u.Text(is, part.NewNS)}, changeCells(u, part, is-was)...))
	}
	for _, i := range order {
		row(b.Parts[i].Part, b.Parts[i], baseSteps[i], newSteps[i])
	}
	row("mean", b.Total, wholeBase, wholeNew)
	g.Rows = append(g.Rows, []string{"n", reports.Integer(b.BaseN), reports.Integer(b.NewN), "", "", ""})
	return g
}
