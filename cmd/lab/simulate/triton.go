package simulate

import "math/rand/v2"

// triton is Triton's request path: handler threads that parse requests, a dynamic
// batcher, model instances that run one batch each, and the response as one
// message. The instances share the engine's step costs; a batch computes all its
// prompts and then decodes until its longest output is complete.
type triton struct {
	clock   *clock
	place   Replica
	cfg     *Batcher
	cost    *Engine
	cold    *Cold
	threads *station
	edge    *edge
	noise   *rand.Rand
	record  *EngineLog

	free     int // idle instances that have loaded
	fresh    int // instances that have not run a batch yet
	queue    []*request
	alarm    int64 // instant at which the queue's head has waited long enough
	readFrom int64 // when the gRPC handler began to wait for its next request
	serial   int64

	// idle sums the time during which requests waited although an instance was
	// free, up to idleAt: the batcher's own delay.
	idle, idleAt int64
	loaded       bool
	paused       bool
	causes       ledgerOfCauses
}

// newTriton is the i-th replica; for its streams see [newHost].
func newTriton(c *clock, sc *Scenario, i int, e *edge, seed uint64, record *EngineLog) *triton {
	return &triton{clock: c, place: sc.replicas()[i], causes: ledgerOfCauses{since: epochNS, cause: causeStuck}, cfg: &sc.Batcher, cost: &sc.Engine, cold: &sc.Cold,
		threads: newStation(c, sc.Batcher.Threads), edge: e, noise: stream(seed, sc.Name, numbered("host", i)),
		record: record, fresh: sc.Batcher.Instances, readFrom: epochNS, idleAt: epochNS}
}

// start makes the instances available, at once or when a cold server has loaded.
func (b *triton) start() {
	b.clock.at(b.cold.readyNS(), func(at int64) {
		b.settle(at)
		b.free, b.loaded = b.cfg.Instances, true
		b.form(at)
	})
}

// cancel does nothing: a request once received is executed, whoever waits for it.
func (b *triton) cancel(*request) {}

// receive parses a request on a handler thread and queues it. The trace begins
// when it is sampled, half-way through the handler and after the body was read,
// so the receive events lie before the span that carries them. A gRPC handler
// has been waiting for a next request since the one before.
func (b *triton) receive(r *request) {
	if r.grpc {
		r.readBegin, b.readFrom = b.readFrom, r.received
	}
	parse := lognormal(b.noise, b.cfg.ParseNS, hostSigma)
	b.threads.submit(job{
		need:  parse,
		begin: func(at int64) { r.rootStart = at + parse/2 },
		end: func(at int64) {
			b.serial++
			r.serial = b.serial
			r.requestStart = at
			r.queueStart = at + tritonStepNS
			b.clock.at(r.queueStart, func(at int64) {
				b.settle(at)
				r.formed = b.idle
				r.held, r.waits = b.causes.upTo(at), true
				b.queue = append(b.queue, r)
				b.record.queue(at, +1, r)
				b.form(at)
			})
		},
	})
}

// tritonStepNS is the time between two of Triton's own stamps with nothing but
// bookkeeping in between, in ns.
const tritonStepNS = 6 * us

// settle brings the batcher's delay account up to instant at.
func (b *triton) settle(at int64) {
	if b.free > 0 && len(b.queue) > 0 && !b.paused {
		b.idle += at - b.idleAt
	}
	b.idleAt = at
}

// form starts batches while an instance is free and either a batch is full or
// its oldest request has waited for the permitted delay.
func (b *triton) form(at int64) {
	defer func() { b.causes.turn(at, b.keeping()) }()
	until := b.place.pausedUntil(at)
	if b.paused = until > 0; b.paused {
		b.clock.at(until, func(at int64) {
			b.settle(at)
			b.form(at)
		})
		return
	}
	for b.free > 0 && len(b.queue) > 0 {
		n := min(len(b.queue), b.cfg.MaxBatch)
		if due := b.queue[0].queueStart + b.cfg.MaxDelayNS; n < b.cfg.MaxBatch && at < due {
			if b.alarm != due {
				b.alarm = due
				b.clock.at(due, func(at int64) {
					b.settle(at)
					b.form(at)
				})
			}
			return
		}
		batch := b.queue[:n:n]
		b.queue = b.queue[n:]
		b.free--
		b.execute(batch, at)
	}
}

// keeping says what keeps the queue waiting.
func (b *triton) keeping() cause {
	switch {
	case b.paused, !b.loaded:
		return causeStuck
	case b.free == 0:
		return causeSlots
	}
	return causeDelay
}

// execute runs a batch on one instance. All its requests share the same stamps.
func (b *triton) execute(batch []*request, at int64) {
	prompt, longest := 0, 0
	for _, r := range batch {
		prompt += r.prompt
		longest = max(longest, r.output)
	}
	n := int64(len(batch))
	infer := b.cost.StepNS + int64(prompt)*b.cost.PrefillNS + int64(longest-1)*(b.cost.StepNS+n*b.cost.DecodeSeqNS)
	infer = lognormal(b.noise, b.place.slow(infer), b.cost.StepSigma)
	if b.fresh > 0 {
		b.fresh--
		infer += b.cold.KernelNS
	}
	inputEnd := at + b.cfg.InputNS + int64(prompt)*b.cfg.InputTokenNS
	outputStart := inputEnd + infer
	end := outputStart + b.cfg.OutputNS + n*b.cfg.OutputSeqNS
	for _, r := range batch {
		r.computeStart, r.inputEnd, r.outputStart, r.computeEnd = at, inputEnd, outputStart, end
		r.batchDelay = b.idle - r.formed
		r.held, r.waits = b.causes.upTo(at).since(r.held), false
		b.record.queue(at, -1, r)
	}
	b.record.Steps = append(b.record.Steps, Step{StartNS: at, EndNS: end, PrefillTokens: prompt,
		Decodes: len(batch), Waiting: len(b.queue), FreeSlots: b.free})
	b.clock.at(end, func(at int64) {
		for i, r := range batch {
			b.respond(r, at+int64(i+1)*tritonStepNS)
		}
		b.settle(at)
		b.free++
		b.form(at)
	})
}

// respond ends the model's span at instant at and sends the response on a handler
// thread. The root span outlives the send by the time it takes to release it.
func (b *triton) respond(r *request, at int64) {
	r.requestEnd = at
	r.responseComplete = at + tritonStepNS
	build := lognormal(b.noise, b.cfg.ResponseNS, hostSigma)
	b.clock.at(r.responseComplete, func(int64) {
		b.threads.submit(job{need: build, end: func(at int64) {
			r.sendStart = at
			r.sendEnd = at + 5*tritonStepNS
			r.rootEnd = r.sendEnd + 2*tritonStepNS
			b.edge.emit(r, r.sendEnd, int64(r.output)*outputBytes, true)
		}})
	})
}
