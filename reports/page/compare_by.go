package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// changeBy writes what became of every group of requests, and under it the percentiles of those
// that were compared.
func (b *builder) changeBy(by *reports.CompareBy) {
	if by == nil {
		return
	}
	shown := shownOf(b, by.Groups, byGroups)
	b.section("by", "by "+strings.Join(by.Keys, " and ")+", new against base "+mark(b.notes+1))
	b.hanging(Plain, "", by.Sentence)
	notes := []note{{"false-alarms", fmt.Sprintf("bounded as the rule says over all groups that can be judged, %s of them, shown or not", reports.Integer(by.Judged))}}
	if by.Judged == 0 {
		notes[0] = note{tooFew, "no group can be judged"}
	}
	for _, k := range by.Alone {
		other := map[string]string{"base": "new", "new": "base"}[k.Side]
		b.hanging(Plain, "  ", fmt.Sprintf("%s is recorded in %s alone: no request of %s has a value", k.Key, k.Side, other))
	}
	names := groupNamesOf(by, shown)
	b.groupSizes(by, shown, names, &notes)
	b.footnotes(notes)
	b.groupPercentiles(by, shown, names)
	b.groupsAdded(shown, by.Ordered, names)
}

// groupSizes writes how many requests each group has on both sides, and what became of it.
func (b *builder) groupSizes(by *reports.CompareBy, shown []reports.ComparedRows, names *groupNames, notes *[]note) {
	t := Table{ID: "by-groups", Caption: "what became of each group", Columns: names.columns(Column{Head: "base n"}, Column{Head: "%", Join: true}, Column{Head: "new n"}, Column{Head: "%", Join: true}, Column{Text: true})}
	few, other := 0, 0
	for i, g := range shown {
		words := g.Words
		switch {
		case g.Kind == "too_few" && len(g.Percentiles) > 0:
			if few == 0 {
				*notes = append(*notes, note{tooFew, fmt.Sprintf("%s takes %s requests on either side", g.P, reports.Integer(g.Percentiles[0].Need))})
				few = b.notes + len(*notes)
			}
			words += " " + mark(few)
		case len(g.Shifted) > 0 && g.Part != "":
			if other == 0 {
				*notes = append(*notes, note{"other-requests", "what requests of the group ask for changed, which may be why"})
				other = b.notes + len(*notes)
			}
			words += " " + mark(other)
		}
		t.Rows = append(t.Rows, names.row("", i, true, reports.Integer(g.BaseN), shareCell(g.BaseShare), reports.Integer(g.NewN), shareCell(g.NewShare), words))
	}
	rest := by.Other
	for _, g := range by.Groups[len(shown):] {
		rest.BaseN, rest.NewN = rest.BaseN+g.BaseN, rest.NewN+g.NewN
	}
	if left := by.OtherGroups + int64(len(by.Groups)-len(shown)); left > 0 {
		row := names.row("", -1, false, reports.Integer(rest.BaseN), "", reports.Integer(rest.NewN), "", "")
		row[0] = reports.Integer(left) + " more"
		t.Rows = append(t.Rows, row)
	}
	b.table(t)
	b.rest(Dim, len(shown), len(by.Groups)+int(by.OtherGroups), "")
	if by.Shifted {
		b.hanging(Plain, "  ", fmt.Sprintf("the shares of the groups changed (%s bits apart): that alone changes figures of all requests", reports.Number(by.Divergence)))
	}
	for _, band := range by.Bands {
		b.hanging(Dim, "  ", fmt.Sprintf("%s has %s values, and is put into bands", band.Key, reports.Integer(band.Values)))
	}
}

// addedCells are the time that the change of a group made, its interval, and the mark of one that
// does not stand out.
func addedCells(u reports.Unit, g reports.ComparedRows) (value, bounds, what string) {
	if !judged(g.AddedNS) {
		return "", "", ""
	}
	if value = u.Format(int64(g.AddedNS.Value)); g.AddedNS.Value > 0 {
		value = "+" + value
	}
	if !g.Stands {
		what = same
	}
	return value, u.Format(int64(*g.AddedNS.Low)) + " to " + u.Format(int64(*g.AddedNS.High)), what
}

// addedUnit is the unit that the times which the changes of groups made are written in; false where
// there are none.
func addedUnit(shown []reports.ComparedRows) (reports.Unit, bool) {
	var added []int64
	for _, g := range shown {
		if judged(g.AddedNS) {
			added = append(added, int64(g.AddedNS.Value), int64(*g.AddedNS.Low), int64(*g.AddedNS.High))
		}
	}
	return reports.CommonUnit(added...), added != nil
}

// judged reports whether a figure is there, and has an interval.
func judged(f *reports.Figure) bool { return f != nil && f.Low != nil && f.High != nil }

