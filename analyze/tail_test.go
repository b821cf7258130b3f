package analyze

import (
	"math/big"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// TestEqualRequestsAreNotSlower: among equals nobody is slower than anybody.
func TestEqualRequestsAreNotSlower(t *testing.T) {
	set := tables(many(30, 0, given{times: times(stage.GPU, 100)}))
	peers := NewPeers(set, Options{})
	for i := range 30 {
		s := peers.standing(set, asRequest(set, i))
		if s.Faster != 0 || s.Ties != 29 || s.Peers != 30 || !s.InPopulation {
			t.Fatalf("request %d: %+v", i, s)
		}
	}
	stranger := asRequest(set, 0)
	stranger.TraceID[0] = 1
	if s := peers.standing(set, stranger); s.Faster != 0 || s.Ties != 30 || s.InPopulation {
		t.Errorf("a request from elsewhere: %+v", s)
	}
}

// TestLongRequestsThatNeverWaitedAreApart: requests of 30 s that arrive a second
// apart overlap, but none waited for another.
func TestLongRequestsThatNeverWaitedAreApart(t *testing.T) {
	requests := many(2000, 0, given{times: times(stage.Queue, int(3*ms), stage.GPU, int(10_000*ms))})
	for i := range requests {
		if i%100 < 5 { // neighbours, each 30 s long
			requests[i].times[stage.GPU] = 30_000 * ms
		}
	}
	s := Summarize(tables(requests), Options{})
	if tail := s.Duration.Tail; tail.Clusters != tail.Tail.N || tail.Clusters < 20 {
		t.Errorf("%d groups of %d requests that waited 3 ms and arrive a second apart", tail.Clusters, tail.Tail.N)
	}
	for _, c := range s.Verdict.Caveats {
		if c.ID == FewIncidents {
			t.Errorf("independent arrivals: %s", c.Text)
		}
	}
}

// TestOneBurstIsOneGroup: requests that queue behind each other, whether the wait is
// called queue or scheduling.
func TestOneBurstIsOneGroup(t *testing.T) {
	for _, wait := range []stage.Stage{stage.Queue, stage.Scheduling} {
		requests := many(2000, 0, given{times: times(stage.GPU, int(500*ms))})
		for i := range 21 { // the p99 tail of 2,000
			requests[700+i].times[wait] = int64(1+i) * 450 * ms
		}
		s := Summarize(tables(requests), Options{})
		if got := s.Duration.Tail.Clusters; got != 1 {
			t.Errorf("wait in %s: %d groups, want 1", wait, got)
		}
		want := "the slow requests overlap in time and form 1 incident: this describes them; it does not predict"
		if c := s.Verdict.Caveats; len(c) != 1 || c[0].ID != FewIncidents || c[0].Text != want {
			t.Errorf("wait in %s: caveats %v", wait, c)
		}
	}
}

// TestWaitForTheFirstToken: the groups of late first tokens follow the waits before
// the first token.
func TestWaitForTheFirstToken(t *testing.T) {
	requests := many(2000, 0, given{times: times(stage.GPU, int(500*ms)), ttft: true, basis: "event"})
	for i := range 21 {
		requests[700+i].times[stage.Queue] = 2000 * ms
	}
	if got := Summarize(tables(requests), Options{}).TTFT.Tail.Clusters; got != 1 {
		t.Errorf("%d groups, want 1", got)
	}
}

// TestExcessOfCancellingStages: a stage that gains what another loses keeps its
// excess, however small the sum.
func TestExcessOfCancellingStages(t *testing.T) {
	for _, rest := range []int64{400_000, 1, 0, -1, -400_000} {
		usual := times(stage.Queue, int(100*ms), stage.GPU, int(400*ms))
		slow := times(stage.Queue, int(100*ms+285_300_000+rest), stage.GPU, int(400*ms-285_300_000))
		requests := tailCase(usual, slow)
		tail := Tail{MinTail: 20, Enough: true, Q: stat.P90}
		set := tables(requests)
		m := durationMetric(set)
		for i := range requests {
			if i < 170 {
				tail.Body.add(&m, int32(i))
			} else {
				tail.Tail.add(&m, int32(i))
			}
		}
		ns, total := tail.ExcessNS()
		if total != rest || ns[stage.Queue] != 285_300_000+rest || ns[stage.GPU] != -285_300_000 {
			t.Errorf("rest %d: queue %d, gpu %d, total %d", rest, ns[stage.Queue], ns[stage.GPU], total)
		}
		for k, x := range tail.Excess() {
			off := new(big.Rat).Sub(x, big.NewRat(ns[k], 1))
			if off.Abs(off).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Errorf("stage %d: %d ns for %v", k, ns[k], x)
			}
		}
	}
}

// TestShortWindowHasNoRate: the window must hold ten mean durations.
func TestShortWindowHasNoRate(t *testing.T) {
	gpu := times(stage.GPU, 1000)
	for _, c := range []struct {
		starts []int64
		want   bool
	}{
		{nil, false}, {[]int64{0}, false}, {[]int64{0, 8_998}, false}, {[]int64{0, 8_999}, false}, {[]int64{0, 9_000}, true}, {[]int64{0, 90_000}, true},
	} {
		var requests []given
		for i, start := range c.starts {
			requests = append(requests, given{id: uint64(i), start: start, times: gpu})
		}
		if got := Summarize(tables(requests), Options{}).Load.Rated(); got != c.want {
			t.Errorf("starts %v: rated %v", c.starts, got)
		}
	}
	if empty := []given{{id: 1, start: 5}, {id: 2, start: 5}}; Summarize(tables(empty), Options{}).Load.Rated() {
		t.Error("an empty window has a rate")
	}
}

func TestGroupsAreCounted(t *testing.T) {
	requests := tailCase(times(stage.GPU, 100), times(stage.Queue, 900, stage.GPU, 100))
	for i := range requests[170:] {
		requests[170+i].start = int64(i%2) * 901
	}
	s := Summarize(tables(requests), Options{})
	if c := s.Verdict.Caveats; s.Duration.Tail.Clusters != 2 || len(c) != 1 || !strings.Contains(c[0].Text, "form 2 incidents") {
		t.Errorf("starts 901 ns apart, waits of 900: %d groups, %v", s.Duration.Tail.Clusters, c)
	}
}
