package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// firstToken writes the verdict about the time to the first token, with what limits it as
// the verdict at the top has it.
func (b *builder) firstToken(s *reports.Summary) {
	const label = "first token  "
	b.hanging(Plain, label, s.Population.Limited(s.TTFTVerdict.Sentence))
	b.lesserCaveats(len(label), s.TTFTVerdict.Caveats, s.Verdict.Caveats)
}

// lesserVerdicts writes what else is said of the first token and of token gaps, beside the
// answer about the queue.
func (b *builder) lesserVerdicts(q *reports.Queue) {
	s := &q.Summary
	if q.TTFTWords != "" {
		b.labelled("first token", q.TTFTWords)
		b.lesserCaveats(NamedWidth, s.TTFTVerdict.Caveats, s.Verdict.Caveats)
	}
	if s.Stalling.Requests > 0 {
		b.labelled("token gaps", s.Population.Limited(s.Stalling.Verdict.Sentence))
		b.lesserCaveats(NamedWidth, s.Stalling.Verdict.Caveats, s.Verdict.Caveats)
	}
}

// lesserCaveats writes the caveats of a verdict that is not the one at the top of the page:
// in full, or by their ids where they are at the top already, in the same words.
func (b *builder) lesserCaveats(indent int, caveats, top []reports.Warning) {
	var above []string
	label := strings.Repeat(" ", indent)
	for _, c := range caveats {
		known := false
		for _, t := range top {
			known = known || t == c
		}
		if known {
			above = append(above, c.ID)
			continue
		}
		b.hanging(Plain, label, fmt.Sprintf("caveat: %s (%s)", c.Text, c.ID))
	}
	if above != nil {
		b.hanging(Plain, label, "caveat, as at the top: "+strings.Join(above, ", "))
	}
}
