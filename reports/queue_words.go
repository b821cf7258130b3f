package reports

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// The answers to "does queueing dominate?".
const (
	answerDominates = "dominates"
	answerLeads     = "leads"
	answerNo        = "no"
	answerCannotSay = "cannot_say"
)

// QueueAnswer turns a verdict about any stage into one about the queue: dominates, leads, no or
// cannot_say.
func QueueAnswer(v Verdict) string {
	switch kind := analyze.Kind(v.Kind); {
	case kind.CannotSay():
		return answerCannotSay
	case kind == analyze.KindDominates && v.Stage == queue:
		return answerDominates
	case kind == analyze.KindLeads && v.Stage == queue:
		return answerLeads
	}
	return answerNo
}

// headline answers in one sentence whether queueing makes slow requests slow.
func (q *Queue) headline() string {
	p := q.Summary.Population
	switch {
	case p.Requests == 0:
		return "no request was found"
	case p.Used == 0:
		return "no request to analyse: " + noneUsed(p.Requests)
	}
	return p.Limited(queueSentence(q.Summary.Verdict, q.Summary.Duration.Tail, q.Summary.Duration.N, ofRequests))
}

// queueSentence words a verdict as an answer about the queue.
func queueSentence(v Verdict, t Tail, n int64, about subject) string {
	group := fmt.Sprintf("%s and above, n = %s", t.Q, Integer(t.Tail.N))
	of := fmt.Sprintf("%s of what %s, of %s (%s)", v.queueShare(t), about.makes, Signed(v.ExcessNS), group)
	switch QueueAnswer(v) {
	case answerDominates:
		return "queueing dominates: it takes " + of
	case answerLeads:
		text := "queueing leads: it takes " + of
		if v.RunnerUpShare != nil && *v.RunnerUpShare >= 0.01 {
			text += fmt.Sprintf("; next is %s with %s", v.RunnerUp, t.percentOf(v.RunnerUp))
		}
		return text
	case answerCannotSay:
		switch analyze.Kind(v.Kind) {
		case analyze.KindTooFew:
			return fmt.Sprintf("cannot say whether queueing dominates: too few requests, %s of the %s needed", Integer(n), Integer(t.Need))
		case analyze.KindUnattributed:
			return fmt.Sprintf("cannot say whether queueing dominates: %s %% of the time of %s is unattributed (%s)", Percent(v.Unattributed), about.noun, group)
		}
		return fmt.Sprintf("cannot say whether queueing dominates: %s takes %s of what %s and %s %s, and other requests might turn it round (%s)",
			v.Stage, v.share(t), about.makes, v.RunnerUp, t.percentOf(v.RunnerUp), group)
	}
	switch analyze.Kind(v.Kind) {
	case analyze.KindNone:
		return fmt.Sprintf("queueing does not dominate: %s take hardly longer than usual ones, %s on average against %s (%s)", about.noun, Duration(v.TailNS), Duration(v.BodyNS), group)
	case analyze.KindMixed:
		second := v.Stage + " has most with "
		other := v.Stage
		if v.Stage == queue {
			other, second = v.RunnerUp, "next is "+v.RunnerUp+" with "
		}
		text := "queueing does not dominate, and no single stage does: the queue takes " + of
		if other != "" {
			text += "; " + second + t.percentOf(other)
		}
		return text
	}
	verb := "leads"
	if v.Kind == string(analyze.KindDominates) {
		verb = "does"
	}
	return fmt.Sprintf("queueing does not dominate, %s %s: it takes %s of what %s, of %s (%s); the queue takes %s",
		v.Stage, verb, v.share(t), about.makes, Signed(v.ExcessNS), group, v.queueShare(t))
}

// queueShare writes the queue's share of the excess, with its interval where it has one.
func (v Verdict) queueShare(t Tail) string {
	text := t.percentOf(queue)
	if f := v.QueueInterval; f != nil && f.Low != nil && f.High != nil {
		low, high := PercentRange(*f.Low, *f.High)
		text += fmt.Sprintf(" (95 %%: %s to %s)", low, high)
	}
	return text
}

// chance writes the P of a test; ~ where it shows nothing.
func (t *Test) chance() string {
	if t == nil || t.P == nil {
		return "no test"
	}
	return PText(*t.P)
}

// withN is chance with the requests of both groups.
func (t *Test) withN() string {
	if t == nil {
		return t.chance()
	}
	return fmt.Sprintf("n = %s and %s, %s", Integer(t.N1), Integer(t.N2), t.chance())
}

