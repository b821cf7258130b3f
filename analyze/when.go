package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// When says in which times requests waited: the incidents, and what is left beside them.
//
// An incident is a stretch of time in which a backlog built up and went again: in which more
// requests waited than in quiet, all the time. Quiet is the number that is not exceeded
// during a tenth of the window, plus a twentieth of the highest rise above it, but no more
// than the median over time. The onset is when the number rose above it, the peak the first
// instant with the most, the recovery when it was down again.
//
// A queue is never empty all the time, so a stretch must stand out to be one. Between onset
// and peak the backlog is arrivals less departures, and it is compared with three yardsticks.
// Each is what the N requests of a capture reach by chance about once in a hundred captures;
// a is the dispersion of arrivals, s that of departures, at least 1 each as if independent:
//
//   - The walk, whatever the load: if as many departed as came, the rise over n arrivals would
//     vary by sqrt(n (a + s)), and the highest of N/n stretches would reach z times that, with
//     z^2 = 2 ln(N / 0.01 n).
//   - The line, if the load is below the capacity: arrivals are a part r of the departures
//     while requests wait, by the upper bound of its interval, and one of E backlogs reaches a
//     rise of (a + s)/2 ln(E (1 - r) / 0.01) / ln(1/r).
//   - The surge: the arrivals of the rise beyond those due by the rate of the rest, by the
//     root of their deviance, against 1.3 z, since its ends were chosen for them.
//
// Silence, in which nothing was recorded, is no time in any of this: the dispersions, the rates
// and quiet are those of the rest. One capture an hour long of each day is a steady load of some
// hours, and not bursts in between of which nothing could stand out.
//
// A stretch that exceeds one of them, hit five requests or more and made them wait for long
// enough to be slow by the verdict's rule, on average, is an incident.
type When struct {
	// Known is false when nothing says when requests waited: Why says so in words.
	Known     bool
	Why       string
	Clock     uint8 // as in table.ClockNames
	From      int64 // window in ns: that of the Load
	To        int64
	Depth     Concurrency // requests that waited, over the time of the window
	Waits     int64       // queue segments
	Quiet     int64       // requests that wait in quiet, at most
	Incidents []Incident  // in order of time
	// Inside is the part of all waiting that fell into incidents, in request-ns, of Total.
	Inside, Total stat.Sum
}

// Incident is a time in which a backlog built up and went again.
type Incident struct {
	Onset, Peak, Recovery int64 // ns on the clock of When
	// Begun says that it was under way when the window began, and Recovered that it ended in
	// the window: else Onset or Recovery is where the window ends.
	Begun     bool
	Recovered bool
	Depth     int64 // most that waited at once
	Hit       int64 // requests that began to wait in it
	Slow      int64 // of them, among the slow requests
	Waited    stat.Sum
	LongestNS int64 // of a wait that began in it
	// Before is as long as the incident, as far as the window or the incident before leave
	// room; Rise is from onset to peak, During all of it.
	Before, Rise, During Traffic
	Arrivals             stat.Estimate // rate in the rise over the rate before
	// Beyond is by how many times it exceeds what chance would reach once in a hundred
	// captures: 1 or more.
	Beyond float64
}

// MeanWaitNS returns the mean wait of the requests that were hit, in ns.
func (i Incident) MeanWaitNS() int64 { return i.Waited.MeanRounded(i.Hit) }

// chanceAlpha is how many false alarms there may be in a capture.
const chanceAlpha = 0.01

// leastHit is how many requests an incident hits at least.
const leastHit = 5

// quietTime is the part of the window in which it is quiet at least, and quietRise the part
// of the highest rise that still counts as quiet.
var quietTime, quietRise = stat.Prob{Num: 1, Den: 10}, stat.Prob{Num: 1, Den: 20}

