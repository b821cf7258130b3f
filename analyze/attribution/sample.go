package attribution

import "github.com/tailpath/tailpath/analyze/stat"

// Sample is the requests of an attribution by column. They are ranked: row i has rank
// i+1, equal values in an order that the caller fixes.
type Sample struct {
	// Value is the latency of each request in ns, ascending.
	Value []int64
	// Parts[k][i] is the time in ns that part k took of Value[i]. Times are not
	// negative, and those of a request add up to its value.
	Parts [][]int64
	// Waited is the time in ns of Value that the request waited for capacity: requests
	// that are closer in time than the longest wait are one incident.
	Waited []int64
	// Start is when each request started, in ns on one clock; nil when nothing says so.
	// Without it there are no blocks of time, hence no intervals.
	Start []int64
	// Drag[k][i] is how much shorter request i would be if part k took no time, in ns,
	// at most Parts[k][i]: less where something else ran beside it. nil when unknown.
	Drag [][]int64
}

// Options fix an attribution. The zero value of all but Q is the default.
type Options struct {
	// Q is the percentile at and above which a request is slow.
	Q stat.Prob
	// Replicates is how often the blocks are resampled; 2000 when 0.
	Replicates int
	// Seed selects the resamples. The same seed gives the same bytes.
	Seed uint64
	// NeverFirst are the parts that cannot be the first, such as time nobody accounts for.
	NeverFirst []int
	// Workers is how many resamples are made at once; it changes no result. 1 when 0.
	Workers int
}
