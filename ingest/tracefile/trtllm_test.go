package tracefile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

const trtllmExample = `[{"request_id":17,"perf_metrics":{"first_iter":120,"last_iter":215,"timing_metrics":{"server_arrival_time":100.5,"arrival_time":100.6,"first_scheduled_time":101.25,"first_token_time":101.5,"server_first_token_time":101.51,"last_token_time":103.0,"kv_cache_size":4096,"kv_cache_transfer_start":101.0,"kv_cache_transfer_end":101.125},"kv_cache_metrics":{"num_total_allocated_blocks":58,"num_reused_blocks":5,"num_missed_blocks":53}},"ctx_request_id":16}]`

// trtllmPair is a request of a disaggregated server; the servers' clocks were set to its.
const trtllmPair = `[{"ctx_server":"10.0.0.1:8001","gen_server":"10.0.0.2:8002","disagg_server_arrival_time":10.0,"disagg_server_first_token_time":12.6,
"ctx_perf_metrics":{"request_id":5,"ctx_request_id":5,"perf_metrics":{"timing_metrics":{"server_arrival_time":10.1,"arrival_time":10.2,"first_scheduled_time":11.0,"first_token_time":11.5,"server_first_token_time":11.5,"last_token_time":11.5}}},
"gen_perf_metrics":{"request_id":9,"ctx_request_id":5,"perf_metrics":{"timing_metrics":{"server_arrival_time":11.75,"arrival_time":11.8,"first_scheduled_time":12.25,"first_token_time":12.5,"server_first_token_time":12.5,"last_token_time":14.0,"kv_cache_size":1,"kv_cache_transfer_start":11.9,"kv_cache_transfer_end":12.0}}}}]`

func TestTRTLLM(t *testing.T) {
	set, account, stats := recordsOf(t, TensorRTMetrics, trtllmExample)
	checkRecords(t, set, stats)
	none := int64(table.Missing)
	if d := cmp.Diff(columns{"tensorrt-llm", "17", "", 100500000000, 2500000000, 1000000000, table.ClockSteady, none, none, none}, columnsOf(set, 0)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{
		"0..100000000 scheduling/handler exact ±0 server_arrival_time to arrival_time",
		"100000000..500000000 queue/engine exact ±0 arrival_time to first_scheduled_time",
		"500000000..625000000 transfer/kv exact ±0 kv_cache_transfer_start to kv_cache_transfer_end",
		"625000000..750000000 queue/engine exact ±0 arrival_time to first_scheduled_time",
		"750000000..1000000000 gpu/prefill exact ±0 first_scheduled_time to first_token_time",
		"1000000000..2500000000 gpu/decode exact ±0 first_token_time to last_token_time",
	}, partsOf(set, 0)); d != "" {
		t.Error(d)
	}
	if line := spanLines(set)[0]; !strings.Contains(line, " ctx_request_id=10 kv_cache_size=1000 gen_ai.latency.kv_cache_transfer_time=3fc0000000000000 ") {
		t.Error(line)
	}
	if d := cmp.Diff(map[string]int64{"record-lone-half": 1}, issueCounts(account)); d != "" {
		t.Error(d)
	}
}

