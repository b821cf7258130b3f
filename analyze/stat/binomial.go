package stat

import (
	"math"
	"slices"
)

// binomial is the law of the number of successes in n trials with probability p.
// Probabilities are taken relative to the mode and then normalised, so neither
// factorials nor logarithms are needed and the error stays near 1e-12 for any n.
type binomial struct {
	n int64
	p float64
	// weight[i] is the probability of first+i successes; outside, it is below
	// negligible times that of the mode.
	first  int64
	weight []float64
	below  []float64 // scratch: the weights below the mode, from there downwards
}

// negligible is the ratio to the mode's probability at which the tails are cut. The
// part cut off is far below the error of the sums.
const negligible = 1e-30

func newBinomial(n int64, p float64) *binomial {
	b := new(binomial)
	b.set(n, p)
	return b
}

// set makes it the law of other trials, in the memory that it has: a search for a probability
// looks at fifty laws.
func (b *binomial) set(n int64, p float64) {
	b.n, b.p, b.first, b.weight = n, p, 0, b.weight[:0]
	switch {
	case p <= 0:
		b.weight = append(b.weight, 1)
		return
	case p >= 1:
		b.first, b.weight = n, append(b.weight, 1)
		return
	}
	mode := min(int64(math.Floor(float64(n+1)*p)), n)
	odds := p / (1 - p)
	below := b.below[:0] // from mode-1 downwards
	w := 1.0
	for k := mode; k > 0; k-- {
		w *= float64(k) / float64(n-k+1) / odds
		if w < negligible {
			break
		}
		below = append(below, w)
	}
	b.first, b.below = mode-int64(len(below)), below
	b.weight = slices.Grow(b.weight, 2*len(below)+1)
	for i := len(below) - 1; i >= 0; i-- {
		b.weight = append(b.weight, below[i])
	}
	b.weight = append(b.weight, 1)
	w = 1
	for k := mode; k < n; k++ {
		w *= float64(n-k) / float64(k+1) * odds
		if w < negligible {
			break
		}
		b.weight = append(b.weight, w)
	}
	// Summing from the small ends to the mode keeps the error of the total small.
	var total float64
	for i, j := 0, len(b.weight)-1; i <= j; {
		if b.weight[i] < b.weight[j] || i == j {
			total += b.weight[i]
			i++
			continue
		}
		total += b.weight[j]
		j--
	}
	for i := range b.weight {
		b.weight[i] /= total
	}
}

// atMost returns the probability of k successes or fewer.
func (b *binomial) atMost(k int64) float64 {
	var sum float64
	for i := int64(0); i < int64(len(b.weight)) && b.first+i <= k; i++ {
		sum += b.weight[i]
	}
	return min(sum, 1)
}

// atLeast returns the probability of k successes or more.
func (b *binomial) atLeast(k int64) float64 {
	var sum float64
	for i := int64(len(b.weight)) - 1; i >= 0 && b.first+i >= k; i-- {
		sum += b.weight[i]
	}
	return min(sum, 1)
}
