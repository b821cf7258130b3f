package simulate

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// quantumNS is the grain of drawn durations in ns. Exponentials and logarithms
// may differ in their last bit between processors; at this grain the difference
// practically never reaches the output.
const quantumNS = 64

// stream returns the random stream of one purpose. Streams of different names
// are independent, so drawing more from one leaves the others as they were.
func stream(seed uint64, scenario, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(scenario))
	h.Write([]byte{'/'})
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// quantise rounds a duration in ns to the grain; a negative one becomes 0.
func quantise(ns float64) int64 {
	if ns <= 0 {
		return 0
	}
	return int64(math.Round(ns/quantumNS)) * quantumNS
}

// exponential draws a gap in ns of a Poisson process of the given rate.
func exponential(r *rand.Rand, perSecond float64) int64 {
	return quantise(r.ExpFloat64() * (float64(s) / perSecond))
}

// lognormal draws a duration in ns with the given median; sigma is the standard
// deviation of its logarithm.
func lognormal(r *rand.Rand, medianNS int64, sigma float64) int64 {
	return quantise(float64(medianNS) * math.Exp(sigma*r.NormFloat64()))
}

// Tokens is a bounded lognormal number of tokens. Sigma is the standard
// deviation of the logarithm; a draw outside Min..Max becomes the bound.
type Tokens struct {
	Median   int
	Sigma    float64
	Min, Max int
}

func (t Tokens) draw(r *rand.Rand) int {
	n := int(math.Round(float64(t.Median) * math.Exp(t.Sigma*r.NormFloat64())))
	return min(max(n, t.Min), t.Max)
}

// pick draws an index with probability proportional to its share. Shares need
// not add up to one.
func pick(r *rand.Rand, n int, share func(i int) float64) int {
	total := 0.0
	for i := range n {
		total += share(i)
	}
	x := float64(r.Float64() * total) // the conversion forbids a fused operation
	for i := range n {
		x -= share(i)
		if x < 0 {
			return i
		}
	}
	return n - 1
}
