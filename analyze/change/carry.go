package change

import "math"

// steps are how many equal steps of time a block of a kind is seen in, to tell how far
// noise carries over from one block to the next.
var steps = map[string]int64{Days: 24, HalfDays: 12, Stretches: 4}

// mostCarried bounds the correlation of neighbouring steps that is believed: the factor
// of what stays for longer than the capture is not to be had from it.
const mostCarried = 0.98

// steps returns the step of time of every start of a side, and how many steps there are.
func (b *Blocks) steps(s int, starts []int64) (step []int32, n int) {
	per := steps[b.Kind]
	step = make([]int32, len(starts))
	for i, at := range starts {
		within := (at - b.origin[s]) % b.LengthNS[s]
		if within < 0 {
			within += b.LengthNS[s]
		}
		length := b.LengthNS[s]/per + 1
		step[i] = int32(b.within(s, at)*per + within/length)
	}
	return step, len(b.index[s]) * int(per)
}

// carried returns the factor by which blocks that are resampled as if independent make an
// interval too narrow, because what happens to a figure carries over from one block to
// the next. series[s] is the figure in the steps of side s, not a number where there is
// none; paired sides are seen by their difference. lasting are figures of the same
// requests that show how long noise lasts, where this one is of too few to show it.
func (b *Blocks) carried(series [sides][]float64, lasting ...[sides][]float64) float64 {
	return b.widest(series, lasting, func(own []float64, others [][]float64, per, blocks int) float64 {
		phi := memory(own)
		for _, l := range others {
			phi = max(phi, memory(l))
		}
		return factorOf(own, phi, per, blocks)
	})
}

// widest returns the larger factor of the two sides, or that of their difference when they
// are paired. factor is given a series, others of the same steps, the steps of a block and
// the number of blocks.
func (b *Blocks) widest(series [sides][]float64, others [][sides][]float64, factor func(own []float64, others [][]float64, per, blocks int) float64) float64 {
	of := func(blocks int, seen func(series [sides][]float64) []float64) float64 {
		var rest [][]float64
		for _, o := range others {
			rest = append(rest, seen(o))
		}
		return factor(seen(series), rest, int(steps[b.Kind]), blocks)
	}
	if !b.Paired {
		return max(
			of(b.N[Base], func(x [sides][]float64) []float64 { return x[Base] }),
			of(b.N[New], func(x [sides][]float64) []float64 { return x[New] }))
	}
	return of(b.N[Base], func(x [sides][]float64) []float64 {
		difference := make([]float64, len(x[Base]))
		for i, v := range x[Base] {
			difference[i] = x[New][i] - v
		}
		return difference
	})
}

// memory returns the phi of a series whose steps have the correlation a*phi^k over k
// steps, which is noise that dies away plus noise of single steps; 0 when there is none
// that stands out.
func memory(series []float64) float64 {
	r := correlations(series, 3)
	n := float64(len(series))
	// Correlations below three times their own error are none.
	if r == nil || r[1]+r[2] < 3*math.Sqrt2/math.Sqrt(n) {
		return 0
	}
	var phi, whole float64
	for range 8 {
		c := unbiased(r, whole)
		phi = min(mostCarried, max(0, (c[2]+c[3])/(c[1]+c[2])))
		if phi == 0 {
			return 0
		}
		whole = meanVariance(min(1, c[1]/phi), phi, len(series))
	}
	return phi
}

// unbiased returns correlations with V(n) put back, by which those that are measured
// around the mean of the series are too small.
func unbiased(r []float64, whole float64) (c [4]float64) {
	for k := 1; k < len(c); k++ {
		c[k] = r[k]*(1-whole) + whole
	}
	return c
}

// factorOf returns how much the error of the mean of a series, whose noise lasts as phi
// says, exceeds what the spread of block means says, 1 or more. How large the lasting noise
// is beside that of single steps is taken one standard error above its estimate: a tail of
// few requests an hour hides it.
//
// The mean of n steps has the variance V(n) = (1 + 2 sum (1 - k/n) a phi^k) / n. The
// spread of N block means of m steps is on average that of V(m) - V(n), so it says
// (V(m) - V(n)) / (N - 1).
func factorOf(series []float64, phi float64, per, blocks int) float64 {
	r := correlations(series, 3)
	if r == nil || phi == 0 {
		return 1
	}
	n := per * blocks
	var a, whole float64
	for range 8 {
		c := unbiased(r, whole)
		a = (c[1]+c[2]+c[3])/(phi+phi*phi+phi*phi*phi) + 1/math.Sqrt(float64(len(series)))
		a = min(1, max(0, a))
		whole = meanVariance(a, phi, n)
	}
	return tooNarrow(whole, meanVariance(a, phi, per), blocks)
}

// tooNarrow returns by how much an interval is too narrow that takes blocks for independent,
// from V(n) of the whole and V(m) of a block, 1 or more.
func tooNarrow(whole, block float64, blocks int) float64 {
	return math.Sqrt(max(1, whole*float64(blocks-1)/(block-whole)))
}

// meanVariance is V(n) of factorOf.
func meanVariance(a, phi float64, n int) float64 {
	sum, power := 0.0, 1.0
	for k := 1; k < n; k++ {
		power *= phi
		sum += float64((1 - float64(k)/float64(n)) * power)
	}
	return (1 + float64(2*a*sum)) / float64(n)
}

// correlations returns the correlations of a series with itself up to some steps later,
// nil when there are too few steps or nothing varies. Pairs with a step that has no
// figure are left out.
func correlations(x []float64, upto int) []float64 {
	var n, sum, squares float64
	for _, v := range x {
		if !math.IsNaN(v) {
			n++
			sum += v
		}
	}
	mean := sum / n
	for _, v := range x {
		if d := v - mean; !math.IsNaN(v) {
			squares += float64(d * d)
		}
	}
	if n < 2*enough || squares == 0 {
		return nil
	}
	out := make([]float64, upto+1)
	for k := range out {
		var products, pairs float64
		for i := k; i < len(x); i++ {
			if p := (x[i] - mean) * (x[i-k] - mean); !math.IsNaN(p) {
				products += p
				pairs++
			}
		}
		if pairs == 0 {
			return nil
		}
		out[k] = products / pairs / (squares / n)
	}
	return out
}

// carriedAt returns the factor for the percentile at a rank on either side: the figure is
// the share of requests above it in each step.
func (c *comparison) carriedAt(ranks [sides]int64) float64 {
	return c.o.Blocks.carried(c.above(ranks), c.lasting...)
}

// above is the share of requests above a rank in each step.
func (c *comparison) above(ranks [sides]int64) [sides][]float64 {
	return c.series(func(s, row int) float64 {
		if c.samples[s].Value[row] > c.samples[s].Value[ranks[s]-1] {
			return 1
		}
		return 0
	})
}

// series is the mean in each step of what is given for each request.
func (c *comparison) series(of func(s, row int) float64) (series [sides][]float64) {
	for s, step := range c.step {
		series[s] = means(step, c.stepCount[s], func(row int) float64 { return of(s, row) })
	}
	return series
}

// means returns the mean in each of n steps of what is given for each row, of which those
// that are not a number are left out; it is not a number where there is none.
func means(step []int32, n int, of func(row int) float64) []float64 {
	out, count := make([]float64, n), make([]float64, n)
	for row, k := range step {
		if v := of(row); !math.IsNaN(v) {
			out[k] += v
			count[k]++
		}
	}
	for k := range out {
		out[k] /= count[k]
	}
	return out
}
