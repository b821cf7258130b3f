package simulate

import (
	"encoding/hex"
	"fmt"
)

// Bounds, in ns, of what float64 seconds do to a stamp. At today's epoch a
// float64 of ns has a grain of 256 ns and one of seconds a grain of 2^-22 s.
const (
	// wallStampNS bounds ns -> float seconds -> ns: half of 256, of 238 and of
	// 256 again, rounded up.
	wallStampNS = 384
	// wallDifferenceNS bounds the difference of two wall-clock float seconds.
	wallDifferenceNS = 512
	// steadyDifferenceNS bounds the difference of two monotonic float seconds,
	// whose grain is far below 1 ns, rounded to whole ns by its reader.
	steadyDifferenceNS = 2
)

// ledger sorts the time from one instant on into stages. Because it only ever
// books the time from the last instant to the next, what it holds adds up to the
// whole by construction; that the instants are in order is checked.
type ledger struct {
	at      int64
	stages  StageNS
	details DetailNS
	err     error
}

// to books the time up to instant t.
func (l *ledger) to(t int64, stage int, detail string) {
	if t < l.at && l.err == nil {
		l.err = fmt.Errorf("%s ends %d ns before it begins", detailKey(StageNames[stage], detail), l.at-t)
	}
	l.stages[stage] += t - l.at
	l.details.add(detailKey(StageNames[stage], detail), t-l.at)
	l.at = t
}

// planted sorts the time of a finished request into stages, as a perfect reader
// of its spans would.
func planted(r *request, server Server) (Truth, error) {
	t := Truth{
		TraceID: hex.EncodeToString(r.traceID[:]),
		StartNS: r.sent, EndNS: r.clientEnd, ArrivalNS: r.arrival,
		Region: r.route.Region, Class: r.class.Name,
		PromptTokens: r.prompt, OutputTokens: r.output, PreemptedNS: r.preemptedNS,
	}
	if server == Triton {
		t.ArrivalNS = r.received
	}

	l := ledger{at: r.sent}
	l.to(r.ingressStart, StageNetwork, "hop")
	l.to(r.egressStart, StageGateway, "")
	l.serve(r, server)
	l.to(r.egressEnd, StageNetwork, "hop")
	l.to(r.ingressEnd, StageGateway, "")
	l.to(r.clientEnd, StageNetwork, "hop")
	t.StagesNS, t.DetailsNS = l.stages, l.details
	t.ErrorNS = readerError(r, server)
	if l.err != nil || !server.streams() {
		return t, l.err
	}
	return t, firstToken(&t, r, server)
}

// serve books the time of the upstream call from its start to the end of the
// server's spans.
func (l *ledger) serve(r *request, server Server) {
	if server == Triton {
		l.serveTriton(r)
		return
	}
	l.untilScheduled(r, server)
	switch server {
	case TGI:
		l.to(r.spanEnd, StageGPU, "compute")
		l.to(r.rootEnd, StageScheduling, "")
		return
	case SGLang:
		l.to(r.firstToken, StageGPU, "prefill")
		if r.output > 1 {
			l.to(r.decodeBegin, StageScheduling, "")
			l.to(r.lastToken, StageGPU, "decode")
		}
	default:
		l.to(r.firstToken, StageGPU, "prefill")
		l.to(r.lastToken, StageGPU, "decode")
	}
	l.to(r.spanEnd, StageScheduling, "ipc")
}

// untilScheduled books the time until the engine first runs the request. V0's
// queue counts from arrival; the others queue from the stamp of their scheduler.
func (l *ledger) untilScheduled(r *request, server Server) {
	l.to(r.arrival, StageNetwork, "hop")
	switch server {
	case VLLMV0:
	case TGI:
		l.to(r.handled, StageScheduling, "")
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

// firstToken adds the path to the first token: the same until the server has it,
// then through host, gateway and networks to the client.
func firstToken(t *Truth, r *request, server Server) error {
	l := ledger{at: r.sent}
	l.to(r.ingressStart, StageNetwork, "hop")
	l.to(r.egressStart, StageGateway, "")
	l.untilScheduled(r, server)
	l.to(r.firstToken, StageGPU, "prefill")
	l.to(r.firstEmit, StageScheduling, "ipc")
	l.to(r.firstAtGateway, StageNetwork, "hop")
	l.to(r.firstForwarded, StageGateway, "")
	l.to(r.firstAtClient, StageNetwork, "hop")

	shown := r.firstToken
	if server == VLLM {
		shown = r.firstOutput
	}
	beyond := ledger{at: shown}
	beyond.to(r.firstEmit, StageScheduling, "ipc")
	beyond.to(r.firstAtGateway, StageNetwork, "hop")
	beyond.to(r.firstForwarded, StageGateway, "")
	beyond.to(r.firstAtClient, StageNetwork, "hop")

	at := r.firstAtClient
	t.FirstTokenNS = &at
	t.TTFTStagesNS, t.TTFTDetailsNS = &l.stages, l.details
	t.TTFTBeyondNS = &beyond.stages
	t.TTFTErrorNS = readerTTFTError(server)
	if l.err == nil {
		return beyond.err
	}
	return l.err
}

// readerError bounds, per stage in ns, what the spans of a server leave open.
func readerError(r *request, server Server) (e StageNS) {
	switch server {
	case VLLM:
		// The span's start is rounded; queue, prefill and decode are exact, so
		// the sum of the two gaps around them is too. But the reader anchors
		// decode at the span's first token, which the host stamped later than
		// the engine did. If that delay is longer than everything after the last
		// token, decode no longer fits before the span's end and is cut.
		delay, after := r.firstOutput-r.firstToken, r.spanEnd-r.lastToken
		cut := max(0, delay+wallStampNS+wallDifferenceNS-after)
		e[StageNetwork] = wallStampNS
		e[StageQueue] = steadyDifferenceNS
		e[StageGPU] = 2*steadyDifferenceNS + cut
		e[StageScheduling] = wallStampNS + 3*steadyDifferenceNS + cut
	case VLLMV0:
		e[StageNetwork] = wallStampNS
		e[StageQueue] = wallDifferenceNS
		e[StageGPU] = 2 * wallDifferenceNS
		e[StageScheduling] = wallStampNS + wallDifferenceNS
	case SGLang:
		// Every boundary between slices of different stages is a rounded stamp.
		e[StageNetwork] = 2 * wallStampNS
		e[StageQueue] = 2 * wallStampNS
		e[StageGPU] = 4 * wallStampNS
		e[StageScheduling] = 6 * wallStampNS
	case Triton:
		// Events and spans carry every boundary to the nanosecond.
	case TGI:
		// Spans and fields carry every boundary to the nanosecond.
	}
	return e
}

// readerTTFTError is readerError for the path to the first token that the
// server's spans show.
func readerTTFTError(server Server) *StageNS {
	var e StageNS
	switch server {
	case VLLM:
		e[StageNetwork] = wallStampNS
		e[StageQueue] = steadyDifferenceNS
		e[StageGPU] = steadyDifferenceNS
		e[StageScheduling] = wallDifferenceNS + 2*steadyDifferenceNS
	case VLLMV0:
		e[StageNetwork] = wallStampNS
		e[StageQueue] = wallDifferenceNS
		e[StageGPU] = 2 * wallDifferenceNS
	case SGLang:
		e[StageNetwork] = wallStampNS
		e[StageQueue] = 2 * wallStampNS
		e[StageGPU] = 2 * wallStampNS
		e[StageScheduling] = 2 * wallStampNS
	}
	return &e
}
