package simulate

import (
	"bytes"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"
)

// trace is one request's spans, as they come out of the files: what a reader has.
type trace struct {
	spans []ptrace.Span
	// own says that all clocks show one time, so that spans lie where they say.
	own bool
}

// readSpans writes every service out as OTLP JSON, reads it back and groups the
// spans by trace id.
func readSpans(t rapid.TB, c *Capture) map[string]*trace {
	byTrace := make(map[string]*trace)
	for _, sv := range c.Services {
		var b bytes.Buffer
		if err := sv.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(b.Bytes()) {
			traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
			if err != nil {
				t.Fatal(err)
			}
			eachSpan(traces, func(_ ptrace.ResourceSpans, sp ptrace.Span) {
				id := sp.TraceID()
				key := hex.EncodeToString(id[:])
				if byTrace[key] == nil {
					byTrace[key] = &trace{own: c.Header.Clocks == nil}
				}
				byTrace[key].spans = append(byTrace[key].spans, sp)
			})
		}
	}
	return byTrace
}

func eachSpan(traces ptrace.Traces, do func(ptrace.ResourceSpans, ptrace.Span)) {
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, sp := range ss.Spans().All() {
				do(rs, sp)
			}
		}
	}
}

func start(sp ptrace.Span) int64 { return int64(sp.StartTimestamp()) }
func end(sp ptrace.Span) int64   { return int64(sp.EndTimestamp()) }

// seconds is a float attribute of seconds, in ns.
func seconds(t rapid.TB, sp ptrace.Span, key string) int64 {
	v, ok := sp.Attributes().Get(key)
	if !ok {
		t.Fatalf("span %q has no %s", sp.Name(), key)
	}
	return int64(math.Round(v.Double() * 1e9))
}

func eventAt(sp ptrace.Span, name string) int64 {
	for _, e := range sp.Events().All() {
		if e.Name() == name {
			return int64(e.Timestamp())
		}
	}
	return 0
}

// root returns the span without a parent.
func (tr *trace) root() ptrace.Span {
	i := slices.IndexFunc(tr.spans, func(sp ptrace.Span) bool { return sp.ParentSpanID().IsEmpty() })
	return tr.spans[i]
}

// under returns the spans under a parent whose name begins so, in order of start.
func (tr *trace) under(parent ptrace.Span, prefix string) []ptrace.Span {
	var out []ptrace.Span
	for _, sp := range tr.spans {
		if sp.ParentSpanID() == parent.SpanID() && strings.HasPrefix(sp.Name(), prefix) {
			out = append(out, sp)
		}
	}
	slices.SortStableFunc(out, func(a, b ptrace.Span) int { return int(start(a) - start(b)) })
	return out
}

// one returns the span of that name below another, over any number of levels.
func (tr *trace) one(above ptrace.Span, name string) (ptrace.Span, bool) {
	for _, sp := range tr.spans {
		if sp.ParentSpanID() != above.SpanID() {
			continue
		}
		if sp.Name() == name {
			return sp, true
		}
		if found, ok := tr.one(sp, name); ok {
			return found, true
		}
	}
	return ptrace.Span{}, false
}

// reading is a reader's account of a request: boundaries in order, each with the
// stage that ends there; from is its beginning and shown the first token's instant.
type reading struct {
	from  int64
	until []int64
	stage []int
	shown int64
	// shift is added to what spans of the host being read show, and clip is the end
	// of what is waited for.
	shift, clip int64
}

func (r *reading) to(at int64, stage int) {
	r.until, r.stage = append(r.until, min(at+r.shift, r.clip)), append(r.stage, stage)
}

// enter moves to a host whose clock shows [from, to] for what happened within
// [lo, hi] on the reader's: by as little as makes it fit. It returns the way back.
func (r *reading) enter(tr *trace, from, to, lo, hi int64) func() {
	before := r.shift
	if !tr.own {
		r.shift = 0
		switch {
		case from < lo:
			r.shift = lo - from
		case to > hi:
			r.shift = hi - to
		}
	}
	return func() { r.shift = before }
}

// sums adds up the stages up to instant limit. Boundaries that are out of order
// are moved to the latest before them.
func (r *reading) sums(limit int64) (out StageNS) {
	at := r.from
	for i, until := range r.until {
		until = min(max(until, at), limit)
		out[r.stage[i]] += until - at
		at = until
	}
	return out
}

