package tracefile

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// tritonExample is an HTTP request to one model, and a gRPC request to an ensemble of
// two, of which the second was answered from the cache. Times are small, for reading.
const tritonExample = `[{"id":7,"timestamps":[{"name":"HTTP_RECV_START","ns":1000}]},{"id":7,"timestamps":[{"name":"HTTP_RECV_END","ns":1100}]},
{"id":9,"model_name":"b","model_version":2,"parent_id":8},{"id":9,"timestamps":[{"name":"REQUEST_START","ns":5000}]},
{"id":9,"timestamps":[{"name":"QUEUE_START","ns":5010}]},{"id":9,"timestamps":[{"name":"REQUEST_END","ns":5900}]},
{"id":7,"model_name":"m","model_version":1,"request_id":"r-1"},{"id":7,"timestamps":[{"name":"REQUEST_START","ns":1200}]},
{"id":7,"timestamps":[{"name":"QUEUE_START","ns":1210}]},{"id":7,"timestamps":[{"name":"COMPUTE_START","ns":1500}]},
{"id":7,"timestamps":[{"name":"COMPUTE_INPUT_END","ns":1600}]},{"id":7,"timestamps":[{"name":"COMPUTE_OUTPUT_START","ns":1900}]},
{"id":7,"timestamps":[{"name":"COMPUTE_END","ns":1950}]},{"id":7,"timestamps":[{"name":"INFER_RESPONSE_COMPLETE","ns":1960}]},
{"id":7,"timestamps":[{"name":"REQUEST_END","ns":2000}]},{"id":7,"timestamps":[{"name":"HTTP_SEND_START","ns":2010}]},
{"id":7,"timestamps":[{"name":"HTTP_SEND_END","ns":2050}]},
{"id":7,"activity":"TENSOR_QUEUE_INPUT","tensor":{"name":"IN","data":"THE-PROMPT","shape":"1","dtype":"BYTES"}},
{"id":8,"timestamps":[{"name":"GRPC_WAITREAD_START","ns":1}]},{"id":8,"timestamps":[{"name":"GRPC_WAITREAD_END","ns":3000}]},
{"id":8,"model_name":"ens","model_version":1},{"id":8,"timestamps":[{"name":"REQUEST_START","ns":3100},{"name":"QUEUE_START","ns":3110}]},
{"id":8,"timestamps":[{"name":"REQUEST_END","ns":6000}]},{"id":8,"timestamps":[{"name":"GRPC_SEND_START","ns":6010}]},
{"id":8,"timestamps":[{"name":"GRPC_SEND_END","ns":6100}]},
{"id":10,"model_name":"a","model_version":1,"parent_id":8},{"id":10,"timestamps":[{"name":"REQUEST_START","ns":3200}]},
{"id":10,"timestamps":[{"name":"QUEUE_START","ns":3210}]},{"id":10,"timestamps":[{"name":"COMPUTE_START","ns":4000}]},
{"id":10,"timestamps":[{"name":"COMPUTE_END","ns":4900}]},{"id":10,"timestamps":[{"name":"REQUEST_END","ns":4950}]}]`

func tritonAttrs(model, version, id, parent string) string {
	return " triton.model_name=" + model + "0 triton.model_version=" + version + " triton.trace_id=" + id + " triton.trace_parent_id=" + parent
}

