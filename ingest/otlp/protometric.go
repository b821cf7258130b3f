package otlp

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailpath/tailpath/ingest/table"
)

var metricReader pmetric.ProtoUnmarshaler

func (d *Decoder) addMetrics(md pmetric.Metrics, at table.Place) {
	for _, rm := range md.ResourceMetrics().All() {
		d.beginResource(at)
		d.setResource(rm.Resource(), rm.SchemaUrl())
		for _, sm := range rm.ScopeMetrics().All() {
			d.beginScope()
			for _, m := range sm.Metrics().All() {
				d.takeMetric(m, at)
			}
			d.endScope()
		}
		d.endResource()
	}
}

// takeMetric adds the points of a metric, and counts those as bad whose times the
// tables cannot hold.
func (d *Decoder) takeMetric(s pmetric.Metric, at table.Place) {
	d.nth++
	m := &d.metric
	m.reset()
	d.arena = d.arena[:0]
	m.name, m.unit = d.borrow(s.Name()), d.borrow(s.Unit())
	bad := 0
	take := func(p point, t pcommon.Timestamp, a pcommon.Map) {
		if t > math.MaxInt64 {
			bad++
			return
		}
		p.time, p.from = int64(t), len(m.attributes)
		m.attributes = d.attributes(m.attributes, a, &d.pointKeys)
		p.to = len(m.attributes)
		m.points = append(m.points, p)
	}
	switch s.Type() {
	case pmetric.MetricTypeGauge:
		m.shape = numbers
		takeNumbers(s.Gauge().DataPoints(), take)
	case pmetric.MetricTypeSum:
		m.shape, m.delta = numbers, s.Sum().AggregationTemporality() == pmetric.AggregationTemporalityDelta
		takeNumbers(s.Sum().DataPoints(), take)
	case pmetric.MetricTypeHistogram:
		m.shape, m.delta = histograms, s.Histogram().AggregationTemporality() == pmetric.AggregationTemporalityDelta
		for _, p := range s.Histogram().DataPoints().All() {
			take(measured(float64(p.Count()), p.Sum(), p.HasSum(), p.Flags()), p.Timestamp(), p.Attributes())
		}
	case pmetric.MetricTypeExponentialHistogram:
		m.shape, m.delta = histograms, s.ExponentialHistogram().AggregationTemporality() == pmetric.AggregationTemporalityDelta
		for _, p := range s.ExponentialHistogram().DataPoints().All() {
			take(measured(float64(p.Count()), p.Sum(), p.HasSum(), p.Flags()), p.Timestamp(), p.Attributes())
		}
	case pmetric.MetricTypeSummary:
		m.shape = summaries
		for _, p := range s.Summary().DataPoints().All() {
			take(measured(float64(p.Count()), p.Sum(), true, p.Flags()), p.Timestamp(), p.Attributes())
		}
	}
	if bad > 0 {
		d.badPoints(bad, at)
	}
	d.addMetric(at)
}

func takeNumbers(points pmetric.NumberDataPointSlice, take func(point, pcommon.Timestamp, pcommon.Map)) {
	for _, p := range points.All() {
		number := math.NaN()
		switch p.ValueType() {
		case pmetric.NumberDataPointValueTypeDouble:
			number = p.DoubleValue()
		case pmetric.NumberDataPointValueTypeInt:
			number = float64(p.IntValue())
		}
		take(point{number: number, sum: math.NaN(), unset: p.Flags().NoRecordedValue()}, p.Timestamp(), p.Attributes())
	}
}

func measured(count, sum float64, hasSum bool, flags pmetric.DataPointFlags) point {
	if !hasSum {
		sum = math.NaN()
	}
	return point{number: math.NaN(), count: count, sum: sum, unset: flags.NoRecordedValue()}
}

// badPoints counts points that were left out of their metric.
func (d *Decoder) badPoints(n int, at table.Place) {
	d.stats.BadPoints += int64(n)
	d.count(BadPoint, n, at, "a time or value of a point of the metric cannot be read")
}

// Fields of a metric that hold its data. The points are field 1 of each.
var metricData = map[uint64]bool{5: true, 7: true, 9: true, 10: true, 11: true}

// lighterMetric reads one metric without the points that pdata refuses.
func (w *salvager) lighterMetric(record []byte) bool {
	var kept []byte
	bad := 0
	for i := 0; i < len(record); {
		f, next, ok := nextField(record, i)
		if !ok || f.torn {
			return false
		}
		if metricData[f.number] && f.wire == wireBytes {
			var data []byte
			for j := 0; j < len(f.body); {
				inner, after, ok := nextField(f.body, j)
				if !ok || inner.torn {
					return false
				}
				point := f.body[j:after]
				if j = after; inner.number != 1 || w.accepts(appendField(nil, f.number, point)) {
					data = append(data, point...)
				} else {
					bad++
				}
			}
			kept = appendField(kept, f.number, data)
		} else {
			kept = append(kept, record[i:next]...)
		}
		i = next
	}
	if bad == 0 || !w.record(kept) {
		return false
	}
	w.d.badPoints(bad, w.at)
	return true
}
