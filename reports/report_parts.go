package reports

import (
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/tailpath/tailpath/analyze"
)

// ReportParts are the answers that a report is made of. They must be about the same requests,
// and by the same options.
type ReportParts struct {
	Queue    analyze.Queue // with the Summary
	Capacity analyze.Capacity
	Inspect  analyze.Inspection
	Report   analyze.Report
	// Requests are those of [Exemplars], explained; one that is not among them is not shown.
	Requests []analyze.Explanation
	// Compare is the comparison with what came before, from its tables; nil without them.
	Compare *Compare
	// Before are the times to set it against, the latest last, and BaselineFrom says where they
	// came from: tables or document; empty for none.
	Before       []Before
	BaselineFrom string
}

// The limits of a report: how many bottlenecks it names, the share of the excess, of all requests
// or of the slow ones, from which on another than the first is one, and of how many segments the
// path of a request may be that it shows. With them a report stays below 1.5 MB, whatever it is of,
// unless more bottlenecks are asked for.
const (
	mostBottlenecks  = 5
	leastBottleneck  = 0.05
	mostPathSegments = 300
)

// Exemplars returns the requests that a report shows in full: of all requests the median, that
// at p99 and the slowest, and the worst of each bottleneck. Each is named once.
func Exemplars(r analyze.Report) (out []analyze.Exemplar) {
	for _, e := range roles(r, nil) {
		if !slices.Contains(out, e.request) {
			out = append(out, e.request)
		}
	}
	return out
}

// role is a request that a report shows, and what for.
type role struct {
	request  analyze.Exemplar
	role, of string
}

// roles lists the exemplars of a report; one request may have several. ids are those of its
// bottlenecks, nil for none.
func roles(r analyze.Report, ids []string) (out []role) {
	add := func(e *analyze.Exemplar, name, of string) {
		if e != nil && *e != (analyze.Exemplar{}) {
			out = append(out, role{*e, name, of})
		}
	}
	add(r.Typical, "typical", "")
	add(r.Far, "p99", "")
	add(r.Worst, "worst", "")
	for i, b := range listed(r) {
		id := ""
		if i < len(ids) {
			id = ids[i]
		}
		add(&b.Worst, "worst", id)
	}
	return out
}

// listed returns the bottlenecks that a report names. What the verdict names is among them: it has
// much of what slow requests took longer.
func listed(r analyze.Report) (out []analyze.Bottleneck) {
	for i, b := range r.Bottlenecks {
		much := r.Share(b) >= leastBottleneck || r.Enough && r.SlowShare(b) >= leastBottleneck
		if len(out) < r.MostListed(mostBottlenecks) && (i == 0 || much) {
			out = append(out, b)
		}
	}
	return out
}

// lesser counts the others.
func lesser(r analyze.Report) Lesser {
	named := listed(r)
	out := Lesser{N: int64(len(r.Bottlenecks) - len(named))}
	if out.N > 0 {
		rest := r.Total
		for _, b := range named {
			rest = rest.Minus(b.Everywhere)
		}
		out.Share = rest.Over(r.Total)
	}
	return out
}

