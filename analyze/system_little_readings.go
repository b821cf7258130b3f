package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// mostForce is how long a reading is in force at most, ns.
const mostForce = 90_000_000_000

// readingSeries is what one engine read, in order of time.
type readingSeries struct {
	at    []int64
	value []float64
}

// force returns how long a reading holds at most: half as long again as nine in ten are apart.
// Beyond it nothing is known until the next one: an engine that is idle may write none.
func (s *readingSeries) force() int64 {
	gaps := s.gaps()
	if len(gaps) == 0 {
		return mostForce
	}
	return min(max(1, stat.NearestRank(gaps, stat.P90)/2*3), mostForce)
}

// even reports whether nine in ten readings follow each other after the same time, as those
// of a timer do, which do not depend on what goes on.
func (s *readingSeries) even() bool {
	gaps := s.gaps()
	if len(gaps) == 0 {
		return false
	}
	middle, same := gaps[len(gaps)/2], 0
	for _, g := range gaps {
		if math.Abs(float64(g-middle)) <= 0.01*float64(middle) {
			same++
		}
	}
	return 10*same >= 9*len(gaps)
}

// gaps returns how far apart readings are that follow each other, sorted.
func (s *readingSeries) gaps() (gaps []int64) {
	for i := 1; i < len(s.at); i++ {
		gaps = append(gaps, s.at[i]-s.at[i-1])
	}
	slices.Sort(gaps)
	return gaps
}

// held calls f for each reading with the time in which it is in force and known to be
// followed by another.
func (s *readingSeries) held(f func(i int, from, to int64)) {
	force := s.force()
	for i := range len(s.at) - 1 {
		if to := min(s.at[i+1], s.at[i]+force); to > s.at[i] {
			f(i, s.at[i], to)
		}
	}
}

// cover returns the times for which a series tells anything.
func (s *readingSeries) cover() (out []stayAt) {
	s.held(func(_ int, from, to int64) {
		if n := len(out); n > 0 && out[n-1].to == from {
			out[n-1].to = to
			return
		}
		out = append(out, stayAt{from, to})
	})
	return out
}

// increases calls f for each time between two readings of a counter that was not reset, with
// what it counted. cover then has no others.
func (s *readingSeries) increases(f func(from, to int64, by float64)) {
	force := s.force()
	for i := range len(s.at) - 1 {
		if from, to := s.at[i], s.at[i+1]; to > from && to-from <= force && s.value[i+1] >= s.value[i] {
			f(from, to, s.value[i+1]-s.value[i])
		}
	}
}

func (s *readingSeries) countedOver() (out []stayAt) {
	s.increases(func(from, to int64, _ float64) {
		if n := len(out); n > 0 && out[n-1].to == from {
			out[n-1].to = to
			return
		}
		out = append(out, stayAt{from, to})
	})
	return out
}

// metricRunning is the metric of what is at an engine and not waiting, and endedMetrics are
// those of what came to an end there.
const metricRunning = "running"

var endedMetrics = []string{"requests_total", "requests_failed_total"}

