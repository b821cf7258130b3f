package analyze

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// What blocks of time must be like to be drawn again as if each were for itself: so many mean
// durations long that few requests are in two of them, and with so many requests in one.
const (
	blockDurations = 10
	blockRequests  = 5
)

// What is asked of the changes from block to block. Simulated load of 600 s was the measure:
// independent, in bursts of half a minute, with service times that change each minute, and at
// queues with 70 to 90 % of what they do.
const (
	slowWaves    = 4     // cosines over the whole time, of half a turn to two turns
	slowByChance = 2.372 // 95 % of chi-squared over its degrees of freedom, which are slowWaves
	fewestAlone  = 5     // blocks that those that there are must be worth
	fewestBusy   = 5     // separate times in which values must lie above a percentile
	noSpread     = 1e-20 // sum of squares, of that of what is summed; less is rounding
)

// blocking says into how many blocks of time what happened may be divided.
type blocking struct {
	n   int    // 0 for none
	ns  int64  // length of each when they are of equal length, the last one maybe shorter
	why string // there are none
}

// blocking chooses the blocks for a time of so many ns.
func (c *captured) blocking(span int64) blocking {
	var sum stat.Sum
	for _, row := range c.rows {
		sum.Add(c.lengthOf(row))
	}
	n := int64(len(c.rows))
	m := min(mostBlocks, n/blockRequests)
	// span / (10 sum/n), of numbers that may be large.
	if s := sum.Float(); s > 0 {
		m = min(m, int64(float64(span)/blockDurations/s*float64(n)))
	}
	if m < fewestBlocks {
		return blocking{why: fmt.Sprintf("the time divides into %s of ten mean durations and five requests, resampling takes %d", plural(m, "block"), fewestBlocks)}
	}
	return blocking{n: int(m), ns: (span + m - 1) / m}
}

// The reasons why a figure has no interval although there are blocks of time.
const (
	alikeWhy = "what is measured changes over as long as the whole time: what is seen is worth less than five times for themselves, and the interval cannot be told"
	rareWhy  = "what lies above it came in too few separate times: it takes five"
)

// blockBounds bounds a ratio of two sums of what is not negative over blocks of time in order.
// why says that there are no bounds. What differs nowhere has bounds of no width. slow is how
// many times the variance of the ratio is that of independent blocks, as far as it is known
// before, and as it is returned.
//
// Blocks are drawn with replacement, which is right for blocks that do not know of each other.
// The bounds are then moved away from the ratio by the factor by which slow changes make them
// wider: the mean square of the first slowWaves cosine coefficients of part - ratio*all, of that
// of all coefficients, with Student's law of as many degrees of freedom (the equal-weighted
// cosine estimate of the long-run variance; Lazarus, Lewis, Stock and Watson, HAR Inference,
// 2018). Nothing makes them narrower. Where the blocks are worth less than fewestAlone, and
// it is not chance, there are none: a step or a slope is not a spread.
func blockBounds(part, all []float64, slow float64, opt Options) (b stat.Bounds, slower float64, why string) {
	n := float64(len(part))
	if len(part) < fewestBlocks {
		return b, slow, fmt.Sprintf("resampling takes %d blocks of time", fewestBlocks)
	}
	b = stat.PercentileBounds(resampledShares(part, all, opt), stat.ExpandedConfidence(len(part), stat.Confidence))
	if math.IsNaN(b.Low) {
		return stat.Bounds{}, slow, "there is nothing to draw from"
	}
	ratio := total(part) / total(all)
	slow = max(slow, slowVariance(part, all, ratio))
	if slow > max(slowByChance, n/fewestAlone) {
		return stat.Bounds{}, slow, alikeWhy
	}
	const upper = (1 + stat.Confidence) / 2
	wider := math.Sqrt(slow) * stat.StudentQuantile(upper, slowWaves) / stat.StudentQuantile(upper, n-1)
	if wider > 1 {
		if b.Low > 0 { // of what is not negative, factors and not differences
			b.Low, b.High = ratio*math.Pow(b.Low/ratio, wider), ratio*math.Pow(b.High/ratio, wider)
		} else {
			b.High = ratio + float64((b.High-ratio)*wider)
		}
	}
	return b, slow, ""
}

// slowVariance returns the variance of the ratio that its slow changes tell, as a multiple of
// what independent blocks have; 0 where nothing changes.
func slowVariance(part, all []float64, ratio float64) float64 {
	n := float64(len(part))
	var squares, size, slow float64
	var waves [slowWaves]float64
	for i := range part {
		e := part[i] - float64(ratio*all[i])
		squares += float64(e * e)
		size += float64(part[i] * part[i])
		for j := range waves {
			waves[j] += float64(e * math.Cos(math.Pi*float64(j+1)*(float64(i)+.5)/n))
		}
	}
	if squares <= float64(noSpread*size) {
		return 0
	}
	for _, x := range waves {
		slow += float64(x * x)
	}
	return 2 * slow / slowWaves / squares
}

// percentileBounds bounds the share of all that lies up to a percentile, by [blockBounds]. With
// rareWhy there are bounds, but nothing may be said of how high the percentile is: what lies
// above came in fewer than fewestBusy times for themselves. One long queue makes a percentile,
// and another time has none, or three.
//
// Of n blocks with x above in each, (sum x)^2 / sum x^2 is how many of equal x they are worth;
// so many of n are worth k / (1 - k/n) separate times, by chance several of which are in one
// block, and fewer by the factor of slow changes. Blocks are first joined to fewer than two
// times the fewest, so that a queue over two of them counts once.
func percentileBounds(upTo, all []float64, slow float64, opt Options) (stat.Bounds, string) {
	b, slow, why := blockBounds(upTo, all, slow, opt)
	if why != "" {
		return b, why
	}
	for len(upTo) >= 2*fewestBlocks {
		upTo, all = inTwos(upTo), inTwos(all)
	}
	n := float64(len(upTo))
	var sum, squares float64
	for i := range upTo {
		x := max(0, all[i]-upTo[i])
		sum += x
		squares += float64(x * x)
	}
	if sum <= 0 {
		return b, ""
	}
	if k := sum * sum / squares; k < float64(fewestBusy*max(1, slow)*(1-k/n)) {
		return b, rareWhy
	}
	return b, ""
}

// inTwos joins neighbours; the last of an odd number goes to the pair before it.
func inTwos(list []float64) []float64 {
	out := make([]float64, len(list)/2)
	for i, v := range list {
		out[min(i/2, len(out)-1)] += v
	}
	return out
}

// ranksWithin turns bounds of the share of n things up to a percentile into the ranks of its
// bounds (Woodruff), 1 to n; low is 0 and high is n+1 where there is none.
func ranksWithin(b stat.Bounds, n int64) (low, high int64) {
	size := float64(n)
	low = int64(math.Ceil(float64(b.Low*size) - .5))
	high = int64(math.Ceil(float64(b.High*size)-.5)) + 1
	return max(0, low), min(n+1, high)
}