// Report makes the document of a report of a kind, [Weekly] or [PostMortem]. It holds the queue
// and capacity sections, that of an inspection, the comparison if there is one and the requests
// that it shows. The Summary is that of the queue section.
func (r Run) Report(kind string, parts ReportParts) Document {
	d := r.document(KindReport)
	q := r.Queue(parts.Queue)
	d.Queue, d.Capacity = q.Queue, r.Capacity(parts.Capacity).Capacity
	inspected := r.Inspect(parts.Inspect)
	d.Inspect, d.Compare = inspected.Inspect, parts.Compare
	if r.Quality == nil {
		d.Quality = inspected.Quality
	}
	a, s := parts.Report, &d.Queue.Summary
	out := &Report{
		Kind: kind, Week: reportWeek(a), Banner: []Warning{}, Before: chained(parts.Before), BaselineFrom: parts.BaselineFrom,
		Bottlenecks: []Bottleneck{}, Lesser: lesser(a), OpenItems: []OpenItem{}, Distribution: distributions(a), Heat: heat(a), Hours: []HourOfWeek{},
		Timeline: r.timeline(d.Queue, a), TimelineIncidents: int64(r.mostIncidents(len(d.Queue.When.Incidents), TimelineIncidents)), Impact: impact(s, a), Streams: tokenStreams(a, s), Exemplars: []Exemplar{}, Definitions: reportDefinitions,
	}
	if out.BaselineFrom == "" || len(out.Before) == 0 {
		out.BaselineFrom = "none"
	}
	if kind == Weekly {
		out.Hours = hoursOfWeek(a)
	}
	now := beforeOf(s, nameOf(a, s), a.Complete())
	out.Scope = scopeWords(a, s)
	for i, b := range listed(a) {
		out.Bottlenecks = append(out.Bottlenecks, r.bottleneck(a, b, i, s.Verdict))
	}
	out.Bottlenecks = MatchBottlenecks(out.Bottlenecks, out.Before)
	restarted(out.Bottlenecks, a, out.Before)
	if n := len(out.Before); n > 0 {
		last := out.Before[n-1]
		out.OpenItems = openItems(a, last, now)
		out.Moved = moved(s.Duration.Tail, last)
	}
	out.Verdicts = judged(verdictRows(now, out.Before, s.Objectives, a), parts.Compare)
	out.Banner = banner(d, out)
	d.Requests, out.Exemplars = shown(parts, out.Bottlenecks)
	d.Report = out
	d.Headline = reportHeadline(d, a)
	d.Next = r.afterReport(out, s)
	return d
}

// shown writes the requests of a report that were explained. Those of paths so long that nobody
// would read them are named alone, with how long they are.
func shown(parts ReportParts, bottlenecks []Bottleneck) (requests []Request, exemplars []Exemplar) {
	requests, exemplars = []Request{}, []Exemplar{}
	ids := make([]string, 0, len(bottlenecks))
	for _, b := range bottlenecks {
		ids = append(ids, b.ID)
	}
	for _, e := range roles(parts.Report, ids) {
		for _, x := range parts.Requests {
			if x.Facts.TraceID != e.request.TraceID || x.Facts.RootSpanID != e.request.RootSpanID {
				continue
			}
			one := Exemplar{Request: *requestRef(e.request), Role: e.role, Of: e.of}
			if n := max(len(x.Path), len(x.TokenPath), len(x.BytePath)); n > mostPathSegments {
				one.Segments = int64(n)
			} else if !slices.ContainsFunc(exemplars, func(other Exemplar) bool { return other.Request == one.Request }) {
				requests = append(requests, request(x))
			}
			exemplars = append(exemplars, one)
			break
		}
	}
	return requests, exemplars
}

// reportWeek writes the week of a report; nil without one.
func reportWeek(a analyze.Report) *Week {
	w := a.Week
	if w == nil {
		return nil
	}
	at := func(ns int64) string { return time.Unix(0, ns).In(w.Zone).Format(time.RFC3339) }
	return &Week{
		Name: w.Name, Zone: w.Zone.String(), StartNS: w.From, EndNS: w.To, Start: at(w.From), End: at(w.To),
		CoveredNS: a.Covered * int64(time.Hour), Complete: a.Complete(),
	}
}

// nameOf names the time that a report is of: its week, or from when to when its requests ran.
func nameOf(a analyze.Report, s *Summary) string {
	if a.Week != nil {
		return a.Week.Name
	}
	return periodName(s)
}

