package little

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Law is the load of requests that start and end within a window.
type Law struct {
	N             int64   // requests
	RatePerSecond float64 // λ: requests a second, by weight
	InFlight      float64 // L: mean requests in flight, by weight
	MeanNS        float64 // W: mean time of a request in ns, by weight; L = λW
	// Variation is the standard deviation of the times over their mean, by weight.
	Variation float64
}

// Request is one request: how long it took, and how many it stands for.
type Request struct {
	DurationNS int64
	// Weight is the number of requests it stands for, itself included: the adjusted count
	// of its sampling. It must be finite and above 0; 1 when every request was kept.
	Weight float64
}

// Of returns the load of requests within a window of windowNS, which must be above 0.
func Of(requests []Request, windowNS int64) Law {
	l := Law{N: int64(len(requests))}
	if l.N == 0 || windowNS <= 0 {
		return Law{}
	}
	// Times of one weight add up exactly; the few weights are then taken in order.
	sorted := slices.Clone(requests)
	slices.SortFunc(sorted, func(a, b Request) int {
		return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.DurationNS, b.DurationNS))
	})
	var weight, work float64
	for from := 0; from < len(sorted); {
		var sum stat.Sum
		to := from
		for ; to < len(sorted) && sorted[to].Weight == sorted[from].Weight; to++ {
			sum.Add(sorted[to].DurationNS)
		}
		weight += float64(sorted[from].Weight * float64(to-from))
		work += float64(sorted[from].Weight * sum.Float())
		from = to
	}
	l.RatePerSecond, l.InFlight, l.MeanNS = weight*1e9/float64(windowNS), work/float64(windowNS), work/weight
	var squares float64
	for _, r := range sorted {
		d := float64(r.DurationNS) - l.MeanNS
		squares += float64(float64(r.Weight*d) * d)
	}
	if l.MeanNS > 0 {
		l.Variation = math.Sqrt(squares/weight) / l.MeanNS
	}
	return l
}

// InStage returns the mean number of requests in a stage in which each spends a mean time,
// in ns: L of the stage is λ times W of it. The stages of a path add up to what is in
// flight.
func InStage(ratePerSecond, meanNS float64) float64 { return ratePerSecond * meanNS / 1e9 }
