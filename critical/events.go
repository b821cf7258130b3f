package critical

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// hour is how far before its span an event may lie and still be of it: Triton stamps
// events that it never met with the start of its host's clock.
const hour = 3600 * 1_000_000_000

// eventTimes returns the times of a span's named events, Missing for those that are
// not there or cannot be of this span. The first of a name counts.
func (b *tree) eventTimes(n *node, names ...string) []int64 {
	times := make([]int64, len(names))
	for i, name := range names {
		times[i] = table.Missing
		sym, ok := b.set.Symbols.Lookup(name)
		if !ok {
			continue
		}
		for e := b.events[n.row]; e < b.events[n.row+1]; e++ {
			if t := b.set.SpanEvents.Time[e]; b.set.SpanEvents.Name[e] == sym && t >= n.start-hour && t <= n.end+hour {
				times[i] = t
				break
			}
		}
	}
	return times
}

// allTimes returns the times of every event of a name that is not before its span and
// can be of it, in order.
func (b *tree) allTimes(n *node, name string) []int64 {
	sym, ok := b.set.Symbols.Lookup(name)
	if !ok {
		return nil
	}
	var times []int64
	for e := b.events[n.row]; e < b.events[n.row+1]; e++ {
		if t := b.set.SpanEvents.Time[e]; b.set.SpanEvents.Name[e] == sym && t >= n.start && t <= n.end+hour {
			times = append(times, t)
		}
	}
	slices.Sort(times)
	return times
}

// readTritonRequest reads Triton's outer span. It is opened once the request was
// received, so the events of receiving lie before it and move its start. The start
// of GRPC_WAITREAD is when the server began to wait for any request, and is not used. A
// streamed response is sent in many pieces.
func (b *tree) readTritonRequest(k int32) *reading {
	n := &b.nodes[k]
	t := b.eventTimes(n, "HTTP_RECV_START", "HTTP_RECV_END", "GRPC_WAITREAD_END")
	r := newReading()
	if t[0] != table.Missing && t[1] != table.Missing && t[0] <= t[1] && t[1] <= n.end {
		r.start = t[0]
		r.add(newPiece(t[0], t[1], stage.Network, "upload", Exact, 0, "events HTTP_RECV_START to HTTP_RECV_END"))
	} else if t[2] != table.Missing && t[2] <= n.end {
		r.start = t[2]
	}
	for _, server := range []string{"HTTP", "GRPC"} {
		starts, ends := b.allTimes(n, server+"_SEND_START"), b.allTimes(n, server+"_SEND_END")
		for i, start := range starts {
			j, _ := slices.BinarySearch(ends, start)
			if j == len(ends) || i+1 < len(starts) && starts[i+1] < ends[j] {
				continue // it was not stamped
			}
			r.add(newPiece(start, min(ends[j], n.end), stage.Transfer, "response", Exact, 0, "events "+server+"_SEND_START to "+server+"_SEND_END"))
			ends = ends[j+1:]
		}
	}
	return r
}

// readTritonModel reads the span of one model: from QUEUE_START until its execution
// begins it waits, for the model to be free or for the batch to fill. A model that is
// scheduled step by step waits before every step. An ensemble has no execution of its
// own; the time between its models is scheduling.
func (b *tree) readTritonModel(k int32) *reading {
	n := &b.nodes[k]
	r := newReading()
	queued := b.allTimes(n, "QUEUE_START")
	if len(queued) == 0 {
		return r
	}
	executed, composing := false, false
	for _, c := range b.kids[k] { // in order of their start
		child := &b.nodes[c]
		if b.set.Symbols.Text(b.set.Spans.Name[child.row]) != "compute" {
			composing = true
			continue
		}
		i, _ := slices.BinarySearch(queued, child.start+1)
		if i > 0 {
			r.add(newPiece(queued[0], child.start, stage.Queue, "engine", Exact, 0, "event QUEUE_START to the start of compute"))
			queued = queued[i:]
		}
		executed = true
	}
	switch {
	case len(queued) == 0 || composing && !executed:
	case executed:
		r.add(newPiece(queued[0], n.end, stage.Unattributed, "no compute recorded", Residual, 0, "after the last event QUEUE_START; it was not executed again, or its compute span was lost"))
	default:
		r.add(newPiece(queued[0], n.end, stage.Unattributed, "no compute recorded", Residual, 0, "after event QUEUE_START; a cached response, or its compute span was lost"))
	}
	return r
}

// readTritonCompute cuts the execution of a batch. Its times are the batch's, the
// same for every request in it.
func (b *tree) readTritonCompute(k int32) *reading {
	n := &b.nodes[k]
	t := b.eventTimes(n, "COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START", "COMPUTE_END")
	r := newReading()
	at := n.start
	for _, v := range t {
		if v == table.Missing || v < at || v > n.end {
			return r
		}
		at = v
	}
	r.add(newPiece(t[0], t[1], stage.Transfer, "h2d", Exact, 0, "events COMPUTE_START to COMPUTE_INPUT_END"))
	r.add(newPiece(t[1], t[2], stage.GPU, "compute", Exact, 0, "events COMPUTE_INPUT_END to COMPUTE_OUTPUT_START"))
	r.add(newPiece(t[2], t[3], stage.Transfer, "d2h", Exact, 0, "events COMPUTE_OUTPUT_START to COMPUTE_END"))
	return r
}

