package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/html"
)

// renderCommand declares render.
func renderCommand() command {
	return command{
		name: "render", operands: "REPORT.json", files: true, also: formatMetrics,
		about: "a document that was written as JSON or HTML, in another format",
		examples: []example{
			{"tailpath render report.json -o report.html", "a file for a browser"},
			{"tailpath render report.html", "the text of it"},
			{"tailpath render week.json -f csv --table list", "what tables there are"},
		},
		more: []string{
			"Nothing else is read. The text is that of the run that wrote the document, with",
			"the same flags. It only draws: a condition of --fail-on that is true is shown,",
			"and the exit code is 0.",
		},
		flags: []string{"format", "output", "table", "config", "limit", "max-size", "no-warn", "color", "ascii", "quiet", "verbose", "help"}, run: runRender,
	}
}

func runRender(p *program, _ context.Context, operands []string) error {
	c := renderCommand()
	operands, err := p.operandsOf(c, operands)
	if err != nil {
		return err
	}
	if len(operands) != 1 {
		return usage(c.name, "takes one document and has "+strconv.Itoa(len(operands)), "render them one by one")
	}
	if err := p.checkOutput(c, operands); err != nil {
		return err
	}
	name := operands[0]
	var data []byte
	if name == stdioName {
		data, err = io.ReadAll(p.stdin)
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return failed(name, err, "render reads what -f json or -f html wrote: tailpath summary FILE -o report.json")
	}
	doc, err := documentIn(name, data)
	if err != nil {
		return err
	}
	out, err := drawForeign(name, p.silenced(doc), func(doc reports.Document) ([]byte, error) {
		p.tellFewer(name, doc)
		return p.draw(p.limited(doc))
	})
	if err != nil {
		return err
	}
	return p.deliver(out)
}

// drawForeign draws a document that was read. One that tailpath wrote can be drawn; one that
// was changed since may have an index that points nowhere or lists of unequal lengths, which
// no schema says, and whatever comes of that is a fault of the file.
func drawForeign(name string, doc reports.Document, draw func(reports.Document) ([]byte, error)) (out []byte, err error) {
	defer func() {
		if recover() != nil {
			out, err = nil, usage(name, "cannot be drawn: its parts do not fit together, as if it was changed by hand", "make it anew"+madeBy(doc.Command))
		}
	}()
	return draw(doc)
}

// wantsDocument says what render reads.
const wantsDocument = "render reads what -f json or -f html wrote: tailpath summary FILE -o report.json"

// marked is what every version of a document begins with.
type marked struct {
	Schema  string        `json:"schema"`
	Version *int          `json:"schema_version"`
	Tool    *reports.Tool `json:"tool"`
	Command []string      `json:"command"`
}

// documentIn returns the document in a file: JSON, or HTML with JSON in it.
func documentIn(name string, data []byte) (reports.Document, error) {
	var none reports.Document
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	switch {
	case len(data) == 0:
		return none, usage(name, "is empty", wantsDocument)
	case data[0] == '<':
		island, err := html.Island(bytes.NewReader(data))
		if err != nil {
			return none, usage(name, "has no document in it: it is another's HTML, or was too long to keep it", wantsDocument)
		}
		data = island
	}
	var m marked
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&m); err != nil && m.Schema != reports.SchemaName {
		return none, usage(name, "is no document of tailpath: "+err.Error(), wantsDocument)
	}
	switch {
	case m.Schema != reports.SchemaName || m.Version == nil:
		return none, usage(name, "is JSON, and no document of tailpath", wantsDocument)
	case *m.Version != reports.SchemaVersion:
		hint := "the tailpath that wrote it can draw it"
		if m.Tool != nil && m.Tool.Version != "" {
			hint = "tailpath " + m.Tool.Version + ", which wrote it, can draw it"
		}
		return none, usage(name, fmt.Sprintf("is a document of version %d, and this tailpath reads version %d", *m.Version, reports.SchemaVersion), hint+"; or make it anew"+madeBy(m.Command))
	}
	if len(bytes.TrimSpace(data[decoder.InputOffset():])) > 0 {
		return none, usage(name, "has more than one document in it", "render them one by one")
	}
	doc, err := reports.ReadJSON(bytes.NewReader(data))
	if err != nil {
		return none, usage(name, strings.TrimPrefix(err.Error(), "read document: "), "it was changed, or written by a later tailpath: make it anew"+madeBy(m.Command))
	}
	if !complete(doc) {
		return none, usage(name, fmt.Sprintf("says that it is a document of kind %q, and has no such part", doc.Kind), "it was changed: make it anew"+madeBy(doc.Command))
	}
	return doc, nil
}

// madeBy says with what command a document can be made again.
func madeBy(command []string) string {
	if len(command) == 0 {
		return ""
	}
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = reports.Quote(word)
	}
	return ": " + strings.Join(words, " ")
}

// complete says whether a document has what its kind is about.
func complete(d reports.Document) bool {
	switch d.Kind {
	case reports.KindSummary:
		return d.Summary != nil
	case reports.KindExplain:
		return d.Requests != nil
	case reports.KindInspect:
		return d.Inspect != nil
	case reports.KindQueue:
		return d.Queue != nil
	case reports.KindCapacity:
		return d.Capacity != nil
	case reports.KindCompare:
		return d.Compare != nil
	case reports.KindReport:
		return d.Report != nil
	}
	return false
}
