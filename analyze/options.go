package analyze

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
)

// Inclusion says what to do with a kind of request that is left out by default.
type Inclusion uint8

// The inclusions.
const (
	Exclude Inclusion = iota // leave them out, and count them
	Include                  // take them with the others
	Only                     // take nothing else
)

var inclusionNames = []string{"exclude", "include", "only"}

// String returns the inclusion's name.
func (i Inclusion) String() string { return inclusionNames[i] }

// ParseInclusion returns the inclusion with the given name.
func ParseInclusion(name string) (Inclusion, error) {
	for i, n := range inclusionNames {
		if n == name {
			return Inclusion(i), nil
		}
	}
	return 0, fmt.Errorf("unknown choice %q (one of %s)", name, strings.Join(inclusionNames, ", "))
}

// Options selects the requests of an analysis and its percentiles. The zero value
// is the default.
type Options struct {
	// Where keeps the requests that it holds for; nil keeps all. It comes first: whatever
	// else leaves requests out counts what it left.
	Where *filter.Expr
	// During keeps the requests that start in it, by the wall clock; nil keeps all. It comes
	// before Where. Requests without a date are left out. One that is in flight when it begins or
	// ends is counted by its start alone, with all of its time.
	During *Interval
	// By are the keys that Summarize and Compare group requests by; none for no groups.
	By []filter.Key
	// Incomplete is about requests of which a part was never recorded. Unfinished
	// and broken requests have no duration and are left out whatever it says.
	Incomplete Inclusion
	// Errors is about requests that failed or were given up. They are left out by default because
	// they have other shapes: a rejected request is short, a timed-out one is as
	// long as the limit, and either would pass for a property of served requests.
	Errors Inclusion
	// Bands are the bands of the stage mix; DefaultBands when empty.
	Bands []Band
	// Percentiles are p50, p90, p95, p99 and p99.9 when empty.
	Percentiles []stat.Prob
	// Rule is the rule of the verdict; DefaultRule when zero.
	Rule Rule
	// Seed selects the resamples that intervals are made of; it is fixed, so that the
	// same bytes in are the same bytes out.
	Seed uint64
	// Replicates is how many resamples an interval is made of; 0 for the default of package
	// attribution. Fewer are faster and give rougher bounds.
	Replicates int
	// Workers is how many things are worked on at once; it changes no result.
	Workers int
	// Engines are the engines of the set over time, which say what held tokens; nil for
	// unknown, and then no stall can be told.
	Engines *engine.Timelines
	// Callers say which span called which in the set; nil for unknown, and then Summarize lays no
	// paths over each other.
	Callers *critical.Callers
	// GPUs is how many GPUs served the requests, by who asks; 0 for unknown.
	GPUs int64
	// Base has what Compare takes for base in place of Engines and GPUs, which are those of new.
	Base Platform
	// Force makes Compare judge sets that are unlike in what their figures must be read with.
	Force bool

	// Objectives are those of which Summarize says what met them; none for none.
	Objectives []filter.Objective

	// Define are the ids of definitions by which figures are taken as well; the own ones are
	// taken whatever it says.
	Define []string

	// Listed is how many groups, places, windows and bottlenecks are listed where the usual number
	// is smaller, each with figures of its own; 0 for the usual numbers, below 0 for all. What
	// is not listed is summed up or counted, and no other figure depends on it.
	Listed int

	// OverTime makes QueueOf take what came and what waited in stretches of time as well. A report
	// has them of ReportOf.
	OverTime bool

	// Shared is what analyses of the same requests have in common, for several that are made one
	// after the other or at a time; nil to make all of it for each.
	Shared *Shared

	// kept is During and Where on the tables of one set.
	kept kept
}

// Platform is what is known of what served the requests of a set, beside its tables.
type Platform struct {
	Engines *engine.Timelines
	GPUs    int64
	// During is that of the set: a time that is reckoned back from the last record differs.
	During *Interval
}

func (o Options) filled() Options {
	if len(o.Bands) == 0 {
		o.Bands = DefaultBands()
	}
	if len(o.Percentiles) == 0 {
		o.Percentiles = []stat.Prob{stat.P50, stat.P90, stat.P95, stat.P99, stat.P999}
	}
	if o.Rule == (Rule{}) {
		o.Rule = DefaultRule()
	}
	o.Workers = max(o.Workers, 1)
	return o
}

// Band is the requests between two percentiles: those at or above the From
// percentile's rank and below the To percentile's, and up to the slowest when To is
// 100 %. Neighbouring bands therefore share no request, and the band from q to 100
// is the tail at q.
type Band struct{ From, To stat.Prob }

// String returns the band as flags spell it, such as "p90-99".
func (b Band) String() string { return "p" + b.From.Percent() + "-" + b.To.Percent() }

// ranks returns the 1-based ranks [first, last] of the band among n requests; last
// is first-1 when the band is empty.
func (b Band) ranks(n int64) (first, last int64) {
	first = max(1, b.From.Rank(n))
	last = max(first, b.To.Rank(n)) - 1
	if b.To.Num == b.To.Den {
		last = n
	}
	return first, last
}

// DefaultBands are p0-50, 50-90, 90-99 and 99-100.
func DefaultBands() []Band {
	at := []stat.Prob{{Num: 0, Den: 1}, stat.P50, stat.P90, stat.P99, {Num: 1, Den: 1}}
	bands := make([]Band, len(at)-1)
	for i := range bands {
		bands[i] = Band{at[i], at[i+1]}
	}
	return bands
}
