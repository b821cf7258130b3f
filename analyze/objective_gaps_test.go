package analyze

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
)

// gapTerm asks for one term about gaps.
func gapTerm(t interface{ Fatalf(string, ...any) }, list []decoder, opt Options, text string) ObjectiveTerm {
	set, engines := decoding(list)
	opt.Engines = engines
	return termOf(t, set, opt, text)
}

// steady has decoders of which nothing holds a token.
func steady(int, int, *decoder) []decoder { return nil }

// TestPooledGaps: a percentile of itl is one of all gaps of all requests.
func TestPooledGaps(t *testing.T) {
	list := crowd(30, 3, steady)
	x := gapTerm(t, list, Options{}, "p99(itl) < 21ms")
	if x.Of != OfGaps || x.Attainment.N != 9000 || x.Attainment.Value != 1 || x.Attainment.Method != MethodBlocks || x.Outcome != tokens.Pass || x.Need != 0 || x.Observed.Value != 20*ms || x.Observed.N != 9000 || x.Undefined != nil {
		t.Errorf("%+v", x)
	}
	if got, want := x.Attainment.Bounds.Low, stat.ClopperPearsonLower(9000, 9000, stat.Confidence); got != want {
		t.Errorf("what no resample shows bounds the share all the same: %v, not %v", got, want)
	}
	if x := gapTerm(t, list, Options{}, "p99(itl) < 20ms"); x.Outcome != tokens.Fail || x.Attainment.Value != 0 {
		t.Errorf("%+v", x)
	}
	if x := gapTerm(t, list, Options{}, "p99(itl) <= 20ms"); x.Outcome != tokens.Pass {
		t.Errorf("%+v", x)
	}
	// Its percentiles are those of a summary.
	set, engines := decoding(list)
	s := Summarize(set, Options{Engines: engines, Replicates: 200}).Stalling
	for i, text := range []string{"p50(itl) < 1s", "p95(itl) < 1s", "p99(itl) < 1s"} {
		got := gapTerm(t, list, Options{Replicates: 200}, text).Observed
		if got.P = s.Quantiles[i].P; unequal(s.Quantiles[i], got) != "" {
			t.Errorf("%+v, of a summary %+v", got, s.Quantiles[i])
		}
	}
}

// TestOwnGaps: within a share, itl is the request's own; one long gap in eighty is beyond its
// p99 and not its p95.
func TestOwnGaps(t *testing.T) {
	list := crowd(30, 3, func(_, k int, d *decoder) []decoder {
		if k == 0 {
			d.tokens = halted(d.tokens, d.start+500, d.start+900)
		}
		return nil
	})
	list = append(list, decoder{id: 90_000, engine: "a", start: 0, first: 100, end: 300, tokens: []int64{100, 120, 140}},
		decoder{id: 90_001, engine: "a", start: 0, first: 100, end: 300},
		decoder{id: 90_002, engine: "a", start: 0, first: 100, end: 300, failed: true})
	for text, want := range map[string]float64{"90%(p99(itl) < 50ms)": 60. / 91, "90%(p95(itl) < 50ms)": 90. / 91, "90%(p95(itl) < 50ms and e2e < 1s)": 0} {
		x := gapTerm(t, list, Options{}, text)
		if x.Of != OfRequests || x.Attainment.N != 91 || x.Attainment.Value != want || unequal([]Undefined{{"itl: " + fewInstants, 1}, {"itl: " + noInstants, 1}}, x.Undefined) != "" {
			t.Errorf("%s: %+v", text, x)
		}
	}
	// The capacity of a percentile of all gaps is by each request's own.
	x := gapTerm(t, list, Options{}, "p99(itl) < 50ms")
	var good, asked int64
	for _, w := range x.Capacity.Windows {
		good, asked = good+w.Good, asked+w.Eligible
	}
	if good != 60 || asked != 91 || x.Attainment.N != 60*100+30*81 || x.Attainment.Value != 1-30/float64(x.Attainment.N) || unequal([]Undefined{{fewInstants, 1}, {noInstants, 1}}, x.Undefined) != "" {
		t.Errorf("%d of %d, %+v", good, asked, x)
	}
}