// read is a perfect reader: it knows each server's conventions and sees nothing
// but spans.
func read(t rapid.TB, tr *trace, server Server) *reading {
	root := tr.root()
	r := &reading{from: start(root), clip: math.MaxInt64}
	if root.Kind() == ptrace.SpanKindClient {
		readAttempt(t, r, tr, root, server)
		return r
	}
	attempts := tr.under(root, "")
	if i := slices.IndexFunc(attempts, cancelled); i >= 0 { // hedges: the other one counts
		attempts = slices.DeleteFunc(attempts, cancelled)
	}
	for _, client := range attempts {
		r.to(start(client), StageQueue)
		readAttempt(t, r, tr, client, server)
	}
	return r
}

func cancelled(sp ptrace.Span) bool { return sp.Status().Message() == "context canceled" }

func readAttempt(t rapid.TB, r *reading, tr *trace, client ptrace.Span, server Server) {
	ingress := tr.under(client, "ingress")[0]
	upstream := tr.under(ingress, "router")
	limit := end(client)
	answered := true // with a span that covers the answer
	if n := len(upstream); n > 0 && end(upstream[n-1]) > end(ingress) {
		limit = max(limit, end(upstream[n-1])) // the gateway's span ended with the headers
		answered = false
	}
	r.clip = limit
	back := r.enter(tr, start(ingress), end(ingress), start(client), end(client))
	r.to(start(ingress), StageNetwork)
	for i, egress := range upstream {
		if i > 0 && start(egress) < end(upstream[i-1]) {
			break // both at once, and read together
		}
		r.to(start(egress), StageGateway)
		last := egress
		if server == SGLang {
			last = upstream[len(upstream)-1]
		}
		r.clip = min(limit, end(last)+r.shift)
		readServer(t, r, tr, ingress, egress, server)
		r.to(end(last), StageNetwork)
		r.clip = limit
	}
	if answered {
		r.to(end(ingress), StageGateway)
	}
	back()
	r.to(limit, StageNetwork)
	r.clip = math.MaxInt64
}

// readServer reads what the server has recorded under an upstream call; where that
// is nothing, the time has no stage.
func readServer(t rapid.TB, r *reading, tr *trace, ingress, egress ptrace.Span, server Server) {
	roots := tr.under(egress, "")
	if len(roots) == 0 {
		r.to(end(egress), StageUnattributed)
		return
	}
	root := roots[0]
	from := start(root)
	for _, name := range []string{"GRPC_WAITREAD_END", "HTTP_RECV_START"} {
		if at := eventAt(root, name); at > 0 {
			from = at
		}
	}
	defer r.enter(tr, from, end(root), start(egress)+r.shift, end(egress)+r.shift)()
	switch server {
	case VLLM, VLLMV0:
		readVLLM(t, r, root, server)
	case SGLang:
		if strings.HasPrefix(root.Name(), " ") {
			readSGLang(r, tr, root)
		} else {
			readPair(t, r, tr, ingress)
		}
	case Triton:
		readTriton(r, tr, root)
	case TGI:
		readTGI(t, r, tr, root)
	}
}

func readVLLM(t rapid.TB, r *reading, sp ptrace.Span, server Server) {
	r.to(start(sp), StageNetwork)
	first := start(sp) + seconds(t, sp, "gen_ai.latency.time_to_first_token")
	queue := seconds(t, sp, "gen_ai.latency.time_in_queue")
	r.shown = first + r.shift
	if server == VLLMV0 {
		r.to(start(sp)+queue, StageQueue)
		r.to(first, StageGPU)
		r.to(start(sp)+seconds(t, sp, "gen_ai.latency.e2e"), StageGPU)
	} else {
		scheduled := first - seconds(t, sp, "gen_ai.latency.time_in_model_prefill")
		r.to(scheduled-queue, StageScheduling)
		r.to(scheduled, StageQueue)
		r.to(first, StageGPU)
		r.to(min(first+seconds(t, sp, "gen_ai.latency.time_in_model_decode"), end(sp)), StageGPU)
	}
	r.to(end(sp), StageScheduling)
}

// readSGLang reads the slices that there are: a request that was given up has only
// those that had begun.
func readSGLang(r *reading, tr *trace, root ptrace.Span) {
	r.to(start(root), StageNetwork)
	if waiting, ok := tr.one(root, "prefill_waiting"); ok {
		r.to(start(waiting), StageScheduling)
		r.to(end(waiting), StageQueue)
	}
	if prefill, ok := tr.one(root, "prefill_forward"); ok {
		r.to(end(prefill), StageGPU)
		r.shown = end(prefill) + r.shift
	}
	if decode, ok := tr.one(root, "decode_forward"); ok {
		r.to(start(decode), StageScheduling)
		readDecode(r, tr, decode)
	}
	r.to(end(root), StageScheduling)
}

