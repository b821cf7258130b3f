package tracefile

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/tailpath/tailpath/ingest/table"
)

// trtllmShape is the shape of the body of TensorRT-LLM's GET /perf_metrics: an array of
// records, or one record a line.
var trtllmShape = shape{is: isTRTLLM}

// A trtllmReader makes spans of the records of TensorRT-LLM's GET /perf_metrics. Times
// are seconds of a steady clock. A server that works for a disaggregated server adds the
// offset between the two clocks itself, to times that it does not have as well, so what
// is not available shows as 0, as -1, or as a time before the request arrived.
type trtllmReader struct {
	*recorder
	halves map[string]trtllmHalf // by ctx_request_id: a record whose other half may follow
	lone   int                   // halves whose other half was not found
	first  table.Place           // of the first of them
}

// trtllmHalf is the span of one server's part of a disaggregated request.
type trtllmHalf struct {
	at                 table.Place
	row                int
	start, first, last int64 // ns; first is Missing if not known
	context            bool  // it looks like the half that made the context
	generation         bool  // it is the half that generated
}

func newTRTLLM(d *Decoder) handler {
	return &trtllmReader{recorder: newRecorder(d), halves: map[string]trtllmHalf{}}
}

func (t *trtllmReader) open(table.Place)                   {}
func (t *trtllmReader) member(string, []byte, table.Place) {}
func (t *trtllmReader) close(bool)                         {}
func (t *trtllmReader) end(bool)                           {}
func (t *trtllmReader) array()                             {}

// finish counts the halves that stayed alone.
func (t *trtllmReader) finish() {
	t.forget()
	t.note(RecordLoneHalf, t.lone, t.first, "no other record has the ctx_request_id")
}

// forget gives up the halves that are held. The end of a document is no reason to, because
// records one a line are a document each, and the bodies of two servers two.
func (t *trtllmReader) forget() {
	for _, h := range t.halves {
		t.alone(h)
	}
	clear(t.halves)
}

func (t *trtllmReader) alone(h trtllmHalf) {
	if t.lone == 0 || h.at.Offset < t.first.Offset {
		t.first = h.at
	}
	t.lone++
}

// maxHalves bounds the halves that are held.
const maxHalves = 1 << 16

// trtllmRecord is one server's record of one request.
type trtllmRecord struct {
	requestID, ctxRequestID, perf, timing, cache []byte
	server                                       string

	serverArrival, arrival, scheduled, first, serverFirst, last, kvSize, kvStart, kvEnd []byte
	reused, missed, total                                                               []byte
}

// isTRTLLM reports whether an object, or the beginning of one, is a record of
// TensorRT-LLM's.
func isTRTLLM(raw []byte) bool {
	found := false
	members(raw, func(name, value []byte) {
		switch string(name) {
		case "perf_metrics":
			found = found || objectMember(value, "timing_metrics") != nil
		case "ctx_perf_metrics", "gen_perf_metrics":
			found = found || objectMember(objectOrNil(value), "perf_metrics") != nil
		}
	})
	return found
}

// element takes one record: of one server, or of a disaggregated one with those of the
// two that it used.
func (t *trtllmReader) element(raw []byte, at table.Place) bool {
	if !isTRTLLM(raw) {
		return false
	}
	var ctx, gen, ctxServer, genServer, arrival, firstToken []byte
	members(raw, func(name, value []byte) {
		switch string(name) {
		case "ctx_perf_metrics":
			ctx = objectOrNil(value)
		case "gen_perf_metrics":
			gen = objectOrNil(value)
		case "ctx_server":
			ctxServer = value
		case "gen_server":
			genServer = value
		case "disagg_server_arrival_time":
			arrival = value
		case "disagg_server_first_token_time":
			firstToken = value
		}
	})
	if ctx == nil && gen == nil {
		t.single(raw, at)
		return true
	}
	var halves []trtllmHalf
	for i, half := range [][]byte{ctx, gen} {
		if half == nil {
			continue
		}
		server := scalarText([][]byte{ctxServer, genServer}[i])
		if h, ok := t.emit(half, server, []string{"context", "generation"}[i], nthHalf+i, at); ok {
			h.generation = i == 1
			halves = append(halves, h)
		}
	}
	switch {
	case len(halves) == 2 && !halves[0].before(halves[1]):
		t.note(RecordBadTime, 1, at, "the clocks of ctx_server and gen_server do not agree, so their halves are read apart")
	case len(halves) > 0:
		t.join(halves, t.seconds(arrival), t.seconds(firstToken), at)
	}
	return true
}

