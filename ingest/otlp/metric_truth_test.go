package otlp

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailpath/tailpath/ingest/table"
)

// scrape makes one scrape of a target out of lines of a kind, a name, a value and labels.
// The value of a histogram is its count and sum.
func scrape(t tb, resource, lines string) pmetric.Metrics {
	t.Helper()
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	for _, pair := range strings.Fields(resource) {
		key, value, _ := strings.Cut(pair, "=")
		rm.Resource().Attributes().PutStr(key, value)
	}
	ms := rm.ScopeMetrics().AppendEmpty().Metrics()
	last := ""
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		words := strings.Fields(line)
		if words[0]+words[1] != last {
			m := ms.AppendEmpty()
			m.SetName(words[1])
			switch words[0] {
			case "gauge":
				m.SetEmptyGauge()
			case "sum":
				m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			case "delta":
				m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
			case "histogram":
				m.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			default:
				t.Fatalf("unknown kind %s", words[0])
			}
			last = words[0] + words[1]
		}
		m := ms.At(ms.Len() - 1)
		var attributes pcommon.Map
		count, sum, _ := strings.Cut(words[2], "/")
		value, err := strconv.ParseFloat(count, 64)
		if err != nil {
			t.Fatal(err)
		}
		if m.Type() == pmetric.MetricTypeHistogram {
			p := m.Histogram().DataPoints().AppendEmpty()
			p.SetTimestamp(1787227200e9)
			p.SetCount(uint64(value))
			total, err := strconv.ParseFloat(sum, 64)
			if err != nil {
				t.Fatal(err)
			}
			p.SetSum(total)
			attributes = p.Attributes()
		} else {
			points := m.Gauge().DataPoints
			if m.Type() == pmetric.MetricTypeSum {
				points = m.Sum().DataPoints
			}
			p := points().AppendEmpty()
			p.SetTimestamp(1787227200e9)
			p.SetDoubleValue(value)
			attributes = p.Attributes()
		}
		for _, pair := range words[3:] {
			key, value, _ := strings.Cut(pair, "=")
			attributes.PutStr(key, value)
		}
	}
	return md
}

func readMetrics(t tb, md pmetric.Metrics) result {
	t.Helper()
	doc, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, append(doc, '\n'))
}

func (r result) samples() (out []string) {
	e, text := &r.set.EngineSamples, r.set.Symbols.Text
	for i := range e.Len() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s|%s|%s %s=%v %s",
			text(e.Service[i]), text(e.Host[i]), text(e.Engine[i]), text(e.Metric[i]), e.Value[i], text(e.Unit[i]))))
	}
	return out
}

