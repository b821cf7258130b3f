package table

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// WriteCSV writes a table of a set as CSV of RFC 4180, for spreadsheets and scripts: a header
// with the names of the schema's columns, then a line a row, each ended by a line feed.
//
// Integers and times are as they are, in the unit of their column; ids are hexadecimal digits,
// enums their words, booleans true and false. What is absent is an empty field. A column of
// attributes is a JSON object with its keys in recorded order; a key that was recorded twice
// stands there twice, bytes are base64, and what JSON has no number for (NaN, the infinities) is
// a string.
//
// Text is as in the other files, see the package comment, but for two things: characters that
// steer a terminal, break a line, or reorder or hide text are spelled \u{1b}, so that a row is one
// line; and where a spreadsheet would take it for a formula, because it begins with =, +, -, @ or
// the wide form of one, or with spaces and then one, an apostrophe is put before it. Parquet and Arrow files hold it as it was.
func WriteCSV(w io.Writer, s *Set, t *Rows) error {
	if err := s.Validate(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	header := make([]string, 0, len(t.cols))
	spell := make([]func(row int) string, 0, len(t.cols))
	for i, f := range t.schema.Fields {
		header = append(header, f.Name)
		spell = append(spell, s.speller(f, t.cols[i]))
	}
	csvLine(out, header)
	fields := make([]string, len(spell))
	for row := range t.Len() {
		for i := range fields {
			fields[i] = spell[i](row)
		}
		csvLine(out, fields)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("table %s: %w", t.schema.Name, err)
	}
	return nil
}

// csvLine writes a row. Errors stay with the writer until it is flushed. In quotation marks are
// the fields that the format wants them for, those with a space at an end that readers would
// drop, and those that begin with an apostrophe: who guesses the format of a file takes that for
// its quotation mark.
func csvLine(out *bufio.Writer, fields []string) {
	for i, field := range fields {
		if i > 0 {
			out.WriteByte(',')
		}
		if !strings.ContainsAny(field, ",\"\r\n") && !strings.HasPrefix(field, "'") && strings.Trim(field, " ") == field {
			out.WriteString(field)
			continue
		}
		out.WriteByte('"')
		out.WriteString(strings.ReplaceAll(field, "\"", "\"\""))
		out.WriteByte('"')
	}
	out.WriteByte('\n')
}

// speller returns what spells the field of a row in one column.
func (s *Set) speller(f Field, c column) func(row int) string {
	switch vals := c.slice().(type) {
	case *[]bool:
		return func(row int) string { return strconv.FormatBool((*vals)[row]) }
	case *[]uint8:
		return func(row int) string { return f.Names[(*vals)[row]] }
	case *[]int32:
		return func(row int) string { return strconv.FormatInt(int64((*vals)[row]), 10) }
	case *[]int64:
		return func(row int) string {
			if v := (*vals)[row]; !f.Nullable || v != Missing {
				return strconv.FormatInt(v, 10)
			}
			return ""
		}
	case *[]float64:
		return func(row int) string {
			if v := (*vals)[row]; !f.Nullable || !math.IsNaN(v) {
				return strconv.FormatFloat(v, 'g', -1, 64)
			}
			return ""
		}
	case *[]Sym:
		return func(row int) string { return csvText(escapeText(s.Symbols.Text((*vals)[row]))) }
	case *[]string:
		return func(row int) string { return csvText(escapeText((*vals)[row])) }
	case *[]TraceID:
		return func(row int) string {
			id := (*vals)[row]
			return spellID(id[:], f.Nullable && id == TraceID{})
		}
	case *[]SpanID:
		return func(row int) string {
			id := (*vals)[row]
			return spellID(id[:], f.Nullable && id == SpanID{})
		}
	case *Attrs:
		return func(row int) string { return s.spellAttrs(vals, row) }
	}
	panic(fmt.Sprintf("column %s: no way to spell its type", f.Name)) // a new type of column, which the first test finds
}

func spellID(id []byte, absent bool) string {
	if absent {
		return ""
	}
	return hex.EncodeToString(id)
}

// csvText makes text fit for a cell: see WriteCSV.
func csvText(text string) string {
	if strings.IndexFunc(text, unseen) >= 0 {
		var out strings.Builder
		for _, r := range text {
			if unseen(r) {
				fmt.Fprintf(&out, "\\u{%x}", r)
			} else {
				out.WriteRune(r)
			}
		}
		text = out.String()
	}
	// Spaces before it do not help: some programs drop them.
	first, size := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	if size > 0 && strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + text
	}
	return text
}

// unseen reports whether a character is not seen and may steer a terminal, break a line, or
// reorder or hide text.
func unseen(r rune) bool {
	return r < ' ' || r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// spellAttrs spells the attributes of a row as a JSON object, empty for none.
func (s *Set) spellAttrs(a *Attrs, row int) string {
	n := a.Count(row)
	if n == 0 {
		return ""
	}
	out := []byte{'{'}
	for j := range n {
		if j > 0 {
			out = append(out, ',')
		}
		entry := a.At(row, j)
		out = appendJSONText(out, escapeText(s.Symbols.Text(entry.Key)))
		out = append(out, ':')
		out = appendJSONValue(out, entry.Value)
	}
	return string(append(out, '}'))
}

func appendJSONValue(out []byte, v Value) []byte {
	switch v.Type {
	case ValueBool:
		return strconv.AppendBool(out, v.Bool())
	case ValueInt:
		return strconv.AppendInt(out, v.Int(), 10)
	case ValueDouble:
		if f := v.Double(); math.IsNaN(f) || math.IsInf(f, 0) {
			return appendJSONText(out, strconv.FormatFloat(f, 'g', -1, 64))
		}
		return strconv.AppendFloat(out, v.Double(), 'g', -1, 64)
	case ValueString, ValueBytes:
		return appendJSONText(out, spellValue(v.Type, v.Text))
	case ValueArray, ValueKvlist:
		// They are kept as JSON; what is no longer JSON, because of bytes in it that are no
		// UTF-8, is text, and so is what has characters in it that are not seen.
		if utf8.Valid(v.Text) && json.Valid(v.Text) && bytes.IndexFunc(v.Text, unseen) < 0 {
			return append(out, v.Text...)
		}
		return appendJSONText(out, spellValue(v.Type, v.Text))
	}
	return append(out, "null"...)
}

// appendJSONText appends valid UTF-8 as a JSON string. What is not seen is spelled as JSON has it.
func appendJSONText(out []byte, text string) []byte {
	out = append(out, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case unseen(r):
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, "\\u%04x", unit)
			}
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}
