package serverlog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// pairedRequest is a request as one of the SGLang servers that share it, or the only one,
// goes through it. Durations are in us, and follow each other.
type pairedRequest struct {
	role  string // prefill, decode, or unified for a server alone
	json  bool   // the form of its Finish line
	room  bool   // the Finish line names the room in which the servers met
	whole bool   // the scheduler's line tells meeting and room as one
	// Until the request was tokenised, was in the first queue, had met the other server,
	// had room, had the cache (decode alone), ran, had its prompt (not decode), ended.
	tokenized, sent, met, allocated, moved, queued, prefilled, ended int64
	// Retracted is how long it ran until it was thrown out for the last time; 0 if never.
	retracted, retractions int64
	// Speed and size of the transfer that ends the prefill server's work, in 0.01 GB/s and MB.
	speed, size int64
}

// drawPaired draws a request.
func drawPaired(t *rapid.T) pairedRequest {
	us := func(name string) int64 { return rapid.Int64Range(1, 900_000).Draw(t, name) }
	q := pairedRequest{
		role: rapid.SampledFrom([]string{"unified", "prefill", "decode"}).Draw(t, "role"),
		json: rapid.Bool().Draw(t, "json"), tokenized: us("tokenized"), sent: us("sent"), queued: us("queued"), ended: us("ended"),
	}
	if q.role != "unified" {
		q.met, q.allocated, q.room, q.whole = us("met"), us("allocated"), rapid.Bool().Draw(t, "room"), rapid.Bool().Draw(t, "whole")
	}
	if q.role == "decode" {
		q.moved = us("moved")
	} else {
		q.prefilled = us("prefilled")
	}
	if q.role != "prefill" && rapid.Bool().Draw(t, "retracted") {
		q.retracted = q.prefilled + rapid.Int64Range(1, q.ended).Draw(t, "until")
		q.retractions = rapid.Int64Range(1, 3).Draw(t, "retractions")
	}
	return q
}

// Instants of the request, in us of Unix time.
const pairedStart = int64(1787227200_123456)

func (q *pairedRequest) entry() int64   { return pairedStart + q.tokenized + q.sent }
func (q *pairedRequest) forward() int64 { return q.entry() + q.met + q.allocated + q.moved + q.queued }
func (q *pairedRequest) end() int64     { return q.forward() + q.prefilled + q.ended }

// waited is when the request began to wait for a batch, for the last time.
func (q *pairedRequest) waited() int64 {
	if q.retracted > 0 {
		return q.forward() + q.retracted
	}
	return q.forward() - q.queued
}

// stats is the scheduler's line of the request.
func (q *pairedRequest) stats() string {
	ms := func(us int64) string { return fmt.Sprintf("%.2fms", float64(us)/1e3) }
	entry, room, before, behind := q.waited(), "", "", ""
	if q.role != "unified" {
		entry, room = q.entry(), "bootstrap_room=7, "
		before = "bootstrap_duration=" + ms(q.met) + ", alloc_wait_duration=" + ms(q.allocated) + ", "
		if q.whole {
			before = map[string]string{"prefill": "bootstrap_queue_duration=", "decode": "prealloc_queue_duration="}[q.role] + ms(q.met+q.allocated) + ", "
		}
	}
	switch q.role {
	case "decode":
		before += "transfer_duration=" + ms(q.waited()-q.entry()-q.met-q.allocated) + ", "
	case "prefill":
		behind = fmt.Sprintf(", transfer_speed=%.2f GB/s, transfer_total=%.2f MB", float64(q.speed)/100, float64(q.size)/100)
	}
	return fmt.Sprintf("[2026-08-20 12:01:00 TP0] ReqTimeStats(rid=r, %sinput_len=3, cached_input_len=0, output_len=2, attempts=0, type=%s): %squeue_duration=%s, forward_duration=%s, entry_time=%.3f%s\n",
		room, q.role, before, ms(q.forward()-q.waited()), ms(q.prefilled+q.ended), float64(entry)/1e6, behind)
}

