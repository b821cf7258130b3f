package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// reportPart is a part of a report: its section has the same id in every report.
type reportPart struct {
	id, title string
	write     func(*builder, reports.Document)
	alone     string // the title where there is nothing to compare with; empty for the same
	needs     needed
}

// needed is what a report must have for a part of it, which is left out otherwise.
type needed uint8

const (
	nothing  needed = iota
	requests        // requests to work with
	earlier         // a time before
)

// has reports whether a report has what a part of it needs.
func (n needed) has(d reports.Document) bool {
	switch n {
	case requests:
		return usable(d) > 0
	case earlier:
		return len(d.Report.Before) > 0
	}
	return true
}

// usable is how many requests a report could work with.
func usable(d reports.Document) int64 {
	if s := reportSummary(d); s != nil {
		return s.Population.Used
	}
	return 0
}

// weeklyParts are what a weekly report answers, in the order in which it is read: the answer
// and the figures behind it come before any chart.
var weeklyParts = []reportPart{
	{id: "headline", title: "headline", write: (*builder).reportAnswer},
	{id: "verdict", title: "verdict: now against before", alone: "verdict", write: (*builder).reportVerdict},
	{id: "moved", title: "what moved, and where the time goes", alone: "where the time goes", write: (*builder).reportMoved, needs: requests},
	{id: "bottlenecks", title: "bottlenecks", write: (*builder).reportBottlenecks, needs: requests},
	{id: "load", title: "is it load?", write: (*builder).reportLoad, needs: requests},
	{id: "when", title: "when", write: (*builder).reportWhen, needs: requests},
	{id: "who", title: "who differs", write: (*builder).reportWho, needs: requests},
	{id: "open-items", title: "open items of the report before", write: (*builder).reportOpenItems, needs: earlier},
	{id: "quality", title: "data quality", write: (*builder).reportQuality},
	{id: "method", title: "method and reproduction", write: (*builder).reportMethod},
}

// noBaseline says why a report has no changes, once and in place of empty columns.
const noBaseline = "nothing to compare with: --baseline takes a report or the files of an earlier time, --store keeps them week by week"

// report writes a report: what a reader must know before any figure, the parts of its kind, and
// folded behind them what the charts are drawn from.
func (b *builder) report(d reports.Document) {
	for _, w := range d.Report.Banner { // on top, where nobody can miss it
		b.hanging(Strong, "caution: ", withID(w))
	}
	parts := weeklyParts
	if d.Report.Kind == reports.PostMortem {
		parts = postMortemParts
	}
	for _, p := range parts {
		if !p.needs.has(d) {
			continue
		}
		title := p.title
		if p.alone != "" && !earlier.has(d) {
			title = p.alone
		}
		b.section(p.id, title)
		p.write(b, d)
	}
	b.reportDetails(d)
}

// reportAnswer writes what the report is of, under the headline of the page, and leaves a place
// for a sentence of a person.
func (b *builder) reportAnswer(d reports.Document) {
	b.add(Blank{"what this means for us, in one sentence"})
	b.reportFacts(d)
}

// reportFacts writes which requests of which time a report is of, and what it is set against.
func (b *builder) reportFacts(d reports.Document) {
	r := d.Report
	if w := r.Week; w != nil {
		text := fmt.Sprintf("%s, from %s to %s (%s)", w.Name, w.Start, w.End, w.Zone)
		if !w.Complete {
			text += fmt.Sprintf("; incomplete: the capture tells of %s of %s", reports.Period(w.CoveredNS), reports.Period(w.EndNS-w.StartNS))
		}
		b.field("week", text)
	}
	if s := reportSummary(d); r.Scope != "" {
		b.field("scope", r.Scope)
	} else if s != nil {
		b.used(s.Population)
		if l := s.Load; l.Requests > 0 {
			b.field("window", loadWindow(l))
		}
	}
	if len(r.Before) == 0 {
		return
	}
	last := r.Before[len(r.Before)-1]
	text := fmt.Sprintf("%s, %s", last.Name, plural(last.Requests, "request"))
	if !last.Complete {
		text += ", incomplete"
	}
	if more := int64(len(r.Before)) - 1; more > 0 {
		text += fmt.Sprintf("; and %s before it", reports.Integer(more))
	}
	b.field("against", text)
}

// reportSummary returns the summary that a report stands on, nil without one.
func reportSummary(d reports.Document) *reports.Summary {
	switch {
	case d.Queue != nil:
		return &d.Queue.Summary
	case d.Summary != nil:
		return d.Summary
	}
	return nil
}

// idWith makes an id of a fixed word and a name, which may be any text.
func idWith(word, name string) string { return strings.Trim(word+"-"+slug(name), "-") }

// withID writes a doubt with the id by which it can be silenced.
func withID(w reports.Warning) string {
	if w.ID == "" {
		return w.Text
	}
	return w.Text + " (" + w.ID + ")"
}

// rateIn writes a rate or a mean that may not be known.
func rateIn(v *float64) string {
	if v == nil {
		return absent
	}
	return reports.Number(*v)
}

// countIn writes a count that may not be known.
func countIn(v *int64) string {
	if v == nil {
		return absent
	}
	return reports.Integer(*v)
}

// lastName is what the time before is called in the head of a column.
func lastName(r *reports.Report) string {
	if r.Kind == reports.Weekly && r.Week != nil {
		return "last week"
	}
	return "before"
}

// reportName is what the time of the report is called beside others.
func reportName(r *reports.Report) string {
	if r.Week != nil {
		return cmp.Or(r.Week.Name, "now")
	}
	return "now"
}
