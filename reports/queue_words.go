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
		return fmt.Sprintf("no request to analyse: all %s were left out", Integer(p.Requests))
	}
	text := queueSentence(q.Summary.Verdict, q.Summary.Duration.Tail, q.Summary.Duration.N, ofRequests)
	if p.Words != "" {
		text += ", " + p.Words
	}
	return text
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
			return fmt.Sprintf("cannot say whether queueing dominates: there are %s requests of the %s needed", Integer(n), Integer(t.Need))
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
		return fmt.Sprintf("queueing does not dominate, and no single stage does: the queue takes %s; %s has most with %s", of, v.Stage, t.percentOf(v.Stage))
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
	return pText(*t.P)
}

func pText(p float64) string {
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
	var more, alike []string
	for _, s := range w.Sizes {
		text := tokenWords[s.Name]
		if s.Slow != nil && s.Rest != nil {
			text += fmt.Sprintf(" %s against %s", Integer(*s.Slow), Integer(*s.Rest))
		}
		text += fmt.Sprintf(" (n = %s and %s, %s)", Integer(s.SlowN), Integer(s.RestN), s.Test.chance())
		if s.More {
			more = append(more, "more "+text)
		} else {
			alike = append(alike, text)
		}
	}
	for _, k := range w.Kinds {
		switch {
		case k.Differ:
			more = append(more, fmt.Sprintf("%s %s in %s %% against %s %% (%s)", k.Name, k.Top, Percent(k.Slow), Percent(k.Rest), k.Test.chance()))
		case k.Test != nil:
			alike = append(alike, fmt.Sprintf("the mix of %s %ss (%s)", Integer(k.Values), k.Name, k.Test.chance()))
		}
	}
	switch {
	case more == nil && alike == nil:
		return "~ slow requests ask for no more than the rest, as far as is recorded"
	case more == nil:
		return "~ slow requests ask for no more than the rest: " + strings.Join(alike, ", ")
	case alike == nil:
		return "slow requests are other work than the rest: " + strings.Join(more, ", ")
	}
	return "slow requests are other work than the rest: " + strings.Join(more, ", ") + "; no more: " + strings.Join(alike, ", ")
}

// Words says what the time of a detail is longer by.
func (s QueueSpeed) Words() string {
	rate := func(ns float64) string { return Duration(rounded(ns)) }
	return fmt.Sprintf("%s a request = %s by tokens (%s against %s) %s by the time of each (%s against %s), n = %s and %s", Signed(s.ExcessNS),
		Signed(s.WorkNS), Number(s.SlowTokens), Number(s.UsualTokens), joinedSign(s.SlowerNS), rate(s.SlowRate), rate(s.UsualRate), Integer(s.Slow), Integer(s.Usual))
}

// joinedSign writes a summand behind another.
func joinedSign(ns int64) string {
	if ns < 0 {
		return "- " + Duration(-ns)
	}
	return "+ " + Duration(ns)
}

// words tells Little's law, and what readings of engines say beside it.
func (l Little) words() string {
	if l.Requests == 0 {
		return "cannot be told without times"
	}
	text := fmt.Sprintf("%s waited on average = %s requests/s x %s", Number(l.Depth), Number(l.Rate), Duration(l.MeanWaitNS))
	if l.Ratio == 0 {
		text = "nobody waited"
	}
	d := l.Readings
	if d == nil {
		return text + ": an identity of one source, which proves nothing; no engine said how many waited"
	}
	text += fmt.Sprintf(", an identity. Engines said %s (%s, n = %s) where the traces have %s", Number(d.Read), d.Metric, Integer(d.N), Number(d.Depth))
	if d.Ratio != nil && d.Ratio.Low != nil {
		text += fmt.Sprintf(": a ratio of %.2f (95 %%: %.2f to %.2f)", d.Ratio.Value, *d.Ratio.Low, *d.Ratio.High)
	}
	return text + ": " + l.Words
}