// finish is the Finish line, with what --enable-metrics adds if metrics is set.
func (q *pairedRequest) finish(metrics bool) string {
	at := func(us int64) string { return fmt.Sprintf("%d.%06d", us/1e6, us%1e6) }
	meta := fmt.Sprintf("'id': 'r', 'finish_reason': {'type': 'stop'}, 'num_retractions': %d, 'e2e_latency': %s", q.retractions, at(q.end()-pairedStart))
	if metrics {
		wait, sign := q.forward()-q.waited(), ""
		if wait < 0 {
			wait, sign = -wait, "-"
		}
		meta += ", 'forward_entry_time': " + at(q.forward()) + ", 'queue_time': " + sign + at(wait) + ", 'request_received_ts': " + at(pairedStart) +
			", 'api_server_dispatch_finish_ts': " + at(pairedStart+q.tokenized) + ", 'request_finished_ts': " + at(q.end())
		if q.prefilled > 0 {
			meta += ", 'prefill_finished_time': " + at(q.forward()+q.prefilled)
		}
	}
	room := "None"
	if q.room {
		room = "7"
	}
	if q.json {
		return `[2026-08-20 12:01:00] {"event": "request.finished", "rid": "r", "obj": {"rid": "r", "stream": true, "bootstrap_room": ` + strings.Replace(room, "None", "null", 1) +
			`}, "out": {"meta_info": {` + strings.ReplaceAll(meta, "'", `"`) + "}}}\n"
	}
	return "[2026-08-20 12:01:00] Finish: obj=GenerateReqInput(rid='r', bootstrap_room=" + room + ", stream=True), out={'meta_info': {" + meta + "}}\n"
}

// pairedParts reads the lines of one request and returns what its parts take, in us, by
// stage and detail.
func pairedParts(t *rapid.T, log string, untold bool) (start, end int64, parts map[string]int64, errors map[string]int64) {
	set, account := table.NewSet(), &table.Account{}
	d := NewDecoder(set, account, "log", Options{})
	if err := d.Read(strings.NewReader(log), Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	if set.Spans.Len() != 1 {
		t.Fatalf("%d spans of\n%s", set.Spans.Len(), log)
	}
	if n := account.Count("log-impossible-time"); n > 0 {
		t.Fatalf("%d impossible times in\n%s%s", n, log, explain([]byte(log), Options{}))
	}
	if n := account.Count("log-untold-time"); (n == 1) != untold {
		t.Fatalf("time that is not told is counted %d times in\n%s", n, log)
	}
	parts, errors = map[string]int64{}, map[string]int64{}
	p := &set.Parts
	at := set.Spans.Start[0]
	for i := range p.Len() {
		if p.Start[i] != at {
			t.Fatalf("part %d does not begin where the one before it ends\n%s", i, explain([]byte(log), Options{}))
		}
		at = p.End[i]
		name := table.StageNames[p.Stage[i]] + "/" + set.Symbols.Text(p.Detail[i])
		parts[name] += (p.End[i] - p.Start[i] + 500) / 1000
		errors[name] = max(errors[name], p.Error[i]/1000)
	}
	return set.Spans.Start[0] / 1000, set.Spans.End[0] / 1000, parts, errors
}

// near drops from both what is as it should be, by less than a bound in us, and parts of
// no more than that.
func near(want, got map[string]int64, bound int64) string {
	for name := range want {
		if d := want[name] - got[name]; d <= bound && d >= -bound {
			delete(want, name)
			delete(got, name)
		}
	}
	for name := range got {
		if got[name] <= bound && want[name] == 0 {
			delete(got, name)
		}
	}
	return cmp.Diff(want, got)
}

// TestPairedFinish says what becomes of the Finish line of one of two SGLang servers, or
// of the only one, and of the scheduler's line before it: one request, with what each of
// them knows best.
func TestPairedFinish(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawPaired(t)
		q.speed, q.size = rapid.Int64Range(0, 4000).Draw(t, "speed"), rapid.Int64Range(0, 100_000).Draw(t, "size")
		stats := rapid.Bool().Draw(t, "stats")
		log := q.finish(true)
		if stats {
			log = q.stats() + log
		}
		start, end, got, errors := pairedParts(t, log, q.retracted > 0)
		if start != pairedStart || end != q.end() {
			t.Fatalf("it is %d to %d, want %d to %d", start, end, pairedStart, q.end())
		}
		want := map[string]int64{"scheduling/tokenize": q.tokenized, "queue/engine": q.queued, "gpu/prefill": q.prefilled, "gpu/decode": q.ended}
		between := q.sent + q.met + q.allocated + q.moved // until it waits for a batch
		switch {
		case q.role == "unified":
			want["scheduling/ipc"] = q.sent
		case q.role == "prefill" && stats:
			want["scheduling/ipc"], want["queue/admission"] = q.sent, q.met+q.allocated
			delete(want, "gpu/decode")
			want["transfer/kv"] = q.ended
		case q.role == "prefill" && q.room:
			want["queue/admission"], want["transfer/kv"] = between, q.ended
			delete(want, "gpu/decode")
			if errors["queue/admission"] < between {
				t.Fatalf("the handshake is said to be known to %d us, and it is not told", errors["queue/admission"])
			}
		case q.role == "prefill": // nothing in the line tells it from a server alone
			want["scheduling/ipc"] = between
		case stats:
			want["scheduling/ipc"], want["queue/admission"], want["transfer/kv"] = q.sent, q.met+q.allocated, q.moved
		default:
			want["transfer/kv"] = between
			if errors["transfer/kv"] < between && q.retracted == 0 {
				t.Fatalf("the transfer is said to be known to %d us, and it is not told", errors["transfer/kv"])
			}
		}
		if q.retracted > 0 {
			delete(want, "queue/engine")
			if q.role == "unified" {
				want["unattributed/ipc and queue"] = q.sent + q.queued
				delete(want, "scheduling/ipc")
			} else {
				want["transfer/kv"] += q.queued
			}
			want["gpu/decode"], want["unattributed/retracted"] = q.retracted-q.prefilled, q.prefilled+q.ended-q.retracted
			if q.retractions > 1 {
				want["gpu/decode"], want["unattributed/retracted"] = 0, q.ended
			}
		}
		if diff := near(want, got, 40); diff != "" {
			t.Fatalf("-want +got, us\n%s%s%s", diff, log, explain([]byte(log), Options{}))
		}
	})
}