// single takes a record of one server. Two with one ctx_request_id are the halves of one
// disaggregated request, if their times follow each other.
func (t *trtllmReader) single(raw []byte, at table.Place) {
	key := scalarText(objectMember(raw, "ctx_request_id"))
	h, ok := t.emit(raw, "", "request", nthHalf, at)
	if !ok || key == "" {
		return
	}
	other, met := t.halves[key]
	if !met {
		if len(t.halves) >= maxHalves {
			t.forget()
		}
		t.halves[key] = h
		return
	}
	pair := []trtllmHalf{other, h}
	if pair[0].start > pair[1].start {
		pair[0], pair[1] = pair[1], pair[0]
	}
	if !pair[0].context || !pair[0].before(pair[1]) {
		t.alone(other)
		t.halves[key] = h
		return
	}
	delete(t.halves, key)
	pair[1].generation = true
	for i, name := range []string{"context", "generation"} {
		t.set.Spans.Name[pair[i].row] = t.set.Symbols.Intern(name)
	}
	t.join(pair, table.Missing, table.Missing, at)
}

// before says whether a half can have been before another one. The generation arrives
// once the context has its first token, if the clocks of the two servers were set to the
// disaggregated server's; else they have nothing to do with each other.
func (h trtllmHalf) before(next trtllmHalf) bool {
	from := h.start
	if h.first != table.Missing {
		from = h.first
	}
	return next.start >= from-halvesSlack && next.start <= h.last+maxHandOff
}

// Bounds within which the halves of a request follow each other, in ns.
const (
	halvesSlack = 5_000_000
	maxHandOff  = 600_000_000_000
)

// Numbers of the spans of one record, which make their ids differ.
const (
	nthWhole = iota
	nthHalf
)

// seconds returns a time in ns, Missing when it is not available.
func (t *trtllmReader) seconds(value []byte) int64 {
	n, _, ok := decimal(unquoted(value), shiftSeconds)
	if !ok || n <= 0 || n > maxRecordNS {
		return table.Missing
	}
	return n
}

// resolution returns how far a time in seconds is from the next that a double can hold,
// in whole ns, 0 below one.
func resolution(ns int64) int64 {
	s := float64(ns) / 1e9
	return int64((math.Nextafter(s, math.Inf(1)) - s) * 1e9)
}

func (e *trtllmRecord) read(raw []byte) {
	members(raw, func(name, value []byte) {
		switch string(name) {
		case "request_id":
			e.requestID = value
		case "ctx_request_id":
			e.ctxRequestID = value
		case "perf_metrics":
			e.perf = value
		}
	})
	members(e.perf, func(name, value []byte) {
		switch string(name) {
		case "timing_metrics":
			e.timing = value
		case "kv_cache_metrics":
			e.cache = value
		}
	})
	members(e.timing, func(name, value []byte) {
		for i, field := range trtllmFields {
			if string(name) == field {
				*e.times()[i] = value
			}
		}
		if string(name) == "kv_cache_size" {
			e.kvSize = value
		}
	})
	members(e.cache, func(name, value []byte) {
		switch string(name) {
		case "num_total_allocated_blocks":
			e.total = value
		case "num_reused_blocks":
			e.reused = value
		case "num_missed_blocks":
			e.missed = value
		}
	})
}

// trtllmFields are the times of a record in the order in which a request meets them; the
// transfer of the cache may lie anywhere behind the arrival.
var trtllmFields = []string{"server_arrival_time", "arrival_time", "first_scheduled_time", "first_token_time",
	"last_token_time", "server_first_token_time", "kv_cache_transfer_start", "kv_cache_transfer_end"}

