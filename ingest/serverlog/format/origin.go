package format

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFile bounds a format file, which no person writes larger.
const maxFile = 1 << 20

// Parse reads a declaration from YAML; name names it in errors. Unknown keys and
// values of a wrong type are errors, told as name:line:column. What the declaration
// means is checked by Compile.
func Parse(data []byte, name string) (d *Declaration, err error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: format file of %d bytes is larger than %d", name, len(data), maxFile)
	}
	// The YAML module panics on some malformed inputs; a broken file is an error of
	// the file, whatever the module makes of it.
	defer func() {
		if p := recover(); p != nil {
			d, err = nil, fmt.Errorf("%s: not valid YAML: %v", name, p)
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, placed(name, err)
	}
	d = &Declaration{origin: &origin{name, file}}
	if err := yaml.UnmarshalWithOptions(data, d, yaml.Strict()); err != nil {
		return nil, placed(name, err)
	}
	return d, nil
}

// placed turns an error of the YAML module into one that begins with its place.
func placed(name string, err error) error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position != nil {
		p := at.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s", name, p.Line, p.Column, at.GetMessage())
	}
	return fmt.Errorf("%s: %w", name, err)
}

// origin knows where the texts of a declaration stand in its file.
type origin struct {
	name string
	file *ast.File
}

// at is the way to a text within a declaration: keys and indexes.
type at []any

// in returns the way to something below.
func (a at) in(steps ...any) at { return append(a[:len(a):len(a)], steps...) }

// String spells the way for a declaration that has no file.
func (a at) String() string {
	var b strings.Builder
	for _, step := range a {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}

// fault is an error of a declaration: what is wrong and the way to it.
func (d *Declaration) fault(where at, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if d.origin != nil {
		line, column := d.origin.place(where)
		return fmt.Errorf("%s:%d:%d: %s: %w", d.origin.name, line, column, where, err)
	}
	name := "format " + strconv.Quote(d.ID)
	if len(where) == 0 {
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s: %s: %w", name, where, err)
}

// place returns the line and column of a text, or of the nearest thing around it.
func (o *origin) place(where at) (line, column int) {
	line, column = 1, 1
	if len(o.file.Docs) == 0 || o.file.Docs[0].Body == nil {
		return line, column
	}
	node := o.file.Docs[0].Body
	for i := 0; ; i++ {
		if token := node.GetToken(); token != nil && token.Position != nil {
			line, column = token.Position.Line, token.Position.Column
		}
		if i == len(where) {
			return line, column
		}
		if node = step(node, where[i]); node == nil {
			return line, column
		}
	}
}

// step returns the value of a key or the element of an index, nil if there is none.
func step(node ast.Node, by any) ast.Node {
	switch n := node.(type) {
	case *ast.AnchorNode:
		return step(n.Value, by)
	case *ast.TagNode:
		return step(n.Value, by)
	case *ast.SequenceNode:
		if i, ok := by.(int); ok && i < len(n.Values) {
			return n.Values[i]
		}
	case *ast.MappingNode:
		for _, pair := range n.Values {
			if found := step(pair, by); found != nil {
				return found
			}
		}
	case *ast.MappingValueNode:
		if key := n.Key.GetToken(); key != nil && key.Value == by {
			return n.Value
		}
	default:
		if i, ok := by.(int); ok && i == 0 { // one name where a list is meant
			return node
		}
	}
	return nil
}
