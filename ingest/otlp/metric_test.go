package otlp

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// Every series is found under all the names that collectors give it, and no name
// stands for two of them.
func TestSeriesAreFoundInEverySpelling(t *testing.T) {
	d := NewDecoder(table.NewSet(), &table.Account{}, "input")
	for _, e := range exporters {
		for i := range e.series {
			s := &e.series[i]
			scored := strings.ReplaceAll(s.name, ":", "_")
			spellings := []string{s.name, scored, strings.ReplaceAll(s.name, ":", "."), strings.ToUpper(scored), scored + "_total"}
			if strings.HasSuffix(s.name, "_total") {
				spellings = append(spellings, strings.TrimSuffix(s.name, "_total"))
			}
			if e == vllm {
				spellings = append(spellings, "ray_"+scored)
			}
			if s.part != partNumber {
				spellings = append(spellings, strings.TrimSuffix(scored, "_seconds"))
			}
			for _, name := range spellings {
				found := false
				for _, f := range d.find([]byte(name)) {
					found = found || f == s
					if f.name != s.name {
						t.Errorf("%s is taken for %s", name, f.name)
					}
				}
				if !found {
					t.Errorf("%s is not found as %s", s.name, name)
				}
			}
		}
	}
	for _, name := range []string{"", "_total", "vllm:time_to_first_token_seconds", "up", "llamacpp:n_decode_total", "vllm", "nv_gpu_power_limit", "vllm:request_queue_time_seconds_bucket"} {
		if found := d.find([]byte(name)); found != nil {
			t.Errorf("%q is taken for %s", name, found[0].name)
		}
	}
}

// A unit that a metric tells goes before the one that its name implies.
func TestUnitsOfMetrics(t *testing.T) {
	for _, tc := range []struct {
		name, unit string
		value      float64
		want       string
	}{
		{"vllm:request_queue_time_seconds_sum", "", 1.5, "queue_time_total=1.5e+09 ns"},
		{"vllm:request_queue_time_sum", "ms", 1.5, "none"},
		{"nv_inference_queue_duration_us", "", 7, "queue_time_total=7000 ns"},
		{"nv_inference_queue_duration_us", "ms", 7, "queue_time_total=7e+06 ns"},
		{"nv_inference_queue_duration_us", "s", 7, "queue_time_total=7e+09 ns"},
		{"DCGM_FI_DEV_FB_USED", "", 2, "gpu_memory_used=2.097152e+06 bytes"},
		{"DCGM_FI_DEV_FB_USED", "By", 2, "gpu_memory_used=2 bytes"},
		{"DCGM_FI_DEV_GPU_UTIL", "%", 50, "gpu_utilization=0.5 ratio"},
		{"hw.gpu.utilization", "1", 0.5, "gpu_utilization=0.5 ratio"},
		{"nv_gpu_memory_used", "By", 3, "gpu_memory_used=3 bytes"},
		{"tgi_request_input_length_sum", "s", 3, "prompt_tokens_total=3 tokens"},
	} {
		md := pmetric.NewMetrics()
		m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName(tc.name)
		m.SetUnit(tc.unit)
		p := m.SetEmptyGauge().DataPoints().AppendEmpty()
		p.SetTimestamp(5)
		p.SetDoubleValue(tc.value)
		got := oracleMetrics(md)
		text := "none"
		if s := got.set; s.EngineSamples.Len() == 1 {
			e := &s.EngineSamples
			text = fmt.Sprintf("%s=%v %s", s.Symbols.Text(e.Metric[0]), e.Value[0], s.Symbols.Text(e.Unit[0]))
		}
		diff(t, tc.name+" in "+tc.unit, tc.want, text)
	}
}

func oracleMetrics(md pmetric.Metrics) result {
	r := result{set: table.NewSet(), account: &table.Account{}}
	d := NewDecoderWith(r.set, r.account, "input", Options{KeepText: true})
	d.addMetrics(md, table.Place{Source: "input"})
	r.stats = d.Stats()
	return r
}

