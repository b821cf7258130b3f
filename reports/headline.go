package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// ExcessPercents writes the shares of a tail's excess in per cent, in the order of
// its stages, so that they add up to 100.0. It returns nil when there are no shares.
func (t Tail) ExcessPercents() []string {
	shares := make([]float64, len(t.Stages))
	for i, s := range t.Stages {
		if s.Share == nil {
			return nil
		}
		shares[i] = *s.Share
	}
	return Percents(shares)
}

// percentOf returns the written share of a stage.
func (t Tail) percentOf(stage string) string {
	percents := t.ExcessPercents()
	for i, s := range t.Stages {
		if s.Stage == stage && percents != nil {
			return percents[i] + " %"
		}
	}
	return "?"
}

// share writes the share of the verdict's stage, with its interval where it has one.
func (v Verdict) share(t Tail) string {
	text := t.percentOf(v.Stage)
	if f := v.ShareInterval; f != nil && f.Low != nil && f.High != nil {
		low, high := PercentRange(*f.Low, *f.High)
		text += fmt.Sprintf(" (95 %%: %s to %s)", low, high)
	}
	return text
}

// subject words a verdict sentence.
type subject struct{ makes, noun string }

var (
	ofRequests    = subject{"makes slow requests slow", "slow requests"}
	ofFirstTokens = subject{"makes late first tokens late", "late first tokens"}
)

// summaryHeadline answers "where did the time of the slow requests go, and is it the
// queue?" in one sentence.
func summaryHeadline(s *Summary) string {
	p := s.Population
	switch {
	case p.Requests == 0:
		return "no request was found"
	case p.Used == 0:
		return "no request to analyse: " + noneUsed(p.Requests)
	}
	return p.Limited(s.Verdict.Sentence)
}

// sentence words a verdict over the tail it is about.
func (v Verdict) sentence(t Tail, n int64, about subject) string {
	group := fmt.Sprintf("%s and above, n = %s", t.Q, Integer(t.Tail.N))
	switch analyze.Kind(v.Kind) {
	case analyze.KindDominates, analyze.KindLeads:
		text := fmt.Sprintf("%s takes the largest part of what %s: %s of %s (%s)", v.Stage, about.makes, v.share(t), Signed(v.ExcessNS), group)
		if v.Kind == string(analyze.KindDominates) {
			text = fmt.Sprintf("%s dominates what %s: %s of %s (%s)", v.Stage, about.makes, v.share(t), Signed(v.ExcessNS), group)
		}
		if v.Stage != queue {
			return text + fmt.Sprintf("; the queue takes %s", t.percentOf(queue))
		}
		return text + v.next(t)
	case analyze.KindUnclear:
		text := fmt.Sprintf("cannot say which stage %s: %s takes %s of %s and %s %s, and other requests might turn it round (%s)",
			about.makes, v.Stage, v.share(t), Signed(v.ExcessNS), v.RunnerUp, t.percentOf(v.RunnerUp), group)
		if v.Stage != queue && v.RunnerUp != queue {
			text += fmt.Sprintf("; the queue takes %s", t.percentOf(queue))
		}
		return text
	case analyze.KindMixed:
		text := fmt.Sprintf("no single stage %s: %s takes %s of %s and %s %s (%s)",
			about.makes, v.Stage, t.percentOf(v.Stage), Signed(v.ExcessNS), v.RunnerUp, t.percentOf(v.RunnerUp), group)
		if v.Stage != queue && v.RunnerUp != queue {
			text += fmt.Sprintf("; the queue takes %s", t.percentOf(queue))
		}
		return text
	case analyze.KindUnattributed:
		text := fmt.Sprintf("cannot say what %s: %s %% of their time is unattributed (%s)", about.makes, Percent(v.Unattributed), group)
		if v.Share != nil && *v.Share >= 0.1 {
			text += fmt.Sprintf("; of what is known, %s takes the most: %s of %s", v.Stage, t.percentOf(v.Stage), Signed(v.ExcessNS))
		}
		return text
	case analyze.KindNone:
		return fmt.Sprintf("%s take hardly longer than usual ones: %s on average against %s (%s)", about.noun, Duration(v.TailNS), Duration(v.BodyNS), group)
	}
	return fmt.Sprintf("too few requests to say what %s: %s of the %s needed", about.makes, Integer(n), Integer(t.Need))
}

// next names the stage behind the queue; empty when there is none to speak of.
func (v Verdict) next(t Tail) string {
	if v.Stage != queue || v.RunnerUpShare == nil || *v.RunnerUpShare < 0.01 {
		return ""
	}
	return fmt.Sprintf("; next is %s with %s", v.RunnerUp, t.percentOf(v.RunnerUp))
}

// queue is the stage that the reader asks about, and unattributed the one that may hide it.
const (
	queue        = "queue"
	unattributed = "unattributed"
)

// mostUnknown is the unattributed share of a request's time up to which a queue of which
// nothing is recorded counts as none.
const mostUnknown = 0.2

