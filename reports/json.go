package reports

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
)

// schemaJSON is the published JSON Schema of a Document.
//
//go:embed schema.json
var schemaJSON []byte

// SchemaJSON returns the JSON Schema (draft 2020-12) that every document satisfies.
func SchemaJSON() []byte { return append([]byte{}, schemaJSON...) }

// WriteJSON writes a document as indented JSON with a newline at the end. Equal
// documents give equal bytes.
func WriteJSON(w io.Writer, d Document) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return fmt.Errorf("write %s document as JSON: %w", d.Kind, err)
	}
	return nil
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
	return d, nil
}
