package html

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// headings say what a document is.
var headings = map[string]string{
	string(reports.KindSummary):  "Summary",
	string(reports.KindExplain):  "Requests explained",
	string(reports.KindInspect):  "Inspection of the input",
	string(reports.KindQueue):    "Queueing",
	string(reports.KindCapacity): "Capacity",
	string(reports.KindCompare):  "Comparison",
	reports.Weekly:               "Weekly bottleneck report",
	reports.PostMortem:           "Post-mortem",
}

// heading says what the document is, with the week of a report.
func heading(d reports.Document) string {
	kind := string(d.Kind)
	if d.Report != nil {
		kind = d.Report.Kind
	}
	words := headings[kind]
	if words == "" {
		words = kind
	}
	if d.Report != nil && d.Report.Week != nil {
		words += " " + d.Report.Week.Name
	}
	return words
}

// header writes what the file is about and its answer.
func (f *file) header(m *markup) {
	m.raw("<header class=\"top\">\n")
	m.element("p", heading(f.document), "class", "kind")
	m.sentence("h1", f.page.Headline)
	if f.lead.id != "" {
		m.open("div", "id", anchor(f.lead.id), "class", "lead")
		m.raw("\n")
		(&drawing{}).blanks(m, f.lead.blanks)
		m.close("div")
	}
	facts := f.facts()
	if len(facts) > 0 {
		m.raw("<dl class=\"facts\">\n")
		for _, x := range facts {
			m.raw("<div><dt>")
			m.text(x.name)
			m.raw("</dt><dd>")
			m.text(x.text)
			m.raw("</dd></div>\n")
		}
		m.raw("</dl>\n")
	}
	f.banner(m)
	m.raw("</header>\n")
}

// fact is a line under the headline.
type fact struct{ name, text string }

// facts says which requests of which time the document is about.
func (f *file) facts() []fact {
	d := f.document
	facts := slices.Clone(f.lead.facts)
	if facts == nil && d.Report != nil {
		if w := d.Report.Week; w != nil {
			text := w.Start + " to " + w.End
			if w.Zone != "" {
				text += " (" + w.Zone + ")"
			}
			if !w.Complete {
				text += ", incomplete"
			}
			facts = append(facts, fact{"week", text})
		}
		if d.Report.Scope != "" {
			facts = append(facts, fact{"requests", d.Report.Scope})
		}
	}
	if s := summaryOf(d); len(f.lead.facts) == 0 && s != nil && s.Load.Start != "" {
		facts = append(facts, fact{"seen", reports.TimeMilli(s.Load.StartNS) + " to " + reports.TimeMilli(s.Load.EndNS)})
	}
	if names := inputNames(d); names != "" {
		facts = append(facts, fact{"from", names})
	}
	return facts
}

// summaryOf returns the summary that a document stands on, nil without one.
func summaryOf(d reports.Document) *reports.Summary {
	switch {
	case d.Summary != nil:
		return d.Summary
	case d.Queue != nil:
		return &d.Queue.Summary
	}
	return nil
}

// inputsNamed is how many inputs are named at the top; all are in the table at the end.
const inputsNamed = 3

// inputNames names the first inputs and counts the others.
func inputNames(d reports.Document) string {
	var names []string
	for _, in := range d.Inputs {
		names = append(names, in.Name)
	}
	if more := len(names) - inputsNamed; more > 0 {
		names = append(names[:inputsNamed], fmt.Sprintf("%s more", reports.Integer(int64(more))))
	}
	return strings.Join(names, ", ")
}

// banner writes what a reader must know before any figure: warnings of a report, and what is
// left out of the file.
func (f *file) banner(m *markup) {
	warnings := warningsOf(f.document)
	notice := f.left.words(f.limit)
	if len(warnings) == 0 && len(notice) == 0 {
		return
	}
	m.raw("<section class=\"banner\" aria-labelledby=\"banner.\">\n<h2 id=\"banner.\">Before you read on</h2>\n<ul>\n")
	for _, x := range warnings {
		m.raw("<li>")
		m.text(x.Text)
		if x.ID != "" {
			m.raw(" ")
			m.element("code", x.ID)
		}
		m.raw("</li>\n")
	}
	for _, text := range notice {
		m.element("li", text, "class", "left-out")
	}
	m.raw("</ul>\n</section>\n")
}

// warningsOf returns what a reader must know before any figure.
func warningsOf(d reports.Document) []reports.Warning {
	if d.Report == nil {
		return nil
	}
	return d.Report.Banner
}

// withoutBanner returns a page that does not say again what the banner says above it: formats
// without a banner have the warnings at the start of the first section.
func withoutBanner(p page.Page, warnings []reports.Warning) page.Page {
	if len(p.Sections) == 0 || len(warnings) == 0 {
		return p
	}
	said := func(b page.Block) bool {
		l, ok := b.(page.Labelled)
		return ok && slices.ContainsFunc(warnings, func(w reports.Warning) bool {
			return l.Text == w.Text || l.Text == w.Text+" ("+w.ID+")"
		})
	}
	p.Sections = slices.Clone(p.Sections)
	first := &p.Sections[0]
	first.Blocks = slices.DeleteFunc(slices.Clone(first.Blocks), said)
	return p
}

