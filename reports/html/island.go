package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// The element that holds the document.
const (
	islandStart = `<script type="application/json" id="document">`
	islandEnd   = `</script>`
)

// island writes the document as JSON that is safe inside a script element. JSON has <, > and &
// in strings alone, where an escape means the same; reports.WriteJSON has escaped what else a
// script would mind, but for the two line separators.
func island(d reports.Document) (string, error) {
	var indented, compact bytes.Buffer
	err := reports.WriteJSON(&indented, d)
	if err == nil {
		err = json.Compact(&compact, indented.Bytes())
	}
	if err != nil {
		return "", err
	}
	safe := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)
	return islandStart + safe.Replace(compact.String()) + islandEnd + "\n", nil
}

// Island returns the JSON of the document in a file that Write wrote, for reports.ReadJSON. The
// error says when there is none: the file is another's, or too long to have kept it.
func Island(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read document from HTML: %w", err)
	}
	_, rest, found := bytes.Cut(text, []byte(islandStart))
	document, _, ended := bytes.Cut(rest, []byte(islandEnd))
	if !found || !ended {
		return nil, fmt.Errorf("read document from HTML: no document in it: take the file that -f json wrote")
	}
	return document, nil
}
