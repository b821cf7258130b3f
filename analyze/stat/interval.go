package stat

import "math"

// Ranks is an interval of order statistics: the quantile lies between the values at
// rank Low and rank High with probability Coverage or more, whatever the law of the
// values, provided that they are independent.
type Ranks struct {
	Low, High int64 // 1-based; Low 0 means no lower bound, High n+1 no upper bound
	Coverage  float64
}

// OrderInterval returns the exact equal-tailed interval of the quantile p from n
// values. With B the number of values below the quantile, binomial in n and p, Low
// is the largest l with P(B <= l-1) <= (1-confidence)/2 and High the smallest u with
// P(B <= u-1) >= 1-(1-confidence)/2.
func OrderInterval(n int64, p Prob, confidence float64) Ranks {
	alpha := (1 - confidence) / 2
	b := newBinomial(n, p.Float())
	r := Ranks{Low: b.first, High: b.first + int64(len(b.weight))}
	// The lower tail is summed from below and the upper tail from above, so that no
	// small probability is lost against 1.
	var below, above float64
	for _, w := range b.weight {
		if below += w; below > alpha {
			break
		}
		r.Low++
	}
	for i := len(b.weight) - 1; i >= 0; i-- {
		if above += b.weight[i]; above > alpha {
			break
		}
		r.High--
	}
	r.Coverage = b.atMost(r.High-1) - b.atMost(r.Low-1)
	return r
}

// Bounds is an interval of a proportion.
type Bounds struct{ Low, High float64 }

// ClopperPearson returns the exact equal-tailed interval of a proportion from k
// successes in n trials: every p for which neither k or more nor k or fewer
// successes have a probability below (1-confidence)/2.
func ClopperPearson(k, n int64, confidence float64) Bounds {
	alpha := (1 - confidence) / 2
	return Bounds{ClopperPearsonLower(k, n, 1-alpha), ClopperPearsonUpper(k, n, 1-alpha)}
}

// ClopperPearsonLower returns the one-sided lower bound: the least p for which k or
// more successes in n have a probability of at least 1-confidence.
func ClopperPearsonLower(k, n int64, confidence float64) float64 {
	if k <= 0 || n <= 0 {
		return 0
	}
	var b binomial
	return bisect(func(p float64) bool {
		b.set(n, p)
		return b.atLeast(k) >= 1-confidence
	})
}

// ClopperPearsonUpper returns the one-sided upper bound: the greatest p for which k
// or fewer successes in n have a probability of at least 1-confidence.
func ClopperPearsonUpper(k, n int64, confidence float64) float64 {
	if k >= n {
		return 1
	}
	var b binomial
	return bisect(func(p float64) bool {
		b.set(n, p)
		return b.atMost(k) < 1-confidence
	})
}

// Unseen returns the upper bound of the proportion of what n trials never saw: that of
// [ClopperPearson] for no success, for an n that need not be whole. It is 1 without trials,
// and about 3.7/n for many at a confidence of 0.95.
func Unseen(n, confidence float64) float64 {
	if !(n > 0) {
		return 1
	}
	return -math.Expm1(math.Log((1-confidence)/2) / n)
}

// bisect returns the least p in [0, 1] at which the monotonous condition holds, to
// 2^-50.
func bisect(holds func(p float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 50 {
		mid := (low + high) / 2
		if holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return (low + high) / 2
}

// Wilson returns the score interval of a proportion from k successes in n trials.
// It is narrower than ClopperPearson and holds its confidence on average only.
func Wilson(k, n int64, confidence float64) Bounds {
	if n <= 0 {
		return Bounds{0, 1}
	}
	z := math.Sqrt2 * math.Erfinv(confidence)
	size, p := float64(n), float64(k)/float64(n)
	z2 := z * z / size
	spread := z * math.Sqrt(float64(p*(1-p)/size)+float64(z2/size/4))
	center := p + z2/2
	return Bounds{max(0, (center-spread)/(1+z2)), min(1, (center+spread)/(1+z2))}
}
