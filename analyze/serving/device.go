package serving

import "fmt"

// The device holds a system up when requests wait for it: when they are in the queues of
// engines for a fifth of their time, and the GPU is busy meanwhile. Sound systems with answers
// of unlike length come to a tenth and more, and so do short overloads: between the two nobody
// can say. A GPU that is busy while nobody waits says nothing, for it may have room for more at a
// time.

const missQueues = "queues that take a fifth of the requests' time, for a tenth may be chance"

// busyQueued is the share of the time with a queue in which the GPU was busy.
func (v *evidence) busyQueued(dark bool) (bounds, string) {
	of := v.ofQueue(v.queueBusy, v.queueBusy.Plus(v.unplaced.Spent[GPU]))
	if !v.recorded.Has(GPU) || dark {
		of.high = 1
		return of, missGPU
	}
	return of, missEngines
}

// device is asked after all others: full slots with a GPU that is busy are the device, and a
// full KV cache is not.
func (v *evidence) device(dark bool) Row {
	r := newRow(Device)
	of, missing := v.ofTime(Queue)
	if !of.undefined && of.low >= material && of.low < high {
		missing = missQueues
	}
	r.figure(Figure{Name: "queue_share_of_request_time", Gate: high, N: v.requests, Of: OfRequests}, of, of.low >= high, of.high < material, []string{missing})
	if !v.nobodyQueued() {
		of, missing := v.busyQueued(dark)
		r.atLeast("busy_while_queued", of, busy, v.requests, OfRequests, missing)
	}
	return r.done()
}

// beside asks of copies and host work whether requests spend most of their time in a queue
// for a GPU that is busy: then they cannot be what holds the system up, however much of them
// there is, and it does not matter if that is unknown. Nothing is asked where the row is
// decided without it, nobody is seen in a queue, or it is not the device for certain.
func (v *evidence) beside(r *Row, device Row) {
	if device.Speaks == Against || r.done().Speaks == Against || v.inFlight.Sign() <= 0 || v.nobodyQueued() {
		return
	}
	// GPU work of no engine may have been where one was idle: beside as many as there are.
	idle := v.unplaced.Spent[GPU].Times(v.requests)
	if idle.Minus(v.queuedIdle).Sign() > 0 {
		idle = v.queuedIdle
	}
	of := v.share(v.queuedBusy, idle.Plus(v.queuedDark).Plus(v.unplaced.Spent[Queue]), v.inFlight)
	missing := device.Missing
	if device.Speaks == Silent {
		of.low = 0
	} else if missing = []string{missEngines}; v.queuedDark.Sign() > 0 {
		missing = append(missing, missGPU)
	}
	r.below("queued_while_busy_share_of_request_time", of, mostly, v.requests, OfRequests, missing...)
}

// queueText says how long requests queue, and how busy the GPU is meanwhile.
func (v *evidence) queueText(dark bool) string {
	if v.inFlight.Sign() <= 0 || v.nobodyQueued() {
		return "nobody queues"
	}
	of, _ := v.ofTime(Queue)
	while, _ := v.busyQueued(dark)
	return fmt.Sprintf("requests are in the engines' queues for %s of their time, and the GPU is busy for %s of the time with a queue", of.percent(), while.percent())
}
