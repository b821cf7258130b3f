package engine

import (
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
)

// Snapshot is an engine at one instant.
type Snapshot struct {
	Running   []int32 // rows of the requests table, ascending
	Waiting   []int32 // likewise; not yet run
	Preempted []int32 // likewise; they ran, and wait to run again
	Batches   int64   // batches that run, where batches do
	Readings  []Reading
}

// Reading is a reading that is in force.
type Reading struct {
	Metric string // as in table.Metrics
	Unit   string
	Value  float64
	AgeNS  int64 // since it was taken
}

// At returns who ran and who waited at an engine at an instant, by the requests' own
// times, and the readings in force, by metric.
func (t *Timelines) At(engine int32, at int64) Snapshot {
	l := &t.engines[engine]
	var s Snapshot
	if !l.timed() {
		return s
	}
	s.Running = l.runsIn.present(at)
	s.Waiting = l.waitsIn.present(at)
	s.Preempted = l.preemptsIn.present(at)
	if l.batching {
		l.unitsIn.each(at, at+1, func(interval) { s.Batches++ })
	}
	for _, series := range l.reads.list {
		if i, ok := series.inForce(at); ok {
			s.Readings = append(s.Readings, Reading{series.metric, series.unit, series.value[i], at - series.time[i]})
		}
	}
	return s
}

// Readings visits the readings of one metric that are known to be an engine's, in order of
// time, in ns on its own clock. Of several of one instant the last that is in force is
// visited.
func (t *Timelines) Readings(engine int32, metric string, visit func(at int64, value float64)) {
	l := &t.engines[engine]
	if !l.timed() {
		return
	}
	s := l.reads.find(metric)
	for i, at := range s.time {
		if i+1 == len(s.time) || s.time[i+1] != at {
			visit(at, s.value[i])
		}
	}
}

// present returns the requests whose intervals hold an instant.
func (o *overlaps) present(at int64) []int32 {
	var rows []int32
	o.each(at, at+1, func(v interval) { rows = append(rows, v.request) })
	slices.Sort(rows)
	return slices.Compact(rows)
}

// Occupancy says how an engine's time was spent, in ns, by the requests' own times.
type Occupancy struct {
	From, To           int64 // first and last instant at which anything changed
	BusyNS             int64 // at least one request executed
	PresentNS          int64 // at least one request ran or waited
	WaitingNS          int64 // at least one request waited
	IdleWhileWaitingNS int64 // nothing executed although a request waited
}

// Occupancy returns how an engine's time was spent.
func (t *Timelines) Occupancy(engine int32) Occupancy {
	s := &t.engines[engine].steps
	if len(s.at) == 0 {
		return Occupancy{}
	}
	o := Occupancy{From: s.first, To: s.last}
	l := &t.engines[engine]
	s.each(func(i int, length int64) {
		busy, waits := s.counts[executing][i] > 0, l.isWaiting(i)
		if busy {
			o.BusyNS += length
		}
		if busy || waits || s.counts[unit][i] > 0 {
			o.PresentNS += length
		}
		if waits {
			o.WaitingNS += length
			if !busy {
				o.IdleWhileWaitingNS += length
			}
		}
	})
	return o
}

// Visit is what one request did at one engine, in ns.
type Visit struct {
	Engine    int32
	QueueNS   int64 // until it first ran, and before it ran again for another reason than preemption
	PrefillNS int64
	DecodeNS  int64 // in which it ran; an engine's own decode time holds the preemptions too
	ComputeNS int64 // execution that is not told apart
	// PreemptedNS is the time after preemptions until it ran again.
	PreemptedNS int64
}

// Visits returns what a request did at every engine on its path to the end, in order.
func (t *Timelines) Visits(request int32) []Visit {
	seg := &t.set.Segments
	var out []Visit
	from, to := t.rowsOf(request)
	for k := from; k < to; k++ {
		i := t.row(k)
		if seg.Target[i] != targetEnd || t.at[i] < 0 {
			continue
		}
		v := visit(&out, t.at[i])
		switch ns, s := seg.Duration[i], stage.Stage(seg.Stage[i]); {
		case s == stage.Queue && seg.Detail[i] == t.words.preempted:
			v.PreemptedNS += ns
		case s == stage.Queue:
			v.QueueNS += ns
		case s != stage.GPU:
		case seg.Detail[i] == t.words.prefill:
			v.PrefillNS += ns
		case seg.Detail[i] == t.words.decode:
			v.DecodeNS += ns
		default:
			v.ComputeNS += ns
		}
	}
	return out
}

// visit returns the visit at an engine, which it adds if there is none.
func visit(list *[]Visit, engine int32) *Visit {
	for i := range *list {
		if (*list)[i].Engine == engine {
			return &(*list)[i]
		}
	}
	*list = append(*list, Visit{Engine: engine})
	return &(*list)[len(*list)-1]
}

// rowsOf returns the places in order of the segments of a request.
func (t *Timelines) rowsOf(request int32) (from, to int) {
	seg := &t.set.Segments
	find := func(r int32) int {
		lo, hi := 0, seg.Len()
		for lo < hi {
			if mid := int(uint(lo+hi) >> 1); seg.RequestRow[t.row(mid)] < r {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return lo
	}
	return find(request), find(request + 1)
}
