package critical

import (
	"math"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// reading is what a span says of its own time in attributes and events.
type reading struct {
	pieces     []piece // in order of time, disjoint, within the span
	start      int64   // an earlier start that an event shows; Missing for none
	firstToken int64   // instant of the first token; Missing when unknown
	basis      string  // what served as the first token
	source     source  // what kind of thing that is
	firstByte  int64   // instant of the first byte of the answer; Missing when unknown
	byteBasis  string  // what served as the first byte
	rank       int     // of the vantage point of firstToken: 0 caller, 1 engine
	rule       string  // what gave the pieces their stages, if not the rule of the span
}

// piece is a stretch of a span's own time with a stage of its own.
type piece struct {
	start, end int64
	stage      stage.Stage
	detail     string
	confidence Confidence
	error      int64 // ns
	reason     string
	by         int32 // node of the record that it was read from, if that is not the span itself; -1
	upstream   bool  // a proxy waited for what it called
}

func newPiece(start, end int64, s stage.Stage, detail string, c Confidence, bound int64, reason string) piece {
	return piece{start: start, end: end, stage: s, detail: detail, confidence: c, error: bound, reason: reason, by: -1}
}

func newReading() *reading {
	return &reading{start: table.Missing, firstToken: table.Missing, firstByte: table.Missing}
}

// shift moves a reading with its span.
func (r *reading) shift(by int64) {
	if r == nil {
		return
	}
	for i := range r.pieces {
		r.pieces[i].start += by
		r.pieces[i].end += by
	}
	if r.firstToken != table.Missing {
		r.firstToken += by
	}
	if r.firstByte != table.Missing {
		r.firstByte += by
	}
}

// add appends a piece, from the end of the last one on, unless nothing is left.
func (r *reading) add(p piece) {
	if len(r.pieces) > 0 {
		p.start = max(p.start, r.pieces[len(r.pieces)-1].end)
	}
	if p.start < p.end {
		r.pieces = append(r.pieces, p)
	}
}

// readTimes runs the recipe that the rule of a span names.
func (b *tree) readTimes(k int32) *reading {
	switch b.nodes[k].rule.Sections {
	case "vllm-v1":
		return b.readVLLM(k)
	case "vllm-v0", "trtllm":
		return b.readFromArrival(k)
	case "triton-request":
		return b.readTritonRequest(k)
	case "triton-model":
		return b.readTritonModel(k)
	case "triton-compute":
		return b.readTritonCompute(k)
	case "sglang-decode":
		return b.readRetraction(k)
	case "prefill":
		r := newReading()
		r.firstToken, r.basis, r.rank = b.nodes[k].end, "end of the engine's prefill span", 1
		return r
	case "tgi":
		return b.readTGI(k)
	case "envoy":
		return b.readEnvoy(k)
	case "genai-client":
		return b.readClient(k)
	}
	return nil
}

// engineSlack is how far the times of an engine may lie outside its span before
// they count as wrong: its stamps and the span's come from different clocks of one
// process.
const engineSlack = 5_000_000 // ns

// wallStep is the resolution of a time of day held as seconds in a float64.
const wallStep = 1000 // ns

// duration returns a recorded duration if it can be one of this span: neither
// negative nor longer than the span. What is recorded but cannot be is counted.
func (b *tree) duration(n *node, value int64, name string) int64 {
	switch {
	case value == table.Missing:
		return table.Missing
	case value < 0 || value > n.end-n.start+engineSlack:
		b.count(issueEngineTime, n.row, name)
		return table.Missing
	}
	return min(value, n.end-n.start)
}

// readVLLM places the durations of vLLM's V1 engine. The engine stamps them on its
// monotonic clock, so only their lengths are exact; the time to first token, on the
// span's own clock, anchors them:
//
//	start      queued       scheduled      first token         last token   end
//	| frontend |   queue    |   prefill    |      decode       |  frontend  |
//
// The first token reaches the frontend after the engine stamped it, by a delay that
// is not recorded. It is at most what remains of the time to first token after queue
// and prefill, and bounds how far each inner edge may be off.
func (b *tree) readVLLM(k int32) *reading {
	n := &b.nodes[k]
	spans, row := &b.set.Spans, n.row
	ttft := b.duration(n, spans.TTFT[row], "time_to_first_token")
	queue := b.duration(n, spans.Queue[row], "time_in_queue")
	prefill := b.duration(n, spans.Prefill[row], "time_in_model_prefill")
	decode := b.duration(n, spans.Decode[row], "time_in_model_decode")
	if ttft == table.Missing {
		return b.unanchored(n, queue, prefill, decode)
	}
	r := newReading()
	first := n.start + ttft
	r.firstToken, r.basis, r.rank = first, "vLLM's gen_ai.latency.time_to_first_token", 1
	known := max(queue, 0) + max(prefill, 0)
	if known > ttft+engineSlack || decode != table.Missing && ttft+decode > n.end-n.start+engineSlack {
		b.count(issueEngineConflict, row, "")
		r.add(unknown(n.start, n.end, "engine times conflict"))
		return r
	}
	if known > ttft+wallStep {
		b.count(issueEngineConflict, row, "queue and prefill exceed the time to first token")
	}
	bound := max(ttft-known, known-ttft)
	at := n.start
	edge := func(t int64) int64 { return min(max(t, at), n.end) }
	put := func(to int64, s stage.Stage, detail, reason string) {
		to = edge(to)
		r.add(newPiece(at, to, s, detail, Anchored, bound, reason))
		at = to
	}
	switch {
	case prefill == table.Missing:
		r.add(unknown(n.start, first, "engine times missing"))
		at = edge(first)
	case queue == table.Missing:
		scheduled := edge(first - prefill)
		r.add(unknown(n.start, scheduled, "queue time missing"))
		at = scheduled
		put(first, stage.GPU, "prefill", "engine attribute time_in_model_prefill")
	default:
		at = edge(first - prefill - queue)
		put(first-prefill, stage.Queue, "engine", "engine attribute time_in_queue")
		put(first, stage.GPU, "prefill", "engine attribute time_in_model_prefill")
	}
	if decode == table.Missing {
		r.add(unknown(at, n.end, "decode time missing"))
		return r
	}
	put(first+decode, stage.GPU, "decode", "engine attribute time_in_model_decode")
	r.add(newPiece(at, n.end, stage.Scheduling, "detokenize", Residual, 0, "after the engine's last token"))
	return r
}

// unanchored places durations one after the other from the start of the span, as
// nothing says where they lie; each may be off by all that they leave over.
func (b *tree) unanchored(n *node, durations ...int64) *reading {
	r := newReading()
	parts := []struct {
		s              stage.Stage
		detail, reason string
	}{
		{stage.Queue, "engine", "engine attribute time_in_queue"},
		{stage.GPU, "prefill", "engine attribute time_in_model_prefill"},
		{stage.GPU, "decode", "engine attribute time_in_model_decode"},
	}
	left := n.end - n.start
	for _, d := range durations {
		left -= max(d, 0)
	}
	if left < -engineSlack {
		b.count(issueEngineConflict, n.row, "")
		r.add(unknown(n.start, n.end, "engine times conflict"))
		return r
	}
	at := n.start
	for i, d := range durations {
		if d == table.Missing {
			continue
		}
		to := min(at+d, n.end)
		r.add(newPiece(at, to, parts[i].s, parts[i].detail, Anchored, max(left, 0), parts[i].reason))
		at = to
	}
	r.add(unknown(at, n.end, "first token time missing"))
	return r
}

func unknown(start, end int64, why string) piece {
	return newPiece(start, end, stage.Unattributed, why, Residual, 0, "the engine's times do not cover it")
}

// readFromArrival places the durations of engines that count the queue from the
// arrival of the request: vLLM's V0 engine and TensorRT-LLM. All are on the clock of
// the span.
//
//	start          scheduled        first token          e2e        end
//	|    queue     |    prefill     |      decode        | frontend |
func (b *tree) readFromArrival(k int32) *reading {
	n := &b.nodes[k]
	spans, row := &b.set.Spans, n.row
	queue := b.duration(n, spans.Queue[row], "time_in_queue")
	ttft := b.duration(n, spans.TTFT[row], "time_to_first_token")
	e2e := b.duration(n, spans.E2E[row], "e2e")
	r := newReading()
	at := n.start
	put := func(d int64, s stage.Stage, detail, reason string) {
		to := min(max(n.start+d, at), n.end)
		r.add(newPiece(at, to, s, detail, Anchored, 0, reason))
		at = to
	}
	if ttft != table.Missing && queue > ttft || e2e != table.Missing && max(ttft, queue) > e2e {
		b.count(issueEngineConflict, row, "")
		r.add(unknown(n.start, n.end, "engine times conflict"))
		return r
	}
	if ttft != table.Missing {
		r.firstToken, r.basis, r.rank = n.start+ttft, "the engine's gen_ai.latency.time_to_first_token", 1
	}
	if queue != table.Missing {
		put(queue, stage.Queue, "engine", "engine attribute time_in_queue")
	}
	switch {
	case ttft == table.Missing && (e2e == table.Missing || queue == table.Missing):
		r.add(unknown(at, n.end, "engine times missing"))
		return r
	case ttft == table.Missing:
		put(e2e, stage.GPU, "compute", "engine attribute e2e less the queue")
		return r
	case queue == table.Missing:
		r.add(unknown(at, n.start+ttft, "queue time missing"))
		at = n.start + ttft
	default:
		put(ttft, stage.GPU, "prefill", "engine attribute time_to_first_token less the queue")
	}
	if e2e == table.Missing {
		r.add(unknown(at, n.end, "e2e time missing"))
		return r
	}
	put(e2e, stage.GPU, "decode", "engine attribute e2e less the time to first token")
	return r
}

// readClient finds the first token as a caller saw it.
func (b *tree) readClient(k int32) *reading {
	n := &b.nodes[k]
	r := newReading()
	for e := b.events[n.row]; e < b.events[n.row+1]; e++ {
		if b.set.SpanEvents.Name[e] == b.firstTokenEvent && b.firstTokenEvent != 0 {
			r.firstToken, r.basis = b.set.SpanEvents.Time[e], "event First Token Stream Event"
			return r
		}
	}
	if b.firstChunk == 0 {
		return r
	}
	if v, ok := b.set.Spans.Attributes.Get(int(n.row), b.firstChunk); ok && v.Type == table.ValueDouble {
		ns := math.Round(v.Double() * 1e9)
		if ns > 0 && ns <= float64(n.end-n.start) {
			r.firstToken, r.basis = n.start+int64(ns), "the caller's gen_ai.response.time_to_first_chunk"
		} else {
			b.count(issueEngineTime, n.row, "time_to_first_chunk")
		}
	}
	return r
}
