package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// MaxBytes is how long the output is at most unless Options say otherwise. GitHub takes comments of 65,536 characters, and
// what posts one often adds some of its own.
const MaxBytes = 60_000

// Options say how the output is made.
type Options struct {
	// MaxBytes is how long the output is at most, in bytes; 0 for MaxBytes of the package. What is
	// folded is left out first, from the last on, then rows of the longest tables, then parts.
	MaxBytes int64
}

// Write draws the page of a document in at most MaxBytes.
func Write(w io.Writer, d reports.Document, p page.Page) error { return Options{}.Write(w, d, p) }

// Write draws the page of a document. It writes nothing, and returns a *reports.TooLongError, where not
// even the command that prints all of it fits.
func (o Options) Write(w io.Writer, d reports.Document, p page.Page) error {
	doc := drawing{most: MaxBytes, title: title(p.Headline), next: next(p.Next), whole: wholeCommand(d.Command)}
	for _, s := range p.Sections {
		doc.sections = append(doc.sections, sectionOf(s))
	}
	if d.Report == nil { // a report says so in its own words
		doc.sections = append(doc.sections, made(d))
	}
	if o.MaxBytes > 0 {
		doc.most = int(min(o.MaxBytes, all))
	}
	text := doc.within()
	if len(text) > doc.most {
		return &reports.TooLongError{Least: int64(len(text)), Most: int64(doc.most)}
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write %s document as Markdown: %w", d.Kind, err)
	}
	return nil
}

// title is the headline as the title of the document.
func title(headline string) string {
	if headline = heading(headline); headline == "" {
		return ""
	}
	return "# " + headline
}

// next is the command to run next.
func next(command string) string {
	if command == "" {
		return ""
	}
	return "**next**\n\n" + code(command)
}

// mostInputs is how many inputs are listed by name, unless the document says how many rows lists
// have.
const mostInputs = 20

// made says how the document was made, so that it can be made again.
func made(d reports.Document) section {
	s := page.Section{Title: "how this was made", Folded: true}
	s.Blocks = append(s.Blocks, page.Paragraph{Text: strings.TrimSpace(d.Tool.Name + " " + d.Tool.Version)})
	out := sectionOf(s)
	if len(d.Command) > 0 {
		out.parts = append(out.parts, part{text: code(shell(d.Command))})
	}
	inputs := page.Table{Columns: []page.Column{{Head: "input", Text: true}, {Head: "bytes"}, {Head: "sha256", Text: true}}}
	most := mostInputs
	if l := d.Limit; l != nil {
		if most = int(l.Rows); most == 0 {
			most = len(d.Inputs)
		}
	}
	for _, in := range d.Inputs[:min(len(d.Inputs), most)] {
		inputs.Rows = append(inputs.Rows, []string{in.Name, reports.Integer(in.Bytes), in.SHA256})
	}
	if len(inputs.Rows) > 0 {
		out.parts = append(out.parts, tableOf(inputs))
	}
	if more := len(d.Inputs) - most; more > 0 {
		out.parts = append(out.parts, part{text: reports.Integer(int64(more)) + " more inputs are in the JSON"})
	}
	return out
}

// shell writes a command line so that a shell reads it as it was.
func shell(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = reports.Quote(word)
	}
	return strings.Join(quoted, " ")
}

// longCommand is how long a command line is that is not repeated: there is little room.
const longCommand = 2000

// wholeCommand returns the command line that prints all of a document: the one that made it,
// in another format.
func wholeCommand(made []string) string {
	if n := len(shell(made)); n == 0 || n > longCommand {
		return "tailpath render REPORT.json -f text"
	}
	end := slices.Index(made, "--")
	if end < 0 {
		end = len(made)
	}
	var words []string
	for i := 0; i < end; i++ {
		word := made[i]
		switch {
		case slices.Contains([]string{"-f", "--format", "-o", "--output", "--max-size"}, word):
			i++ // and its value
		case strings.HasPrefix(word, "--format="), strings.HasPrefix(word, "--output="), strings.HasPrefix(word, "--max-size="):
		case len(word) > 2 && (strings.HasPrefix(word, "-f") || strings.HasPrefix(word, "-o")):
		default:
			words = append(words, word)
		}
	}
	return shell(slices.Concat(words, []string{"-f", "text"}, made[end:]))
}
