package curve

import (
	"math"
	"math/rand/v2"
)

// station does work at a rate that depends on how many requests it works on, shared by them
// equally. Requests beyond its places wait in the order of arrival.
type station struct {
	name   string
	places int
	rate   func(n float64) float64 // requests a second, of n at work
	cv     float64                 // of the work of a request, which is lognormal
	knee   float64                 // where the line of few requests meets top, requests in flight
}

// The stations: a device for each request; batches, in which each request makes a step longer;
// and the law of universal scalability, with places beyond its maximum.
var stations = []station{
	{"16 devices", 16, func(n float64) float64 { return n / 2 }, .5, 16},
	{"batches", 64, func(n float64) float64 { return n / (2 + .08*n) }, .5, 2.08 * 64 / 7.12},
	{"scalability law", 64, func(n float64) float64 { return uslAt([3]float64{1, .05, .95 / (44 * 44)}, n) }, .5, 10.43},
}

// top is the rate that the station keeps up with all places taken, requests a second.
func (s station) top() float64 { return s.rate(float64(s.places)) }

// span is a request, s.
type span struct{ start, end float64 }

// day simulates requests that come as a Poisson process for so many seconds, at a rate between
// a tenth of the peak and the peak, which is in the middle.
func (s station) day(seed uint64, peak, seconds float64) []span {
	r := rand.New(rand.NewPCG(seed, 7))
	sigma := math.Sqrt(math.Log(1 + s.cv*s.cv))
	next := func(at float64) float64 {
		for {
			at += r.ExpFloat64() / peak
			if r.Float64() < .55-.45*math.Cos(2*math.Pi*at/seconds) {
				return at
			}
		}
	}
	var spans []span
	var atWork []work // heap by what is left
	waiting, done, now := 0, 0.0, 0.0
	for at := next(0); ; {
		n := float64(len(atWork))
		ends := math.Inf(1)
		if n > 0 {
			ends = now + (atWork[0].left-done)*n/s.rate(n)
		}
		arrives := at < seconds
		if !arrives && n == 0 {
			return spans
		}
		if arrives && at <= ends {
			if n > 0 {
				done += (at - now) * s.rate(n) / n
			}
			now = at
			spans = append(spans, span{start: now})
			at = next(at)
		} else {
			done, now = atWork[0].left, ends
			spans[atWork[0].of].end = now
			atWork = pop(atWork)
		}
		for len(atWork) < s.places && waiting < len(spans) {
			atWork = push(atWork, work{done + math.Exp(sigma*r.NormFloat64()-sigma*sigma/2), waiting})
			waiting++
		}
	}
}

type work struct {
	left float64 // the work that the station has done for each request when it ends
	of   int
}

func push(h []work, w work) []work {
	h = append(h, w)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].left <= h[i].left {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
	return h
}

func pop(h []work) []work {
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h) {
			return h
		}
		if c+1 < len(h) && h[c+1].left < h[c].left {
			c++
		}
		if h[i].left <= h[c].left {
			return h
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// windowsOf cuts the time of a day into windows, both in s.
func windowsOf(spans []span, seconds, length float64) []Window {
	n := int(seconds / length)
	windows := make([]Window, n)
	total := make([]float64, n)
	for i := range windows {
		windows[i] = Window{FromNS: int64(float64(i) * length * 1e9), ToNS: int64(float64(i+1) * length * 1e9), Edge: i == 0 || i == n-1}
	}
	for _, s := range spans {
		first, last := int(s.start/length), int(s.end/length)
		for i := first; i <= last && i < n; i++ {
			from, to := max(s.start, float64(i)*length), min(s.end, float64(i+1)*length)
			windows[i].InFlight += (to - from) / length
			if i > first {
				windows[i].InFlightAtStart++
			}
		}
		if first < n {
			windows[first].Arrivals += 1 / length
			windows[first].N++
			total[first] += s.end - s.start
		}
		if last < n {
			windows[last].Completions += 1 / length
		}
	}
	for i := range windows {
		w := &windows[i]
		w.Throughput = w.Completions
		if w.N > 0 {
			w.MeanNS = int64(total[i] / float64(w.N) * 1e9)
		}
	}
	return windows
}
