package change

import (
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Missing is the value of a column where nothing was recorded.
const Missing = int64(-1 << 63)

// Sample is the requests of one side by column. They are ranked: row i has rank i+1,
// equal values in an order that the caller fixes.
type Sample struct {
	// Value is the latency of each request in ns, ascending.
	Value []int64
	// Parts[k][i] is the time in ns that part k took of Value[i]; the parts of a request
	// add up to its value. nil for a latency that is not made of parts.
	Parts [][]int64
	// Start is when each request started, in ns; nil when nothing says so. Without it on
	// both sides there are no blocks of time, hence no intervals.
	Start []int64
	// Waited is the time in ns that each request waited for capacity: slow requests that
	// start no further apart than the longest wait among them are one incident. nil for
	// no waits.
	Waited []int64
	// Cell is the workload cell of each request, as Workload.Base and Workload.New give
	// it; -1 for a request without a counterpart. nil when the workload is not compared.
	Cell []int32
}

// Band is the requests between two percentiles: those at or above the rank of From and
// below that of To, and up to the slowest when To is 1.
type Band struct{ From, To stat.Prob }

// edges returns the numbers of requests below the band and up to its end, among n.
func (b Band) edges(n int64) (below, upto int64) {
	below = max(1, b.From.Rank(n)) - 1
	upto = max(below, max(1, b.To.Rank(n))-1)
	if b.To.Num == b.To.Den {
		upto = n
	}
	return below, upto
}

// Rule says when a percentile counts as changed. All of its parts must hold: the
// interval of the logarithm of the ratio excludes 0, the change is large enough both as
// a ratio and in ns, ten requests lie beyond the percentile on both sides, the blocks
// and the incidents are enough to predict, and the false discovery rate over all that is
// tested stays below FalseDiscovery.
type Rule struct {
	// Tail and Body are the least changes that count: as a share of the smaller value, above
	// the median and up to it. A change and its reversal count alike.
	Tail, Body float64
	// FloorNS is the least difference in ns that counts; of values so short that FloorShare
	// of the smaller is less, that.
	FloorNS    int64
	FloorShare float64
	// FalseDiscovery bounds the share of false alarms among all alarms, by the procedure of
	// Benjamini and Hochberg.
	FalseDiscovery float64
	// MinBlocks and MinIncidents are what a prediction takes on either side: blocks of
	// time, days excepted, and incidents among the slow requests.
	MinBlocks, MinIncidents int64
	// MinDivergence is the Jensen-Shannon divergence in bits above which a mix has shifted.
	MinDivergence float64
}

// DefaultRule returns the rule as it is documented: 10 % above the median and 5 % up to
// it, and 20 ms or a fifth of what is shorter than that.
func DefaultRule() Rule {
	return Rule{Tail: 0.10, Body: 0.05, FloorNS: 20_000_000, FloorShare: 0.2, FalseDiscovery: 0.05, MinBlocks: 10, MinIncidents: 10, MinDivergence: 0.05}
}

// least returns the change at percentile p that counts.
func (r Rule) least(p stat.Prob) float64 {
	if 2*p.Num <= p.Den {
		return r.Body
	}
	return r.Tail
}

// Counts reports whether a change of percentile p is large enough to count, from one value in ns to
// another.
func (r Rule) Counts(p stat.Prob, from, to float64) bool {
	if from <= 0 || to <= 0 {
		return math.Abs(to-from) >= float64(r.FloorNS)
	}
	return r.large(p, math.Log(to/from), to-from, min(from, to))
}

// Options fix a comparison. The zero value of all but Blocks is the default.
type Options struct {
	Percentiles []stat.Prob // p50, p90, p95, p99 when empty
	// Bands are those of the means of the parts; p0-50, 50-90, 90-99 and 99-100 when empty.
	Bands []Band
	// At are the percentiles whose change is split among the parts; p50 and p99 when empty.
	At     []stat.Prob
	Rule   Rule // DefaultRule when zero
	Blocks Blocks
	// Replicates is how often the blocks are resampled; 2000 when 0.
	Replicates int
	// Seed selects the resamples. The same seed gives the same bytes.
	Seed uint64
	// Workers is how many resamples are made at once; it changes no result. 1 when 0.
	Workers int
}

func (o Options) filled() Options {
	if len(o.Percentiles) == 0 {
		o.Percentiles = []stat.Prob{stat.P50, stat.P90, stat.P95, stat.P99}
	}
	if len(o.Bands) == 0 {
		at := []stat.Prob{{Num: 0, Den: 1}, stat.P50, stat.P90, stat.P99, {Num: 1, Den: 1}}
		for i := range len(at) - 1 {
			o.Bands = append(o.Bands, Band{at[i], at[i+1]})
		}
	}
	if len(o.At) == 0 {
		o.At = []stat.Prob{stat.P50, stat.P99}
	}
	if o.Rule == (Rule{}) {
		o.Rule = DefaultRule()
	}
	if o.Replicates == 0 {
		o.Replicates = 2000
	}
	return o
}
