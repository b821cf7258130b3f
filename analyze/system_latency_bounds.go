package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// cutsOf returns the starts of so many blocks of about as many requests each; each lasts until
// the next. Requests that came together stay together.
func cutsOf(arrivals []int64, blocks int) (cuts []int64) {
	for b := range min(blocks, len(arrivals)) {
		if at := arrivals[b*len(arrivals)/blocks]; len(cuts) == 0 || at > cuts[len(cuts)-1] {
			cuts = append(cuts, at)
		}
	}
	return cuts
}

// bound gives a metric of the whole time its intervals. sorted are its values in order; nil of
// weighted ones.
func (m *valuesOf) bound(out *LatencyOf, sorted, cuts []int64, b blocking, opt Options) {
	weighted := sorted == nil
	if len(cuts) < fewestBlocks {
		why := cmp.Or(b.why, "the requests came at too few separate times")
		out.Mean.Warnings = append(out.Mean.Warnings, stat.Warning{ID: NoInterval, Text: why})
		out.independent(why)
		return
	}
	parts := make([][]arrivedValue, len(cuts))
	list := m.list
	for k := len(cuts) - 1; k >= 0; k-- {
		at, _ := slices.BinarySearchFunc(list, cuts[k], func(v arrivedValue, at int64) int { return cmp.Compare(v.at, at) })
		if k == 0 {
			at = 0
		}
		parts[k], list = list[at:], list[:at]
	}
	of := func(v arrivedValue) float64 {
		if weighted {
			return v.weight
		}
		return 1
	}
	all, sum := make([]float64, len(parts)), make([]float64, len(parts))
	for k, part := range parts {
		var exact stat.Sum
		for _, v := range part {
			if all[k] += of(v); weighted {
				sum[k] += float64(v.weight * float64(v.value))
			} else {
				exact.Add(v.value)
			}
		}
		if !weighted {
			sum[k] = exact.Float()
		}
	}
	bounds, slow, why := blockBounds(sum, all, 0, opt)
	if why != "" {
		out.Mean.Warnings = append(out.Mean.Warnings, stat.Warning{ID: NoInterval, Text: why})
	} else {
		out.Mean.HasBounds, out.Mean.Bounds, out.Mean.Method = true, bounds, MethodBlocks
	}
	if weighted {
		return
	}
	for i := range out.Quantiles {
		out.Quantiles[i].widen(sorted, parts, all, slow, opt)
	}
}

// independent warns of the intervals of percentiles, where they have some.
func (l *LatencyOf) independent(why string) {
	for i := range l.Quantiles {
		if q := &l.Quantiles[i]; q.Bounds == MethodOrder {
			q.Warnings = append(q.Warnings, independenceOf(why))
		}
	}
}

func independenceOf(why string) stat.Warning {
	return stat.Warning{ID: Independence, Text: "the interval takes values for independent, and is too narrow when requests queue behind each other: " + why}
}

// widen takes the bounds that resampled blocks of time give a percentile, where they are wider
// than those of order statistics. Values equal to it are divided among the blocks alike,
// whichever of them has the rank.
//
// Percentiles change no less slowly than the mean, as which slow is known.
func (q *LatencyQuantile) widen(sorted []int64, parts [][]arrivedValue, all []float64, slow float64, opt Options) {
	if !q.Known {
		return
	}
	first, _ := slices.BinarySearch(sorted, q.Value)
	after, _ := slices.BinarySearch(sorted, q.Value+1)
	tie := float64(q.Rank-int64(first)) / float64(after-first)
	upTo := make([]float64, len(parts))
	for k, part := range parts {
		var below, at int64
		for _, v := range part {
			switch {
			case v.value < q.Value:
				below++
			case v.value == q.Value:
				at++
			}
		}
		upTo[k] = float64(below) + float64(tie*float64(at))
	}
	bounds, why := percentileBounds(upTo, all, slow, opt)
	rare := why == rareWhy
	if why != "" && !rare {
		if q.Bounds == MethodOrder {
			q.Warnings = append(q.Warnings, independenceOf(why))
		}
		return
	}
	low, high := ranksWithin(bounds, q.N)
	q.Bounds, q.Coverage = MethodBlocksOrOrder, stat.Confidence
	if q.LowRank = min(q.LowRank, low); q.LowRank < 1 {
		q.HasLow, q.Low = false, 0
	} else {
		q.HasLow, q.Low = true, sorted[q.LowRank-1]
	}
	if rare {
		high = q.N + 1
	}
	if q.HighRank = max(q.HighRank, high); q.HighRank > q.N {
		if q.HasHigh {
			if why == "" {
				why = "in some times drawn again, all values may lie below"
			}
			q.Warnings = append(q.Warnings, stat.Warning{ID: stat.NoUpper, Text: q.P.String() + " has no upper bound: " + why})
		}
		q.HasHigh, q.High = false, 0
	} else {
		q.HasHigh, q.High = true, sorted[q.HighRank-1]
	}
}
