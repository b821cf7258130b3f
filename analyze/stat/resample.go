package stat

import (
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// Draw resamples blocks with replacement: blocks draws among blocks, counted in
// count[:blocks], which add up to blocks. The generator is a PCG seeded with seed and
// replicate, so a replicate is the same whoever draws it and in whatever order.
func Draw(seed uint64, replicate, blocks int, count []int32) {
	count = count[:blocks]
	clear(count)
	if blocks == 0 {
		return
	}
	random := rand.New(rand.NewPCG(seed, uint64(replicate)))
	for range blocks {
		count[random.IntN(blocks)]++
	}
}

// Replicates runs f for replicates 0 to n-1 on the given number of workers, one if
// that is less than 1, and returns when all are done. Worker w of f is a number below
// workers that no other call has at the same time, for scratch space. What f computes
// for a replicate must depend on the replicate alone: then workers change no result.
func Replicates(n, workers int, f func(worker, replicate int)) {
	workers = max(1, min(workers, n))
	if workers == 1 {
		for r := range n {
			f(0, r)
		}
		return
	}
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for r := w; r < n; r += workers {
				f(w, r)
			}
		})
	}
	wait.Wait()
}

// PercentileBounds returns the equal-tailed percentile interval of resampled values:
// the k-th from below and the k-th from above, where k is (m+1)(1-confidence)/2 of m
// values, rounded down, so that the interval is not narrower than it says. Replicates
// in which the figure was not defined are NaN and are left out. It leaves values as
// they are. Without a value both bounds are NaN; with fewer than k takes they are the
// extremes.
func PercentileBounds(values []float64, confidence float64) Bounds {
	defined := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			defined = append(defined, v)
		}
	}
	m := len(defined)
	if m == 0 {
		return Bounds{math.NaN(), math.NaN()}
	}
	k := min(beyond(m, confidence), (m+1)/2)
	low := Selected(defined, k-1)
	return Bounds{low, Selected(defined[k-1:], m-2*k+1)}
}

// beyond is the rank from either end at which a percentile interval of m values lies,
// at least 1. What rounding may have taken from a whole number is given back.
func beyond(m int, confidence float64) int {
	const rounding = 1e-9
	return max(1, int(math.Floor(float64(float64(m+1)*(1-confidence)/2)+rounding)))
}

// ExpandedConfidence returns the confidence at which percentile bounds of resampled
// blocks hold the confidence that is wanted. Resamples of m blocks vary less than m
// blocks do, by (m-1)/m, and m blocks know their own spread no better than Student's
// law with m-1 degrees of freedom says; bounds at the confidence itself are therefore
// too narrow when blocks are few. It returns 1 for fewer than two blocks.
func ExpandedConfidence(blocks int, confidence float64) float64 {
	if blocks < 2 {
		return 1
	}
	m := float64(blocks)
	return 1 - 2*distuv.UnitNormal.CDF(-StudentQuantile((1+confidence)/2, m-1)*math.Sqrt(m/(m-1)))
}

// StudentQuantile returns the p quantile of Student's law with df degrees of freedom. Those of
// a few blocks are asked for again and again, once for every figure, and take a search each:
// they are kept.
func StudentQuantile(p, df float64) float64 {
	const most = 1000
	of := func() float64 { return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p) }
	if df != math.Trunc(df) || df > most || math.IsNaN(p) {
		return of()
	}
	asked := [2]float64{p, df}
	if known, ok := studentQuantiles.Load(asked); ok {
		return known.(float64)
	}
	known := of()
	studentQuantiles.Store(asked, known)
	return known
}

// studentQuantiles holds quantiles by probability and degrees of freedom.
var studentQuantiles sync.Map
