package simulate

import (
	"encoding/hex"
	"fmt"
)

// ledger sorts the time from one instant on into stages. Because it only ever
// books the time from the last instant to the next, what it holds adds up to the
// whole by construction; that the instants are in order is checked.
type ledger struct {
	at      int64
	stages  StageNS
	details DetailNS
	// limit, unless 0, is where the account ends: what came later or never counts
	// as what it was becoming, up to there.
	limit int64
	// hide books into hidden as well: no span shows it.
	hide   bool
	hidden StageNS
	err    error
}

// to books the time up to instant t.
func (l *ledger) to(t int64, stage int, detail string) {
	if l.limit > 0 && (t == 0 || t > l.limit) {
		t = l.limit
	}
	if t < l.at && l.err == nil {
		l.err = fmt.Errorf("%s ends %d ns before it begins", detailKey(StageNames[stage], detail), l.at-t)
	}
	l.stages[stage] += t - l.at
	if l.hide {
		l.hidden[stage] += t - l.at
	}
	l.details.add(detailKey(StageNames[stage], detail), t-l.at)
	l.at = t
}

// planted sorts the time of a finished call into stages, as a perfect reader of
// its spans would.
func planted(sc *Scenario, c *call, server Server) (Truth, error) {
	first, r := c.attempts[0], c.last()
	end := r.clientEnd
	if sc.Gateway.EndAtHeaders {
		end = max(r.firstAtClient, r.egressEnd)
	}
	t := Truth{
		TraceID: hex.EncodeToString(r.traceID[:]),
		StartNS: first.sent, EndNS: end, ArrivalNS: r.arrival,
		Region: r.route.Region, Class: r.class.Name,
		PromptTokens: r.prompt, OutputTokens: r.output,
		Attempts: len(c.attempts), Status: r.answeredWith(), Aborted: r.abandoned > 0,
		ClientHost: clientHost(r.route.Region), GatewayHost: gatewayHost,
	}
	places := sc.replicas()
	if r.egressStart > 0 {
		t.ServerHost = places[r.replica].Host
	}
	if r.other != nil {
		t.PrefillHost = places[r.other.replica].Host
		t.KVTransferNS = r.kvEnd - r.kvBegin
		t.ArrivalNS = min(r.arrival, r.other.arrival)
	}
	if server == Triton {
		t.ArrivalNS = r.received
	}
	if t.ArrivalNS > end {
		t.ArrivalNS = 0
	}
	t.PreemptedNS = r.preemptedNS(end)

	l := ledger{at: first.sent}
	l.attemptsBefore(c, r, server, false)
	l.attempt(r, server, end, false)
	t.StagesNS, t.DetailsNS, t.HiddenNS = l.stages, l.details, l.hidden
	t.ErrorNS = readerError(sc, c, server)
	t.queueCauses(c.held(server, end))
	if l.err != nil {
		return t, l.err
	}
	var err error
	if t.Gateway, err = gatewayVantage(c, server); err != nil {
		return t, fmt.Errorf("gateway: %w", err)
	}
	if r.shownFirstToken(server) == 0 || r.firstAtClient == 0 || r.firstAtClient > end {
		return t, nil
	}
	return t, firstToken(&t, sc, c, server)
}

// gatewayVantage is the same call as the gateway saw it: from the headers of its
// first attempt to the end of the last.
func gatewayVantage(c *call, server Server) (*Vantage, error) {
	first, r := c.attempts[0], c.last()
	l := ledger{at: first.ingressStart}
	l.attemptsBefore(c, r, server, true)
	l.attempt(r, server, r.ingressEnd, true)
	return &Vantage{StartNS: first.ingressStart, EndNS: r.ingressEnd, StagesNS: l.stages, DetailsNS: l.details}, l.err
}

// attemptsBefore books what came before the attempt that decided a call. Failed
// attempts are a series, with the waits between them; a hedge in vain is on nobody's
// way, and one that won was preceded by the wait to send it.
func (l *ledger) attemptsBefore(c *call, last *request, server Server, gateway bool) {
	begin := func(r *request) {
		if r.attempt > 0 {
			at := r.sent
			if gateway {
				at = r.ingressStart
			}
			l.to(at, StageQueue, "retry_backoff")
		}
	}
	if c.winner == nil {
		for _, r := range c.attempts[:last.attempt] {
			begin(r)
			end := r.clientEnd
			if gateway {
				end = r.ingressEnd
			}
			l.attempt(r, server, end, gateway)
		}
	}
	begin(last)
}

// attempt books one attempt, which for the reader ends at an instant. The gateway's
// vantage has only what lies within the gateway's own span.
func (l *ledger) attempt(r *request, server Server, end int64, gateway bool) {
	if r.closed || r.abandoned > 0 || !gateway && end < r.clientEnd {
		l.limit = end
	}
	if !gateway {
		l.to(r.ingressStart, StageNetwork, "hop")
	}
	if r.egressStart > 0 {
		l.to(r.upstreamStart(), StageGateway, "")
		if r.closed {
			l.limit = min(end, r.egressEnd)
		}
		l.hide = !r.leavesSpan(server) && server != TGI
		l.serve(r, server)
		l.to(r.egressEnd, StageNetwork, "hop")
		l.hide = false
		if l.limit > 0 {
			l.limit = end
		}
	}
	l.to(r.ingressEnd, StageGateway, "")
	if !gateway {
		l.to(r.clientEnd, StageNetwork, "hop")
	}
	l.limit = 0
}

// upstreamStart is when the gateway first sent the attempt to a server.
func (r *request) upstreamStart() int64 {
	if r.other != nil {
		return min(r.egressStart, r.other.egressStart)
	}
	return r.egressStart
}

