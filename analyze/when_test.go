package analyze

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// line is a waiting line in front of some servers: requests come independently, the first
// come is the first served.
type line struct {
	seed    uint64
	n       int
	servers int
	service int64                  // mean ns, exponential
	load    float64                // arrivals by what the servers can do
	surge   func(at int64) float64 // factor on the arrivals; nil for 1
	slower  func(at int64) float64 // factor on the service; nil for 1
}

// requests simulates the line.
func (l line) requests() (out []given) {
	random := rand.New(rand.NewPCG(l.seed, 17))
	free := make([]int64, l.servers)
	factor := func(f func(int64) float64, at int64) float64 {
		if f == nil {
			return 1
		}
		return f(at)
	}
	at := int64(0)
	gap := float64(l.service) / float64(l.servers) / l.load
	for i := range l.n {
		at += int64(random.ExpFloat64() * gap / factor(l.surge, at))
		k := 0
		for j := range free {
			if free[j] < free[k] {
				k = j
			}
		}
		begin := max(at, free[k])
		work := 1 + int64(random.ExpFloat64()*float64(l.service)*factor(l.slower, begin))
		free[k] = begin + work
		out = append(out, given{id: uint64(i + 1), start: at, times: times(stage.Queue, int(begin-at), stage.GPU, int(work))})
	}
	return out
}

func surgeBetween(from, to int64, f float64) func(int64) float64 {
	return func(at int64) float64 {
		if at >= from && at < to {
			return f
		}
		return 1
	}
}

// whenIn finds the incidents of some requests.
func whenIn(set *table.Set) When {
	opt := Options{}.filled()
	rows, _ := population(set, opt)
	tail := newQueueTail(set, rows, stat.P99)
	return whenOf(set, waitingOf(set, opt), tail.slow, tail.median, table.ClockWall, opt.Rule)
}

func TestCalmLoadHasNoIncident(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	for _, c := range []struct {
		name string
		calm line
		most int
	}{
		{"one server, 10 % busy", line{n: 1500, servers: 1, service: 100 * ms, load: .1}, 2},
		{"one server, 30 % busy", line{n: 1500, servers: 1, service: 100 * ms, load: .3}, 2},
		{"one server, half busy", line{n: 1500, servers: 1, service: 100 * ms, load: .5}, 2},
		{"one server, 70 % busy", line{n: 1500, servers: 1, service: 100 * ms, load: .7}, 2},
		{"one server, 90 % busy", line{n: 1500, servers: 1, service: 100 * ms, load: .9}, 2},
		{"16 servers, 80 % busy", line{n: 1500, servers: 16, service: 1000 * ms, load: .8}, 2},
		{"64 servers, 90 % busy", line{n: 1500, servers: 64, service: 1000 * ms, load: .9}, 2},
		{"few requests", line{n: 200, servers: 2, service: 100 * ms, load: .8}, 2},
	} {
		found := 0
		for seed := range uint64(100) {
			c.calm.seed = seed
			if w := whenIn(tables(c.calm.requests())); len(w.Incidents) > 0 {
				found++
			}
		}
		t.Logf("%s: %d of 100", c.name, found)
		if found > c.most {
			t.Errorf("%s: incidents in %d of 100 captures", c.name, found)
		}
	}
}

// TestPlantedIncidents plants a surge of arrivals and a time of slow service.
func TestPlantedIncidents(t *testing.T) {
	const s = 1000 * ms
	found := 0
	for seed := range uint64(50) {
		l := line{seed: seed, n: 3000, servers: 8, service: s, load: .6}
		l.surge, l.slower = surgeBetween(100*s, 140*s, 2.5), surgeBetween(300*s, 320*s, 4)
		requests := l.requests()
		w := whenIn(tables(requests))
		if len(w.Incidents) != 2 {
			t.Logf("seed %d: %d incidents", seed, len(w.Incidents))
			continue
		}
		found++
		for i, planted := range []Interval{{100 * s, 140 * s}, {300 * s, 320 * s}} {
			in := w.Incidents[i]
			if off := in.Onset - planted.Start; off < -3*s || off > 10*s {
				t.Errorf("seed %d: onset %d is %d ms after the cause began", seed, i, off/ms)
			}
			if off := in.Peak - planted.End; off < -8*s || off > 8*s {
				t.Errorf("seed %d: peak %d is %d ms after the cause ended", seed, i, off/ms)
			}
		}
	}
	if found < 49 {
		t.Errorf("both incidents were found in %d of 50 captures", found)
	}
}