// readDecode reads a slice of decoding, in which everything that follows a retraction
// lies.
func readDecode(r *reading, tr *trace, decode ptrace.Span) {
	if at := eventAt(decode, "retract"); at > 0 {
		r.to(at, StageGPU)
		prefill := tr.under(decode, "prefill_forward")
		if len(prefill) == 0 {
			r.to(end(decode), StageQueue)
			return
		}
		r.to(start(prefill[0]), StageQueue)
		r.to(end(prefill[0]), StageGPU)
		if waiting := tr.under(decode, "decode_waiting"); len(waiting) > 0 {
			r.to(end(waiting[0]), StageScheduling)
		}
		for _, again := range tr.under(decode, "decode_forward") {
			readDecode(r, tr, again)
		}
	}
	r.to(end(decode), StageGPU)
}

// readPair reads a request that two of SGLang's servers had at once.
func readPair(t rapid.TB, r *reading, tr *trace, ingress ptrace.Span) {
	find := func(name string) ptrace.Span {
		sp, ok := tr.one(ingress, name)
		if !ok {
			t.Fatalf("no slice %s", name)
		}
		return sp
	}
	decodes, _ := tr.one(ingress, "router llm egress")
	boot, forward := find("decode_bootstrap"), find("decode_forward")
	r.to(start(tr.under(decodes, "decode Req")[0]), StageNetwork)
	r.to(start(boot), StageScheduling)
	r.to(end(boot), StageQueue)
	r.to(end(find("prefill_waiting")), StageQueue)
	r.shown = end(find("prefill_forward"))
	r.to(r.shown, StageGPU)
	r.to(end(find("prefill_transfer_kv_cache")), StageTransfer)
	r.to(start(forward), StageScheduling)
	r.to(end(forward), StageGPU)
	r.to(end(tr.under(decodes, "decode Req")[0]), StageScheduling)
}

func readTriton(r *reading, tr *trace, root ptrace.Span) {
	model, _ := tr.one(root, "llm")
	compute, _ := tr.one(root, "compute")
	sendBegin, sendEnd := eventAt(root, "HTTP_SEND_START"), eventAt(root, "HTTP_SEND_END")
	if got := eventAt(root, "GRPC_WAITREAD_END"); got > 0 {
		r.to(got, StageNetwork)
		sendBegin, sendEnd = eventAt(root, "GRPC_SEND_START"), eventAt(root, "GRPC_SEND_END")
	} else {
		r.to(eventAt(root, "HTTP_RECV_START"), StageNetwork)
		r.to(eventAt(root, "HTTP_RECV_END"), StageNetwork)
	}
	r.to(eventAt(model, "QUEUE_START"), StageScheduling)
	r.to(eventAt(compute, "COMPUTE_START"), StageQueue)
	r.to(eventAt(compute, "COMPUTE_INPUT_END"), StageTransfer)
	r.to(eventAt(compute, "COMPUTE_OUTPUT_START"), StageGPU)
	r.to(eventAt(compute, "COMPUTE_END"), StageTransfer)
	r.to(sendBegin, StageScheduling)
	r.to(sendEnd, StageTransfer)
	r.to(end(root), StageScheduling)
}

func readTGI(t rapid.TB, r *reading, tr *trace, http ptrace.Span) {
	r.to(start(http), StageNetwork)
	handler, ok := tr.one(http, "chat_completions")
	if !ok {
		r.to(end(http), StageScheduling)
		return
	}
	r.to(start(handler), StageScheduling)
	if _, ok := handler.Attributes().Get("total_time"); !ok {
		r.to(end(handler), StageUnattributed)
		return
	}
	text := func(key string) int64 {
		v, _ := handler.Attributes().Get(key)
		d, err := time.ParseDuration(v.Str())
		if err != nil {
			t.Fatal(err)
		}
		return int64(d)
	}
	r.to(start(handler)+text("validation_time"), StageScheduling)
	r.to(start(handler)+text("validation_time")+text("queue_time"), StageQueue)
	r.to(start(handler)+text("total_time"), StageGPU)
	r.to(end(http), StageScheduling)
	if text("total_time") != text("validation_time")+text("queue_time")+text("inference_time") {
		t.Fatal("the three durations do not chain")
	}
}
