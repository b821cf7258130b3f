package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// postMortemParts are the parts of a post-mortem: what the records tell stands under the heading
// it belongs to, and what only people know is left for them to fill in.
var postMortemParts = []reportPart{
	{id: "summary", title: "summary", write: (*builder).postMortemSummary},
	{id: "impact", title: "impact", write: (*builder).postMortemImpact},
	{id: "timeline", title: "timeline", write: (*builder).postMortemTimeline},
	{id: "root-cause", title: "root cause", write: (*builder).postMortemCause},
	{id: "trigger", title: "trigger", write: (*builder).postMortemTrigger},
	{id: "detection", title: "detection", write: (*builder).postMortemDetection},
	{id: "resolution", title: "resolution", write: (*builder).postMortemResolution},
	{id: "action-items", title: "action items", write: (*builder).postMortemActions},
	{id: "lessons-learned", title: "lessons learned", write: (*builder).postMortemLessons},
	{id: "supporting-information", title: "supporting information: what moved, and where the time goes", alone: "supporting information: where the time goes", write: (*builder).reportMoved, needs: requests},
	{id: "when", title: "supporting information: when", write: (*builder).reportWhen, needs: requests},
	{id: "who", title: "supporting information: who differs", write: (*builder).reportWho, needs: requests},
	{id: "quality", title: "supporting information: data quality", write: (*builder).reportQuality},
	{id: "method", title: "supporting information: method and reproduction", write: (*builder).reportMethod},
}

// postMortemSummary writes the figures behind the headline of the page: tables only where there is a
// time before to set them against. Who reads on finds impact and course next, and the percentiles
// with their intervals further down.
func (b *builder) postMortemSummary(d reports.Document) {
	b.add(Blank{"what happened, in two or three sentences"})
	b.add(Blank{"authors, date and status of this document"})
	b.reportFacts(d)
	if earlier.has(d) || usable(d) == 0 {
		b.reportVerdict(d)
		return
	}
	b.caveats(d)
	for _, t := range verdictTables(d.Report.Verdicts) {
		if t.unknown() || t.rows[0].Unit != "ns" || t.rows[0].P == "" {
			continue
		}
		var parts []string
		for _, r := range t.rows {
			if r.Now.Value != nil {
				parts = append(parts, r.P+" "+reports.Duration(wholeOf(*r.Now.Value)))
			}
		}
		b.field(t.metric, fmt.Sprintf("%s (n = %s)", strings.Join(parts, ", "), reports.Integer(t.rows[0].Now.N)))
	}
	b.styled(Dim, noBaseline)
}

// postMortemImpact writes whom it hit, and how hard.
func (b *builder) postMortemImpact(d reports.Document) {
	i := d.Report.Impact
	b.field("requests", fmt.Sprintf("%s; what they took beyond the median request: %s request-seconds", reports.Integer(i.Requests), reports.Number(i.Excess)))
	b.field("failed", fmt.Sprintf("%s; given up by who asked: %s", reports.Integer(i.Failed), reports.Integer(i.GivenUp)))
	switch {
	case i.Users == nil && i.UsersOf != nil && i.UserField != "":
		b.field("users", fmt.Sprintf("%s, by %s; how many were hit is not known: requests are too few to call any slow", reports.Integer(*i.UsersOf), i.UserField))
	case i.Users == nil || i.UserField == "":
		b.field("users", "not known: no attribute tells users apart, such as enduser.id or user.id")
	case i.UsersOf == nil:
		b.field("users", fmt.Sprintf("%s with %s, by %s", reports.Integer(*i.Users), hitWords(i), i.UserField))
	default:
		b.field("users", fmt.Sprintf("%s of %s with %s, by %s", reports.Integer(*i.Users), reports.Integer(*i.UsersOf), hitWords(i), i.UserField))
	}
	if len(i.Over) == 0 {
		b.field("objectives", "none was given (--slo)")
	}
	t := Table{ID: "objectives-missed", Caption: "requests that missed an objective", Columns: []Column{
		{Head: "objective", Text: true, Flex: true}, {Head: "missed"}, {Head: "asked"}, {Head: "%"}, {Head: "budget of 28 days spent, min"}, {Head: "% of budget"},
	}}
	for _, o := range i.Over {
		share, spent, budget := absent, absent, absent
		if o.Asked > 0 {
			share = reports.Percent(float64(o.Missed) / float64(o.Asked))
		}
		if o.BudgetNS != nil {
			spent = budgetScale.unit.Format(*o.BudgetNS)
		}
		if o.Budget != nil {
			budget = reports.Percent(*o.Budget)
		}
		t.Rows = append(t.Rows, []string{o.Objective, reports.Integer(o.Missed), reports.Integer(o.Asked), share, spent, budget})
	}
	b.table(t)
	b.add(Blank{"what users saw, and what it cost"})
}

// hitWords say what makes a user one who was hit.
func hitWords(i reports.Impact) string {
	if len(i.Over) > 0 {
		return "a request that missed an objective"
	}
	return "a slow request"
}

