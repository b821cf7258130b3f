package reports

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze"
)

// BeforeNow makes of the analysis of another time what a report is set against. Complete says
// that the time has no gaps that matter.
func BeforeNow(name string, complete bool, s analyze.Summary, r analyze.Report) Before {
	var run Run
	summary := run.Summary(s).Summary
	out := beforeOf(summary, name, complete)
	for i, b := range listed(r) {
		one := run.bottleneck(r, b, i, summary.Verdict)
		if one.Since == "" {
			one.Since = name
		}
		out.Bottlenecks = append(out.Bottlenecks, one)
	}
	return out
}

// BeforeOf makes of an earlier document what a report is set against: of a report, or of a
// summary or a queue document, which have no bottlenecks. It is an error when the document is of
// another kind.
func BeforeOf(d Document) (Before, error) {
	s := d.Summary
	if d.Queue != nil {
		s = &d.Queue.Summary
	}
	if s == nil {
		return Before{}, fmt.Errorf("a document of kind %s has no figures to compare with: it takes that of a report, a summary or a queue", d.Kind)
	}
	out := beforeOf(s, periodName(s), true)
	if r := d.Report; r != nil {
		out.Bottlenecks = append(out.Bottlenecks, r.Bottlenecks...)
		if r.Week != nil {
			out.Name, out.Complete = r.Week.Name, r.Week.Complete
		}
	}
	return out, nil
}

// beforeOf takes from a summary what a report compares, without bottlenecks.
func beforeOf(s *Summary, name string, complete bool) Before {
	out := Before{
		Name: name, Complete: complete, Requests: s.Population.Used, Metrics: []Percentiles{s.Duration.Percentiles, s.TTFT.Percentiles, s.TPOT},
		SlowQ: s.Duration.Tail.Q, Errors: s.Population.ErrorRate, Objectives: []Kept{}, Bottlenecks: []Bottleneck{},
	}
	if s.Duration.Tail.Enough {
		slow := s.Duration.Tail.Tail
		out.Slow = &slow
	}
	for _, o := range s.Objectives {
		out.Objectives = append(out.Objectives, Kept{o.Objective, o.Good, o.Asked})
	}
	return out
}

// chained counts for how many times in a row each bottleneck of the times before was there, and
// gives it the id that it had first, where nobody has yet.
func chained(list []Before) []Before {
	out := make([]Before, 0, len(list))
	for i, b := range list {
		if i > 0 && b.Bottlenecks != nil {
			fresh := make([]Bottleneck, 0, len(b.Bottlenecks))
			matched := MatchBottlenecks(b.Bottlenecks, out[:i])
			for k, one := range b.Bottlenecks {
				if one.Weeks <= 1 {
					one = matched[k]
				}
				fresh = append(fresh, one)
			}
			b.Bottlenecks = fresh
		}
		out = append(out, b)
	}
	return out
}
