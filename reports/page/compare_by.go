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
	b.groupSizes(by, shown, &notes)
	b.footnotes(notes)
	b.groupPercentiles(by, shown)
}

// groupSizes writes how many requests each group has on both sides, and what became of it.
func (b *builder) groupSizes(by *reports.CompareBy, shown []reports.ComparedRows, notes *[]note) {
	t := Table{ID: "by-groups", Caption: "what became of each group", Columns: []Column{keysColumn(by), {Head: "base n"}, {Head: "%", Join: true}, {Head: "new n"}, {Head: "%", Join: true}, {Text: true}}}
	few, other := 0, 0
	for _, g := range shown {
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
		t.Rows = append(t.Rows, []string{groupCell(by, g), reports.Integer(g.BaseN), shareCell(g.BaseShare), reports.Integer(g.NewN), shareCell(g.NewShare), words})
	}
	rest := by.Other
	for _, g := range by.Groups[len(shown):] {
		rest.BaseN, rest.NewN = rest.BaseN+g.BaseN, rest.NewN+g.NewN
	}
	if left := by.OtherGroups + int64(len(by.Groups)-len(shown)); left > 0 {
		t.Rows = append(t.Rows, []string{reports.Integer(left) + " more", reports.Integer(rest.BaseN), "", reports.Integer(rest.NewN), "", ""})
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
func (b *builder) groupPercentiles(by *reports.CompareBy, shown []reports.ComparedRows) {
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
	inAll, isAdded := addedUnit(shown)
	t := Table{ID: "by-percentiles", Caption: "how long requests of each group took", Columns: []Column{
		keysColumn(by), {Head: "base " + u.Name}, {Head: "new", Join: true}, {Head: "ratio"}, {Head: "95 %", Join: true}, {Text: true, Join: true},
	}}
	var notes []note
	added := -1
	if isAdded {
		added = len(notes)
		notes = append(notes, note{"added", "the change of the mean times the requests of new, by which changed groups are in order; " + same + ": nothing that counts"})
	}
	few, here := b.groupNotes(shown, &notes)
	why := &reasons{by.NoIntervals, map[string]int{}}
	for _, g := range shown {
		name := " " + groupCell(by, g) // in every row, so that a table that is split or cut can be read
		for _, q := range b.percentilesShown(g) {
			marks := ""
			switch q.Outcome {
			case "too_few":
				marks = b.markOf(few >= 0, few)
			case "describes":
				marks = b.markOf(here >= 0, here)
			}
			marks += why.mark(b, &notes, withoutInterval(q, false)...)
			row := percentileCells(u, q, marks)[:6]
			row[0] += name
			t.Rows = append(t.Rows, row)
		}
		if value, bounds, what := addedCells(inAll, g); value != "" && len(b.percentilesShown(g)) > 0 {
			t.Rows = append(t.Rows, []string{"added" + name, "", "", value + " " + inAll.Name, bounds, strings.TrimSpace(what + b.markOf(added >= 0, added))})
		}
	}
	b.table(t)
	b.footnotes(notes)
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

// keysColumn is the column that names the groups: all keys together, so that it still names them
// where a table is split.
func keysColumn(by *reports.CompareBy) Column {
	return Column{Head: strings.Join(by.Keys, ", "), Text: true, Flex: true, Told: true}
}

// groupCell names a group by its values.
func groupCell(by *reports.CompareBy, g reports.ComparedRows) string {
	var names []string
	for i, v := range g.Values {
		if v == nil {
			names = append(names, "(not recorded)")
		} else {
			names = append(names, value(reports.FieldText(by.Keys[i], *v)))
		}
	}
	return strings.Join(names, ", ")
}

func shareCell(share *float64) string {
	if share == nil {
		return absent
	}
	return reports.Percent(*share)
}