// readRetraction finds the waits of a retracted request: SGLang keeps its span of
// decoding open, from the retraction until it prefills again below it.
func (b *tree) readRetraction(k int32) *reading {
	n := &b.nodes[k]
	r := newReading()
	var retracts, prefills []int64
	for e := b.events[n.row]; e < b.events[n.row+1]; e++ {
		at := b.set.SpanEvents.Time[e]
		if b.set.Symbols.Text(b.set.SpanEvents.Name[e]) == "retract" && at >= n.start && at < n.end {
			retracts = append(retracts, at)
		}
	}
	for _, c := range b.kids[k] { // in order of their start
		if child := &b.nodes[c]; child.rule.Sections == "prefill" {
			prefills = append(prefills, child.start)
		}
	}
	slices.Sort(retracts)
	for _, at := range retracts {
		i, _ := slices.BinarySearch(prefills, at)
		if i == len(prefills) {
			r.add(unknown(at, n.end, "retracted"))
			return r
		}
		r.add(newPiece(at, prefills[i], stage.Queue, "preempted", Exact, 0, "event retract to the next prefill_forward"))
	}
	return r
}

// readEnvoy cuts a proxy's span by the events of verbose tracing, as far as no
// upstream span covers it.
//
//	start   last rx    first tx up          first rx up            last rx up   end
//	| upload | gateway | (upstream, sending) | (upstream, response) | response  |
func (b *tree) readEnvoy(k int32) *reading {
	n := &b.nodes[k]
	t := b.eventTimes(n, "last_downstream_rx_byte_received", "first_upstream_tx_byte_sent",
		"first_upstream_rx_byte_received", "last_upstream_rx_byte_received", "last_downstream_tx_byte_sent")
	r := newReading()
	at := n.start
	for _, v := range t {
		if v == table.Missing || v < at || v > n.end+engineSlack {
			return r
		}
		at = v
	}
	last := min(t[4], n.end)
	r.add(newPiece(n.start, t[0], stage.Network, "upload", Exact, 0, "start to event last_downstream_rx_byte_received"))
	r.firstByte, r.byteBasis = min(t[2], last), "event first_upstream_rx_byte_received"
	upstream := func(p piece) {
		p.upstream = true
		r.add(p)
	}
	upstream(newPiece(t[1], min(t[2], last), stage.Unattributed, "upstream not recorded", Residual, 0, "events first_upstream_tx_byte_sent to first_upstream_rx_byte_received"))
	upstream(newPiece(min(t[2], last), min(t[3], last), stage.Unattributed, detailUpstreamResponse, Residual, 0, "events first_ to last_upstream_rx_byte_received"))
	r.add(newPiece(min(t[3], last), last, stage.Transfer, "response", Exact, 0, "events last_upstream_rx_byte_received to last_downstream_tx_byte_sent"))
	return r
}

// readTGI places the durations of TGI's handler span, which follow each other from
// its start on one clock.
func (b *tree) readTGI(k int32) *reading {
	n := &b.nodes[k]
	r := newReading()
	at := n.start
	for _, part := range []struct {
		key    string
		stage  stage.Stage
		detail string
	}{
		{"validation_time", stage.Scheduling, "validation"},
		{"queue_time", stage.Queue, "engine"},
		{"inference_time", stage.GPU, "compute"},
	} {
		d := b.duration(n, b.textDuration(n, part.key), part.key)
		if d == table.Missing || at+d > n.end+engineSlack {
			b.count(issueEngineConflict, n.row, part.key)
			r.pieces = nil
			r.add(unknown(n.start, n.end, "engine times missing"))
			return r
		}
		to := min(at+d, n.end)
		r.add(newPiece(at, to, part.stage, part.detail, Exact, 0, "TGI field "+part.key))
		at = to
	}
	return r
}

// textDuration reads an attribute that holds a duration as Rust prints it, such as
// 812.345µs.
func (b *tree) textDuration(n *node, key string) int64 {
	sym, ok := b.set.Symbols.Lookup(key)
	if !ok {
		return table.Missing
	}
	v, ok := b.set.Spans.Attributes.Get(int(n.row), sym)
	if !ok || v.Type != table.ValueString {
		return table.Missing
	}
	return parseRustDuration(string(v.Text))
}

// parseRustDuration returns the ns of a duration in the form of Rust's Debug, or
// Missing.
func parseRustDuration(text string) int64 {
	for _, unit := range []struct {
		suffix string
		ns     float64
	}{{"ns", 1}, {"µs", 1e3}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}} {
		number, ok := strings.CutSuffix(text, unit.suffix)
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(value) || math.Abs(value*unit.ns) > math.MaxInt64/2 {
			return table.Missing
		}
		return int64(math.Round(value * unit.ns))
	}
	return table.Missing
}
