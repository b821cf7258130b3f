package plant

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// System is servers with one queue that is served in the order of arrival, and an
// objective: the share Target of the requests must take less than LimitNS.
type System struct {
	Name    string
	About   string
	Servers int
	LimitNS int64
	Target  stat.Prob
	// Capacity is the constant rate at which that share is the target, requests a second.
	// BenchmarkTruth in the tests finds it, by runs of a million seconds.
	Capacity float64

	service func(r *rand.Rand) float64 // s
}

// Systems lists the systems whose capacity is known.
func Systems() []System {
	return []System{
		{"lognormal-16", "16 servers, lognormal service", 16, 600 * ms, stat.P99, 69.78, lognormalService(.2, .5)},
		{"exponential-8", "8 servers, exponential service", 8, 800 * ms, stat.P95, 34.22, exponentialService(.2)},
		{"even-4", "4 servers, nearly equal service", 4, 400 * ms, stat.P95, 35.31, lognormalService(.1, .2)},
		// At its limit its servers are busy nearly all of the time, so a tenth more is more than
		// it can ever serve.
		{"long-tailed-32", "32 servers, long-tailed service", 32, 2 * second, stat.Prob{Num: 98, Den: 100}, 76.75, lognormalService(.4, 1)},
	}
}

// LookupSystem returns the system with the given name.
func LookupSystem(name string) (System, error) {
	for _, s := range Systems() {
		if s.Name == name {
			return s, nil
		}
	}
	return System{}, fmt.Errorf("no system of known capacity is called %q", name)
}

// lognormalService is the law with a mean, s, and a coefficient of variation.
func lognormalService(mean, cv float64) func(r *rand.Rand) float64 {
	v := math.Log(1 + cv*cv)
	mu, sigma := math.Log(mean)-v/2, math.Sqrt(v)
	return func(r *rand.Rand) float64 { return math.Exp(mu + sigma*r.NormFloat64()) }
}

func exponentialService(mean float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() }
}

// Load is the rate of arrivals over a day, as a share of its peak.
type Load struct {
	Name string
	at   func(share float64) float64 // at a share of the day
}

// The loads.
var (
	Constant = Load{"constant", func(float64) float64 { return 1 }}
	// OnePeak runs between a tenth of the peak and the peak.
	OnePeak = Load{"one peak", func(t float64) float64 { return 0.55 - 0.45*math.Cos(2*math.Pi*t) }}
	// TwoPeaks has a peak in the morning and a lower one in the evening.
	TwoPeaks = Load{"two peaks", func(t float64) float64 {
		bump := func(at, width float64) float64 { return math.Exp(-(t - at) * (t - at) / (2 * width * width)) }
		return 0.15 + 0.85*min(1, bump(.4, .07)+.9*bump(.75, .09))
	}}
)

// Day is the traffic of some hours, of which the same seed gives the same.
type Day struct {
	Seed  uint64
	Peak  float64 // the highest rate of arrivals, as a share of the system's capacity
	Hours float64
	Load  Load
}

const (
	rateStep = 10 // how long the rate of arrivals stays the same, s
	// Tokens of every request of a day. Its time does not depend on them.
	dayPrompt, dayAnswer = 400, 100
)

// Each simulates a day and shows its requests in the order of their arrival. They come as a
// Poisson process whose rate changes every ten seconds, wait in the queue until a server is
// free, and are then on its gpu. What see is given is overwritten afterwards.
func (s System) Each(d Day, see func(*Request)) {
	q := Request{PromptTokens: dayPrompt, Tokens: dayAnswer, Attempts: 1, Route: "chat"}
	s.run(d.Seed, d.Peak*s.Capacity, d.Hours*3600, d.Load, func(start, begin, end float64) {
		q.StartNS = quantise(start * float64(second))
		served := quantise(begin * float64(second))
		q.StagesNS[stage.Queue] = served - q.StartNS
		q.StagesNS[stage.GPU] = quantise(end*float64(second)) - served
		see(&q)
	})
}

// Expected is how many requests a day has on average.
func (s System) Expected(d Day) float64 {
	const steps = 360
	mean := 0.0
	for i := range steps {
		mean += d.Load.at((float64(i)+.5)/steps) / steps
	}
	return mean * d.Peak * s.Capacity * d.Hours * 3600
}

// Most is a number of requests that a day practically never exceeds.
func (s System) Most(d Day) int {
	n := s.Expected(d)
	return int(n + 6*math.Sqrt(n) + 1)
}

// Draw simulates a day as tables.
func (s System) Draw(d Day) *table.Set {
	w := newWriter(sourceOf(d.Seed, s.Name, "ids"))
	w.set.Requests.MakeRoom(s.Most(d))
	w.set.Segments.MakeRoom(2 * s.Most(d)) // in the queue and on a gpu
	s.Each(d, w.add)
	return w.set
}

// Good reports whether a request meets the objective.
func (s System) Good(q *Request) bool { return s.Meets(q.DurationNS()) }

// Meets reports whether a request that takes so many ns meets the objective.
func (s System) Meets(ns int64) bool { return ns < s.LimitNS }

// run simulates requests for so many seconds. peak is requests a second; each is given when
// a request came, when a server began it and when it ended, s.
func (s System) run(seed uint64, peak, seconds float64, l Load, each func(start, begin, end float64)) {
	r := rand.New(rand.NewPCG(seed, 11))
	p := make(pool, s.Servers)
	share, until := 0.0, 0.0
	for at := r.ExpFloat64() / peak; at < seconds; at += r.ExpFloat64() / peak {
		for at >= until {
			share = l.at((until + rateStep/2) / seconds)
			until += rateStep
		}
		if share < 1 && r.Float64() >= share {
			continue
		}
		begin := max(at, p[0])
		end := begin + s.service(r)
		p.busy(end)
		each(at, begin, end)
	}
}

// pool is when each server is free next, s, as a heap: the first is free before all others.
type pool []float64

// busy makes the first busy until a time.
func (p pool) busy(until float64) {
	i := 0
	for {
		c := 2*i + 1
		if c >= len(p) {
			break
		}
		if c+1 < len(p) && p[c+1] < p[c] {
			c++
		}
		if p[c] >= until {
			break
		}
		p[i] = p[c]
		i = c
	}
	p[i] = until
}
