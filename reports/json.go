package reports

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// schemaJSON is the published JSON Schema of a Document.
//
//go:embed schema.json
var schemaJSON []byte

// SchemaJSON returns the JSON Schema (draft 2020-12) that every document satisfies.
func SchemaJSON() []byte { return append([]byte{}, schemaJSON...) }

// WriteJSON writes a document as indented JSON with a newline at the end. Equal
// documents give equal bytes. Characters that a terminal obeys or that reorder text
// unseen are escaped, so that a document can be looked at as it is.
func WriteJSON(w io.Writer, d Document) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	if err == nil {
		_, err = w.Write(escaped(b.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("write %s document as JSON: %w", d.Kind, err)
	}
	return nil
}

// escaped writes U+007F to U+009F and the format characters (category Cf) of a JSON
// text as \uXXXX. Outside strings JSON has none of them. The encoder has escaped the
// other control characters already.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r >= 0x7f && r <= 0x9f, r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r):
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
}

// ReadJSON reads a document that WriteJSON wrote. It refuses other schemas and
// versions, and fields it does not know, since it would lose them.
func ReadJSON(r io.Reader) (Document, error) {
	var d Document
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Document{}, fmt.Errorf("read document: %w", err)
	}
	if d.Schema != SchemaName || d.SchemaVersion != SchemaVersion {
		return Document{}, fmt.Errorf("read document: %q version %d is not %q version %d: use the tailpath that wrote it", d.Schema, d.SchemaVersion, SchemaName, SchemaVersion)
	}
	d.filled()
	return d, nil
}

// filled gives a document what ones of its version had not at first, and what follows from the
// rest: all incidents were listed then, and a timeline told of five.
func (d *Document) filled() {
	if d.Queue == nil {
		return
	}
	list := d.Queue.When.Incidents
	for i := range list {
		if list[i].No == 0 {
			list[i].No = int64(i) + 1
		}
	}
	if d.Report != nil && d.Report.TimelineIncidents == 0 {
		d.Report.TimelineIncidents = int64(min(len(list), TimelineIncidents))
	}
}