// PText writes the probability of chance.
func PText(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.3f", p)
}

// tokenWords name the columns of tokens.
var tokenWords = map[string]string{"prompt_tokens": "prompt tokens", "output_tokens": "output tokens"}

// words says whether slow requests ask for more.
func (w QueueWork) words() string {
	if len(w.Sizes) == 0 && len(w.Kinds) == 0 {
		return "cannot be told: neither tokens nor models are recorded"
	}
	var more, fewer, alike []string
	for _, s := range w.Sizes {
		text := tokenWords[s.Name]
		if s.Slow != nil && s.Rest != nil {
			text += fmt.Sprintf(" %s against %s", Integer(*s.Slow), Integer(*s.Rest))
		}
		text += fmt.Sprintf(" (n = %s and %s, %s", Integer(s.SlowN), Integer(s.RestN), s.Test.chance())
		if s.Slow == nil || s.Rest == nil {
			text += "; a median needs " + Integer(s.Need)
		}
		text += ")"
		switch {
		case s.More:
			more = append(more, "more "+text)
		case s.Slow != nil && s.Rest != nil && *s.Slow < *s.Rest && s.Test.P != nil && *s.Test.P < analyze.CauseAlpha:
			fewer = append(fewer, "fewer "+text)
		default:
			alike = append(alike, text)
		}
	}
	for _, k := range w.Kinds {
		switch {
		case k.Differ:
			more = append(more, fmt.Sprintf("%s %s in %s %% against %s %% (%s)", k.Name, k.Top, Percent(k.Slow), Percent(k.Rest), k.Test.withN()))
		case k.Test != nil:
			alike = append(alike, fmt.Sprintf("the mix of %s %ss (%s)", Integer(k.Values), k.Name, k.Test.withN()))
		}
	}
	if more == nil && fewer == nil && alike == nil {
		return "~ slow requests ask for no more than the rest, as far as is recorded"
	}
	text := "slow requests are other work than the rest: "
	if more == nil {
		text = "~ slow requests ask for no more than the rest: "
	}
	var parts []string
	if list := append(more, fewer...); list != nil {
		parts = append(parts, strings.Join(list, ", "))
	}
	if alike != nil {
		alike[0] = "~ " + alike[0]
		if more == nil && fewer == nil {
			alike[0] = alike[0][2:]
		}
		parts = append(parts, strings.Join(alike, ", "))
	}
	return text + strings.Join(parts, "; ")
}

// Words says what the time of a detail is longer by.
func (s QueueSpeed) Words() string {
	rate := func(ns float64) string { return Duration(rounded(ns)) }
	tokens := "tokens"
	if s.Uncached {
		tokens = "tokens that were in no cache"
	}
	return fmt.Sprintf("%s a request = %s by %s (%s against %s) %s by the time of each (%s against %s), n = %s and %s", Signed(s.ExcessNS),
		Signed(s.WorkNS), tokens, Number(s.SlowTokens), Number(s.UsualTokens), joinedSign(s.SlowerNS), rate(s.SlowRate), rate(s.UsualRate), Integer(s.Slow), Integer(s.Usual))
}

// joinedSign writes a summand behind another.
func joinedSign(ns int64) string {
	if ns < 0 {
		return "- " + Duration(-ns)
	}
	return "+ " + Duration(ns)
}

// depthText writes how many waited on average; nobody counts a thousandth of a request.
func depthText(v float64) string {
	if v > 0 && v < 0.001 {
		return "<0.001"
	}
	return Number(v)
}

// words tells Little's law, and what readings of engines say beside it.
func (l Little) words() string {
	if l.Requests == 0 {
		return "cannot be told without times"
	}
	text := fmt.Sprintf("%s waited on average = %s requests/s x %s (n = %s)", depthText(l.Depth), Number(l.Rate), Duration(l.MeanWaitNS), Integer(l.Requests))
	if l.Ratio == 0 {
		text = "nobody waited"
	}
	d := l.Readings
	if d == nil {
		return text + ": an identity of one source, which proves nothing; no engine said how many waited"
	}
	return text + ", an identity. " + d.words(l.Words)
}

// words tells what engines said beside the traces, and what the comparison says.
func (d *DepthReadings) words(says string) string {
	text := fmt.Sprintf("Engines said %s (%s, n = %s) where the traces have %s", depthText(d.Read), d.Metric, Integer(d.N), depthText(d.Depth))
	if d.Ratio != nil && d.Ratio.Low != nil {
		text += fmt.Sprintf(": a ratio of %.2f (95 %%: %.2f to %.2f)", d.Ratio.Value, *d.Ratio.Low, *d.Ratio.High)
	}
	return text + ": " + says
}

