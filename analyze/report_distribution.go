package analyze

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Distribution is how the values of a metric lie: quantiles, each the value of a real request,
// and a histogram. Values are in ns.
type Distribution struct {
	Metric    string
	N         int64
	Sum       stat.Sum
	Quantiles []QuantileAt // ascending: from the least value to the greatest
	Histogram Histogram
}

// QuantileAt is a value with how many values are equal to it or above: At of N in all. The
// greatest value has 1, the least has N.
type QuantileAt struct{ At, NS int64 }

// Histogram counts values between edges, each up to but not including the next. Values below
// the first edge, which only 0 is, are in the first cell.
type Histogram struct {
	Edges  []int64 // one more than Counts; empty without values
	Counts []int64
}

// renard are a hundred times the preferred numbers of a decade: round steps that are about
// equally far apart on a logarithmic axis (ISO 3).
var renard = [][]int64{
	{100, 112, 125, 140, 160, 180, 200, 224, 250, 280, 315, 355, 400, 450, 500, 560, 630, 710, 800, 900},
	{100, 125, 160, 200, 250, 315, 400, 500, 630, 800},
	{100, 160, 250, 400, 630},
	{100, 200, 500},
	{100},
}

// mostBars is how many cells a histogram has at most.
const mostBars = 60

// distributionOf takes the quantiles of values, which it sorts. Their ranks count from the
// greatest value down in steps that get longer: a tail of a few requests has as many points as
// all the rest. They are those of the first of renard, so that there are twenty in a decade.
func distributionOf(metric string, values []int64) Distribution {
	slices.Sort(values)
	d := Distribution{Metric: metric, N: int64(len(values)), Sum: stat.SumOf(values...)}
	if d.N == 0 {
		return d
	}
	var at []int64
	for scale := int64(1); scale <= d.N; scale *= 10 {
		for _, step := range renard[0] {
			if k := step * scale / 100; k < d.N && (len(at) == 0 || k > at[len(at)-1]) {
				at = append(at, k)
			}
		}
	}
	at = append(at, d.N)
	for _, k := range slices.Backward(at) {
		d.Quantiles = append(d.Quantiles, QuantileAt{k, values[d.N-k]})
	}
	d.Histogram.Edges = roundEdges(values, mostBars)
	d.Histogram.Counts = make([]int64, len(d.Histogram.Edges)-1)
	for _, v := range values {
		d.Histogram.Counts[cellOf(d.Histogram.Edges, v)]++
	}
	return d
}

// cellOf returns the cell of a value between edges; the first for one below them.
func cellOf(edges []int64, v int64) int {
	i, found := slices.BinarySearch(edges, v)
	if !found {
		i--
	}
	return min(max(i, 0), len(edges)-2)
}

// roundEdges returns the edges of at most so many cells that hold values, which are ascending:
// round numbers, about equally far apart on a logarithmic axis. Those of one magnitude have the
// same edges, whatever the values are.
func roundEdges(values []int64, most int) []int64 {
	i, _ := slices.BinarySearch(values, 1)
	if i == len(values) {
		return []int64{0, 1}
	}
	low, high := values[i], values[len(values)-1]
	for _, steps := range renard {
		edges := edgesFrom(low, high, steps)
		if len(edges) <= most+1 {
			return edges
		}
	}
	return []int64{low, high + 1} // a decade a cell is few enough, so that this is not reached
}

// edgesFrom returns the round edges from the last at or below low to the first above high.
func edgesFrom(low, high int64, steps []int64) (edges []int64) {
	for scale := int64(1); ; scale *= 10 {
		for _, step := range steps {
			edge := int64(math.MaxInt64)
			if scale <= math.MaxInt64/step {
				edge = max(1, step*scale/100)
			} else if scale/100 <= math.MaxInt64/step {
				edge = scale / 100 * step
			}
			if n := len(edges); n > 0 && edge <= edges[n-1] {
				continue
			}
			if n := len(edges); n == 1 && edge <= low {
				edges = edges[:0]
			}
			edges = append(edges, edge)
			if edge > high || edge == math.MaxInt64 {
				return edges
			}
		}
		if scale > math.MaxInt64/10 {
			return append(edges, math.MaxInt64)
		}
	}
}
