package serving

import (
	"math"
	"slices"
)

// skewRow asks whether one replica does more than its share. Engines that do other work are
// no replicas of each other, however unlike their loads are.
func (v *evidence) skewRow() Row {
	r := newRow(ReplicaSkew)
	n := float64(v.engines)
	same := v.replicas.Known && v.replicas.Value || v.engines < 2
	// Requests of no engine may be of as many more as there are of them.
	replicas := bounds{low: n, high: n + float64(v.unplaced.Requests)}
	var missing []string
	if !same {
		replicas.low, missing = 1, append(missing, missSame)
	}
	if v.unplaced.Requests > 0 {
		missing = append(missing, missEngines)
	}
	r.atLeast("replicas", replicas, 2, v.engines, OfReplicas, missing...)
	if v.engines == 0 || replicas.high < 2 {
		return r.done()
	}
	own := v.skew.Max
	if !math.IsNaN(v.own) {
		own = v.own
	}
	var busiest, ratio bounds
	if v.dark > 0 || !v.recorded.Has(GPU) {
		busiest, ratio = anything, bounds{high: replicas.high}
		missing = appendNew(missing, missGPU)
	} else {
		// What ran at no engine may have run at this one; so may requests of none, unseen.
		more := v.unplaced.Spent[GPU].Plus(v.unplaced.InFlight).Plus(v.open)
		if more.Sign() > 0 {
			missing = appendNew(missing, missEngines)
		}
		extra := more.Over(v.length)
		busiest = bounds{low: own, high: max(own, min(1, own+extra))}
		ratio = v.overMean(own, extra, same)
	}
	r.atLeast("busiest", busiest, busy, v.engines, OfReplicas, missing...)
	r.atLeast("busiest_over_mean", ratio, skewed, v.engines, OfReplicas, missing...)
	if v.slower.compared && (v.replicas.Value || !v.replicas.Known) { // of engines that do other work, one is slower for good reasons
		uneven, slow := r.done(), v.slowRow(replicas, missing)
		if r.or(slow); uneven.Speaks != For && slow.Speaks == For {
			r.Means = meansSlower
		}
	}
	return r.done()
}

// overMean is the share of time for which an engine is busy over the mean of its replicas.
// Up to extra may have to be added to the shares of engines, in all, and as many engines as
// there are requests of none may be replicas beside.
func (v *evidence) overMean(own, extra float64, same bool) bounds {
	if !same {
		return v.overMeanOfSome(own, extra)
	}
	n, more := float64(v.engines), float64(v.unplaced.Requests)
	mean := v.skew.Mean + extra/n
	if mean <= 0 {
		return exactly(0)
	}
	low := own / mean
	return bounds{low: low, high: max(low, min(n+more, (n+more)/n*((own+extra)/mean)))}
}

// overMeanOfSome is the same when any of the engines may be replicas of this one, and others
// not: least beside the busiest alone, and most beside those that are least busy.
func (v *evidence) overMeanOfSome(own, extra float64) bounds {
	var of bounds
	if v.skew.Max+extra > 0 {
		of.low = own / (v.skew.Max + extra)
	}
	others := slices.Clone(v.shares)
	if i := slices.Index(others, own); i >= 0 {
		others = slices.Delete(others, i, i+1)
	}
	own += extra
	sum, count := own, 1+float64(v.unplaced.Requests) // those that are not known did nothing
	if own > 0 {
		of.high = count
	}
	for _, x := range others {
		sum, count = sum+x, count+1
		if sum > 0 {
			of.high = max(of.high, own*count/sum)
		}
	}
	of.high = max(of.low, of.high)
	return of
}
