package cohort

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// The widths of a bucket of time in ns, from wide to narrow.
const second = int64(1_000_000_000)

var widths = []int64{
	3600 * second, 1800 * second, 900 * second, 600 * second, 300 * second, 120 * second, 60 * second,
	30 * second, 15 * second, 10 * second, 5 * second, 2 * second, 1 * second,
}

// perBucket is how many requests a bucket holds at least, on average. A slow request that
// is compared with 19 others is worth 95 % of one compared with all, and the narrower
// a bucket, the less can an incident that begins or ends in it pass for a property of the
// requests. maxBuckets bounds the work for a long time.
const (
	perBucket  = 20
	maxBuckets = 2048
)

// strata divides requests by time. index[i] is the bucket of request i, slow[k] and rest[k]
// count the requests in bucket k.
type strata struct {
	Strata
	index      []int32
	slow, rest []int64
	both       []int32 // the buckets that have slow requests and others
}

// stratify makes the narrowest buckets that hold enough, and one more for requests without
// a time. Buckets count from the first request of each clock.
func stratify(s *Sample) *strata {
	n := len(s.Slow)
	st := &strata{index: make([]int32, n)}
	clocks, starts := clocksOf(s)
	st.Undated = int64(n)
	for _, of := range starts {
		slices.Sort(of)
		st.Undated -= int64(len(of))
	}
	if st.Undated < int64(n) {
		st.WidthNS = widthOf(starts, int64(n)-st.Undated)
	}
	// Buckets are numbered by clock and time, whatever the order of the requests.
	number := make([]map[uint64]int32, len(starts))
	for c, of := range starts {
		number[c] = map[uint64]int32{}
		for _, at := range of {
			b := bucket(at, of[0], st.WidthNS)
			if _, ok := number[c][b]; !ok {
				number[c][b] = int32(st.N)
				st.N++
			}
		}
	}
	undated := int32(st.N)
	if st.Undated > 0 {
		st.N++
	}
	st.slow, st.rest = make([]int64, st.N), make([]int64, st.N)
	for i, slow := range s.Slow {
		k := undated
		if c := clocks(i); c >= 0 {
			k = number[c][bucket(s.Start[i], starts[c][0], st.WidthNS)]
		}
		st.index[i] = k
		if slow {
			st.slow[k]++
		} else {
			st.rest[k]++
		}
	}
	for k := range st.N {
		if st.slow[k] > 0 && st.rest[k] > 0 {
			st.both = append(st.both, int32(k))
			st.SlowCompared += st.slow[k]
			st.RestCompared += st.rest[k]
		}
	}
	st.Both = len(st.both)
	if st.N == 1 {
		st.WidthNS = 0
	}
	return st
}

// clocksOf returns the number of every request's clock, negative for none, and the starts by
// clock. Clocks are numbered by their number in the sample.
func clocksOf(s *Sample) (clock func(i int) int, starts [][]int64) {
	if s.Start == nil {
		return func(int) int { return -1 }, nil
	}
	if s.Clock == nil {
		return func(int) int { return 0 }, [][]int64{slices.Clone(s.Start)}
	}
	seen := map[int32]bool{}
	for _, c := range s.Clock {
		seen[c] = true
	}
	var order []int32
	for c := range seen {
		if c >= 0 {
			order = append(order, c)
		}
	}
	slices.Sort(order)
	number := map[int32]int{}
	for i, c := range order {
		number[c] = i
	}
	starts = make([][]int64, len(order))
	for i, c := range s.Clock {
		if c >= 0 {
			starts[number[c]] = append(starts[number[c]], s.Start[i])
		}
	}
	return func(i int) int {
		if c := s.Clock[i]; c >= 0 {
			return number[c]
		}
		return -1
	}, starts
}

// bucket numbers the bucket of a start. The difference of two int64 fits into uint64.
func bucket(at, first, width int64) uint64 { return (uint64(at) - uint64(first)) / uint64(width) }

// widthOf chooses the width in ns for sorted starts: the narrowest that leaves enough in a
// bucket, wider than the widest only to keep their number down.
func widthOf(starts [][]int64, n int64) int64 {
	width := widths[0]
	for occupied(starts, width) > max(maxBuckets, int64(len(starts))) && width < 1<<61 {
		width *= 2
	}
	if width > widths[0] {
		return width
	}
	for _, w := range widths[1:] {
		if k := occupied(starts, w); k > maxBuckets || n < perBucket*k {
			break
		}
		width = w
	}
	return width
}

// occupied counts the buckets with a start in them.
func occupied(starts [][]int64, width int64) (n int64) {
	for _, of := range starts {
		last := uint64(0)
		for i, at := range of {
			if b := bucket(at, of[0], width); i == 0 || b != last {
				last = b
				n++
			}
		}
	}
	return n
}

// warnings says what the buckets leave open.
func (st *strata) warnings(slow int64) (out []stat.Warning) {
	if st.Undated == int64(len(st.index)) {
		return []stat.Warning{{ID: WarnUndated, Text: "nothing says when the requests ran: what differs may be no more than when they ran"}}
	}
	if st.Undated > 0 {
		out = append(out, stat.Warning{ID: WarnUndated, Text: fmt.Sprintf("requests without a time are compared with each other alone: %d", st.Undated)})
	}
	if st.N == 1 {
		return out
	}
	switch {
	case !st.overlaps(slow):
		out = append(out, stat.Warning{ID: WarnNoOverlap, Text: fmt.Sprintf("%d of %d slow requests have others of the same time to compare with: what differs cannot be told from when they ran", st.SlowCompared, slow)})
	case st.Both < 2*leastStrata:
		out = append(out, stat.Warning{ID: WarnFewBuckets, Text: fmt.Sprintf("slow requests and others are compared in few buckets of time, %d: this describes them; it does not predict", st.Both)})
	}
	return out
}

// overlaps reports whether half of the slow requests can be compared with others of the
// same time.
func (st *strata) overlaps(slow int64) bool { return 2*st.SlowCompared >= slow }