// TestGapsOfOneTime: 4 % of the gaps are long, all of one short time, so that it cannot be told
// whether another capture has more than 5 %; were they spread, it could.
func TestGapsOfOneTime(t *testing.T) {
	slow := func(much func(round int) bool) ObjectiveTerm {
		return gapTerm(t, crowd(30, 3, func(r, _ int, d *decoder) []decoder {
			if much(r) {
				d.tokens = even(d.start+100, d.start+2100, 25)
			}
			return nil
		}), Options{}, "p95(itl) <= 20ms")
	}
	x := slow(func(r int) bool { return r == 7 })
	if x.Outcome != tokens.Inconclusive || x.Attainment.Value < .97 || x.Attainment.Bounds.Low > .95 || x.Need <= x.Attainment.N {
		t.Errorf("%+v", x)
	}
	if low := stat.ClopperPearsonLower(x.Attainment.N-240, x.Attainment.N, stat.Confidence); low < .96 {
		t.Errorf("independent gaps would pass: %v", low)
	}
	if x = slow(func(int) bool { return true }); x.Outcome != tokens.Fail {
		t.Errorf("%+v", x)
	}
}

// TestUnboundedGaps: nothing bounds gaps of too few times, and without engines there are none.
func TestUnboundedGaps(t *testing.T) {
	x := gapTerm(t, crowd(5, 3, steady), Options{}, "p95(itl) < 50ms")
	if x.Outcome != tokens.Inconclusive || x.Attainment.HasBounds || x.Attainment.Value != 1 || x.Need != 0 || !x.Observed.Known || x.Observed.HasHigh || len(x.Attainment.Warnings) != 1 || x.Attainment.Warnings[0].ID != NoInterval {
		t.Errorf("%+v", x)
	}
	set, _ := decoding(crowd(30, 3, steady))
	x = termOf(t, set, Options{}, "p95(itl) < 50ms")
	if x.Outcome != tokens.Inconclusive || x.Attainment.N != 0 || x.Observed.Known || unequal([]Undefined{{noInstants, 90}}, x.Undefined) != "" {
		t.Errorf("%+v", x)
	}
	chunked := crowd(30, 3, func(_, _ int, d *decoder) []decoder { d.output = 400; return nil })
	if x = gapTerm(t, chunked, Options{}, "p95(itl) < 50ms"); len(x.Attainment.Warnings) != 1 || x.Attainment.Warnings[0].ID != Chunks {
		t.Errorf("%+v", x)
	}
}

// TestWeighedGaps: where traces stand for different numbers of requests, gaps weigh as much.
func TestWeighedGaps(t *testing.T) {
	set, engines := decoding(crowd(30, 3, func(_, k int, d *decoder) []decoder {
		if k == 0 {
			d.tokens = even(d.start+100, d.start+2100, 25)
		}
		return nil
	}))
	for row := range set.Requests.Weight {
		if set.Requests.Weight[row] = 5; row%3 == 0 {
			set.Requests.Weight[row] = 1
		}
	}
	x := termOf(t, set, Options{Engines: engines}, "p90(itl) <= 20ms")
	if want := 30_000. / (30_000 + 2400); x.Attainment.Value != want || x.Outcome != tokens.Pass || x.Observed.Value != 20*ms || x.Observed.Method != stat.MethodWeighted {
		t.Errorf("%+v", x)
	}
}

// TestGapsOfSomeWeights: where only some traces have a weight none counts, in the bounds either.
func TestGapsOfSomeWeights(t *testing.T) {
	set, engines := decoding(crowd(30, 3, func(r, k int, d *decoder) []decoder {
		if (r+k)%3 == 0 && r > 3 {
			d.tokens = even(d.start+100, d.start+2100, 25)
		}
		return nil
	}))
	ask := func(weight func(row int) float64) stat.Estimate {
		for row := range set.Requests.Weight {
			set.Requests.Weight[row] = weight(row)
		}
		return termOf(t, set, Options{Engines: engines}, "p70(itl) <= 20ms").Attainment
	}
	none := ask(func(int) float64 { return math.NaN() })
	some := ask(func(row int) float64 {
		return []float64{math.NaN(), 1, 1e3}[row%3]
	})
	if some.Value != none.Value || some.Bounds != none.Bounds || none.Bounds.High-none.Bounds.Low < .01 {
		t.Errorf("%+v and, of no weights, %+v", some, none)
	}
}

// TestOwnGapsAreSaid: all gaps pass where those of most requests fail, and so it is said of what
// is asked of each request.
func TestOwnGapsAreSaid(t *testing.T) {
	set, engines := decoding(crowd(60, 12, func(_, k int, d *decoder) []decoder {
		if k%3 == 0 {
			d.tokens = halted(d.tokens, d.start+500, d.start+900)
		}
		return nil
	}))
	ask := slo(t, "p99(itl) < 50ms", "60%(p99(itl) < 50ms)")
	ask.WindowNS = 40_000 * ms
	got := meets(set, Options{Engines: engines, Replicates: 100}, ask)
	pooled, own := got[0], got[1]
	if pooled.Outcome != tokens.Pass || pooled.Capacity.Why != capacity.LowestFails || !strings.Contains(doubts(pooled.Capacity), OwnGaps) || !strings.Contains(warned(pooled.Attainment), OwnGaps) {
		t.Errorf("%s, %s: %s", pooled.Outcome, pooled.Capacity.Text, doubts(pooled.Capacity))
	}
	if w := warned(pooled.Terms[0].Attainment); w != Chunks {
		t.Errorf("the term itself is of all gaps: %s", w)
	}
	if own.Outcome != tokens.Pass || strings.Contains(doubts(own.Capacity)+warned(own.Attainment), OwnGaps) {
		t.Errorf("%s: %s", own.Outcome, doubts(own.Capacity))
	}
}

