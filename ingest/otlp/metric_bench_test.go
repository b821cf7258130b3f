package otlp

import (
	"bytes"
	"fmt"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailpath/tailpath/ingest/table"
)

// scrapes makes scrapes of a server with eight engines, of which a third of the points
// are of known series, and the points of one scrape.
func scrapes(n int) (all []pmetric.Metrics, points int) {
	for i := range n {
		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", "vllm")
		rm.Resource().Attributes().PutStr("service.instance.id", "10.0.0.4:8000")
		ms := rm.ScopeMetrics().AppendEmpty().Metrics()
		points = 0
		for j := range 60 {
			m := ms.AppendEmpty()
			m.SetName(fmt.Sprintf("vllm:unknown_%d", j))
			if j < 20 {
				m.SetName(vllm.series[j%10].name)
			}
			g := m.SetEmptyGauge()
			for k := range 8 {
				p := g.DataPoints().AppendEmpty()
				p.SetTimestamp(pcommon.Timestamp(1787227200_000_000_000 + int64(i)*15_000_000_000))
				p.SetDoubleValue(float64(j*k) / 7)
				p.Attributes().PutStr("engine", fmt.Sprint(k))
				p.Attributes().PutStr("model_name", "meta-llama/Llama-3.1-70B-Instruct")
				points++
			}
		}
		all = append(all, md)
	}
	return all, points
}

func benchmarkMetrics(b *testing.B, form Form, marshal func(pmetric.Metrics) ([]byte, error)) {
	var data []byte
	all, points := scrapes(200)
	for _, md := range all {
		text, err := marshal(md)
		if err != nil {
			b.Fatal(err)
		}
		data = append(data, text...)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		d := NewDecoder(table.NewSet(), &table.Account{}, "input")
		if err := d.Read(bytes.NewReader(data), form, Start{Line: 1}); err != nil {
			b.Fatal(err)
		}
		if s := d.Stats(); s.Points+s.UnusedPoints != int64(points*len(all)) {
			b.Fatalf("%+v", s)
		}
	}
	b.ReportMetric(float64(b.N*points*len(all))/b.Elapsed().Seconds(), "points/s")
}

func BenchmarkMetricsJSON(b *testing.B) {
	benchmarkMetrics(b, JSONLines, func(md pmetric.Metrics) ([]byte, error) {
		text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
		return append(text, '\n'), err
	})
}

func BenchmarkMetricsProtobuf(b *testing.B) {
	benchmarkMetrics(b, FramedProtobuf, func(md pmetric.Metrics) ([]byte, error) {
		msg, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
		return frameOf(msg), err
	})
}
