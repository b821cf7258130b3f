package serverlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// engineCase is what a file of the corpus tells: its intervals in ns, how many rows of
// the other tables, and what becomes of its lines.
type engineCase struct {
	file   string
	format string
	spans  string // as intervals spells them
	logs   int
	lines  int64
	used   int64
	checks map[string]float64 // sums of readings by metric
}

// at is 2026-08-20T12:00:00Z, the hour of the samples, in ns.
const at = 1787227200_000000000

var engineCases = []engineCase{
	{
		file: "servers/vllm-v1-server.log", format: "vllm", logs: 3, lines: 10, used: 9,
		spans:  "0+3000000000 error 1000000000\n",
		checks: map[string]float64{"running": 18 + 20, "waiting": 3 + 5, "deferred": 2, "preemptions": 1, "step_time": 187410000, "kv_transfer_time_mean": 12731000, "kv_transfer_bytes_mean": 96 * 1048576},
	},
	{
		file: "servers/vllm-v1-0.8-0.10.log", format: "vllm", logs: 2, lines: 4, used: 4,
		spans:  "0 unfinished error 1000000000\n",
		checks: map[string]float64{"generation_throughput": 24, "kv_usage": 0.004},
	},
	{
		file: "servers/vllm-v0-server.log", format: "vllm", logs: 2, lines: 5, used: 5,
		spans:  "10000000000+1000000000 error 1000000000\n",
		checks: map[string]float64{"running": 1, "swapped": 0, "kv_usage": 0.012},
	},
	{
		file: "servers/vllm-rust-frontend.log", format: "vllm", lines: 3, used: 3,
		spans:  "11816000000+1184000000 error 1000000000\n",
		checks: map[string]float64{"running": 18, "prefix_hit_rate": 0.375},
	},
	{
		file: "servers/triton-server.log", format: "triton-log", logs: 2, lines: 8, used: 5,
		spans: "30000202000+2853000 error 1000\n" +
			" 0+93000 queue/engine exact\n" +
			" 93000+2760000 gpu/compute exact\n",
	},
	{
		file: "servers/sglang-server.log", format: "sglang", logs: 1, lines: 9, used: 9,
		spans: "100000000+3412300000 error 1000 ttft 920000000\n" +
			" 0+9000000 scheduling/tokenize exact\n" +
			" 9000000+2890000 scheduling/ipc exact\n" +
			" 11890000+604110000 queue/engine exact\n" +
			" 616000000+291000000 gpu/prefill exact\n" +
			" 907000000+2505300000 gpu/decode exact\n" +
			"3600000000+449170000 error 1000000\n" +
			" 0+4200000 queue/admission exact\n" +
			" 4200000+33100000 queue/engine exact\n" +
			" 37300000+389558532 gpu/prefill anchored 1000000\n" +
			" 426858532+22311468 transfer/kv anchored 1000000\n" +
			"3600000000+2462900000 error 1000000\n" +
			" 0+3900000 queue/admission exact\n" +
			" 3900000+400000 queue/admission exact\n" +
			" 4300000+446200000 transfer/kv exact\n" +
			" 450500000+1100000 queue/engine exact\n" +
			" 451600000+2011300000 gpu/decode exact\n" +
			"-20995200394630000+3394630000 error 1000000000\n" +
			" 0+604110000 queue/engine anchored 1000000000\n" +
			" 604110000+2790520000 gpu/compute anchored 1000000000\n",
		checks: map[string]float64{"waiting": 3 + 2, "pending_tokens": 5120, "kv_tokens": 41233},
	},
	{
		file: "servers/sglang-request-log.jsonl", format: "sglang", lines: 2, used: 2,
		spans: "100000000+3412300000 error 1000000\n" +
			" 0+604110000 queue/engine anchored 2808190000\n" +
			" 604110000+2808190000 unattributed/not recorded residual\n",
	},
	{
		file: "servers/tgi-text.log", format: "tgi", lines: 2, used: 2,
		spans: "99954322+3412345678 error 1000000\n" +
			" 0+812345 scheduling/tokenize anchored 1000000\n" +
			" 812345+604112345 queue/engine anchored 1000000\n" +
			" 604924690+2807420988 gpu/compute anchored 1000000\n" +
			"4999901800+98200 error 1000000\n" +
			" 0+41000 scheduling/tokenize anchored 1000000\n" +
			" 41000+1200 queue/engine anchored 1000000\n" +
			" 42200+56000 gpu/compute anchored 1000000\n",
	},
	{
		file: "servers/tgi-json.log", format: "tgi", lines: 1, used: 1,
		spans: "99954322+3412345678 error 1000000\n" +
			" 0+812345 scheduling/tokenize anchored 1000000\n" +
			" 812345+604112345 queue/engine anchored 1000000\n" +
			" 604924690+2807420988 gpu/compute anchored 1000000\n",
	},
	{
		file: "servers/dynamo.jsonl", format: "dynamo", lines: 3, used: 3,
		spans: "100000000+3412300000 error 1000 ttft 912000000\n",
	},
	{
		file: "servers/rayserve.log", format: "rayserve", lines: 2, used: 2,
		spans: "100200000+3411800000 error 1000000\n" +
			"100100000+3413900000 error 1000000\n" +
			" 0+3413900000 unattributed/upstream residual\n",
	},
	{
		file: "servers/kserve.log", format: "kserve", lines: 1, used: 1,
		spans: "109281000+3402719000 error 1000000\n" +
			" 0+1203000 scheduling/handler anchored 1000000\n" +
			" 1203000+3401114000 unattributed/predict anchored 1000000\n" +
			" 3402317000+402000 scheduling/handler anchored 1000000\n",
	},
	{
		file: "servers/llamacpp-server.log", format: "llamacpp", lines: 6, used: 4,
		spans: "steady 151114207000+3398803000 error 1000000 ttft 900693000\n" +
			" 0+609653000 unattributed/not recorded residual\n" +
			" 609653000+291040000 gpu/prefill anchored 1000000\n" +
			" 900693000+2498110000 gpu/decode anchored 1000000\n",
	},
	{
		file: "servers/llamacpp-server-2025-02.log", format: "llamacpp", logs: 1, lines: 5, used: 5,
		spans: "none 0+2789150000 error 1000000 ttft 291040000\n" +
			" 0+291040000 gpu/prefill anchored 1000000\n" +
			" 291040000+2498110000 gpu/decode anchored 1000000\n",
	},
	{
		file: "servers/ollama-server.log", format: "ollama", lines: 2, used: 1,
		spans: "-410000000+3410000000 error 1000000000\n",
	},
	{
		file: "servers/lmdeploy.log", format: "lmdeploy", lines: 3, used: 3,
		spans:  "101000000+3411000000 error 1000000\n",
		checks: map[string]float64{"running": 18, "waiting": 3, "pending_requests": 3, "requests_total": 41},
	},
	{
		file: "real/vllm_v1_longprefill_waiting.log", format: "vllm", lines: 426, used: 190, logs: 105,
	},
	{
		file: "real/sglang_laguna_single_user.log", format: "sglang", lines: 180, used: 172, logs: 84,
	},
}