// leavesSpan reports whether the server exports spans of a request from which its
// stages can be read. vLLM has none of a request that was given up, and those of TGI
// lack their durations.
func (r *request) leavesSpan(server Server) bool {
	switch server {
	case VLLM, VLLMV0, TGI:
		return r.spanEnd > 0
	}
	return r.arrival > 0 || server == Triton
}

// finished is an instant of a request that was served to its end, and 0 of others.
func (r *request) finished(at int64) int64 {
	if r.gone > 0 {
		return 0
	}
	return at
}

// serve books the time of the upstream call from its start to the end of the
// server's spans.
func (l *ledger) serve(r *request, server Server) {
	if server == Triton {
		l.serveTriton(r)
		return
	}
	l.untilFirstToken(r, server)
	switch server {
	case TGI:
		l.to(r.spanEnd, StageGPU, "compute")
		l.to(r.rootEnd, StageScheduling, "")
		return
	case SGLang:
		l.decodeSGLang(r)
	default:
		l.to(r.finished(r.lastToken), StageGPU, "decode")
	}
	l.to(r.spanEnd, StageScheduling, "ipc")
}

// untilFirstToken books the time until the server's spans show the first token, or
// for TGI, which does not show it, until the engine first runs the request.
func (l *ledger) untilFirstToken(r *request, server Server) {
	switch {
	case r.other != nil && server == SGLang:
		l.pairSGLang(r)
		return
	case r.other != nil:
		leg := r.other
		l.untilScheduled(leg, server)
		l.to(leg.firstToken, StageGPU, "prefill")
		l.to(leg.spanEnd, StageScheduling, "ipc")
		l.to(leg.egressEnd, StageNetwork, "hop")
		l.to(r.egressStart, StageGateway, "")
	}
	l.untilScheduled(r, server)
	if server != TGI {
		l.to(r.firstToken, StageGPU, "prefill")
	}
}

// decodeSGLang books the time from the first token to the last. Retractions show.
func (l *ledger) decodeSGLang(r *request) {
	if r.output == 1 {
		return
	}
	if r.other == nil {
		l.to(r.decodeBegin, StageScheduling, "")
	}
	for _, p := range r.preemptions {
		l.to(p.from, StageGPU, "decode")
		l.to(p.to, StageQueue, "preempted")
		l.to(p.prefilled, StageGPU, "prefill")
		if p.prefilled < r.lastToken || r.gone > 0 {
			l.to(p.decoding, StageScheduling, "")
		}
	}
	l.to(r.finished(r.lastToken), StageGPU, "decode")
}

// pairSGLang books the way through both engines: to the one that decodes until it has room
// and the two have met, which frees the prompt at the other; then the prompt, its transfer,
// and the wait for a step that decodes.
func (l *ledger) pairSGLang(r *request) {
	leg := r.other
	l.to(r.arrival, StageNetwork, "hop")
	l.to(r.tokenized, StageScheduling, "tokenize")
	l.to(r.bootBegin, StageScheduling, "ipc")
	l.to(r.allocated, StageQueue, "admission")
	l.to(leg.scheduled, StageQueue, "engine")
	l.to(leg.firstToken, StageGPU, "prefill")
	l.to(leg.kvEnd, StageTransfer, "kv")
	l.to(r.decodeBegin, StageScheduling, "")
}

// untilScheduled books the time until the engine first runs the request. V0's
// queue counts from arrival; the others queue from the stamp of their scheduler.
func (l *ledger) untilScheduled(r *request, server Server) {
	l.to(r.arrival, StageNetwork, "hop")
	switch server {
	case VLLMV0:
	case TGI:
		l.to(r.handled, StageScheduling, "")
		l.hide = !r.leavesSpan(server)
		l.to(r.queued, StageScheduling, "tokenize")
	default:
		l.to(r.tokenized, StageScheduling, "tokenize")
		l.to(r.queued, StageScheduling, "ipc")
	}
	l.to(r.scheduled, StageQueue, "engine")
}

// serveTriton books a request by Triton's stamps. The part of its wait during
// which an instance was free is the batcher's delay.
func (l *ledger) serveTriton(r *request) {
	if r.grpc {
		l.to(r.received, StageNetwork, "hop")
	} else {
		l.to(r.firstByte, StageNetwork, "hop")
		l.to(r.received, StageNetwork, "upload")
	}
	l.to(r.queueStart, StageScheduling, "")
	l.to(r.queueStart+r.batchDelay, StageQueue, "batch_delay")
	l.to(r.computeStart, StageQueue, "engine")
	l.to(r.inputEnd, StageTransfer, "h2d")
	l.to(r.outputStart, StageGPU, "compute")
	l.to(r.computeEnd, StageTransfer, "d2h")
	l.to(r.sendStart, StageScheduling, "")
	l.to(r.sendEnd, StageTransfer, "response")
	l.to(r.rootEnd, StageScheduling, "")
}

// held is what kept the deciding attempts of a call waiting, up to its end.
func (c *call) held(server Server, end int64) held {
	var sum held
	add := func(r *request) {
		if r.waits {
			return
		}
		for i, ns := range r.held {
			sum[i] += ns
		}
		if server == SGLang {
			sum[causeMemory] += r.preemptedNS(end)
		}
	}
	last := c.last()
	for _, r := range c.attempts {
		if c.winner != nil && r != c.winner {
			continue
		}
		if r.other != nil {
			add(r.other)
		}
		add(r)
	}
	if c.winner != nil {
		sum[causeRetry] += last.sent - c.attempts[0].sent
		return sum
	}
	for i, r := range c.attempts[1:] {
		sum[causeRetry] += r.sent - c.attempts[i].clientEnd
	}
	return sum
}
