package page

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// forAll writes what holds for all requests, kept or not, where sampling weights tell:
// the load, and why slow requests are slow.
func (b *builder) forAll(s *reports.Summary) {
	l, f := s.Load.ForAll, s.Duration.ForAll
	if l == nil && f == nil {
		return
	}
	b.section("all-requests", "for all requests, by weights")
	if l != nil {
		text := fmt.Sprintf("%s, of which %s were kept", reports.Number(l.Requests), reports.Integer(s.Load.Requests))
		if l.ArrivalRate != nil && l.ConcurrencyMean != nil {
			text += fmt.Sprintf("; %s requests/s, mean in flight %s", reports.Number(*l.ArrivalRate), reports.Number(*l.ConcurrencyMean))
		}
		b.hanging(Plain, "  load: ", text)
	}
	if f == nil {
		return
	}
	if f.Refused != "" {
		b.hanging(Plain, "  why slow requests are slow: ", fmt.Sprintf("cannot be said: %s; that takes %s", f.Refused, f.Need))
		return
	}
	t := f.AsTail()
	e := newExcessTable(t, reports.Verdict{})
	e.intervals(&reports.Attribution{Stages: f.AsStages()}, reports.Verdict{Predicts: f.Predicts})
	b.hanging(Plain, "  ", fmt.Sprintf("mean %s of the slowest (%s and above: %s worth %s of equal weight) and of usual ones (ranks 40 to 60 %% by weight: %s worth %s)",
		e.unit.Name, f.Q, plural(f.Tail.N, "trace"), reports.Number(f.Tail.Effective), plural(f.Body.N, "trace"), reports.Number(f.Body.Effective)))
	b.table(e.grid)
	b.none(e.without)
	b.hanging(Plain, "  ", allWords(f))
	if f.Blocks != nil && f.Blocks.Refused != "" {
		b.hanging(Dim, "  no interval: ", f.Blocks.Refused)
	}
}

// allWords says which stage leads for all requests.
func allWords(f *reports.ForAll) string {
	switch {
	case f.Leading == "":
		return "for all requests, slow ones take no longer than usual ones"
	case f.Leads:
		return fmt.Sprintf("for all requests, %s leads", f.Leading)
	}
	return fmt.Sprintf("for all requests, no stage leads: %s has most of the excess", f.Leading)
}