// whenOf finds the incidents. slow marks the slow requests by row, usual is their usual
// time in ns.
func whenOf(set *table.Set, w *waiting, slow []bool, usual int64, clock uint8, rule Rule) When {
	out := When{Clock: clock, From: w.from, To: w.to, Depth: w.depth, Waits: int64(len(w.waits)), Total: w.total}
	switch {
	case len(w.rows) == 0:
		out.Why = "durations alone are recorded, no times"
		return out
	case set.Segments.Len() == 0:
		out.Why = "the tables hold no segments, which say when requests waited"
		return out
	}
	out.Known = true
	c := w.chance()
	out.Quiet = w.quiet()
	for from := 0; from < len(w.n); from++ {
		if int64(w.n[from]) <= out.Quiet {
			continue
		}
		in, to := w.stretch(from, out.Quiet)
		if w.judge(&in, c, usual, rule) {
			out.Incidents = append(out.Incidents, in)
		}
		from = to
	}
	w.measure(out.Incidents, slow)
	for _, in := range out.Incidents {
		out.Inside = out.Inside.Plus(in.Waited)
	}
	return out
}

// quiet returns how many wait at most in quiet.
func (w *waiting) quiet() int64 {
	depth := w.depthRecorded()
	low := depth.Quantile(quietTime)
	return min(depth.Quantile(stat.P50), low+(depth.Peak-low)*quietRise.Num/quietRise.Den)
}

// stretch returns the stretch of more than quiet waiting that begins at a step, and the step
// at which it is over.
func (w *waiting) stretch(from int, quiet int64) (in Incident, to int) {
	peak := from
	for to = from; to < len(w.n) && int64(w.n[to]) > quiet; to++ {
		if w.n[to] > w.n[peak] {
			peak = to
		}
	}
	in = Incident{Onset: w.at[from], Peak: w.at[peak], Recovery: w.to, Depth: int64(w.n[peak]), Begun: w.at[from] <= w.from}
	if to < len(w.n) {
		in.Recovery, in.Recovered = w.at[to], true
	}
	return in, to
}

// chance is what the capture as a whole says of how backlogs vary.
type chance struct {
	requests   float64 // N
	arrivals   float64 // dispersion a
	departures float64 // dispersion s
	load       float64 // r
	backlogs   float64 // E
	quiet      float64
	silence    int64 // ns of the window before the last arrival
}

// chance measures how backlogs vary.
func (w *waiting) chance() chance {
	n := len(w.rows)
	c := chance{requests: float64(n), quiet: float64(w.quiet()), arrivals: w.dispersion(&w.arrivals, n), departures: w.dispersion(&w.ends, n), load: 1, silence: silenceOf(w.silent).NS}
	before := int32(0)
	for _, n := range w.n {
		if before == 0 && n > 0 {
			c.backlogs++
		}
		before = n
	}
	if busy := (w.to - w.from) - w.depth.At[0]; busy > 0 {
		departed := float64(len(w.waits))
		c.load = c.requests / float64(max(1, w.lastArrival()-w.from-c.silence)) / (departed / float64(busy))
		c.load *= math.Exp(float64(loadBound * math.Sqrt(c.arrivals/c.requests+c.departures/departed)))
	}
	return c
}

// surgeFactor is by how much the surge must exceed z: its ends are where the arrivals are
// most, and not only where the backlog is.
const surgeFactor = 1.3

// lastArrival returns when the last request came: behind it the rate of arrivals is unknown.
func (w *waiting) lastArrival() int64 { return w.arrivals.at[len(w.arrivals.at)-1] }

// loadBound is the upper bound of the interval of the load in standard deviations.
const loadBound = 1.96

// judge measures a stretch and reports whether it is an incident: it stands out, and it
// matters, since enough requests waited for as long as would make them slow.
func (w *waiting) judge(in *Incident, c chance, usual int64, rule Rule) bool {
	in.Hit, in.Waited = w.hits(in.Onset, in.Recovery), w.area(in.Onset, in.Recovery)
	if in.Hit < leastHit {
		return false
	}
	if float64(in.MeanWaitNS()) < rule.MinExcess.Float()*float64(usual) {
		return false
	}
	in.Rise, in.During = w.traffic(in.Onset, in.Peak+1), w.traffic(in.Onset, in.Recovery)
	rise, spread := float64(in.Depth)-c.quiet, c.arrivals+c.departures
	n := float64(max(1, in.Rise.Arrivals, w.hits(in.Onset, in.Peak+1)))
	z := math.Sqrt(2 * math.Log(c.requests/(chanceAlpha*n)))
	in.Beyond = rise / (z * math.Sqrt(n*spread))
	if c.load < 1 {
		line := spread / 2 * math.Log(max(math.E, c.backlogs*(1-c.load)/chanceAlpha)) / math.Log(1/c.load)
		in.Beyond = max(in.Beyond, rise/line)
	}
	last := w.lastArrival()
	if rest := (last - w.from) - c.silence - (min(in.Recovery, last) - min(in.Onset, last)); rest > 0 {
		length := float64(in.Rise.To-in.Rise.From) / float64(rest)
		due := (c.requests - float64(in.During.Arrivals)) * length
		if came := float64(in.Rise.Arrivals); due > 0 && came > due {
			deviance := 2 * (float64(came*math.Log(came/due)) - (came - due))
			in.Beyond = max(in.Beyond, math.Sqrt(deviance/(c.arrivals*(1+length)))/(surgeFactor*z))
		}
	}
	return in.Beyond >= 1
}