func TestTritonExample(t *testing.T) {
	set, account, stats := recordsOf(t, TritonTrace, tritonExample)
	checkRecords(t, set, stats)
	checkSecret(t, set, account)
	want := []string{
		"InferRequest [1000, 2050) @HTTP_RECV_START=1000 @HTTP_RECV_END=1100 @INFER_RESPONSE_COMPLETE=1960 @HTTP_SEND_START=2010 @HTTP_SEND_END=2050",
		"InferRequest [3000, 6100) @GRPC_WAITREAD_START=1 @GRPC_WAITREAD_END=3000 @GRPC_SEND_START=6010 @GRPC_SEND_END=6100",
		"a [3200, 4950) < ens [3100, 6000) < InferRequest [3000, 6100)" + tritonAttrs("a", "1", "a", "8") + " @REQUEST_START=3200 @QUEUE_START=3210 @REQUEST_END=4950",
		"b [5000, 5900) < ens [3100, 6000) < InferRequest [3000, 6100)" + tritonAttrs("b", "2", "9", "8") + " @REQUEST_START=5000 @QUEUE_START=5010 @REQUEST_END=5900",
		"compute [1500, 1950) < m [1200, 2000) < InferRequest [1000, 2050) @COMPUTE_START=1500 @COMPUTE_INPUT_END=1600 @COMPUTE_OUTPUT_START=1900 @COMPUTE_END=1950",
		"compute [4000, 4900) < a [3200, 4950) < ens [3100, 6000) < InferRequest [3000, 6100) @COMPUTE_START=4000 @COMPUTE_END=4900",
		"ens [3100, 6000) < InferRequest [3000, 6100)" + tritonAttrs("ens", "1", "8", "0") + " @REQUEST_START=3100 @QUEUE_START=3110 @REQUEST_END=6000",
		"m [1200, 2000) < InferRequest [1000, 2050)" + tritonAttrs("m", "1", "7", "0") + " triton.request_id=r-10 @REQUEST_START=1200 @QUEUE_START=1210 @REQUEST_END=2000",
	}
	if d := cmp.Diff(want, spanLines(set)); d != "" {
		t.Error(d)
	}
	for i := range set.Spans.Len() {
		if set.Spans.Clock[i] != table.ClockSteady {
			t.Errorf("span %d is not on a steady clock", i)
		}
	}
	if account.Count("triton-tensor") != 1 || stats.Unused != 1 || stats.BadSpans != 0 || len(account.Entries()) != 1 {
		t.Errorf("account %+v, stats %+v", account.Entries(), stats)
	}
}

func TestTritonFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		spans  []string
		issues map[string]int64
	}{
		"a streamed response has no end of sending": {
			`[{"id":1,"timestamps":[{"name":"HTTP_RECV_START","ns":100},{"name":"HTTP_RECV_END","ns":110},{"name":"REQUEST_START","ns":120},{"name":"REQUEST_END","ns":190},{"name":"HTTP_SEND_START","ns":0},{"name":"HTTP_SEND_END","ns":0}]},{"id":1,"model_name":"m","model_version":1}]`,
			[]string{"InferRequest [100, 190)", "m [120, 190) < InferRequest [100, 190)"},
			map[string]int64{"triton-bad-time": 2},
		},
		"a time near the boot of the host": {
			`[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":900000000000000},{"name":"QUEUE_START","ns":12},{"name":"REQUEST_END","ns":900000000000500}]}]`,
			[]string{"m [900000000000000, 900000000000500)"},
			map[string]int64{"triton-bad-time": 1},
		},
		"the parent was lost": {
			`[{"id":2,"model_name":"m","model_version":1,"parent_id":1},{"id":2,"timestamps":[{"name":"REQUEST_START","ns":5},{"name":"REQUEST_END","ns":9}]}]`,
			[]string{"m [5, 9)"},
			map[string]int64{"triton-lost-parent": 1},
		},
		"parents of each other": {
			`[{"id":2,"model_name":"m","model_version":1,"parent_id":3},{"id":3,"model_name":"n","model_version":1,"parent_id":2},{"id":4,"model_name":"o","model_version":1,"parent_id":4},
			{"id":2,"timestamps":[{"name":"REQUEST_START","ns":5},{"name":"REQUEST_END","ns":9}]},{"id":3,"timestamps":[{"name":"REQUEST_START","ns":6},{"name":"REQUEST_END","ns":8}]},{"id":4,"timestamps":[{"name":"REQUEST_START","ns":6},{"name":"REQUEST_END","ns":7}]}]`,
			[]string{"m [5, 9)", "n [6, 8) < m [5, 9)", "o [6, 7)"},
			map[string]int64{"triton-lost-parent": 2},
		},
		"cut before the end": {
			`[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":5}]},{"id":1,"timestamps":[{"name":"QUEUE_START","ns":7}]},{"id":1,"timestamps":[{"name":"REQUEST_EN`,
			[]string{"m [5, 0)"},
			map[string]int64{"tracefile-cut-last": 1},
		},
		"ids of a second array are others": {
			`[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":5},{"name":"REQUEST_END","ns":9}]}][{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":15},{"name":"REQUEST_END","ns":19}]}]`,
			[]string{"m [15, 19)", "m [5, 9)"},
			nil,
		},
		"a restarted server wrote on behind an open array": {
			`[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":5},{"name":"REQUEST_END","ns":9}]},[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":15},{"name":"REQUEST_END","ns":19}]}]`,
			[]string{"m [15, 19)", "m [5, 9)"},
			map[string]int64{"tracefile-cut-last": 1},
		},
		"a restarted server wrote on inside an object": {
			`[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":5},{"name":"REQUEST_END","ns":9}]},{"id":1,"times` + "\n" + `[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":15},{"name":"REQUEST_END","ns":19}]}]`,
			[]string{"m [15, 19)", "m [5, 9)"},
			map[string]int64{"triton-reused-id": 1, "tracefile-bad-span": 1},
		},
		"one object a line": {
			`{"id":1,"model_name":"m","model_version":1}` + "\n" + `{"id":1,"timestamps":[{"name":"REQUEST_START","ns":5}]}` + "\n" + `{"id":1,"timestamps":[{"name":"REQUEST_END","ns":9}]}`,
			[]string{"m [5, 9)"},
			nil,
		},
		"a called model with a frontend's times": {
			`[{"id":2,"model_name":"m","model_version":1,"parent_id":1},{"id":2,"timestamps":[{"name":"HTTP_RECV_START","ns":5},{"name":"HTTP_RECV_END","ns":9}]}]`,
			[]string{"m [5, 0)"},
			map[string]int64{"triton-lost-parent": 1},
		},
		"a gRPC server that had waited for days": {
			`[{"id":1,"timestamps":[{"name":"GRPC_WAITREAD_START","ns":5},{"name":"GRPC_WAITREAD_END","ns":900000000000100},{"name":"REQUEST_START","ns":900000000000200},{"name":"REQUEST_END","ns":900000000000300},{"name":"GRPC_SEND_END","ns":900000000000400}]},{"id":1,"model_name":"m","model_version":1}]`,
			[]string{"InferRequest [900000000000100, 900000000000400)", "m [900000000000200, 900000000000300) < InferRequest [900000000000100, 900000000000400)"},
			nil,
		},
		"no model is named": {
			`[{"id":1,"timestamps":[{"name":"REQUEST_START","ns":5},{"name":"REQUEST_END","ns":9}]}]`,
			[]string{"model [5, 9)"},
			map[string]int64{"triton-no-metadata": 1},
		},
		"no times": {
			`[{"id":1,"model_name":"m","model_version":1}]`, []string{}, map[string]int64{"triton-no-times": 1},
		},
		"broken objects cost themselves": {
			`[{"id":1,"model_name":"m","model_version":1},{"id":"x","timestamps":[]},{"id":1,"timestamps":{}},{"timestamps":[]},{"id":1,"timestamps":[{"ns":4},5]},{"id":1,"model_name":3},{"id":1,"weird":2},
			{"id":"1","timestamps":[{"name":"REQUEST_START","ns":"5"},{"name":"REQUEST_END","ns":9.0}]}]`,
			[]string{"m [5, 9)"},
			map[string]int64{"record-bad": 2, "tracefile-bad-part": 4, "triton-other-object": 1},
		},
		"names of old releases": {
			`[{"model_name":"m","model_version":-1,"id":1,"timestamps":[{"name":"http recv start","ns":1},{"name":"http recv end","ns":2},{"name":"request handler start","ns":3},{"name":"queue start","ns":4},{"name":"compute start","ns":5},{"name":"compute end","ns":8},{"name":"request handler end","ns":9},{"name":"http send start","ns":10},{"name":"http send end","ns":11}]}]`,
			[]string{"InferRequest [1, 11)", "compute [5, 8) < m [3, 9) < InferRequest [1, 11)", "m [3, 9) < InferRequest [1, 11)"},
			nil,
		},
		"a streamed response is sent in pieces": {
			`[{"id":1,"timestamps":[{"name":"GRPC_WAITREAD_END","ns":1},{"name":"REQUEST_START","ns":2},{"name":"REQUEST_END","ns":60}]},{"id":1,"model_name":"m","model_version":1},
			{"id":1,"timestamps":[{"name":"GRPC_SEND_START","ns":20},{"name":"GRPC_SEND_END","ns":21},{"name":"GRPC_SEND_START","ns":40},{"name":"GRPC_SEND_END","ns":41},{"name":"GRPC_SEND_START","ns":70},{"name":"GRPC_SEND_END","ns":72}]}]`,
			[]string{"InferRequest [1, 72)", "m [2, 60) < InferRequest [1, 72)"},
			nil,
		},
		"an execution whose start is lost": {
			`[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":10},{"name":"COMPUTE_START","ns":0},{"name":"COMPUTE_END","ns":40},{"name":"COMPUTE_START","ns":50},{"name":"COMPUTE_END","ns":80},{"name":"REQUEST_END","ns":90}]}]`,
			[]string{"compute [50, 80) < m [10, 90)", "m [10, 90)"},
			map[string]int64{"triton-bad-time": 1},
		},
		"an execution whose end is lost": {
			`[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_START","ns":10},{"name":"COMPUTE_START","ns":20},{"name":"COMPUTE_END","ns":0},{"name":"COMPUTE_START","ns":50},{"name":"COMPUTE_END","ns":80},{"name":"COMPUTE_START","ns":80},{"name":"COMPUTE_END","ns":85},{"name":"REQUEST_END","ns":90}]}]`,
			[]string{"compute [50, 80) < m [10, 90)", "compute [80, 85) < m [10, 90)", "m [10, 90)"},
			map[string]int64{"triton-bad-time": 1},
		},
		"several executions and activities of the backend": {
			`[{"id":1,"model_name":"m","model_version":1},{"id":1,"timestamps":[{"name":"REQUEST_END","ns":90},{"name":"COMPUTE_END","ns":40},{"name":"COMPUTE_START","ns":50},{"name":"COMPUTE_START","ns":20},{"name":"COMPUTE_END","ns":80},{"name":"LOAD_START","ns":22},{"name":"LOAD_END","ns":39},{"name":"COPY_START","ns":25},{"name":"COPY_END","ns":30},{"name":"MARK","ns":31},{"name":"REQUEST_START","ns":10}]}]`,
			[]string{"COPY [25, 30) < LOAD [22, 39) < m [10, 90)", "LOAD [22, 39) < m [10, 90)", "compute [20, 40) < m [10, 90)", "compute [50, 80) < m [10, 90)", "m [10, 90)"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			set, account, stats := recordsOf(t, TritonTrace, c.text)
			checkRecords(t, set, stats)
			got := []string{}
			for _, line := range spanLines(set) {
				line, _, _ = strings.Cut(line, " triton.")
				line, _, _ = strings.Cut(line, " @")
				got = append(got, line)
			}
			if d := cmp.Diff(c.spans, got); d != "" {
				t.Error(d)
			}
			issues := map[string]int64{}
			for _, e := range account.Entries() {
				issues[e.ID] = e.Count
			}
			if d := cmp.Diff(c.issues, issues); d != "" && len(c.issues)+len(issues) > 0 {
				t.Error(d)
			}
		})
	}
}

