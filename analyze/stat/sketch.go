package stat

import (
	"fmt"

	"github.com/DataDog/sketches-go/ddsketch"
)

// MethodSketch is a percentile from a Sketch: the value at position floor(p*(n-1)), known to
// SketchError.
const MethodSketch = "ddsketch"

// SketchError is how far a percentile from a Sketch may be from the observed value that its
// rule picks, relative to that value.
const SketchError = 0.01

// sketchNeed is the least number of values for a percentile from a sketch. Its rule differs
// from nearest rank by up to one value, which matters less than SketchError from there on.
const sketchNeed = 1000

// Sketch holds any number of values in a few kilobytes, for what does not fit as it is.
// Values may be negative or 0. Sketches merge: the sketch of all values comes out, whatever
// the order of values and merges. Percentiles are never averaged; merge sketches instead.
//
// It is a DDSketch with logarithmic buckets in dense arrays: no bucket is ever collapsed,
// so the error holds at every percentile, and all of int64 takes some 4,400 buckets. The
// least and the greatest value are kept exactly. Counts are exact up to 2^53 values.
//
// Use NewSketch. A Sketch is not safe for concurrent use.
type Sketch struct {
	buckets   *ddsketch.DDSketch
	n         int64
	low, high int64 // the least and the greatest value; meaningless while n is 0
}

// NewSketch returns an empty sketch.
func NewSketch() *Sketch {
	buckets, err := ddsketch.LogUnboundedDenseDDSketch(SketchError)
	if err != nil {
		// The library refuses errors outside (0, 1), and SketchError is a constant.
		panic(fmt.Sprintf("sketch: %v", err))
	}
	return &Sketch{buckets: buckets}
}

// N returns the number of values.
func (s *Sketch) N() int64 { return s.n }

// Add adds one value.
func (s *Sketch) Add(v int64) {
	// Every int64 but 0 lies among the values that have a bucket, so there is no error.
	_ = s.buckets.Add(float64(v))
	if s.n == 0 {
		s.low, s.high = v, v
	}
	s.low, s.high = min(s.low, v), max(s.high, v)
	s.n++
}

// Merge adds all values of another sketch, which stays as it is. It may be s itself.
func (s *Sketch) Merge(other *Sketch) {
	if other.n == 0 {
		return
	}
	// All sketches have the same buckets, so there is no error.
	_ = s.buckets.MergeWith(other.buckets)
	if s.n == 0 {
		s.low, s.high = other.low, other.high
	}
	s.low, s.high = min(s.low, other.low), max(s.high, other.high)
	s.n += other.n
}

// Quantile returns the percentile p. It is absent below 1,000 values, or below what nearest
// rank needs if that is more.
func (s *Sketch) Quantile(p Prob) Named {
	q := Named{P: p, N: s.n, Method: MethodSketch, Error: SketchError, Need: max(sketchNeed, Minimum(p).OneSided)}
	if s.n < q.Need {
		q.Warnings = []Warning{{TooFew, fmt.Sprintf("%s from a sketch needs at least %d values and there are %d", p, q.Need, s.n)}}
		return q
	}
	q.Known = true
	q.Value = min(float64(s.high), max(float64(s.low), s.at(sketchPosition(s.n, p))))
	return q
}

// at returns the middle of the bucket that the value at a 0-based position is in. The
// library's own GetValueAtQuantile computes the position in floating point, where 29 % of
// 100 falls short of 29.
func (s *Sketch) at(position uint64) float64 {
	negative, rank := s.buckets.GetNegativeValueStore(), float64(position)
	below := negative.TotalCount()
	if rank < below {
		return -s.buckets.Value(negative.KeyAtRank(below - 1 - rank))
	}
	rank -= below
	if zero := s.buckets.GetZeroCount(); rank >= zero {
		return s.buckets.Value(s.buckets.GetPositiveValueStore().KeyAtRank(rank - zero))
	}
	return 0
}
