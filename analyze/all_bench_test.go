package analyze

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// busyDays returns n requests of several models, routes and hosts over a week, a tenth of
// which waited in a queue, with their segments.
func busyDays(n int, seed uint64) *table.Set {
	r := rand.New(rand.NewPCG(seed, 2))
	requests := make([]given, n)
	for i := range requests {
		g := given{id: uint64(i) + seed<<40, start: int64(seed+1)*7*86_400_000*ms + r.Int64N(7*86_400_000)*ms, ttft: true, tokens: 2 + r.Int64N(400)}
		g.decode = g.tokens * (8 + r.Int64N(4)) * ms
		g.times = times(stage.Network, between(r, 1, 30), stage.Gateway, between(r, 1, 3), stage.Scheduling, between(r, 1, 9), stage.GPU, int(g.decode)+between(r, 10, 90))
		if r.IntN(10) == 0 {
			g.times[stage.Queue] = int64(between(r, 10, 3000))
		}
		requests[i] = g
	}
	set := tables(requests)
	q := &set.Requests
	for i := range n {
		q.Model[i] = set.Symbols.Intern(fmt.Sprintf("model-%d", r.IntN(4)))
		q.Route[i] = set.Symbols.Intern(fmt.Sprintf("/v1/route-%d", r.IntN(6)))
		q.PromptTokens[i] = 1 + r.Int64N(4000)
	}
	slots := set.Symbols.Intern(engine.Slots.String())
	for i, s := range set.Segments.Stage {
		if stage.Stage(s) == stage.Queue {
			set.Segments.Cause[i] = slots
		}
	}
	return set
}

// BenchmarkAll carries out every analysis: of 1,000,000 requests the summary, the evidence
// on the queue and who differs, and of two halves of as many the comparison.
func BenchmarkAll(b *testing.B) {
	for _, n := range []int{250_000, 1_000_000} {
		all, base, new := busyDays(n, 1), busyDays(n/2, 2), busyDays(n/2, 3)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				opt := Options{Workers: 2}
				QueueOf(all, opt, nil)
				Compare(base, new, opt, change.Rule{})
			}
		})
	}
}
