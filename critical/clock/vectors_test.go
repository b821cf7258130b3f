package clock

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestJaegerCases runs the cases of Jaeger's skew adjuster, span by span with its parent.
// Jaeger moves each call by itself and centres it; here a shift is never larger than the
// bounds ask for, a call that fits is not moved, and a call longer than its caller bounds
// nothing. After the shift every call that bounds something lies within its caller.
func TestJaegerCases(t *testing.T) {
	corpus := os.Getenv("TAILPATH_CORPUS")
	if corpus == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	data, err := os.ReadFile(filepath.Join(corpus, "vectors", "jaeger-skew-cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	type span struct {
		id, parent, start, end int64
		host                   string
		jaeger                 int64 // where Jaeger puts its start
	}
	var file struct {
		Cases []struct {
			Name      string
			MaxAdjust int64
			Spans     [][6]any
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 10 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var l Log
			spans := map[int64]span{}
			for _, row := range c.Spans {
				at := func(i int) int64 { return int64(row[i].(float64)) }
				s := span{at(0), at(1), at(2) * ms, (at(2) + at(3)) * ms, row[4].(string), at(5) * ms}
				spans[s.id] = s
			}
			for id := int64(1); id <= int64(len(spans)); id++ {
				child := spans[id]
				parent, called := spans[child.parent]
				if !called || parent.host == child.host {
					continue
				}
				if x, ok := Observe(parent.host, child.host, parent.start, parent.end, child.start, child.end, 0); ok {
					l.Add(x)
				} else {
					l.Broken(parent.host, child.host)
				}
			}
			s := Solve(&l)
			for _, child := range spans {
				parent, called := spans[child.parent]
				if !called || parent.host == child.host {
					continue
				}
				fits := child.end-child.start <= parent.end-parent.start
				offset, _, known := s.Between(parent.host, child.host, parent.start)
				if known != fits {
					t.Fatalf("known %v", known)
				}
				if !known {
					continue
				}
				start, end := child.start-offset, child.end-offset
				if start < parent.start || end > parent.end {
					t.Errorf("placed at [%d, %d) ms", start/ms, end/ms)
				}
				if child.start >= parent.start && child.end <= parent.end && offset != 0 {
					t.Errorf("it fits, but is shifted by %d", offset)
				}
				if by, jaeger := max(offset, -offset), max(child.jaeger-child.start, child.start-child.jaeger); jaeger > 0 && by > jaeger {
					t.Errorf("shifted by %d, Jaeger by %d", by, jaeger)
				}
			}
		})
	}
}

// TestTwoCallsOneHost is the case that Jaeger gets wrong: two calls to one host that is
// 30 ms ahead are shifted by 30 and by 20. The bounds are [25, 35] and [5, 35] ms.
func TestTwoCallsOneHost(t *testing.T) {
	var l Log
	for _, c := range [][4]int64{
		{0, 100, 35, 125}, // truly at [5, 95)
		{200, 300, 235, 305},
	} {
		x, ok := Observe("a", "b", c[0]*ms, c[1]*ms, c[2]*ms, c[3]*ms, 0)
		if !ok {
			t.Fatalf("%v bounds nothing", c)
		}
		l.Add(x)
	}
	s := Solve(&l)
	first, err1, known1 := s.Between("a", "b", 0)
	second, err2, known2 := s.Between("a", "b", 200*ms)
	if first != second || err1 != err2 || !known1 || !known2 {
		t.Errorf("%d ± %d and %d ± %d", first, err1, second, err2)
	}
	if first < 25*ms || first > 35*ms || first+err1 < 30*ms || first-err1 > 30*ms {
		t.Errorf("offset %d ± %d", first, err1)
	}
}
