package table

import (
	"slices"
	"strings"
	"testing"
)

func TestMetricsAreOrderedAndDeclared(t *testing.T) {
	for i, m := range Metrics() {
		if i > 0 && metrics[i-1].Name >= m.Name {
			t.Errorf("%s stands behind %s: the catalogue is searched by name", m.Name, metrics[i-1].Name)
		}
		if got, ok := MetricByName(m.Name); !ok || got != m {
			t.Errorf("%s is not found", m.Name)
		}
		if m.Doc == "" || strings.HasSuffix(m.Doc, ".") || m.Unit == "" {
			t.Errorf("%s has no doc or unit as the others have them", m.Name)
		}
		if m.Total != strings.HasSuffix(m.Name, "_total") {
			t.Errorf("%s: what counts up ends in _total, and nothing else does", m.Name)
		}
		if !slices.Contains([]string{"W", "batches", "bytes", "inferences", "ns", "ratio", "requests", "tokens", "tokens/s", "transfers"}, m.Unit) {
			t.Errorf("%s has the unit %q", m.Name, m.Unit)
		}
	}
	if _, ok := MetricByName("none"); ok {
		t.Error("a metric is found that is not there")
	}
}

func TestRecordIDsDifferByPlaceAlone(t *testing.T) {
	traces, spans := map[TraceID]bool{}, map[SpanID]bool{}
	for _, source := range []string{"a.log", "b.log", ""} {
		for offset := int64(0); offset < 2000; offset++ {
			for nth := range 3 {
				trace, span := RecordIDs(source, offset, nth)
				if again, _ := RecordIDs(source, offset, nth); again != trace {
					t.Fatal("the same place has two ids")
				}
				if traces[trace] || spans[span] || trace == (TraceID{}) || span == (SpanID{}) {
					t.Fatalf("%s %d %d: the ids are not their own", source, offset, nth)
				}
				traces[trace], spans[span] = true, true
			}
		}
	}
}
