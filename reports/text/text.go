package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// Options are what the caller knows of the place the text goes to.
type Options struct {
	Width int  // columns; 0 for no limit, and anything below MinWidth counts as that
	Color bool // bold and dim by escape sequences
	ASCII bool // no character outside ASCII

	// Verbose adds to a summary what one screen has no room for: the stage mix of the
	// time to the first token, the rule of the verdict in full, a usual trace. It also writes the
	// sections that other formats fold, which are counted otherwise.
	Verbose bool
}

// MinWidth is the least width that is respected: a trace id with its label.
const MinWidth = 48

// Write draws a document.
func Write(w io.Writer, d reports.Document, o Options) error {
	if o.Width > 0 {
		o.Width = max(o.Width, MinWidth)
	}
	p := &paper{o: o}
	p.draw(page.Of(d, page.Options{Verbose: o.Verbose, Brief: o.Width > 0}))
	if _, err := io.WriteString(w, p.out.String()); err != nil {
		return fmt.Errorf("write %s as text: %w", d.Kind, err)
	}
	return nil
}

// paper collects lines. Its texts come from a page, which has cleaned them.
type paper struct {
	o   Options
	out strings.Builder
}

// draw writes a page.
func (p *paper) draw(of page.Page) {
	p.hanging(page.Strong, "", of.Headline)
	var folded int64
	var only string // the title of the first of them
	for i, s := range of.Sections {
		if s.Folded && !p.o.Verbose {
			if folded++; folded == 1 {
				only = strings.TrimPrefix(s.Title, "details: ")
			}
			continue
		}
		if i > 0 {
			p.blank()
		}
		if s.Title != "" {
			p.hanging(page.Strong, "", s.Title)
		}
		for _, b := range s.Blocks {
			p.block(b)
		}
	}
	switch {
	case folded == 1:
		p.blank()
		p.hanging(page.Dim, "", "more with -v: "+only)
	case folded > 1:
		p.blank()
		p.hanging(page.Dim, "", fmt.Sprintf("sections of detail: %s, which -v writes", reports.Integer(folded)))
	}
	if of.Next != "" {
		p.blank()
		p.command(of.Next)
	}
}

// block writes a part of a section.
func (p *paper) block(b page.Block) {
	switch x := b.(type) {
	case page.Paragraph:
		if x.Line {
			p.emit(x.Tone, p.spell(x.Text))
			return
		}
		p.hanging(x.Tone, "", x.Text)
	case page.Labelled:
		if x.Named {
			x.Label = p.label(x.Label)
		}
		p.hanging(x.Tone, x.Label, x.Text)
	case page.Note:
		text := x.Text
		if x.ID != "" {
			text = x.ID + ": " + text
		}
		p.hanging(page.Dim, "  "+x.Mark+" ", text)
	case page.Gap:
		p.blank()
	case page.Table:
		if !x.Silent {
			p.table(x)
		}
	case page.Waterfall:
		p.waterfall(x)
	case page.Figure: // what it draws is in the table that follows
		if !x.Silent {
			p.hanging(page.Plain, "", x.Answer)
		}
	case page.Blank:
		p.hanging(page.Plain, "", x.Prompt+" "+strings.Repeat("_", blankWidth))
	}
}

// blankWidth is how long the line is on which a field is filled in.
const blankWidth = 24

// label makes a label that holds a name at most half as wide as the page.
func (p *paper) label(s string) string {
	s = strings.TrimRight(p.spell(s), " ")
	if p.o.Width > 0 {
		s = p.cut(s, p.o.Width/2-2)
	}
	return s + strings.Repeat(" ", max(1, page.NamedWidth-width(s)))
}

// sequences are the styles of tones, as select-graphic-rendition parameters.
var sequences = [...]string{page.Plain: "", page.Strong: "1", page.Dim: "2"}

// emit writes one finished line.
func (p *paper) emit(tone page.Tone, line string) {
	line = strings.TrimRight(line, " ")
	if style := sequences[tone]; p.o.Color && style != "" && line != "" {
		line = "\x1b[" + style + "m" + line + "\x1b[0m"
	}
	p.out.WriteString(line)
	p.out.WriteByte('\n')
}

// blank ends a section; it never makes two empty lines in a row.
func (p *paper) blank() {
	if text := p.out.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
		p.out.WriteByte('\n')
	}
}

// hanging writes a paragraph behind a label, wrapped to the width; the lines that follow are
// indented to the label's end.
func (p *paper) hanging(tone page.Tone, label, text string) {
	label = p.spell(label)
	indent := strings.Repeat(" ", width(label))
	limit := 0
	if p.o.Width > 0 {
		limit = p.o.Width - width(label)
		if limit < MinWidth/2 { // too little room behind the label
			limit, indent = p.o.Width-4, "    "
			p.emit(tone, label)
			label = indent
		}
	}
	for i, line := range wrap(p.shorten(p.spell(text)), limit) {
		if i == 0 {
			p.emit(tone, label+line)
			continue
		}
		p.emit(tone, indent+line)
	}
}

// command writes the next command. It is wrapped as a shell would read it, and no
// word of it is cut.
func (p *paper) command(text string) {
	const label, more, indent = "next: ", " \\", "      "
	line, used := label, 0
	for _, word := range shellWords(p.spell(text)) {
		if used > 0 && p.o.Width > 0 && width(line)+1+width(word)+len(more) > p.o.Width {
			p.emit(page.Plain, line+more)
			line, used = indent, 0
		}
		if used > 0 {
			line += " "
		}
		line += word
		used++
	}
	p.emit(page.Plain, line)
}
