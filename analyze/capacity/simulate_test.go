package capacity

import (
	"math"
	"math/rand/v2"

	"github.com/tailpath/tailpath/analyze/stat"
)

// second is in ns.
const second = 1e9

// system is servers with one queue that is served in the order of arrival, and an
// objective: the share of target of the requests must take less than limit.
type system struct {
	name    string
	servers int
	service func(r *rand.Rand) float64 // s
	limit   float64                    // s
	target  stat.Prob
	// capacity is the constant rate at which the attainment is the target, requests a second.
	// [BenchmarkTruth] finds it.
	capacity float64
}

var (
	sixteen = system{"16 servers, lognormal service", 16, lognormal(.2, .5), .6, stat.P99, 69.78}
	eight   = system{"8 servers, exponential service", 8, exponential(.2), .8, stat.P95, 34.22}
	four    = system{"4 servers, nearly equal service", 4, lognormal(.1, .2), .4, stat.P95, 35.31}
	// thirtyTwo is at its limit when its servers are busy nearly all of the time, so a tenth
	// more is more than it can ever serve.
	thirtyTwo = system{"32 servers, long-tailed service", 32, lognormal(.4, 1), 2, stat.Prob{Num: 98, Den: 100}, 76.75}
)

// lognormal is the law with a mean and a coefficient of variation.
func lognormal(mean, cv float64) func(r *rand.Rand) float64 {
	v := math.Log(1 + cv*cv)
	mu, sigma := math.Log(mean)-v/2, math.Sqrt(v)
	return func(r *rand.Rand) float64 { return math.Exp(mu + sigma*r.NormFloat64()) }
}

func exponential(mean float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() }
}

// pool is when each server is free next, as a heap.
type pool []float64

// serve takes a request that came at a time and returns when it is done.
func (p pool) serve(at, service float64) float64 {
	done := max(at, p[0]) + service
	i := 0
	for {
		c := 2*i + 1
		if c >= len(p) {
			break
		}
		if c+1 < len(p) && p[c+1] < p[c] {
			c++
		}
		if p[c] >= done {
			break
		}
		p[i] = p[c]
		i = c
	}
	p[i] = done
	return done
}

// load is the rate of arrivals over a day, as a share of the peak, at a share of the day.
type load func(share float64) float64

func constant(float64) float64 { return 1 }

// onePeak runs between a tenth of the peak and the peak.
func onePeak(t float64) float64 { return 0.55 - 0.45*math.Cos(2*math.Pi*t) }

// twoPeaks has a peak in the morning and a lower one in the evening.
func twoPeaks(t float64) float64 {
	bump := func(at, width float64) float64 { return math.Exp(-(t - at) * (t - at) / (2 * width * width)) }
	return 0.15 + 0.85*min(1, bump(.4, .07)+.9*bump(.75, .09))
}

// day simulates requests that come as a Poisson process, for so many seconds. The rate
// changes every ten seconds.
func (s system) day(seed uint64, peak, seconds float64, l load, each func(start, end float64)) {
	const step = 10
	r := rand.New(rand.NewPCG(seed, 11))
	p := make(pool, s.servers)
	share, until := 0.0, 0.0
	for at := r.ExpFloat64() / peak; at < seconds; at += r.ExpFloat64() / peak {
		for at >= until {
			share = l((until + step/2) / seconds)
			until += step
		}
		if share < 1 && r.Float64() >= share {
			continue
		}
		each(at, p.serve(at, s.service(r)))
	}
}

// requests appends the requests of a day at a share of the capacity to out[:0].
func (s system) requests(seed uint64, level, hours float64, l load, out []Request) []Request {
	out = out[:0]
	s.day(seed, level*s.capacity, hours*3600, l, func(start, end float64) {
		out = append(out, Request{StartNS: int64(start * second), EndNS: int64(end * second), Good: end-start < s.limit, Eligible: true, Tokens: 100})
	})
	return out
}

// attainment is the share of good requests at a constant rate.
func (s system) attainment(seed uint64, rate, seconds float64) float64 {
	var good, all float64
	s.day(seed, rate, seconds, constant, func(start, end float64) {
		if start > 100 {
			if all++; end-start < s.limit {
				good++
			}
		}
	})
	return good / all
}

// truth finds the rate at which the attainment is the target, by bisection within 2 % of
// what it is taken for, with the same seed at every rate.
func (s system) truth(seed uint64, seconds float64) float64 {
	low, high := .98*s.capacity, 1.02*s.capacity
	for range 10 {
		mid := (low + high) / 2
		if s.attainment(seed, mid, seconds) >= s.target.Float() {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}