func (e *trtllmRecord) times() []*[]byte {
	return []*[]byte{&e.serverArrival, &e.arrival, &e.scheduled, &e.first, &e.last, &e.serverFirst, &e.kvStart, &e.kvEnd}
}

// emit makes the span of one server's record.
func (t *trtllmReader) emit(raw []byte, server, name string, nth int, at table.Place) (trtllmHalf, bool) {
	e := trtllmRecord{server: server}
	e.read(raw)
	start, arrival := t.seconds(e.serverArrival), t.seconds(e.arrival)
	if start != table.Missing && arrival != table.Missing && (start > arrival || start < arrival-maxRequest) {
		t.note(RecordBadTime, 1, at, "server_arrival_time is out of order")
		start = table.Missing
	}
	if start == table.Missing {
		start, e.serverArrival = arrival, nil
	}
	if start == table.Missing {
		t.leaveOut(RecordNoTimes, at, "a record has no arrival_time")
		return trtllmHalf{}, false
	}
	// Every later time must lie behind the one before; one that does not is unavailable.
	chain := make([]int64, 0, 5)
	reach := start
	for i, value := range [][]byte{e.serverArrival, e.arrival, e.scheduled, e.first, e.last} {
		v := t.seconds(value)
		if v != table.Missing && (v < reach || v > start+maxRequest) {
			t.note(RecordBadTime, 1, at, trtllmFields[i]+" is out of order")
			v = table.Missing
		}
		if v != table.Missing {
			reach = v
		}
		chain = append(chain, v)
	}
	scheduled, first, last := chain[2], chain[3], chain[4]
	end := last
	if end == table.Missing {
		end = 0
	}
	trace, id := t.ids.At(at.Offset, nth)
	row := t.span(trace, id, table.SpanID{}, name, start, end, table.ClockSteady, at)
	s := &t.set.Spans
	s.Error[row] = resolution(reach)
	s.ScopeRow[row] = t.scopeRow(recordScope{scope: "tensorrt-llm-perf-metrics", service: "tensorrt-llm", host: server})
	s.RequestID[row] = scalarText(e.requestID)
	if first != table.Missing {
		s.TTFT[row] = first - start
	}
	kv := t.transfer(&e, start, at)
	t.attributes(&e, kv)
	if last != table.Missing {
		t.cut(row, start, chain[1], scheduled, first, last, kv)
	}
	context := len(e.ctxRequestID) > 0 && bytes.Equal(unquoted(e.ctxRequestID), unquoted(e.requestID)) || first != table.Missing && first == last
	return trtllmHalf{at: at, row: row, start: start, first: first, last: reach, context: context}, true
}

// transfer returns when the cache was moved, Missing twice if it was not.
func (t *trtllmReader) transfer(e *trtllmRecord, start int64, at table.Place) [2]int64 {
	from, to := t.seconds(e.kvStart), t.seconds(e.kvEnd)
	if from == table.Missing || to == table.Missing || from == to {
		return [2]int64{table.Missing, table.Missing}
	}
	if from < start || to < from || to > start+maxRequest {
		t.note(RecordBadTime, 1, at, "kv_cache_transfer_start and kv_cache_transfer_end are out of order")
		return [2]int64{table.Missing, table.Missing}
	}
	return [2]int64{from, to}
}

func (t *trtllmReader) attributes(e *trtllmRecord, kv [2]int64) {
	t.idAttribute("request_id", e.requestID)
	t.idAttribute("ctx_request_id", e.ctxRequestID)
	if kv[0] != table.Missing {
		t.integerAttribute("kv_cache_size", e.kvSize)
		seconds, _ := strconv.ParseFloat(strconv.FormatInt(kv[1]-kv[0], 10)+"e-9", 64)
		t.attribute("gen_ai.latency.kv_cache_transfer_time", table.DoubleValue(seconds))
	}
	t.integerAttribute("num_total_allocated_blocks", e.total)
	t.integerAttribute("num_reused_blocks", e.reused)
	t.integerAttribute("num_missed_blocks", e.missed)
}

