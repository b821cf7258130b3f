package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Silence is time of a window in which nothing was recorded, as far as can be told: no request
// was in flight, for far longer than requests are apart. Captures of some minutes of each day
// that are read together have it in between. Rates and concurrency are of the whole window, and
// so are low by as much.
type Silence struct {
	Gaps int64
	NS   int64
}

// A gap is silence from leastSilence ns on, if it is also silenceFactor times as long as requests
// are apart: the mean of the times between arrivals without the longest twentieth, which gaps
// would be among. Where the rate falls to a hundredth at night, chance makes no gap as long.
const (
	leastSilence  = 60_000_000_000
	silenceFactor = 1000
)

var shortArrivals = stat.Prob{Num: 95, Den: 100}

// silencesOf returns the gaps in which nothing was recorded, ascending. starts and ends are those
// of the requests, each ascending.
func silencesOf(starts, ends []int64) (gaps []Interval) {
	if len(starts) < 2*arrivalsABucket {
		return nil
	}
	apart := make([]int64, len(starts)-1)
	for i := range apart {
		apart[i] = starts[i+1] - starts[i]
	}
	slices.Sort(apart)
	apart = apart[:shortArrivals.Rank(int64(len(apart)))]
	var sum stat.Sum
	for _, ns := range apart {
		sum.Add(ns)
	}
	usual := sum.MeanRounded(int64(len(apart)))
	for i := range len(starts) - 1 {
		// As many have ended as came, so none is in flight. A gap too long for a number of ns is
		// below 0, and the times of such requests tell nothing.
		if gap := starts[i+1] - ends[i]; gap >= leastSilence && gap/silenceFactor >= usual {
			gaps = append(gaps, Interval{Start: ends[i], End: starts[i+1]})
		}
	}
	return gaps
}

// silencesIn is silencesOf of intervals, in any order.
func silencesIn(intervals []Interval) []Interval {
	starts, ends := make([]int64, len(intervals)), make([]int64, len(intervals))
	for i, iv := range intervals {
		starts[i], ends[i] = iv.Start, iv.End
	}
	slices.Sort(starts)
	slices.Sort(ends)
	return silencesOf(starts, ends)
}

// silenceOf sums up gaps.
func silenceOf(gaps []Interval) (s Silence) {
	for _, gap := range gaps {
		s.Gaps++
		s.NS += gap.End - gap.Start
	}
	return s
}

// silenceIn returns how much of [from, to) is in gaps.
func silenceIn(gaps []Interval, from, to int64) (ns int64) {
	i, _ := slices.BinarySearchFunc(gaps, from, func(gap Interval, from int64) int { return cmp.Compare(gap.End, from) })
	for ; i < len(gaps) && gaps[i].Start < to; i++ {
		ns += max(0, min(gaps[i].End, to)-max(gaps[i].Start, from))
	}
	return ns
}

// recorded returns instants, which are ascending, on a clock that stands still in silence.
func (w *waiting) recorded(at []int64) []int64 {
	if len(w.silent) == 0 {
		return at
	}
	out := make([]int64, len(at))
	next, cut := 0, int64(0)
	for i, t := range at {
		for ; next < len(w.silent) && w.silent[next].End <= t; next++ {
			cut += w.silent[next].End - w.silent[next].Start
		}
		out[i] = t - cut
	}
	return out
}

// depthRecorded is the distribution of the number that waits over the time that was recorded.
func (w *waiting) depthRecorded() Concurrency {
	d, silence := w.depth, silenceOf(w.silent).NS
	if silence > 0 {
		d.At = slices.Clone(d.At)
		d.At[0] -= silence
		d.To -= silence
	}
	return d
}
