package text

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// firstToken writes the verdict about the time to the first token, with what limits it as
// the verdict at the top has it.
func (p *page) firstToken(s *reports.Summary) {
	const label = "first token  "
	p.hanging(plain, label, s.Population.Limited(s.TTFTVerdict.Sentence))
	p.lesserCaveats(width(label), s.TTFTVerdict.Caveats, s.Verdict.Caveats)
}

// lesserVerdicts writes what else is said of the first token and of token gaps, beside the
// answer about the queue.
func (p *page) lesserVerdicts(q *reports.Queue) {
	s := &q.Summary
	if q.TTFTWords != "" {
		p.labelled("first token", q.TTFTWords)
		p.lesserCaveats(labelWidth, s.TTFTVerdict.Caveats, s.Verdict.Caveats)
	}
	if s.Stalling.Requests > 0 {
		p.labelled("token gaps", s.Population.Limited(s.Stalling.Verdict.Sentence))
		p.lesserCaveats(labelWidth, s.Stalling.Verdict.Caveats, s.Verdict.Caveats)
	}
}

// labelWidth is how far what follows a label of labelled is from the margin.
const labelWidth = 18

// lesserCaveats writes the caveats of a verdict that is not the one at the top of the page:
// in full, or by their ids where they are at the top already, in the same words.
func (p *page) lesserCaveats(indent int, caveats, top []reports.Warning) {
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
		p.hanging(plain, label, fmt.Sprintf("caveat: %s (%s)", c.Text, c.ID))
	}
	if above != nil {
		p.hanging(plain, label, "caveat, as at the top: "+strings.Join(above, ", "))
	}
}
