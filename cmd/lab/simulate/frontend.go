package simulate

import (
	"fmt"
	"math/rand/v2"
)

// host is the server's host process in front of an engine: it accepts requests
// on an event loop, tokenises them on its own threads, hands them to the engine,
// and turns the engine's tokens into response messages. Loop and tokenisers are
// queues like any other and can be the bottleneck.
type host struct {
	clock      *clock
	cfg        *Frontend
	server     Server
	loop       *station
	detokenize *station
	tokenizers *station
	engine     *engine
	edge       *edge
	noise      *rand.Rand
}

// policies is how each server's engine behaves; see [policy].
var policies = map[Server]policy{
	VLLM:   {mixed: true, chunked: true},
	VLLMV0: {hostInLoop: true, queueFromArrival: true},
	SGLang: {chunked: true},
	TGI:    {queueAtReceive: true},
}

// hostThreads is how many requests a host's loop can handle at once: Python's
// event loops are single threads, TGI's router is not.
func hostThreads(server Server) int {
	if server == TGI {
		return 8
	}
	return 1
}

// newHost is the i-th replica. The first draws from streams of the names that a lone
// one has, so that a second changes nothing about it.
func newHost(c *clock, sc *Scenario, server Server, i int, e *edge, seed uint64, record *EngineLog) *host {
	h := &host{
		clock: c, cfg: &sc.Frontend, server: server, edge: e,
		loop:       newStation(c, hostThreads(server)),
		detokenize: newStation(c, 1),
		tokenizers: newStation(c, sc.Frontend.Tokenizers),
		engine:     newEngine(c, sc, sc.replicas()[i], policies[server], stream(seed, sc.Name, numbered("steps", i)), record),
		noise:      stream(seed, sc.Name, numbered("host", i)),
	}
	h.engine.deliver = h.deliver
	return h
}

// numbered is the name of the i-th of several streams.
func numbered(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s/%d", name, i)
}

func (h *host) start() { h.engine.start() }

// cancel aborts a request that is not finished.
func (h *host) cancel(r *request) {
	if r.spanEnd == 0 {
		r.gone = h.clock.now
		h.engine.abort(r, r.gone)
	}
}

// receive handles a complete request: parse on the loop, tokenise on a tokeniser
// thread, dispatch on the loop, one message to the engine. TGI's queue lives in
// the router, so there is nothing to dispatch.
func (h *host) receive(r *request) {
	h.loop.submit(job{
		need:  h.cfg.HandleNS,
		begin: func(at int64) { r.arrival = at },
		end: func(at int64) {
			r.handled = at
			h.tokenizers.submit(job{need: h.tokenizeNS(r), end: func(at int64) {
				r.tokenized = at
				if h.server == TGI {
					h.engine.receive(r)
					return
				}
				h.dispatch(r)
			}})
		},
	})
}

func (h *host) tokenizeNS(r *request) int64 {
	return lognormal(h.noise, h.cfg.TokenizeNS+int64(r.prompt)*h.cfg.TokenizeTokenNS, hostSigma)
}

func (h *host) dispatch(r *request) {
	h.loop.submit(job{
		need:  h.cfg.DispatchNS,
		begin: func(at int64) { r.dispatchBegin = at },
		end: func(at int64) {
			r.dispatched = at
			h.clock.at(at+h.message(), func(int64) { h.engine.receive(r) })
		},
	})
}

// hostSigma spreads the host's own work: the standard deviation of the logarithm
// of a tokenisation and of a message between processes.
const hostSigma = 0.25

// message draws the time of one message between host and engine process, in ns.
func (h *host) message() int64 { return lognormal(h.noise, h.cfg.IPCNS, hostSigma) }

// deliver takes the outputs of a step that ended at instant at to the loop. In
// V0 the engine's own loop detokenises and writes the spans before that; in
// SGLang a separate process detokenises; in TGI only finished requests matter.
func (h *host) deliver(outs []output, at int64) (busyNS int64) {
	switch h.server {
	case VLLMV0:
		busyNS = h.handle(outs, at, h.cfg.DetokenizeNS)
		h.clock.at(at+busyNS+h.message(), func(int64) {
			h.loop.submit(job{need: h.cfg.OutputNS, end: func(at int64) { h.flush(outs, at) }})
		})
	case SGLang:
		h.clock.at(at+h.message(), func(int64) {
			h.detokenize.submit(job{need: int64(len(outs)) * h.cfg.DetokenizeNS, end: func(at int64) {
				h.clock.at(at+h.message(), func(int64) { h.process(outs, 0) })
			}})
		})
	case TGI:
		finished := make([]output, 0, len(outs))
		for _, o := range outs {
			if o.final {
				finished = append(finished, o)
			}
		}
		if len(finished) > 0 {
			h.clock.at(at+h.message(), func(int64) { h.process(finished, h.cfg.DetokenizeNS) })
		}
	default:
		h.clock.at(at+h.message(), func(int64) { h.process(outs, h.cfg.DetokenizeNS) })
	}
	return busyNS
}

// process handles outputs on the loop and then writes them to their connections,
// which is when asyncio gets to the handlers of the requests.
func (h *host) process(outs []output, perTokenNS int64) {
	need := h.cfg.OutputNS
	for _, o := range outs {
		need += perTokenNS
		if o.final {
			need += h.cfg.FinishNS
		}
	}
	h.loop.submit(job{
		need:  need,
		begin: func(at int64) { h.handle(outs, at, perTokenNS) },
		end:   func(at int64) { h.flush(outs, at) },
	})
}

// handle stamps the outputs as they are handled one after the other from instant
// at on, and returns how long that takes, in ns. The first and last stamps are
// taken once for all outputs of the step, before the first is detokenised; a
// request's span ends when its own turn is over.
func (h *host) handle(outs []output, at, perTokenNS int64) int64 {
	done := at + h.cfg.OutputNS
	for _, o := range outs {
		if o.r.gone > 0 {
			continue
		}
		if o.r.firstOutput == 0 {
			o.r.firstOutput = at
		}
		done += perTokenNS
		if o.final {
			done += h.cfg.FinishNS
			o.r.lastOutput = at
			o.r.spanEnd = done
		}
	}
	return done - at
}

// flush writes the outputs to their connections after instant at.
func (h *host) flush(outs []output, at int64) {
	at += h.cfg.FlushNS
	for _, o := range outs {
		if o.r.gone > 0 {
			continue
		}
		if !h.server.streams() {
			o.r.rootEnd = at
			h.edge.emit(o.r, at, int64(o.r.output)*outputBytes, true)
			continue
		}
		if o.r.firstEmit == 0 {
			o.r.firstEmit = at
		}
		h.edge.emit(o.r, at, eventBytes, o.final)
	}
}
