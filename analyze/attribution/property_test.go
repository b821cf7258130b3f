package attribution

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

var percentiles = []stat.Prob{stat.P50, stat.P90, stat.P95, stat.P99}

// anySample draws a sample with ties, empty parts and giants.
func anySample(t *rapid.T) *Sample {
	n, k := rapid.IntRange(1, 60).Draw(t, "requests"), rapid.IntRange(1, 5).Draw(t, "parts")
	most := rapid.SampledFrom([]int64{3, 1000, 1e10}).Draw(t, "most")
	value := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, most), rapid.Int64Range(0, most/2))
	all := make([]request, n)
	for i := range all {
		all[i].start = float64(rapid.Int64Range(0, 1000).Draw(t, "start"))
		all[i].waited = float64(rapid.Int64Range(0, 20).Draw(t, "waited"))
		for j := range k {
			all[i].part[j] = float64(value.Draw(t, "ns"))
		}
	}
	s := sampleOf(all, rapid.Bool().Draw(t, "drag"))
	s.Parts = s.Parts[:k]
	if s.Drag != nil {
		s.Drag = s.Drag[:k]
	}
	return s
}

func TestSplitsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		r := Of(s, Options{Q: rapid.SampledFrom(percentiles).Draw(t, "q"), Replicates: 20})
		sum := func(name string, of func(Part) float64, want float64) {
			var got, size float64
			for _, p := range r.Parts {
				got += of(p)
				size += math.Abs(of(p))
			}
			if math.Abs(got-want) > 1e-9*(size+math.Abs(want)) {
				t.Fatalf("%s adds up to %v, want %v", name, got, want)
			}
		}
		one := func(some bool) float64 {
			if some {
				return 1
			}
			return 0
		}
		spread := s.Value[0] != s.Value[len(s.Value)-1]
		sum("excess", func(p Part) float64 { return p.Excess.Value }, r.Excess.Value)
		sum("share", func(p Part) float64 { return p.Share.Value }, one(r.Excess.Value > 0))
		sum("at the percentile", func(p Part) float64 { return p.AtQuantile }, r.Quantile)
		sum("moved", func(p Part) float64 { return p.Moved }, r.Quantile-r.Median)
		sum("covariance", func(p Part) float64 { return p.Covariance }, one(spread))
		sum("Shapley", func(p Part) float64 { return p.Shapley }, float64(r.GainAll))
		sum("largest", func(p Part) float64 { return float64(p.Largest) }, float64(exceeding(s, r)))
		if rank := pick(r, func(p Part) float64 { return p.RankCovariance }); slices.ContainsFunc(rank, func(v float64) bool { return v != 0 }) {
			sum("rank covariance", func(p Part) float64 { return p.RankCovariance }, 1)
		}
		for k, p := range r.Parts {
			if p.Gain.Value < 0 || p.Gain.Value > float64(r.GainAll) || p.GainBounded.Value > p.Gain.Value {
				t.Fatalf("part %d gains %v, bounded %v, all %d", k, p.Gain.Value, p.GainBounded.Value, r.GainAll)
			}
		}
	})
}

// exceeding counts, request by request, those of the tail in which some part takes longer than
// its median over the body.
func exceeding(s *Sample, r Result) (n int64) {
	g := groupsOf(r.Q, int64(len(s.Value)))
	for i := int64(len(s.Value)) - r.TailN; i < int64(len(s.Value)); i++ {
		for _, part := range s.Parts {
			usual := int64(0)
			if r.BodyN > 0 {
				body := slices.Sorted(slices.Values(part[g.first-1 : g.last]))
				usual = body[(len(body)+1)/2-1]
			}
			if part[i] > usual {
				n++
				break
			}
		}
	}
	return n
}

// TestShapleyIsExact compares the split with its definition over all subsets.
func TestShapleyIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		n, m := len(s.Value), len(s.Parts)
		q := rapid.SampledFrom(percentiles).Draw(t, "q")
		w := whatIf{s: s, rank: max(1, q.Rank(int64(n))), caps: make([]int64, m)}
		for k := range w.caps {
			w.caps[k] = rapid.Int64Range(0, 1+slices.Max(s.Parts[k])).Draw(t, "cap")
		}
		fall := func(capped int) int64 {
			value := slices.Clone(s.Value)
			for k := range m {
				for i := range value {
					if capped>>k&1 == 1 {
						value[i] -= w.over(k, i)
					}
				}
			}
			slices.Sort(value)
			return s.Value[w.rank-1] - value[w.rank-1]
		}
		alone := make([]int64, m)
		for k := range alone {
			alone[k] = fall(1 << k)
		}
		all := fall(1<<m - 1)
		got := w.shapley(s.Value[w.rank-1], s.Value[w.rank-1]-all, alone)
		factorial := []int64{1, 1, 2, 6, 24, 120}
		sum := new(big.Rat)
		for k := range m {
			want := new(big.Rat)
			for capped := range 1 << m {
				if size := ones(capped); capped>>k&1 == 0 {
					weight := big.NewRat(factorial[size]*factorial[m-size-1], factorial[m])
					want.Add(want, weight.Mul(weight, big.NewRat(fall(capped|1<<k)-fall(capped), 1)))
				}
			}
			if got[k].Cmp(want) != 0 {
				t.Fatalf("part %d gets %v, want %v", k, got[k], want)
			}
			sum.Add(sum, got[k])
		}
		if sum.Cmp(new(big.Rat).SetInt64(all)) != 0 {
			t.Fatalf("the parts get %v, all together gain %d", sum, all)
		}
	})
}