// index writes the list of sections.
func (f *file) index(m *markup) {
	titled := slices.ContainsFunc(f.sections, func(s section) bool { return s.title != "" })
	if !titled {
		return
	}
	var open, folded []section
	for _, s := range f.sections {
		switch {
		case s.title == "" || s.omitted || s.part:
		case s.folded:
			folded = append(folded, s)
		default:
			open = append(open, s)
		}
	}
	names := indexNames(append(slices.Clone(open), folded...))
	if len(folded) < foldedInIndex || len(open) == 0 {
		open, folded = append(open, folded...), nil
	}
	m.raw("<nav class=\"index\" aria-label=\"Contents\">\n<ol>\n")
	indexLinks(m, open, names)
	m.raw("</ol>\n")
	if folded != nil {
		m.raw("<details open>\n<summary>" + reports.Integer(int64(len(folded))) + " sections of detail</summary>\n<ol>\n")
		indexLinks(m, folded, names)
		m.raw("</ol>\n</details>\n")
	}
	m.raw("</nav>\n")
}

// foldedInIndex is from how many on the sections that a reader opens have a list of their own in
// the index, which is folded as they are.
const foldedInIndex = 3

// indexLinks writes links to sections.
func indexLinks(m *markup, all []section, names map[string]string) {
	for _, s := range all {
		m.raw("<li>")
		m.element("a", names[s.id], append([]string{"href", "#" + anchor(s.id)}, class(nameFirst(s.title))...)...)
		m.raw("</li>\n")
	}
}

// longTitle is from how many characters on a title is cut in the index.
const longTitle = 44

// indexNames says what each section is called in the index, by id: what would be the beginning of
// two names is not cut.
func indexNames(all []section) map[string]string {
	count := map[string]int{}
	for _, s := range all {
		begin, _, _ := strings.Cut(s.title, ": ")
		count[begin]++
	}
	names := map[string]string{}
	for _, s := range all {
		if names[s.id] = indexed(s.title); names[s.id] != s.title && count[names[s.id]] > 1 {
			names[s.id] = s.title
		}
	}
	return names
}

// indexed is a title for the index: of a long one, what stands before the colon.
func indexed(title string) string {
	if name, _, found := strings.Cut(title, ": "); found && utf8.RuneCountInString(title) > longTitle {
		return name
	}
	return title
}

// next writes the command to run next.
func (f *file) next(m *markup) {
	if f.page.Next == "" {
		return
	}
	m.raw("<p class=\"next\">Next: ")
	m.element("code", f.page.Next)
	m.raw("</p>\n")
}

// footer writes how the document was made, so that it can be made again: the command line, the
// tool's version and the digests of what was read. Reports have a section that says so.
func (f *file) footer(m *markup) {
	d := f.document
	m.raw("<footer>\n<h2 id=\"made.\">How this was made</h2>\n<dl class=\"facts\">\n")
	if len(d.Command) > 0 && !f.methodSection() {
		words := make([]string, len(d.Command))
		for i, w := range d.Command {
			words[i] = reports.Quote(w)
		}
		m.raw("<div><dt>command</dt><dd>")
		m.element("code", strings.Join(words, " "))
		m.raw("</dd></div>\n")
	}
	m.raw("<div><dt>tool</dt><dd>")
	m.text(strings.TrimSpace(d.Tool.Name + " " + d.Tool.Version))
	m.raw("</dd></div>\n<div><dt>document</dt><dd>")
	m.text(fmt.Sprintf("%s version %d, ", d.Schema, d.SchemaVersion))
	if f.left.island {
		m.raw("not in this file")
	} else {
		m.raw("in this file as JSON")
	}
	m.raw("</dd></div>\n</dl>\n")
	if !f.methodSection() {
		f.inputs(m)
	}
	m.raw("</footer>\n")
}

// methodSection reports whether a section of the page has the command line and the inputs.
func (f *file) methodSection() bool {
	return f.document.Report != nil && slices.ContainsFunc(f.page.Sections, func(s page.Section) bool { return s.ID == "method" })
}

// inputs writes what was read.
func (f *file) inputs(m *markup) {
	if len(f.document.Inputs) == 0 {
		return
	}
	t := page.Table{
		ID: "inputs.", Caption: "what was read, with the SHA-256 of its bytes",
		Columns: []page.Column{{Head: "input", Text: true, Path: true}, {Head: "format", Text: true}, {Head: "bytes"}, {Head: "SHA-256", Text: true, Path: true}},
	}
	shown := f.inputsShown()
	for _, in := range shown {
		format := in.Format
		if in.Compression != "" {
			format += ", " + in.Compression
		}
		t.Rows = append(t.Rows, []string{in.Name, format, reports.Integer(in.Bytes), in.SHA256})
	}
	(&drawing{}).table(m, t)
	if n := len(f.document.Inputs); len(shown) < n {
		m.element("p", fmt.Sprintf("%s of %s shown; the document as JSON names all", reports.Integer(int64(len(shown))), reports.Integer(int64(n))), "class", "dim")
	}
}

// inputsShown returns the inputs that are named: as many as lists have rows.
func (f *file) inputsShown() []reports.Input {
	list := f.document.Inputs
	if l := f.document.Limit; l != nil && l.Rows > 0 {
		list = list[:min(int64(len(list)), l.Rows)]
	}
	if f.most > 0 {
		list = list[:min(len(list), f.most)]
	}
	return list
}
