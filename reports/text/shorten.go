package text

import (
	"strings"

	"github.com/tailpath/tailpath/reports/page"
)

// The longest that a word and a paragraph may be on a page of some width, in columns. Our own
// paragraphs are less than half as long: what exceeds this quotes a name of the input, of
// which a screen full tells nobody more than its ends.
const (
	wordLongest      = 320
	paragraphLongest = 1200
)

// nameLongest is the longest that a name below its row may be, in columns.
const nameLongest = 72

// shorten cuts the middle out of the words of a spelled paragraph that are too long, then out
// of the paragraph itself, and says how much is missing. Its beginning and its end, where
// figures stand, stay. Without a width nothing is cut: pipes and files get all of it.
func (p *paper) shorten(s string) string {
	if p.o.Width == 0 || len(s) <= wordLongest {
		return s
	}
	list := strings.Split(s, " ")
	for i, word := range list {
		list[i] = p.cutMiddle(word, wordLongest)
	}
	return p.cutMiddle(strings.Join(list, " "), paragraphLongest)
}

// cutMiddle cuts the middle out of a spelled text that has more than limit columns.
func (p *paper) cutMiddle(s string, limit int) string {
	return p.spell(page.CutMiddle(s, limit, width))
}
