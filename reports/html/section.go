package html

import (
	"strings"

	"github.com/tailpath/tailpath/reports/chart"
	"github.com/tailpath/tailpath/reports/page"
)

// section is a section of the page as HTML.
type section struct {
	id, title string
	heading   string // as HTML; the title with its marks linked
	folded    bool
	part      bool // of the section before it
	pieces    []piece
	omitted   bool // its place is kept, and says so
}

// piece is a part of a section.
type piece struct {
	html      string
	waterfall bool // may be left out of a file that is too long; its table says the same
}

// html returns the section. A folded one is served open, so that it can be read where the
// script that folds it does not run.
func (s section) html() string {
	m := &markup{}
	kind := ""
	switch {
	case s.title == "" && len(s.pieces) == 0:
		kind = "bare" // an id and nothing to see
	case s.part:
		kind = "part"
	}
	m.open("section", append([]string{"id", anchor(s.id)}, class(kind)...)...)
	m.raw("\n")
	tag := "h2"
	if s.part {
		tag = "h3"
	}
	switch {
	case s.omitted:
		m.element(tag, s.title)
		m.element("p", omittedSection, "class", "left-out")
	case s.folded:
		m.raw("<details open>\n<summary>")
		m.element(tag, s.title, class(nameFirst(s.title))...)
		m.raw("</summary>\n")
	case s.title != "":
		m.open(tag, class(nameFirst(s.title))...)
		m.raw(s.heading + " ")
		m.element("a", "#", "class", "here", "href", "#"+anchor(s.id), "aria-label", "Link to "+s.title)
		m.close(tag)
	}
	if !s.omitted {
		for _, p := range s.pieces {
			m.raw(p.html)
		}
		if s.folded {
			m.raw("</details>\n")
		}
	}
	m.close("section")
	return m.out.String()
}

// anchor returns the id of a part of the page. The one name that this package has taken is not
// given twice.
func anchor(id string) string {
	if id == "document" {
		return "document.section"
	}
	return id
}

// drawing is what is known while the blocks of a page are drawn.
type drawing struct {
	section page.Section
	notes   map[string]int  // by mark: the number in the ids of the note
	linked  map[string]bool // marks that were linked: a note leads back to the first
	names   map[string]int  // how often a name was given to a region
}

// sectionsOf draws the sections of a page.
func sectionsOf(p page.Page) []section {
	d := &drawing{notes: map[string]int{}, linked: map[string]bool{}, names: map[string]int{}}
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			if n, ok := b.(page.Note); ok && d.notes[n.Mark] == 0 {
				d.notes[n.Mark] = len(d.notes) + 1
			}
		}
	}
	var all []section
	for _, s := range p.Sections {
		d.section = s
		title := &markup{}
		if !s.Folded { // a link inside a summary is a control inside a control
			d.marked(title, strings.TrimSpace(s.Title))
		}
		all = append(all, section{id: s.ID, title: d.unmarked(s.Title), heading: title.out.String(), folded: s.Folded, part: s.Part, pieces: d.pieces(s.Blocks)})
	}
	return all
}

// pieces draws blocks. Those of one kind that follow each other are one list.
func (d *drawing) pieces(blocks []page.Block) []piece {
	var all []piece
	for i := 0; i < len(blocks); {
		m := &markup{}
		n, waterfall := 1, false
		switch b := blocks[i].(type) {
		case page.Paragraph:
			d.paragraph(m, b)
		case page.Labelled:
			run := together[page.Labelled](blocks[i:])
			n = len(run)
			d.labelled(m, run)
		case page.Table:
			n = d.tables(m, blocks[i:])
		case page.Note:
			run := together[page.Note](blocks[i:])
			n = len(run)
			d.footnotes(m, run)
		case page.Waterfall:
			d.table(m, b.Table())
		case page.Gap:
			// What it parts are different elements, which have space between them.
		case page.Figure:
			waterfall = d.figure(m, b)
		case page.Blank:
			run := together[page.Blank](blocks[i:])
			n = len(run)
			d.blanks(m, run)
		}
		if m.out.Len() > 0 {
			all = append(all, piece{m.out.String(), waterfall})
		}
		i += n
	}
	return all
}

// together returns the blocks of one kind that others begin with.
func together[B page.Block](blocks []page.Block) []B {
	var run []B
	for _, b := range blocks {
		x, ok := b.(B)
		if !ok {
			break
		}
		run = append(run, x)
	}
	return run
}

// toneClass is the class of a tone.
func toneClass(t page.Tone) string {
	switch t {
	case page.Strong:
		return "strong"
	case page.Dim:
		return "dim"
	}
	return ""
}