// TestTRTLLMUnavailable holds that what a server marks as unavailable, in any of its
// ways, is no time: the parts that need it are not placed.
func TestTRTLLMUnavailable(t *testing.T) {
	record := func(times string) string {
		return `{"request_id":1,"perf_metrics":{"timing_metrics":{` + times + `}}}`
	}
	for name, c := range map[string]struct {
		text  string
		line  string
		bad   int64
		spans int
	}{
		"nothing but an arrival":           {record(`"arrival_time":5`), "request [5000000000, 0) request_id=1", 0, 1},
		"-1":                               {record(`"server_arrival_time":-1,"arrival_time":5,"first_scheduled_time":-1,"first_token_time":-1,"last_token_time":6`), "request [5000000000, 6000000000) request_id=1", 0, 1},
		"0 and null":                       {record(`"server_arrival_time":null,"arrival_time":5,"first_scheduled_time":0.0,"first_token_time":5.5,"last_token_time":6`), "request [5000000000, 6000000000) request_id=1 |500000000..1000000000 gpu/decode exact ±0 first_token_time to last_token_time", 0, 1},
		"0 and the offset":                 {record(`"arrival_time":5,"first_scheduled_time":4.25,"first_token_time":4.25,"last_token_time":6,"kv_cache_transfer_start":4.25,"kv_cache_transfer_end":4.25`), "request [5000000000, 6000000000) request_id=1", 2, 1},
		"the last out of order":            {record(`"arrival_time":5,"first_scheduled_time":5.5,"first_token_time":6,"last_token_time":5.2`), "request [5000000000, 0) request_id=1", 1, 1},
		"a transfer after the end":         {record(`"arrival_time":5,"last_token_time":6,"kv_cache_size":8,"kv_cache_transfer_start":6.5,"kv_cache_transfer_end":7`), "request [5000000000, 6000000000) request_id=1 kv_cache_size=8 gen_ai.latency.kv_cache_transfer_time=3fe0000000000000", 0, 1},
		"the server later than the engine": {record(`"server_arrival_time":5.5,"arrival_time":5,"last_token_time":6`), "request [5000000000, 6000000000) request_id=1", 1, 1},
		"no arrival":                       {record(`"last_token_time":6`), "", 0, 0},
		"a transfer over two parts":        {record(`"arrival_time":5,"first_scheduled_time":5.5,"last_token_time":6,"first_token_time":6,"kv_cache_transfer_start":5.25,"kv_cache_transfer_end":5.75`), "request [5000000000, 6000000000) request_id=1 gen_ai.latency.kv_cache_transfer_time=3fe0000000000000 |0..250000000 queue/engine exact ±0 arrival_time to first_scheduled_time |250000000..750000000 transfer/kv exact ±0 kv_cache_transfer_start to kv_cache_transfer_end |750000000..1000000000 gpu/prefill exact ±0 first_scheduled_time to first_token_time", 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			set, account, stats := recordsOf(t, TensorRTMetrics, c.text)
			checkRecords(t, set, stats)
			if set.Spans.Len() != c.spans || account.Count("record-bad-time") != c.bad {
				t.Fatalf("%d spans, account %+v", set.Spans.Len(), account.Entries())
			}
			if c.spans == 0 {
				return
			}
			if d := cmp.Diff(c.line, spanLines(set)[0]); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestTRTLLMDisaggregated holds that the halves of a request become one, given together
// by the disaggregated server or apart by the two others, that strangers do not, and that
// a half that stays alone, and looks like a short request, is counted.
func TestTRTLLMDisaggregated(t *testing.T) {
	half := func(id, ctx, arrival, scheduled, first, last string) string {
		return `{"request_id":` + id + `,"ctx_request_id":` + ctx + `,"perf_metrics":{"timing_metrics":{"arrival_time":` + arrival + `,"first_scheduled_time":` + scheduled + `,"first_token_time":` + first + `,"last_token_time":` + last + `}}}`
	}
	context, generation := half("5", "5", "10", "11", "11.5", "11.5"), half("9", "5", "11.75", "12.25", "12.5", "14")
	apart := []string{
		"context [10000000000, 11500000000) < disaggregated_request [10000000000, 14000000000)",
		"disaggregated_request [10000000000, 14000000000)",
		"generation [11750000000, 14000000000) < disaggregated_request [10000000000, 14000000000)",
	}
	for name, c := range map[string]struct {
		text string
		want []string
		lone int64
	}{
		"together": {trtllmPair, []string{
			"context [10100000000, 11500000000) < disaggregated_request [10000000000, 14000000000)",
			"disaggregated_request [10000000000, 14000000000)",
			"generation [11750000000, 14000000000) < disaggregated_request [10000000000, 14000000000)",
		}, 0},
		"apart":           {"[" + context + "," + generation + "]", apart, 0},
		"the other order": {generation + "\n" + context, apart, 0},
		"clocks that were never brought together": {half("5", "5", "90000", "90001", "90002", "90002") + generation, []string{
			"request [11750000000, 14000000000)", "request [90000000000000, 90002000000000)"}, 2},
		"together, but with clocks that disagree": {strings.Replace(trtllmPair, `"server_arrival_time":11.75,"arrival_time":11.8`, `"server_arrival_time":3.75,"arrival_time":3.8`, 1), []string{
			"context [10100000000, 11500000000)", "generation [3750000000, 14000000000)"}, 0},
		"together, of which one half was lost": {strings.Replace(trtllmPair, `"ctx_perf_metrics":{`, `"ctx_perf_metrics":null,"other":{`, 1), []string{
			"disaggregated_request [10000000000, 14000000000)", "generation [11750000000, 14000000000) < disaggregated_request [10000000000, 14000000000)"}, 0},
		"two generations of one number": {half("9", "5", "11.75", "12.25", "12.5", "14") + half("8", "5", "14.5", "15", "16", "17"), []string{
			"request [11750000000, 14000000000)", "request [14500000000, 17000000000)"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			set, account, stats := recordsOf(t, TensorRTMetrics, c.text)
			checkRecords(t, set, stats)
			if n := account.Count("record-lone-half"); n != c.lone {
				t.Errorf("%d halves are alone, want %d", n, c.lone)
			}
			var got []string
			for _, line := range spanLines(set) {
				line, _, _ = strings.Cut(line, " request_id=")
				line, _, _ = strings.Cut(line, " |")
				got = append(got, line)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	lost, _, _ := recordsOf(t, TensorRTMetrics, strings.Replace(trtllmPair, `"ctx_perf_metrics":{`, `"ctx_perf_metrics":null,"other":{`, 1))
	if d := cmp.Diff([]string{"0..1750000000 unattributed/context not recorded residual ±0 what the two servers do not cover"}, partsOf(lost, 1)); d != "" {
		t.Error(d)
	}
	set, _, _ := recordsOf(t, TensorRTMetrics, trtllmPair)
	row := set.Spans.Len() - 1
	if set.Spans.TTFT[row] != 2600000000 {
		t.Errorf("first token after %d ns", set.Spans.TTFT[row])
	}
	if d := cmp.Diff([]string{
		"0..100000000 gateway/disaggregation residual ±0 what the two servers do not cover",
		"1500000000..1750000000 gateway/disaggregation residual ±0 what the two servers do not cover",
	}, partsOf(set, row)); d != "" {
		t.Error(d)
	}
	if host := set.Symbols.Text(set.Scopes.Host[set.Spans.ScopeRow[0]]); host != "10.0.0.1:8001" {
		t.Errorf("the context ran on %q", host)
	}
}

func TestTRTLLMSample(t *testing.T) {
	set, account, stats := recordsOf(t, TensorRTMetrics, corpus(t, "trtllm-perf-metrics.json"))
	checkRecords(t, set, stats)
	if set.Spans.Len() != 1 || set.Spans.Start[0] != 90321100100000 || set.Spans.End[0] != 90324497100000 || set.Spans.TTFT[0] != 899000000 || account.Count("record-lone-half") != 1 || len(account.Entries()) > 1 {
		t.Errorf("%v %v %v %v", set.Spans.Start, set.Spans.End, set.Spans.TTFT, account.Entries())
	}
	if d := cmp.Diff([]string{
		"0..4200000 scheduling/handler exact ±0 server_arrival_time to arrival_time",
		"4200000..519900000 queue/engine exact ±0 arrival_time to first_scheduled_time",
		"519900000..561200000 transfer/kv exact ±0 kv_cache_transfer_start to kv_cache_transfer_end",
		"561200000..608300000 queue/engine exact ±0 arrival_time to first_scheduled_time",
		"608300000..899000000 gpu/prefill exact ±0 first_scheduled_time to first_token_time",
		"899000000..3397000000 gpu/decode exact ±0 first_token_time to last_token_time",
	}, partsOf(set, 0)); d != "" {
		t.Error(d)
	}
}