// TestChunks: a share and a percentile of gaps say what a summary does of gaps between chunks.
func TestChunks(t *testing.T) {
	for output, chunked := range map[int64]bool{101: false, 112: false, 113: true, 400: true} {
		list := crowd(12, 1, func(_, _ int, d *decoder) []decoder { d.output = output; return nil })
		for _, text := range []string{"p95(itl) < 50ms", "95%(e2e < 9s and p95(itl) < 50ms)"} {
			if x := gapTerm(t, list, Options{Replicates: 20}, text); strings.Contains(warned(x.Attainment), Chunks) != chunked {
				t.Errorf("%d tokens, %s: %s", output, text, warned(x.Attainment))
			}
		}
		set, engines := decoding(list)
		if n := Summarize(set, Options{Engines: engines, Replicates: 20}).Stalling.Chunked; (n > 0) != chunked {
			t.Errorf("%d tokens: %d requests in chunks", output, n)
		}
	}
}

// TestNeedOfGaps: no number is asked for that bounds of blocks or of single gaps would not
// decide at, and none that there is already.
func TestNeedOfGaps(t *testing.T) {
	for _, c := range []struct {
		n, good   int64
		low, high float64
		wanted    stat.Prob
		least     int64 // 0 for none
	}{
		{1_044_050, 1_015_000, .9156, 1, stat.Prob{Num: 9718, Den: 10_000}, 0},      // blocks would take 10^11
		{1_044_050, 1_015_000, .9156, 1, stat.Prob{Num: 97, Den: 100}, 700_000_000}, // 10^9
		{1_000_000, 951_000, .80, .99, stat.P95, 0},                                 // 150 times as far as what is wanted
		{9000, 9000, .94, 1, stat.P95, 9001},                                        // single gaps decide already
		{9000, 8400, .9, .96, stat.P95, 9001},                                       // to fail
		{100, 97, .951, 1, stat.P95, 101},                                           // blocks decide already
		{100, 95, .9, 1, stat.P95, 0},                                               // what is wanted, exactly
	} {
		s := attained{n: c.n, good: c.good, sure: c.good, might: c.good}
		e := s.estimate()
		got := needOfBoth(&s, &e, stat.Bounds{Low: c.low, High: c.high}, c.wanted)
		if (got == 0) != (c.least == 0) || got < c.least {
			t.Errorf("%d of %d, %s: %d gaps are needed", c.good, c.n, c.wanted, got)
		}
	}
}

// TestGapProperties: the order of requests and the number of workers change nothing, and a
// percentile is within its limit when as many gaps are.
func TestGapProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.Int64Range(15, 60), 12, 12).Draw(t, "steps")
		list := crowd(11, 1, func(r, k int, d *decoder) []decoder {
			d.tokens = even(d.start+100, d.start+2100, steps[(r+5*k)%12])
			return nil
		})
		text := rapid.SampledFrom([]string{"p90(itl) < 30ms", "p50(itl) <= 20ms", "90%(p90(itl) < 30ms and e2e < 3s)"}).Draw(t, "objective")
		x := gapTerm(t, list, Options{Replicates: 50}, text)
		y := gapTerm(t, rapid.Permutation(list).Draw(t, "order"), Options{Replicates: 50, Workers: 3}, text)
		if d := unequal(x, y); d != "" {
			t.Fatal(d)
		}
		if x.Outcome == tokens.Inconclusive && x.Need > 0 && x.Need <= x.Attainment.N || x.Outcome != tokens.Inconclusive && x.Need > 0 {
			t.Fatalf("%s: %s, needs %d of %d", x.Term, x.Outcome, x.Need, x.Attainment.N)
		}
		if x.Term.Joint {
			return
		}
		l := x.Term.Limits[0]
		if a := x.Attainment; within(&l, x.Observed.Value) != (int64(a.Value*float64(a.N)+.5) >= stat.Prob(x.Term.P).Rank(a.N)) || a.Bounds.Low > a.Value || a.Bounds.High < a.Value {
			t.Fatalf("%+v", x)
		}
	})
}
