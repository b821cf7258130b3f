package template

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// mark stands for a variable while the text around it is parsed as JSON. No format
// string holds the character.
const mark = "\ufdd0"

// nginxJSON makes a record of fields of a JSON object, if the format is one. It is not
// if a list may stand in it without quotes, which is no JSON: a pattern reads that.
func nginxJSON(pieces []piece, record *format.RecordDeclaration) (fields map[string]bool, ok bool) {
	first := pieces[0].literal
	if !strings.HasPrefix(strings.TrimLeft(first, " \t\n"), "{") {
		return nil, false
	}
	for i, p := range pieces {
		if strings.HasPrefix(p.field.typ, "list(") && !between(pieces, i, `"`) {
			return nil, false
		}
	}
	var whole, example strings.Builder
	for i, p := range pieces {
		switch {
		case p.literal != "":
			whole.WriteString(p.literal)
			example.WriteString(p.literal)
			continue
		case between(pieces, i, ""):
			whole.WriteString(`"` + mark + strconv.Itoa(i) + mark + `"`)
			if p.field.sample == "x" {
				p.field.sample = "0"
			}
		default:
			whole.WriteString(mark + strconv.Itoa(i) + mark)
		}
		if p.request {
			p.field.sample = "POST /v1/chat/completions HTTP/1.1"
		}
		example.WriteString(p.field.sample)
	}
	leaves, err := leavesOf(whole.String())
	if err != nil || !json.Valid([]byte(example.String())) {
		return nil, false
	}
	fields = map[string]bool{}
	record.JSON = format.Fields{}
	for _, leaf := range leaves {
		number, whole := strings.CutPrefix(leaf.text, mark)
		number, closed := strings.CutSuffix(number, mark)
		i, err := strconv.Atoi(number)
		if !whole || !closed || err != nil {
			continue
		}
		f := pieces[i].field
		if pieces[i].request {
			f = field{"route", "text", ""}
		}
		if f.name == "" || fields[f.name] {
			continue
		}
		fields[f.name] = true
		record.JSON[f.name] = format.FieldDeclaration{Path: format.Names{leaf.path}, Type: jsonType(f.typ)}
	}
	record.Example = example.String()
	return fields, true
}

// jsonType is the type of a field whose text is a whole JSON value.
func jsonType(typ string) string {
	if typ == "token" {
		return "text"
	}
	return typ
}

// between reports whether the variable at i stands in quotes; or, with quote "", whether
// it stands outside of every string.
func between(pieces []piece, i int, quote string) bool {
	inside := false
	for _, p := range pieces[:i] {
		for j := 0; j < len(p.literal); j++ {
			switch p.literal[j] {
			case '\\':
				j++
			case '"':
				inside = !inside
			}
		}
	}
	return inside == (quote != "")
}

// leaf is a string in a JSON value and the way to it.
type leaf struct{ path, text string }

// leavesOf returns the strings of a JSON object in their order.
func leavesOf(text string) ([]leaf, error) {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	var leaves []leaf
	var walk func(path string) error
	walk = func(path string) error {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case json.Delim:
			for n := 0; dec.More(); n++ {
				step := strconv.Itoa(n)
				if token == '{' {
					key, err := dec.Token()
					if err != nil {
						return err
					}
					step = key.(string)
				}
				if path != "" {
					step = path + "." + step
				}
				if err := walk(step); err != nil {
					return err
				}
			}
			_, err = dec.Token()
			return err
		case string:
			leaves = append(leaves, leaf{path, token})
		}
		return nil
	}
	if err := walk(""); err != nil {
		return nil, err
	}
	return leaves, nil
}
