package cohort

import (
	"math"
	"slices"
	"sort"
	"strconv"
)

// fewNumbers is up to how many distinct numbers are each a value of their own; parts is
// how many ranges more are divided into, of about equal shares of the rest. A range holds at
// least leastCount requests of the rest.
const (
	fewNumbers = 10
	parts      = 10
)

// ranges takes ranges of a column's numbers for values.
func (b *binned) ranges(numbers []float64, slow []bool, least int64) {
	b.Numeric = true
	rest, slows := make([]float64, 0, len(numbers)), []float64(nil)
	var missing tally
	for i, x := range numbers {
		switch {
		case !finite(x):
			missing.add(slow[i])
			continue
		case slow[i]:
			slows = append(slows, x)
		default:
			rest = append(rest, x)
		}
	}
	b.Missing = missing.sum()
	slices.Sort(slows)
	slices.Sort(rest)
	all := merge(slows, rest)
	most := missing.sum()
	var distinct []float64 // the first few
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to] == all[from] {
			to++
		}
		most = max(most, int64(to-from))
		if b.Distinct++; b.Distinct <= fewNumbers {
			distinct = append(distinct, all[from])
		}
		from = to
	}
	if int64(len(numbers))-most < least {
		b.Status = Constant
		return
	}
	var starts []float64 // of every range but the first
	if b.Distinct <= fewNumbers {
		starts = distinct[min(1, len(distinct)):]
	} else {
		starts = deciles(rest, all)
	}
	counts := make([]tally, len(starts)+1)
	b.code = make([]int32, len(numbers))
	for i, x := range numbers {
		b.code[i] = int32(len(counts))
		if finite(x) {
			at := int32(sort.Search(len(starts), func(k int) bool { return starts[k] > x }))
			b.code[i] = at
			counts[at].add(slow[i])
		}
	}
	b.nameRanges(starts, counts, all)
	b.addMissing(missing)
	if len(b.Values) < 2 {
		b.Status = Scattered
	}
}

// merge merges two sorted lists.
func merge(x, y []float64) []float64 {
	out := make([]float64, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		if x[0] < y[0] {
			out, x = append(out, x[0]), x[1:]
		} else {
			out, y = append(out, y[0]), y[1:]
		}
	}
	return append(append(out, x...), y...)
}

func finite(x float64) bool { return x-x == 0 }

// deciles returns where ranges start that divide the sorted rest in about equal parts. A
// number that is as common as a part is one of its own: what lies above it is not thrown in
// with it, even if only slow requests do.
func deciles(rest, all []float64) (starts []float64) {
	n := min(parts, len(rest)/leastCount)
	for k := 1; k < n; k++ {
		edge := rest[(k*len(rest)+n-1)/n-1]
		starts = append(starts, edge)
		above := sort.Search(len(rest), func(i int) bool { return rest[i] > edge })
		if above-sort.SearchFloat64s(rest, edge) < len(rest)/n {
			continue
		}
		if next := sort.Search(len(all), func(i int) bool { return all[i] > edge }); next < len(all) {
			starts = append(starts, all[next])
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	for len(starts) > 0 && starts[0] <= all[0] { // nothing lies below
		starts = starts[1:]
	}
	return starts
}

// nameRanges makes the values of ranges that begin at starts. A bound is moved to the
// roundest number between what was recorded below it and itself, which divides the
// requests in the same way.
func (b *binned) nameRanges(starts []float64, counts []tally, all []float64) {
	bound := make([]float64, len(starts)+2)
	b.bound = bound
	bound[0], bound[len(bound)-1] = math.Inf(-1), math.Inf(1)
	for k, x := range starts {
		bound[k+1] = round(all[sort.SearchFloat64s(all, x)-1], x)
	}
	at := 0
	for k, t := range counts {
		v := Value{Kind: Range, Low: bound[k], High: bound[k+1], Slow: t.slow, Rest: t.rest}
		next := at + int(t.sum())
		switch {
		case len(counts) == 1:
			v.Kind, v.Low, v.High = Any, 0, 0
		case next > at && all[at] == all[next-1]:
			v.Kind, v.Low, v.High = Number, all[at], all[at]
		}
		b.Values = append(b.Values, v)
		at = next
	}
	b.ordered = len(counts)
}

// round returns the number with the fewest digits that is above low and at most high.
func round(low, high float64) float64 {
	if low < 0 && high >= 0 {
		return 0
	}
	size := math.Floor(math.Log10(max(math.Abs(low), math.Abs(high))))
	for digits := range 17 {
		step := math.Pow(10, size-float64(digits))
		steps := math.Floor(high/step + 1e-9) // a quotient that is whole may come out just below
		x, err := strconv.ParseFloat(strconv.FormatFloat(steps*step, 'e', digits+1, 64), 64)
		if err == nil && x > low && x <= high && finite(x) {
			return x
		}
	}
	return high
}
