package otlp

import (
	"math"

	"github.com/tailpath/tailpath/ingest/table"
)

// metricUnit reads the metric at pos with all its points into d.metric. s.none says that
// it is null. Points of a metric that is named before them and not known are counted
// only.
func (s *stream) metricUnit() bool {
	m := &s.d.metric
	m.reset()
	s.badParts = 0
	s.peek()
	s.at = s.pos
	s.none = !s.opens('{', "a metric is no object")
	if s.none {
		return s.fault == noFault
	}
	known := true
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			return s.fault == noFault
		}
		switch string(standardName(name)) {
		case "name":
			m.name, ok = s.textValue()
			known = len(m.name) == 0 || s.d.find(m.name) != nil
		case "unit":
			m.unit, ok = s.textValue()
		case "gauge", "sum":
			ok = s.metricData(m, numbers, known)
		case "histogram", "exponentialHistogram":
			ok = s.metricData(m, histograms, known)
		case "summary":
			ok = s.metricData(m, summaries, known)
		default:
			ok = s.passMember(name)
		}
		if !ok {
			return false
		}
	}
}

// metricData reads the data of a metric, which replaces what came before it.
func (s *stream) metricData(m *metric, of shape, known bool) bool {
	if c := s.peek(); c != '{' && c != 'n' {
		return s.emptyText() || s.leaveOut()
	}
	m.shape, m.delta, m.passed = of, false, 0
	m.points, m.attributes = m.points[:0], m.attributes[:0]
	if !s.opens('{', "") {
		return s.fault == noFault
	}
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			return s.fault == noFault
		}
		switch string(standardName(name)) {
		case "dataPoints":
			ok = s.dataPoints(m, of, known)
		case "aggregationTemporality":
			var n uint8
			n, ok = s.enum("AGGREGATION_TEMPORALITY_", temporalities)
			m.delta = n == temporalityDelta
		default:
			ok = s.passMember(name)
		}
		if !ok {
			return false
		}
	}
}

// temporalities are the names of OTLP's AggregationTemporality by wire value.
var temporalities = []string{"UNSPECIFIED", "DELTA", "CUMULATIVE"}

const temporalityDelta = 1

// dataPoints reads the points of a metric. One that holds what it may not is left out
// and counted; a fault of syntax is one of the metric.
func (s *stream) dataPoints(m *metric, of shape, known bool) bool {
	if c := s.peek(); c != '[' && c != 'n' {
		return s.emptyObject() || s.emptyText() || s.leaveOut()
	}
	if !s.opens('[', "") {
		return s.fault == noFault
	}
	for first := true; s.element(first); first = false {
		if !known {
			m.passed++
			if !s.skip() {
				return false
			}
			continue
		}
		start, points, attributes := s.pos, len(m.points), len(m.attributes)
		if s.dataPoint(m, of) {
			continue
		}
		if s.fault != badValue {
			return false
		}
		s.fault, s.pos = noFault, start
		m.points, m.attributes = m.points[:points], m.attributes[:attributes]
		s.badParts++
		if !s.skip() {
			return false
		}
	}
	return s.fault == noFault
}

func (s *stream) dataPoint(m *metric, of shape) bool {
	if !s.opens('{', "a point is no object") {
		return s.fault == noFault
	}
	p := point{number: math.NaN(), sum: math.NaN(), from: len(m.attributes)}
	if of == summaries {
		p.sum = 0
	}
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			break
		}
		switch string(standardName(name)) {
		case "timeUnixNano":
			p.time, ok = s.time(needTime)
		case "asDouble", "asInt":
			ok = s.float(&p.number)
		case "count":
			ok = s.float(&p.count)
		case "sum":
			ok = s.float(&p.sum)
		case "flags":
			var flags int64
			flags, ok = s.count(needCount)
			p.unset = flags&flagNoValue != 0
		case "attributes":
			m.attributes, ok = s.attributes(m.attributes, &s.d.pointKeys)
		default:
			ok = s.passMember(name)
		}
		if !ok {
			return false
		}
	}
	p.to = len(m.attributes)
	m.points = append(m.points, p)
	return s.fault == noFault
}

// flagNoValue is the flag of a point that says its series has ended.
const flagNoValue = 1

const needNumber = "a value of a point is no number"

// float takes a number, quoted or not; null leaves v as it is.
func (p *parser) float(v *float64) bool {
	var a table.Value
	switch c := p.peek(); c {
	case '{', '[':
		p.tok = p.pos
		return p.fail(badValue, needNumber)
	case 'n':
		return p.null()
	}
	repaired := p.repaired
	if !p.scalar(&a, readDoubleValue) {
		return false
	}
	if a.Type != table.ValueDouble {
		p.repaired = repaired
		return p.fail(badValue, needNumber)
	}
	*v = a.Double()
	return true
}

func (s *stream) metricItem() bool {
	if !s.unit((*stream).metricUnit) {
		return s.passBad(BadMetric, ']')
	}
	if s.none {
		return true
	}
	at := s.place(s.at)
	if s.badParts > 0 {
		s.d.badPoints(s.badParts, at)
		s.badParts = 0
	}
	s.noteRepairs()
	s.doc.rows += int64(s.d.addMetric(s.rowPlace(at)))
	return true
}
