package little

import (
	"fmt"
	"math"
)

// The kinds of reading where one of the two ratios is not known.
const (
	SameRate      Kind = "same-rate"       // as many requests a second in both
	SomeKept      Kind = "some-kept"       // fewer requests a second in the traces
	SameInFlight  Kind = "same-in-flight"  // as many requests in flight in both
	FewerInFlight Kind = "fewer-in-flight" // fewer in flight in the traces
	MoreInFlight  Kind = "more-in-flight"  // more in flight in the traces
)

// Ratio is a ratio of what traces tell over what another source does, with the interval in
// which chance leaves it.
type Ratio struct{ Value, Low, High float64 }

// nearOne is how far from 1 a ratio may be that counts as 1 although its interval leaves it
// out: readings are taken at moments of their own, and two sources stamp a request at two
// places.
const nearOne = 0.05

// known reports whether the ratio is a number with an interval that says anything.
func (r Ratio) known() bool {
	return positive(r.Value) && positive(r.Low) && positive(r.High) && r.Low <= r.High && r.within() <= widest
}

// within is how far the ratio may be from its value by chance, and no less than what counts
// as none.
func (r Ratio) within() float64 { return max(nearOne, r.High/r.Value-1, r.Value/r.Low-1) }

// one reports whether the ratio is 1.
func (r Ratio) one() bool {
	return r.Low <= 1 && 1 <= r.High || math.Abs(math.Log(r.Value)) <= math.Log1p(nearOne)
}

// ReadBounded is [Read] where intervals of the ratios are known, as of resampled blocks of
// time, in which requests need not be independent of each other. time is the ratio of the
// mean times, that of numbers in flight over that of rates. A ratio is 1 if its interval
// holds 1 or if it is within 5 % of it, and an interval wider than half of the ratio says
// nothing.
func ReadBounded(rate, inFlight, time Ratio, n int64) Reading {
	r := Reading{Kind: Unclear, RateRatio: rate.Value, InFlightRatio: inFlight.Value, N: n}
	if !positive(rate.Value) || !positive(inFlight.Value) || n <= 0 {
		r.Text = "there is nothing to compare: rates and numbers in flight must be above 0"
		return r
	}
	if !rate.known() || !time.known() {
		r.Text = tooFew(n)
		return r
	}
	r.RateWithin, r.TimeWithin = rate.within(), time.within()
	r.classify(rate.one(), time.one(), rate.Value > 1, time.Value > 1)
	if r.Kind == Complete {
		r.Text += open(max(r.RateWithin, r.TimeWithin))
	}
	return r
}

// ReadRate says what the ratio of rates alone tells.
func ReadRate(rate Ratio, n int64) Reading {
	r := Reading{Kind: Unclear, RateRatio: rate.Value, N: n}
	if !rate.known() || n <= 0 {
		r.Text = tooFew(n)
		return r
	}
	r.RateWithin = rate.within()
	switch {
	case rate.one():
		r.Kind, r.Text = SameRate, "the traces tell of every request"+open(r.RateWithin)+"; whether of all of its time is unknown: the other source does not say how many were in flight"
	case rate.Value > 1:
		r.Kind, r.Text = More, moreText
	default:
		r.Kind, r.Text = SomeKept, fmt.Sprintf("%.3g of the requests were kept; whether slow and fast alike is unknown: the other source does not say how many were in flight", rate.Value)
	}
	return r
}

// ReadInFlight says what the ratio of numbers in flight alone tells.
func ReadInFlight(inFlight Ratio, n int64) Reading {
	r := Reading{Kind: Unclear, InFlightRatio: inFlight.Value, N: n}
	if !inFlight.known() || n <= 0 {
		r.Text = tooFew(n)
		return r
	}
	r.TimeWithin = inFlight.within()
	switch {
	case inFlight.one():
		r.Kind, r.Text = SameInFlight, "as many were in flight by both"+open(r.TimeWithin)+"; the other source counts no requests, so that fewer that take longer are not told from all"
	case inFlight.Value > 1:
		r.Kind, r.Text = MoreInFlight, "more were in flight by the traces: spans hold time that the gauge does not, clocks differ, or spans never ended"
	default:
		r.Kind, r.Text = FewerInFlight, "fewer were in flight by the traces: not every request was kept, or a stage is in no span; a count of requests from the other source would tell which"
	}
	return r
}

// notable is how much chance may hide before a reading says so.
const notable = 0.1

// open says how much less than told the traces may hold for all that chance lets see.
func open(within float64) string {
	if within <= notable {
		return ""
	}
	return fmt.Sprintf(", as far as can be seen: chance hides a lack of up to %.2g %%", 100*within)
}

func tooFew(n int64) string {
	return fmt.Sprintf("n = %d requests, or what the other source says meanwhile, is too few or too uneven: chance moves the ratios by more than half", n)
}

// Missing returns the time of each request that no span covers, in ns, by the numbers in
// flight of both sources and the rate of the traced requests.
func Missing(ratePerSecond, inFlight, inFlightOutside float64) float64 {
	return (inFlightOutside - inFlight) / ratePerSecond * 1e9
}