// words says in which way busy times are slow.
func (b Busy) words() string {
	if !b.Known {
		return "cannot be told: too few requests came in busy or in quiet times"
	}
	times := [2]string{"the quiet half", "the busiest tenth"}
	if b.ByIncident {
		times = [2]string{"quiet times", "incidents"}
	}
	pair := func(a, b *int64) string { return optional(a) + " to " + optional(b) }
	figures := fmt.Sprintf("from %s (n = %s) to %s (n = %s) p50 %s, p99 %s, without the queue p50 %s (%s)", times[0], Integer(b.Quiet.N), times[1], Integer(b.Busy.N),
		pair(b.Quiet.P50NS, b.Busy.P50NS), pair(b.Quiet.P99NS, b.Busy.P99NS), pair(b.Quiet.OwnNS, b.Busy.OwnNS), b.Own.chance())
	switch analyze.BusyKind(b.Kind) {
	case analyze.BusyAlike:
		return "~ requests are no slower when it is busy: " + figures
	case analyze.BusyContention:
		return fmt.Sprintf("contention, the same work waits longer: %s of %s are in the queue; %s", Signed(b.QueueNS), Signed(b.RiseNS), figures)
	case analyze.BusyWork:
		return fmt.Sprintf("more or slower work, not waiting: %s of %s are in the queue; %s", Signed(b.QueueNS), Signed(b.RiseNS), figures)
	}
	return fmt.Sprintf("both, requests wait longer and take longer: %s of %s are in the queue; %s", Signed(b.QueueNS), Signed(b.RiseNS), figures)
}

func optional(ns *int64) string {
	if ns == nil {
		return "-"
	}
	return Duration(*ns)
}

// words sums up when requests waited.
func (w When) words(t Tail) string {
	if !w.Known {
		return "cannot be told: " + w.Words
	}
	if w.Waits == 0 {
		return "never: no request waited"
	}
	mean := fmt.Sprintf("%s waited on average, %s at most", Number(w.DepthMean), Integer(w.DepthPeak))
	if len(w.Incidents) == 0 {
		return "no incident: no time stands out from what chance does to a steady load (" + mean + ")"
	}
	var slow int64
	for _, i := range w.Incidents {
		slow += i.Slow
	}
	return fmt.Sprintf("%s with %s %% of all waiting (%s); %s of the %s slow requests began to wait in one",
		plural(int64(len(w.Incidents)), "incident"), Percent(w.Inside), mean, Integer(slow), Integer(t.Tail.N))
}

// words says how the waiting is spread over a field; top is the place that stands out.
func (w Where) words(top int) string {
	spread := w.Test.chance()
	switch analyze.WhereKind(w.Kind) {
	case analyze.WhereSingle:
		if w.Values == 0 {
			return "not recorded"
		}
		return fmt.Sprintf("all of them have %s", w.Places[0].Value)
	case analyze.WhereFew:
		return "too few waited to tell"
	case analyze.WhereAlike:
		return fmt.Sprintf("~ all alike: the longest waits are spread as the requests are (%s)", spread)
	case analyze.WhereOne:
		p := w.Places[top]
		return fmt.Sprintf("%s stands out: %s %% of the queue's excess with %s %% of the requests (%s)", p.Value, Percent(p.Share), Percent(float64(p.N)/float64(w.N)), spread)
	}
	return fmt.Sprintf("uneven, and no single one: the longest waits are not spread as the requests are (%s)", spread)
}

// words gives the number that speaks for or against a candidate.
func (c QueueCandidate) words() string {
	pair := func(format func(float64) string) string {
		return fmt.Sprintf("%s in quiet, %s in busy times", format(c.Quiet), format(c.Busy))
	}
	whole := func(v float64) string { return Integer(int64(v)) }
	p := ""
	if c.P != nil {
		p = ", " + pText(*c.P)
	}
	switch analyze.CandidateName(c.Name) {
	case analyze.MoreArrivals:
		text := fmt.Sprintf("%s arrivals/s before, %s up to the peak", Number(c.Quiet), Number(c.Busy))
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
		return "engines that served " + pair(whole)
	case analyze.MemoryPressure:
		return fmt.Sprintf("waiting for memory is %s %% of the waiting of the slow requests, %s %% of all", Percent(c.Busy), Percent(c.Quiet))
	}
	return "tried again " + pair(func(v float64) string { return Percent(v) + " %" }) + p
}

// words gives the counterfactual.
func (w *WhatIf) words() string {
	text := fmt.Sprintf("with no request longer in the queue than the median, %s, %s would be %s (now %s)", Duration(w.MedianNS), w.Q, Duration(w.AtMedianNS), Duration(w.NowNS))
	if w.Gain.Low != nil && w.Gain.High != nil {
		text += fmt.Sprintf(", a gain of %s (95 %%: %s to %s)", Duration(w.NowNS-w.AtMedianNS), Duration(rounded(*w.Gain.Low)), Duration(rounded(*w.Gain.High)))
	}
	if w.OffPeakNS != nil && Duration(*w.AtOffPeakNS) != Duration(w.AtMedianNS) {
		text += fmt.Sprintf("; at the median outside incidents, %s, it would be %s", Duration(*w.OffPeakNS), Duration(*w.AtOffPeakNS))
	}
	return text + ". This is arithmetic on these requests, no forecast: waiting depends on the load"
}
