package simulate

import (
	"math/bits"
	"math/rand/v2"
)

// reserveShare is the part of the blocks, one in so many, that an engine which
// prefills first keeps for running requests when it admits another.
const reserveShare = 100

// policy is how an engine forms its steps and stamps its requests.
type policy struct {
	// mixed puts prefill chunks and decodes into one step, decodes first. An
	// engine without it runs prefill steps while it can and decodes otherwise.
	mixed bool
	// chunked lets a prompt be computed over several steps. Without it a prompt
	// longer than a step's tokens gets a step of its own.
	chunked bool
	// queueAtReceive stamps QUEUED when the request arrives rather than when the
	// loop takes note of it.
	queueAtReceive bool
	// queueFromArrival says that the server counts its queue from the arrival at
	// its host process.
	queueFromArrival bool
	// hostInLoop handles outputs in the engine's own loop, which delays the next
	// step, before they are handed on.
	hostInLoop bool
}

// output is one request's share of a step's outcome: one token.
type output struct {
	r     *request
	final bool
}

// part is one request's share of a step.
type part struct {
	r      *request
	tokens int
}

// engine is the loop that owns the GPU: it takes note of new requests between
// steps, forms a step, executes it, hands the tokens on, and begins again at
// once. It sleeps only when it has no request at all.
type engine struct {
	clock  *clock
	cfg    *Engine
	cold   *Cold
	place  Replica
	rule   policy
	noise  *rand.Rand
	record *EngineLog
	// deliver takes the outputs of a step that ended at the given instant and
	// returns for how long that occupies the loop, in ns.
	deliver func(outs []output, at int64) int64
	// hold, unless nil, is asked for every request that the loop takes note of at
	// an instant, and returns whether it keeps the request until it is enlisted.
	hold func(r *request, at int64) bool

	awake   bool
	paused  bool // takes no new requests
	input   []*request
	waiting []*request
	running []*request
	free    int    // blocks
	warm    uint64 // size classes that have been compiled
	step    Step   // being formed
	causes  ledgerOfCauses
}

func newEngine(c *clock, sc *Scenario, place Replica, rule policy, noise *rand.Rand, record *EngineLog) *engine {
	return &engine{clock: c, cfg: &sc.Engine, cold: &sc.Cold, place: place, rule: rule, noise: noise,
		record: record, free: sc.Engine.Blocks, causes: ledgerOfCauses{since: epochNS}}
}

// start keeps the loop busy until a cold engine has loaded.
func (e *engine) start() {
	if ready := e.cold.readyNS(); ready > epochNS {
		e.awake = true
		e.causes.turn(epochNS, causeStuck)
		e.clock.at(ready, e.iterate)
	}
}

// receive puts a request into the loop's input and wakes a sleeping loop.
func (e *engine) receive(r *request) {
	if r.gone > 0 {
		return
	}
	at := e.clock.now
	e.input = append(e.input, r)
	r.held, r.waits = e.causes.upTo(at), true
	if e.hold == nil {
		e.record.Received = append(e.record.Received, QueueEvent{AtNS: at, Change: +1, request: r})
	}
	if e.rule.queueAtReceive {
		e.enqueue(r, at)
	}
	e.wake(at)
}

// wake lets a sleeping loop turn.
func (e *engine) wake(at int64) {
	if !e.awake {
		e.awake = true
		e.iterate(at)
	}
}

// enqueue begins a request's wait. V0 counts it from arrival, so what keeps the
// request before this instant counts as well.
func (e *engine) enqueue(r *request, at int64) {
	r.queued = at
	if !e.rule.queueFromArrival {
		r.held = e.causes.upTo(at)
	}
	e.record.queue(at, +1, r)
}

// enlist puts a request that was held among the waiting ones.
func (e *engine) enlist(r *request) {
	e.record.Received = append(e.record.Received, QueueEvent{AtNS: e.clock.now, Change: +1, request: r})
	e.waiting = append(e.waiting, r)
	e.wake(e.clock.now)
}

// iterate is one turn of the loop.
func (e *engine) iterate(at int64) {
	until := e.place.pausedUntil(at)
	e.paused = until > 0
	for _, r := range e.takeInput() {
		r.taken = at
		at += e.cfg.AddNS
		if e.hold != nil && e.hold(r, at) {
			continue
		}
		if !e.rule.queueAtReceive {
			e.enqueue(r, at)
		}
		e.waiting = append(e.waiting, r)
	}

	e.dropGone()
	parts := e.plan(at)
	e.causes.turn(at, e.keeping())
	if len(parts) == 0 {
		if e.awake = e.paused; e.paused {
			e.clock.at(until, e.iterate)
		}
		return
	}
	e.execute(parts, at)
}

