package critical

import (
	"fmt"
	"maps"
	"testing"
)

// TestCRISP compares the default mode with the published expectations of CRISP. Its
// rules differ from ours in two ways, and only where they apply may the results:
//
//   - a child that outlives its parent is cut and blamed by CRISP; we do not take the
//     parent to have waited for it (7 and 8);
//   - siblings that overlap by up to 1 % of the parent are both counted whole by CRISP,
//     the overlap twice; we cut the earlier one, and the parent keeps what is its own
//     (10 and 19 to 21).
func TestCRISP(t *testing.T) {
	mapped := map[string]map[string]int64{
		"crisp-7":  {"[S1] O1": 100},
		"crisp-8":  {"[S1] O1": 40, "[S2] O2": 60},
		"crisp-10": {"[S1] O1": 402, "[S2] O2": 199, "[S3] O3": 99, "[S4] O4": 300},
		"crisp-19": {"[S1] O1": 10, "[S2] O2": 195, "[S3] O3": 95, "[S4] O4": 300},
		"crisp-20": {"[S1] O1": 10, "[S2] O2": 195, "[S3] O3": 95, "[S4] O4": 300},
		"crisp-21": {"[S1] O1": 10, "[S2] O2": 195, "[S3] O3": 95, "[S4] O4": 300},
	}
	var file struct {
		Cases []struct {
			Name  string
			Spans []struct {
				ID, Parent, Service, Op string
				Start, Duration         int64
			}
			ExpectedExclusiveByOp map[string]int64
		}
	}
	readCorpus(t, &file, "vectors", "crisp-cp-cases.json")
	if len(file.Cases) != 25 {
		t.Fatalf("%d cases, want 25", len(file.Cases))
	}
	for _, c := range file.Cases {
		var spans []vectorSpan
		op := map[string]string{}
		for _, s := range c.Spans {
			spans = append(spans, vectorSpan{s.ID, s.Parent, s.Start, s.Duration, "internal"})
			op[s.ID] = fmt.Sprintf("[%s] %s", s.Service, s.Op)
		}
		g, names := graph(spans)
		requests, _ := build(t, setOf(g), Options{})
		got := map[string]int64{op[c.Spans[0].ID]: 0}
		for _, s := range requests[0].EndPath {
			got[op[names[idNumber(requests[0].Spans[s.Span].ID)]]] += s.Duration() / 1000
		}
		want := c.ExpectedExclusiveByOp
		if m, ok := mapped[c.Name]; ok {
			if maps.Equal(got, want) {
				t.Errorf("%s agrees with CRISP and need not be mapped", c.Name)
			}
			want = m
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", c.Name, got, want)
		}
	}
}