var drawSeries = func() *rapid.Generator[string] {
	names := []string{"up", "vllm:time_to_first_token_seconds"}
	for _, e := range exporters {
		for _, s := range e.series {
			names = append(names, s.name, strings.ReplaceAll(strings.TrimSuffix(s.name, "_total"), ":", "_"))
			if s.part != partNumber {
				names = append(names, s.name+"_sum")
			}
		}
	}
	return rapid.SampledFrom(names)
}()

// drawMetrics makes metrics of all kinds that meet often in time and attributes.
func drawMetrics(t *rapid.T) (md pmetric.Metrics, points int) {
	md = pmetric.NewMetrics()
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, 0.5, math.NaN(), math.Inf(1)}))
	point := func(p interface {
		SetTimestamp(pcommon.Timestamp)
		SetFlags(pmetric.DataPointFlags)
		Attributes() pcommon.Map
	}) {
		points++
		p.SetTimestamp(pcommon.Timestamp(rapid.SampledFrom([]uint64{0, 7, 1787227200e9, math.MaxInt64}).Draw(t, "time")))
		p.SetFlags(pmetric.DataPointFlags(rapid.SampledFrom([]uint32{0, 0, 0, 1, 2}).Draw(t, "flags")))
		for range rapid.IntRange(0, 4).Draw(t, "attributes") {
			key := rapid.SampledFrom([]string{"engine", "model_name", "model", "version", "gpu", "Hostname", "tp_rank", "reason", "finished_reason", "request_type", "hw.gpu.task"}).Draw(t, "key")
			switch rapid.IntRange(0, 3).Draw(t, "type") {
			case 0:
				p.Attributes().PutInt(key, rapid.Int64Range(0, 11).Draw(t, "value"))
			case 1:
				drawValue(t, p.Attributes().PutEmpty(key), 1)
			default:
				p.Attributes().PutStr(key, rapid.SampledFrom([]string{"", "0", "1", "deferred", "waiting", "general"}).Draw(t, "value"))
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "resources") {
		rm := md.ResourceMetrics().AppendEmpty()
		drawMap(t, rm.Resource().Attributes(), 2)
		for _, key := range []string{"service.name", "service.instance.id", "server.address", "host.name"} {
			if rapid.Bool().Draw(t, key) {
				rm.Resource().Attributes().PutStr(key, rapid.SampledFrom([]string{"a", "b:8000"}).Draw(t, "place"))
			}
		}
		for range rapid.IntRange(0, 2).Draw(t, "scopes") {
			sm := rm.ScopeMetrics().AppendEmpty()
			drawScope(t, sm.Scope())
			for range rapid.IntRange(0, 3).Draw(t, "metrics") {
				m := sm.Metrics().AppendEmpty()
				m.SetName(drawSeries.Draw(t, "series"))
				m.SetDescription(drawText.Draw(t, "description"))
				m.SetUnit(rapid.SampledFrom([]string{"", "1", "s", "ms", "By", "%"}).Draw(t, "unit"))
				temporality := pmetric.AggregationTemporality(rapid.Int32Range(0, 3).Draw(t, "temporality"))
				n := rapid.IntRange(0, 5).Draw(t, "points")
				switch rapid.IntRange(0, 5).Draw(t, "kind") {
				case 0:
					g := m.SetEmptyGauge()
					for range n {
						p := g.DataPoints().AppendEmpty()
						point(p)
						p.SetDoubleValue(number.Draw(t, "number"))
					}
				case 1:
					s := m.SetEmptySum()
					s.SetAggregationTemporality(temporality)
					s.SetIsMonotonic(rapid.Bool().Draw(t, "monotonic"))
					for range n {
						p := s.DataPoints().AppendEmpty()
						point(p)
						if rapid.IntRange(0, 3).Draw(t, "number") > 0 {
							p.SetIntValue(rapid.Int64().Draw(t, "number"))
						}
					}
				case 2:
					h := m.SetEmptyHistogram()
					h.SetAggregationTemporality(temporality)
					for range n {
						p := h.DataPoints().AppendEmpty()
						point(p)
						p.SetCount(rapid.Uint64().Draw(t, "count"))
						if rapid.Bool().Draw(t, "has sum") {
							p.SetSum(number.Draw(t, "sum"))
						}
						p.BucketCounts().FromRaw([]uint64{1, 2})
						p.ExplicitBounds().FromRaw([]float64{1})
					}
				case 3:
					h := m.SetEmptyExponentialHistogram()
					h.SetAggregationTemporality(temporality)
					for range n {
						p := h.DataPoints().AppendEmpty()
						point(p)
						p.SetCount(rapid.Uint64().Draw(t, "count"))
						p.SetSum(number.Draw(t, "sum"))
						p.Positive().BucketCounts().FromRaw([]uint64{1})
					}
				case 4:
					s := m.SetEmptySummary()
					for range n {
						p := s.DataPoints().AppendEmpty()
						point(p)
						p.SetCount(rapid.Uint64().Draw(t, "count"))
						p.SetSum(number.Draw(t, "sum"))
						p.QuantileValues().AppendEmpty().SetValue(1)
					}
				}
			}
		}
	}
	return md, points
}

// Whatever pdata can write comes back as the same readings from JSON in any order of
// members and from protobuf in every framing, and every point is used or counted.
func TestMetricsAgreeWithPdata(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		md, points := drawMetrics(rt)
		doc, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
		if err != nil {
			rt.Fatal(err)
		}
		msg, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
		if err != nil {
			rt.Fatal(err)
		}
		want := oracleMetrics(md)
		if s := want.stats; s.Points+s.UnusedPoints+s.BadPoints != int64(points) || s.Points < s.Samples/2 {
			rt.Fatalf("%d points went in: %+v", points, s)
		}
		agree(rt, want, doc, msg, rapid.Int64().Draw(rt, "seed"))
		if len(doc) < 8<<10 {
			diff(rt, "a stream of single bytes", want.rows(), readSlowly(rt, doc).rows())
		}
		for what, got := range map[string]result{"JSON": readAs(rt, doc, JSON), "protobuf": readAs(rt, frameOf(msg), FramedProtobuf)} {
			s := got.stats
			diff(rt, what, []int64{want.stats.Points, want.stats.UnusedPoints, want.stats.Metrics}, []int64{s.Points, s.UnusedPoints, s.Metrics})
			diff(rt, what, want.stats.UnknownSeries, s.UnknownSeries)
			if s.Metrics > 0 && (s.Samples > 0) != (s.Documents > 0) {
				rt.Fatalf("%s: %+v", what, s)
			}
		}
	})
}

