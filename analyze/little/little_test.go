package little

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

const second = int64(1_000_000_000)

func near(t *testing.T, name string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// repeat returns n requests of a length and a weight.
func repeat(n int, seconds int64, weight float64) []Request {
	out := make([]Request, n)
	for i := range out {
		out[i] = Request{seconds * second, weight}
	}
	return out
}

// TestG1DocumentLoad has five latencies, 500 requests in 10 s, and 10 requests a second of
// 10 s each.
func TestG1DocumentLoad(t *testing.T) {
	five := []int64{100, 110, 120, 130, 2540}
	if sum := stat.SumOf(five...); sum.MeanRounded(5) != 600 || stat.NearestRank(five, stat.P50) != 120 {
		t.Errorf("mean %d, P50 %d", sum.MeanRounded(5), stat.NearestRank(five, stat.P50))
	}
	near(t, "req/s", Of(repeat(500, 1, 1), 10*second).RatePerSecond, 50, 1e-12)
	near(t, "L", Of(repeat(1000, 10, 1), 100*second).InFlight, 100, 1e-12)
	near(t, "λW", InStage(10, 10e9), 100, 1e-12)
}

// TestG7Identity has the points of a published sweep: requests a second from tokens, 500
// each, times the time to first token and 499 gaps. It is the number of clients within
// 0.55 %; and the decode population stands still from 100 clients on.
func TestG7Identity(t *testing.T) {
	for _, p := range []struct{ clients, ttftMS, itlMS, tokensPerSecond, inFlight, decoding float64 }{
		{1, 406.77, 18.58, 51.67, 1.000, .958}, {5, 546.7, 21.83, 218.48, 4.999, 4.760}, {25, 688.69, 38.75, 623.4, 24.967, 24.108},
		{50, 834.51, 59.73, 814.37, 49.904, 48.545}, {100, 7996.25, 92.91, 917.26, 99.721, 85.052}, {150, 34794.22, 92.86, 920.9, 149.428, 85.344},
		{200, 61680.22, 93.06, 920.54, 199.052, 85.494}, {250, 88605.32, 93.2, 920.12, 248.639, 85.584},
	} {
		rate := p.tokensPerSecond / 500
		decode := InStage(rate, 499*p.itlMS*1e6)
		all := InStage(rate, p.ttftMS*1e6) + decode
		near(t, "L", all, p.inFlight, 5.1e-4)
		near(t, "L of decode", decode, p.decoding, 5.1e-4)
		if off := math.Abs(all/p.clients - 1); off > .0055 {
			t.Errorf("%v clients: off by %v", p.clients, off)
		}
	}
	// Clients over the gap are no throughput; those that decode are.
	near(t, "250 clients / ITL", 250/.0932, 2682, .5)
	near(t, "those that decode / ITL", 85.584/.0932, 918, .5)
}

// TestG17Sampling has 100 requests a second, of which 90 take 1 s and 10 take 10 s, over
// 100 s.
func TestG17Sampling(t *testing.T) {
	const window = 100 * second
	truth := Of(append(repeat(9000, 1, 1), repeat(1000, 10, 1)...), window)
	near(t, "λ", truth.RatePerSecond, 100, 1e-9)
	near(t, "L", truth.InFlight, 190, 1e-9)
	near(t, "W", truth.MeanNS/1e9, 1.9, 1e-9)
	// Every slow one is kept, and a tenth of the fast ones.
	kept := Of(append(repeat(900, 1, 1), repeat(1000, 10, 1)...), window)
	near(t, "λ kept", kept.RatePerSecond, 19, 1e-9)
	near(t, "L kept", kept.InFlight, 109, 1e-9)
	near(t, "W kept", kept.MeanNS/1e9, 5.7368, 5e-5)
	r := Against(kept, truth.RatePerSecond, truth.InFlight)
	near(t, "ratio of rates", r.RateRatio, .19, 1e-9)
	near(t, "ratio in flight", r.InFlightRatio, .5737, 5e-5)
	if r.Kind != SlowMore || r.N != 1900 {
		t.Errorf("%+v", r)
	}
	weighted := Of(append(repeat(900, 1, 10), repeat(1000, 10, 1)...), window)
	near(t, "λ by weight", weighted.RatePerSecond, 100, 1e-9)
	near(t, "L by weight", weighted.InFlight, 190, 1e-9)
	if r = Against(weighted, 100, 190); r.Kind != Complete {
		t.Errorf("by weight: %+v", r)
	}
	quarter := Of(append(repeat(2250, 1, 1), repeat(250, 10, 1)...), window)
	r = Against(quarter, 100, 190)
	near(t, "quarter of rates", r.RateRatio, .25, 1e-9)
	near(t, "quarter in flight", r.InFlightRatio, .25, 1e-9)
	if r.Kind != Uniform {
		t.Errorf("a quarter: %+v", r)
	}
}

// TestReadings has every row of the table.
func TestReadings(t *testing.T) {
	for _, c := range []struct {
		rate, inFlight float64
		n              int64
		want           Kind
	}{
		{1, 1, 10_000, Complete}, {.25, .25, 10_000, Uniform}, {.19, .5737, 1900, SlowMore}, {.25, .1, 10_000, LongLess},
		{1, .8, 10_000, Uncovered}, {1, 1.2, 10_000, Wider}, {1.3, 1.3, 10_000, More}, {1.3, .9, 10_000, More},
		{.99, 1.01, 10_000, Complete}, {.99, .96, 100_000, Uncovered}, {.95, .95, 100, Complete}, {.95, .95, 100_000, Uniform},
		{.5, .5, 30, Unclear}, {0, .5, 1000, Unclear}, {.5, math.Inf(1), 1000, Unclear}, {math.NaN(), 1, 1000, Unclear}, {1, 1, 0, Unclear},
	} {
		if r := Read(c.rate, c.inFlight, c.n, 1); r.Kind != c.want || r.Text == "" {
			t.Errorf("%v, %v of %d: %+v, want %s", c.rate, c.inFlight, c.n, r, c.want)
		}
	}
	if r := Read(.25, .3, 10_000, 10); r.Kind != Uniform {
		t.Errorf("times that vary that much explain it: %+v", r)
	}
	// 20 of 100 in flight are in no span, at 10 a second: 2 s of each request.
	law := Of(repeat(10_000, 8, 1), 1000*second)
	if r := Against(law, 10, 100); r.Kind != Uncovered || math.Abs(r.MissingNS-2e9) > 1 {
		t.Errorf("%+v", r)
	}
}

// TestBoundedSaysWhatChanceHides: an interval that holds 1 and much else is no proof.
func TestBoundedSaysWhatChanceHides(t *testing.T) {
	narrow, wide := Ratio{1, .98, 1.02}, Ratio{.9, .78, 1.07}
	for _, r := range []Reading{ReadBounded(wide, wide, narrow, 500), ReadRate(wide, 500), ReadInFlight(wide, 500)} {
		if !strings.Contains(r.Text, "chance hides a lack of up to 19 %") {
			t.Errorf("%s: %s", r.Kind, r.Text)
		}
	}
	for _, r := range []Reading{ReadBounded(narrow, narrow, narrow, 500), ReadRate(narrow, 500), ReadInFlight(narrow, 500)} {
		if strings.Contains(r.Text, "hides") {
			t.Errorf("%s: %s", r.Kind, r.Text)
		}
	}
}

// TestG19Skew has one of four replicas do most.
func TestG19Skew(t *testing.T) {
	s := SkewOf([]float64{.95, .05, .10, .10})
	near(t, "mean", s.Mean, .30, 1e-12)
	near(t, "max/mean", s.Ratio, 3.17, 5e-3)
	if s.Busiest != 0 || s.Max != .95 || s.Replicas != 4 {
		t.Errorf("%+v", s)
	}
	times := SkewOfTimes([]int64{10, 95, 5, 10}, 100)
	if times.Busiest != 1 || times.Ratio != s.Ratio || times.Mean != s.Mean {
		t.Errorf("%+v", times)
	}
	for _, none := range []Skew{SkewOf(nil), SkewOf([]float64{0, 0}), SkewOfTimes([]int64{1}, 0)} {
		if none.Ratio != 0 || none.Mean != 0 {
			t.Errorf("%+v", none)
		}
	}
}

// TestG19Dispersion has arrivals in bursts of 40.
func TestG19Dispersion(t *testing.T) {
	counts := []int64{0, 0, 40, 0, 0, 40, 0, 0, 40, 0}
	if d := cmp.Diff(Dispersion{Buckets: 10, Mean: 12, Index: 28}, DispersionOf(counts)); d != "" {
		t.Error(d)
	}
	var starts []int64
	for i, n := range counts {
		for k := range n {
			starts = append(starts, 1000+int64(i)*100+k)
		}
	}
	if d := cmp.Diff(counts, Arrivals(append(starts, 999, 2000), 1000, 2000, 100)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(counts[:9], Arrivals(starts, 1000, 1950, 100)); d != "" {
		t.Error("the last bucket is cut", d)
	}
	for _, none := range [][]int64{Arrivals(starts, 0, 0, 1), Arrivals(starts, 0, 9, 0), Arrivals(starts, 0, math.MaxInt64, 1), Arrivals(starts, math.MinInt64, math.MaxInt64, 1)} {
		if none != nil {
			t.Error(none)
		}
	}
	for _, none := range []Dispersion{DispersionOf(nil), DispersionOf([]int64{0, 0})} {
		if none.Index != 0 || none.Mean != 0 {
			t.Errorf("%+v", none)
		}
	}
}

// TestLawIsAnIdentity holds that L = λW of any requests, whatever their order, and that
// weights of a power of two scale the load.
func TestLawIsAnIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Request {
			return Request{rapid.Int64Range(0, 1e12).Draw(t, "ns"), rapid.SampledFrom([]float64{1, 1.5, 4, 100.0001}).Draw(t, "weight")}
		}), 0, 20).Draw(t, "requests")
		window := rapid.Int64Range(1, 1e13).Draw(t, "window")
		l := Of(requests, window)
		if math.Abs(InStage(l.RatePerSecond, l.MeanNS)-l.InFlight) > 1e-12*l.InFlight {
			t.Fatalf("%+v", l)
		}
		if other := Of(rapid.Permutation(requests).Draw(t, "other"), window); other != l {
			t.Fatalf("%+v, in another order %+v", l, other)
		}
		twice := append([]Request(nil), requests...)
		for i := range twice {
			twice[i].Weight *= 2
		}
		if m := Of(twice, window); m.InFlight != 2*l.InFlight || m.MeanNS != l.MeanNS || m.Variation != l.Variation || m.RatePerSecond != 2*l.RatePerSecond {
			t.Fatalf("%+v, twice %+v", l, m)
		}
	})
	if l := Of(nil, 1); l != (Law{}) {
		t.Errorf("%+v", l)
	}
	if l := Of(repeat(1, 1, 1), 0); l != (Law{}) {
		t.Errorf("%+v", l)
	}
	near(t, "variation", Of(append(repeat(1, 1, 1), repeat(1, 3, 1)...), second).Variation, .5, 1e-12)
}

