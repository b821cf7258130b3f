package engine

import (
	"math"
	"slices"
)

// Finding is the cause of a wait, with the numbers that say so. Times are ns of the wait,
// by the requests' own times; what they do not cover is 0. Where the wait is misplaced they
// are the least that it has wherever it lies, but KeptNS, which is the most.
type Finding struct {
	Cause Cause
	Rule  string // ID of the rule that held, or nothing-shown
	Basis Basis  // what the rule rests on
	// Engine is the number of the engine that the request waited for, -1 for none.
	Engine int32
	// Gateway tells that the wait was before the engine, not at it.
	Gateway bool
	WaitNS  int64
	ErrorNS int64 // how far the wait may be misplaced

	FullNS        int64 // as many ran as ever can
	FreeNS        int64 // fewer ran than once did
	IdleNS        int64 // nothing ran
	KeptNS        int64 // somebody waited at the engine, or it was full
	PrefillNS     int64 // somebody prefilled
	LongPrefillNS int64 // somebody with a prompt of four times its size prefilled
	PreemptedNS   int64 // somebody preempted waited ahead
	PlacedNS      int64 // as FullNS, but where the path has a misplaced wait; 0 for others

	// Limit is what running is measured against, with what shows it.
	Limit SlotLimit
	// Running is the mean of what ran during the wait, in own times, and RunningRead
	// in readings taken during it; NaN when there are none.
	Running, RunningRead float64
	// KVUsage is the greatest share of the KV cache that was read during the wait, or
	// around it if no reading was taken in it; NaN when there is none.
	KVUsage float64
	// Readings counts the readings of running, waiting and the KV cache taken in the wait.
	Readings int64
	// HOL is the share of the wait in which a prompt of four times its size was prefilled.
	HOL float64
	// Partial tells that not all requests of the engine are known.
	Partial bool
}

// find returns the wait of a segment.
func (t *Timelines) find(segment int32) (*wait, bool) {
	i, ok := slices.BinarySearchFunc(t.queue, segment, func(w wait, s int32) int { return int(w.segment) - int(s) })
	if !ok {
		return nil, false
	}
	return &t.queue[i], true
}

// Finding returns why the request waited in a queue segment, with the numbers that say so.
// Of any other segment nothing is found.
func (t *Timelines) Finding(segment int32) Finding {
	f := Finding{Engine: -1, Rule: "not-a-wait", Running: math.NaN(), RunningRead: math.NaN(), KVUsage: math.NaN()}
	w, ok := t.find(segment)
	if !ok {
		return f
	}
	e := t.evidence(t.set, w)
	if e.line != nil && e.line.timed() {
		e.LongPrefillNS = e.least(t.longPrefill(w))
	}
	f.Cause, f.Rule, f.Basis = judge(&e)
	f.Gateway, f.WaitNS, f.ErrorNS = e.gateway, e.ns, e.error
	f.FullNS, f.FreeNS, f.IdleNS, f.KeptNS = e.FullNS, e.FreeNS, e.IdleNS, e.KeptNS
	f.PrefillNS, f.LongPrefillNS, f.PreemptedNS, f.PlacedNS = e.PrefillNS, e.LongPrefillNS, e.PreemptedNS, e.PlacedNS
	if e.line == nil {
		f.Gateway = w.engine < 0
		return f
	}
	f.Engine = w.engine
	if w.engine < 0 {
		f.Engine = w.behind
	}
	f.Partial, f.Limit = e.line.partial, e.line.limit()
	if !e.line.timed() || e.ns <= 0 {
		return f
	}
	f.HOL = float64(e.LongPrefillNS) / float64(e.ns)
	if f.Running = e.line.meanUnits(e.from, e.to); f.Rule == placedRule {
		from := t.Local(f.Engine, segment, t.set.Segments.Start[segment])
		f.Running = e.line.meanUnits(from, from+e.ns)
	}
	f.read(&e.line.reads, e.from, e.to)
	return f
}

// read adds what readings say of the window.
func (f *Finding) read(r *readings, from, to int64) {
	running := r.find(metricRunning).window(from, to)
	sum := 0.0
	for _, v := range running {
		sum += v
	}
	if len(running) > 0 {
		f.RunningRead = sum / float64(len(running))
	}
	memory := r.find(metricKV)
	usage := memory.window(from, to)
	f.Readings = int64(len(running) + len(usage) + len(r.find(metricWaiting).window(from, to)))
	if len(usage) == 0 {
		if i, ok := memory.inForce(from); ok {
			usage = memory.value[i : i+1]
		}
		if i, _ := slices.BinarySearch(memory.time, to); i < len(memory.time) && memory.time[i]-to <= memory.force {
			usage = append(slices.Clone(usage), memory.value[i])
		}
	}
	if len(usage) > 0 {
		f.KVUsage = slices.Max(usage)
	}
}

// window returns the readings taken in [from, to).
func (s *series) window(from, to int64) []float64 {
	lo, _ := slices.BinarySearch(s.time, from)
	hi, _ := slices.BinarySearch(s.time, to)
	return s.value[lo:max(lo, hi)]
}

// limit returns the limit that readings show, or else own times.
func (l *timeline) limit() SlotLimit {
	if l.reads.counts.limit.Value > 0 {
		return l.reads.counts.limit
	}
	return l.level
}

// meanUnits returns how much ran in a window, on average over time.
func (l *timeline) meanUnits(from, to int64) float64 {
	sum := 0.0
	l.unitsIn.each(from, to, func(v interval) { sum += float64(min(v.end, to) - max(v.start, from)) })
	return sum / float64(to-from)
}