// TestCorpusEngines reads the engines' logs of the corpus and compares every interval.
func TestCorpusEngines(t *testing.T) {
	corpus := os.Getenv("TAILPATH_CORPUS")
	if corpus == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	for _, c := range engineCases {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(corpus, "cases", filepath.FromSlash(c.file)))
			if err != nil {
				t.Fatal(err)
			}
			if found := Detect(data, Builtin()); found.Format == nil || found.Format.ID != c.format {
				t.Errorf("detected %+v, want %s", found, c.format)
			}
			set, stats := readAll(t, data)
			if diff := cmp.Diff(c.spans, intervals(set)); diff != "" {
				t.Errorf("intervals: -want +got\n%s", diff)
			}
			if stats.Lines != c.lines || stats.Used != c.used || set.Logs.Len() != c.logs {
				t.Errorf("%d lines, %d used, %d logs; want %d, %d, %d", stats.Lines, stats.Used, set.Logs.Len(), c.lines, c.used, c.logs)
			}
			sum := stats.Used
			for _, u := range stats.Unused {
				sum += u.Count
			}
			if sum != stats.Lines {
				t.Errorf("used and unused are %d of %d lines", sum, stats.Lines)
			}
			got := readings(set)
			for metric, want := range c.checks {
				if diff := got[metric] - want; diff > 1e-9 || diff < -1e-9 {
					t.Errorf("%s: readings add up to %v, want %v", metric, got[metric], want)
				}
			}
		})
	}
}