func TestReadingsOfServers(t *testing.T) {
	for _, tc := range []struct {
		what, resource, lines string
		want, issues          []string
	}{
		{"vLLM behind a Prometheus receiver", "service.name=vllm service.instance.id=10.0.0.4:8000 server.address=10.0.0.4", `
			gauge vllm:num_requests_running 3 engine=0 model_name=m
			gauge vllm:num_requests_running 4 engine=1 model_name=m
			gauge vllm:num_requests_waiting_by_reason 2 engine=0 model_name=m reason=capacity
			gauge vllm:num_requests_waiting_by_reason 1 engine=0 model_name=m reason=deferred
			gauge vllm:kv_cache_usage_perc 0.25 engine=0 model_name=m
			sum vllm:request_success_total 5 engine=0 model_name=m finished_reason=stop
			sum vllm:request_success_total 2 engine=0 model_name=m finished_reason=length
			histogram vllm:request_queue_time_seconds 7/1.5 engine=0 model_name=m
			histogram vllm:time_to_first_token_seconds 7/1.5 engine=0 model_name=m
			gauge process_resident_memory_bytes 1`,
			[]string{
				"vllm|10.0.0.4|10.0.0.4:8000/m/0 running=3 requests",
				"vllm|10.0.0.4|10.0.0.4:8000/m/1 running=4 requests",
				"vllm|10.0.0.4|10.0.0.4:8000/m/0 deferred=1 requests",
				"vllm|10.0.0.4|10.0.0.4:8000/m/0 kv_usage=0.25 ratio",
				"vllm|10.0.0.4|10.0.0.4:8000/m/0 requests_total=7 requests",
				"vllm|10.0.0.4|10.0.0.4:8000/m/0 queue_time_total=1.5e+09 ns",
			}, []string{"otlp-unknown-metric=2", "otlp-unused-point=1"}},
		{"SGLang, all ranks reporting, data parallel", "service.name=sgl host.name=node", `
			gauge sglang:num_running_reqs 6 model_name=m tp_rank=0 pp_rank=0 dp_rank=0
			gauge sglang:num_running_reqs 6 model_name=m tp_rank=1 pp_rank=0 dp_rank=0
			gauge sglang:num_running_reqs 5 model_name=m tp_rank=2 pp_rank=0 dp_rank=1
			gauge sglang:num_running_reqs 5 model_name=m tp_rank=3 pp_rank=0 dp_rank=1
			sum sglang_num_retracted_requests 4 model_name=m tp_rank=0
			sum sglang_num_retracted_requests 4 model_name=m tp_rank=1
			gauge sglang_token_usage 0.5 model_name=m`,
			[]string{
				"sgl|node|m/0 running=6 requests", "sgl|node|m/1 running=5 requests",
				"sgl|node|m preemptions_total=4 requests", "sgl|node|m kv_usage=0.5 ratio",
			}, []string{"otlp-repeated-point=3"}},
		{"Triton and its GPUs", "service.name=triton service.instance.id=t:8002 host.name=gpu-1", `
			sum nv_inference_request_success 10 model=bert version=1
			sum nv_inference_request_failure_total 1 model=bert version=1 reason=BACKEND
			sum nv_inference_request_failure_total 2 model=bert version=1 reason=REJECTED
			sum nv_inference_queue_duration_us 2500 model=bert version=1
			sum nv_inference_exec_count 4 model=bert version=1
			gauge nv_inference_pending_request_count 9 model=bert version=1
			gauge nv_gpu_utilization 0.75 gpu_uuid=GPU-1
			gauge nv_gpu_memory_used 1024 gpu_uuid=GPU-1
			gauge nv_trt_llm_request_metrics 3 model=llm version=1 request_type=scheduled
			gauge nv_trt_llm_request_metrics 8 model=llm version=1 request_type=waiting
			gauge nv_trt_llm_request_metrics 64 model=llm version=1 request_type=max`,
			[]string{
				"triton|gpu-1|t:8002/bert/1 requests_total=10 requests",
				"triton|gpu-1|t:8002/bert/1 requests_failed_total=3 requests",
				"triton|gpu-1|t:8002/bert/1 queue_time_total=2.5e+06 ns",
				"triton|gpu-1|t:8002/bert/1 executions_total=4 batches",
				"triton|gpu-1|t:8002/bert/1 pending_requests=9 requests",
				"triton|gpu-1|GPU-1 gpu_utilization=0.75 ratio",
				"triton|gpu-1|GPU-1 gpu_memory_used=1024 bytes",
				"triton|gpu-1|t:8002/llm/1 running=3 requests",
				"triton|gpu-1|t:8002/llm/1 waiting=8 requests",
			}, []string{"otlp-unused-point=1"}},
		{"the DCGM exporter of two nodes, one GPU divided", "service.name=dcgm service.instance.id=10.1.1.1:9400 host.name=collector", `
			gauge DCGM_FI_DEV_GPU_UTIL 97 gpu=0 UUID=GPU-a Hostname=n1
			gauge DCGM_FI_DEV_GPU_UTIL 13 gpu=0 UUID=GPU-b Hostname=n2
			gauge DCGM_FI_PROF_GR_ENGINE_ACTIVE 0.5 gpu=1 UUID=GPU-c GPU_I_ID=3 Hostname=n1
			gauge DCGM_FI_DEV_FB_USED 3 gpu=0 UUID=GPU-a Hostname=n1
			gauge DCGM_FI_DEV_POWER_USAGE 312.5 gpu=0 UUID=GPU-a
			gauge DCGM_FI_DEV_SM_CLOCK 1980 gpu=0 UUID=GPU-a`,
			[]string{
				"dcgm|n1|0 gpu_utilization=0.97 ratio", "dcgm|n2|0 gpu_utilization=0.13 ratio",
				"dcgm|n1|1/3 gpu_engine_active=0.5 ratio", "dcgm|n1|0 gpu_memory_used=3.145728e+06 bytes",
				"dcgm|collector|0 gpu_power=312.5 W",
			}, []string{"otlp-unknown-metric=1"}},
		{"hw, TGI, llama.cpp, TensorRT-LLM and LMDeploy", "", `
			gauge hw.gpu.utilization 0.4 hw.id=g0 hw.gpu.task=general
			gauge hw.gpu.utilization 0.1 hw.id=g0 hw.gpu.task=encoder
			gauge hw.gpu.utilization 0.6 hw.id=g1
			gauge hw.power 300 hw.id=g0 hw.type=gpu
			gauge hw.power 90 hw.id=cpu0 hw.type=cpu
			gauge tgi_queue_size 11
			histogram tgi_request_queue_duration 4/2
			gauge llamacpp:requests_deferred 2
			gauge llamacpp:prompt_tokens_seconds 120
			sum llamacpp:prompt_tokens_total 900
			gauge trtllm_kv_cache_utilization 0.9 model_name=q
			gauge lmdeploy:num_requests_waiting 1 model_name=q engine=1`,
			[]string{
				"||g0 gpu_utilization=0.4 ratio", "||g1 gpu_utilization=0.6 ratio", "||g0 gpu_power=300 W",
				"|| waiting=11 requests", "|| queue_time_total=2e+09 ns", "|| waiting=2 requests",
				"|| prompt_throughput=120 tokens/s", "|| prompt_tokens_total=900 tokens",
				"||q kv_usage=0.9 ratio", "||q/1 waiting=1 requests",
			}, []string{"otlp-unused-point=2"}},
		{"old names beside new ones", "service.name=v", `
			sum vllm:gpu_prefix_cache_hits_total 3 engine=0
			sum vllm:prefix_cache_hits_total 3 engine=0
			sum vllm:prefix_cache_hits_total 2 engine=1
			gauge vllm:kv_cache_usage_perc 0.5 engine=0
			gauge vllm:gpu_cache_usage_perc 0.5 engine=0`,
			[]string{"v||0 cached_tokens_total=3 tokens", "v||1 cached_tokens_total=2 tokens", "v||0 kv_usage=0.5 ratio"},
			[]string{"otlp-repeated-point=2"}},
		{"delta temporality", "service.name=v", `
			delta vllm:num_preemptions_total 3 engine=0
			delta vllm:prompt_tokens_total 9 engine=0
			delta vllm:num_requests_running 1 engine=0`,
			[]string{"v||0 preemptions=3 requests"}, []string{"otlp-delta-point=2"}},
	} {
		got := readMetrics(t, scrape(t, tc.resource, tc.lines))
		diff(t, tc.what, tc.want, got.samples())
		diff(t, tc.what+": issues", tc.issues, got.issues())
		for i := range got.set.EngineSamples.Len() {
			diff(t, "time", int64(1787227200e9), got.set.EngineSamples.Time[i])
			diff(t, "line", int64(1), got.set.EngineSamples.Line[i])
		}
	}
}

