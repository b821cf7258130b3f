package reports

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// The ids of what a banner warns of.
const (
	WeekIncomplete   = "week-incomplete"
	MuchUnattributed = "much-unattributed"
	ManyIncomplete   = "many-incomplete"
	ClockRanking     = "clock-ranking"
	SampledTraces    = "sampled-traces"
	RowsLost         = "rows-lost"
	NotAlike         = "not-alike"
)

// The limits beyond which a banner warns: the unattributed share of the time, and the share of
// requests that are not complete.
const (
	mostUnattributed = 0.2
	mostIncomplete   = 0.05
)

// banner says what a reader must know before any figure; empty when no limit is crossed.
func banner(d Document, r *Report) []Warning {
	out := []Warning{}
	warn := func(id, format string, args ...any) { out = append(out, Warning{id, fmt.Sprintf(format, args...)}) }
	s, in := &d.Queue.Summary, d.Inspect
	if w := r.Week; w != nil && !w.Complete {
		warn(WeekIncomplete, "the week is incomplete: something is recorded of %s of %s hours; it is not ranked against others",
			Integer(w.CoveredNS/(dayNS/24)), Integer((w.EndNS-w.StartNS)/(dayNS/24)))
	}
	if c := d.Compare; c != nil && len(c.Refused) > 0 {
		warn(NotAlike, "not like for like, so that a change may be none of the server: %s", strings.Join(c.Refused, "; "))
	}
	if c := d.Compare; c != nil {
		for _, w := range c.Warnings { // which nothing but --force lets through
			if w.ID == analyze.UnlikeContext || w.ID == analyze.OtherModels {
				warn(w.ID, "compared by --force, though not like for like: %s", w.Text)
			}
		}
	}
	if u := s.Unattributed; u.Overall > mostUnattributed || u.TailN > 0 && u.Tail > mostUnattributed {
		warn(MuchUnattributed, "%s %% of all time and %s %% of that of slow requests is unattributed: nothing recorded says what happened in it",
			Percent(u.Overall), Percent(u.Tail))
	}
	var incomplete int64
	for _, c := range in.Classes {
		if c.Class != "complete" {
			incomplete += c.N
		}
	}
	if in.Requests > 0 && float64(incomplete)/float64(in.Requests) > mostIncomplete {
		warn(ManyIncomplete, "%s of %s are not complete and left out", Integer(incomplete), plural(in.Requests, "request"))
	}
	if host, ns := farthestClock(in.Clocks); s.Verdict.Share != nil && s.Verdict.RunnerUpShare != nil {
		if lead := (*s.Verdict.Share - *s.Verdict.RunnerUpShare) * float64(s.Verdict.ExcessNS); float64(ns) > lead && lead >= 0 && ns > 0 {
			warn(ClockRanking, "the clock of %s is %s off, which is more than %s is ahead of %s: --clock adjust may rank the stages otherwise",
				host, Duration(ns), s.Verdict.Stage, s.Verdict.RunnerUp)
		}
	}
	switch kind := analyze.SamplingKind(s.Population.Sampling.Kind); kind {
	case analyze.SamplingUniform:
		warn(SampledTraces, "traces are a sample, each for the same number of requests: rates and counts are those of the kept ones")
	case analyze.SamplingWeighted, analyze.SamplingPartial, analyze.SamplingSuspected:
		warn(SampledTraces, "traces were not all kept alike: every figure is among kept traces unless it says otherwise")
	}
	var lost int64
	for _, q := range d.Quality {
		if q.Severity == "error" || q.Severity == "loss" {
			lost += q.Count
		}
	}
	if rows := in.Rows.Spans + in.Rows.Logs; lost > 0 && float64(lost) > mostIncomplete*float64(rows) {
		warn(RowsLost, "%s could not be read or were lost, of %s that were read", plural(lost, "row"), Integer(rows))
	}
	return out
}

// farthestClock returns the host whose clock is farthest off, and by how many ns; 0 when none is
// known to be off beyond its error, or when times were moved by it.
func farthestClock(c Clocks) (host string, ns int64) {
	if c.Mode != "raw" {
		return "", 0
	}
	for _, o := range c.Clocks {
		for _, s := range o.Stretches {
			if s.OffsetNS == nil || s.ErrorNS == nil {
				continue
			}
			if off := max(*s.OffsetNS, -*s.OffsetNS); off > *s.ErrorNS && off > ns {
				host, ns = o.Clock, off
			}
		}
	}
	return host, ns
}
