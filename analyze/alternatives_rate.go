package analyze

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// ShortWindow is the id of the warning that a rate is of too short a time.
const ShortWindow = "short-window"

// Why there is no rate.
const (
	noTimePassed  = "no time passed"
	noneAnswered  = "no request was answered"
	noTokenCounts = "no request tells how many tokens it gave"
	noTokenTimes  = "not every request tells when its tokens came"
)

// perSecond makes a rate of a count over a time.
func perSecond(count, ns stat.Sum, n int64, unit, counts string) Alternative {
	x := Alternative{Unit: unit, Counts: counts, Estimate: stat.Estimate{N: n, Method: methodCount}, Unbounded: oneStretch}
	if ns.Sign() <= 0 {
		x.Undefined = noTimePassed
		return x
	}
	x.Value = count.Over(ns) * 1e9
	return x
}

// doubted warns of a rate as the system's own are warned of.
func (a *alternates) doubted(x Alternative) Alternative {
	s := &a.capacity.System
	if !s.Context.ArrivalRate.Known {
		x.Warnings = append(x.Warnings, stat.Warning{ID: ShortWindow, Text: "the window is shorter than ten mean durations: a rate means little"})
	}
	for _, w := range s.Serving.Warnings {
		if w.ID == UniformWeights {
			x.Warnings = append(x.Warnings, w)
		}
	}
	return x
}

// window returns the length of the system's window, ns.
func (a *alternates) window() stat.Sum {
	r := &a.capacity.System.Serving
	return stat.SumOf(r.ToNS).Minus(stat.SumOf(r.FromNS))
}

// throughput takes requests a second.
func (a *alternates) throughput(id string) Alternative {
	w := &a.capacity.System.Serving.Whole
	rate := func(n int64, ns stat.Sum) Alternative {
		return a.doubted(perSecond(stat.SumOf(n), ns, n, unitRequestsS, OfRequests))
	}
	switch id {
	case defThroughput:
		return rate(w.Completions, a.window())
	case defOffered:
		return rate(w.Arrivals, a.window())
	}
	r := a.run()
	if r.n == 0 {
		return Alternative{Undefined: noneAnswered}
	}
	if id == defThroughputRun {
		return rate(r.n, r.all)
	}
	var c contentRun
	req := &a.set.Requests
	for _, row := range a.captured().rows {
		if !req.Error[row] && !req.Aborted[row] {
			c.add(a.streams(), row)
		}
	}
	x := rate(r.n, c.ns())
	x.Words = c.words()
	return x
}

// outputs takes output tokens of the system a second.
func (a *alternates) outputs(id string) Alternative {
	s := &a.capacity.System.Serving
	var x Alternative
	switch id {
	case defEmitted, defOfCompleted:
		tokens := s.Whole.Output.OfCompleted
		if id == defEmitted {
			tokens = s.Whole.Output.Emitted
		}
		x = perSecond(tokens, a.window(), s.Whole.Output.Counted, unitTokensS, OfRequests)
		x.AtLeast = s.Whole.Output.Counted < s.Whole.Completions
		if id == defEmitted && s.Output != serving.TokensEmitted {
			x.Undefined = noTokenTimes
		}
	case defOfAnswered:
		r := a.run()
		x = perSecond(r.tokens, r.all, r.told, unitTokensS, OfRequests)
		x.AtLeast = r.told < r.n
	case defPeak1s:
		x = a.peak()
	}
	if x.N == 0 && x.Undefined == "" {
		x.Undefined = noTokenCounts
	}
	return a.doubted(x)
}

