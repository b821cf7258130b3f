package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// oneSpanLines returns the spans of a capture as documents of one span each.
func oneSpanLines(t *testing.T, c *simulate.Capture) [][]byte {
	t.Helper()
	var lines [][]byte
	encode := &ptrace.JSONMarshaler{}
	for _, service := range c.Services {
		for _, batch := range service.Batches {
			for _, rs := range batch.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, span := range ss.Spans().All() {
						one := ptrace.NewTraces()
						resource := one.ResourceSpans().AppendEmpty()
						rs.Resource().CopyTo(resource.Resource())
						scope := resource.ScopeSpans().AppendEmpty()
						ss.Scope().CopyTo(scope.Scope())
						span.CopyTo(scope.Spans().AppendEmpty())
						line, err := encode.MarshalTraces(one)
						if err != nil {
							t.Fatal(err)
						}
						lines = append(lines, append(line, '\n'))
					}
				}
			}
		}
	}
	return lines
}

// TestShuffledSpansGiveTheSameBytes deals the spans of an incident over three files,
// in ten orders: what is printed is the same to the byte. It is in 50 of them where
// TAILPATH_WHOLE is set, as the checks of the repository do.
func TestShuffledSpansGiveTheSameBytes(t *testing.T) {
	incident, err := simulate.Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	capture, err := simulate.Run(incident, 7, simulate.Options{Requests: 250})
	if err != nil {
		t.Fatal(err)
	}
	lines := oneSpanLines(t, capture)
	if len(lines) < 4*250 {
		t.Fatalf("%d spans", len(lines))
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("incident", 0o755); err != nil {
		t.Fatal(err)
	}
	want, orders := map[string]string{}, uint64(10)
	if os.Getenv("TAILPATH_WHOLE") != "" {
		orders = 50
	}
	for seed := range orders {
		r := rand.New(rand.NewPCG(seed, 2))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		files := make([]bytes.Buffer, 3)
		for _, line := range lines {
			files[r.IntN(len(files))].Write(line)
		}
		for i := range files {
			if err := os.WriteFile(filepath.Join("incident", strconv.Itoa(i)+".jsonl"), files[i].Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"summary", "-v", "-q", "incident"}, {"explain", "incident", "--slowest", "2"}} {
			got := mustRun(t, args...)
			if first, ok := want[args[0]]; !ok {
				want[args[0]] = got
			} else if got != first {
				t.Fatalf("order %d changes %s:\n%s\nfrom\n%s", seed, args[0], got, first)
			}
		}
	}
}
