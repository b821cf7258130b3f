package analyze

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tailpath/tailpath/ingest/table"
)

func TestReadings(t *testing.T) {
	set := table.NewSet()
	add := func(service, engine, metric, unit string, values ...float64) {
		for _, v := range values {
			s := &set.EngineSamples
			i := s.Grow()
			s.Service[i], s.Engine[i] = set.Symbols.Intern(service), set.Symbols.Intern(engine)
			s.Metric[i], s.Unit[i], s.Value[i] = set.Symbols.Intern(metric), set.Symbols.Intern(unit), v
		}
	}
	add("vllm", "1", "waiting", "requests", 5, 0)
	add("vllm", "0", "waiting", "requests", 3, math.NaN(), 46)
	add("vllm", "0", "kv_usage", "ratio", 0.5)
	add("sglang", "", "waiting", "requests", math.NaN())
	want := []Reading{
		{"sglang", "waiting", "requests", 1, 1, math.NaN(), math.NaN(), math.NaN()},
		{"vllm", "kv_usage", "ratio", 1, 1, 0.5, 0.5, 0.5},
		{"vllm", "waiting", "requests", 5, 2, 0, 3, 46},
	}
	if d := cmp.Diff(want, Readings(set), cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
}