// The order of points makes no difference to what each engine's reading is.
func TestOrderOfPointsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type p struct {
			rank, label string
			value       int64
		}
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) p {
			return p{rapid.SampledFrom([]string{"", "0", "2", "10"}).Draw(t, "rank"), rapid.SampledFrom([]string{"x", "y"}).Draw(t, "label"), rapid.Int64Range(0, 9).Draw(t, "value")}
		}), 1, 8).Draw(rt, "points")
		series := rapid.SampledFrom([]string{"sglang:num_running_reqs", "sglang:num_requests_total"}).Draw(rt, "series")
		reading := func(points []p) (values []float64, used int64) {
			md := pmetric.NewMetrics()
			m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
			m.SetName(series)
			g := m.SetEmptyGauge()
			for _, p := range points {
				dp := g.DataPoints().AppendEmpty()
				dp.SetTimestamp(5)
				dp.SetIntValue(p.value)
				dp.Attributes().PutStr("tp_rank", p.rank)
				dp.Attributes().PutStr("label", p.label)
			}
			got := oracleMetrics(md)
			return got.set.EngineSamples.Value, got.stats.Points
		}
		want, used := reading(points)
		if len(want) != 1 {
			rt.Fatalf("%d readings of one engine", len(want))
		}
		got, again := reading(rapid.Permutation(points).Draw(rt, "shuffled"))
		diff(rt, "reading", want, got)
		diff(rt, "points", used, again)
	})
}