// words says in which way busy times are slow.
func (b Busy) words() string {
	if !b.Known {
		if b.Need == 0 {
			return "cannot be told without times"
		}
		return fmt.Sprintf("cannot be told: too few came in busy or in quiet times, n = %s and %s; each takes %s", Integer(b.Busy.N), Integer(b.Quiet.N), Integer(b.Need))
	}
	times := [2]string{"the quiet half", "the busiest tenth"}
	if b.ByIncident {
		times = [2]string{"quiet times", "incidents"}
	}
	pair := func(a, b *int64) string { return optional(a) + " to " + optional(b) }
	figures := fmt.Sprintf("from %s (n = %s) to %s (n = %s) p50 %s", times[0], Integer(b.Quiet.N), times[1], Integer(b.Busy.N), pair(b.Quiet.P50NS, b.Busy.P50NS))
	figures += ", p99 " + pair(b.Quiet.P99NS, b.Busy.P99NS)
	if b.Quiet.P99NS == nil || b.Busy.P99NS == nil {
		figures += fmt.Sprintf(" (needs %s)", Integer(b.Busy.P99Need))
	}
	figures += fmt.Sprintf(", without the queue p50 %s (%s)", pair(b.Quiet.OwnNS, b.Busy.OwnNS), b.Own.chance())
	switch analyze.BusyKind(b.Kind) {
	case analyze.BusyAlike:
		return "~ requests are no slower when it is busy: " + figures
	case analyze.BusyContention:
		return fmt.Sprintf("contention, the same work waits longer: %s, %s of it in the queue; %s", Signed(b.RiseNS), Signed(b.QueueNS), figures)
	case analyze.BusyWork:
		return fmt.Sprintf("more or slower work, not waiting: %s, %s of it in the queue; %s", Signed(b.RiseNS), Signed(b.QueueNS), figures)
	}
	return fmt.Sprintf("both, requests wait longer and take longer: %s, %s of it in the queue; %s", Signed(b.RiseNS), Signed(b.QueueNS), figures)
}

func optional(ns *int64) string {
	if ns == nil {
		return "-"
	}
	return Duration(*ns)
}

// words says how the waiting is spread over a field; top is the place that stands out.
func (w Where) words(top int) string {
	spread := "n = " + Integer(w.N) + ", " + w.Test.chance()
	switch analyze.WhereKind(w.Kind) {
	case analyze.WhereSingle:
		if w.Values == 0 {
			return "not recorded"
		}
		if n := w.Places[0].N; n != 1 {
			return fmt.Sprintf("%s, all %s", FieldText(w.Key, w.Places[0].Value), plural(n, "request"))
		}
		return FieldText(w.Key, w.Places[0].Value) + ", the only request"
	case analyze.WhereFew:
		return fmt.Sprintf("too few long waits to tell: %s of the %s needed (n = %s)", Integer(w.Long), Integer(w.LongNeed), Integer(w.N))
	case analyze.WhereAlike:
		return fmt.Sprintf("~ all alike: the longest waits are spread as the requests are (%s)", spread)
	case analyze.WhereOne:
		p := w.Places[top]
		return fmt.Sprintf("%s stands out: %s %% of the queue's excess with %s %% of the requests (%s)", FieldText(w.Key, p.Value), PercentText(w.ShareTenths()[top]), Percent(float64(p.N)/float64(w.N)), spread)
	}
	if w.NoShares != "" {
		return fmt.Sprintf("uneven: the longest waits are not spread as the requests are (%s)", spread)
	}
	return fmt.Sprintf("uneven, and none stands out both in the excess and among the longest waits: these are not spread as the requests are (%s)", spread)
}

// ShareTenths returns the shares of the queue's excess in tenths of a per cent: those of the
// places, of the others as one, and of the requests without a value. They add up to 1000. It
// returns nil where NoShares says why.
func (w Where) ShareTenths() []int64 {
	if w.NoShares != "" {
		return nil
	}
	shares := make([]float64, 0, len(w.Places)+2)
	for _, p := range w.Places {
		shares = append(shares, valueOr0(p.Share))
	}
	others := 0.0
	if w.Others != nil {
		others = valueOr0(w.Others.Share)
	}
	return Tenths(append(shares, others, valueOr0(w.NoneShare)))
}

