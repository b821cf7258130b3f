package filter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind says what a field holds, and so which operators and values make sense for it.
type Kind uint8

// The kinds of field.
const (
	Any   Kind = iota // text or number, as it was recorded: an attribute
	Text              // text, never a number
	Count             // a number without unit, or of tokens
	Time              // a length of time in ns
	Date              // an instant in ns since the Unix epoch
)

// Field is what is known of a field before any request is looked at.
type Field struct {
	Name  string
	Kind  Kind
	Words []string // all that it may hold; empty for no limit
}

// Check says what is wrong with the fields and values of an expression: a name that is no
// field, a value that no request can have there, an operator that makes no sense for it.
// With open set there are fields beyond those given, of kind Any: attributes, before the
// input is read.
func (e *Expr) Check(fields []Field, open bool) error {
	known := make(map[string]Field, len(fields))
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		known[f.Name] = f
		names = append(names, f.Name)
	}
	var first error
	e.each(func(c *comparison, _ bool) {
		if first != nil {
			return
		}
		f, ok := known[c.field]
		if !ok && !open {
			first = unknownField(e.text, c.at, c.field, names)
			return
		}
		first = c.check(e.text, f.Kind, f.Words)
	})
	return first
}

// unknownField is the error of a name that no request has.
func unknownField(text string, at place, name string, names []string) error {
	hint := "tailpath help filters lists the fields; any attribute that was recorded is one too"
	if near := Nearest(name, names); name == "stage" {
		hint = "the time by stage is shown as it is, and the time in each is a field: queue, gpu and others. " + hint
	} else if near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return &Error{Text: text, Start: at.start, End: at.end, What: "no request has a field " + name, Hint: hint}
}

// check says what is wrong with a comparison of a field of some kind.
func (c *comparison) check(text string, kind Kind, words []string) error {
	fault := func(at place, what, hint string) error {
		return &Error{Text: text, Start: at.start, End: at.end, What: what, Hint: hint}
	}
	switch {
	case c.op.order() && kind == Text:
		return fault(c.opAt, c.field+" is text and has no order", "write = for one text, ~ for a pattern")
	case c.op == Match && (kind == Count || kind == Time):
		return fault(c.opAt, c.field+" is a number, and patterns are about text", "write = < <= > or >=")
	case c.op == Match:
		return nil
	}
	for _, v := range c.values {
		if v.None() {
			if c.op.order() {
				return fault(v.at, "none has no size", "write "+c.field+"=none where nothing was recorded, or a number")
			}
			continue
		}
		if what, hint := c.misfit(v, kind, words); what != "" {
			return fault(v.at, what, hint)
		}
	}
	return nil
}

// misfit says why a value makes no sense for a field, empty when it does.
func (c *comparison) misfit(v Value, kind Kind, words []string) (what, hint string) {
	n, isNumber := v.number()
	_, isTime := v.time()
	_, isDate := v.date()
	write := func(example string) string { return "write " + c.field + string(c.op) + example }
	switch kind {
	case Text:
		if len(words) > 0 && !slices.Contains(words, v.Text) {
			hint = "it is one of " + strings.Join(words, ", ")
			if near := Nearest(v.Text, words); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return c.field + " is never " + v.Text, hint
		}
	case Count:
		if !isNumber {
			return c.field + " is a number", write("500") + ", with k or M for thousands or millions"
		}
	case Time:
		switch {
		case !isTime && isNumber:
			example := fmt.Sprintf("%ss, %sms or %sus", plain(n), plain(n), plain(n))
			return c.field + " is a time, and " + v.Text + " has no unit", write(example)
		case !isTime:
			return c.field + " is a time", write("1.5s, 20ms or 300us")
		}
	case Date:
		if !isDate {
			return c.field + " is a date", write("2026-08-20T12:01:30Z")
		}
	case Any:
		switch {
		case c.op.order() && isNumber:
		case c.op.order() && isTime:
			return "nothing says which unit " + c.field + " is in", write("NUMBER") + " in the unit in which it was recorded"
		case c.op.order():
			return "only numbers have an order", write("500") + ", or = for one text, ~ for a pattern"
		}
	}
	if !v.Quoted && kind != Count && kind != Time && kind != Date && strings.Contains(v.Text, "*") {
		return "= compares text as it is, and here is a *", "write " + c.field + "~" + v.Text + " for a pattern, or quote it"
	}
	return "", ""
}

// plain writes a number without an exponent.
func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
