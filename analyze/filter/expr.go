package filter

import (
	"regexp"
	"strings"
)

// Expr is a parsed expression: a condition that holds for a request or does not.
type Expr struct {
	text string // as it was given
	root node
}

// And joins expressions, of which there must be one at least: the result holds where all
// of them do. Its fields and values must have been checked before.
func And(list ...*Expr) *Expr {
	if len(list) == 1 {
		return list[0]
	}
	var parts and
	for _, e := range list {
		if inner, same := e.root.(and); same {
			parts = append(parts, inner...)
		} else {
			parts = append(parts, e.root)
		}
	}
	return &Expr{text: parts.String(), root: parts}
}

// Text returns the expression as it was given.
func (e *Expr) Text() string { return e.text }

// String returns the expression in its plain form, which parses to the same expression.
func (e *Expr) String() string { return e.root.String() }

// Fields returns the names that the expression compares, in order, each once.
func (e *Expr) Fields() []string {
	var names []string
	seen := map[string]bool{}
	e.each(func(c *comparison, _ bool) {
		if !seen[c.field] {
			seen[c.field] = true
			names = append(names, c.field)
		}
	})
	return names
}

// Equals returns the texts that the expression asks a field to be, in order: those that it
// compares the field with by =, or by != where that is negated, and not those that it
// excludes. Two negations are none.
func (e *Expr) Equals(field string) []string {
	var texts []string
	e.each(func(c *comparison, negated bool) {
		asks := Equal
		if negated {
			asks = NotEqual
		}
		if c.field != field || c.op != asks {
			return
		}
		for _, v := range c.values {
			if !v.None() {
				texts = append(texts, v.Text)
			}
		}
	})
	return texts
}

// each calls f with every comparison, in order, and whether it is negated where it stands.
func (e *Expr) each(f func(c *comparison, negated bool)) { e.root.each(false, f) }

// node is a part of an expression.
type node interface {
	String() string
	each(negated bool, f func(c *comparison, negated bool))
}

type (
	// and and or have two parts or more, none of which is of their own kind.
	and []node
	or  []node
	not struct{ of node }
	// comparison compares a field with a value, or with each of a list.
	comparison struct {
		field  string
		op     Op
		values []Value
		list   bool
		quoted bool // the field was
		// matches is the pattern of Match.
		matches  *regexp.Regexp
		at, opAt place
	}
)

// Op is an operator.
type Op string

// The operators. Match is about patterns.
const (
	Equal        Op = "="
	NotEqual     Op = "!="
	Less         Op = "<"
	LessEqual    Op = "<="
	Greater      Op = ">"
	GreaterEqual Op = ">="
	Match        Op = "~"
)

// order reports whether the operator compares by size.
func (o Op) order() bool { return o[0] == '<' || o[0] == '>' }

// Holds reports whether the operator, which must compare by size, holds between two numbers.
func (o Op) Holds(a, b float64) bool {
	switch o {
	case Less:
		return a < b
	case LessEqual:
		return a <= b
	case Greater:
		return a > b
	}
	return a >= b
}

func (n and) String() string { return joined(n, " AND ") }
func (n or) String() string  { return joined(n, " OR ") }
func (n not) String() string { return "-" + grouped(n.of) }

// joined writes parts with a word between them; what binds less is put in parentheses.
func joined(parts []node, word string) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = grouped(p)
		if _, both := p.(and); both { // AND binds more than OR, in which alone it can be
			texts[i] = p.String()
		}
	}
	return strings.Join(texts, word)
}

// grouped writes a part so that it stands for itself.
func grouped(n node) string {
	switch n.(type) {
	case and, or:
		return "(" + n.String() + ")"
	}
	return n.String()
}

func (c *comparison) String() string {
	field := c.field
	if c.quoted {
		field = Value{Text: c.field, Quoted: true}.String()
	}
	if !c.list {
		return field + string(c.op) + c.values[0].String()
	}
	return field + string(c.op) + listString(c.values)
}

func listString(values []Value) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.String()
	}
	return "(" + strings.Join(texts, " ") + ")"
}

func (n and) each(negated bool, f func(*comparison, bool)) { eachOf(n, negated, f) }
func (n or) each(negated bool, f func(*comparison, bool))  { eachOf(n, negated, f) }
func (n not) each(negated bool, f func(*comparison, bool)) { n.of.each(!negated, f) }

func (c *comparison) each(negated bool, f func(*comparison, bool)) { f(c, negated) }

func eachOf(parts []node, negated bool, f func(*comparison, bool)) {
	for _, p := range parts {
		p.each(negated, f)
	}
}