// requestHeadline says where the time of one request went.
func requestHeadline(r Request) string {
	if len(r.Path) == 0 {
		if (r.Class == "complete" || r.Class == "incomplete") && r.EndNS == r.StartNS {
			return "no critical path: the request began and ended within one step of its clock"
		}
		why := r.Class
		if r.ClassReason != "" {
			why += ": " + r.ClassReason
		}
		return "no critical path: the request is " + why
	}
	top := r.Stages[r.largest()]
	unknown := 0.0
	for _, s := range r.Stages {
		if s.Stage == unattributed {
			unknown = s.Share
		}
	}
	text := fmt.Sprintf("%s is %s of %s (%s %%)", top.Stage, Duration(top.MeanNS), Duration(r.DurationNS), r.StagePercents()[r.largest()])
	for _, s := range r.Stages {
		switch {
		case s.Stage != queue || top.Stage == queue:
		case s.MeanNS == 0 && unknown > mostUnknown:
			text += "; whether it waited in a queue is not recorded"
		default:
			text += fmt.Sprintf("; the queue is %s", Duration(s.MeanNS))
		}
	}
	if s := r.Standing; s.Peers > 1 && s.InPopulation {
		text += "; " + s.Compared()
	}
	return text
}

// StagePercents writes the shares of the stages in per cent, in path order, so that
// they add up to 100.0.
func (r Request) StagePercents() []string {
	shares := make([]float64, len(r.Stages))
	for i, s := range r.Stages {
		shares[i] = s.Share
	}
	return Percents(shares)
}

// Compared says how many peers a request is slower than, and how many took as long.
func (s Standing) Compared() string {
	of := Integer(s.Peers) + " requests"
	if s.Words != "" {
		of += " " + s.Words
	}
	others := plural(s.Ties, "other")
	switch {
	case s.Ties == 0:
		return fmt.Sprintf("slower than %s of %s", Integer(s.Faster), of)
	case s.Faster == 0:
		return fmt.Sprintf("as slow as %s of %s", others, of)
	}
	return fmt.Sprintf("slower than %s of %s, as slow as %s", Integer(s.Faster), of, others)
}

// explainHeadline says where the time of the requests went, or why there is none.
func (r Run) explainHeadline(requests []Request) string {
	switch {
	case len(requests) == 1:
		return requests[0].Headline
	case len(requests) > 1:
	case r.Trace != "":
		return "no such trace " + r.Trace
	case r.Requests == 0:
		return "no request was found"
	default:
		return "no request to explain: " + noneUsed(r.Requests)
	}
	largest := make([]int, len(analyze.StageNames()))
	pathless := 0
	for _, r := range requests {
		if len(r.Path) == 0 {
			pathless++
			continue
		}
		largest[r.largest()]++
	}
	var order []int
	for k, n := range largest {
		if n > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return largest[b] - largest[a] })
	var parts []string
	for _, k := range order {
		parts = append(parts, fmt.Sprintf("%s in %d", analyze.StageNames()[k], largest[k]))
	}
	if pathless > 0 {
		parts = append(parts, fmt.Sprintf("no critical path in %d", pathless))
	}
	return fmt.Sprintf("largest stage of %d requests: %s", len(requests), strings.Join(parts, ", "))
}

// largest returns the index of the largest stage, the first of equals in path order.
func (r Request) largest() int {
	best := 0
	for k, s := range r.Stages {
		if s.MeanNS > r.Stages[best].MeanNS {
			best = k
		}
	}
	return best
}

// inspectHeadline says how far the input can be trusted. It rests on the tables alone,
// so that a saved directory says the same as the input it was made from.
func inspectHeadline(in *Inspect, quality []Quality) string {
	if in.Requests == 0 {
		text := fmt.Sprintf("no request was found in %s and %s", plural(in.Rows.Spans, "span"), plural(in.Rows.Logs, "log record"))
		if in.Rows.EngineSamples > 0 {
			text += "; " + plural(in.Rows.EngineSamples, "reading") + " tell of the state of engines"
		}
		return text
	}
	var complete int64
	for _, c := range in.Classes {
		if c.Class == "complete" {
			complete += c.N
		}
	}
	parts := []string{fmt.Sprintf("%s of %s requests are complete", Integer(complete), Integer(in.Requests))}
	switch {
	case in.Tiling.Failed > 0:
		parts = append(parts, fmt.Sprintf("%s are not tiled by their segments: do not trust the shares", Integer(in.Tiling.Failed)))
	case in.Tiling.Checked > 0 && !in.Tiling.NoSegments:
		parts = append(parts, fmt.Sprintf("segments tile each of the %s with a path exactly", Integer(in.Tiling.Checked)))
	}
	if c := in.Coverage; c.PathSeconds > 0 {
		parts = append(parts, fmt.Sprintf("%s %% of path time is unattributed", Percents([]float64{c.Attributed, c.Unattributed})[1]))
	}
	var bad, lost int64
	for _, q := range quality {
		switch q.Severity {
		case "error":
			bad += q.Count
		case "loss":
			lost += q.Count
		}
	}
	if bad > 0 {
		parts = append(parts, plural(bad, "row")+" could not be read")
	}
	if lost > 0 {
		parts = append(parts, plural(lost, "loss")+" of unknown size")
	}
	return strings.Join(parts, "; ")
}

// noneUsed says that every request of n was left out.
func noneUsed(n int64) string {
	if n == 1 {
		return "the only one was left out"
	}
	return fmt.Sprintf("all %s were left out", Integer(n))
}

// the is plural behind "of", with an article where there are several.
func the(n int64, word string) string {
	if n == 1 {
		return plural(n, word)
	}
	return "the " + plural(n, word)
}

func plural(n int64, word string) string {
	switch {
	case n == 1:
		return "1 " + word
	case strings.HasSuffix(word, "s"):
		return Integer(n) + " " + word + "es"
	}
	return Integer(n) + " " + word + "s"
}