// TestManyPlayersAddUp has more parts than are played each by itself.
func TestManyPlayersAddUp(t *testing.T) {
	const parts = maxPlayers + 4
	s := &Sample{Parts: make([][]int64, parts)}
	for i := range int64(40) {
		var sum int64
		for k := range s.Parts {
			v := i * int64(1+k%7)
			s.Parts[k] = append(s.Parts[k], v)
			sum += v
		}
		s.Value = append(s.Value, sum)
	}
	w := whatIf{s: s, rank: 36, caps: make([]int64, parts)}
	for k := range w.caps {
		w.caps[k] = int64(k)
	}
	least := kth(w.together(), 36)
	sum := new(big.Rat)
	for k, v := range w.shapley(s.Value[35], least, make([]int64, parts)) {
		if v.Sign() <= 0 {
			t.Errorf("part %d gets %v, and every part is above its cap", k, v)
		}
		sum.Add(sum, v)
	}
	if sum.Cmp(new(big.Rat).SetInt64(s.Value[35]-least)) != 0 {
		t.Errorf("the parts get %v of %d", sum, s.Value[35]-least)
	}
}

// TestScale multiplies all times: what is a time scales, what is a share does not.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		opt := Options{Q: rapid.SampledFrom(percentiles).Draw(t, "q"), Replicates: 20, Seed: 3}
		factor := rapid.Int64Range(2, 1000).Draw(t, "factor")
		big := &Sample{Value: times(s.Value, factor), Waited: times(s.Waited, factor), Start: times(s.Start, factor)}
		for k := range s.Parts {
			big.Parts = append(big.Parts, times(s.Parts[k], factor))
			if s.Drag != nil {
				big.Drag = append(big.Drag, times(s.Drag[k], factor))
			}
		}
		a, b := Of(s, opt), Of(big, opt)
		f := float64(factor)
		scale := func(e *stat.Estimate) {
			e.Value, e.Bounds.Low, e.Bounds.High = f*e.Value, f*e.Bounds.Low, f*e.Bounds.High
		}
		scale(&a.Excess)
		a.Quantile, a.Median, a.GainAll, a.Blocks.LengthNS = f*a.Quantile, f*a.Median, factor*a.GainAll, b.Blocks.LengthNS
		for k := range a.Parts {
			p := &a.Parts[k]
			scale(&p.Excess)
			scale(&p.Gain)
			scale(&p.GainBounded)
			p.AtQuantile, p.Moved, p.Shapley = f*p.AtQuantile, f*p.Moved, f*p.Shapley
		}
		if diff := cmp.Diff(a, b, cmpApprox(f*1e10)); diff != "" {
			t.Fatalf("(-scaled result +result of scaled):\n%s", diff)
		}
	})
}

// cmpApprox compares numbers of a size that are differences of larger ones.
func cmpApprox(size float64) cmp.Option {
	return cmp.Comparer(func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-9*(math.Abs(x)+math.Abs(y))+1e-14*size
	})
}

func times(values []int64, factor int64) (out []int64) {
	for _, v := range values {
		out = append(out, factor*v)
	}
	return out
}

// TestConstantPart adds a part that takes every request the same time: it has no excess,
// and that of the others stays.
func TestConstantPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		opt := Options{Q: rapid.SampledFrom(percentiles).Draw(t, "q"), Replicates: 20, Seed: 3}
		more := *s
		more.Drag = nil
		constant := make([]int64, len(s.Value))
		more.Value = slices.Clone(s.Value)
		for i := range constant {
			constant[i] = 77
			more.Value[i] += 77
		}
		more.Parts = append(slices.Clone(s.Parts), constant)
		a, b := Of(s, opt), Of(&more, opt)
		if a.BodyN == 0 {
			return // the excess is then over nothing
		}
		last := b.Parts[len(s.Parts)]
		if last.Excess.Value != 0 || last.Gain.Value != 0 || last.Shapley != 0 || last.Covariance != 0 || math.Abs(last.Moved) > 1e-9 {
			t.Fatalf("the constant part: %+v", last)
		}
		for k := range s.Parts {
			if x, y := a.Parts[k], b.Parts[k]; x.Excess.Value != y.Excess.Value || x.Gain.Value != y.Gain.Value || x.Shapley != y.Shapley || x.Largest != y.Largest {
				t.Fatalf("part %d was %+v and is %+v", k, x, y)
			}
		}
	})
}

// TestWorkersAndOrder changes what must not matter: the number of workers, and the order
// of equal requests.
func TestWorkersAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		opt := Options{Q: rapid.SampledFrom(percentiles).Draw(t, "q"), Replicates: 33, Seed: 9, NeverFirst: []int{0}}
		want := Of(s, opt)
		opt.Workers = rapid.IntRange(2, 5).Draw(t, "workers")
		if diff := cmp.Diff(want, Of(s, opt)); diff != "" {
			t.Fatalf("%d workers (-one +more):\n%s", opt.Workers, diff)
		}
		if want.Parts[0].First != 0 {
			t.Fatalf("a part that is never first is first in %v", want.Parts[0].First)
		}
		// Parts in another order give the same figures in that order.
		turned := *s
		turned.Parts = slices.Clone(s.Parts)
		slices.Reverse(turned.Parts)
		if s.Drag != nil {
			turned.Drag = slices.Clone(s.Drag)
			slices.Reverse(turned.Drag)
		}
		got := Of(&turned, opt)
		slices.Reverse(got.Parts)
		for k := range want.Parts {
			x, y := want.Parts[k], got.Parts[k]
			if x.Excess.Value != y.Excess.Value || x.Gain.Value != y.Gain.Value || x.Shapley != y.Shapley || x.Covariance != y.Covariance {
				t.Fatalf("part %d was %+v and is %+v", k, x, y)
			}
		}
	})
}
