package analyze

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// clients simulates a load generator: each client sends its next request a thinking time
// after its last ended.
func clients(seed uint64, n, clients int, service, think int64) (starts, ends []int64) {
	random := rand.New(rand.NewPCG(seed, 5))
	free := make([]int64, clients)
	for k := range free {
		free[k] = int64(k) * think
	}
	for range n {
		k := 0
		for j := range free {
			if free[j] < free[k] {
				k = j
			}
		}
		start := free[k]
		end := start + service/2 + int64(random.ExpFloat64()*float64(service)/2)
		starts, ends = append(starts, start), append(ends, end)
		free[k] = end + think/2 + int64(random.ExpFloat64()*float64(think)/2)
	}
	return starts, ends
}

func hasWarning(list []stat.Warning, id string) bool {
	return slices.ContainsFunc(list, func(w stat.Warning) bool { return w.ID == id })
}

func TestClosedLoopsAreFound(t *testing.T) {
	for _, c := range []struct {
		name                  string
		n, clients            int
		service, think, every int64
	}{
		{"one client", 200, 1, 200 * ms, ms, 0},
		{"8 clients", 400, 8, 1000 * ms, ms, 0},
		{"64 clients of 100 ms", 3000, 64, 100 * ms, ms / 10, 0},
		{"256 clients", 4000, 256, 2000 * ms, ms / 2, 0},
		{"a slow generator", 400, 8, 1000 * ms, 3 * ms, 0},
	} {
		for seed := range uint64(20) {
			starts, ends := clients(seed, c.n, c.clients, c.service, c.think)
			w := closedLoop(starts, ends)
			if !hasWarning(w, ClosedLoop) {
				t.Errorf("%s, seed %d: no closed loop is found", c.name, seed)
			} else if !strings.Contains(w[0].Text, "under-state overload") {
				t.Errorf("%s: %s", c.name, w[0].Text)
			}
		}
	}
}

// TestOpenLoadIsNoClosedLoop draws independent arrivals at any rate, with and without a
// limit on what runs.
func TestOpenLoadIsNoClosedLoop(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	for _, l := range []line{
		{n: 300, servers: 1, service: 100 * ms, load: .5}, {n: 2000, servers: 1, service: 2 * ms, load: .95}, {n: 2000, servers: 16, service: 1000 * ms, load: .9},
		{n: 4000, servers: 4000, service: 1000 * ms, load: .1}, {n: 4000, servers: 4000, service: 1000 * ms, load: .02}, {n: 1000, servers: 100, service: 10 * ms, load: .3},
	} {
		for l.seed = range uint64(30) {
			var starts, ends []int64
			for _, g := range l.requests() {
				starts, ends = append(starts, g.start), append(ends, g.start+g.duration())
			}
			if w := closedLoop(starts, ends); w != nil {
				t.Errorf("%+v: %s", l, w[0].Text)
			}
		}
	}
}

// TestClosedLoopDoesNotDependOnOrder also shifts the clock.
func TestClosedLoopDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		starts, ends := clients(rapid.Uint64().Draw(t, "seed"), 200, rapid.IntRange(1, 40).Draw(t, "clients"), 500*ms, rapid.Int64Range(0, 20).Draw(t, "think")*ms)
		want := closedLoop(starts, ends)
		by := rapid.Int64Range(-1<<60, 1<<60).Draw(t, "by")
		order := rapid.Permutation(rangeTo(len(starts))).Draw(t, "order")
		var movedStarts, movedEnds []int64
		for _, i := range order {
			movedStarts, movedEnds = append(movedStarts, starts[i]+by), append(movedEnds, ends[i]+by)
		}
		if got := closedLoop(movedStarts, movedEnds); !slices.Equal(want, got) {
			t.Fatalf("%v becomes %v", want, got)
		}
	})
}

func rangeTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestSweepSorted compares with Sweep.
func TestSweepSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []Interval
		var starts, ends []int64
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			start := rapid.Int64Range(0, 50).Draw(t, "start")
			end := start + rapid.Int64Range(1, 20).Draw(t, "length")
			list, starts, ends = append(list, Interval{start, end}), append(starts, start), append(ends, end)
		}
		from := rapid.Int64Range(0, 40).Draw(t, "from")
		to := rapid.Int64Range(from+1, 90).Draw(t, "to")
		want := Sweep(list, from, to)
		got := sweepSorted(sorted(starts), sorted(ends), from, to)
		for n := range max(len(want.At), len(got.At)) {
			at := func(list []int64) int64 {
				if n < len(list) {
					return list[n]
				}
				return 0
			}
			// Sweep of the clipped window counts no time past its last end: both hold 0 then.
			if at(want.At) != at(got.At) && n > 0 {
				t.Fatalf("%d overlap for %d ns, want %d", n, at(got.At), at(want.At))
			}
		}
	})
}

// TestArtefactsOfAPopulation finds both through the tables.
func TestArtefactsOfAPopulation(t *testing.T) {
	starts, ends := clients(1, 400, 8, 1000*ms, ms)
	var loop []given
	for i := range starts {
		loop = append(loop, given{id: uint64(i + 1), start: starts[i], times: times(stage.GPU, int(ends[i]-starts[i]))})
	}
	if s := Summarize(tables(loop), Options{Replicates: 50}); !hasWarning(s.Warnings, ClosedLoop) || hasWarning(s.Warnings, WholeSeconds) {
		t.Errorf("a closed loop gives %v", s.Warnings)
	}
	open := line{seed: 1, n: 400, servers: 8, service: 1000 * ms, load: .7}.requests()
	if s := Summarize(tables(open), Options{Replicates: 50}); hasWarning(s.Warnings, ClosedLoop) || hasWarning(s.Warnings, WholeSeconds) {
		t.Errorf("open load gives %v", s.Warnings)
	}
	for i := range open {
		open[i].times[stage.GPU] = (open[i].times[stage.GPU]/(1000*ms) + 1) * 1000 * ms
		open[i].times[stage.Queue] = open[i].times[stage.Queue] / (1000 * ms) * 1000 * ms
	}
	s := Summarize(tables(open), Options{Replicates: 50})
	if i := slices.IndexFunc(s.Warnings, func(w stat.Warning) bool { return w.ID == WholeSeconds }); i < 0 || !strings.HasPrefix(s.Warnings[i].Text, "the durations of all 400 requests are whole steps of 1 s ") {
		t.Errorf("durations of whole seconds give %v", s.Warnings)
	}
}
