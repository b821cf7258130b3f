package plant

import (
	"math"

	"github.com/tailpath/tailpath/critical/stage"
)

// line is some servers that take requests one at a time each, in order of arrival, as
// Lindley and, for several servers, Kiefer and Wolfowitz describe it.
type line struct {
	free     []int64 // when each server is free, ns
	incident int32
}

// take lets a request in at its start: it waits for the server that is free first, and
// holds it for its gpu time. Requests that follow each other while no server idles are one
// incident.
func (l *line) take(q *Request) {
	k := 0
	for i, at := range l.free {
		if at < l.free[k] {
			k = i
		}
	}
	wait := max(0, l.free[k]-q.StartNS)
	if wait == 0 {
		l.incident++
	} else {
		q.Incident = l.incident
	}
	q.StagesNS[stage.Queue] += wait
	l.free[k] = q.StartNS + wait + q.StagesNS[stage.GPU]
}

// short draws a request that needs about 0.6 s of a server: an answer of 45 tokens at the
// median.
func short(r source, spread float64) Request {
	q := usual(r, 0)
	q.Tokens, q.StagesNS[stage.GPU] = 0, q.PrefillNS
	q.answer(r.tokens(45, spread))
	return q
}

// shortMeanNS is the mean time that such a request needs of a server, in ns.
func shortMeanNS(spread float64) float64 {
	prompt := 400 * math.Exp(0.3*0.3/2)
	answer := 45 * math.Exp(spread*spread/2)
	return prompt*float64(perPromptTokenNS) + answer*float64(perTokenNS)
}

// load is how much of what the servers can do is asked of them.
type load struct {
	mean float64 // over time
	// start begins a capture of n requests. What it returns is asked once a request, with the
	// number of requests before it, for the load at that moment and for the number of the
	// burst that it is part of, 0 for none.
	start func(r source, n int) func(i int) (at float64, burst int32)
	// inBursts says that there are bursts.
	inBursts bool
}

// queued makes a model of requests that queue for servers.
type queued struct {
	servers int
	warm    int     // requests before the capture
	spread  float64 // of the answers' length
	load    load
	// also troubles requests beside the queue.
	also func(r source, q *Request)
}

// draw draws a capture.
func (m queued) draw(r source, n int, see func(*Request)) {
	l := line{free: make([]int64, m.servers)}
	now := m.load.start(r, m.warm+n)
	gap := shortMeanNS(m.spread) / float64(m.servers)
	at, began := int64(0), int64(0)
	for i := range m.warm + n {
		load, burst := now(i)
		at += r.exponential(int64(gap / load))
		q := short(r, m.spread)
		q.Event = burst
		q.StartNS = at
		l.take(&q)
		if m.also != nil {
			m.also(r, &q)
		}
		if i < m.warm {
			began = at
			continue
		}
		q.StartNS -= began
		see(&q)
	}
}

// kind completes a kind with this model.
func (m queued) kind(k Kind) Kind {
	k.Correlated, k.Servers, k.Busy, k.Eventful = true, m.servers, m.load.mean, m.load.inBursts
	k.PerSecond = m.load.mean * float64(m.servers) * float64(second) / shortMeanNS(m.spread)
	k.draw = m.draw
	return k
}

// steady is the same load at all times.
func steady(at float64) load {
	return load{at, func(source, int) func(int) (float64, int32) { return func(int) (float64, int32) { return at, 0 } }, false}
}

// bursts is a load of low, and of high in bursts. The time between bursts is that of a
// random number of requests with the mean lowFor; a burst is highFor requests, give or take
// a half.
func bursts(low, high, lowFor, highFor float64) load {
	mean := (lowFor + highFor) / (lowFor/low + highFor/high)
	return load{mean, func(r source, _ int) func(int) (float64, int32) {
		at, left := low, r.ExpFloat64()*lowFor
		burst, begun := int32(0), int32(0)
		return func(int) (float64, int32) {
			for left <= 0 {
				if burst == 0 {
					begun++
					at, left, burst = high, left+(0.5+r.Float64())*highFor, begun
				} else {
					at, left, burst = low, left+r.ExpFloat64()*lowFor, 0
				}
			}
			left--
			return at, burst
		}
	}, true}
}

// severity draws how far a burst is from the usual one: by up to a fifth.
func severity(r source) float64 { return 0.8 + 0.4*r.Float64() }

// overSeverity is the mean of 1/severity.
var overSeverity = math.Log(1.2/0.8) / 0.4

// once is a low load with one burst of about a fortieth of the requests, somewhere between
// 1/10 and 8/10 of the capture, of a severity of its own.
func once(low, high float64) load {
	return load{1 / (0.975/low + 0.025*overSeverity/high), func(r source, n int) func(int) (float64, int32) {
		from := int(float64(n) * (0.1 + 0.7*r.Float64()))
		to := from + int(float64(n)*(0.015+0.02*r.Float64()))
		peak := high * severity(r)
		return func(i int) (float64, int32) {
			if i >= from && i < to {
				return peak, 1
			}
			return low, 0
		}
	}, true}
}

// scattered is a low load with a burst of long requests in every so many, somewhere among
// them and of a severity of its own.
func scattered(low, high float64, every, long int) load {
	part := float64(long) / float64(every)
	return load{1 / ((1-part)/low + part*overSeverity/high), func(r source, _ int) func(int) (float64, int32) {
		from, peak := 0, 0.0
		return func(i int) (float64, int32) {
			if i%every == 0 {
				from = i + r.IntN(every-long)
				peak = high * severity(r)
			}
			if i >= from && i < from+long {
				return peak, int32(i/every) + 1
			}
			return low, 0
		}
	}, true}
}

