package page

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/tailpath/tailpath/reports"
)

// Options say how much of a document a page has.
type Options struct {
	// Verbose adds to a summary what one screen has no room for: the stage mix of the time to the
	// first token, the rule of the verdict in full, a usual trace.
	Verbose bool
	// Brief cuts the middle out of names of the input that are so long that they would fill a
	// screen, and says how much is missing. Without it nothing is cut.
	Brief bool
}

// Of returns the page of a document.
func Of(d reports.Document, o Options) Page {
	b := &builder{o: o, page: Page{Headline: d.Headline, Next: d.Next}, ids: map[string]int{}}
	b.page.Sections = []Section{{ID: b.id("answer")}}
	if d.Report != nil {
		b.report(d)
	}
	return b.page
}

// builder collects the blocks of a page.
type builder struct {
	o     Options
	page  Page
	notes int // footnotes so far
	ids   map[string]int
}

// add puts a block at the end of the section that is being written.
func (b *builder) add(block Block) {
	s := &b.page.Sections[len(b.page.Sections)-1]
	s.Blocks = append(s.Blocks, block)
}

// title starts a section. The id is made of the title unless section gives one.
func (b *builder) title(text string) { b.section(slug(text), text) }

// section starts a section that has an id of its own, for titles that hold figures.
func (b *builder) section(id, title string) {
	b.page.Sections = append(b.page.Sections, Section{ID: b.id(id), Title: title})
}

// styled writes a paragraph.
func (b *builder) styled(tone Tone, text string) { b.add(Paragraph{Tone: tone, Text: text}) }

// hanging writes a text behind a label.
func (b *builder) hanging(tone Tone, label, text string) { b.add(Labelled{tone, label, text}) }

// fieldWidth is how wide the labels of fields are.
const fieldWidth = 13

// field writes a label and its value.
func (b *builder) field(label, text string) {
	b.hanging(Plain, label+strings.Repeat(" ", max(0, fieldWidth-len(label))), text)
}

// table writes a table, unless it has no rows.
func (b *builder) table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	if t.ID == "" {
		t.ID = b.page.Sections[len(b.page.Sections)-1].ID + "-table"
	}
	t.ID = b.id(t.ID)
	b.add(t)
}

// figure writes a chart; the table with its figures follows.
func (b *builder) figure(f Figure) {
	f.ID = b.id(f.ID)
	b.add(f)
}

// blank parts what follows from what came before.
func (b *builder) blank() { b.add(Gap{}) }

// mark returns the mark of footnote n of the page.
func mark(n int) string { return "[" + strconv.Itoa(n) + "]" }

// note is a footnote of a table.
type note struct{ id, text string }

// footnotes writes the notes of a table under it.
func (b *builder) footnotes(notes []note) {
	for _, n := range notes {
		b.notes++
		b.add(Note{mark(b.notes), n.id, n.text})
	}
}

// id returns an id that no other part of the page has.
func (b *builder) id(wanted string) string {
	b.ids[wanted]++
	if n := b.ids[wanted]; n > 1 {
		return wanted + "-" + strconv.Itoa(n)
	}
	return wanted
}

// slug makes an id of a title: its words in lower case up to the first figure, with hyphens.
func slug(title string) string {
	title, _, _ = strings.Cut(title, ":")
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "-")
}