// TestTritonFiles holds that the numbered files of one server, whose ids may be the same,
// are apart: no two spans of theirs share an id.
func TestTritonFiles(t *testing.T) {
	set, account := table.NewSet(), &table.Account{}
	var stats Stats
	for _, source := range []string{"trace.0", "trace.1"} {
		d := NewDecoder(set, account, source)
		if err := d.Read(strings.NewReader(tritonExample), TritonTrace); err != nil {
			t.Fatal(err)
		}
		stats.Spans += d.Stats().Spans
	}
	checkRecords(t, set, stats)
	if set.Spans.Len() != 16 {
		t.Errorf("%d spans", set.Spans.Len())
	}
}

// summary is what Triton's trace_summary.py computes of one trace, in ns.
type summary struct{ infer, receive, send, request, queue, input, compute, output int64 }

func summarize(ns map[string]int64) summary {
	d := func(from, to string) int64 {
		if ns[from] == 0 || ns[to] == 0 {
			return 0
		}
		return ns[to] - ns[from]
	}
	return summary{
		infer:   d("HTTP_RECV_START", "HTTP_SEND_END") + d("GRPC_WAITREAD_END", "GRPC_SEND_END"),
		receive: d("HTTP_RECV_START", "HTTP_RECV_END"), send: d("HTTP_SEND_START", "HTTP_SEND_END") + d("GRPC_SEND_START", "GRPC_SEND_END"),
		request: d("REQUEST_START", "REQUEST_END"), queue: d("QUEUE_START", "COMPUTE_START"),
		input: d("COMPUTE_START", "COMPUTE_INPUT_END"), compute: d("COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START"), output: d("COMPUTE_OUTPUT_START", "COMPUTE_END"),
	}
}