// What a caller needs to say of metrics that hold nothing known stands in the Stats.
func TestMetricsOfOtherThings(t *testing.T) {
	var lines strings.Builder
	for i := range 9 {
		fmt.Fprintf(&lines, "gauge node_%d 1\n", i)
	}
	got := readMetrics(t, scrape(t, "service.name=node", lines.String()))
	diff(t, "names", []string{"node_0", "node_1", "node_2", "node_3", "node_4"}, got.stats.UnknownSeries)
	diff(t, "issues", []string{"otlp-other-signal=1", "otlp-unknown-metric=9"}, got.issues())
	if s := got.stats; s.Documents != 0 || s.Other != 1 || s.Metrics != 9 || s.UnusedPoints != 9 || s.Samples != 0 {
		t.Errorf("%+v", s)
	}
	more := got.stats
	more.Add(readMetrics(t, scrape(t, "", "gauge node_8 1\ngauge x 1")).stats)
	if len(more.UnknownSeries) != maxUnknownSeries || more.Metrics != 11 || more.UnusedPoints != 11 {
		t.Errorf("added: %+v", more)
	}
}

// What an exporter may get wrong in a metric costs no more than itself.
func TestLenientMetrics(t *testing.T) {
	const point = `{"timeUnixNano":"5","asInt":"7"}`
	metric := func(text string) string {
		return `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[` + text + `]}],"resource":{"attributes":[` + str("service.name", "v") + `]}}]}`
	}
	for _, tc := range []struct {
		text   string
		want   []string
		issues []string
	}{
		{`{"gauge":{"dataPoints":[` + point + `]},"name":"tgi_queue_size"}`, []string{"v|| waiting=7 requests"}, nil},
		{`{"name":"tgi_queue_size","gauge":{"data_points":[{"time_unix_nano":5,"as_double":2.5}]}}`, []string{"v|| waiting=2.5 requests"}, nil},
		{`{"name":"tgi_queue_size","gauge":{"dataPoints":[{"timeUnixNano":5,"asDouble":"2.5"},{"timeUnixNano":-1,"asInt":1},{"timeUnixNano":6,"asInt":"x"},3,` + point + `]}}`,
			[]string{"v|| waiting=7 requests"}, []string{"otlp-bad-point=3", "otlp-repeated-point=1"}},
		{`{"name":"tgi_queue_size","sum":{"aggregationTemporality":"AGGREGATION_TEMPORALITY_DELTA","dataPoints":[` + point + `]}}`, nil, []string{"otlp-delta-point=1", "otlp-other-signal=1"}},
		{`{"name":"tgi_queue_size","gauge":{"dataPoints":[{"timeUnixNano":5,"asDouble":"NaN"},{"timeUnixNano":5},{"asInt":1},{"timeUnixNano":5,"asInt":1,"flags":1}]}}`,
			nil, []string{"otlp-empty-point=4", "otlp-other-signal=1"}},
		{`{"name":"tgi_queue_size","histogram":{"dataPoints":[{"timeUnixNano":5,"count":1,"sum":2}]}}`, nil, []string{"otlp-other-signal=1", "otlp-unused-point=1"}},
		{`7,{"name":"tgi_queue_size","gauge":{"dataPoints":[` + point + `]}},null`, []string{"v|| waiting=7 requests"}, []string{"otlp-bad-metric=1"}},
		{`{"name":"tgi_queue_size","gauge":[],"sum":{"dataPoints":{}}}`, nil, []string{"otlp-left-out=1", "otlp-other-signal=1"}},
		{`{"name":"tgi_request_queue_duration","summary":{"dataPoints":[{"timeUnixNano":5,"sum":0.5,"count":2}]}}`, []string{"v|| queue_time_total=5e+08 ns"}, nil},
		{`{"gauge":{"dataPoints":[` + point + `]}}`, nil, []string{"otlp-other-signal=1", "otlp-unknown-metric=1"}},
	} {
		got := readAs(t, []byte(metric(tc.text)), JSON)
		diff(t, tc.text, tc.want, got.samples())
		diff(t, tc.text, tc.issues, got.issues())
	}
	cut := metric(`{"name":"tgi_queue_size","gauge":{"dataPoints":[` + point + `]}},{"name":"tgi_batch_current_size","gauge":{"dataPoints":[` + point + `]}}`)
	for i := range cut {
		got := readAs(t, []byte(cut[:i]), JSON)
		want := 0
		for _, name := range []string{`tgi_queue_size`, `tgi_batch_current_size`} {
			if end := strings.Index(cut, name) + len(name) + len(`","gauge":{"dataPoints":[`+point+`]}}`); i >= end {
				want++
			}
		}
		if got.stats.Samples != int64(want) {
			t.Fatalf("%d readings were kept of the first %d bytes, want %d", got.stats.Samples, i, want)
		}
	}
}

