package table

import (
	"math"
	"strings"
	"testing"
)

func TestDifferenceNamesTheCell(t *testing.T) {
	if d := Difference(exampleSet(), exampleSet()); d != "" {
		t.Fatal(d)
	}
	for want, change := range map[string]func(s *Set){
		"table spans: 6 rows against 5":                                   func(s *Set) { s.Spans.Grow() },
		"table logs: row 2: column time_ns: 17 against":                   func(s *Set) { s.Logs.Time[2] = 17 },
		"table spans: row 1: column model: \"new\" against":               func(s *Set) { s.Spans.Model[1] = s.Symbols.Intern("new") },
		"table spans: row 0: column request_id: \"new\" against":          func(s *Set) { s.Spans.RequestID[0] = "new" },
		"table requests: row 4: column weight: 0.25 (bits 3fd00":          func(s *Set) { s.Requests.Weight[4] = 0.25 },
		"table spans: row 4: column attributes: ":                         func(s *Set) { s.Spans.Attributes.Add(0, DoubleValue(2)) },
		"table spans: row 0: column trace_id: 70000000000000000000000000": func(s *Set) { s.Spans.TraceID[0] = TraceID{0x70} },
		"table requests: row 0: column error: ":                           func(s *Set) { s.Requests.Error[0] = !s.Requests.Error[0] },
		"table spans: row 0: column kind: 5 against":                      func(s *Set) { s.Spans.Kind[0] = 5 },
		"table spans: row 3: column scope_row: 77 against":                func(s *Set) { s.Spans.ScopeRow[3] = 77 },
		"table spans: row 3: column parent_id: 0900000000000000 against":  func(s *Set) { s.Spans.ParentID[3] = SpanID{9} },
	} {
		s := exampleSet()
		change(s)
		if d := Difference(s, exampleSet()); !strings.HasPrefix(d, want) {
			t.Errorf("difference is %q, not %q", d, want)
		}
	}
}

func TestDifferenceComparesFloatsByBits(t *testing.T) {
	for _, c := range []struct {
		value, weight [2]float64
		differ        bool
	}{
		{value: [2]float64{math.NaN(), math.NaN()}},
		{value: [2]float64{math.NaN(), math.Float64frombits(0x7ff8dead0000beef)}, differ: true},
		{value: [2]float64{0, math.Copysign(0, -1)}, differ: true},
		{weight: [2]float64{math.NaN(), math.Float64frombits(0x7ff8dead0000beef)}},
		{weight: [2]float64{math.NaN(), 1}, differ: true},
	} {
		var s [2]*Set
		for i := range s {
			s[i] = NewSet()
			s[i].EngineSamples.Grow()
			s[i].EngineSamples.Value[0] = c.value[i]
			s[i].Requests.Grow()
			s[i].Requests.Weight[0] = c.weight[i]
		}
		if d := Difference(s[0], s[1]); (d != "") != c.differ {
			t.Errorf("%v: %q", c, d)
		}
	}
}
