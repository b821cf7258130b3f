package page

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports"
)

// nameLongest is the longest that a name in a sentence may be on a brief page, in characters.
const nameLongest = 72

// name shortens a name that stands in a sentence of a brief page.
func (b *builder) name(s string) string {
	if s = clean(s); !b.o.Brief {
		return s
	}
	return CutMiddle(s, nameLongest, utf8.RuneCountInString)
}

// value writes a value of the input; one that may look like nothing is quoted.
func value(s string) string {
	if text := clean(s); s == "" || strings.TrimSpace(text) != "" {
		return text
	}
	return fmt.Sprintf("%+q", s)
}

// moreNames ends a list of names that goes on.
func moreNames(n int) string { return fmt.Sprintf("and %s more", reports.Integer(int64(n))) }

// CutMiddle shortens a text of more than limit to about that by cutting out its middle, with how
// many characters are missing in place of it. Its size and the limit are in whatever size counts:
// characters, or the columns of a page of fixed width. The size of a text must be no more than
// that of its characters together.
func CutMiddle(s string, limit int, size func(string) int) string {
	if size(s) <= limit {
		return s
	}
	from, used := len(s), 0
	for i, r := range s {
		if used += size(string(r)); used > limit*2/3 && i > 0 {
			from = i
			break
		}
	}
	to, used := len(s), 0
	for to > from {
		r, n := utf8.DecodeLastRuneInString(s[from:to])
		if used += size(string(r)); used > limit/4 {
			break
		}
		to -= n
	}
	return fmt.Sprintf("%s… [%s cut] …%s", s[:from], plural(int64(utf8.RuneCountInString(s[from:to])), "character"), s[to:])
}
