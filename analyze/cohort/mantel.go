package cohort

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// counted is an attribute by bucket of time and value: of the buckets that have slow
// requests and others, slow[k*width+v] and all[k*width+v] count the requests with value v
// in bucket both[k], the slow ones and all of them.
type counted struct {
	st        *strata
	width     int
	slow, all []int32
}

// count divides the requests of an attribute by bucket and value.
func count(b *binned, st *strata, isSlow []bool) *counted {
	place := make([]int32, st.N) // of a bucket among those that count; -1 for none
	for k := range place {
		place[k] = -1
	}
	for i, k := range st.both {
		place[k] = int32(i)
	}
	c := &counted{st: st, width: len(b.Values)}
	c.slow, c.all = make([]int32, len(st.both)*c.width), make([]int32, len(st.both)*c.width)
	for i, v := range b.code {
		k := place[st.index[i]]
		if k < 0 {
			continue
		}
		at := int(k)*c.width + int(v)
		c.all[at]++
		if isSlow[i] {
			c.slow[at]++
		}
	}
	return c
}

// one is one bucket of time seen from one value: slow requests and all, with the value
// and in total, as floating-point numbers, which they fit exactly.
type one struct{ slowWith, with, slow, all float64 }

// expected is how many slow requests with the value there would be by chance.
func (x one) expected() float64 { return x.slow * x.with / x.all }

// variance is that of the number of slow requests with the value, by chance.
func (x one) variance() float64 {
	if x.all < 2 {
		return 0
	}
	return x.expected() * ((x.all - x.slow) / x.all) * ((x.all - x.with) / (x.all - 1))
}

// each calls f with every bucket seen from the values that are taken as one.
func (c *counted) each(from, to int, f func(x one)) {
	for i, k := range c.st.both {
		x := one{slow: float64(c.st.slow[k]), all: float64(c.st.slow[k] + c.st.rest[k])}
		for v := from; v < to; v++ {
			x.slowWith += float64(c.slow[i*c.width+v])
			x.with += float64(c.all[i*c.width+v])
		}
		f(x)
	}
}

// weighted returns the values' shares of the slow requests and of the rest, over buckets
// weighted as Mantel and Haenszel do: by slow*rest/all.
func (c *counted) weighted() (slow, rest []float64) {
	slow, rest = make([]float64, c.width), make([]float64, c.width)
	for i, k := range c.st.both {
		nSlow, nRest := float64(c.st.slow[k]), float64(c.st.rest[k])
		n := nSlow + nRest
		for v := range c.width {
			a, m := float64(c.slow[i*c.width+v]), float64(c.all[i*c.width+v])
			slow[v] += float64(nRest * a / n)
			rest[v] += float64(nSlow * (m - a) / n)
		}
	}
	return slow, rest
}

// probability returns the two-sided probability that slow requests have the values from
// and up to below to as much more or less often than the rest of the same time, by chance:
// Mantel and Haenszel's test without a correction for continuity, or, where few are
// expected, the exact law of their number.
func (c *counted) probability(from, to int) float64 {
	var excess, variance, expectedWith, expectedWithout, restWith, restWithout float64
	c.each(from, to, func(x one) {
		e := x.expected()
		excess += x.slowWith - e
		variance += x.variance()
		expectedWith += e
		expectedWithout += x.slow - e
		restWith += x.with - e
		restWithout += x.all - x.with - x.slow + e
	})
	if variance <= 0 {
		return 1
	}
	if min(expectedWith, expectedWithout, restWith, restWithout) < leastCount {
		return c.exact(from, to)
	}
	return math.Erfc(math.Sqrt(excess * excess / variance / 2))
}

// exact is probability by the exact law: the sum over buckets of hypergeometric numbers,
// given how many requests of each bucket are slow and have the values. It adds up all
// outcomes that are no more probable than the one at hand.
func (c *counted) exact(from, to int) float64 {
	law, first, at := []float64{1}, 0, 0
	c.each(from, to, func(x one) {
		low, p := hypergeometric(int(x.with), int(x.all-x.with), int(x.slow))
		first += low
		at += int(x.slowWith)
		if len(p) == 1 {
			return
		}
		sum := make([]float64, len(law)+len(p)-1)
		for i, a := range law {
			for j, b := range p {
				sum[i+j] += float64(a * b)
			}
		}
		// What is negligible is cut off, so that the work stays in bounds.
		start, end := 0, len(sum)
		for start < end-1 && sum[start] < negligible {
			start++
		}
		for end > start+1 && sum[end-1] < negligible {
			end--
		}
		law, first = sum[start:end], first+start
	})
	at -= first
	if at < 0 || at >= len(law) {
		return negligible
	}
	limit, p := law[at]*(1+1e-9), 0.0
	for _, w := range law {
		if w <= limit {
			p += w
		}
	}
	return min(1, p)
}

