package tokens

import "slices"

// Visit is what an engine's events say of one request, in ns on the engine's own clock,
// which is monotonic: differences hold, and nothing else may be set against it. Times that
// were not recorded are [Absent]. The events are those of vLLM.
type Visit struct {
	QueuedNS     int64
	ScheduledNS  []int64 // the first time, and again after each preemption
	PreemptedNS  []int64
	FirstTokenNS int64
	LastTokenNS  int64
}

// Intervals are the parts of a visit in ns, each [Absent] when one of its ends is, or when
// they are the wrong way round.
type Intervals struct {
	// Queue ends when the request was first scheduled, as vLLM's code has it. [queue]
	Queue int64
	// QueueRecent ends when it was last scheduled, as vLLM's documents have it: it holds what
	// the request did before it was preempted. [queue_vllm_doc]
	QueueRecent int64
	Prefill     int64 // first scheduled to the first token; a preemption on the way is inside
	Decode      int64 // first token to the last; preemptions are inside
	Inference   int64 // first scheduled to the last token
	// PreemptWait adds up, over the preemptions, the time until the request was scheduled
	// again; one that was never followed by that adds nothing. [preempt_wait]
	PreemptWait int64
}

// Intervals returns the parts of the visit by the formulas of vLLM's engine
// (v1/metrics/stats.py), and beside them those that its documents tell otherwise. The order
// of events of one kind changes nothing.
func (v Visit) Intervals() Intervals {
	scheduled, preempted := slices.Sorted(slices.Values(v.ScheduledNS)), slices.Sorted(slices.Values(v.PreemptedNS))
	scheduled = slices.DeleteFunc(scheduled, func(at int64) bool { return at == Absent })
	first, recent := int64(Absent), int64(Absent)
	if n := len(scheduled); n > 0 {
		first, recent = scheduled[0], scheduled[n-1]
	}
	i := Intervals{
		Queue: since(v.QueuedNS, first), QueueRecent: since(v.QueuedNS, recent),
		Prefill: since(first, v.FirstTokenNS), Decode: since(v.FirstTokenNS, v.LastTokenNS), Inference: since(first, v.LastTokenNS),
	}
	again := int64(Absent) // when it was last scheduled again: preemptions before that are one
	for _, at := range preempted {
		if at == Absent || at < again {
			continue
		}
		if k, _ := slices.BinarySearch(scheduled, at); k < len(scheduled) {
			again = scheduled[k]
			if wait := since(at, again); wait != Absent {
				i.PreemptWait += wait
			}
		}
	}
	return i
}
