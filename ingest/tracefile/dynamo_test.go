package tracefile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

const dynamoExample = `{"schema":"dynamo.request.trace.v1","event_type":"request_end","event_time_unix_ms":1787227203512,"event_source":"dynamo","agent_context":{"session_id":"s1"},"request":{"request_id":"6d3f","x_request_id":"caller-1","model":"q","input_tokens":1842,"output_tokens":96,"cached_tokens":12,"request_received_ms":1787227200100,"prefill_wait_time_ms":18.4,"prefill_time_ms":893.6,"ttft_ms":912.0,"total_time_ms":3412.3,"avg_itl_ms":26.319,"kv_hit_rate":0.5,"kv_transfer_estimated_latency_ms":61.2,"queue_depth":3,"worker":{"prefill_worker_id":7587890001,"prefill_dp_rank":0,"decode_worker_id":18446744073709551615,"decode_dp_rank":1},"replay":{"input_sequence_hashes":[1,2]}}}`

func TestDynamo(t *testing.T) {
	const received = 1787227200100_000_000
	none := int64(table.Missing)
	whole := []string{
		"0..18400000 gateway/router exact ±0 field prefill_wait_time_ms",
		"18400000..912000000 unattributed/queue and prefill exact ±0 field prefill_time_ms",
		"912000000..3412300000 gpu/decode anchored ±61200000 fields ttft_ms and total_time_ms",
	}
	record := func(request string) string {
		return `{"schema":"dynamo.request.trace.v1","event_type":"request_end","event_time_unix_ms":1787227203512,"request":{` + request + `}}`
	}
	for name, c := range map[string]struct {
		text   string
		want   columns
		parts  []string
		issues map[string]int64
	}{
		"whole":   {dynamoExample, columns{"dynamo", "caller-1", "q", received, 3412300000, 912000000, table.ClockWall, 1842, 96, 12}, whole, nil},
		"wrapped": {`{"timestamp":5,"event":` + dynamoExample + `}`, columns{"dynamo", "caller-1", "q", received, 3412300000, 912000000, table.ClockWall, 1842, 96, 12}, whole, nil},
		"no first token": {record(`"request_id":"a","request_received_ms":1787227200100,"total_time_ms":10.5`),
			columns{"dynamo", "a", "", received, 10500000, none, table.ClockWall, none, none, none}, nil, nil},
		"durations of which the rounding is over": {record(`"request_received_ms":1787227200100,"prefill_wait_time_ms":4,"prefill_time_ms":6.5,"ttft_ms":10,"total_time_ms":10`),
			columns{"dynamo", "", "", received, 10000000, 10000000, table.ClockWall, none, none, none}, []string{
				"0..4000000 gateway/router exact ±0 field prefill_wait_time_ms", "4000000..10000000 unattributed/queue and prefill exact ±0 field prefill_time_ms"}, nil},
		"durations that do not fit": {record(`"request_received_ms":1787227200100,"prefill_wait_time_ms":4,"prefill_time_ms":60,"ttft_ms":10,"total_time_ms":70,"kv_transfer_estimated_latency_ms":-3`),
			columns{"dynamo", "", "", received, 70000000, 10000000, table.ClockWall, none, none, none}, []string{
				"0..4000000 gateway/router exact ±0 field prefill_wait_time_ms", "10000000..70000000 gpu/decode anchored ±0 fields ttft_ms and total_time_ms"}, map[string]int64{"record-bad-time": 2}},
		"a first token after the end": {record(`"request_received_ms":1787227200100,"ttft_ms":80,"total_time_ms":70`),
			columns{"dynamo", "", "", received, 70000000, none, table.ClockWall, none, none, none}, nil, map[string]int64{"record-bad-time": 1}},
		"no start": {record(`"total_time_ms":12,"ttft_ms":5`),
			columns{"dynamo", "", "", 1787227203500_000_000, 12000000, 5000000, table.ClockWall, none, none, none},
			[]string{"5000000..12000000 gpu/decode anchored ±0 fields ttft_ms and total_time_ms"}, map[string]int64{"record-no-start": 1}},
		"no duration, and an event of another day": {record(`"request_received_ms":1786227200100`),
			columns{"dynamo", "", "", 1786227200100_000_000, -1786227200100_000_000, none, table.ClockWall, none, none, none}, nil, nil},
		"no duration": {record(`"request_received_ms":1787227200100`),
			columns{"dynamo", "", "", received, 3412000000, none, table.ClockWall, none, none, none}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			set, account, stats := recordsOf(t, DynamoRequestTrace, c.text)
			checkRecords(t, set, stats)
			if set.Spans.Len() != 1 {
				t.Fatalf("%d spans, account %+v", set.Spans.Len(), account.Entries())
			}
			if set.Spans.Error[0] != 1_000_000 {
				t.Errorf("error %d", set.Spans.Error[0])
			}
			if d := cmp.Diff(c.want, columnsOf(set, 0)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.parts, partsOf(set, 0)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.issues, issueCounts(account)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestDynamoAttributes holds what a record says beside its times, each in its type.
func TestDynamoAttributes(t *testing.T) {
	set, _, _ := recordsOf(t, DynamoRequestTrace, dynamoExample)
	got := map[string]any{}
	for j := range set.Spans.Attributes.Count(0) {
		a := set.Spans.Attributes.At(0, j)
		switch key := set.Symbols.Text(a.Key); a.Value.Type {
		case table.ValueInt:
			got[key] = a.Value.Int()
		case table.ValueDouble:
			got[key] = a.Value.Double()
		default:
			got[key] = string(a.Value.Text)
		}
	}
	want := map[string]any{
		"x_request_id": "caller-1", "request_id": "6d3f", "model": "q", "input_tokens": int64(1842), "output_tokens": int64(96), "cached_tokens": int64(12),
		"ttft_ms": 912.0, "avg_itl_ms": 26.319, "kv_hit_rate": 0.5, "kv_transfer_estimated_latency_ms": 61.2, "queue_depth": int64(3),
		"prefill_worker_id": int64(7587890001), "prefill_dp_rank": int64(0), "decode_worker_id": "18446744073709551615", "decode_dp_rank": int64(1), "session_id": "s1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestDynamoLines holds that other events and broken lines cost no request, and that a
// duration counted from the start of a clock makes none of 55 years.
func TestDynamoLines(t *testing.T) {
	text := `{"schema":"dynamo.request.trace.v1","event_type":"tool_end","tool":{"tool_class":"web_search"}}
` + dynamoExample + `
{"schema":"dynamo.request.trace.v1","event_type":"request_end","request":7}
{"schema":"dynamo.request.trace.v1","event_type":"request_end","request":{"request_id":"a"}}
{"schema":"dynamo.request.trace.v1","event_type":"requ
{"schema":"dynamo.request.trace.v1","event_type":"request_end","event_time_unix_ms":1787227203512,"request":{"request_received_ms":0,"total_time_ms":1787227203512}}
{"schema":"dynamo.agent.trace.v1","event_type":"request_end","request":{"request_received_ms":1787227200100,"total_time_ms":5}}
`
	set, account, stats := recordsOf(t, DynamoRequestTrace, text)
	checkRecords(t, set, stats)
	if d := cmp.Diff([]int64{2, 7}, set.Spans.Line); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]int64{"record-other": 1, "record-bad": 1, "record-no-times": 2, "record-bad-time": 1, "tracefile-bad-document": 1}, issueCounts(account)); d != "" {
		t.Error(d)
	}
	if stats.BadSpans != 3 || stats.Unused != 1 {
		t.Errorf("%+v", stats)
	}
}

func TestDynamoSample(t *testing.T) {
	set, account, stats := recordsOf(t, DynamoRequestTrace, corpus(t, "dynamo-request-trace.jsonl"))
	checkRecords(t, set, stats)
	want := columns{"dynamo", "caller-1", "Qwen/Qwen3-8B", 1787227200100_000_000, 3412300000, 912000000, table.ClockWall, 1842, 96, 0}
	if d := cmp.Diff(want, columnsOf(set, 0)); d != "" || set.Spans.Len() != 1 || len(account.Entries()) > 0 {
		t.Error(d, account.Entries())
	}
	if d := cmp.Diff([]string{
		"0..18400000 gateway/router exact ±0 field prefill_wait_time_ms",
		"18400000..912000000 unattributed/queue and prefill exact ±0 field prefill_time_ms",
		"912000000..3412300000 gpu/decode anchored ±61200000 fields ttft_ms and total_time_ms",
	}, partsOf(set, 0)); d != "" {
		t.Error(d)
	}
}