// negligible is a probability that changes no decision.
const negligible = 1e-20

// hypergeometric returns the law of how many of the drawn have the property, if with have
// it and without do not: p[i] is the probability of low+i. Its tails are cut.
func hypergeometric(with, without, drawn int) (low int, p []float64) {
	least, most := max(0, drawn-without), min(drawn, with)
	mode := int(float64(drawn+1) * float64(with+1) / float64(with+without+2))
	mode = min(max(mode, least), most)
	up := func(x int) float64 { // P(x+1) / P(x)
		return float64(with-x) / float64(x+1) * (float64(drawn-x) / float64(without-drawn+x+1))
	}
	low = mode
	var below []float64
	for w := 1.0; low > least; low-- {
		if w /= up(low - 1); w < negligible {
			break
		}
		below = append(below, w)
	}
	total := 1.0
	for i := len(below) - 1; i >= 0; i-- {
		p = append(p, below[i])
		total += below[i]
	}
	p = append(p, 1)
	for x, w := mode, 1.0; x < most; x++ {
		if w *= up(x); w < negligible {
			break
		}
		p = append(p, w)
		total += w
	}
	for i := range p {
		p[i] /= total
	}
	return low, p
}

// mostGeneral is up to how many values the general test is made: its work grows with the
// square of their number.
const mostGeneral = 64

// test tests the attribute among requests of the same time, all values at once.
func (c *counted) test() (p float64, method string) {
	if p, ok := c.general(); ok {
		return p, MethodGeneral
	}
	least := 1.0
	for v := range c.width {
		least = min(least, c.probability(v, v+1))
	}
	return min(1, least*float64(c.width)), MethodValues
}

// general is the Mantel-Haenszel test of general association (Landis, Heyman and Koch
// 1978): the excess of slow requests of all values, summed over buckets, against its
// covariance by chance. It is false where its law is not to be trusted: a value is expected
// fewer than 5 times in either group. Values that are met only where nothing is compared do
// not count.
func (c *counted) general() (p float64, ok bool) {
	n := c.width
	if n > mostGeneral {
		return 1, false
	}
	excess, expected, expectedRest := make([]float64, n), make([]float64, n), make([]float64, n)
	cov := make([]float64, n*n)
	var present []int
	for i, k := range c.st.both {
		slow, all := float64(c.st.slow[k]), float64(c.st.slow[k]+c.st.rest[k])
		row := c.all[i*n : (i+1)*n]
		present = present[:0]
		for v, m := range row {
			if m == 0 {
				continue
			}
			present = append(present, v)
			e := slow * float64(m) / all
			excess[v] += float64(c.slow[i*n+v]) - e
			expected[v] += e
			expectedRest[v] += float64(m) - e
		}
		f := slow * (all - slow) / (all * all * (all - 1))
		for _, v := range present {
			m := f * float64(row[v])
			cov[v*n+v] += float64(m * all)
			for _, w := range present {
				cov[v*n+w] -= float64(m * float64(row[w]))
			}
		}
	}
	for v := range n {
		if expected[v] > 0 && min(expected[v], expectedRest[v]) < leastCount {
			return 1, false
		}
	}
	q, df := quadratic(cov, excess)
	if df == 0 {
		return 1, true
	}
	return min(1, mathext.GammaIncRegComp(float64(df)/2, q/2)), true
}

// quadratic returns x' C^- x for a covariance C, with C^- an inverse on what C spans, and
// the dimension of that. C is destroyed. It eliminates the largest remaining variance first.
func quadratic(c, x []float64) (q float64, rank int) {
	n := len(x)
	const vanished = 1e-9 // of a variance, once what others explain of it is taken away
	limit := make([]float64, n)
	for v := range n {
		limit[v] = vanished * c[v*n+v]
	}
	done := make([]bool, n)
	for {
		pivot := -1
		for v := range n {
			if !done[v] && c[v*n+v] > limit[v] && (pivot < 0 || c[v*n+v] > c[pivot*n+pivot]) {
				pivot = v
			}
		}
		if pivot < 0 {
			return q, rank
		}
		done[pivot] = true
		rank++
		d := c[pivot*n+pivot]
		q += float64(x[pivot] * x[pivot] / d)
		for v := range n {
			if done[v] {
				continue
			}
			f := c[v*n+pivot] / d
			x[v] -= float64(f * x[pivot])
			for w := range n {
				if !done[w] {
					c[v*n+w] -= float64(f * c[pivot*n+w])
				}
			}
		}
	}
}
