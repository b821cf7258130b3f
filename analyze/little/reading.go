package little

import (
	"fmt"
	"math"
)

// Kind is what the traces lack beside another source of the same load.
type Kind string

// The kinds of reading.
const (
	Complete  Kind = "complete"              // both ratios are 1
	Uniform   Kind = "uniform-sampling"      // r, r: kept at random; counts times 1/r are right
	SlowMore  Kind = "slow-over-represented" // r, more than r: slow ones are kept more often
	LongLess  Kind = "long-missing"          // r, less than r: long or aborted ones are missing, or spans end before the stream does
	Uncovered Kind = "stage-not-covered"     // 1, less than 1: a part of the requests' time is in no span
	Wider     Kind = "wider-than-gauge"      // 1, more than 1: spans hold time that the gauge does not, clocks differ, or spans never ended
	More      Kind = "more-than-outside"     // above 1: requests that the other source does not count
	Unclear   Kind = "cannot-say"            // too few requests, or no ratio
)

// Reading is what two ratios say.
type Reading struct {
	Kind                     Kind
	RateRatio, InFlightRatio float64
	N                        int64
	// RateWithin and TimeWithin are how far the ratio of rates, and the ratio of mean times,
	// may lie from 1 by chance.
	RateWithin, TimeWithin float64
	// MissingNS is the time of each request that no span covers, in ns: for Uncovered alone,
	// from [Against].
	MissingNS float64
	Text      string
}

// What chance explains.
const (
	deviations = 3    // standard deviations
	closest    = 0.02 // gauges and counters are read at moments of their own
	widest     = 0.5  // beyond it no ratio says anything
)

// Read says what the traces lack from the ratio of rates, λ traced over λ outside, and that
// of numbers in flight, L traced over L outside. n is the number of traced requests and
// variation the standard deviation of their times over the mean. The ratio of rates is 1
// within three standard deviations of a count, 3/sqrt(n), and the ratios are the same if
// their quotient, which is that of the mean times, is 1 within 3*variation/sqrt(n); both
// within 2 % at the least.
func Read(rateRatio, inFlightRatio float64, n int64, variation float64) Reading {
	r := Reading{Kind: Unclear, RateRatio: rateRatio, InFlightRatio: inFlightRatio, N: n}
	if !positive(rateRatio) || !positive(inFlightRatio) || n <= 0 || !(variation >= 0) {
		r.Text = "there is nothing to compare: rates and numbers in flight must be above 0"
		return r
	}
	chance := deviations / math.Sqrt(float64(n))
	r.RateWithin, r.TimeWithin = max(closest, chance), max(closest, chance*variation)
	if r.RateWithin > widest || r.TimeWithin > widest {
		r.Text = fmt.Sprintf("n = %d is too few requests: chance moves the ratios by more than half", n)
		return r
	}
	// Distances of ratios are taken on a log scale, so that either source may be the one
	// that lacks.
	rate, time := math.Log(rateRatio), math.Log(inFlightRatio/rateRatio)
	same, longer := math.Abs(time) <= math.Log1p(r.TimeWithin), time > 0
	r.classify(math.Abs(rate) <= math.Log1p(r.RateWithin), same, rate > 0, longer)
	return r
}

const moreText = "the traces hold requests that the other source does not count"

// classify finds the row of the table: whole when both rates are the same, same when the mean
// times are; more and longer say which way they differ otherwise.
func (r *Reading) classify(whole, same, more, longer bool) {
	switch {
	case whole && same:
		r.Kind, r.Text = Complete, "the traces tell of the whole load"
	case whole && longer:
		r.Kind, r.Text = Wider, "requests take longer in the traces than outside: spans hold time that the gauge does not, clocks differ, or spans never ended"
	case whole:
		r.Kind, r.Text = Uncovered, "requests take less time in the traces than outside: a stage is in no span"
	case more:
		r.Kind, r.Text = More, moreText
	case same:
		r.Kind, r.Text = Uniform, fmt.Sprintf("%.3g of the requests were kept, slow and fast alike: counts times %.3g are right", r.RateRatio, 1/r.RateRatio)
	case longer:
		r.Kind, r.Text = SlowMore, "slow requests were kept more often than others: percentiles are too high"
	default:
		r.Kind, r.Text = LongLess, "long or aborted requests are missing, or spans end before the stream does"
	}
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// Against compares traced requests with the rate and the number in flight that another
// source tells of the same time.
func Against(traced Law, ratePerSecond, inFlight float64) Reading {
	r := Read(traced.RatePerSecond/ratePerSecond, traced.InFlight/inFlight, traced.N, traced.Variation)
	if r.Kind == Uncovered {
		r.MissingNS = Missing(traced.RatePerSecond, traced.InFlight, inFlight)
	}
	return r
}
