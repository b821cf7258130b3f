package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// Options are what the caller knows of the place the text goes to.
type Options struct {
	Width int  // columns; 0 for no limit, and anything below MinWidth counts as that
	Color bool // bold and dim by escape sequences
	ASCII bool // no character outside ASCII

	// Verbose adds to a summary what one screen has no room for: the stage mix of the
	// time to the first token, the rule of the verdict in full, a usual trace.
	Verbose bool
}

// MinWidth is the least width that is respected: a trace id with its label.
const MinWidth = 48

// Write draws a document.
func Write(w io.Writer, d reports.Document, o Options) error {
	if o.Width > 0 {
		o.Width = max(o.Width, MinWidth)
	}
	p := &page{o: o}
	p.styled(bold, d.Headline)
	switch {
	case d.Summary != nil:
		p.summary(d.Summary)
	case d.Compare != nil:
		p.compare(d.Compare)
	case d.Queue != nil:
		p.queue(d.Queue)
	case d.Capacity != nil:
		p.capacity(d.Capacity)
	case d.Inspect != nil:
		p.inspect(d.Inspect, d.Inputs)
	case len(d.Requests) > 0:
		p.explain(d)
	}
	p.conditions(d.Conditions)
	p.quality(d)
	if d.Next != "" {
		p.blank()
		p.command(d.Next)
	}
	if _, err := io.WriteString(w, p.out.String()); err != nil {
		return fmt.Errorf("write %s as text: %w", d.Kind, err)
	}
	return nil
}

// page collects lines. Every text that reaches it is cleaned on the way in.
type page struct {
	o     Options
	out   strings.Builder
	notes int // footnotes so far
}

// The styles, as select-graphic-rendition parameters.
const (
	plain = ""
	bold  = "1"
	dim   = "2"
)

// emit writes one finished line.
func (p *page) emit(style, line string) {
	line = strings.TrimRight(line, " ")
	if p.o.Color && style != plain && line != "" {
		line = "\x1b[" + style + "m" + line + "\x1b[0m"
	}
	p.out.WriteString(line)
	p.out.WriteByte('\n')
}

// blank ends a section; it never makes two empty lines in a row.
func (p *page) blank() {
	if text := p.out.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
		p.out.WriteByte('\n')
	}
}

// styled writes a paragraph, wrapped to the width.
func (p *page) styled(style, text string) { p.hanging(style, "", text) }

// title starts a section.
func (p *page) title(text string) {
	p.blank()
	p.styled(bold, text)
}

// hanging writes a paragraph behind a label; the lines that follow are indented to
// the label's end.
func (p *page) hanging(style, label, text string) {
	label = p.clean(label)
	indent := strings.Repeat(" ", width(label))
	limit := 0
	if p.o.Width > 0 {
		limit = p.o.Width - width(label)
		if limit < MinWidth/2 { // too little room behind the label
			limit, indent = p.o.Width-4, "    "
			p.emit(style, label)
			label = indent
		}
	}
	for i, line := range wrap(p.shorten(p.clean(text)), limit) {
		if i == 0 {
			p.emit(style, label+line)
			continue
		}
		p.emit(style, indent+line)
	}
}

// field writes a label and its value.
func (p *page) field(label, text string) { p.hanging(plain, fmt.Sprintf("%-13s", label), text) }

// command writes the next command. It is wrapped as a shell would read it, and no
// word of it is cut.
func (p *page) command(text string) {
	const label, more, indent = "next: ", " \\", "      "
	line, used := label, 0
	for _, word := range shellWords(p.clean(text)) {
		if used > 0 && p.o.Width > 0 && width(line)+1+width(word)+len(more) > p.o.Width {
			p.emit(plain, line+more)
			line, used = indent, 0
		}
		if used > 0 {
			line += " "
		}
		line += word
		used++
	}
	p.emit(plain, line)
}

// note is a footnote of a table.
type note struct{ id, text string }

// mark returns the mark of footnote n of the page.
func mark(n int) string { return fmt.Sprintf("[%d]", n) }

// footnotes writes the notes of a table under it.
func (p *page) footnotes(notes []note) {
	for _, n := range notes {
		p.notes++
		text := n.text
		if n.id != "" {
			text = n.id + ": " + n.text
		}
		p.hanging(dim, "  "+mark(p.notes)+" ", text)
	}
}