// paragraph writes a text of its own. Only lines keep the spaces of a page of characters.
func (d *drawing) paragraph(m *markup, p page.Paragraph) {
	if strings.TrimSpace(p.Text) == "" {
		return
	}
	line := ""
	if p.Line {
		line = "line"
	}
	m.open("p", class(toneClass(p.Tone), line)...)
	if p.Line {
		m.element("code", strings.TrimRight(p.Text, " "))
	} else {
		d.marked(m, strings.TrimSpace(p.Text))
	}
	m.close("p")
}

// labelled writes texts behind labels. One without a label goes on with the one before.
func (d *drawing) labelled(m *markup, all []page.Labelled) {
	for len(all) > 0 && strings.TrimSpace(all[0].Label) == "" {
		d.paragraph(m, page.Paragraph{Tone: all[0].Tone, Text: all[0].Text})
		all = all[1:]
	}
	if len(all) == 0 {
		return
	}
	if n := items(all); n > 0 {
		d.items(m, all[:n])
		d.labelled(m, all[n:])
		return
	}
	m.raw("<dl class=\"fields\">\n")
	within := false
	for i, l := range all {
		if isItem(l) {
			m.raw("</div>\n</dl>\n")
			d.labelled(m, all[i:])
			return
		}
		label := strings.TrimSuffix(strings.TrimSpace(l.Label), ":")
		if label == "" && within {
			m.open("dd", class(toneClass(l.Tone))...)
			d.marked(m, strings.TrimSpace(l.Text))
			m.close("dd")
			continue
		}
		if within {
			m.raw("</div>\n")
		}
		within = true
		attributes := class(indent(l.Label))
		if l.ID != "" {
			attributes = append(attributes, "id", anchor(l.ID))
		}
		m.open("div", attributes...)
		m.raw("<dt>")
		m.text(label)
		if l.ID != "" {
			m.raw(" ")
			m.element("a", "#", "class", "here", "href", "#"+anchor(l.ID), "aria-label", "Link to "+label)
		}
		m.raw("</dt>")
		m.open("dd", class(toneClass(l.Tone))...)
		d.marked(m, strings.TrimSpace(l.Text))
		m.close("dd")
	}
	m.raw("</div>\n</dl>\n")
}

// isItem reports whether a text is one of a list: a page of fixed width sets a dash before it.
func isItem(l page.Labelled) bool { return strings.TrimSpace(l.Label) == "-" }

// items returns how many texts from the first on are a list, with those that go on with one.
func items(all []page.Labelled) (n int) {
	for n < len(all) && (isItem(all[n]) || n > 0 && strings.TrimSpace(all[n].Label) == "") {
		n++
	}
	return n
}

// items writes a list.
func (d *drawing) items(m *markup, all []page.Labelled) {
	m.raw("<ul class=\"items\">\n")
	for i, l := range all {
		switch {
		case !isItem(l):
		case i > 0:
			m.raw("</li>\n<li>")
		default:
			m.raw("<li>")
		}
		m.open("div", class(toneClass(l.Tone))...)
		d.marked(m, strings.TrimSpace(l.Text))
		m.close("div")
	}
	m.raw("</li>\n</ul>\n")
}

// indents is how deep a label may stand at most.
const indents = 6

// indent is the class of a label that two spaces a level put below the one before.
func indent(label string) string {
	spaces := len(label) - len(strings.TrimLeft(label, " "))
	if level := min(spaces/2, indents); level > 0 {
		return "in" + string(rune('0'+level))
	}
	return ""
}

// figure writes a chart below what it shows in words, and reports whether it is a waterfall.
func (d *drawing) figure(m *markup, f page.Figure) (waterfall bool) {
	if f.Drawing == nil {
		m.open("p", "id", anchor(f.ID), "class", "strong")
		m.text(f.Answer)
		m.close("p")
		return false
	}
	m.open("figure", "id", anchor(f.ID))
	m.raw("\n")
	m.sentence("figcaption", f.Answer)
	m.open("div", "class", "plot", "tabindex", "0", "role", "group", "aria-label", "Chart: "+f.Answer)
	m.raw("\n" + f.Drawing.SVG(anchor(f.ID)+"-chart", f.Answer) + "\n")
	m.close("div")
	m.close("figure")
	switch any(f.Drawing).(type) {
	case chart.Waterfall, *chart.Waterfall:
		return true
	}
	return false
}

// blanks writes fields that are to be filled in, visibly empty.
func (d *drawing) blanks(m *markup, all []page.Blank) {
	m.raw("<dl class=\"blanks\">\n")
	for _, b := range all {
		m.raw("<div><dt>")
		m.text(strings.TrimSpace(b.Prompt))
		m.raw("</dt><dd><span class=\"hidden\">empty, to be filled in by a person</span></dd></div>\n")
	}
	m.raw("</dl>\n")
}
