package engine

import "slices"

// gauge counts the readings of a series of which something holds, so that any window is
// asked in O(log n).
type gauge struct {
	series *series
	before []int32 // readings that hold, before each
}

func newGauge(s *series, holds func(value float64) bool) gauge {
	g := gauge{s, make([]int32, len(s.time)+1)}
	for i, v := range s.value {
		g.before[i+1] = g.before[i]
		if holds(v) {
			g.before[i+1]++
		}
	}
	return g
}

// answer is what readings say about a window.
type answer struct {
	known bool
	holds bool  // of most of them
	some  bool  // of one of them at least, though they may not agree
	n     int64 // readings that were asked
	taken bool  // they were taken in the window
}

// over asks the readings of [from, to): those taken in it, or else the one before and the
// one after, if both are near and agree.
func (g *gauge) over(from, to int64) answer {
	times := g.series.time
	lo, _ := slices.BinarySearch(times, from)
	hi, _ := slices.BinarySearch(times, to)
	if lo < hi {
		yes := g.before[hi] - g.before[lo]
		return answer{true, 2*int(yes) >= hi-lo, yes > 0, int64(hi - lo), true}
	}
	if lo == 0 || hi == len(times) || from-times[lo-1] > g.series.force || times[hi]-to > g.series.force {
		return answer{}
	}
	first, second := g.before[lo]-g.before[lo-1], g.before[hi+1]-g.before[hi]
	return answer{first == second, first == 1 && second == 1, first == 1 || second == 1, 2, false}
}

// any reports whether it holds of a reading in [from, to), or of the next one after, which
// tells of the time since the one before it.
func (g *gauge) any(from, to int64) answer {
	times := g.series.time
	lo, _ := slices.BinarySearch(times, from)
	hi, _ := slices.BinarySearch(times, to)
	if hi < len(times) && times[hi]-to <= g.series.force {
		hi++
	}
	if lo == hi {
		return answer{}
	}
	return answer{true, g.before[hi] > g.before[lo], g.before[hi] > g.before[lo], int64(hi - lo), false}
}

// gauges are the questions that are put to the readings of an engine.
type gauges struct {
	limit    SlotLimit
	held     float64 // most that was read to run
	full     gauge   // as many run as can
	free     gauge   // fewer run than once did
	idle     gauge   // none runs
	kept     gauge   // some wait
	memory   gauge   // the KV cache is full
	tight    gauge   // the KV cache is nearly full
	hidden   gauge   // more run than are known
	preempts gauge   // requests were preempted
	prompts  gauge   // prompts were prefilled
}

// ask learns the limit from the readings and prepares the questions.
func (r *readings) ask() {
	running, waits, memory := r.find(metricRunning), r.find(metricWaiting), r.find(metricKV)
	if len(waits.time) == 0 {
		waits = r.find(metricPending)
	}
	c := &r.counts
	prompts := r.find(metricPrompt)
	c.limit, c.held = learnReadings(running, waits, memory, prompts)
	c.full = newGauge(running, func(v float64) bool { return c.limit.Value > 0 && v >= float64(c.limit.Value) })
	c.free = newGauge(running, func(v float64) bool { return v < c.held })
	c.idle = newGauge(running, func(v float64) bool { return v == 0 })
	c.kept = newGauge(waits, func(v float64) bool { return v > 0 })
	c.memory = newGauge(memory, func(v float64) bool { return v >= fullMemory })
	preempts := r.find(metricPreemptions)
	if len(preempts.time) == 0 {
		preempts = r.find(metricRetracted)
	}
	c.preempts = newGauge(preempts, func(v float64) bool { return v > 0 })
	c.tight = newGauge(memory, func(v float64) bool { return v >= tightMemory })
	c.prompts = newGauge(prompts, func(v float64) bool { return v > 0 })
}

// learnReadings finds the most that was read to run, and the limit if it shows one. What is
// read of a batch of prompts shows what prompts leave room for, not what slots do; and
// so does a single one that runs while prompts are computed.
func learnReadings(running, waits, memory, prompts *series) (SlotLimit, float64) {
	if len(running.value) == 0 {
		return SlotLimit{}, 0
	}
	most := slices.Max(running.value)
	at, below, waited := int64(0), int64(0), int64(0)
	for i, v := range running.value {
		if k, ok := waits.inForce(running.time[i]); !ok || waits.value[k] <= 0 {
			continue
		}
		if k, ok := memory.inForce(running.time[i]); ok && memory.value[k] >= fullMemory {
			continue
		}
		if running.joined != nil && running.joined[i] {
			continue
		}
		if k, ok := prompts.inForce(running.time[i]); ok && most == 1 && prompts.value[k] > 0 {
			continue
		}
		waited++
		switch v {
		case most:
			at++
		case most - 1:
			below++
		}
	}
	share := float64(at) / float64(max(waited, 1))
	if most < 1 || at < leastReadings || share < leastReadShare || at <= below {
		return SlotLimit{}, most
	}
	return SlotLimit{Value: int64(most), Basis: Readings, Share: share, Visits: at}, most
}
