package page

import (
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// alternatives writes the figures of the system by the definitions that were asked for, each
// beside the own one of its metric, and the formulas under them.
func (b *builder) alternatives(list []reports.Alternative) {
	if len(list) == 0 {
		return
	}
	b.title("by other definitions")
	g := Table{Columns: []Column{
		{Head: "id", Text: true, Told: true, Flex: true}, {Head: "of", Text: true, Flex: true, Below: true}, {Head: "value"}, {Text: true, Join: true},
		{Head: "95 %"}, {Head: "n"}, {Head: "outcome", Text: true},
	}}
	metric := ""
	for i := range list {
		a := &list[i]
		if a.Metric != metric {
			metric = a.Metric
			g.Rows = append(g.Rows, []string{metric, "", "", "", "", "", ""})
		}
		value, unit, bounds := alternativeValue(a)
		n := ""
		if a.Value != nil {
			n = plural(a.Value.N, strings.TrimSuffix(a.Counts, "s"))
		}
		g.Rows = append(g.Rows, []string{"  " + alternativeName(a), a.Of, value, unit, bounds, n, outcomes[a.Outcome]})
	}
	b.table(g.without(g.empty()...))
	b.formulas(list)
	b.alternativeNotes(list)
}

// alternativeName is the id of a definition, with the name of its figure where it has several.
func alternativeName(a *reports.Alternative) string {
	name := a.ID
	if a.Name != "" {
		name += ", " + a.Name
	}
	if a.Own {
		name += " (own)"
	}
	return name
}

// alternativeValue writes a figure, its unit and its bounds.
func alternativeValue(a *reports.Alternative) (value, unit, bounds string) {
	if a.Value == nil {
		return absent, "", ""
	}
	write := reports.Number
	switch unit = a.Unit; unit {
	case "":
		unit, write = "%", func(v float64) string { return reports.Met(v, shareDecimals) }
	case "ns":
		unit, write = "", func(v float64) string { return reports.Duration(int64(v)) }
	}
	value = write(a.Value.Value)
	if a.AtLeast {
		value = ">= " + value
	}
	if low, high := a.Value.Low, a.Value.High; low != nil && high != nil {
		bounds = write(*low) + "–" + write(*high)
		if a.Unit == "" {
			bounds = reports.MetRange(*low, *high, shareDecimals)
		}
	}
	return value, unit, bounds
}

// shareDecimals is how many decimals a share has in per cent.
const shareDecimals = 2

// formulas writes what each definition is, and who uses it.
func (b *builder) formulas(list []reports.Alternative) {
	var ids []string
	for i := range list {
		a := &list[i]
		if slices.Contains(ids, a.ID) {
			continue
		}
		ids = append(ids, a.ID)
		text := a.ID + ": " + a.Text
		if len(a.Tools) > 0 {
			text += " [" + strings.Join(a.Tools, ", ") + "]"
		}
		b.hanging(Dim, "  ", text)
	}
}

// noteOf is what is to be known of some figures.
type noteOf struct {
	text string
	of   map[string][]string // by id: what the figures are of
}

// alternativeNotes writes what is to be known of figures: why there is none, what is not in
// them, and to the verbose what bounds none. What several share is said once.
func (b *builder) alternativeNotes(list []reports.Alternative) {
	var notes []noteOf
	every := map[string][]string{}
	add := func(of map[string][]string, a *reports.Alternative) {
		if !slices.Contains(of[a.ID], a.Of) {
			of[a.ID] = append(of[a.ID], a.Of)
		}
	}
	for i := range list {
		a := &list[i]
		add(every, a)
		for _, text := range b.saidOf(a) {
			k := slices.IndexFunc(notes, func(n noteOf) bool { return n.text == text })
			if k < 0 {
				k = len(notes)
				notes = append(notes, noteOf{text, map[string][]string{}})
			}
			add(notes[k].of, a)
		}
	}
	for _, n := range notes {
		var names []string
		for i := range list {
			of := n.of[list[i].ID]
			switch name := list[i].ID; {
			case len(of) == 0:
				continue
			case len(of) < len(every[name]):
				name += " of " + strings.Join(of, ", ")
				fallthrough
			default:
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		b.hanging(Plain, "  - ", strings.Join(names, ", ")+": "+n.text)
	}
}

// saidOf is what is to be known of one figure.
func (b *builder) saidOf(a *reports.Alternative) (out []string) {
	if a.Unknown != "" {
		return []string{"unknown: " + a.Unknown}
	}
	if a.Words != "" {
		out = append(out, a.Words)
	}
	if words := reasonWords(a.Apart); words != "" {
		out = append(out, "apart: "+words)
	}
	for _, w := range a.Warnings {
		if w.ID != independence || b.o.Verbose {
			out = append(out, w.Text+" ("+w.ID+")")
		}
	}
	if a.Unbounded != "" && b.o.Verbose {
		out = append(out, "no interval: "+a.Unbounded)
	}
	return out
}
