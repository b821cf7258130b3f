package plant

import (
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Open says why a capture does not decide which stage comes first; empty when it does.
type Open string

// The reasons, in the order in which they are tried.
const (
	Decided Open = ""
	Small   Open = "small"   // too few slow requests
	NoTail  Open = "no-tail" // slow requests are hardly slower than usual ones
	Hidden  Open = "hidden"  // too much is unattributed
	Close   Open = "close"   // in truth no stage is far ahead
	Noisy   Open = "noisy"   // in captures of this size chance decides
)

// The limits of the rules.
const (
	leastTail   = 20   // requests
	leastExcess = 0.05 // of the tail's mean
	mostHidden  = 0.2  // of the tail's time
	leastShare  = 0.4  // of the excess
	leastLead   = 0.1  // shares of the excess
	leastErrors = 3    // standard errors of the lead

	// LeastIncidents is what a prediction takes: see [Capture.Incidents].
	LeastIncidents = 10
)

// Truth is what is true of a kind's tail, and what captures of some size can tell of it.
type Truth struct {
	Q stat.Prob
	N int // requests of a capture
	// Reference is the number of requests that it was computed from.
	Reference int

	// Shares are the stages' shares of the excess of the tail over the body. They add up to 1.
	Shares [table.StageCount]float64
	// Top has the largest share of all stages but unattributed, RunnerUp the next.
	Top, RunnerUp stage.Stage
	// Prefill is the part of the excess of the gpu that reads prompts, as a share of the whole
	// excess.
	Prefill float64
	// Excess is the excess as a share of the tail's mean, and Unattributed the share of the
	// tail's time that is.
	Excess, Unattributed float64

	// ShareErrors are the standard deviations of the shares in captures of N requests.
	ShareErrors [table.StageCount]float64
	// LeadError is the standard deviation of the lead of Top over RunnerUp, in shares, in
	// captures of N requests.
	LeadError float64
	// Incidents is the fewest incidents that have nine tenths of the excess of Top in a capture,
	// on average.
	Incidents float64
	Open      Open
}

// Lead is how far Top is ahead of the next, in shares of the excess.
func (t *Truth) Lead() float64 { return t.Shares[t.Top] - t.Shares[t.RunnerUp] }

// Dominates reports whether the top stage has more than half of the excess.
func (t *Truth) Dominates() bool { return t.Shares[t.Top] > 0.5 }

// open applies the rules.
func (t *Truth) open() Open {
	named := t.Shares[t.Top]
	switch {
	case tailOf(t.N, stat.P90) < leastTail:
		return Small
	case t.Excess < leastExcess:
		return NoTail
	case t.Unattributed >= mostHidden, t.Shares[stage.Unattributed] >= named:
		return Hidden
	case t.Lead() < leastLead, named < leastShare:
		return Close
	case t.Lead() < leastErrors*t.LeadError:
		return Noisy
	}
	return Decided
}

// tailOf is the number of requests at or above the rank of a percentile among n.
func tailOf(n int, q stat.Prob) int { return n - int(max(1, q.Rank(int64(n)))) + 1 }

// TailAt returns the highest of p99, p95 and p90 whose tail has 20 requests of n; p90 when
// none has.
func TailAt(n int) stat.Prob {
	for _, q := range []stat.Prob{stat.P99, stat.P95} {
		if tailOf(n, q) >= leastTail {
			return q
		}
	}
	return stat.P90
}

// rank finds the two stages with the largest shares, unattributed left out. Of equal ones
// the first in path order.
func rank(shares *[table.StageCount]float64) (top, next stage.Stage) {
	first, second := math.Inf(-1), math.Inf(-1)
	for k, x := range shares {
		switch {
		case stage.Stage(k) == stage.Unattributed:
		case x > first:
			top, next, first, second = stage.Stage(k), top, x, first
		case x > second:
			next, second = stage.Stage(k), x
		}
	}
	return top, next
}

// GPUPart names the part of the gpu's time that has more of its excess: "prefill" or
// "decode".
func (t *Truth) GPUPart() string {
	if t.Prefill > t.Shares[stage.GPU]-t.Prefill {
		return "prefill"
	}
	return "decode"
}