// postMortemTimeline writes what the records tell of the course of it.
func (b *builder) postMortemTimeline(d reports.Document) {
	t := Table{ID: "timeline-entries", Caption: "what the records tell", Columns: []Column{{Head: "at", Text: true}, {Head: "what", Text: true, Flex: true}}}
	for _, m := range d.Report.Timeline {
		at := "+" + reports.Period(m.AtNS-d.Report.Timeline[0].AtNS)
		if m.At != "" {
			at = reports.TimeMilli(m.AtNS)
		}
		t.Rows = append(t.Rows, []string{at, m.What})
	}
	if len(t.Rows) == 0 {
		b.styled(Plain, "the records tell of no incident: no backlog built up, or no times are recorded")
	}
	b.table(t)
	if d.Queue != nil && d.Queue.When.All() > d.Report.TimelineIncidents {
		b.styled(Dim, fmt.Sprintf("of %s incidents the %s in which most was waited", reports.Integer(d.Queue.When.All()), reports.Integer(d.Report.TimelineIncidents)))
	}
	b.add(Blank{"what people saw and did, with times"})
}

// postMortemCause writes which stages took the time; why they did is for people to find.
func (b *builder) postMortemCause(d reports.Document) {
	b.add(Blank{"root cause: why it could happen at all"})
	if requests.has(d) {
		b.reportBottlenecks(d)
	}
	if earlier.has(d) {
		b.blank()
		b.reportOpenItems(d)
	}
}

// postMortemTrigger writes what changed when it began.
func (b *builder) postMortemTrigger(d reports.Document) {
	b.add(Blank{"trigger: what set it off"})
	if requests.has(d) {
		b.reportLoad(d)
	}
}

// postMortemDetection writes how long it lasted before somebody could have known.
func (b *builder) postMortemDetection(d reports.Document) {
	if d.Queue != nil {
		w := d.Queue.When
		for _, i := range w.MostWaited(b.most(incidentRows)) {
			from := "onset"
			if i.Begun {
				from = "the beginning of the window"
			}
			b.field(fmt.Sprintf("incident %d", i.No), fmt.Sprintf("%s from %s to its peak: an alarm after that came after the worst", reports.Period(i.PeakNS-i.OnsetNS), from))
		}
	}
	for _, o := range d.Report.Impact.Over {
		if o.FirstNS == nil || d.Queue == nil {
			continue
		}
		in := missedBeside(d.Queue.When, *o.FirstNS)
		if in == nil {
			continue
		}
		after := *o.FirstNS - in.OnsetNS
		word := "after"
		if after < 0 {
			after, word = -after, "before"
		}
		b.field("objective", fmt.Sprintf("%s: the first request that misses it begins %s %s the onset of incident %d", o.Objective, reports.Period(after), word, in.No))
	}
	b.add(Blank{"who or what noticed it, when, and how long after it began"})
}

// missedBeside returns the incident that an instant is told beside: the one that it lies in, else
// the first. It is nil where that is not listed, since one that is not may hold the instant.
func missedBeside(w reports.When, ns int64) *reports.Incident {
	for i := range w.Incidents {
		if in := &w.Incidents[i]; in.OnsetNS <= ns && ns < in.RecoveryNS {
			return in
		}
	}
	if len(w.Incidents) == 0 || w.Incidents[0].No != 1 || w.More.N > 0 && ns >= w.Incidents[0].OnsetNS {
		return nil
	}
	return &w.Incidents[0]
}

// postMortemResolution writes when it was over; what ended it is for people to say.
func (b *builder) postMortemResolution(d reports.Document) {
	if d.Queue != nil {
		w := d.Queue.When
		for _, i := range w.MostWaited(b.most(incidentRows)) {
			text := "not over when the window ended"
			if i.Recovered {
				text = fmt.Sprintf("over at %s, %s after its peak", stampOf(w.Clock, i.RecoveryNS, w.StartNS), reports.Period(i.RecoveryNS-i.PeakNS))
			}
			b.field(fmt.Sprintf("incident %d", i.No), text)
		}
	}
	b.add(Blank{"what was done, and what of it ended the incident"})
}

// postMortemActions leaves a place for what is to be done about each bottleneck.
func (b *builder) postMortemActions(d reports.Document) {
	for _, x := range shownOf(b, d.Report.Bottlenecks, everything) {
		b.add(Blank{"action, owner, date and ticket for " + x.ID})
	}
	b.add(Blank{"action to prevent it, owner, date and ticket"})
	b.add(Blank{"action to detect it sooner, owner, date and ticket"})
	b.add(Blank{"action to make it hurt less, owner, date and ticket"})
}

// postMortemLessons leaves a place for what people learned.
func (b *builder) postMortemLessons(reports.Document) {
	b.add(Blank{"what went well"})
	b.add(Blank{"what went badly"})
	b.add(Blank{"where we got lucky"})
}