// TestTritonSample holds that the stage times of a request are the figures of Triton's
// own summary of the file, to the ns.
func TestTritonSample(t *testing.T) {
	text := corpus(t, "triton-trace.json")
	if got := Sniff([]byte(text), true); got != TritonTrace {
		t.Fatalf("sniffed as %v", got)
	}
	var objects []struct {
		ID, ParentID int64
		Parent       int64 `json:"parent_id"`
		Timestamps   []struct {
			Name string
			NS   int64
		}
	}
	if err := json.Unmarshal([]byte(text), &objects); err != nil {
		t.Fatal(err)
	}
	stamps, parents := map[int64]map[string]int64{}, map[int64]int64{}
	for _, o := range objects {
		if stamps[o.ID] == nil {
			stamps[o.ID] = map[string]int64{}
		}
		parents[o.ID] += o.Parent
		for _, s := range o.Timestamps {
			stamps[o.ID][s.Name] = s.NS
		}
	}
	want := map[int64][table.StageCount]int64{} // by start
	for id, ns := range stamps {
		if parents[id] != 0 {
			continue
		}
		root := summarize(ns)
		var times [table.StageCount]int64
		times[stage.Network] = root.receive
		times[stage.Transfer] = root.send
		for child, ns := range stamps {
			if child == id || parents[child] == id {
				s := summarize(ns)
				times[stage.Queue] += s.queue
				times[stage.GPU] += s.compute
				times[stage.Transfer] += s.input + s.output
			}
		}
		times[stage.Scheduling] = root.infer - times[stage.Network] - times[stage.Queue] - times[stage.GPU] - times[stage.Transfer]
		want[max(ns["HTTP_RECV_START"], ns["GRPC_WAITREAD_END"])] = times
	}
	set, account, stats := recordsOf(t, TritonTrace, text)
	checkRecords(t, set, stats)
	set.Canonicalize()
	if err := critical.NewBuilder(set, account, critical.Options{}).Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[int64][table.StageCount]int64{}
	for i := range set.Requests.Len() {
		var times [table.StageCount]int64
		for s := range times {
			times[s] = set.Requests.Stage[s][i]
		}
		got[set.Requests.Start[i]] = times
		if class := table.ClassNames[set.Requests.Class[i]]; class != "complete" {
			t.Errorf("request %d is %s", i, class)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("stage times (-summary +got): %s", d)
	}
}
