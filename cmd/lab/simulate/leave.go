package simulate

import "slices"

// decodes notes that a step decodes the request from instant at on.
func (r *request) decodes(at int64) {
	if r.decodeBegin == 0 {
		r.decodeBegin = at
	}
	if n := len(r.preemptions); n > 0 && r.preemptions[n-1].prefilled > 0 && r.preemptions[n-1].decoding == 0 {
		r.preemptions[n-1].decoding = at
	}
}

// takeInput empties the loop's input, or leaves it during a pause.
func (e *engine) takeInput() []*request {
	if e.paused {
		return nil
	}
	input := e.input
	e.input = nil
	return input
}

// keeping says what keeps waiting requests out of the step just formed, or would
// keep out one that arrived now.
func (e *engine) keeping() cause {
	switch {
	case e.paused:
		return causeStuck
	case e.step.Preempted:
		return causeMemory
	case e.step.FreeSlots == 0:
		return causeSlots
	case len(e.waiting) > 0 && e.step.HeadBlocks > e.step.FreeBlocks:
		return causeMemory
	case len(e.waiting) > 0, e.step.Prefills > 0:
		return causeBudget
	}
	return causeNone
}

// abort lets go of a request whose client has left. A running one leaves the batch
// when the step that holds it has ended.
func (e *engine) abort(r *request, at int64) {
	if r.waits {
		at = max(at, r.queued)
		r.held, r.waits = e.causes.upTo(at).since(r.held), false
		if r.queued > 0 {
			e.record.queue(at, -1, r)
		}
	}
	is := func(other *request) bool { return other == r }
	e.input = slices.DeleteFunc(e.input, is)
	e.waiting = slices.DeleteFunc(e.waiting, is)
}

// dropGone frees what the requests held that have gone.
func (e *engine) dropGone() {
	e.running = slices.DeleteFunc(e.running, func(r *request) bool {
		if r.gone > 0 {
			e.release(r)
		}
		return r.gone > 0
	})
}