// againstReadings compares what was at engines with what they said, over the time for which
// all that have readings tell. False where no engine says anything of requests.
func (c *captured) againstReadings() (l LittleAgainst, found bool) {
	l = LittleAgainst{Source: SourceReadings}
	if c.opt.Engines == nil {
		return l, false
	}
	inside := make([]bool, len(c.engines))
	l.NoInFlight = "no engine tells both how many run and how many wait"
	var gauges []readingSeries
	var gaugesOf []int // the engine of each two
	for e := range c.engines {
		running, waiting := c.readingsOf(e, metricRunning), c.readingsOf(e, depthMetrics...)
		if len(running.at) < 2 || len(waiting.at) < 2 {
			continue
		}
		// A line that is written whenever prompts join those that run finds the most that run
		// and the fewest that wait: such readings are no sample of the time.
		if joining := c.readingsOf(e, metricJoining); joining.at != nil {
			l.NoInFlight = "the engines say how many run and wait at the moments at which prompts join, and not at any"
			continue
		}
		inside[e] = true
		gauges, gaugesOf = append(gauges, running, waiting), append(gaugesOf, e)
	}
	counters := c.counters(inside)
	switch {
	case len(gauges) > 0:
		l.HasInFlight, l.NoInFlight = true, ""
	case counters == nil:
		l.Why = l.NoInFlight + ", nor counts requests that ended"
		return l, c.set.EngineSamples.Len() > 0
	}
	for e, in := range inside {
		if in {
			l.Of = append(l.Of, c.engines[e].Name)
		}
	}
	present := c.presences(inside)
	covered := c.together(trimmed(staysOf(present)))
	for i := range gauges {
		covered = bothCover(covered, gauges[i].cover())
	}
	l.HasRates = counters != nil
	if !l.HasRates {
		l.NoRates = "the engines count no requests that ended"
	}
	for i := range counters {
		covered = bothCover(covered, counters[i].countedOver())
	}
	k := newCovers(covered)
	var loads twoLoads
	var least float64
	for i := range gauges {
		s := &gauges[i]
		var sum [littleBlocks]float64
		s.held(func(i int, from, to int64) { k.spread(&sum, from, to, s.value[i]) })
		for b, v := range sum {
			loads.outsideNS[b] += v
		}
		// What runs comes first of both, and decides for both.
		least += total(sum[:]) * k.leastOf(present, gaugesOf[i/2], &gauges[i/2*2])
		for _, at := range s.at {
			if _, ok := k.at(at); ok {
				l.Outside++
			}
		}
	}
	for i := range counters {
		counters[i].increases(func(from, to int64, by float64) { k.spread(&loads.outside, from, to, by/float64(to-from)) })
		if len(gauges) == 0 {
			l.Outside += int64(len(counters[i].at))
		}
	}
	if all := total(loads.outsideNS[:]); least > 0 && least < all {
		l.busyOnly = all / least
	}
	for _, p := range present {
		k.spread(&loads.tracedNS, p.from, p.to, 1)
		if b, ok := k.at(p.to); ok {
			loads.traced[b]++
			l.N++
		}
	}
	if l.Outside < leastReadings || k.total == 0 {
		l.Why = "the engines' readings are too few, or of another time than the traces"
		return l, true
	}
	l.settle(&loads, k, c.opt.Seed)
	return l, true
}

// readingsOf returns the readings of an engine, of the first of some metrics that it has.
func (c *captured) readingsOf(e int, metrics ...string) (s readingSeries) {
	if c.engines[e].Clock != table.ClockNames[table.ClockWall] {
		return s
	}
	for _, metric := range metrics {
		c.opt.Engines.Readings(int32(e), metric, func(at int64, value float64) {
			if value >= 0 && !math.IsInf(value, 0) {
				s.at, s.value = append(s.at, at), append(s.value, value)
			}
		})
		if s.at != nil {
			break
		}
	}
	return s
}

// counters returns the counters of requests that ended at the engines that are inside, and
// marks those that have one where no engine is. Nil where some engine inside has no counter,
// or one may be of an engine that is not inside too.
func (c *captured) counters(inside []bool) (out []readingSeries) {
	none := !slices.Contains(inside, true)
	counted, succeeded := make([]bool, len(inside)), false
	for _, s := range gauges(c.set, endedMetrics...) {
		of := c.candidates(s.key)
		if len(of) == 0 || len(s.at) < 2 {
			continue
		}
		if none {
			for _, e := range of {
				counted[e] = true
			}
		} else if slices.ContainsFunc(of, func(e int) bool { return !inside[e] }) {
			if slices.ContainsFunc(of, func(e int) bool { return inside[e] }) {
				return nil
			}
			continue
		}
		for _, e := range of {
			counted[e] = true
		}
		succeeded = succeeded || c.set.Symbols.Text(s.key.metric) == endedMetrics[0]
		out = append(out, readingSeries{s.at, s.value})
	}
	for e := range inside {
		if inside[e] && !counted[e] {
			return nil
		}
	}
	if !succeeded {
		return nil
	}
	if none {
		copy(inside, counted)
	}
	return out
}

