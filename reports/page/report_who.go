package page

import (
	"cmp"
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// attributesShown is how many attributes have a row; the rest are counted.
const attributesShown = 10

// reportWho writes which attributes slow requests have more often than the rest. Shares,
// difference and lift are those that decide: among requests of the same time where there are.
func (b *builder) reportWho(d reports.Document) {
	if d.Queue == nil {
		b.styled(Plain, "not known: the report has no comparison of slow requests with the rest")
		return
	}
	w := d.Queue.Who
	b.styled(Plain, cmp.Or(w.Sentence, "not known: there is no slow request to compare with the rest"))
	t := Table{
		ID:      "who-differs",
		Caption: fmt.Sprintf("slow requests (n = %s) against the rest (n = %s), %% that have it", reports.Integer(w.Slow), reports.Integer(w.Rest)),
		Columns: []Column{
			{Head: "attribute", Text: true, Flex: true, Told: true}, {Head: "slow %"}, {Head: "rest %"}, {Head: "difference, points"}, {Head: "95 %", Join: true},
			{Head: "lift"}, {Head: "n slow"}, {Head: "n rest", Join: true},
		},
	}
	for _, f := range shownOf(b, w.Findings, attributesShown) {
		c := f.Decides()
		points := reports.Tenths([]float64{c.SlowShare, c.RestShare})
		t.Rows = append(t.Rows, []string{
			f.Words, reports.PercentText(points[0]), reports.PercentText(points[1]), signedTenths(points[0] - points[1]), boundsText(c.Difference),
			liftText(c), reports.Integer(f.Value.Slow), reports.Integer(f.Value.Rest),
		})
	}
	b.table(t)
	b.rest(Dim, len(t.Rows), b.limit.Of("queue.who.findings", len(w.Findings)), fmt.Sprintf("and %s more", reports.Integer(int64(len(w.Findings)-len(t.Rows)))))
	if len(t.Rows) > 0 {
		b.hanging(Dim, "  ", "what goes together, not what causes what; by a rule that bounds false discoveries: "+w.Rule)
	}
	for _, note := range w.Warnings {
		b.hanging(Dim, "  ", withID(note))
	}
}