// groupPercentiles writes the percentiles of the groups of which one can be judged.
func (b *builder) groupPercentiles(by *reports.CompareBy, shown []reports.ComparedRows, names *groupNames) {
	var values []int64
	for _, g := range shown {
		for _, q := range b.percentilesShown(g) {
			for _, v := range []*int64{q.BaseNS, q.NewNS} {
				if v != nil {
					values = append(values, *v)
				}
			}
		}
	}
	if values == nil {
		return
	}
	u := reports.CommonUnit(values...)
	t := Table{ID: "by-percentiles", Caption: "how long requests of each group took", Columns: names.columns(
		Column{Head: "base " + u.Name}, Column{Head: "new", Join: true}, Column{Head: "ratio"}, Column{Head: "95 %", Join: true}, Column{Text: true, Join: true},
	)}
	var notes []note
	few, here := b.groupNotes(shown, &notes)
	why := &reasons{by.NoIntervals, map[string]int{}}
	for i, g := range shown {
		for k, q := range b.percentilesShown(g) {
			marks := ""
			switch q.Outcome {
			case "too_few":
				marks = b.markOf(few >= 0, few)
			case "describes":
				marks = b.markOf(here >= 0, here)
			}
			marks += why.mark(b, &notes, withoutInterval(q, false)...)
			cells := percentileCells(u, q, marks)[:6]
			t.Rows = append(t.Rows, names.row(cells[0]+" ", i, k == 0, cells[1:]...))
		}
	}
	b.table(t)
	b.footnotes(notes)
}

// groupsAdded writes the time that the change of each group made, of those whose percentiles are
// shown.
func (b *builder) groupsAdded(shown []reports.ComparedRows, ordered bool, names *groupNames) {
	u, is := addedUnit(shown)
	if !is {
		return
	}
	t := Table{ID: "by-added", Caption: "what time the change of each group made", Columns: names.columns(Column{Head: "added " + u.Name}, Column{Head: "95 %", Join: true}, Column{Text: true, Join: true})}
	for i, g := range shown {
		if value, bounds, what := addedCells(u, g); value != "" && len(b.percentilesShown(g)) > 0 {
			t.Rows = append(t.Rows, names.row("", i, true, value, bounds, what))
		}
	}
	if t.Rows == nil {
		return
	}
	t.Columns[len(t.Columns)-3].Head += " " + mark(b.notes+1)
	b.table(t)
	order := ", by which changed groups are in order"
	if ordered {
		order = ""
	}
	b.footnotes([]note{{"added", "the change of the mean times the requests of new" + order + "; " + same + ": nothing that counts"}})
}

// percentilesShown returns the percentiles of a group that have a row; none where no percentile of
// the group can be judged.
func (b *builder) percentilesShown(g reports.ComparedRows) (out []reports.PercentileChange) {
	ample := false
	for _, q := range g.Percentiles {
		ample = ample || q.Outcome != "too_few"
		known := q.BaseNS != nil || q.NewNS != nil
		if known && (q.P == "p50" || q.P == "p95" || q.P == "p99" || q.P == g.P) || b.o.Verbose {
			out = append(out, q)
		}
	}
	if !ample {
		return nil
	}
	return out
}

// groupNotes adds the footnotes of percentiles that cannot be judged, and returns their places; -1
// for none.
func (b *builder) groupNotes(shown []reports.ComparedRows, notes *[]note) (few, here int) {
	var takesOf, why []string // by group and percentile; the former in the order of percentiles
	few, here = -1, -1
	for _, g := range shown {
		for _, q := range b.percentilesShown(g) {
			switch {
			case q.Outcome == "too_few" && min(g.BaseN, g.NewN) < q.Need:
				takesOf = append(takesOf, fmt.Sprintf("%s takes %s", q.P, reports.Integer(q.Need)))
			case q.Outcome == "too_few":
				takesOf = append(takesOf, q.Reason)
			case q.Outcome == "describes" && strings.Contains(q.Reason, incidentWord):
				why = append(why, "it takes 10 separate slow moments on either side")
			case q.Outcome == "describes":
				why = append(why, q.Reason)
			}
		}
	}
	if takesOf != nil {
		few = len(*notes)
		slices.Sort(takesOf)
		*notes = append(*notes, note{tooFew, strings.Join(takes(takesOf), "")})
	}
	if why != nil {
		here = len(*notes)
		*notes = append(*notes, note{hereNote, "a large difference that may not come back: " + strings.Join(distinct(why), "; ")})
	}
	return few, here
}

func shareCell(share *float64) string {
	if share == nil {
		return absent
	}
	return reports.Percent(*share)
}
