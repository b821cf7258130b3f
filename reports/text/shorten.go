package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports"
)

// The longest that a word and a paragraph may be on a page of some width, in columns. Our own
// paragraphs are less than half as long: what exceeds this quotes a name of the input, of
// which a screen full tells nobody more than its ends.
const (
	wordLongest      = 320
	paragraphLongest = 1200
)

// nameLongest is the longest that a name in a sentence may be, in columns.
const nameLongest = 72

// shorten cuts the middle out of the words of a cleaned paragraph that are too long, then out
// of the paragraph itself, and says how much is missing. Its beginning and its end, where
// figures stand, stay. Without a width nothing is cut: pipes and files get all of it.
func (p *page) shorten(s string) string {
	if p.o.Width == 0 || len(s) <= wordLongest {
		return s
	}
	list := strings.Split(s, " ")
	for i, word := range list {
		list[i] = p.cutMiddle(word, wordLongest)
	}
	return p.cutMiddle(strings.Join(list, " "), paragraphLongest)
}

// name shortens a cleaned name that stands in a sentence.
func (p *page) name(s string) string {
	if p.o.Width == 0 {
		return s
	}
	return p.cutMiddle(s, nameLongest)
}

// cutMiddle shortens a cleaned text that has more than limit columns to about that by cutting
// out its middle, with how many characters are missing in place of it.
func (p *page) cutMiddle(s string, limit int) string {
	if width(s) <= limit {
		return s
	}
	head, rest := splitAt(s, limit*2/3)
	at := len(rest)
	for used := 0; at > 0; {
		r, size := utf8.DecodeLastRuneInString(rest[:at])
		if used += width(string(r)); used > limit/4 {
			break
		}
		at -= size
	}
	ellipsis := p.clean("…")
	return fmt.Sprintf("%s%s [%s cut] %s%s", head, ellipsis, plural(int64(utf8.RuneCountInString(rest[:at])), "character"), ellipsis, rest[at:])
}

// value writes a value of the input that may look like nothing, which then is quoted.
func (p *page) value(s string) string {
	if text := p.clean(s); s == "" || strings.TrimSpace(text) != "" {
		return text
	}
	return fmt.Sprintf("%+q", s)
}

// moreNames ends a list of names that goes on.
func moreNames(n int) string { return fmt.Sprintf("and %s more", reports.Integer(int64(n))) }