// depthAt counts the requests that wait at an instant, one by one.
func depthAt(requests []given, at int64) (n int64) {
	for _, g := range requests {
		if g.start <= at && at < g.start+g.times[stage.Queue] {
			n++
		}
	}
	return n
}

// TestIncidentsAreWhatWaited checks every figure of incidents against a count of the
// requests one by one.
func TestIncidentsAreWhatWaited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := line{seed: rapid.Uint64().Draw(t, "seed"), n: rapid.SampledFrom([]int{60, 300, 900}).Draw(t, "n"), servers: rapid.IntRange(1, 8).Draw(t, "servers"), service: 1000 * ms, load: .5}
		from := rapid.Int64Range(0, 100).Draw(t, "from") * 1000 * ms
		l.surge = surgeBetween(from, from+30_000*ms, 5)
		requests := l.requests()
		w := whenIn(tables(requests))
		for i, in := range w.Incidents {
			if in.Onset > in.Peak || in.Peak >= in.Recovery || i > 0 && in.Onset < w.Incidents[i-1].Recovery {
				t.Fatalf("incident %+v is not in order", in)
			}
			if got := depthAt(requests, in.Peak); got != in.Depth {
				t.Fatalf("%d wait at the peak, want %d", got, in.Depth)
			}
			adjacent := func(k int, at func(Incident) int64) bool {
				return k >= 0 && k < len(w.Incidents) && at(w.Incidents[k]) != 0
			}
			_ = adjacent
			if !in.Begun && depthAt(requests, in.Onset-1) > w.Quiet || in.Recovered && depthAt(requests, in.Recovery) > w.Quiet {
				t.Fatalf("more than %d wait before %d or at %d", w.Quiet, in.Onset, in.Recovery)
			}
			var hit, longest, arrivals int64
			var waited, present int64
			for _, g := range requests {
				q := Interval{g.start, g.start + g.times[stage.Queue]}
				waited += max(0, min(q.End, in.Recovery)-max(q.Start, in.Onset))
				present += max(0, min(g.start+g.duration(), in.Recovery)-max(g.start, in.Onset))
				if g.start >= in.Onset && g.start < in.Recovery {
					arrivals++
					if q.End > q.Start {
						hit++
						longest = max(longest, q.End-q.Start)
					}
				}
			}
			got := []int64{in.Hit, in.LongestNS, in.During.Arrivals, in.Waited.Int().Int64()}
			if diff := cmp.Diff([]int64{hit, longest, arrivals, waited}, got); diff != "" {
				t.Fatalf("incident %+v (-counted +got):\n%s", in, diff)
			}
			if mean := float64(present) / float64(in.Recovery-in.Onset); in.During.InFlight < mean*.999999 || in.During.InFlight > mean*1.000001 {
				t.Fatalf("%g in flight, want %g", in.During.InFlight, mean)
			}
		}
	})
}

func TestIncidentsDoNotDependOnRowsOrTheClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := line{seed: rapid.Uint64().Draw(t, "seed"), n: 400, servers: 4, service: 1000 * ms, load: .6, surge: surgeBetween(20_000*ms, 50_000*ms, 4)}
		requests := l.requests()
		want := whenIn(tables(requests))
		by := rapid.Int64Range(0, 1<<61).Draw(t, "by")
		moved := slices.Clone(requests)
		for i := range moved {
			moved[i].start += by
		}
		got := whenIn(shuffled(t, moved))
		for i := range got.Incidents {
			in := &got.Incidents[i]
			for _, at := range []*int64{&in.Onset, &in.Peak, &in.Recovery, &in.Before.From, &in.Before.To, &in.Rise.From, &in.Rise.To, &in.During.From, &in.During.To} {
				*at -= by
			}
		}
		if diff := unequal(want.Incidents, got.Incidents, cmp.Comparer(func(a, b stat.Sum) bool { return a == b })); diff != "" {
			t.Fatalf("(-want +moved):\n%s", diff)
		}
	})
}
