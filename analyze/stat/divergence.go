package stat

import "math"

// JensenShannon returns how far two laws over the same values are apart, in bits: 0 if they
// are equal, 1 if they share no value. It is symmetric and finite, whatever is 0. With m
// the mean of both laws it is the mean of KL(p||m) and KL(q||m).
//
// p and q are counts or weights by value; each is scaled to add up to 1, the shorter ends
// in zeros, and weights that are not positive count as 0. It returns 0 if either has no
// weight at all: there is nothing to compare. (gonum's stat.JensenShannon is in nats, wants
// both scaled, and panics if lengths differ.)
func JensenShannon(p, q []float64) float64 {
	weightP, weightQ := weight(p), weight(q)
	if weightP == 0 || weightQ == 0 {
		return 0
	}
	var sum float64
	for i := range max(len(p), len(q)) {
		a, b := at(p, i)/weightP, at(q, i)/weightQ
		middle := a/2 + b/2
		sum += float64(surprise(a, middle)/2) + float64(surprise(b, middle)/2)
	}
	return min(1, max(0, sum/math.Ln2))
}

// KullbackLeibler returns KL(p||q), the sum of p * ln(p/q), in nats. It is 0 if the laws are
// equal and +Inf if p has a value that q has not. Weights are taken as in JensenShannon.
func KullbackLeibler(p, q []float64) float64 {
	weightP, weightQ := weight(p), weight(q)
	if weightP == 0 || weightQ == 0 {
		return 0
	}
	var sum float64
	for i := range p {
		sum += surprise(at(p, i)/weightP, at(q, i)/weightQ)
	}
	return max(0, sum)
}

// surprise returns a * ln(a/b) in nats, 0 for a = 0.
func surprise(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return float64(a * math.Log(a/b))
}

// at returns the weight of a value, 0 where there is none.
func at(weights []float64, i int) float64 {
	if i >= len(weights) || !(weights[i] > 0) {
		return 0
	}
	return weights[i]
}

// weight returns the sum of the weights.
func weight(weights []float64) (sum float64) {
	for i := range weights {
		sum += at(weights, i)
	}
	return sum
}
