package critical

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// corpus returns the path of a file of the shared corpus and skips the test when
// there is none.
func corpus(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("TAILPATH_CORPUS")
	if root == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

func readCorpus(t testing.TB, into any, parts ...string) {
	t.Helper()
	data, err := os.ReadFile(corpus(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// vectorSpan is a span as the vectors spell it, times in µs.
type vectorSpan struct {
	id, parent string
	start, dur int64
	kind       string
}

func (s *vectorSpan) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		var parent *string
		if err := json.Unmarshal(data, &[]any{&s.id, &parent, &s.start, &s.dur, &s.kind}); err != nil {
			return err
		}
		if parent != nil {
			s.parent = *parent
		}
		return nil
	}
	var object struct {
		ID       string
		Parent   string
		Start    int64
		Duration int64
		Kind     string
	}
	err := json.Unmarshal(data, &object)
	*s = vectorSpan{object.ID, object.Parent, object.Start, object.Duration, object.Kind}
	return err
}

type vectorSection struct {
	id         string
	start, end int64
}

func (s *vectorSection) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&s.id, &s.start, &s.end})
}

// graph returns the spans with numbers for ids, in the order of the file, and the
// name of every number. A second span of one id gets one of its own with "_1" behind
// its name, as the Jaeger UI has it.
func graph(spans []vectorSpan) (out []testSpan, names map[uint64]string) {
	numbers, names := map[string]uint64{}, map[uint64]string{}
	number := func(id string) uint64 {
		if id == "" {
			return 0
		}
		if _, ok := numbers[id]; !ok {
			numbers[id] = uint64(len(numbers) + 1)
			names[numbers[id]] = id
		}
		return numbers[id]
	}
	seen := map[string]bool{}
	for _, s := range spans {
		id := s.id
		if seen[id] {
			id += "_1"
		}
		seen[id] = true
		number(id)
	}
	seen = map[string]bool{}
	for _, s := range spans {
		id := s.id
		if seen[id] {
			id += "_1"
		}
		seen[id] = true
		kind := slices.Index(table.KindNames, strings.ToUpper(s.kind))
		out = append(out, testSpan{
			id: number(id), parent: number(s.parent), kind: uint8(max(kind, 0)),
			start: s.start * 1000, end: (s.start + s.dur) * 1000, name: id, service: "s",
		})
	}
	return out, names
}

// jaegerSections returns the path in the form of the vectors: µs, from the end
// backwards, root after root.
func jaegerSections(t *testing.T, spans []vectorSpan) []vectorSection {
	g, names := graph(spans)
	var out []vectorSection
	requests, _ := build(t, setOf(g), Options{Jaeger: true, Workers: 1})
	for _, r := range requests {
		if r.Class == Incomplete && r.ClassReason == "no root" {
			continue // the Jaeger UI shows no path for these
		}
		for i := len(r.EndPath) - 1; i >= 0; i-- {
			s := r.EndPath[i]
			out = append(out, vectorSection{names[idNumber(r.Spans[s.Span].ID)], s.Start / 1000, s.End / 1000})
		}
	}
	return out
}

func TestJaegerCases(t *testing.T) {
	var file struct {
		Cases []struct {
			Name     string
			Spans    []vectorSpan
			Expected []vectorSection
		}
	}
	readCorpus(t, &file, "vectors", "jaeger-cp-cases.json")
	if len(file.Cases) != 29 {
		t.Fatalf("%d cases, want 29", len(file.Cases))
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if got := jaegerSections(t, c.Spans); fmt.Sprint(got) != fmt.Sprint(c.Expected) {
				t.Errorf("got  %v\nwant %v", got, c.Expected)
			}
		})
	}
}

func TestJaegerRandom(t *testing.T) {
	var file struct {
		Cases []struct {
			Name     string
			Spans    []vectorSpan
			Sections []vectorSection
		}
	}
	readCorpus(t, &file, "vectors", "jaeger-random.json")
	if len(file.Cases) != 500 {
		t.Fatalf("%d cases, want 500", len(file.Cases))
	}
	bad := 0
	for _, c := range file.Cases {
		if got := jaegerSections(t, c.Spans); fmt.Sprint(got) != fmt.Sprint(c.Sections) {
			bad++
			if bad <= 3 {
				t.Errorf("%s: spans %v\ngot  %v\nwant %v", c.Name, c.Spans, got, c.Sections)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of 500 differ", bad)
	}
}
