package analyze

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

func sorted(values []int64) []int64 {
	values = slices.Clone(values)
	slices.Sort(values)
	return values
}

// drawRequests makes tables of all sizes at which the tail's percentile changes,
// with ties, failures, fragments and missing parts.
func drawRequests(t *rapid.T) []given {
	n := rapid.SampledFrom([]int{0, 1, 2, 7, 60, 189, 190, 250, 400}).Draw(t, "n")
	seed := rapid.Uint64().Draw(t, "seed")
	next := func(below uint64) int64 { // a small generator: drawing each field would take too long
		seed = seed*6364136223846793005 + 1442695040888963407
		return int64((seed >> 33) % below)
	}
	scale := []int64{1, 1000, 1 << 40}[next(3)]
	requests := make([]given, n)
	for i := range requests {
		g := given{id: uint64(i), start: next(1000) * scale, tokens: next(4), ttft: next(4) > 0, basis: []string{"event", "attribute"}[next(2)]}
		if next(10) == 0 {
			g.class = critical.Incomplete
		}
		if next(12) == 0 {
			g.err = true
		}
		for k := range g.times {
			if next(3) == 0 {
				g.times[k] = next(50) * scale
			}
		}
		if g.times[stage.GPU] > 0 {
			g.decode = next(uint64(g.times[stage.GPU]))
		}
		if next(15) == 0 {
			g.times[stage.Queue] += 400 * scale
		}
		requests[i] = g
	}
	return requests
}

// shuffled writes the same requests in another row order.
func shuffled(t *rapid.T, requests []given) *table.Set {
	if len(requests) == 0 {
		return tables(nil)
	}
	return tables(rapid.Permutation(requests).Draw(t, "order"))
}

func TestSumsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		s := Summarize(tables(requests), Options{Replicates: 100, Errors: rapid.SampledFrom([]Inclusion{Exclude, Include}).Draw(t, "errors")})
		used := s.Population.N
		for _, x := range s.Population.Excluded {
			used += x.N
		}
		if used != int64(len(requests)) {
			t.Fatalf("%d of %d requests are accounted for", used, len(requests))
		}
		for _, l := range []Latency{s.Duration, s.TTFT} {
			n := l.N
			for _, u := range l.Undefined {
				n += u.N
			}
			if n != s.Population.N {
				t.Fatalf("%s: %d of %d requests are accounted for", l.Metric, n, s.Population.N)
			}
			checkGroup(t, l.All)
			checkGroup(t, l.Tail.Tail)
			checkGroup(t, l.Tail.Body)
			var inBands Group
			for _, b := range l.Bands {
				checkGroup(t, b.Group)
				inBands.N += b.N
				for k := range b.Times {
					inBands.Times[k] = inBands.Times[k].Plus(b.Times[k])
				}
			}
			if inBands.N != l.N || inBands.Times != l.All.Times {
				t.Fatalf("%s: the bands do not partition the requests", l.Metric)
			}
			checkTail(t, l.Tail)
		}
	})
}

func checkGroup(t *rapid.T, g Group) {
	var total stat.Sum
	for _, s := range g.Times {
		total = total.Plus(s)
	}
	if total != g.Total {
		t.Fatalf("stages add to %v, total %v", total, g.Total)
	}
	var means int64
	for _, m := range g.MeansNS() {
		means += m
	}
	if means != g.MeanNS() {
		t.Fatalf("mean stage times add to %d, mean %d", means, g.MeanNS())
	}
	if tenths := stat.ApportionSums(g.Times[:], 1000); g.Total.Sign() > 0 {
		var sum int64
		for _, x := range tenths {
			sum += x
		}
		if sum != 1000 {
			t.Fatalf("rounded shares add to %d tenths of a per cent", sum)
		}
	}
}

func checkTail(t *rapid.T, tail Tail) {
	sum := new(big.Rat)
	for _, d := range tail.Excess() {
		sum.Add(sum, d)
	}
	if sum.Cmp(tail.Total()) != 0 {
		t.Fatalf("excesses add to %v, total %v", sum, tail.Total())
	}
	if shares := tail.Shares(); shares != nil {
		var sum float64
		for _, x := range shares {
			sum += x
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("shares add to %v", sum)
		}
	}
	rounded, total := tail.ExcessNS()
	for _, x := range rounded {
		total -= x
	}
	if total != 0 {
		t.Fatalf("rounded excesses are %d ns off their total", total)
	}
	if !tail.Enough {
		return
	}
	var byStage [2]StageTimes
	for _, d := range tail.Details {
		byStage[0][d.Stage] = byStage[0][d.Stage].Plus(d.Tail)
		byStage[1][d.Stage] = byStage[1][d.Stage].Plus(d.Body)
	}
	if byStage[0] != tail.Tail.Times || byStage[1] != tail.Body.Times {
		t.Fatalf("details do not add up to the stages")
	}
}

func TestRowOrderChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		want := Summarize(tables(requests), Options{Replicates: 100})
		got := Summarize(shuffled(t, requests), Options{Replicates: 100})
		if diff := unequal(want, got, cmp.AllowUnexported(stat.Sum{})); diff != "" {
			t.Fatalf("another row order gave another summary (-want +got):\n%s", diff)
		}
	})
}

// TestScaleChangesNoShare multiplies every time by a constant.
func TestScaleChangesNoShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		want := Summarize(tables(requests), Options{Replicates: 100})
		factor := rapid.Int64Range(2, 1000).Draw(t, "factor")
		for i := range requests {
			requests[i].start *= factor
			requests[i].decode *= factor
			for k := range requests[i].times {
				requests[i].times[k] *= factor
			}
		}
		got := Summarize(tables(requests), Options{Replicates: 100})
		if diff := cmp.Diff(want.Duration.Tail.Shares(), got.Duration.Tail.Shares()); diff != "" {
			t.Fatalf("shares of the excess (-want +got):\n%s", diff)
		}
		for i, b := range want.Duration.Bands {
			for k := range b.Times {
				if b.Share(k) != got.Duration.Bands[i].Share(k) {
					t.Fatalf("band %s: share of stage %d changed", b.Band, k)
				}
			}
		}
		if want.Verdict.Kind != got.Verdict.Kind || want.Verdict.Share != got.Verdict.Share || want.Unattributed != got.Unattributed {
			t.Fatalf("verdict changed from %+v to %+v", want.Verdict, got.Verdict)
		}
		if want.Load.InFlight.Mean() != got.Load.InFlight.Mean() || want.Duration.Tail.Clusters != got.Duration.Tail.Clusters {
			t.Fatal("concurrency or incidents changed")
		}
	})
}

// TestStartShiftsChangeNothing moves all requests in time.
func TestStartShiftsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		want := Summarize(tables(requests), Options{Replicates: 100})
		by := rapid.Int64Range(0, 1<<60).Draw(t, "by")
		for i := range requests {
			requests[i].start += by
		}
		got := Summarize(tables(requests), Options{Replicates: 100})
		got.Load, want.Load = Load{}, Load{}
		if diff := unequal(want, got, cmp.AllowUnexported(stat.Sum{})); diff != "" {
			t.Fatalf("a shift in time changed more than the window (-want +got):\n%s", diff)
		}
	})
}

// TestSlowerStageTakesMoreOfTheTail adds a constant to one stage of the slow
// requests: its share of the tail's time must rise, and of the excess not fall.
func TestSlowerStageTakesMoreOfTheTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usual, slow := drawTimes(t, "usual"), drawTimes(t, "slow")
		for k := range slow {
			slow[k] += usual[k] + 1
		}
		k := rapid.IntRange(0, StageCount-1).Draw(t, "stage")
		by := rapid.Int64Range(1, 1<<40).Draw(t, "by")
		before := Summarize(tables(tailCase(usual, slow)), Options{Replicates: 100}).Duration.Tail
		slow[k] += by
		after := Summarize(tables(tailCase(usual, slow)), Options{Replicates: 100}).Duration.Tail
		if after.Tail.Share(k) <= before.Tail.Share(k) {
			t.Fatalf("share of the tail went from %v to %v", before.Tail.Share(k), after.Tail.Share(k))
		}
		if after.Shares()[k] <= before.Shares()[k] {
			t.Fatalf("share of the excess went from %v to %v", before.Shares()[k], after.Shares()[k])
		}
		if got, _ := new(big.Rat).Sub(after.Total(), before.Total()).Float64(); got != float64(by) {
			t.Fatalf("the excess rose by %v, want %d", got, by)
		}
	})
}

func drawTimes(t *rapid.T, name string) (out [StageCount]int64) {
	for k := range out {
		out[k] = rapid.Int64Range(0, 1000).Draw(t, name)
	}
	return out
}

// TestSweepAgainstCounting counts at every instant instead.
func TestSweepAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in []Interval
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			start := rapid.Int64Range(0, 30).Draw(t, "start")
			in = append(in, Interval{start, start + rapid.Int64Range(0, 10).Draw(t, "length")})
		}
		from := rapid.Int64Range(0, 30).Draw(t, "from")
		to := from + rapid.Int64Range(0, 20).Draw(t, "window")
		want := Concurrency{From: from, To: to, At: []int64{0}}
		for at := from; at < to; at++ {
			var n int64
			for _, iv := range in {
				if iv.Start == at {
					want.Arrivals++
				}
				if iv.Start <= at && at < iv.End {
					n++
				}
			}
			for int64(len(want.At)) <= n {
				want.At = append(want.At, 0)
			}
			want.At[n]++
			want.Peak = max(want.Peak, n)
			want.Integral.Add(n)
		}
		if diff := unequal(want, Sweep(in, from, to), cmp.AllowUnexported(stat.Sum{})); diff != "" {
			t.Fatalf("(-counted +swept):\n%s", diff)
		}
	})
}