// daily is a load that rises and falls as a sine once in period requests, from a random
// phase on. Its mean over time is the harmonic mean over the requests.
func daily(low, high float64, period int) load {
	return load{math.Sqrt(low * high), func(r source, _ int) func(int) (float64, int32) {
		phase := r.Float64()
		return func(i int) (float64, int32) {
			turn := phase + float64(i)/float64(period)
			return low + (high-low)*(1-math.Cos(2*math.Pi*turn))/2, 0
		}
	}, false}
}

// wires is a wire that is slow with probability p, for an exponential time with a mean in
// ns, whatever the queue does.
func wires(p float64, mean int64) func(r source, q *Request) {
	return func(r source, q *Request) {
		if r.chance(p) {
			q.StagesNS[stage.Network] += r.exponential(mean)
		}
	}
}

// episodes makes a model in which something is wrong for a time, again and again: from a
// random moment on, of an exponential gap in ns after the last.
type episodes struct {
	perSecond float64
	gap, long int64 // means in ns
	spread    float64
	// harm changes a request that starts in an episode; left is how long it still lasts, in ns.
	harm func(r source, q *Request, left int64)
}

// draw draws a capture, of which ten gaps went before.
func (m episodes) draw(r source, n int, see func(*Request)) {
	from := r.exponential(m.gap)
	to := from + m.length(r)
	incident := int32(1)
	at := 10 * m.gap
	began := at
	for range n {
		at += r.exponential(int64(float64(second) / m.perSecond))
		for at >= to {
			from = to + r.exponential(m.gap)
			to = from + m.length(r)
			incident++
		}
		q := usual(r, m.spread)
		q.StartNS = at - began
		if at >= from {
			q.Incident, q.Event = incident, incident
			m.harm(r, &q, to-at)
		}
		see(&q)
	}
}

// kind completes a kind with this model.
func (m episodes) kind(k Kind) Kind {
	k.Correlated, k.Eventful, k.PerSecond, k.draw = true, true, m.perSecond, m.draw
	return k
}

// length draws how long an episode lasts: half to one and a half times the mean.
func (m episodes) length(r source) int64 { return r.uniform(m.long/2, m.long*3/2) }

// restarting makes everybody wait until the engine is back, and then for those before.
func restarting(r source, q *Request, left int64) {
	q.StagesNS[stage.Queue] += left + r.uniform(0, 2*second)
}

// throttled makes the engine decode three times as slowly: nobody waits.
func throttled(_ source, q *Request, _ int64) {
	decode := q.StagesNS[stage.GPU] - q.PrefillNS
	q.StagesNS[stage.GPU] += 2 * decode
}

func correlatedKinds() []Kind {
	mixed := func(p float64, mean int64, spread float64, l load) queued {
		return queued{servers: 1, warm: 3000, spread: spread, load: l, also: wires(p, mean)}
	}
	incident := mixed(0.05, second, 0.5, once(0.3, 3))
	incident.warm = 0
	return []Kind{
		queued{servers: 1, warm: 300, spread: 0.6, load: steady(0.5)}.kind(Kind{Name: "one-server-50", About: "one queue at load 0.5", Sizes: []int{400, 4000, 30000}}),
		queued{servers: 1, warm: 500, spread: 0.6, load: steady(0.7)}.kind(Kind{Name: "one-server-70", About: "one queue at load 0.7", Sizes: []int{400, 4000, 30000}}),
		queued{servers: 1, warm: 2000, spread: 0.6, load: steady(0.85)}.kind(Kind{Name: "one-server-85", About: "one queue at load 0.85", Sizes: []int{400, 4000}}),
		queued{servers: 1, warm: 8000, spread: 0.6, load: steady(0.95)}.kind(Kind{Name: "one-server-95", About: "one queue at load 0.95", Sizes: []int{400, 4000}}),
		queued{servers: 8, warm: 4000, spread: 0.6, load: steady(0.9)}.kind(Kind{Name: "eight-servers", About: "one queue for eight servers at load 0.9", Sizes: []int{4000, 30000}}),
		mixed(0.1, 3*second, 0.5, bursts(0.3, 2, 285, 17)).kind(Kind{Name: "bursts-below", About: "bursts above capacity, and a slow wire: waits just below half", Sizes: []int{1000, 12000, 30000}}),
		mixed(0.1, 2500*ms, 0.5, bursts(0.3, 2, 280, 20)).kind(Kind{Name: "bursts-above", About: "bursts above capacity: waits most of all", Sizes: []int{1000, 12000, 30000}}),
		mixed(0.1, 2*second, 0.6, daily(0.4, 0.9, 2000)).kind(Kind{Name: "daily", About: "load that rises to 0.9 and falls again", Sizes: []int{1000, 8000}}),
		incident.kind(Kind{Name: "one-incident", About: "a single burst in a quiet time", Sizes: []int{400, 1000, 4000}, whole: true}),
		mixed(0.03, second, 0.3, scattered(0.3, 3, 100, 8)).kind(Kind{Name: "many-incidents", About: "a burst in every hundred requests", Sizes: []int{1800, 30000}}),
		episodes{perSecond: 1, gap: 600 * second, long: 12 * second, spread: 0.3, harm: restarting}.kind(Kind{Name: "restarts", About: "an engine that restarts, and all wait", Sizes: []int{1000, 4000, 12000, 30000}}),
		episodes{perSecond: 1, gap: 3000 * second, long: 60 * second, spread: 0.3, harm: throttled}.kind(Kind{Name: "throttled", About: "an engine that is slow for minutes: nobody waits", Sizes: []int{4000}}),
	}
}