// cut places the parts of a record. The transfer of the cache lies inside the wait for
// the engine on the server that generates, and behind the first token on the one that
// made the context.
//
//	start      arrival      kv start   kv end  scheduled    first     last
//	| scheduling | queue      | transfer | queue | prefill    | decode  |
func (t *trtllmReader) cut(row int, start, arrival, scheduled, first, last int64, kv [2]int64) {
	var list []recordPart
	add := func(from, to int64, stage uint8, detail, basis string) {
		if from != table.Missing && to != table.Missing {
			list = append(list, recordPart{from, to, stage, detail, confidenceExact, 0, basis})
		}
	}
	if arrival != table.Missing {
		add(start, arrival, stageScheduling, "handler", "server_arrival_time to arrival_time")
	}
	add(arrival, scheduled, stageQueue, "engine", "arrival_time to first_scheduled_time")
	add(scheduled, first, stageGPU, "prefill", "first_scheduled_time to first_token_time")
	add(first, last, stageGPU, "decode", "first_token_time to last_token_time")
	if kv[0] != table.Missing && kv[1] <= last {
		list = insertPart(list, recordPart{kv[0], kv[1], stageTransfer, "kv", confidenceExact, 0, "kv_cache_transfer_start to kv_cache_transfer_end"})
	}
	t.parts(row, list)
}

// insertPart puts a part among others, which lose what it covers.
func insertPart(list []recordPart, p recordPart) []recordPart {
	var out []recordPart
	for _, q := range list {
		before, after := q, q
		before.end, after.start = min(q.end, p.start), max(q.start, p.end)
		out = append(out, before, after)
	}
	out = append(out, p)
	out = slices.DeleteFunc(out, func(q recordPart) bool { return q.start >= q.end })
	slices.SortStableFunc(out, func(a, b recordPart) int {
		if a.start < b.start {
			return -1
		}
		return 1
	})
	return out
}

// join makes one request of the halves of a disaggregated one: a span of the server
// between them and the caller, with the halves below. Its clock and theirs were brought
// together by an offset that the servers measured, so what lies between is a residual.
func (t *trtllmReader) join(halves []trtllmHalf, arrival, firstToken int64, at table.Place) {
	s := &t.set.Spans
	final := halves[len(halves)-1]
	start, last := halves[0].start, halves[0].last
	var errorNS int64
	for _, h := range halves {
		start, last = min(start, h.start), max(last, h.last)
		errorNS = max(errorNS, s.Error[h.row])
	}
	if arrival != table.Missing && arrival <= start && start-arrival <= maxHandOff {
		start = arrival
	} else if arrival != table.Missing {
		t.note(RecordBadTime, 1, at, "disagg_server_arrival_time is out of order")
	}
	end := int64(0) // never finished, unless the generation did
	if final.generation && s.End[final.row] != 0 {
		end = last
	}
	trace, id := t.ids.At(at.Offset, nthWhole)
	row := t.span(trace, id, table.SpanID{}, "disaggregated_request", start, end, table.ClockSteady, at)
	s.Error[row] = errorNS
	s.ScopeRow[row] = t.scopeRow(recordScope{scope: "tensorrt-llm-perf-metrics", service: "tensorrt-llm-disaggregated"})
	s.RequestID[row] = s.RequestID[halves[0].row]
	for _, h := range halves {
		s.TraceID[h.row], s.ParentID[h.row] = trace, id
	}
	switch {
	case firstToken != table.Missing && firstToken >= start && firstToken <= last:
		s.TTFT[row] = firstToken - start
	case final.generation && final.first != table.Missing:
		s.TTFT[row] = final.first - start
	}
	if end == 0 {
		return
	}
	between := recordPart{start, 0, stageGateway, "disaggregation", confidenceResidual, 0, "what the two servers do not cover"}
	if len(halves) == 1 {
		between.stage, between.detail = stageUnattributed, "context not recorded"
	}
	var list []recordPart
	for _, h := range halves {
		between.end = h.start
		list = append(list, between)
		between.start = max(between.start, h.last)
	}
	t.parts(row, list)
}
