package attribution

import (
	"cmp"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// absurdSample draws what no capture should hold: values up to 2^61 ns, requests all
// alike or all at once, before time began or at both ends of it, parts that took nothing,
// and drags of nothing.
func absurdSample(t *rapid.T) *Sample {
	n, k := rapid.IntRange(1, 60).Draw(t, "requests"), rapid.IntRange(1, 6).Draw(t, "parts")
	most := rapid.SampledFrom([]int64{0, 1, 1e9, (1<<61 - 1) / 6, 1 << 61 / 6}).Draw(t, "most")
	ns := rapid.OneOf(rapid.Just(int64(0)), rapid.Just(most), rapid.Int64Range(0, most), rapid.Int64Range(most-most/16, most))
	alike := rapid.IntRange(0, 3).Draw(t, "alike") == 0
	empty := rapid.IntRange(-1, k-1).Draw(t, "empty part")
	starts := rapid.SampledFrom([]*rapid.Generator[int64]{
		rapid.Just(int64(7)), rapid.Int64Range(-1000, 1000), rapid.Int64Range(-1<<62, 0),
		rapid.SampledFrom([]int64{math.MinInt64, -1, 0, math.MaxInt64}),
	}).Draw(t, "starts")
	drag := rapid.SampledFrom([]string{"none", "zero", "part", "some"}).Draw(t, "drag")
	type row struct {
		parts, drag          []int64
		value, waited, start int64
	}
	rows := make([]row, n)
	for i := range rows {
		r := row{parts: make([]int64, k), drag: make([]int64, k)}
		for j := range r.parts {
			switch {
			case alike && i > 0:
				r.parts[j] = rows[0].parts[j]
			case j != empty:
				r.parts[j] = ns.Draw(t, "ns")
			}
			r.value += r.parts[j]
			switch drag {
			case "part":
				r.drag[j] = r.parts[j]
			case "some":
				r.drag[j] = rapid.Int64Range(0, r.parts[j]).Draw(t, "drag")
			}
		}
		r.waited, r.start = r.parts[0], starts.Draw(t, "start")
		rows[i] = r
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.value, b.value) })
	s := &Sample{Parts: make([][]int64, k)}
	if drag != "none" {
		s.Drag = make([][]int64, k)
	}
	for _, r := range rows {
		s.Value, s.Waited, s.Start = append(s.Value, r.value), append(s.Waited, r.waited), append(s.Start, r.start)
		for j := range k {
			s.Parts[j] = append(s.Parts[j], r.parts[j])
			if s.Drag != nil {
				s.Drag[j] = append(s.Drag[j], r.drag[j])
			}
		}
	}
	return s
}

// TestAbsurdSamples: whatever the sample, figures are numbers, splits add up, bounds are
// in order, a share has bounds only where some resample has an excess, and workers
// change nothing.
func TestAbsurdSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := absurdSample(t)
		opt := Options{Q: rapid.SampledFrom([]stat.Prob{stat.P50, stat.P90, stat.P99}).Draw(t, "q"), Replicates: 25, Seed: 5, Workers: 1}
		r := Of(s, opt)
		opt.Workers = 3
		if diff := gocmp.Diff(r, Of(s, opt)); diff != "" {
			t.Fatalf("three workers (-one +three):\n%s", diff)
		}
		figure := func(name string, values ...float64) {
			for _, v := range values {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s is %v", name, v)
				}
			}
		}
		bounded := func(name string, e stat.Estimate) {
			if figure(name, e.Value, e.Bounds.Low, e.Bounds.High); e.Bounds.Low > e.Bounds.High {
				t.Fatalf("%s lies between %v and %v", name, e.Bounds.Low, e.Bounds.High)
			}
		}
		adds := func(name string, of func(Part) float64, want float64) {
			var got, size float64
			for _, p := range r.Parts {
				got += of(p)
				size += math.Abs(of(p))
			}
			if math.Abs(got-want) > 1e-9*(size+math.Abs(want)) {
				t.Fatalf("%s adds up to %v, want %v", name, got, want)
			}
		}
		bounded("the excess", r.Excess)
		figure("a percentile", r.Quantile, r.Median)
		if r.GainAll < 0 || r.Blocks.LengthNS < 0 || r.Blocks.Clusters < 1 || r.Blocks.Clusters > r.TailN {
			t.Fatalf("gain %d, blocks of %d ns, %d incidents of %d", r.GainAll, r.Blocks.LengthNS, r.Blocks.Clusters, r.TailN)
		}
		same := s.Value[0] == s.Value[len(s.Value)-1]
		for k, p := range r.Parts {
			bounded("an excess", p.Excess)
			bounded("a share", p.Share)
			bounded("a gain", p.Gain)
			bounded("a bounded gain", p.GainBounded)
			figure("a figure", p.First, p.AtQuantile, p.Moved, p.Covariance, p.RankCovariance, p.Shapley)
			if p.Gain.Bounds.Low < 0 || p.GainBounded.Bounds.Low < 0 || p.GainBounded.Value > p.Gain.Value {
				t.Fatalf("part %d gains %+v, by its drag %+v", k, p.Gain, p.GainBounded)
			}
			if same && r.BodyN > 0 && p.Share.HasBounds && s.Value[0] > 0 && sameBody(s, opt.Q) {
				t.Fatalf("part %d of requests that are all alike has a share of the excess: %+v", k, p.Share)
			}
		}
		excess := 0.0
		if r.Excess.Value > 0 {
			excess = 1
		}
		adds("excess", func(p Part) float64 { return p.Excess.Value }, r.Excess.Value)
		adds("share", func(p Part) float64 { return p.Share.Value }, excess)
		adds("the percentile", func(p Part) float64 { return p.AtQuantile }, r.Quantile)
		adds("Shapley", func(p Part) float64 { return p.Shapley }, float64(r.GainAll))
		adds("largest", func(p Part) float64 { return float64(p.Largest) }, float64(exceeding(s, r)))
	})
}

// sameBody reports whether every resample has a body: blocks of one request or more always
// make resamples of at least half of the requests, and five requests have a body.
func sameBody(s *Sample, q stat.Prob) bool {
	g := groupsOf(q, int64(len(s.Value)))
	return g.bodyN() > 0 && len(s.Value) >= 2*timeBlocks
}
