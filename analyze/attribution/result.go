package attribution

import "github.com/tailpath/tailpath/analyze/stat"

// Result says which part makes slow requests slow, seen from several sides, and how far
// each answer goes. The parts are those of the sample, in its order.
type Result struct {
	N      int64
	Q      stat.Prob
	TailN  int64         // requests at or above the rank of Q
	BodyN  int64         // requests with ranks above 40 % and up to 60 %
	Excess stat.Estimate // mean of the tail less mean of the body, ns
	Blocks Blocks
	Parts  []Part

	// Quantile is the Harrell-Davis estimate of the percentile Q in ns, and Median of the
	// median: the parts' AtQuantile add up to the one, and their Moved to the difference.
	Quantile, Median float64
	// GainAll is what the percentile Q would fall by, in ns, if no part of any request took
	// longer than the part's median.
	GainAll int64
}

// Part is one part of the requests' time.
type Part struct {
	// Excess is the part's mean in the tail less its mean in the body, in ns, and Share its
	// share of Result.Excess. The shares add up to 1. (Tail minus body.)
	Excess, Share stat.Estimate
	// First is how often, of all resamples, the part had the largest excess of those that
	// may be first: 0 to 1.
	First float64
	// AtQuantile is the part's time in ns of a request at the percentile Q, and Moved how
	// much of it is above that at the median. (Harrell-Davis weights.)
	AtQuantile, Moved float64
	// Covariance is Cov(part, value) / Var(value): the part's share of the whole spread; they
	// add up to 1. RankCovariance is the same with ranks for values, which one giant cannot
	// move; its shares are scaled to add up to 1.
	Covariance, RankCovariance float64
	// Gain is what the percentile Q would fall by, in ns, if no request spent more in the part
	// than its median: arithmetic on these requests. GainBounded is the same if a request gets
	// shorter by no more than the part's drag; equal to Gain when drag is unknown.
	Gain, GainBounded stat.Estimate
	// Shapley splits Result.GainAll among the parts: they add up to it.
	Shapley float64
	// Largest counts the requests of the tail in which this part's time exceeds its median
	// over the body by most. One in which no part does is counted for none, so that the
	// counts add up to Result.TailN or less.
	Largest int64
}

// Blocks says how the intervals were made: by resampling blocks of time, so that requests
// that waited for each other stay together.
type Blocks struct {
	N        int   // blocks; 0 when there are no intervals
	LengthNS int64 // mean length of a block, ns
	// Worth is how many independent things the tail is worth: no more than incidents of equal
	// size, nor than independent requests.
	Worth float64
	// Replicates is how often they were resampled.
	Replicates int
	// Clusters counts incidents: slow requests that start no further apart than the longest
	// wait among them are one.
	Clusters int64
	// Refused says in words why there is no interval, or why the interval describes these
	// requests and predicts nothing; empty when it predicts.
	Refused string
	// Need is the number of requests, of blocks or of incidents that would do, in words; empty
	// when nothing is missing.
	Need string
}