// readAll reads a log whose dates are of 2026.
func readAll(t interface {
	Helper()
	Fatalf(string, ...any)
}, data []byte) (*table.Set, Stats) {
	t.Helper()
	set := table.NewSet()
	d := NewDecoder(set, &table.Account{}, "log", Options{Year: 2026})
	if err := d.Read(bytes.NewReader(data), Start{Line: 1}); err != nil {
		t.Fatalf("read: %v", err)
	}
	if err := set.Validate(); err != nil {
		t.Fatalf("the set is not valid: %v", err)
	}
	return set, d.Stats()
}

// intervals spells the spans, in ns after at, and their parts, in ns after their start.
func intervals(set *table.Set) string {
	var b strings.Builder
	part := 0
	for i := range set.Spans.Len() {
		s := &set.Spans
		start := s.Start[i]
		if clock := s.Clock[i]; clock != table.ClockWall {
			b.WriteString(table.ClockNames[clock] + " ")
		} else {
			start -= at
		}
		if s.End[i] == 0 && s.Start[i] > 0 {
			fmt.Fprintf(&b, "%d unfinished", start)
		} else {
			fmt.Fprintf(&b, "%d+%d", start, s.End[i]-s.Start[i])
		}
		fmt.Fprintf(&b, " error %d", s.Error[i])
		if s.TTFT[i] != table.Missing {
			fmt.Fprintf(&b, " ttft %d", s.TTFT[i])
		}
		b.WriteByte('\n')
		for p := &set.Parts; part < p.Len() && int(p.SpanRow[part]) == i; part++ {
			fmt.Fprintf(&b, " %d+%d %s/%s %s", p.Start[part]-s.Start[i], p.End[part]-p.Start[part],
				table.StageNames[p.Stage[part]], set.Symbols.Text(p.Detail[part]), table.ConfidenceNames[p.Confidence[part]])
			if p.Error[part] != 0 {
				fmt.Fprintf(&b, " %d", p.Error[part])
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// readings adds up the readings of every metric.
func readings(set *table.Set) map[string]float64 {
	sums := map[string]float64{}
	for i := range set.EngineSamples.Len() {
		sums[set.Symbols.Text(set.EngineSamples.Metric[i])] += set.EngineSamples.Value[i]
	}
	return sums
}

// TestRequestsAreToldOnce says that a request of SGLang is one span, whichever of its
// three lines are in the log, whatever stands between them, and that its queueing is
// known if any of the lines tells it.
func TestRequestsAreToldOnce(t *testing.T) {
	const receive, stats, finish = 1, 2, 4
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.IntRange(1, 7), 1, 20).Draw(t, "lines of every request")
		metrics := rapid.Bool().Draw(t, "metrics")
		var queues [][]string // the lines of every request, in order
		wantQueue := 0
		for i, has := range lines {
			rid, entry := fmt.Sprintf("r%d", i), int64(1787227200+i)
			var q []string
			if has&receive != 0 {
				q = append(q, fmt.Sprintf("[2026-08-20 12:00:00] Receive: obj=GenerateReqInput(rid='%s', stream=True)", rid))
			}
			if has&stats != 0 {
				q = append(q, fmt.Sprintf("[2026-08-20 12:01:00 TP0] ReqTimeStats(rid=%s, input_len=3, cached_input_len=0, output_len=2, attempts=0, type=unified): queue_duration=250.00ms, forward_duration=500.00ms, entry_time=%d.100", rid, entry))
			}
			if has&finish != 0 {
				meta := "'e2e_latency': 1.0"
				if metrics {
					meta += fmt.Sprintf(", 'queue_time': 0.25, 'forward_entry_time': %d.35, 'prefill_finished_time': %d.5, 'request_received_ts': %d.0, 'request_finished_ts': %d.0", entry, entry, entry, entry+1)
				}
				q = append(q, fmt.Sprintf("[2026-08-20 12:01:00] Finish: obj=GenerateReqInput(rid='%s', stream=True), out={'meta_info': {'id': '%s', %s}}", rid, rid, meta))
			}
			if has&stats != 0 || has&finish != 0 && metrics {
				wantQueue++
			}
			queues = append(queues, q)
		}
		var log bytes.Buffer
		for left := len(queues); left > 0; {
			i := rapid.IntRange(0, len(queues)-1).Draw(t, "next")
			for len(queues[i]) == 0 {
				i = (i + 1) % len(queues)
			}
			fmt.Fprintln(&log, queues[i][0])
			if queues[i] = queues[i][1:]; len(queues[i]) == 0 {
				left--
			}
		}
		set, _ := readAll(t, log.Bytes())
		seen := map[string]int{}
		for i := range set.Spans.Len() {
			seen[set.Spans.RequestID[i]]++
		}
		if len(seen) != len(lines) || set.Spans.Len() != len(lines) {
			t.Fatalf("%d requests became %d spans of %d ids\n%s", len(lines), set.Spans.Len(), len(seen), log.Bytes())
		}
		queue := 0
		for j := range set.Parts.Len() {
			if table.StageNames[set.Parts.Stage[j]] == "queue" {
				queue++
				if d := set.Parts.End[j] - set.Parts.Start[j]; d != 250e6 {
					t.Fatalf("a queue of %d ns, want 250 ms", d)
				}
			}
		}
		if queue != wantQueue {
			t.Fatalf("%d requests have a queue, want %d\n%s", queue, wantQueue, log.Bytes())
		}
	})
}

// TestToldRequestsAreBounded says that requests that are told by one line each all
// become spans, however many, and are not kept until the end.
func TestToldRequestsAreBounded(t *testing.T) {
	const n = 3 * maxTold
	var log bytes.Buffer
	for i := range n {
		fmt.Fprintf(&log, "[2026-08-20 12:01:00 TP0] ReqTimeStats(rid=r%d, input_len=3, cached_input_len=0, output_len=2, attempts=0, type=unified): queue_duration=250.00ms, forward_duration=500.00ms, entry_time=%d.100\n", i, 1787227200+i)
	}
	set := table.NewSet()
	d := NewDecoder(set, &table.Account{}, "log", Options{Year: 2026})
	for _, text := range bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n")) {
		d.Record(text, table.Place{Source: "log"}, table.Missing, From{})
		if len(d.open.byKey) > maxTold || len(d.open.order) > 2*maxTold+1024 {
			t.Fatalf("%d requests are open, %d are kept", len(d.open.byKey), len(d.open.order))
		}
	}
	d.Close()
	if set.Spans.Len() != n {
		t.Fatalf("%d spans, want %d", set.Spans.Len(), n)
	}
	for i := range n {
		if want := int64(1787227200+i)*1e9 + 100e6; set.Spans.Start[i] != want || set.Spans.End[i] != want+750e6 {
			t.Fatalf("span %d is %d to %d", i, set.Spans.Start[i], set.Spans.End[i])
		}
	}
}

