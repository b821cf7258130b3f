package text

import (
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// alternatives writes the figures of the system by the definitions that were asked for, each
// beside the own one of its metric, and the formulas under them.
func (p *page) alternatives(list []reports.Alternative) {
	if len(list) == 0 {
		return
	}
	p.title("by other definitions")
	g := grid{columns: []column{
		{head: "id", text: true, told: true, flex: true}, {head: "of", text: true, flex: true, below: true}, {head: "value"}, {text: true, join: true},
		{head: "95 %"}, {head: "n"}, {head: "outcome", text: true},
	}}
	metric := ""
	for i := range list {
		a := &list[i]
		if a.Metric != metric {
			metric = a.Metric
			g.rows = append(g.rows, []string{metric, "", "", "", "", "", ""})
		}
		value, unit, bounds := alternativeValue(a)
		n := ""
		if a.Value != nil {
			n = plural(a.Value.N, strings.TrimSuffix(a.Counts, "s"))
		}
		g.rows = append(g.rows, []string{"  " + alternativeName(a), a.Of, value, unit, bounds, n, outcomes[a.Outcome]})
	}
	p.table(g.without(g.empty()...))
	p.formulas(list)
	p.alternativeNotes(list)
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
func (p *page) formulas(list []reports.Alternative) {
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
		p.hanging(dim, "  ", text)
	}
}

// noteOf is what is to be known of some figures.
type noteOf struct {
	text string
	of   map[string][]string // by id: what the figures are of
}

// alternativeNotes writes what is to be known of figures: why there is none, what is not in
// them, and to the verbose what bounds none. What several share is said once.
func (p *page) alternativeNotes(list []reports.Alternative) {
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
		for _, text := range p.saidOf(a) {
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
		p.hanging(plain, "  - ", strings.Join(names, ", ")+": "+n.text)
	}
}

// saidOf is what is to be known of one figure.
func (p *page) saidOf(a *reports.Alternative) (out []string) {
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
		if w.ID != independence || p.o.Verbose {
			out = append(out, w.Text+" ("+w.ID+")")
		}
	}
	if a.Unbounded != "" && p.o.Verbose {
		out = append(out, "no interval: "+a.Unbounded)
	}
	return out
}
