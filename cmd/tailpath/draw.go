package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/csv"
	"github.com/tailpath/tailpath/reports/html"
	"github.com/tailpath/tailpath/reports/markdown"
	"github.com/tailpath/tailpath/reports/openmetrics"
	reportpage "github.com/tailpath/tailpath/reports/page"
	reporttext "github.com/tailpath/tailpath/reports/text"
)

// The formats of a document.
const (
	formatText     = "text"
	formatJSON     = "json"
	formatMarkdown = "md"
	formatCSV      = "csv"
	formatHTML     = "html"
	formatMetrics  = exportOpenMetrics // of render, for the figures of a week
)

// documentFormats lists the formats in the order of help.
var documentFormats = []string{formatText, formatJSON, formatMarkdown, formatCSV, formatHTML}

// formatExtensions says which format the name of an output asks for.
var formatExtensions = map[string]string{
	".txt": formatText, ".json": formatJSON, ".md": formatMarkdown, ".markdown": formatMarkdown, ".csv": formatCSV, ".html": formatHTML, ".htm": formatHTML,
}

// documentFormat returns the format of the document: that of --format, else that of
// the output file's name, else text.
func (v *flagValues) documentFormat() string {
	if v.format != "" {
		return v.format
	}
	if format, ok := formatExtensions[strings.ToLower(filepath.Ext(v.output))]; ok {
		return format
	}
	return formatText
}

// draw draws a document in the format that the flags ask for. It looks at the document alone.
func (p *program) draw(doc reports.Document) ([]byte, error) {
	var out bytes.Buffer
	var err error
	switch p.flags.documentFormat() {
	case formatJSON:
		err = reports.WriteJSON(&out, doc)
	case formatMarkdown:
		err = p.tooLong(markdown.Options{MaxBytes: p.maxSize()}.Write(&out, doc, p.page(doc)))
	case formatHTML:
		size := p.maxSize()
		err = p.tooLong(html.Options{MaxBytes: size, Strict: size > 0}.Write(&out, doc, p.page(doc)))
	case formatCSV:
		err = tableFault(csv.Write(&out, doc, p.flags.table))
		p.tellCut(doc)
	case formatMetrics:
		if err = openmetrics.Write(&out, doc); err != nil {
			err = usage("-f "+formatMetrics, err.Error(), "it is for what summary, queue and report wrote")
		}
	default:
		err = reporttext.Write(&out, doc, p.textOptions())
	}
	if err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// page returns the page of a document for a reader who scrolls. The rows of CSV and the JSON
// have the names in full that it shortens.
func (p *program) page(doc reports.Document) reportpage.Page {
	return reportpage.Of(doc, reportpage.Options{Verbose: p.flags.verbose, Brief: true})
}

// checkTable refuses a --table that no document has, before anything is read for it.
func (p *program) checkTable() error {
	name := p.flags.table
	if name == "" {
		return nil
	}
	if format := p.flags.documentFormat(); format != formatCSV {
		return usage("--table "+name, "is for CSV, and the output is "+format, "add -f csv, or name the output so with -o FILE.csv")
	}
	if name == csv.List || slices.Contains(csv.Names(), name) {
		return nil
	}
	hint := "--table list prints the names"
	if near := nearestTable(name); near != "" {
		hint = "did you mean --table " + near + "? " + hint
	}
	return usage("--table "+name, "there is no such table", hint)
}

// nearestTable returns the table that a word most likely means: one whose name ends with it,
// or is spelled much like it.
func nearestTable(word string) string {
	names := append(csv.Names(), csv.List)
	for _, name := range names {
		if strings.HasSuffix(name, "."+word) {
			return name
		}
	}
	return nearest(word, names)
}

// tableFault is the fault of a table that documents of another kind have.
func tableFault(err error) error {
	if unknown, ok := err.(*csv.UnknownError); ok {
		return usage("--table "+unknown.Name, "a "+string(unknown.Kind)+" has no such table; those with rows are "+strings.Join(unknown.Have, ", "), "--table list prints them with what is in them")
	}
	return err
}
