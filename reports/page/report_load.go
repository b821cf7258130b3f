package page

import (
	"cmp"

	"github.com/tailpath/tailpath/reports"
)

// reportLoad writes whether more work came or the system did it more slowly, and the charts of
// what came, what it carried and what waited.
func (b *builder) reportLoad(d reports.Document) {
	if s := reportSummary(d); s != nil {
		b.load(s)
	}
	if q := d.Queue; q != nil {
		for _, x := range []struct{ label, text string }{
			{"busy or not", q.Busy.Words}, {"waiting", q.Little.Words}, {"work", q.Work.Words},
		} {
			if x.text != "" {
				b.field(x.label, x.text)
			}
		}
		b.candidates(q.Candidates)
	}
	if c := d.Capacity; c != nil {
		held := c.System.Decision.Words
		if c.System.Refused != "" {
			held = "cannot say what it carries: " + c.System.Refused
		}
		if held != "" {
			b.field("capacity", held)
		}
	}
	b.mixMoved(d.Compare)
	b.figureOf(trafficFigure(d))
	b.figureOf(loadFigure(d))
	b.figureOf(changeFigure(d))
}

// evidenceWords say what the number of a cause speaks for.
var evidenceWords = map[string]string{"for": "yes", "against": "no", "~": "~"}

// candidates writes what may have made requests wait, with the number that speaks for or
// against each.
func (b *builder) candidates(list []reports.QueueCandidate) {
	t := Table{ID: "candidates", Caption: "what may have made requests wait", Columns: []Column{
		{Head: "candidate", Text: true}, {Head: "speaks for it", Text: true}, {Head: "n"}, {Head: "evidence", Text: true, Below: true},
	}}
	for _, c := range list {
		t.Rows = append(t.Rows, []string{cmp.Or(candidateWords[c.Name], c.Name), cmp.Or(evidenceWords[c.Speaks], c.Speaks), reports.Integer(c.N), c.Words})
	}
	b.blank()
	b.table(t)
	b.blank()
}

// mixMoved writes whether requests ask for other work than before.
func (b *builder) mixMoved(c *reports.Compare) {
	if c == nil {
		return
	}
	medians := Table{ID: "mix-medians", Caption: "what requests ask for: medians", Columns: []Column{{Text: true, Flex: true}, {Head: "before"}, {Head: "now"}, {Text: true, Join: true}}}
	shares := Table{ID: "mix-shares", Caption: "what requests ask for: the value of each field whose share moved most", Columns: []Column{{Text: true, Flex: true}, {Head: "before %"}, {Head: "now %"}, {Text: true, Join: true}}}
	for _, m := range c.Mix {
		if m.BaseN == 0 && m.NewN == 0 {
			continue
		}
		word := "~"
		switch {
		case m.Unseen:
			word = "not recorded on one side"
		case m.TooFew:
			word = "too few"
		case m.Shifted:
			word = "shifted"
		}
		if len(m.Values) == 0 {
			medians.Rows = append(medians.Rows, []string{m.Column, countIn(m.BaseMedian), countIn(m.NewMedian), word})
			continue
		}
		v := m.Values[0]
		shares.Rows = append(shares.Rows, []string{m.Column + " " + cmp.Or(v.Label, "(not recorded)"), reports.Percent(v.Base), reports.Percent(v.New), word})
	}
	for _, t := range []Table{medians, shares} {
		b.blank()
		b.table(t)
	}
}