// A metric that pdata refuses in protobuf costs the points at fault.
func TestSalvagedMetrics(t *testing.T) {
	// Lists in lists, from the last byte to the first, so that none is copied into the next.
	deep := []byte{0, 1<<3 | wireBytes}
	for range 20000 {
		for _, field := range []byte{1, 5} {
			head := binary.AppendUvarint([]byte{field<<3 | wireBytes}, uint64(len(deep)))
			slices.Reverse(head)
			deep = append(deep, head...)
		}
	}
	slices.Reverse(deep)
	bad := append(appendField(nil, 7, append(appendField(nil, 1, []byte("k")), appendField(nil, 2, deep)...)), 3<<3|wireFixed8, 5, 0, 0, 0, 0, 0, 0, 0)
	good := append([]byte{3<<3 | wireFixed8, 5, 0, 0, 0, 0, 0, 0, 0}, 6<<3|wireFixed8, 7, 0, 0, 0, 0, 0, 0, 0)
	gauge := appendField(appendField(appendField(nil, 1, good), 1, bad), 1, append(good[:1:1], append([]byte{6}, good[2:]...)...))
	metric := appendField(appendField(nil, 1, []byte("tgi_queue_size")), 5, gauge)
	msg := appendField(nil, 1, appendField(nil, 2, appendField(nil, 2, metric)))
	got := readAs(t, frameOf(msg), FramedProtobuf)
	diff(t, "readings", []string{"|| waiting=7 requests", "|| waiting=7 requests"}, got.samples())
	diff(t, "issues", []string{"otlp-bad-point=1"}, got.issues())
	diff(t, "line", []int64{table.Missing, table.Missing}, got.set.EngineSamples.Line)
}

