package page

import "github.com/tailpath/tailpath/reports/chart"

// Page is a document as a reader goes through it, in no format yet.
type Page struct {
	Headline string    // the answer in one sentence
	Sections []Section // in order; the first may have no title
	Next     string    // the command to run next; empty when there is none
}

// Section is what stands under one title.
type Section struct {
	// ID names the section for good: letters, digits and hyphens, unlike any other id of the
	// page. A link to it outlives another run.
	ID     string
	Title  string  // empty only of the first
	Folded bool    // detail that a reader opens, where a format can fold
	Part   bool    // belongs to the last section before it that is none
	Blocks []Block // in order
}

// Block is a part of a section: one of Paragraph, Labelled, Table, Note, Gap, Figure, Waterfall
// and Blank.
type Block interface{ block() }

// Tone says how much a text wants to be seen.
type Tone uint8

// The tones.
const (
	Plain  Tone = iota
	Strong      // an answer
	Dim         // a remark
)

// Paragraph is a text of its own.
type Paragraph struct {
	Tone Tone
	Text string
	Line bool // a line that is not wrapped, such as an id to copy
}

// Labelled is a text behind a label. The label is as a page of fixed width writes it, with the
// spaces before and behind it; other formats trim it.
type Labelled struct {
	// ID, as a section's, is of what others refer to, such as a bottleneck; empty of most.
	ID    string
	Tone  Tone
	Label string
	Text  string
	// Named says that the label holds a name of the input, which a page of fixed width may cut.
	Named bool
}

// NamedWidth is how far the text behind a Named label is from the margin, in characters, unless
// the label is longer.
const NamedWidth = 18

// Note is a footnote of the tables before it in its section, which show its Mark, such as "[1]".
type Note struct {
	Mark string
	ID   string // of a warning that can be silenced; may be empty
	Text string
}

// Gap parts what is before it from what is behind it.
type Gap struct{}

// Figure is a chart. Its answer says in words what it shows, and the table that follows has its
// figures: formats without pictures write those two.
type Figure struct {
	ID      string // as a section's
	Answer  string
	Drawing chart.Drawing
	// Silent figures repeat what the tables around them say already: formats without pictures
	// write nothing for them.
	Silent bool
}

// Blank is a field that a person fills in.
type Blank struct{ Prompt string }

// Column describes a column of a table.
type Column struct {
	Head string
	Text bool // words; otherwise numbers, which align at their ends
	// The rest tells a page of fixed width what to do where a table is too wide for it.
	Flex  bool // may be cut
	Path  bool // is cut at its front
	Join  bool // stays with the column before when the table is split
	Below bool // moves to lines of its own under each row
	// Told, of the first column, gives it the room that is left when the table is split, and
	// writes the names that are cut all the same under their rows.
	Told bool
}

// Table is a table. Its cells are written as they are to be read: one unit a column, parts that
// add up as printed.
type Table struct {
	ID      string // as a section's; given by the page
	Caption string // what the rows are; empty for the title of the section
	Columns []Column
	Rows    [][]string
	// Silent tables are those of silent charts: formats without pictures leave them out.
	Silent bool
}

func (Paragraph) block() {}
func (Labelled) block()  {}
func (Note) block()      {}
func (Gap) block()       {}
func (Figure) block()    {}
func (Blank) block()     {}
func (Table) block()     {}
func (Waterfall) block() {}