// peak takes the second with the most output tokens, by what events tell of when chunks came and
// of how many tokens they were, or else by the instants of tokens. The last second may be one
// in part.
func (a *alternates) peak() Alternative {
	const second = 1_000_000_000
	c, r, req := a.captured(), a.run(), &a.set.Requests
	answered := make([]bool, len(c.Requests))
	for _, row := range c.rows {
		answered[c.index[row]] = !req.Error[row] && !req.Aborted[row]
	}
	in := map[uint64]int64{}
	told := map[int]bool{}
	take := func(k int, at, n int64) {
		if told[k] = true; at >= r.first {
			in[(uint64(at)-uint64(r.first))/second] += n
		}
	}
	byChunks := map[int]bool{}
	for _, row := range c.rows {
		k := int(c.index[row])
		if !answered[k] {
			continue
		}
		if s := a.streams().stream(row); s.counted {
			byChunks[k] = true
			for _, chunk := range s.Chunks() {
				take(k, req.Start[row]+chunk.AtNS, chunk.Tokens)
			}
		}
	}
	for _, e := range c.Emissions {
		if answered[e.Request] && !byChunks[e.Request] {
			take(e.Request, e.AtNS, e.Tokens)
		}
	}
	most := int64(0)
	for _, n := range in {
		most = max(most, n)
	}
	x := perSecond(stat.SumOf(most), stat.SumOf(second), int64(len(told)), unitTokensS, OfRequests)
	if len(told) == 0 {
		x.Undefined = noTokenTimes
	}
	for _, row := range c.rows {
		k := c.index[row]
		x.AtLeast = x.AtLeast || answered[k] && !told[int(k)] && req.OutputTokens[row] != 0
	}
	return x
}

// concurrency takes the number in flight.
func (a *alternates) concurrency(id string) []Alternative {
	level := &a.capacity.System.Serving.Whole.InFlight
	x := Alternative{Unit: unitRequests, Counts: OfRequests, Estimate: stat.Estimate{N: int64(len(a.captured().rows)), Method: methodCount}, Unbounded: oneStretch}
	switch id {
	case defInFlight:
		if x.Value = level.Mean(); level.NS <= 0 {
			x.Undefined = noTimePassed
		}
	case defPeakInFlight:
		if x.Value = float64(level.Peak); level.NS <= 0 {
			x.Undefined = noTimePassed
		}
	case defLittleSum:
		r := a.run()
		x.N, x.Value = r.n, r.durations.Over(r.all)
		switch {
		case r.n == 0:
			x.Undefined = noneAnswered
		case r.all.Sign() <= 0:
			x.Undefined = noTimePassed
		}
	case defAtArrival:
		return a.atArrival(x)
	}
	return []Alternative{a.doubted(x)}
}

// alikeArrivals is why a mean over arrivals has no interval, and is said of those of its
// percentiles.
const alikeArrivals = "requests that come after each other find about the same number"

// atArrival takes the number in flight that each request finds.
func (a *alternates) atArrival(x Alternative) []Alternative {
	arrived := a.captured().arrivals()
	found := make([]int64, len(arrived.starts))
	for i, at := range arrived.starts {
		found[i] = arrived.inFlight(at)
	}
	slices.Sort(found)
	mean := x
	mean.Figure, mean.Unbounded = figureMean, alikeArrivals
	mean.Value = stat.SumOf(found...).Over(stat.SumOf(mean.N))
	out := []Alternative{mean}
	for _, p := range []stat.Prob{stat.P50, stat.P95} {
		q := stat.QuantileOf(found, p)
		y := x
		y.Figure, y.Unbounded = p.String(), ""
		y.Estimate = stat.Estimate{Value: float64(q.Value), N: q.N, Method: q.Method}
		switch y.HasBounds = q.HasLow && q.HasHigh; {
		case !q.Known:
			y.Undefined = fmt.Sprintf("%s takes %d requests", p, q.Need)
		case y.HasBounds:
			y.Bounds = stat.Bounds{Low: float64(q.Low), High: float64(q.High)}
			y.Warnings = []stat.Warning{{ID: Independence, Text: "the bounds are too narrow: " + alikeArrivals}}
		default:
			y.Unbounded = "there are too few requests for both bounds"
		}
		out = append(out, y)
	}
	for i := range out {
		out[i] = a.doubted(out[i])
	}
	return out
}
