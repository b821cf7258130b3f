package analyze

import (
	"math/big"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// Load says how busy the system was over the window. It counts every request whose
// start and end are known and whose class is in the population, failed ones too:
// they occupied the system all the same. With a filter it is the load of what that keeps.
type Load struct {
	Start, End int64 // window in ns on Clock: first start to last end
	Clock      uint8 // as in table.ClockNames
	Requests   int64
	// Elsewhere counts requests of other clocks, whose times cannot be set against
	// these; they are not in the load.
	Elsewhere int64
	InFlight  Concurrency
	Silence   Silence
	Tokens    Tokens
	// Unfinished counts requests that were still running or lost their end; they are
	// not in the concurrency.
	Unfinished int64
	// ForAll is the load of all requests, kept or not; nil unless each of Requests has a
	// sampling weight and some stand for more than themselves.
	ForAll *LoadForAll
}

// LoadForAll is the load of all requests by the sampling weights of those that were kept.
type LoadForAll struct {
	Requests    float64 // sum of the weights
	ArrivalRate float64 // requests a second
	InFlight    float64 // time-weighted mean
	// Effective is how many requests of equal weight the estimates are worth.
	Effective float64
}

// Tokens sums the output tokens of the requests that recorded them. Known below
// Requests of the Load makes it a lower bound.
type Tokens struct {
	Known  int64 // requests with a count
	Output stat.Sum
}

// Interval is a half-open interval [Start, End) in ns.
type Interval struct{ Start, End int64 }

// Concurrency is the number of intervals that overlap, over a window.
type Concurrency struct {
	From, To int64
	Arrivals int64    // intervals that start in the window
	Integral stat.Sum // request-ns: the sum of the intervals clipped to the window
	Peak     int64
	// At[n] is the time in ns during which exactly n intervals overlapped; the
	// times add up to To - From.
	At []int64
}

// Sweep counts the intervals that overlap, over the window [from, to). At one
// instant an end comes before a start, so back-to-back intervals do not overlap.
func Sweep(intervals []Interval, from, to int64) Concurrency {
	c := Concurrency{From: from, To: to, At: []int64{0}}
	var starts, ends []int64
	for _, iv := range intervals {
		if iv.Start >= from && iv.Start < to {
			c.Arrivals++
		}
		start, end := max(iv.Start, from), min(iv.End, to)
		if start >= end {
			continue
		}
		starts, ends = append(starts, start), append(ends, end)
		c.Integral.Add(end - start)
	}
	stat.Sort(starts)
	stat.Sort(ends)
	at, now, next := from, int64(0), 0
	hold := func(until int64) {
		c.At[now] += until - at
		at = until
	}
	for _, end := range ends {
		for next < len(starts) && starts[next] < end {
			hold(starts[next])
			next++
			if now++; int(now) == len(c.At) {
				c.At = append(c.At, 0)
			}
		}
		hold(end)
		now--
	}
	hold(max(at, to))
	c.Peak = int64(len(c.At)) - 1
	return c
}

// Mean returns the time-weighted mean concurrency, 0 for an empty window.
func (c Concurrency) Mean() float64 { return c.Integral.Over(stat.SumOf(c.To - c.From)) }

// Quantile returns the least n that the concurrency did not exceed during p of the
// window.
func (c Concurrency) Quantile(p stat.Prob) int64 {
	var sum int64
	for n, ns := range c.At {
		if sum += ns; sum >= p.Rank(c.To-c.From) {
			return int64(n)
		}
	}
	return c.Peak
}

// Seconds returns the length of the window.
func (l Load) Seconds() float64 { return float64(l.End-l.Start) / 1e9 }

// leastDurations is the least length of a window in mean durations. In a shorter one
// the requests that run over its ends weigh too much: its concurrency rises from
// zero and falls back to it, and an arrival more or less changes the rate.
const leastDurations = 10

// Rated reports whether the window is long enough for rates and concurrency: ten mean
// durations, which one request alone never fills.
func (l Load) Rated() bool {
	if l.End <= l.Start {
		return false
	}
	window := big.NewInt(l.End - l.Start)
	need := new(big.Int).Mul(l.InFlight.Integral.Int(), big.NewInt(leastDurations))
	return window.Mul(window, big.NewInt(l.Requests)).Cmp(need) >= 0
}

// ArrivalRate returns arrivals per second, 0 for an empty window.
func (l Load) ArrivalRate() float64 {
	if l.End <= l.Start {
		return 0
	}
	return float64(l.Requests) / l.Seconds()
}

// TokenRate returns output tokens per second of the window, 0 for an empty window.
func (l Load) TokenRate() float64 {
	if l.End <= l.Start {
		return 0
	}
	return l.Tokens.Output.Over(stat.SumOf(l.End-l.Start)) * 1e9
}

// load measures the window of the population's classes, on the clock that most of
// them share, the wall clock first.
func load(set *table.Set, opt Options) Load {
	req := &set.Requests
	var l Load
	var intervals []Interval
	var weighed []little.Request
	var rows []int
	opt = opt.on(set)
	opt.Errors = Include
	for i := range req.Len() {
		if critical.Class(req.Class[i]) == critical.Unfinished && opt.kept.holds(i) {
			l.Unfinished++
		}
		if _, out := exclusion(set, i, opt); !out {
			rows = append(rows, i)
		}
	}
	base := commonBase(set, rows)
	l.Clock = base.clock
	for _, i := range rows {
		if timebaseOf(set, i) != base || base.clock == table.ClockNone {
			l.Elsewhere++
			continue
		}
		iv := Interval{req.Start[i], req.End[i]}
		if len(intervals) == 0 {
			l.Start, l.End = iv.Start, iv.End
		}
		l.Start, l.End = min(l.Start, iv.Start), max(l.End, iv.End)
		intervals = append(intervals, iv)
		if w := req.Weight[i]; finite(w) {
			weighed = append(weighed, little.Request{DurationNS: req.Duration[i], Weight: w})
		}
		if tokens := req.OutputTokens[i]; tokens != table.Missing && tokens >= 0 {
			l.Tokens.Known++
			l.Tokens.Output.Add(tokens)
		}
	}
	l.Requests = int64(len(intervals))
	l.InFlight = Sweep(intervals, l.Start, l.End)
	l.Silence = silenceOf(silencesIn(intervals))
	l.ForAll = loadForAll(weighed, l.Requests, l.End-l.Start)
	return l
}

// loadForAll returns the load of all requests in a window of so many ns. weighed are those
// of n kept ones that have a weight.
func loadForAll(weighed []little.Request, n, window int64) *LoadForAll {
	if int64(len(weighed)) < n || n == 0 || window <= 0 {
		return nil
	}
	l := little.Of(weighed, window)
	var out LoadForAll
	var squares float64
	all := true
	for _, r := range weighed {
		out.Requests += r.Weight
		squares += float64(r.Weight * r.Weight)
		all = all && r.Weight == 1
	}
	if all {
		return nil
	}
	out.ArrivalRate, out.InFlight, out.Effective = l.RatePerSecond, l.InFlight, out.Requests*out.Requests/squares
	return &out
}
