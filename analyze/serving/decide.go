package serving

import (
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Signature is a way in which requests are slow: while the GPU is not busy, or because it is.
type Signature string

// The signatures in the order in which they are asked for.
const (
	NoSaturation  Signature = "no-saturation"
	GatewayLimit  Signature = "gateway-limit"
	SlotsFull     Signature = "slots-full"
	KVFull        Signature = "kv-full"
	TransferBound Signature = "transfer-bound"
	HostBound     Signature = "host-bound"
	ReplicaSkew   Signature = "replica-skew"
	Bursts        Signature = "bursts"
	Device        Signature = Signature(DeviceBusy) // where it is the answer, its verdict has a kind of its own
)

// means says what each signature means where it is the answer.
var means = map[Signature]string{
	NoSaturation:  "nothing is saturated: latency is the service time itself (long inputs, small batches, launches or memory bandwidth); a faster model helps, more capacity does not",
	GatewayLimit:  "requests wait before the engines while their queues are empty: a rate limiter, a connection pool or worker threads",
	SlotsFull:     "requests queue at engines whose slots are full while the GPU is not busy: number of instances, most sequences at a time, batch delay, or host work inside the slot",
	KVFull:        "requests queue though slots are free, and the KV cache is full: its memory is the limit, not compute",
	TransferBound: "much of the requests' time is copying: PCIe or network",
	HostBound:     "several requests at once wait for host work while the GPU does nothing: CPU, interpreter lock or garbage collection",
	ReplicaSkew:   "one replica is busy while others are not: requests are spread unevenly",
	Bursts:        "requests come in bursts, in which the GPU is busy: its mean use hides them",
	Device:        "requests queue at engines while the GPU is busy: more of it, or less work for it, is what helps",
}

// What a signature means where its second sign is the one that speaks for it.
const (
	meansPreempted = "requests are preempted: the KV cache has no room for what those that run need next, so that some give up what was computed and wait to be computed again; its memory is the limit, not compute"
	meansSlower    = "one replica is slower than the others: its device takes longer for the same work"
)

// The gates. Those of busy, the KV cache and N are the reference's, the others are starting
// values that simulation has not tuned.
const (
	nothing  = 0.05 // idle while waiting below it is about 0
	fewN     = 2.0  // mean requests in the system below it share nothing
	mostly   = 0.5
	material = 0.10 // of the requests' time: less explains no slowness
	empty    = 0.10 // a queue that holds somebody for less of the time is empty
	high     = 0.20 // share of the requests' time in transfer, in host work, or queued for the device
	busy     = 0.90
	skewed   = 1.5 // busiest over mean
	bursty   = 2.0 // variance over mean of arrivals; random ones have 1
)

// evidence is what one table is decided on: an engine's, or all of them together. Sums are
// of ns.
type evidence struct {
	recorded Kinds
	hidden   [whats]Maybe[stat.Sum] // of the whole capture, which bounds an engine's too
	requests int64
	window   stat.Sum // engine-ns
	inFlight stat.Sum // request-ns of all requests
	spent    ByWhat
	// Of engines alone.
	engineInFlight, present, idle, unseen, busy, hostTogether stat.Sum
	queue, queueBusy, slotsFull, slotsMay, kvFull, kvMay      stat.Sum
	gpuUnknown                                                stat.Sum // time with work at engines whose GPU work is unknown
	engines, dark                                             int64
	fineBusy, fineFull                                        stat.Sum
	buckets                                                   int64
	unplaced                                                  Unplaced
	arrivals                                                  little.Dispersion
	skew                                                      little.Skew
	own                                                       float64 // busy of the one engine, NaN for all
	// Of requests in queues of engines whose GPU work is known, request-ns: while it was busy,
	// and while it was not; and of those of the others.
	queuedBusy, queuedIdle, queuedDark stat.Sum
	shares                             []float64 // busy of the engines of which it is known, in order of size
	length                             stat.Sum  // ns of the window, of one engine
	open                               stat.Sum  // request-ns in which requests without end, and of no engine, may have been there
	partial                            []string
	preempted                          Preempted
	backingOff                         stat.Sum // part of inFlight
	slower                             slower   // of all replicas the slowest, or the one engine
	replicas                           Maybe[bool]
	stampNS                            int64
}

func (v *evidence) add(e *Engine) {
	v.engines++
	v.preempted.plus(e.Preempted)
	v.backingOff = v.backingOff.Plus(e.BackingOff)
	v.window.Add(e.WindowNS)
	v.present.Add(e.PresentNS)
	v.engineInFlight = v.engineInFlight.Plus(e.InFlight.Integral.Minus(e.BackingOff)) // who backs off shares nothing
	for w := range whats {
		v.spent[w] = v.spent[w].Plus(e.Spent[w])
	}
	v.queue.Add(e.QueueNS)
	v.slotsFull.Add(e.SlotsFullNS)
	v.slotsMay.Add(e.SlotsMayNS)
	v.kvFull.Add(e.KVFullNS)
	v.kvMay.Add(e.KVMayNS)
	if !e.GPUKnown {
		// It may have been busy all the time with work, or never.
		v.dark++
		v.gpuUnknown.Add(e.PresentNS)
		v.queuedDark = v.queuedDark.Plus(e.Spent[Queue])
		return
	}
	v.queuedIdle = v.queuedIdle.Plus(e.IdleFor[Queue])
	v.queuedBusy = v.queuedBusy.Plus(e.Spent[Queue].Minus(e.IdleFor[Queue]))
	v.idle.Add(e.IdleWaitingNS)
	v.unseen.Add(e.UnseenNS)
	v.busy.Add(e.BusyNS)
	v.queueBusy.Add(e.QueueBusyNS)
	v.hostTogether.Add(e.HostTogetherNS)
	v.fineBusy.Add(e.Fine.BusyNS)
	v.fineFull.Add(e.Fine.FullNS)
	v.buckets += e.Fine.Buckets
}

// decide makes the tables of the capture and of its engines.
func (r *reader) decide() {
	var shares []float64
	var dark int64
	for i := range r.Engines {
		if e := &r.Engines[i]; e.GPUKnown {
			shares = append(shares, e.Busy())
		} else {
			dark++
		}
	}
	r.Skew = little.SkewOf(shares)
	pace := r.slower()
	slices.Sort(shares)
	all := evidence{
		recorded: r.recorded, hidden: r.options.Hidden, unplaced: r.Unplaced, skew: r.Skew, own: math.NaN(),
		shares: shares, length: stat.SumOf(r.ToNS - r.FromNS), open: r.open, partial: r.partial, replicas: r.options.Replicas, stampNS: r.options.StampNS,
	}
	whole := all
	whole.slower = slowest(pace)
	whole.requests, whole.arrivals, whole.inFlight, whole.spent = r.Requests, r.Arrivals, r.Whole.InFlight.Integral, r.Unplaced.Spent
	for i := range r.Engines {
		e := &r.Engines[i]
		whole.add(e)
		one := all
		one.slower = pace[i]
		one.requests, one.arrivals, one.inFlight, one.own = e.Requests, e.Arrivals, e.InFlight.Integral, e.Busy()
		one.add(e)
		one.engines, one.dark = int64(len(r.Engines)), dark
		e.Table = one.table(!e.GPUKnown)
	}
	r.Table = whole.table(whole.dark > 0)
}

// table asks for every signature. dark says that GPU work of an engine in it is unknown.
func (v *evidence) table(dark bool) Table {
	device := v.device(dark)
	rows := []Row{
		v.noSaturation(dark), v.gatewayLimit(), v.slots(dark), v.kv(), v.transfer(device), v.host(dark, device), v.skewRow(), v.bursts(dark), device,
	}
	if len(v.partial) > 0 {
		return undecided(rows, v.partial)
	}
	t := tableOf(rows, v.share(v.busy, v.gpuUnknown.Plus(v.unplaced.Spent[GPU]), v.window), v.queueText(dark))
	if of := v.backingOff.Over(v.inFlight); t.Verdict.Kind == NoneFits && of >= material {
		// No row asks of it: what refused them, or kept them waiting, is told by those who tried.
		t.Verdict.Text += fmt.Sprintf("; clients wait for %s of the requests' time before they try again", exactly(of).percent())
	}
	return t
}

// bounds are what a figure may be.
type bounds struct {
	low, high float64
	undefined bool // over nothing
}

func exactly(x float64) bounds { return bounds{low: x, high: x} }

// share returns part/whole, when up to more of the whole may also be part of it.
func (v *evidence) share(part, more, whole stat.Sum) bounds {
	if whole.Sign() <= 0 {
		return bounds{undefined: true}
	}
	low := part.Over(whole)
	return bounds{low: low, high: max(low, min(1, part.Plus(more).Over(whole)))}
}

// anything is what a share may be of which nothing is known.
var anything = bounds{low: 0, high: 1}

const (
	missGPU     = "intervals of GPU work"
	missEngines = "which engine served the requests"
	missUnseen  = "what requests did while no interval tells"
	missTime    = "requests with a start and an end"
	missSlots   = "how many requests the engines run at a time"
	missKV      = "how full the KV cache was while requests queued"
	missBuckets = "arrivals over two buckets of 100 ms or more"
	missSame    = "which engines do the same work"
	missStamps  = "times finer than a bucket"
)

func missKind(w What) string { return "intervals of kind " + w.String() }

// ofTime is the share of the requests' time that a kind of interval takes.
func (v *evidence) ofTime(w What) (bounds, string) {
	more, told := v.unrecorded(w)
	switch {
	case !told:
		return anything, missKind(w)
	case v.inFlight.Sign() <= 0:
		return bounds{undefined: true}, missTime
	case more.Sign() > 0:
		return v.share(v.spent[w], more, v.inFlight), missKind(w)
	}
	return exactly(v.spent[w].Over(v.inFlight)), ""
}

// unrecorded returns how much time a kind of interval may have had beside what is recorded,
// false when nothing bounds it.
func (v *evidence) unrecorded(w What) (stat.Sum, bool) {
	if v.recorded.Has(w) {
		return stat.Sum{}, true
	}
	return v.hidden[w].Value, v.hidden[w].Known
}

// waitsOfNoEngine returns the request-ns in which requests of no known engine may have
// waited at any: that of their waits, or all of their time if that is more.
func (v *evidence) waitsOfNoEngine() stat.Sum {
	waits := stat.Sum{}
	for w := Gateway; w < whats; w++ {
		waits = waits.Plus(v.unplaced.Spent[w])
	}
	if v.unplaced.InFlight.Minus(waits).Sign() > 0 {
		return v.unplaced.InFlight
	}
	return waits
}

func (v *evidence) noSaturation(dark bool) Row {
	r := newRow(NoSaturation)
	nowhere := v.waitsOfNoEngine()
	var idle bounds
	missing := missUnseen
	switch {
	case !v.recorded.Has(GPU):
		idle, missing = anything, missGPU
	case v.engines == 0 || v.present.Sign() <= 0:
		idle, missing = bounds{undefined: true}, missEngines
	default:
		// An interval of GPU work, or a wait, of no engine may have been at one.
		low := v.idle.Minus(v.unplaced.Spent[GPU])
		if low.Sign() < 0 {
			low = stat.Sum{}
		}
		whole := v.present.Plus(nowhere)
		idle.low = low.Over(whole)
		idle.high = min(1, max(v.idle.Over(v.present), v.idle.Plus(v.unseen).Plus(v.gpuUnknown).Plus(nowhere).Over(whole)))
		if dark {
			missing = missGPU
		} else if nowhere.Minus(v.unseen).Sign() > 0 {
			missing = missEngines
		}
	}
	r.below("idle_while_waiting", idle, nothing, v.requests, OfRequests, missing)
	n := bounds{undefined: true}
	if v.engineInFlight.Sign() > 0 {
		n = bounds{low: v.engineInFlight.Over(v.present)}
		n.high = max(n.low, v.engineInFlight.Plus(v.unplaced.InFlight).Over(v.present))
	}
	// Over the time with work: a mean over all time hides what bursts do.
	r.below("mean_in_flight_while_work_is_present", n, fewN, v.requests, OfRequests, missEngines)
	return r.done()
}

// ofWaiting is the share of all waits that are in front of the engines, and which kinds of
// wait leave it open.
func (v *evidence) ofWaiting() (bounds, []string) {
	var all, others stat.Sum // others: what other waits may have had beside what is recorded
	var missing []string
	told := true // of other waits
	for w := Gateway; w < whats; w++ {
		all = all.Plus(v.spent[w])
		more, bounded := v.unrecorded(w)
		if !bounded || more.Sign() > 0 {
			missing = append(missing, missKind(w))
		}
		if w != Gateway {
			others, told = others.Plus(more), told && bounded
		}
	}
	own := v.spent[Gateway]
	var of bounds
	if told {
		of.low = own.Over(all.Plus(others))
	}
	more, bounded := v.unrecorded(Gateway)
	if of.high = 1; bounded {
		of.high = max(of.low, own.Plus(more).Over(all.Plus(more)))
	}
	return of, missing
}

func (v *evidence) gatewayLimit() Row {
	r := newRow(GatewayLimit)
	of, lacks := v.ofWaiting()
	r.atLeast("gateway_share_of_waiting", of, mostly, v.requests, OfRequests, lacks...)
	of, missing := v.ofTime(Gateway)
	r.atLeast("gateway_share_of_request_time", of, material, v.requests, OfRequests, missing)
	hidden, told := v.unrecorded(Queue)
	of, missing = v.share(v.queue, v.unplaced.Spent[Queue].Plus(hidden), v.present), missEngines
	switch {
	case !told:
		of, missing = anything, missKind(Queue)
	case hidden.Sign() > 0:
		missing = missKind(Queue)
	case of.undefined && v.spent[Queue].Sign() == 0:
		of = exactly(0) // there is no engine, and nobody in a queue
	}
	r.below("engine_queue_occupied", of, empty, v.requests, OfRequests, missing)
	return r.done()
}

// queued asks whether the engine queue matters; where nobody was in one, no more is asked.
func (v *evidence) queued(r *Row) bool {
	of, missing := v.ofTime(Queue)
	r.atLeast("queue_share_of_request_time", of, material, v.requests, OfRequests, missing)
	return !v.nobodyQueued()
}

func (v *evidence) nobodyQueued() bool { return v.queue.Plus(v.unplaced.Spent[Queue]).Sign() <= 0 }

// ofQueue is the share of the time with somebody in an engine's queue for which something
// held, from surely to perhaps. A wait of no engine was in the queue of some engine, for as
// long at most, and it may have held there or not.
func (v *evidence) ofQueue(surely, perhaps stat.Sum) bounds {
	nowhere := v.unplaced.Spent[Queue]
	whole := v.queue.Plus(nowhere)
	low := surely.Over(whole)
	return bounds{low: low, high: max(low, min(1, perhaps.Plus(nowhere).Over(whole)))}
}

func (v *evidence) slots(dark bool) Row {
	r := newRow(SlotsFull)
	if v.queued(&r) {
		missing := missSlots
		if v.slotsMay.Minus(v.slotsFull).Sign() <= 0 { // it is the waits of no engine that leave doubt
			missing = missEngines
		}
		r.atLeast("slots_full_while_queued", v.ofQueue(v.slotsFull, v.slotsMay), mostly, v.requests, OfRequests, missing)
		of, missing := v.busyQueued(dark)
		r.below("busy_while_queued", of, busy, v.requests, OfRequests, missing)
	}
	return r.done()
}

func (v *evidence) kv() Row {
	r := newRow(KVFull)
	if v.queued(&r) {
		missing := missKV
		switch {
		case v.kvMay.Minus(v.kvFull).Sign() <= 0:
			missing = missEngines
		case v.slotsMay.Minus(v.slotsFull).Sign() > 0:
			missing = missSlots
		}
		r.atLeast("slots_free_and_kv_full_while_queued", v.ofQueue(v.kvFull, v.kvMay), mostly, v.requests, OfRequests, missing)
	}
	if v.preempted.Asked {
		queued, often := r.done(), v.preemptRow()
		if r.or(often); queued.Speaks != For && often.Speaks == For {
			r.Means = meansPreempted
		}
	}
	return r.done()
}

func (v *evidence) transfer(device Row) Row {
	r := newRow(TransferBound)
	of, missing := v.ofTime(Transfer)
	r.atLeast("transfer_share_of_request_time", of, high, v.requests, OfRequests, missing)
	v.beside(&r, device)
	return r.done()
}

func (v *evidence) host(dark bool, device Row) Row {
	r := newRow(HostBound)
	of, missing := v.ofTime(Host)
	r.atLeast("host_share_of_request_time", of, high, v.requests, OfRequests, missing)
	of, missing = v.share(v.hostTogether, v.unplaced.Spent[Host], v.present), missEngines
	switch {
	case !v.recorded.Has(Host):
		of, missing = anything, missKind(Host)
	case !v.recorded.Has(GPU) || dark:
		of, missing = bounds{low: of.low, high: 1, undefined: of.undefined}, missGPU
	}
	r.atLeast("several_in_host_work_and_gpu_idle", of, nothing, v.requests, OfRequests, missing)
	v.beside(&r, device)
	return r.done()
}

func (v *evidence) bursts(dark bool) Row {
	r := newRow(Bursts)
	of, inside, full := v.share(v.busy, v.unplaced.Spent[GPU], v.window), v.share(v.busy, v.unplaced.Spent[GPU], v.present), bounds{undefined: true}
	if v.fineBusy.Sign() > 0 {
		full = exactly(v.fineFull.Over(v.fineBusy))
	} else if v.recorded.Has(GPU) && !dark && v.buckets > 0 {
		full = exactly(0)
	}
	if !v.recorded.Has(GPU) || dark {
		of, inside, full = anything, anything, anything
	}
	r.below("busy", of, busy, v.requests, OfRequests, missGPU)
	r.atLeast("busy_while_work_is_present", inside, busy, v.requests, OfRequests, missGPU)
	r.atLeast("busy_time_in_full_buckets", full, mostly, v.buckets, OfBuckets, missGPU)
	index, n := bounds{undefined: true}, int64(v.arrivals.Buckets)
	gate, lacks := bursty, missBuckets
	if n > 1 {
		// Of n buckets with random arrivals, chance moves the index by sqrt(2/(n-1)).
		gate = max(gate, 1+3*math.Sqrt(2/float64(n-1)))
		index = exactly(v.arrivals.Index)
		if v.stampNS > Bucket {
			// A stamp puts together what came apart. Nothing exceeds all of them in one bucket.
			index, lacks = bounds{high: max(v.arrivals.Index, float64(v.requests))}, missStamps
		}
	}
	r.atLeast("dispersion_of_arrivals", index, gate, n, OfBuckets, lacks)
	return r.done()
}