// candidates returns the engines that a series may be of, by host and service.
func (c *captured) candidates(key gaugeKey) (list []int) {
	text := c.set.Symbols.Text
	for e := range c.engines {
		if host := c.engines[e].Host; key.host == 0 || host == "" || host == text(key.host) {
			list = append(list, e)
		}
	}
	narrow := func(same func(e int) bool) {
		var kept []int
		for _, e := range list {
			if same(e) {
				kept = append(kept, e)
			}
		}
		if kept != nil {
			list = kept
		}
	}
	narrow(func(e int) bool { return key.host != 0 && c.engines[e].Host == text(key.host) })
	narrow(func(e int) bool { return key.service != 0 && c.engines[e].Service == text(key.service) })
	narrow(func(e int) bool { return key.engine != 0 && c.engines[e].Instance == text(key.engine) })
	return list
}

// presences returns when requests were at the engines that are inside, by the engines' own
// clocks: from the first part of the path there to the last, host work between two parts
// included. Who goes elsewhere and comes back was there twice.
func (c *captured) presences(inside []bool) (out []presence) {
	seg := &c.set.Segments
	for row, at := range c.index {
		if at < 0 {
			continue
		}
		now := -1
		for _, i := range c.pathOf(row) {
			e := c.engineOf(i)
			switch {
			case e >= 0 && !inside[e]:
				now = -1
			case e >= 0:
				from, to := c.opt.Engines.Local(int32(e), i, seg.Start[i]), c.opt.Engines.Local(int32(e), i, seg.End[i])
				if now != e {
					out = append(out, presence{stayAt{from, to}, e})
					now = e
				}
				out[len(out)-1].to = max(out[len(out)-1].to, to)
			case stage.Stage(seg.Stage[i]) != stage.Scheduling && stage.Stage(seg.Stage[i]) != stage.Transfer:
				now = -1
			}
		}
	}
	slices.SortFunc(out, func(a, b presence) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.engine, b.engine))
	})
	return out
}

// presence is when a request was at an engine.
type presence struct {
	stayAt
	engine int
}

func staysOf(list []presence) []stayAt {
	out := make([]stayAt, len(list))
	for i := range list {
		out[i] = list[i].stayAt
	}
	return out
}

// leastOf returns the part of what an engine's readings say that there is at the least: all
// of it where they come at even times, and otherwise, since an engine may write lines only
// while it works, what they say of times with a request there, over the time in which the
// traces have one. present is in order of its starts.
func (k *covers) leastOf(present []presence, engine int, running *readingSeries) float64 {
	if running.even() {
		return 1
	}
	var busy, all float64
	for i, at := range running.at {
		if _, ok := k.at(at); !ok {
			continue
		}
		if all++; running.value[i] > 0 {
			busy++
		}
	}
	if busy == 0 {
		return 1
	}
	var sum [littleBlocks]float64
	until := int64(math.MinInt64)
	for _, p := range present {
		if p.engine != engine || p.to <= until {
			continue
		}
		k.spread(&sum, max(p.from, until), p.to, 1)
		until = p.to
	}
	return min(1, total(sum[:])/float64(k.total)*all/busy)
}

// trimmed returns the time for which stays tell who was there: from the first to the last,
// less what nearly all of them take at either end, where others may not have been recorded;
// all of it where that would be more than half.
func trimmed(stays []stayAt) []stayAt {
	if len(stays) == 0 {
		return nil
	}
	from, to := stays[0].from, stays[0].to
	lengths := make([]int64, 0, len(stays))
	for _, s := range stays {
		from, to = min(from, s.from), max(to, s.to)
		lengths = append(lengths, s.to-s.from)
	}
	slices.Sort(lengths)
	if edge := lengths[(len(lengths)-1)*99/100]; to-from > 4*edge {
		from, to = from+edge, to-edge
	}
	if to <= from {
		return nil
	}
	return []stayAt{{from, to}}
}
