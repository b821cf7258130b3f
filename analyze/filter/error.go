package filter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is what is wrong with a text of this language, and where.
type Error struct {
	Text       string // all of it
	Start, End int    // bytes [Start, End) of Text are wrong; equal where something is missing
	What       string
	Hint       string // what to write instead; may be empty
}

// Error returns what is wrong with the number of the character, from 1.
func (e *Error) Error() string {
	return fmt.Sprintf("character %d: %s", utf8.RuneCountInString(e.Text[:e.Start])+1, e.What)
}

// The most columns of an excerpt before what is wrong, and of it with what follows.
const (
	columnsBefore = 40
	columnsAfter  = 32
)

// Excerpt returns the text in one line fit to be printed, and a line of carets that stands
// below what is wrong. Of a long text it is the part around that, with ... where it is cut.
func (e *Error) Excerpt() (text, carets string) {
	from, to := e.cut()
	var line, marks strings.Builder
	if from > 0 {
		line.WriteString("...")
		marks.WriteString("   ")
	}
	for i, r := range e.Text {
		if i < from || i >= to {
			continue
		}
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case !unicode.IsPrint(r):
			r = unicode.ReplacementChar
		}
		line.WriteRune(r)
		switch {
		case i < e.Start:
			marks.WriteString(strings.Repeat(" ", columns(r)))
		case i < max(e.End, e.Start+1):
			marks.WriteString(strings.Repeat("^", columns(r)))
		}
	}
	if !strings.HasSuffix(marks.String(), "^") { // at the end, or under what has no width
		marks.WriteByte('^')
	}
	if to < len(e.Text) {
		line.WriteString("...")
	}
	return line.String(), marks.String()
}

// cut returns the bytes [from, to) of the text that fit into an excerpt. What has no width
// counts as a column, or thousands of marks on one letter would fit.
func (e *Error) cut() (from, to int) {
	from, to = e.Start, e.Start
	for width := 0; from > 0; {
		r, size := utf8.DecodeLastRuneInString(e.Text[:from])
		if width += max(1, columns(r)); width > columnsBefore {
			break
		}
		from -= size
	}
	for width := 0; to < len(e.Text); {
		r, size := utf8.DecodeRuneInString(e.Text[to:])
		if width += max(1, columns(r)); width > columnsAfter {
			break
		}
		to += size
	}
	return from, to
}

// columns returns the width of a character on a terminal.
func columns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), r >= 0xff01 && r <= 0xff60:
		return 2
	}
	return 1
}
