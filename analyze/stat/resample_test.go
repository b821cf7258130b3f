package stat

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, replicate, blocks := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 1e6).Draw(t, "replicate"), rapid.IntRange(0, 300).Draw(t, "blocks")
		count, again := make([]int32, blocks+1), make([]int32, blocks)
		count[blocks] = 77
		Draw(seed, replicate, blocks, count)
		Draw(seed, replicate, blocks, again)
		var sum int32
		for _, c := range count[:blocks] {
			if c < 0 {
				t.Fatalf("a block %d times", c)
			}
			sum += c
		}
		if int(sum) != blocks || count[blocks] != 77 {
			t.Fatalf("%d draws of %d blocks; what follows is %d", sum, blocks, count[blocks])
		}
		if !slices.Equal(count[:blocks], again) {
			t.Fatal("the same seed and replicate gave two resamples")
		}
	})
}

// TestDrawIsEven counts how often every block comes, over all replicates: the counts
// of a fair draw vary like a multinomial.
func TestDrawIsEven(t *testing.T) {
	const blocks, replicates = 24, 4000
	total, squares := make([]float64, blocks), 0.0
	count := make([]int32, blocks)
	for r := range replicates {
		Draw(1, r, blocks, count)
		for b, c := range count {
			total[b] += float64(c)
			squares += float64(c) * float64(c)
		}
	}
	for b, n := range total {
		if math.Abs(n-replicates) > 5*math.Sqrt(replicates) {
			t.Errorf("block %d was drawn %v times in %d resamples", b, n, replicates)
		}
	}
	// The mean square of a binomial of m draws with chance 1/m is 2 - 1/m.
	if mean := squares / blocks / replicates; math.Abs(mean-(2-1./blocks)) > .02 {
		t.Errorf("mean square %v, want %v", mean, 2-1./blocks)
	}
}

func TestReplicates(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, workers := range []int{-1, 0, 1, 2, 5, 100} {
		const n = 37
		var got [n]int
		var used [n]atomic.Int32
		Replicates(n, workers, func(worker, r int) {
			if worker < 0 || worker >= max(1, min(workers, n)) {
				t.Errorf("worker %d of %d", worker, workers)
			}
			if used[worker].Add(1) != 1 {
				t.Errorf("worker %d works twice at once", worker)
			}
			got[r] += r + 1
			used[worker].Add(-1)
		})
		for r, v := range got {
			if v != r+1 {
				t.Errorf("%d workers: replicate %d gave %d", workers, r, v)
			}
		}
	}
	Replicates(0, 3, func(int, int) { t.Error("a replicate of none") })
}

func TestPercentileBounds(t *testing.T) {
	upTo := func(n int) (v []float64) {
		for i := n; i >= 1; i-- {
			v = append(v, float64(i))
		}
		return v
	}
	for _, c := range []struct {
		name       string
		values     []float64
		confidence float64
		want       Bounds
	}{
		{"2000 values: the 50th from either end", upTo(2000), .95, Bounds{50, 1951}},
		{"39 values: the first", upTo(39), .95, Bounds{1, 39}},
		{"79 values: the second", upTo(79), .95, Bounds{2, 78}},
		{"too few: the extremes", upTo(5), .95, Bounds{1, 5}},
		{"one value", upTo(1), .95, Bounds{1, 1}},
		{"no confidence: the median", upTo(9), 0, Bounds{5, 5}},
		{"undefined replicates are left out", append(upTo(79), math.NaN(), math.NaN()), .95, Bounds{2, 78}},
	} {
		before := slices.Clone(c.values)
		if diff := cmp.Diff(c.want, PercentileBounds(c.values, c.confidence)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(before, c.values, cmp.Comparer(func(x, y float64) bool { return x == y || x != x && y != y })); diff != "" {
			t.Errorf("%s: the values were moved", c.name)
		}
	}
	if b := PercentileBounds([]float64{math.NaN()}, .95); !math.IsNaN(b.Low) || !math.IsNaN(b.High) {
		t.Errorf("bounds of nothing: %v", b)
	}
}

func TestExpandedConfidence(t *testing.T) {
	// Student's t at 97.5 % with 23 degrees of freedom is 2.068658, times sqrt(24/23) 2.113150;
	// the normal law has .982706 below that.
	if got := ExpandedConfidence(24, .95); math.Abs(got-.965412) > 1e-6 {
		t.Errorf("24 blocks want %v", got)
	}
	if got := ExpandedConfidence(1_000_000, .95); math.Abs(got-.95) > 1e-5 {
		t.Errorf("a million blocks want %v", got)
	}
	last := 1.0
	for blocks := range 100 {
		if got := ExpandedConfidence(blocks, .95); got > last || got < .95 {
			t.Errorf("%d blocks want %v, fewer %v", blocks, got, last)
		} else {
			last = got
		}
	}
}