func valueOr0(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// words gives the number that speaks for or against a candidate. Of a cause of waits it is
// what is written of that cause among all causes.
func (c QueueCandidate) words(waits Queueing) string {
	pair := func(format func(float64) string) string {
		return fmt.Sprintf("%s in quiet, %s in busy times", format(c.Quiet), format(c.Busy))
	}
	whole := func(v float64) string { return Integer(int64(v)) }
	p := " (n = " + Integer(c.N)
	if c.P != nil {
		p += ", " + PText(*c.P)
	}
	p += ")"
	// A rise that is no chance and speaks against the candidate all the same is too small.
	if c.Speaks == string(analyze.SpeaksAgainst) && c.P != nil && *c.P < analyze.CauseAlpha && c.Busy > c.Quiet && c.Quiet > 0 {
		p += fmt.Sprintf(": +%s %%, of the %s %% that would count", Percent(c.Busy/c.Quiet-1), Percent(analyze.LeastChange))
	}
	switch analyze.CandidateName(c.Name) {
	case analyze.MoreArrivals:
		if c.Busy == 0 {
			return fmt.Sprintf("cannot be told: nobody arrived between onset and peak (%s arrivals/s before, n = %s)", Number(c.Quiet), Integer(c.N))
		}
		text := fmt.Sprintf("%s arrivals/s before, %s up to the peak (n = %s)", Number(c.Quiet), Number(c.Busy), Integer(c.N))
		if c.Ratio != nil && c.Ratio.Low != nil {
			text += fmt.Sprintf(": x %.2f (95 %%: %.2f to %.2f)", c.Ratio.Value, *c.Ratio.Low, *c.Ratio.High)
		}
		return text
	case analyze.SlowerService:
		return "median without the queue " + pair(func(v float64) string { return Duration(int64(v)) }) + p
	case analyze.LongerPrompts:
		return "median prompt tokens " + pair(whole) + p
	case analyze.LongerOutputs:
		return "median output tokens " + pair(whole) + p
	case analyze.LessCapacity:
		return plural(int64(c.Quiet), "engine") + " served in quiet, " + whole(c.Busy) + " in busy times" + p
	case analyze.MemoryPressure:
		return fmt.Sprintf("waiting for memory is %s %% of the waiting of the slow requests, %s %% of all (n = %s that waited)", waits.Slow.percentOf(analyze.MemoryCause()), waits.All.percentOf(analyze.MemoryCause()), Integer(c.N))
	}
	return "tried again " + pair(func(v float64) string { return Percent(v) + " %" }) + p
}

// percentOf writes the share of a cause, such that all shares add up to 100.0.
func (m CauseMix) percentOf(cause string) string {
	shares := make([]float64, len(m.Causes))
	for i, c := range m.Causes {
		shares[i] = c.Share
	}
	for i, text := range Percents(shares) {
		if m.Causes[i].Cause == cause {
			return text
		}
	}
	return "0.0"
}

// words gives the counterfactual: what is gained if requests get no shorter than their
// parallel branches allow, and where it differs what it would be without that bound.
func (w *WhatIf) words() string {
	limit := "with no request longer in the queue than the median, " + Duration(w.MedianNS)
	now := fmt.Sprintf("%s, n = %s", Duration(w.NowNS), Integer(w.N))
	serial := ""
	if at := Duration(w.AtMedianNS); at != Duration(w.BoundedAtMedianNS) {
		serial = fmt.Sprintf(". A request gets no shorter than its parallel branches allow; without that bound it would be %s", at)
	}
	if w.NowNS == w.BoundedAtMedianNS && (w.OffPeakNS == nil || *w.BoundedAtOffPeakNS >= w.NowNS) {
		return fmt.Sprintf("%s, %s would be what it is (%s)", limit, w.Q, now) + serial
	}
	text := fmt.Sprintf("%s, %s would be %s (now %s)", limit, w.Q, Duration(w.BoundedAtMedianNS), now)
	if gain := w.Bounded; gain.Low != nil && gain.High != nil {
		text += fmt.Sprintf(", a gain of %s (95 %%: %s to %s)", Duration(w.NowNS-w.BoundedAtMedianNS), Duration(rounded(*gain.Low)), Duration(rounded(*gain.High)))
	}
	if w.OffPeakNS != nil && Duration(*w.BoundedAtOffPeakNS) != Duration(w.BoundedAtMedianNS) {
		text += fmt.Sprintf("; at the median outside incidents, %s, it would be %s", Duration(*w.OffPeakNS), Duration(*w.BoundedAtOffPeakNS))
	}
	return text + serial + ". This is arithmetic on these requests, no forecast: waiting depends on the load"
}
