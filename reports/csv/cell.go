package csv

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/tailpath/tailpath/reports"
)

// cell writes a value, which is no object: a number, text, a truth, or a list of these.
func cell(v reflect.Value) string {
	if words(v.Type()) {
		return guarded(text(v, false))
	}
	return text(v, false)
}

// words says whether the values of a type are text.
func words(of reflect.Type) bool {
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return of.Kind() == reflect.String
}

// text writes a value; within a list, text that a space would part is quoted as for a shell.
func text(v reflect.Value, inList bool) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "null"
		}
		return text(v.Elem(), inList)
	case reflect.String:
		s := spelled(v.String())
		if inList && (s == "" || strings.ContainsAny(s, " ';")) {
			return reports.Quote(s)
		}
		return s
	case reflect.Slice:
		return joined(v)
	}
	number, err := json.Marshal(v.Interface())
	if err != nil { // infinities and what is no number, which a document has none of
		return fmt.Sprint(v.Interface())
	}
	return string(number)
}

// joined writes a list.
func joined(v reflect.Value) string {
	separator := " "
	if v.Type().Elem().Kind() == reflect.Slice {
		separator = ";"
	}
	parts := make([]string, v.Len())
	for i := range parts {
		parts[i] = text(v.Index(i), true)
	}
	return strings.Join(parts, separator)
}

// guarded keeps a spreadsheet from taking text for a formula. Spaces before it do not help:
// some programs drop them.
func guarded(s string) string {
	if first := strings.TrimLeft(s, " "); first != "" && strings.ContainsAny(first[:firstLength(first)], "=+-@＝＋－＠") {
		return "'" + s
	}
	return s
}

// firstLength returns the length of the first character in bytes.
func firstLength(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

// spelled writes control characters, line breaks among them, and those that reorder or hide
// text by their number, so that a row is one line and can be looked at as it is.
func spelled(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	hidden := func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point,
			unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
