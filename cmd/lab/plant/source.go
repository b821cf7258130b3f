package plant

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

const (
	ms     = int64(1_000_000) // ns
	second = 1000 * ms
)

// quantumNS is the grain of drawn times in ns. Exponentials and logarithms may differ in
// their last bit between processors; at this grain the difference practically never
// reaches a capture.
const quantumNS = 64

// source is one stream of random numbers.
type source struct{ *rand.Rand }

// sourceOf returns the stream of one purpose of a kind. Streams of different names are
// independent.
func sourceOf(seed uint64, kind, name string) source {
	h := fnv.New64a()
	h.Write([]byte(kind))
	h.Write([]byte{'/'})
	h.Write([]byte(name))
	return source{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// quantise rounds a time in ns to the grain; a negative one becomes 0.
func quantise(ns float64) int64 {
	if ns <= 0 {
		return 0
	}
	return int64(math.Round(ns/quantumNS)) * quantumNS
}

// exponential draws a time in ns with the given mean.
func (r source) exponential(mean int64) int64 { return quantise(r.ExpFloat64() * float64(mean)) }

// lognormal draws a time in ns with the given median; sigma is the standard deviation of
// its logarithm.
func (r source) lognormal(median int64, sigma float64) int64 {
	return quantise(float64(median) * math.Exp(sigma*r.NormFloat64()))
}

// tokens draws a lognormal number of tokens, at least one.
func (r source) tokens(median, sigma float64) int64 {
	return max(1, int64(math.Round(median*math.Exp(sigma*r.NormFloat64()))))
}

// uniform draws a time in ns between two.
func (r source) uniform(from, to int64) int64 {
	return from + quantise(r.Float64()*float64(to-from))
}

// chance is true with probability p.
func (r source) chance(p float64) bool { return r.Float64() < p }
