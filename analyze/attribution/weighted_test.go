package attribution

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// drawWeights draws whole weights of ranked requests.
func drawWeights(t *rapid.T, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(rapid.IntRange(1, 9).Draw(t, "weight"))
	}
	return out
}

// unitsOf repeats the values of a column, in their order, 100 times for each unit of weight
// and copy: every border then lies between two of them.
func unitsOf(column []int64, weight []float64, copies func(row int) int) (out []int64) {
	for i, v := range column {
		for range int(weight[i]) * 100 * copies(i) {
			out = append(out, v)
		}
	}
	return out
}

// excessOf is the mean above q less the mean between 40 % and 60 % of ranked values.
func excessOf(units []int64, q stat.Prob) float64 {
	mean := func(values []int64) float64 {
		var sum float64
		for _, v := range values {
			sum += float64(v)
		}
		return sum / float64(len(values))
	}
	n := int64(len(units))
	return mean(units[n*q.Num/q.Den:]) - mean(units[n*2/5:n*3/5])
}

func close9(got, want, size float64) bool { return math.Abs(got-want) <= 1e-9*(1+size) }

// TestWeighIsThatOfAllRequests compares with the plain figures of as many copies of every
// request as it stands for.
func TestWeighIsThatOfAllRequests(t *testing.T) {
	one := func(int) int { return 1 }
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		weight := drawWeights(t, len(s.Value))
		q := rapid.SampledFrom(percentiles).Draw(t, "q")
		w := Weigh(s, weight, Options{Q: q, Replicates: 20, Seed: 3})
		size := float64(s.Value[len(s.Value)-1])
		if want := excessOf(unitsOf(s.Value, weight, one), q); !close9(w.Excess.Value, want, size) {
			t.Fatalf("excess %v, of all requests %v", w.Excess.Value, want)
		}
		var shares, excess, spent float64
		for k, p := range w.Parts {
			if want := excessOf(unitsOf(s.Parts[k], weight, one), q); !close9(p.Excess.Value, want, size) {
				t.Fatalf("part %d: excess %v, of all requests %v", k, p.Excess.Value, want)
			}
			shares, excess, spent = shares+p.Share.Value, excess+p.Excess.Value, spent+p.Tail
		}
		if !close9(excess, w.Excess.Value, size) || !close9(spent, w.Tail.MeanNS, size) {
			t.Fatalf("excesses add up to %v of %v, the tail's means to %v of %v", excess, w.Excess.Value, spent, w.Tail.MeanNS)
		}
		if w.Excess.Value > 1e-6*size && math.Abs(shares-1) > 1e-6 {
			t.Fatalf("shares add up to %v", shares)
		}
	})
}

// TestWeighedResampleIsThatOfAllRequests does the same for resamples.
func TestWeighedResampleIsThatOfAllRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		n := len(s.Value)
		weight := drawWeights(t, n)
		blocks := rapid.IntRange(1, 4).Draw(t, "blocks")
		block, times := make([]int32, n), make([]int32, blocks)
		for i := range block {
			block[i] = int32(rapid.IntRange(0, blocks-1).Draw(t, "block"))
		}
		var all int32
		for b := range times {
			times[b] = int32(rapid.IntRange(0, 2).Draw(t, "times"))
		}
		for _, b := range block {
			all += times[b]
		}
		if all == 0 {
			return
		}
		q := rapid.SampledFrom(percentiles).Draw(t, "q")
		got := newMassLadder(block, blocks, weight, append(s.Parts[:len(s.Parts):len(s.Parts)], s.Value)...).excess(times, q)
		copies := func(row int) int { return int(times[block[row]]) }
		for k, column := range append(s.Parts[:len(s.Parts):len(s.Parts)], s.Value) {
			if want := excessOf(unitsOf(column, weight, copies), q); !close9(got[k], want, float64(s.Value[n-1])) {
				t.Fatalf("column %d: %v, want %v", k, got[k], want)
			}
		}
	})
}