// execute runs a step that was formed from instant at on. Its length is the time
// to form it, a fixed part, and a part for each prefill token and each decoding
// request; a first step of its size class also compiles.
func (e *engine) execute(parts []part, at int64) {
	prefill, decodes := 0, 0
	for _, p := range parts {
		if p.r.decoding() {
			decodes++
			p.r.decodes(at)
		} else {
			prefill += p.tokens
		}
	}
	forming := e.cfg.ScheduleNS + int64(len(parts))*e.cfg.ScheduleSeqNS
	forward := e.cfg.StepNS + int64(prefill)*e.cfg.PrefillNS + int64(decodes)*e.cfg.DecodeSeqNS
	forward = lognormal(e.noise, e.place.slow(forward), e.cfg.StepSigma)
	if e.cold.KernelNS > 0 {
		if class := uint64(1) << bits.Len(uint(prefill+decodes)); e.warm&class == 0 {
			e.warm |= class
			forward += e.cold.KernelNS
		}
	}
	end := at + forming + forward
	e.step.EndNS, e.step.PrefillTokens, e.step.Decodes = end, prefill, decodes
	e.record.Steps = append(e.record.Steps, e.step)
	e.clock.at(end, func(end int64) { e.finish(parts, at, forming, forward, end) })
}

// finish books a step's tokens, frees finished requests and goes on.
func (e *engine) finish(parts []part, begin, forming, forward, at int64) {
	outs := make([]output, 0, len(parts))
	for _, p := range parts {
		r := p.r
		if r.gone > 0 {
			continue
		}
		r.scheduleNS += forming
		r.forwardNS += forward
		r.executeNS += at - begin
		r.computed += p.tokens
		if r.need() > 0 {
			continue // more of the prompt to come
		}
		r.produced++
		if r.produced == 1 {
			r.firstToken = at
		}
		r.lastToken = at
		if n := len(r.preemptions); n > 0 && r.preemptions[n-1].prefilled == 0 {
			r.preemptions[n-1].prefilled = at
		}
		final := r.produced == r.output
		if final {
			e.release(r)
			e.running = without(e.running, r)
		}
		outs = append(outs, output{r, final})
	}
	busy := e.deliver(outs, at)
	e.clock.at(at+e.cfg.LoopNS+busy, e.iterate)
}

// plan forms the next step at instant at, or none if there is no work. It leaves
// behind in e.step what could have been had beyond it.
func (e *engine) plan(at int64) []part {
	var parts []part
	e.step = Step{StartNS: at}
	if e.rule.mixed {
		parts = e.planMixed(at)
	} else {
		parts = e.planPrefillFirst(at)
	}
	free := e.cfg.TokensPerStep
	for _, p := range parts {
		free -= p.tokens
		if !p.r.decoding() {
			e.step.Prefills++
		}
	}
	e.step.Running, e.step.Waiting = len(e.running), len(e.waiting)
	e.step.FreeSlots, e.step.FreeTokens, e.step.FreeBlocks = e.cfg.Slots-len(e.running), max(free, 0), e.free
	if len(e.waiting) > 0 {
		e.step.HeadTokens = e.chunk(e.waiting[0], e.step.FreeTokens)
		e.step.HeadBlocks = e.blocksFor(e.waiting[0], e.step.HeadTokens)
		if !e.rule.mixed {
			e.step.HeadBlocks = e.blocksFor(e.waiting[0], e.waiting[0].need()) + e.cfg.Blocks/reserveShare
		}
	}
	return parts
}

// planMixed serves running requests first, decodes and remaining chunks alike,
// and then admits waiting ones. A request that had to be preempted is the last
// running one, so none of those already in the step.
func (e *engine) planMixed(at int64) []part {
	parts, budget := e.serve(nil, e.cfg.TokensPerStep, at, func(*request) bool { return true })
	return e.admitWaiting(parts, budget, at)
}

// planPrefillFirst forms a prefill step from prompts that are partly computed and
// from waiting requests; only if neither yields work, it decodes all running ones.
func (e *engine) planPrefillFirst(at int64) []part {
	prefilling := func(r *request) bool { return !r.decoding() }
	parts, budget := e.serve(nil, e.cfg.TokensPerStep, at, prefilling)
	if parts = e.admitWaiting(parts, budget, at); len(parts) > 0 {
		return parts
	}
	parts, _ = e.serve(nil, e.cfg.TokensPerStep, at, (*request).decoding)
	return parts
}