// TestGinLatency checks the worth of a latency against what gin cuts it to.
func TestGinLatency(t *testing.T) {
	slots := match.NewSlots()
	m, _, err := match.Pattern("{latency:gin_latency}", slots, nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		took := time.Duration(rapid.Int64Range(0, int64(3*time.Hour)).Draw(t, "took"))
		shown := took
		switch { // as gin does before it prints
		case took > time.Minute:
			shown = took.Truncate(10 * time.Second)
		case took > time.Second:
			shown = took.Truncate(10 * time.Millisecond)
		}
		values := slots.NewValues()
		if !m.Match([]byte(shown.String()), values) {
			t.Fatalf("%s does not match", shown)
		}
		if off := int64(took) - values[0].Int; off < 0 || off > values[0].Res {
			t.Fatalf("%s is shown as %s, read as %d ns and said to be off by %d ns at most", took, shown, values[0].Int, values[0].Res)
		}
	})
}

// TestEnginesKeepNoText says that nothing of what clients and models wrote is in any row
// or issue: the logs of the tests hold the word in prompts, answers and parameters.
func TestEnginesKeepNoText(t *testing.T) {
	planted := 0
	logs, err := filepath.Glob("testdata/*/*.log")
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("secret")) {
			continue
		}
		planted++
		if got := explain(data, Options{Year: 2026}); strings.Contains(got, "secret") {
			t.Errorf("%s: a row or an issue holds what it must not\n%s", log, got)
		}
	}
	if planted < 3 {
		t.Errorf("only %d logs hold the word", planted)
	}
}

