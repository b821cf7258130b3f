package little

import (
	"math/big"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Dispersion is how unevenly arrivals came.
type Dispersion struct {
	Buckets int     // of time, of one length each
	Mean    float64 // arrivals a bucket
	// Index is the variance of arrivals a bucket over their mean: about 1 when they come at
	// random (Poisson), far above when in bursts, below when paced; 0 without arrivals.
	Index float64
}

// DispersionOf measures counts of arrivals in successive buckets of time. The variance is
// that of the buckets at hand: divided by their number.
func DispersionOf(arrivals []int64) Dispersion {
	d := Dispersion{Buckets: len(arrivals)}
	if d.Buckets == 0 {
		return d
	}
	sum, squares := new(big.Int), new(big.Int)
	v, n := new(big.Int), big.NewInt(int64(d.Buckets))
	for _, a := range arrivals {
		v.SetInt64(a)
		sum.Add(sum, v)
		squares.Add(squares, v.Mul(v, v))
	}
	if sum.Sign() <= 0 {
		return d
	}
	d.Mean, _ = new(big.Rat).SetFrac(sum, n).Float64()
	// (Σx²/n - (Σx/n)²) / (Σx/n) = (nΣx² - (Σx)²) / (nΣx), exactly.
	over := new(big.Int).Mul(n, squares)
	over.Sub(over, new(big.Int).Mul(sum, sum))
	d.Index, _ = new(big.Rat).SetFrac(over, new(big.Int).Mul(n, sum)).Float64()
	return d
}

// Arrivals counts starts in successive buckets of bucketNS from fromNS up to toNS, half
// open; a last bucket that toNS cuts is left out, and so are starts outside. It returns
// nil when there is no whole bucket, or more than can be wanted.
func Arrivals(starts []int64, fromNS, toNS, bucketNS int64) []int64 {
	if bucketNS <= 0 || toNS <= fromNS || toNS-fromNS < 0 || (toNS-fromNS)/bucketNS > mostBuckets {
		return nil
	}
	counts := make([]int64, (toNS-fromNS)/bucketNS)
	for _, s := range starts {
		if s < fromNS || s >= toNS {
			continue
		}
		if k := (s - fromNS) / bucketNS; k < int64(len(counts)) {
			counts[k]++
		}
	}
	return counts
}

// mostBuckets is more than a month of buckets of 100 ms.
const mostBuckets = 1 << 25

// Skew is how unevenly replicas were busy.
type Skew struct {
	Replicas int
	Mean     float64 // share of time busy, over the replicas
	Max      float64
	Busiest  int // index of the first replica with Max
	// Ratio is Max over Mean: 1 when all are busy alike, as many as there are replicas when
	// one does all; 0 when none is busy.
	Ratio float64
}

// SkewOf compares the shares of time that replicas were busy. The order of replicas changes
// no figure.
func SkewOf(busy []float64) Skew {
	s := Skew{Replicas: len(busy)}
	if len(busy) == 0 {
		return s
	}
	sorted := slices.Sorted(slices.Values(busy))
	sum := 0.0
	for _, b := range sorted {
		sum += b
	}
	s.Mean, s.Max = sum/float64(len(busy)), sorted[len(sorted)-1]
	s.Busiest = slices.Index(busy, s.Max)
	if s.Mean > 0 {
		s.Ratio = s.Max / s.Mean
	}
	return s
}

// SkewOfTimes is [SkewOf] of times busy in ns within windows of one length.
func SkewOfTimes(busyNS []int64, windowNS int64) Skew {
	if windowNS <= 0 {
		return Skew{Replicas: len(busyNS)}
	}
	shares := make([]float64, len(busyNS))
	for i, b := range busyNS {
		shares[i] = stat.SumOf(b).Over(stat.SumOf(windowNS))
	}
	return SkewOf(shares)
}
