package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
	"github.com/tailpath/tailpath/reports/page"
)

// MaxBytes is how long a file is at most unless Options say otherwise. Browsers open files of
// that length at once, and they go through mail.
const MaxBytes = 2_000_000

// Options say how a file is made.
type Options struct {
	// MaxBytes is how long the file is at most, in bytes; 0 for MaxBytes of the package. What is
	// folded is left out first, from the last on, then waterfalls, then the document as JSON, then
	// the last rows of long tables.
	MaxBytes int64
	// Strict refuses to write a file that is longer all the same.
	Strict bool
}

var (
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// Write draws a document and its page as one HTML file of at most MaxBytes.
func Write(w io.Writer, d reports.Document, p page.Page) error { return Options{}.Write(w, d, p) }

// Write draws a document and its page as one HTML file. With Strict it writes nothing where that
// cannot be as short as it must, and returns a *reports.TooLongError.
func (o Options) Write(w io.Writer, d reports.Document, p page.Page) error {
	data, err := island(d)
	if err != nil {
		return fmt.Errorf("write %s as HTML: %w", d.Kind, err)
	}
	f := &file{document: d, page: p, island: data, limit: o.MaxBytes}
	f.lead, p = leadOf(d, withoutBanner(p, warningsOf(d)))
	f.body, f.sections = p, sectionsOf(p)
	if f.limit <= 0 {
		f.limit = MaxBytes
	}
	text := f.fitted()
	if o.Strict && f.left.over {
		return &reports.TooLongError{Least: f.left.least, Most: f.limit}
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write %s as HTML: %w", d.Kind, err)
	}
	return nil
}

// file is a file that is being put together.
type file struct {
	document reports.Document
	page     page.Page
	body     page.Page // without what the lead has
	lead     lead
	sections []section
	island   string
	limit    int64
	left     leftOut
	most     int // rows that tables have; 0 for all
}

// html returns the whole file as it stands.
func (f *file) html() string {
	m := &markup{}
	m.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	style, script := stylesheet(), "\n"+pageJS
	m.raw(`<meta http-equiv="Content-Security-Policy" content="` + policy(style, script) + "\">\n")
	m.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	m.element("title", heading(f.document)+": "+f.page.Headline)
	m.raw("<style>" + style + "</style>\n<script>" + script + "</script>\n</head>\n<body>\n")
	m.raw("<a class=\"skip\" href=\"#main.\">Skip to the content</a>\n")
	f.header(m)
	m.raw("<div class=\"columns\">\n")
	f.index(m)
	m.raw("<main id=\"main.\" tabindex=\"-1\">\n")
	for _, s := range f.sections {
		m.raw(s.html())
	}
	f.next(m)
	m.raw("</main>\n</div>\n")
	f.footer(m)
	if !f.left.island {
		m.raw(f.island)
	}
	m.raw("</body>\n</html>\n")
	return m.out.String()
}

// policy lets in the style and the script by their digests, and nothing else from anywhere.
func policy(style, script string) string {
	return "default-src 'none'; style-src " + digest(style) + "; script-src " + digest(script) + "; base-uri 'none'; form-action 'none'"
}

// digest is the hash source of a content security policy (CSP level 3, 2.3.1) for a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// stylesheet returns the style of the page and of its charts.
func stylesheet() string {
	return "\n" + themes() + pageCSS + chart.CSS()
}
