package cohort

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// z is how many standard deviations on either side of the mean hold a normal value with
// the confidence of every interval.
var z = math.Sqrt2 * math.Erfinv(stat.Confidence)

// Newcombe returns the difference of two proportions, k1/n1 - k2/n2, with bounds that join
// the Wilson bounds of both (Newcombe 1998, method 10). Unlike the usual ones they stay
// between -1 and 1 and hold their confidence when a proportion is near 0 or 1.
func Newcombe(k1, n1, k2, n2 int64) stat.Estimate {
	e := stat.Estimate{N: n1 + n2, Method: MethodNewcombe}
	if n1 <= 0 || n2 <= 0 {
		e.Warnings = []stat.Warning{{ID: stat.TooFew, Text: fmt.Sprintf("%d and %d requests: there is nothing to compare", n1, n2)}}
		return e
	}
	p1, p2 := float64(k1)/float64(n1), float64(k2)/float64(n2)
	w1, w2 := stat.Wilson(k1, n1, stat.Confidence), stat.Wilson(k2, n2, stat.Confidence)
	e.Value, e.HasBounds = p1-p2, true
	e.Bounds = stat.Bounds{
		Low:  max(-1, e.Value-math.Hypot(p1-w1.Low, w2.High-p2)),
		High: min(1, e.Value+math.Hypot(w1.High-p1, p2-w2.Low)),
	}
	return e
}

// crude compares requests whenever they ran.
func crude(slow, rest, nSlow, nRest int64) Contrast {
	c := Contrast{
		Slow: slow, Rest: rest, SlowShare: share(slow, nSlow), RestShare: share(rest, nRest),
		Difference:   Newcombe(slow, nSlow, rest, nRest),
		RelativeRisk: stat.RelativeRisk(slow, rest, nSlow-slow, nRest-rest),
		Fraction:     stat.AttributableFraction(slow, rest, nSlow-slow, nRest-rest),
	}
	c.Lift = lift(c.SlowShare, c.RestShare)
	c.P, _ = tableP([][]int64{{slow, nSlow - slow}, {rest, nRest - rest}})
	return c
}

func share(k, n int64) float64 {
	if n == 0 {
		return 0
	}
	return float64(k) / float64(n)
}

// lift is the ratio of two shares; 1 when both are 0.
func lift(slow, rest float64) float64 {
	switch {
	case rest > 0:
		return slow / rest
	case slow > 0:
		return math.Inf(1)
	}
	return 1
}

// tableP tests two rows of counts regardless of time: the G-test, or where a cell expects
// fewer than 5, Fisher's exact test of each value against all others, times their number.
func tableP(t [][]int64) (p float64, method string) {
	g := stat.GTest(t)
	few := false
	for _, w := range g.Warnings {
		few = few || w.ID == stat.SmallExpected
	}
	if !few {
		return g.P, MethodG
	}
	if len(t[0]) == 2 {
		return stat.FisherTwoSided(t[0][0], t[0][1], t[1][0], t[1][1]).P, MethodExact
	}
	var n [2]int64
	for r := range n {
		for _, k := range t[r] {
			n[r] += k
		}
	}
	least := 1.0
	for v := range t[0] {
		least = min(least, stat.FisherTwoSided(t[0][v], n[0]-t[0][v], t[1][v], n[1]-t[1][v]).P)
	}
	return min(1, least*float64(len(t[0]))), MethodExact
}

// adjusted compares requests of the same time: the values from and up to below to, taken
// as one. slow is the number of all slow requests with one of them, of nSlow.
func (c *counted) adjusted(from, to int, slow, nSlow int64) Contrast {
	var out Contrast
	var d differenceSums
	var r riskSums
	c.each(from, to, func(x one) {
		out.Slow += int64(x.slowWith)
		out.Rest += int64(x.with - x.slowWith)
		d.add(x)
		r.add(x)
	})
	out.SlowShare, out.RestShare = d.shares()
	out.Lift = lift(out.SlowShare, out.RestShare)
	out.Difference = d.estimate(c.st.SlowCompared + c.st.RestCompared)
	out.RelativeRisk = r.estimate(c.st.SlowCompared + c.st.RestCompared)
	out.Fraction = r.fraction(slow, nSlow, c.st.SlowCompared+c.st.RestCompared)
	out.P = c.probability(from, to)
	return out
}

// differenceSums are the sums of the Mantel-Haenszel difference of proportions: that of slow
// requests with a value less that of the rest, every bucket weighted by slow*rest/all.
type differenceSums struct{ weight, slow, rest, p, q float64 }

func (d *differenceSums) add(x one) {
	rest, restWith := x.all-x.slow, x.with-x.slowWith
	d.weight += x.slow * rest / x.all
	d.slow += x.slowWith * rest / x.all
	d.rest += restWith * x.slow / x.all
	// The terms of Sato's variance (Biometrics 45, 1989), which holds both for few large
	// buckets and for many small ones.
	d.p += (float64(x.slow*x.slow*restWith) - float64(rest*rest*x.slowWith) + float64(x.slow*rest*(rest-x.slow)/2)) / (x.all * x.all)
	d.q += (float64(x.slowWith*(rest-restWith)) + float64(restWith*(x.slow-x.slowWith))) / (2 * x.all)
}