// FuzzMetrics reads any bytes as JSON and as protobuf. Nothing may panic, every point is
// used or counted, and what pdata accepts comes to the same readings.
func FuzzMetrics(f *testing.F) {
	for _, lines := range []string{"gauge tgi_queue_size 3 a=b", "histogram vllm:request_queue_time_seconds 3/4.5 engine=0\nsum x 1", "delta vllm:num_preemptions 3"} {
		md := scrape(f, "service.name=a", lines)
		doc, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
		if err != nil {
			f.Fatal(err)
		}
		msg, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(doc)
		f.Add(msg)
		f.Add(frameOf(msg))
		f.Add(doc[:len(doc)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Sniff(data, true)
		for _, form := range []Form{Protobuf, FramedProtobuf} {
			readAs(t, data, form)
		}
		got := readAs(t, data, JSON)
		diff(t, "a stream of single bytes", got.rows(), readSlowly(t, data).rows())
		if md, ok := oracleMetricsJSON(data); ok {
			want := oracleMetrics(md)
			if want.stats.BadPoints > 0 {
				return
			}
			msg, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
			if err != nil {
				t.Fatal(err)
			}
			diff(t, "rows of pdata", want.rows(), got.rows())
			if kind, _ := survey(msg); kind == metrics {
				diff(t, "rows of pdata in protobuf", want.rows(), readAs(t, frameOf(msg), FramedProtobuf).rows())
			}
		}
	})
}
