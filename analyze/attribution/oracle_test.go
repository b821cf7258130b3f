package attribution

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// copies returns a column of the resample that has times[of[row]] copies of every row.
func copies(column []int64, of, times []int32) (out []int64) {
	for row, v := range column {
		for range times[of[row]] {
			out = append(out, v)
		}
	}
	return out
}

// TestResampleIsExact makes every resample request by request and compares what the
// ladder says of it.
func TestResampleIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		switch rapid.IntRange(0, 2).Draw(t, "sample") {
		case 0: // sums of more than 2^53
			s = absurdSample(t)
		case 1: // more than one rung
			s = queueLoad{rate: .8}.capture(rapid.Uint64Range(1, 50).Draw(t, "capture"), rapid.IntRange(100, 400).Draw(t, "n"))
		}
		a := &run{Sample: s, opt: Options{Q: rapid.SampledFrom(percentiles).Draw(t, "q"), Replicates: 5, Seed: rapid.Uint64().Draw(t, "seed")}.filled()}
		n := len(s.Value)
		a.g = groupsOf(a.opt.Q, int64(n))
		a.r = Result{Parts: make([]Part, len(s.Parts))}
		b := &blocking{n: rapid.IntRange(1, min(n, 30)).Draw(t, "blocks"), of: make([]int32, n)}
		for row := range b.of {
			b.of[row] = rapid.Int32Range(0, int32(b.n-1)).Draw(t, "block")
		}
		excess, _ := a.resample(b)
		for r := range a.opt.Replicates {
			value := copies(s.Value, b.of, b.times(r))
			if len(value) == 0 {
				if !math.IsNaN(b.percentile[r]) {
					t.Fatalf("a percentile %v of nothing", b.percentile[r])
				}
				continue
			}
			g := groupsOf(a.opt.Q, int64(len(value)))
			if want := float64(value[g.tail-1]); b.percentile[r] != want || b.rank[r] != g.tail {
				t.Fatalf("percentile %v at %d, want %v at %d", b.percentile[r], b.rank[r], want, g.tail)
			}
			for k, part := range s.Parts {
				want := float(g.excess(copies(part, b.of, b.times(r))))
				if math.Abs(excess[k][r]-want) > 1e-15*math.Abs(want) {
					t.Fatalf("excess of part %d is %v, want %v", k, excess[k][r], want)
				}
			}
		}
	})
}

// TestGainOfResamples does the same for the percentile with a part at its cap.
func TestGainOfResamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := queueLoad{rate: .8}.capture(rapid.Uint64Range(1, 50).Draw(t, "capture"), rapid.IntRange(50, 300).Draw(t, "n"))
		n := len(s.Value)
		a := &run{Sample: s, opt: Options{Q: stat.P90, Replicates: 9, Seed: 5}.filled()}
		a.g = groupsOf(a.opt.Q, int64(n))
		a.r = Result{N: int64(n), Parts: make([]Part, len(s.Parts))}
		a.excess()
		a.spread()
		b := a.inBlocks()
		a.resample(b)
		k := rapid.IntRange(0, len(s.Parts)-1).Draw(t, "part")
		shorter := a.what.shorter(k, false)
		var falls []float64
		for r := range a.opt.Replicates {
			value := copies(shorter, b.of, b.times(r))
			slices.Sort(value)
			falls = append(falls, b.percentile[r]-float64(value[b.rank[r]-1]))
		}
		got := a.gain(b, slices.Clone(shorter))
		if want := stat.PercentileBounds(falls, stat.ExpandedConfidence(b.n, stat.Confidence)); got.Bounds != want {
			t.Fatalf("bounds %v, want %v", got.Bounds, want)
		}
		slices.Sort(shorter)
		if want := float64(s.Value[a.g.tail-1] - shorter[a.g.tail-1]); got.Value != want {
			t.Fatalf("gain %v, want %v", got.Value, want)
		}
	})
}

func TestSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3), rapid.Just(int64(math.MinInt64)), rapid.Just(int64(math.MaxInt64)))).Draw(t, "values")
		want := make([]keyed, len(values))
		for row, v := range values {
			want[row] = keyed{uint64(v) ^ signBit, int32(row)}
		}
		slices.SortStableFunc(want, func(a, b keyed) int { return cmp.Compare(values[a.row], values[b.row]) })
		got := sorted(values)
		if !slices.Equal(got, want) {
			t.Fatalf("sorted %v, want %v", got, want)
		}
		for _, k := range got {
			if k.value() != values[k.row] {
				t.Fatalf("row %d holds %d, its key says %d", k.row, values[k.row], k.value())
			}
		}
	})
}

func TestKth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int64{0, 1, 5000, 1e6, 1e13, math.MaxInt64}).Draw(t, "most")
		values := rapid.SliceOfN(rapid.Int64Range(0, most), 1, 50).Draw(t, "values")
		k := rapid.IntRange(1, len(values)).Draw(t, "k")
		want := slices.Sorted(slices.Values(values))[k-1]
		if got := kth(slices.Clone(values), k); got != want {
			t.Fatalf("rank %d of %v is %d, want %d", k, values, got, want)
		}
	})
}

// TestInfluence compares the influence of requests with what the share really moves by
// when one of them is repeated.
func TestInfluence(t *testing.T) {
	s := queueLoad{rate: .5}.capture(3, 4000)
	shareOf := func(s *Sample) (*run, float64) {
		a := &run{Sample: s, opt: Options{Q: stat.P90}}
		a.g = groupsOf(stat.P90, int64(len(s.Value)))
		a.r = Result{Parts: make([]Part, len(s.Parts))}
		a.excess()
		return a, a.r.Parts[simQueue].Share.Value
	}
	a, before := shareOf(s)
	influence := a.influence()
	// Groups of neighbours are repeated, as a single request moves the ranks by less than one.
	const group = 40
	var products, squares, moves float64
	for from := 0; from+group <= len(s.Value); from += group {
		more := &Sample{Value: slices.Clone(s.Value)}
		more.Value = slices.Insert(more.Value, from, s.Value[from:from+group]...)
		slices.Sort(more.Value)
		for _, part := range s.Parts {
			doubled := slices.Clone(part[:from])
			for _, v := range part[from : from+group] {
				doubled = append(doubled, v, v)
			}
			more.Parts = append(more.Parts, append(doubled, part[from+group:]...))
		}
		_, after := shareOf(more)
		var want float64
		for _, v := range influence[from : from+group] {
			want += v / float64(len(s.Value)+group)
		}
		products += (after - before) * want
		squares += want * want
		moves += (after - before) * (after - before)
	}
	if r := products / math.Sqrt(squares*moves); r < .95 {
		t.Errorf("influence and what happens correlate by %.3f", r)
	}
	if slope := products / squares; math.Abs(slope-1) > .1 {
		t.Errorf("the share moves by %.3f of what influence says", slope)
	}
}

// TestGainsByDefinition computes every gain from its definition: each request is shorter by
// what the part took beyond its median, and, where drags bound it, by no more than the drag.
func TestGainsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := absurdSample(t)
		q := rapid.SampledFrom(percentiles).Draw(t, "q")
		r := Of(s, Options{Q: q, Replicates: 5})
		rank := max(1, q.Rank(int64(len(s.Value)))) - 1
		for k, part := range s.Parts {
			ordered := slices.Clone(part)
			slices.Sort(ordered)
			median := ordered[stat.P50.Rank(int64(len(part)))-1]
			fall := func(bounded bool) int64 {
				shorter := slices.Clone(s.Value)
				for i := range shorter {
					less := max(0, part[i]-median)
					if bounded && s.Drag != nil {
						less = min(less, s.Drag[k][i])
					}
					shorter[i] -= less
				}
				slices.Sort(shorter)
				return s.Value[rank] - shorter[rank]
			}
			if p := r.Parts[k]; p.Gain.Value != float64(fall(false)) || p.GainBounded.Value != float64(fall(true)) {
				t.Fatalf("part %d gains %v, by its drag %v; want %d, %d", k, p.Gain.Value, p.GainBounded.Value, fall(false), fall(true))
			}
		}
	})
}