// TestLongLadderIsAShortOne walks many rungs.
func TestLongLadderIsAShortOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	n := 3000
	column, block, weight := make([]int64, n), make([]int32, n), make([]float64, n)
	for i := range column {
		column[i], block[i], weight[i] = int64(i*i), int32(r.IntN(24)), float64(1+r.IntN(50))
	}
	times := make([]int32, 24)
	stat.Draw(1, 1, 24, times)
	got := newMassLadder(block, 24, weight, column).excess(times, stat.P95)[0]
	want := excessOf(unitsOf(column, weight, func(row int) int { return int(times[block[row]]) }), stat.P95)
	if !close9(got, want, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestWeighHasNoUnit: neither another unit of the weights nor workers change a figure, and
// splitting requests changes no mean and no sum.
func TestWeighHasNoUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		weight := drawWeights(t, len(s.Value))
		o := Options{Q: stat.P90, Replicates: 20, Seed: 3}
		w := Weigh(s, weight, o)
		o.Workers = 3
		doubled := make([]float64, len(weight))
		for i := range weight {
			doubled[i] = 1024 * weight[i]
		}
		other := Weigh(s, doubled, o)
		other.Tail.Weight /= 1024
		other.Body.Weight /= 1024
		if diff := cmp.Diff(w, other); diff != "" {
			t.Fatalf("in units of a 1024th (-one +other):\n%s", diff)
		}
		cut := &Sample{Parts: make([][]int64, len(s.Parts))}
		var halves []float64
		for i := range s.Value {
			for range 2 {
				cut.Value, halves = append(cut.Value, s.Value[i]), append(halves, weight[i]/2)
				for k := range s.Parts {
					cut.Parts[k] = append(cut.Parts[k], s.Parts[k][i])
				}
			}
		}
		if split := Weigh(cut, halves, o); !close9(split.Excess.Value, w.Excess.Value, float64(s.Value[len(s.Value)-1])) || !close9(split.Tail.Weight, w.Tail.Weight, w.Tail.Weight) {
			t.Fatalf("split: %v of %v, whole: %v of %v", split.Excess.Value, split.Tail.Weight, w.Excess.Value, w.Tail.Weight)
		}
	})
}

// TestWeightedGroupsGolden: of 90 requests of weight 1 and 10 of weight 10 on top, all 190,
// the slowest tenth weighs 19: one whole request and nine tenths of the next.
func TestWeightedGroupsGolden(t *testing.T) {
	weight := make([]float64, 100)
	for i := range weight {
		if weight[i] = 1; i >= 90 {
			weight[i] = 10
		}
	}
	tail, body := WeightedGroups(weight, stat.P90)
	if tail.N != 2 || math.Abs(tail.Weight-19) > 1e-9 || math.Abs(tail.Effective-19*19/181.) > 1e-9 {
		t.Errorf("tail %+v", tail)
	}
	// It lies between 76 and 114: fourteen of the small ones and 24 of 10 each.
	if body.N != 17 || math.Abs(body.Weight-38) > 1e-9 || math.Abs(body.Effective-38*38/(14+200+16.)) > 1e-9 {
		t.Errorf("body %+v", body)
	}
	equal := make([]float64, 1000)
	for i := range equal {
		equal[i] = 7
	}
	tail, body = WeightedGroups(equal, stat.P99)
	if tail.N != 10 || math.Abs(tail.Effective-10) > 1e-9 || body.N != 200 || math.Abs(body.Effective-200) > 1e-9 {
		t.Errorf("of equal weights: tail %+v, body %+v", tail, body)
	}
}