// serve adds the running requests that are wanted to a step while its budget of
// tokens lasts, and returns the step and what is left of the budget.
func (e *engine) serve(parts []part, budget int, at int64, wanted func(*request) bool) ([]part, int) {
	for i := 0; i < len(e.running) && budget > 0; i++ {
		r := e.running[i]
		if !wanted(r) {
			continue
		}
		n := e.chunk(r, budget)
		if !e.grow(r, n, at) {
			break
		}
		parts = append(parts, part{r, n})
		budget -= n
	}
	return parts, budget
}

// admitWaiting adds waiting requests, in order, while tokens, slots and blocks
// last. Nobody is admitted into a step that had to preempt.
func (e *engine) admitWaiting(parts []part, budget int, at int64) []part {
	prefills := 0
	for _, p := range parts {
		if !p.r.decoding() {
			prefills++
		}
	}
	for !e.paused && !e.step.Preempted && len(e.waiting) > 0 && budget > 0 && len(e.running) < e.cfg.Slots {
		n := e.chunk(e.waiting[0], budget)
		if n > budget && len(parts) > 0 {
			break
		}
		decoding := e.waiting[0].decoding() // its prompt was computed elsewhere
		if !decoding {
			if e.cfg.Prefills > 0 && prefills == e.cfg.Prefills {
				break
			}
			prefills++
		}
		r := e.admit(n, at)
		if r == nil {
			break
		}
		if decoding && !e.rule.mixed {
			continue // it joins the next step that decodes
		}
		parts = append(parts, part{r, n})
		budget -= n
	}
	return parts
}

// chunk is how many tokens of r go into a step that has room for budget.
func (e *engine) chunk(r *request, budget int) int {
	if e.rule.chunked && !e.cfg.Unchunked || r.decoding() {
		return min(r.need(), budget)
	}
	return r.need()
}

// blocksFor is how many more blocks r needs to hold n more tokens.
func (e *engine) blocksFor(r *request, n int) int {
	return (r.computed+n+e.cfg.BlockTokens-1)/e.cfg.BlockTokens - r.blocks
}

// grow gives a running request the blocks for n more tokens. When there are none
// left it preempts running requests, the last admitted first; false means that r
// itself had to go.
func (e *engine) grow(r *request, n int, at int64) bool {
	for e.blocksFor(r, n) > e.free {
		victim := e.running[len(e.running)-1]
		e.preempt(victim, at)
		if victim == r {
			return false
		}
	}
	e.take(r, n)
	return true
}

// admit moves the first waiting request into the running ones, with the blocks
// that it needs for n tokens, or returns nil if those are not free. An engine that
// prefills first takes the blocks of the whole prompt at once and leaves a reserve
// for the others to grow into, or else it would admit what it must preempt in the
// next step.
func (e *engine) admit(n int, at int64) *request {
	r := e.waiting[0]
	reserve := 0
	if !e.rule.mixed {
		n = r.need()
		if len(e.running) > 0 {
			reserve = e.cfg.Blocks / reserveShare
		}
	}
	if e.blocksFor(r, n)+reserve > e.free {
		return nil
	}
	e.take(r, n)
	e.waiting = e.waiting[1:]
	e.running = append(e.running, r)
	if r.scheduled == 0 {
		r.scheduled = at
		r.held, r.waits = e.causes.upTo(at).since(r.held), false
		e.record.queue(at, -1, r)
	}
	if r.handedOver {
		r.handedOver = false
		e.clock.at(at, func(at int64) { e.deliver([]output{{r, false}}, at) })
	}
	if n := len(r.preemptions); n > 0 && r.preemptions[n-1].to == 0 {
		r.preemptions[n-1].to = at
	}
	return r
}

// preempt throws a running request's memory away and puts it first in line; it
// will have to compute its prompt and its output so far again.
func (e *engine) preempt(r *request, at int64) {
	e.running = e.running[:len(e.running)-1]
	e.release(r)
	r.computed = 0
	if r.produced > 0 {
		r.decodes(at)
	}
	r.preemptions = append(r.preemptions, preemption{from: at})
	e.waiting = append([]*request{r}, e.waiting...)
	e.step.Preempted = true
}

func (e *engine) take(r *request, n int) {
	k := e.blocksFor(r, n)
	r.blocks += k
	e.free -= k
}

func (e *engine) release(r *request) {
	e.free += r.blocks
	r.blocks = 0
}

// without removes r from list, keeping the order of the others.
func without(list []*request, r *request) []*request {
	for i, other := range list {
		if other == r {
			copy(list[i:], list[i+1:])
			list[len(list)-1] = nil
			return list[:len(list)-1]
		}
	}
	return list
}