func (d *differenceSums) shares() (slow, rest float64) {
	if d.weight == 0 {
		return 0, 0
	}
	return d.slow / d.weight, d.rest / d.weight
}

func (d *differenceSums) estimate(n int64) stat.Estimate {
	e := stat.Estimate{N: n, Method: MethodMHDifference}
	if d.weight == 0 {
		e.Warnings = nothingOfTheSameTime
		return e
	}
	slow, rest := d.shares()
	e.Value, e.HasBounds = slow-rest, true
	spread := z * math.Sqrt(max(0, float64(e.Value*d.p)+d.q)) / d.weight
	e.Bounds = stat.Bounds{Low: max(-1, e.Value-spread), High: min(1, e.Value+spread)}
	return e
}

var nothingOfTheSameTime = []stat.Warning{{ID: WarnNoOverlap, Text: "no slow request has another of the same time to compare with"}}

// riskSums are the sums of the Mantel-Haenszel ratio of the rates at which requests with
// and without a value are slow.
type riskSums struct {
	with, without, p    float64
	slowWith, allWith   float64 // over all buckets, for the covariance
	slowOther, allOther float64
}

func (r *riskSums) add(x one) {
	other, slowOther := x.all-x.with, x.slow-x.slowWith
	r.with += x.slowWith * other / x.all
	r.without += slowOther * x.with / x.all
	// The term of the variance of the logarithm (Greenland and Robins 1985).
	r.p += (float64(x.with*other*x.slow) - float64(x.slowWith*slowOther*x.all)) / (x.all * x.all)
	r.slowWith += x.slowWith
	r.allWith += x.with
	r.slowOther += slowOther
	r.allOther += other
}

// log returns the variance of the logarithm of the ratio; false when the ratio is 0 or
// infinite.
func (r *riskSums) log() (variance float64, ok bool) {
	if r.with <= 0 || r.without <= 0 {
		return 0, false
	}
	return max(0, r.p/(r.with*r.without)), true
}

func (r *riskSums) estimate(n int64) stat.Estimate {
	e := stat.Estimate{Value: 1, N: n, Method: MethodMHRisk}
	variance, ok := r.log()
	switch {
	case r.with == 0 && r.without == 0:
		e.Warnings = nothingOfTheSameTime
	case r.without == 0:
		e.Value = math.Inf(1)
		e.Warnings = []stat.Warning{{ID: stat.ZeroCell, Text: "none of the others of the same time is slow"}}
	case !ok:
		e.Value = 0
		e.Warnings = []stat.Warning{{ID: stat.ZeroCell, Text: "no slow request with the value has another of the same time without it"}}
	default:
		e.Value = r.with / r.without
		spread := math.Exp(z * math.Sqrt(variance))
		e.HasBounds, e.Bounds = true, stat.Bounds{Low: e.Value / spread, High: e.Value * spread}
	}
	return e
}

// fraction is p*(RR-1)/RR with p the share of all slow requests that have the value and RR
// the ratio over buckets. The bounds rest on the normal law of ln(1 - fraction), by the delta
// method with the covariance of p and RR taken from all buckets together: with one bucket
// they are those of stat.AttributableFraction.
func (r *riskSums) fraction(slow, nSlow, n int64) stat.Estimate {
	e := stat.Estimate{N: n, Method: MethodMHFraction}
	variance, ok := r.log()
	p := share(slow, nSlow)
	if !ok {
		if r.without == 0 && r.with > 0 {
			e.Value = p
		}
		e.Warnings = r.estimate(n).Warnings
		return e
	}
	ratio := r.with / r.without
	e.Value = p * (1 - 1/ratio)
	if slow == nSlow && r.slowOther == 0 || ratio == 1 || slow == 0 {
		e.Warnings = []stat.Warning{{ID: stat.ZeroCell, Text: "the fraction has no bounds: there is nothing it could be larger or smaller than"}}
		return e
	}
	total := r.slowWith + r.slowOther
	covariance := 1/r.slowWith - 1/r.allWith + r.slowWith/(total*r.allWith) - r.slowOther/(total*r.allOther)
	relative := variance/((ratio-1)*(ratio-1)) + 2*covariance/(ratio-1) + float64(nSlow-slow)/(float64(slow)*float64(nSlow))
	odds := e.Value / (1 - e.Value)
	spread := math.Exp(z * math.Abs(odds) * math.Sqrt(max(0, relative)))
	e.HasBounds, e.Bounds = true, stat.Bounds{Low: 1 - float64((1-e.Value)*spread), High: 1 - (1-e.Value)/spread}
	return e
}