// TestReadIsSymmetric exchanges the sources: what lacks on one side is more on the other.
func TestReadIsSymmetric(t *testing.T) {
	mirror := map[Kind][]Kind{
		Complete: {Complete}, Uncovered: {Wider}, Wider: {Uncovered}, Uniform: {More}, SlowMore: {More}, LongLess: {More},
		More: {Uniform, SlowMore, LongLess}, Unclear: {Unclear},
	}
	rapid.Check(t, func(t *rapid.T) {
		rate, inFlight := rapid.Float64Range(.01, 100).Draw(t, "rate"), rapid.Float64Range(.01, 100).Draw(t, "in flight")
		n, v := rapid.Int64Range(1, 1e6).Draw(t, "n"), rapid.Float64Range(0, 5).Draw(t, "variation")
		there, back := Read(rate, inFlight, n, v), Read(1/rate, 1/inFlight, n, v)
		for _, k := range mirror[there.Kind] {
			if back.Kind == k {
				return
			}
		}
		t.Fatalf("%s, and the other way %s", there.Kind, back.Kind)
	})
}

// TestSkewAndDispersionScale holds the bounds of both and what another unit does.
func TestSkewAndDispersionScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		busy := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 9).Draw(t, "busy")
		s := SkewOf(busy)
		if s.Mean > 1e-9 && (s.Ratio < 1-1e-9 || s.Ratio > float64(len(busy))*(1+1e-9)) {
			t.Fatalf("%+v", s)
		}
		if o := SkewOf(rapid.Permutation(busy).Draw(t, "other")); o.Ratio != s.Ratio || o.Mean != s.Mean {
			t.Fatalf("%+v, in another order %+v", s, o)
		}
		counts := rapid.SliceOfN(rapid.Int64Range(0, 1e9), 1, 20).Draw(t, "counts")
		d := DispersionOf(counts)
		for i := range counts {
			counts[i] *= 4
		}
		if e := DispersionOf(counts); e.Index != 4*d.Index || e.Mean != 4*d.Mean || d.Index < 0 {
			t.Fatalf("%+v, four times as many %+v", d, e)
		}
	})
}