// hits counts the waits that began in [from, to).
func (w *waiting) hits(from, to int64) int64 {
	at := func(t int64) int {
		i, _ := slices.BinarySearchFunc(w.waits, t, func(q queued, t int64) int { return cmp.Compare(q.start, t) })
		return i
	}
	return int64(at(to) - at(from))
}

// arrivalsABucket is how many arrivals the buckets hold, on average, in which the dispersion
// of events is measured.
const arrivalsABucket = 10

// dispersion returns the variance of the number of events by its mean, by the differences
// of neighbouring stretches of time: a lasting change of the rate hardly moves it. It is 1
// for independent events and no less here. n is the number of arrivals.
func (w *waiting) dispersion(events *instants, n int) float64 {
	buckets, length := int64(n)/arrivalsABucket, w.to-w.from-silenceOf(w.silent).NS
	if buckets < 2 || length <= 0 || len(events.at) == 0 {
		return 1
	}
	recorded := w.recorded(events.at)
	width := length/buckets + 1
	var squares, before float64
	passed := 0
	for b := range buckets {
		until := passed
		for end := w.from + (b+1)*width; until < len(recorded) && recorded[until] < end; {
			until++
		}
		n := float64(until - passed)
		if b > 0 {
			squares += float64((n - before) * (n - before))
		}
		before, passed = n, until
	}
	mean := float64(len(events.at)) / float64(buckets)
	return max(1, squares/float64(buckets-1)/2/mean)
}

// measure counts who was hit in each incident, and sets traffic beside it. Incidents are in
// order of time and do not overlap.
func (w *waiting) measure(list []Incident, slow []bool) {
	last := map[int32]int{} // the incident that a request was counted for
	k := 0
	for i := range list {
		list[i].Hit, list[i].Slow, list[i].LongestNS = 0, 0, 0
	}
	for _, q := range w.waits {
		for k < len(list) && q.start >= list[k].Recovery {
			k++
		}
		if k == len(list) {
			break
		}
		in := &list[k]
		if q.start < in.Onset {
			continue
		}
		in.LongestNS = max(in.LongestNS, q.end-q.start)
		if seen, ok := last[q.row]; ok && seen == k {
			continue
		}
		last[q.row] = k
		in.Hit++
		if slow[q.row] {
			in.Slow++
		}
	}
	free := w.from
	for i := range list {
		in := &list[i]
		in.Before = w.traffic(max(free, in.Onset-(in.Recovery-in.Onset)), in.Onset)
		in.Arrivals = in.Rise.RateRatio(in.Before)
		free = in.Recovery
	}
}

// at returns the incident that an instant lies in; -1 for none.
func (w When) at(ns int64) int {
	i, found := slices.BinarySearchFunc(w.Incidents, ns, func(in Incident, ns int64) int { return cmp.Compare(in.Onset, ns) })
	if !found {
		i--
	}
	if i >= 0 && ns < w.Incidents[i].Recovery {
		return i
	}
	return -1
}

// Worst returns the incident in which most was waited; nil when there is none.
func (w When) Worst() *Incident {
	var worst *Incident
	for i := range w.Incidents {
		if in := &w.Incidents[i]; worst == nil || in.Waited.Int().Cmp(worst.Waited.Int()) > 0 {
			worst = in
		}
	}
	return worst
}
