package analyze

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/ingest/table"
)

// Alternative is one figure of the system by one of the definitions that were asked for. By
// every definition of a metric that was asked for, the own one is there as well: side by side
// they show what the choice of a definition is worth.
type Alternative struct {
	Definition Definition
	// Of is what the figure is of, where there is more than one of it: an objective, a term, or
	// what a curve is of; "" for the whole window. Figure names which figure it is where a
	// definition has several.
	Of, Figure string
	Unit       string // "" for a share, 0 to 1
	Counts     string // what N counts
	stat.Estimate
	// Unbounded says why nothing bounds the figure; "" when something does.
	Unbounded string
	// AtLeast is true when the figure is a lower bound: not all that it is of was recorded, or
	// its limit was not reached.
	AtLeast bool
	// Outcome is that of an objective, "" for other figures.
	Outcome tokens.Outcome
	Apart   []Undefined // requests that the definition lists apart, in no figure
	Words   string      // what else the definition tells
	// Undefined says why there is no figure; "" when there is.
	Undefined string
}

// The figures of definitions that have several.
const (
	figureMean       = "mean"
	figureInFlight   = "in flight"
	figureThroughput = "throughput"
	figureOnTime     = "on time"
	figureLatest     = "latest"
)

// The units of alternatives, and what they count beside what shares are of.
const (
	unitRequests  = "requests"
	unitRequestsS = "requests/s"
	unitTokensS   = "tokens/s"
	unitNS        = "ns"
	countsPoints  = "points"
	countsWindows = "windows"
	countsTokens  = "tokens"
	countsDues    = "deadlines"
	countsChunks  = "chunks"
)

// methodCount is that of a count over a time, which nothing bounds.
const methodCount = "count"

// oneStretch is why a count over the whole window has no interval.
const oneStretch = "it is of one stretch of time, and nothing says how another would differ"

// alternates makes alternatives of one set. What only some of them take is made when it is
// first asked for.
type alternates struct {
	set        *table.Set
	rows       []int32 // of the population
	population Population
	opt        Options
	ask        CapacityOptions
	capacity   *Capacity
	capture    *captured
	asks       *asking
	answers    *answeredRun
	measures   *measured
}

// alternatives returns the figures of the system by every definition that Options.Define has,
// in the order of the definitions. Those of requests it passes over. c has the own figures.
func alternatives(set *table.Set, rows []int32, opt Options, ask CapacityOptions, c *Capacity) (out []Alternative) {
	a := &alternates{set: set, rows: rows, population: c.Population, opt: opt, ask: ask, capacity: c}
	for _, d := range wantedOf(opt.Define) {
		for _, x := range a.by(d) {
			if x.Definition = d; x.Undefined != "" {
				x.Estimate, x.Unbounded, x.AtLeast = stat.Estimate{N: x.N, Method: x.Method, Warnings: x.Warnings}, "", false
			}
			out = append(out, x)
		}
	}
	return out
}

// wantedOf returns the definitions of the system with some ids, and the own ones of the same
// metrics, in their order.
func wantedOf(ids []string) (out []Definition) {
	metrics := map[string]bool{}
	all := systemDefinitions()
	for _, d := range all {
		if slices.Contains(ids, d.ID) {
			metrics[d.Metric] = true
		}
	}
	for _, d := range all {
		if slices.Contains(ids, d.ID) || d.Own && metrics[d.Metric] {
			out = append(out, d)
		}
	}
	return out
}

// by takes the figures by a definition.
func (a *alternates) by(d Definition) []Alternative {
	why := a.capacity.System.Refused
	switch d.Metric {
	case ofKnee:
		return a.knees(d, why)
	case ofGoodput, ofAttainment, ofCapacity, ofFluidity:
		return a.byObjective(d)
	}
	switch {
	case why != "":
		return []Alternative{{Undefined: why}}
	case d.Metric == ofThroughput:
		return []Alternative{a.throughput(d.ID)}
	case d.Metric == ofOutputThroughput:
		return []Alternative{a.outputs(d.ID)}
	}
	return a.concurrency(d.ID)
}

// captured returns the capture of the set.
func (a *alternates) captured() *captured {
	if a.capture == nil {
		a.capture = captureOf(a.set, a.opt)
	}
	return a.capture
}

// asking returns what is asked of the requests.
func (a *alternates) asking() *asking {
	if a.asks == nil {
		a.asks = newAsking(a.set, a.rows, a.population, a.opt, a.ask)
	}
	return a.asks
}

// answeredRun is the requests that were answered, of the clock that most have.
type answeredRun struct {
	n, told   int64 // requests, and those that tell their output tokens
	tokens    stat.Sum
	durations stat.Sum
	first     int64    // their first start
	all       stat.Sum // from the first start to the last end of all requests that ended
}

// streams returns what events tell of the answers.
func (a *alternates) streams() *measured {
	if a.measures == nil {
		a.measures = newMeasured(a.set)
	}
	return a.measures
}

// contentRun is the time from the first start of answered requests to the last token of them
// all, which is what AIPerf takes a run for.
type contentRun struct {
	first, last int64
	n, unknown  int64 // requests, and those whose end is taken because their last token is not known
}

// add takes in an answered request.
func (c *contentRun) add(m *measured, row int32) {
	req := &m.set.Requests
	last := req.End[row]
	if ns, why := valueOfMeasure(m, tokens.LastToken, row); why == "" && ns <= last-req.Start[row] {
		last = req.Start[row] + ns
	} else {
		c.unknown++
	}
	if c.n++; c.n == 1 {
		c.first, c.last = req.Start[row], last
	}
	c.first, c.last = min(c.first, req.Start[row]), max(c.last, last)
}

// ns returns the time.
func (c *contentRun) ns() stat.Sum { return stat.SumOf(c.last).Minus(stat.SumOf(c.first)) }

// words say of how many requests the time has the end for the last token.
func (c *contentRun) words() string {
	switch {
	case c.unknown == 0:
		return ""
	case c.unknown == c.n:
		return "no request tells its last token: the time goes to the last end"
	}
	return fmt.Sprintf("the end stands for the last token in %s that %s not tell it", plural(c.unknown, "request"), map[bool]string{true: "does", false: "do"}[c.unknown == 1])
}

// run returns the answered requests.
func (a *alternates) run() *answeredRun {
	if a.answers != nil {
		return a.answers
	}
	c, req := a.captured(), &a.set.Requests
	var r answeredRun
	var first, end int64
	for k, row := range c.rows {
		if from, to := req.Start[row], req.End[row]; k == 0 {
			first, end = from, to
		} else {
			first, end = min(first, from), max(end, to)
		}
		if req.Error[row] || req.Aborted[row] {
			continue
		}
		if r.n++; r.n == 1 {
			r.first = req.Start[row]
		}
		r.first = min(r.first, req.Start[row])
		r.durations.Add(req.End[row] - req.Start[row])
		if n := req.OutputTokens[row]; n >= 0 {
			r.told++
			r.tokens.Add(n)
		}
	}
	r.all = stat.SumOf(end).Minus(stat.SumOf(first))
	a.answers = &r
	return a.answers
}