// periodName names a time by its ends; by the number of its requests where there are no dates.
func periodName(s *Summary) string {
	l := s.Load
	if l.Start == "" {
		return plural(s.Population.Used, "request")
	}
	at := func(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02T15:04Z") }
	return at(l.StartNS) + " to " + at(l.EndNS)
}

// scopeWords says which requests a report is of.
func scopeWords(a analyze.Report, s *Summary) string {
	p := s.Population
	text, limits := fmt.Sprintf("%s of %s requests", Integer(p.Used), Integer(p.Requests)), p.Words
	if a.Week != nil {
		text += fmt.Sprintf(", of week %s in %s", a.Week.Name, a.Week.Zone)
		limits = p.wordsInTime()
	}
	if s.Load.Start != "" && s.Load.Requests > 0 {
		text += fmt.Sprintf(", from %s to %s", TimeMilli(s.Load.StartNS), TimeMilli(s.Load.EndNS))
	}
	if a.Where != "" {
		text += ", where " + a.Where
	}
	if limits != "" {
		text += "; " + limits
	}
	return text
}

// afterReport names the command that follows a report: a look at the worst request of its first
// bottleneck.
func (r Run) afterReport(out *Report, s *Summary) string {
	if s.Population.Used == 0 || analyze.Kind(s.Verdict.Kind) == analyze.KindUnattributed {
		return r.command("inspect")
	}
	if len(out.Bottlenecks) > 0 {
		if list := out.Bottlenecks[0].Exemplars; len(list) > 0 {
			return r.command("explain", list[len(list)-1].TraceID)
		}
	}
	return r.command("explain", "--slowest", "5")
}

// exemplarRef names a request; nil for the zero one.
func exemplarRef(e analyze.Exemplar) *RequestRef {
	if e == (analyze.Exemplar{}) {
		return nil
	}
	return &RequestRef{hex.EncodeToString(e.TraceID[:]), hex.EncodeToString(e.RootSpanID[:]), e.NS}
}

// reportDefinitions are the meanings of what a report adds.
var reportDefinitions = []Definition{
	{"excess", "above_the_median", "of a request, what it spends in a stage or a sub-label of one beyond the median of all requests; of a bottleneck, the sum over the requests in scope"},
	{"bottlenecks", "by_excess_of_slow", "in the order of the excess that slow requests have; at most five, each with 5 % or more of the excess of all requests or of the slow ones; the others are counted"},
	{"hit", "holds_90", "as few requests as hold 90 % of the excess: half of all lie above any median, most of them by little"},
	{"scope", "few_values", "at most three values of model, route, host or engine that hold 80 % of the excess, 1.25 times their share of the requests, and by chance in fewer than one of a hundred (Fisher)"},
	{"window", "shortest_90", "the shortest time whose requests, by their starts, hold 90 % of the excess"},
	{"gain", "at_the_median", "what the percentile of all requests would fall by if none in scope spent more than the median, each shorter by no more than its drag: arithmetic, no forecast"},
	{"change", "mover_95", "now less before; without the tables of both times the interval combines the two separate ones (MOVER, Zou and Donner 2008) and assumes that the two times are independent"},
	{"same", "interval_has_0", "a change whose interval has 0 in it, as chance makes such changes as well; or of a percentile below 5 % up to the median and 10 % above, or 20 ms or 20 % if that is less"},
	{"outcome", "of_blocks", "where the tables of both times are at hand the outcome and the interval of a change are those of the comparison, which resamples blocks of time; describes is a change of these captures that says nothing of others"},
	{"moved", "mean_of_slow", "what the mean of the slow requests changed by, stage by stage: the parts add up to it"},
	{"budget", "28_days", "the share of the requests that missed an objective, by the length of the time; of what 28 days allow"},
	{"open_items", "excess_a_request", "excess of a request in the old scope, beyond the median of then or of now, whichever is less: gone below a tenth of what it was, same within 25 %, if the interval reaches into that, or by less than 1 % of the mean duration"},
	{"week", "iso_8601", "from Monday 00:00 in the zone; incomplete if more than 5 % of its hours have nothing recorded, and then not ranked"},
}