// thinned keeps every slow request of a sample and each of the others with a chance, and
// weighs those by its inverse.
func thinned(r *rand.Rand, s *Sample, from float64, chance float64) (*Sample, []float64) {
	out := &Sample{Parts: make([][]int64, len(s.Parts))}
	var weight []float64
	border := int(from * float64(len(s.Value)))
	for i := range s.Value {
		w := 1.0
		if i < border {
			if w = 1 / chance; r.Float64() >= chance {
				continue
			}
		}
		out.Value, out.Start, out.Waited = append(out.Value, s.Value[i]), append(out.Start, s.Start[i]), append(out.Waited, s.Waited[i])
		for k := range s.Parts {
			out.Parts[k] = append(out.Parts[k], s.Parts[k][i])
		}
		weight = append(weight, w)
	}
	return out, weight
}

// TestWeighedIntervalsHold: of captures of independent requests that a tail sampler
// thinned, the intervals of the leading share hold that of all requests in 90 to 99 %, and
// few are refused.
func TestWeighedIntervalsHold(t *testing.T) {
	const captures = 200
	truth := Of(sampleOf(independentLoad{gap: 100 * millisecond, wait: 500 * millisecond}.requests(rand.New(rand.NewPCG(1, 99)), 400_000), false), Options{Q: stat.P95, Replicates: 1})
	best := 0
	for k, p := range truth.Parts {
		if p.Share.Value > truth.Parts[best].Share.Value {
			best = k
		}
	}
	var held, refused int
	for seed := range uint64(captures) {
		r := rand.New(rand.NewPCG(seed, 7))
		s, weight := thinned(r, sampleOf(independentLoad{gap: 100 * millisecond, wait: 500 * millisecond}.requests(r, 4000), false), .97, .2)
		w := Weigh(s, weight, Options{Q: stat.P95, Replicates: 300, Seed: 1})
		if w.Blocks.Refused != "" {
			refused++
			continue
		}
		b := w.Parts[best].Share.Bounds
		if b.Low <= truth.Parts[best].Share.Value && truth.Parts[best].Share.Value <= b.High {
			held++
		}
	}
	share := float64(held) / float64(captures-refused)
	t.Logf("held in %.1f %% of %d, %d refused; part %d has %.3f", 100*share, captures-refused, refused, best, truth.Parts[best].Share.Value)
	if refused > captures/10 || share < .90 || share > .995 {
		t.Errorf("held in %.1f %%, %d of %d refused", 100*share, refused, captures)
	}
}

// TestWeighRefuses: one queue, and one request that stands for most.
func TestWeighRefuses(t *testing.T) {
	var refused int
	for seed := range uint64(10) {
		s := queueLoad{rate: .8}.capture(seed, 4000)
		s, weight := thinned(rand.New(rand.NewPCG(seed, 1)), s, .9, .3)
		if w := Weigh(s, weight, Options{Q: stat.P95, Replicates: 10}); w.Blocks.Refused != "" && w.Blocks.Need != "" {
			refused++
		}
	}
	if refused < 9 {
		t.Errorf("of 10 captures of one queue at .8 only %d were refused", refused)
	}
	s := sampleOf(independentLoad{gap: 100 * millisecond, wait: 500 * millisecond}.requests(rand.New(rand.NewPCG(4, 4)), 2000), false)
	weight := make([]float64, len(s.Value))
	for i := range weight {
		weight[i] = 1
	}
	weight[len(weight)-1] = 1e6
	if w := Weigh(s, weight, Options{Q: stat.P95, Replicates: 10}); w.Blocks.Refused == "" || w.Tail.N != 1 || w.Tail.Effective != 1 {
		t.Errorf("one request is the tail: %+v, %+v", w.Tail, w.Blocks)
	}
	s.Start = nil
	if w := Weigh(s, weight, Options{Q: stat.P95}); w.Blocks.Refused == "" || w.Excess.HasBounds {
		t.Errorf("without times: %+v", w.Blocks)
	}
	if w := Weigh(&Sample{}, nil, Options{Q: stat.P95}); w.Blocks.Refused == "" {
		t.Error("nothing is attributed")
	}
}