// TestPairedStats says what becomes of the scheduler's line, alone and where Finish tells
// no instants.
func TestPairedStats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawPaired(t)
		// A speed that is told as exactly as it takes for the transfer to be what it was.
		q.speed = rapid.Int64Range(100, 4000).Draw(t, "speed")
		took := float64(q.ended) / 1e6
		q.size = int64(took * 1024 * float64(q.speed))
		log, plain := q.stats(), rapid.Bool().Draw(t, "plain")
		if plain {
			log += q.finish(false)
		}
		start, end, got, errors := pairedParts(t, log, q.retracted > 0)
		wantStart := q.entry()
		switch {
		case plain:
			wantStart = pairedStart
		case q.role == "unified" && q.retracted > 0:
			wantStart = q.forward()
		}
		if d := start - wantStart; d > 600 || d < -600 || end-q.end() > 600 || q.end()-end > 600 {
			t.Fatalf("it is %d to %d, want %d to %d\n%s", start, end, wantStart, q.end(), log)
		}
		want := map[string]int64{"queue/engine": q.queued, "queue/admission": q.met + q.allocated}
		switch q.role {
		case "unified":
			want["gpu/compute"] = q.prefilled + q.ended
		case "prefill":
			want["gpu/prefill"], want["transfer/kv"] = q.prefilled, q.ended
			if d := got["transfer/kv"] - q.ended; d > max(errors["transfer/kv"], 1000) || -d > max(errors["transfer/kv"], 1000) {
				t.Fatalf("the transfer is %d us and %d were told, which is more than %d off", q.ended, got["transfer/kv"], errors["transfer/kv"])
			}
		case "decode":
			want["transfer/kv"], want["gpu/decode"] = q.moved, q.ended
		}
		if q.retracted > 0 {
			delete(want, "queue/engine")
			gpu := "gpu/compute"
			if q.role == "decode" {
				gpu = "gpu/decode"
				want["transfer/kv"] += q.queued
			}
			want[gpu], want["unattributed/retracted"] = q.retracted, q.prefilled+q.ended-q.retracted
		}
		if plain { // what stands before the queue
			want["unattributed/not recorded"] = q.tokenized + q.sent
			if q.role == "unified" && q.retracted > 0 {
				want["unattributed/not recorded"] += q.queued
			}
		}
		if diff := near(want, got, 600); diff != "" {
			t.Fatalf("-want +got, us\n%s%s%s", diff, log, explain([]byte(log), Options{}))
		}
	})
}

// TestTransferThatIsNotTold says that a prefill whose transfer is not told apart from it
// is said to be off by as much as it took.
func TestTransferThatIsNotTold(t *testing.T) {
	for _, behind := range []string{"", ", transfer_speed=0.00 GB/s, transfer_total=0.00 MB", ", transfer_speed=0.00 GB/s, transfer_total=3.00 MB, #retries=0"} {
		log := "[2026-08-20 12:00:04 TP0] ReqTimeStats(rid=a, bootstrap_room=1, input_len=4, cached_input_len=0, output_len=1, attempts=1, type=prefill): bootstrap_duration=4.00ms, queue_duration=30.00ms, forward_duration=400.00ms, entry_time=1787227203.600" + behind + "\n"
		set, _ := readAll(t, []byte(log))
		want := "3600000000+434000000 error 1000000\n 0+4000000 queue/admission exact\n 4000000+30000000 queue/engine exact\n 34000000+400000000 gpu/prefill anchored 400000000\n"
		if diff := cmp.Diff(want, intervals(set)); diff != "" {
			t.Errorf("%q: -want +got\n%s", behind, diff)
		}
	}
}
