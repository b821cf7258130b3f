package main

import (
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// TestUntold: whether the sources of a run can tell what its slow requests waited for follows
// from what was planted and from what its server writes.
func TestUntold(t *testing.T) {
	for _, c := range []struct {
		scenario string
		server   simulate.Server
		from     sources
		cause    string
		want     string
	}{
		{"queue-buildup", simulate.VLLM, fromTraces, "slots", ""},
		{"queue-buildup", simulate.TGI, fromTraces, "slots", ""},
		{"queue-buildup", simulate.Triton, fromTraces, "slots", ""},
		{"aborted", simulate.VLLM, fromTraces, "slots", untoldHolders},
		{"aborted", simulate.VLLM, fromAll, "slots", untoldHolders}, // the waits are over before three lines
		{"aborted", simulate.TGI, fromAll, "slots", untoldHolders},
		{"aborted", simulate.SGLang, fromTraces, "slots", ""}, // its spans tell of those that gave up
		{"aborted", simulate.Triton, fromTraces, "slots", ""},
		{"kv-full", simulate.VLLM, fromTraces, "kv_memory", untoldMemory},
		{"kv-full", simulate.VLLM, fromAll, "kv_memory", ""},
		{"kv-full", simulate.SGLang, fromTraces, "kv_memory", untoldMemory},
		{"kv-full", simulate.SGLang, fromEngine, "kv_memory", ""},
		{"preemption", simulate.VLLMV0, fromTraces, "kv_memory", untoldMemory},
		{"preemption", simulate.SGLang, fromTraces, "kv_memory", ""}, // its spans tell of who lost its place
		{"slow-prefill", simulate.TGI, fromTraces, "prefill", ""},
	} {
		sc, err := simulate.Lookup(c.scenario)
		if err != nil {
			t.Fatal(err)
		}
		capture, err := simulate.Run(sc, 1, simulate.Options{Server: c.server})
		if err != nil {
			t.Fatal(err)
		}
		slow := plantedCause(capture, c.from, stat.P99)
		if got := slow.untold(capture, c.from); slow.cause != c.cause || got != c.want {
			t.Errorf("%s on %s from %s: %q, %q, want %q", c.scenario, c.server, c.from, slow.cause, got, c.want)
		}
	}
}

func TestUnion(t *testing.T) {
	for _, c := range []struct {
		list []during
		want int64
	}{
		{nil, 0},
		{[]during{{0, 5, 9}}, 4},
		{[]during{{0, 5, 9}, {0, 1, 3}}, 6},
		{[]during{{0, 5, 9}, {0, 1, 6}, {0, 2, 4}}, 8},
		{[]during{{0, 1, 9}, {1, 2, 4}, {0, 9, 10}}, 9},
	} {
		if got := union(c.list); got != c.want {
			t.Errorf("%v cover %d, not %d", c.list, got, c.want)
		}
	}
}
