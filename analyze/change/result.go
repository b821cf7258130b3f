package change

import "github.com/tailpath/tailpath/analyze/stat"

// Outcome says what a comparison of one figure came to.
type Outcome string

// The outcomes.
const (
	Slower Outcome = "slower"
	Faster Outcome = "faster"
	Same   Outcome = "same" // nothing that stands out from chance, or too small to count: ~
	// Describes is a change that is large enough, in captures that hold too few blocks or
	// incidents to say that it is more than theirs.
	Describes Outcome = "describes"
	TooFew    Outcome = "too_few"
)

// The methods of estimates.
const (
	// MethodBlocks resamples blocks of time. The interval is that between the percentiles of
	// the resamples, widened by Student's factor for the number of blocks.
	MethodBlocks = "block-bootstrap"
	MethodExact  = "arithmetic" // exact for these captures, with no interval
)

// Figure is one figure on both sides, and its difference New - Base with its interval.
type Figure struct {
	Base, New  float64
	Difference stat.Estimate
	P          float64 // two-sided, of no difference; 1 without an interval
	Stands     bool    // the difference stands out from chance: by Judge, over all tested
}

// Result is what became of one latency.
type Result struct {
	N           [2]int64 // requests: base, new
	Blocks      Blocks
	Percentiles []Percentile
	// Matched counts the requests that have a counterpart on the other side, which asks for
	// about the same: those that are compared at equal workload. It is 0 when too few have.
	Matched [2]int64
	// Mean splits the change of the mean among the parts.
	Mean Split
	// At splits the change of percentiles among the parts: by the Harrell-Davis estimate on
	// both sides, which the parts add up to; it is a weighted mean of the requests around
	// the rank and not the value at it.
	At    []AtPercentile
	Bands []BandChange
	// Effect is the Mann-Whitney test of the two sides, requests taken as independent; its
	// Effect is the probability that a request of New takes longer than one of Base. It is
	// here beside the rule and decides nothing: it sees where the bulk lies, not the tail,
	// and alarms on noise that an hour shares.
	Effect stat.Test
	rule   Rule
}

// Percentile compares one percentile.
type Percentile struct {
	P         stat.Prob
	Base, New stat.Quantile
	// Ratio is New/Base with its interval; 1 when nothing is known.
	Ratio     stat.Estimate
	Chance    float64 // probability of such a ratio by chance, two-sided; 1 when unknown
	Adjusted  float64 // Chance, adjusted for all that is tested
	Incidents [2]int64
	Outcome   Outcome
	Reason    string // which part of the rule decided, with the figures
	// Workload is nil without classes of alike requests, and where a time is 0, to which there is
	// no ratio.
	Workload   *WorkOrServer
	excludes1  bool
	least      float64
	bothValues bool
	freedom    float64 // degrees of freedom of the interval of Ratio; 0 without one
}

// Split divides a change among parts: the differences of the parts add up to that of
// the total.
type Split struct {
	Total Figure
	Parts []Figure
}

// AtPercentile is the split of one percentile's change.
type AtPercentile struct {
	P stat.Prob
	// Ample says that ten requests lie beyond the percentile on both sides.
	Ample bool
	Split
}

// BandChange is the change of the mean times in one band.
type BandChange struct {
	Band  Band
	N     [2]int64
	Ample bool // both sides have ten requests in it
	Split
}

// WorkOrServer divides the change of a percentile, in ns, in what the workload asked
// for and what the server did with it. Each side is weighted to the workload of the
// other; the two ways to do it are averaged, so that swapping sides flips the signs.
// Workload, Server and Unmatched add up to the change of the percentile exactly.
type WorkOrServer struct {
	Workload, Server float64
	// Unmatched is what the requests without a counterpart on the other side do to it.
	Unmatched float64
	// Ratio is New/Base at equal workload, with its interval.
	Ratio   stat.Estimate
	Chance  float64
	Outcome Outcome // Slower, Faster or Same, of Ratio
}
