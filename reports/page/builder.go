package page

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports"
)

// Options say how much of a document a page has.
type Options struct {
	// Verbose adds to a summary what one screen has no room for: the stage mix of the time to the
	// first token, the rule of the verdict in full, a usual trace.
	Verbose bool
	// Brief cuts the middle out of names of the input that are so long that a sentence with them
	// would fill a screen, and says how much is missing; and it leaves out of a waterfall of very
	// many spans the shortest of those off the path. Without it nothing is cut.
	Brief bool
}

// Of returns the page of a document.
func Of(d reports.Document, o Options) Page {
	b := newBuilder(o)
	b.limit = d.Limit
	b.page.Headline, b.page.Next = clean(d.Headline), clean(d.Next)
	switch {
	case d.Report != nil:
		b.report(d)
		return b.page
	case d.Summary != nil:
		b.summary(d.Summary)
	case d.Compare != nil:
		b.compare(d.Compare)
	case d.Queue != nil:
		b.queue(d.Queue)
	case d.Capacity != nil:
		b.capacity(d.Capacity)
	case d.Inspect != nil:
		b.inspect(d.Inspect, d.Inputs)
	case len(d.Requests) > 0:
		b.explain(d)
	}
	b.requirements(d.Requirements)
	b.conditions(d.Conditions)
	b.silenced(d.SilencedCounts)
	b.quality(d)
	if d.Summary != nil { // what a reader opens comes last
		b.pathSection(d.Summary.Path)
	}
	return b.page
}

// silenced says which warnings who asked left out.
func (b *builder) silenced(counts []reports.Count) {
	if len(counts) == 0 {
		return
	}
	var parts []string
	for _, c := range counts {
		parts = append(parts, c.Name+" "+reports.Integer(c.N))
	}
	b.field("  silenced", strings.Join(parts, ", "))
}

// newBuilder returns a builder of an empty page.
func newBuilder(o Options) *builder {
	b := &builder{o: o, ids: map[string]int{}}
	b.page.Sections = []Section{{ID: b.id("answer")}}
	return b
}

// builder collects the blocks of a page.
type builder struct {
	o     Options
	page  Page
	limit *reports.RowLimit // of the document; nil for the usual numbers of rows
	notes int               // footnotes so far
	ids   map[string]int    // taken ids; of one that several wanted, how many did
}

// add puts a block at the end of the section that is being written. Its texts are cleaned.
func (b *builder) add(block Block) {
	s := &b.page.Sections[len(b.page.Sections)-1]
	s.Blocks = append(s.Blocks, cleaned(block))
}

// title starts a section. The id is made of the title unless section gives one.
func (b *builder) title(text string) { b.section(slug(text), text) }

// section starts a section that has an id of its own, for titles that hold figures.
func (b *builder) section(id, title string) {
	b.page.Sections = append(b.page.Sections, Section{ID: b.id(id), Title: clean(title)})
}

// styled writes a paragraph.
func (b *builder) styled(tone Tone, text string) { b.add(Paragraph{Tone: tone, Text: text}) }

// hanging writes a text behind a label.
func (b *builder) hanging(tone Tone, label, text string) {
	b.add(Labelled{Tone: tone, Label: label, Text: text})
}

// fieldWidth is how wide the labels of fields are.
const fieldWidth = 13

// field writes a label and its value.
func (b *builder) field(label, text string) {
	b.hanging(Plain, label+strings.Repeat(" ", max(0, fieldWidth-utf8.RuneCountInString(label))), text)
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
	id := wanted
	for b.ids[id] > 0 {
		b.ids[wanted]++
		id = wanted + "-" + strconv.Itoa(b.ids[wanted])
	}
	b.ids[id] = 1
	return id
}

// slug makes an id of a title: its words in lower case up to the first colon, with hyphens, but
// for those with figures, which are other ones in another document.
func slug(title string) string {
	title, _, _ = strings.Cut(title, ":")
	words := slices.DeleteFunc(slugWords(title), func(word string) bool { return strings.ContainsAny(word, "0123456789") })
	return hyphenated(words)
}

// slugAll makes an id of a name that is the same in every document, with its figures.
func slugAll(name string) string { return hyphenated(slugWords(name)) }

// hyphenated joins the words of an id.
func hyphenated(words []string) string {
	if len(words) == 0 {
		return "part"
	}
	return strings.Join(words, "-")
}

// slugWords returns the runs of ASCII letters and digits of a text in lower case.
func slugWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}
