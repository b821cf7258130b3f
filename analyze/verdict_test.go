package analyze

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// spread returns n requests a second apart, of which every tenth is slow by draw, in no
// order of time.
func spread(n int, seed uint64, slow func(r *rand.Rand) [StageCount]int64) []given {
	r := rand.New(rand.NewPCG(seed, 1))
	requests := many(n, 0, given{})
	for i := range requests {
		requests[i].times = times(stage.Queue, 1_000_000+r.IntN(1_000_000), stage.GPU, 90_000_000+r.IntN(20_000_000))
		if r.IntN(10) == 0 {
			for k, ns := range slow(r) {
				requests[i].times[k] += ns
			}
		}
	}
	return requests
}

func between(r *rand.Rand, low, high int) int { return (low + r.IntN(high-low)) * 1_000_000 }

// TestDominates: slow requests all over the capture that queued most of their excess let
// the verdict predict.
func TestDominates(t *testing.T) {
	s := Summarize(tables(spread(3000, 7, func(r *rand.Rand) [StageCount]int64 {
		return times(stage.Queue, between(r, 500, 900), stage.GPU, between(r, 0, 100))
	})), Options{})
	v := s.Verdict
	if v.Kind != KindDominates || v.Stage != stage.Queue || v.Needs != "" || !v.Predicts || v.First < .95 {
		t.Fatalf("%s, %s: %s; needs %q", v.Kind, v.Stage, v.Reason, v.Needs)
	}
	if b := v.Interval.Bounds; !v.Interval.HasBounds || b.Low <= .5 || b.Low > v.Share || b.High < v.Share {
		t.Errorf("share %v, bounds %+v", v.Share, b)
	}
	if s.TTFTVerdict.Kind != KindTooFew {
		t.Errorf("no first token was recorded, and its verdict is %s", s.TTFTVerdict.Kind)
	}
}

// TestWhatDominatingTakes takes away one condition after the other.
func TestWhatDominatingTakes(t *testing.T) {
	queued := func(r *rand.Rand) [StageCount]int64 {
		return times(stage.Queue, between(r, 500, 900), stage.GPU, between(r, 0, 100))
	}
	half := func(r *rand.Rand) [StageCount]int64 { // a little more than half, and now and then much less
		queue := between(r, 100, 950)
		rest := (1_000_000_000 - queue) / 2
		return times(stage.Queue, queue, stage.GPU, rest, stage.Network, rest)
	}
	kinds := func(r *rand.Rand) [StageCount]int64 { // most are slow at the gpu, a few wait for very long
		if r.IntN(60) == 0 {
			return times(stage.Queue, between(r, 60_000, 64_000))
		}
		return times(stage.GPU, between(r, 400, 600))
	}
	hidden := func(r *rand.Rand) [StageCount]int64 { // the same, and nothing says why most are slow
		if r.IntN(60) == 0 {
			return times(stage.Queue, between(r, 60_000, 64_000))
		}
		return times(stage.Unattributed, between(r, 400, 600))
	}
	for _, c := range []struct {
		name     string
		requests []given
		change   func([]given)
		kind     Kind
		needs    string
		caveat   string
	}{
		{"one incident", spread(3000, 3, queued), func(list []given) {
			for i, g := range list { // the slow ones within ten seconds, the others as they were
				if g.times[stage.Queue] > 100*ms {
					list[i].start = 1_000_000*ms + int64(i)*3*ms
				}
			}
		}, KindLeads, "10 incidents, slow requests", FewIncidents},
		{"half", spread(1200, 5, half), nil, KindLeads, "a share whose lower bound exceeds 50 %", ""},
		{"two kinds", spread(3000, 9, kinds), nil, KindLeads, "the largest part at p99 itself too; there it is gpu", TwoKinds},
		{"one kind unexplained", spread(3000, 9, hidden), nil, KindLeads, "the largest part at p99 itself too; there it is unattributed", TwoKinds},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := slices.Clone(c.requests)
			if c.change != nil {
				c.change(list)
			}
			v := Summarize(tables(list), Options{}).Verdict
			if v.Kind != c.kind || !strings.Contains(v.Needs, c.needs) {
				t.Errorf("%s of %s (%s), share %.3f, bounds %+v, needs %q", v.Kind, v.Stage, v.Reason, v.Share, v.Interval.Bounds, v.Needs)
			}
			if c.caveat != "" && !slices.ContainsFunc(v.Caveats, func(w stat.Warning) bool { return w.ID == c.caveat }) {
				t.Errorf("caveats %v, want %s", v.Caveats, c.caveat)
			}
			if v.Kind == KindLeads && v.Needs == "" {
				t.Error("a verdict that stops at leads does not say what it takes to dominate")
			}
		})
	}
}

// TestUnclear: a stage that is ahead in these requests, and would not be in others.
func TestUnclear(t *testing.T) {
	for seed := range uint64(40) {
		requests := spread(900, seed, func(r *rand.Rand) [StageCount]int64 {
			if r.IntN(2) == 0 {
				return times(stage.Queue, between(r, 100, 3000))
			}
			return times(stage.GPU, between(r, 100, 3000))
		})
		v := Summarize(tables(requests), Options{}).Verdict
		switch v.Kind {
		case KindDominates:
			t.Errorf("seed %d: of two equal causes %s is said to dominate", seed, v.Stage)
		case KindUnclear:
			if v.First >= .95 || !v.Kind.CannotSay() || !strings.Contains(v.Reason, "resamples") {
				t.Errorf("seed %d: first in %v, %s", seed, v.First, v.Reason)
			}
			return
		}
	}
	t.Error("in none of 40 captures with two equal causes the answer was unclear")
}

// TestFirstMoved: unattributed time can be what the percentile itself is longer by, a tie is
// the verdict's stage, and a stage that is no longer there leads nothing.
func TestFirstMoved(t *testing.T) {
	for _, c := range []struct {
		moved map[stage.Stage]float64
		want  stage.Stage
		is    bool
	}{
		{nil, stage.GPU, false},
		{map[stage.Stage]float64{stage.Queue: -1, stage.GPU: -2}, stage.Gateway, false},
		{map[stage.Stage]float64{stage.Unattributed: 5, stage.Queue: 4}, stage.Unattributed, true},
		{map[stage.Stage]float64{stage.Queue: 5, stage.GPU: 5}, stage.GPU, true},
	} {
		a := attribution.Result{Parts: make([]attribution.Part, StageCount)}
		for s, ns := range c.moved {
			a.Parts[s].Moved = ns
		}
		tie := stage.GPU
		if got, is := firstMoved(&a, tie); is != c.is || c.is && got != c.want {
			t.Errorf("%v: %s, %t", c.moved, got, is)
		}
	}
}