// toldTwice is a format in which an update may tell a request by itself.
const toldTwice = `
id: twice
title: a test
doc: A request has up to four lines.
kind: engine
service: twice
heads: ['{time:epoch_s} ']
records:
  - {id: open, example: '1 open a', pattern: 'open {request_id:token}', begin: {key: [request_id], time: opened}}
  - {id: also, example: '1 also a 5ms', pattern: 'also {request_id:token} {first:go}', begin: {key: [request_id]}}
  - {id: more, example: '1 more 7ms', pattern: 'more {second:go}', update: {key: []}}
  - {id: told, bare: true, example: '1 told a 9ms', pattern: 'told {request_id:token} {took:go}', update: {key: [request_id]}, span: {start: [opened, time - took], end: time, parts: [{until: start + took, stage: gpu}]}}
  - id: done
    example: '1 done a'
    pattern: 'done {request_id:token}'
    finish: {key: [request_id]}
    span: {start: [opened, time - took, time], end: time, parts: [{until: start + first, stage: queue}, {until: last + second, stage: scheduling}, {until: last + took, stage: gpu}]}
`

// TestMarks says which records make one request together.
func TestMarks(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{"two kinds of beginning are one", "10 open a\n10 also a 1s\n20 done a\n", "span +10s queue=1s"},
		{"and in the other order", "10 also a 1s\n12 open a\n20 done a\n", "span +8s queue=1s"},
		{"one kind of beginning twice is two", "10 open a\n12 open a\n20 done a\n", "span unfinished\nspan +8s"},
		{"a line without a key belongs to the one before", "10 open a\n11 open b\n12 more 2s\n20 done a\n21 done b\n", "span +10s\nspan +10s scheduling=2s"},
		{"and to nothing if that has ended", "10 open a\n20 done a\n21 more 2s\n", "span +10s"},
		{"an update that tells all is a request", "20 told a 4s\n", "span +4s gpu=4s"},
		{"with what was told before", "10 open a\n20 told a 4s\n", "span +10s gpu=4s"},
		{"the last record wins over it", "10 open a\n20 told a 4s\n22 done a\n", "span +12s gpu=4s"},
		{"told twice is two requests", "20 told a 4s\n30 told a 5s\n", "span +4s gpu=4s\nspan +5s gpu=5s"},
		{"begun again behind it is two requests", "20 told a 4s\n25 open a\n30 done a\n", "span +4s gpu=4s\nspan +5s"},
		{"a bare record stands without a head", "1 open x\n1 done x\ntold a 4s\ndone b\n", "span +0s\nspan +4s gpu=4s"},
	} {
		set := table.NewSet()
		d := NewDecoder(set, &table.Account{}, "log", Options{Formats: onlyFormats(t, toldTwice)})
		if err := d.Read(strings.NewReader(c.log), Start{Line: 1}); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		part := 0
		for i := range set.Spans.Len() {
			b.WriteString("span")
			if s := &set.Spans; s.End[i] == 0 && s.Start[i] > 0 {
				b.WriteString(" unfinished")
			} else {
				fmt.Fprintf(&b, " +%s", time.Duration(s.End[i]-s.Start[i]))
			}
			for p := &set.Parts; part < p.Len() && int(p.SpanRow[part]) == i; part++ {
				if name := table.StageNames[p.Stage[part]]; name != "unattributed" {
					fmt.Fprintf(&b, " %s=%s", name, time.Duration(p.End[part]-p.Start[part]))
				}
			}
			b.WriteByte('\n')
		}
		if got := strings.TrimSpace(b.String()); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	for _, bad := range [][2]string{
		{"begin: {key: [request_id]}}", "begin: {key: []}}"},
		{"update: {key: []}}", "update: {time: x}}"},
		{"update: {key: []}}", "update: {key: []}, log: {}}"},
	} {
		if _, err := Load([]byte(strings.Replace(toldTwice, bad[0], bad[1], 1)), "test.yaml"); err == nil {
			t.Errorf("%s compiles", bad[1])
		}
	}
}
