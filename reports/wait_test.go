package reports_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/reports"
)

// words returns what a document says of one wait.
func words(f engine.Finding, batches bool) string {
	f.WaitNS = 4 * 1000 * ms
	e := analyze.Explanation{Waits: []analyze.Wait{{Finding: f, Doc: "DOC", Batches: batches}}}
	return run("explain").Explain([]analyze.Explanation{e}).Requests[0].Waits[0].Words
}

// TestEveryRuleHasWords of its own, with the numbers that the rule rests on.
func TestEveryRuleHasWords(t *testing.T) {
	f := engine.Finding{
		FullNS: 3100 * ms, FreeNS: 3200 * ms, IdleNS: 3300 * ms, KeptNS: 600 * ms, PrefillNS: 3500 * ms, LongPrefillNS: 3600 * ms, PreemptedNS: 3700 * ms, PlacedNS: 3800 * ms, ErrorNS: 2900 * ms,
		Limit: engine.SlotLimit{Value: 16}, Running: 15.5, RunningRead: math.NaN(), KVUsage: math.NaN(), Basis: engine.Intervals,
	}
	want := map[string]string{
		"back-off":         "retry: it waited to be tried again",
		"after-preemption": "kv_memory: it was preempted and waited for memory to run again; 15.5 requests ran on average",
		"recorded-delay":   "batch_delay: its record says that the batch was filling",
		"no-engine":        "unknown: no engine is known to have served it",
		"not-placed":       "unknown: when it waited is not known well enough to see what ran: ±2.90 s",
		"engine-has-room":  "upstream: a gateway held it back for 3.40 s of 4.00 s from an engine with room; 15.5 requests ran on average",
		"instance-free":    "batch_delay: an instance was free for 3.20 s of 4.00 s, so the batch was filling; 15.5 requests ran on average",
		"idle":             "stuck: nothing ran for 3.30 s of 4.00 s",
		"at-limit":         "slots: all 16 slots were taken for 3.10 s of 4.00 s; 15.5 requests ran on average",
		"at-limit-placed":  "slots: all 16 slots were taken for 3.80 s of 4.00 s, where its run afterwards places it; 15.5 requests ran on average",
		"at-limit-read":    "slots: all 16 slots were taken; 15.5 requests ran on average",
		"memory-full":      "kv_memory: by readings requests were preempted; 15.5 requests ran on average",
		"behind-preempted": "kv_memory: preempted requests waited ahead of it for 3.70 s of 4.00 s; 15.5 requests ran on average",
		"long-prompt":      "prefill: prompts of four times its size and more were prefilled for 3.60 s of 4.00 s; 15.5 requests ran on average",
		"prefill-budget":   "prefill: slots were free for 3.20 s of 4.00 s while other prompts were prefilled for 3.50 s of it; 15.5 requests ran on average",
		"memory-short":     "kv_memory: slots were free and few prompts were prefilled; 15.5 requests ran on average",
	}
	for _, r := range engine.Rules() {
		f.Rule, f.Cause = r.ID, r.Cause
		if got := words(f, false); got != want[r.ID] || strings.Contains(got, "DOC") {
			t.Errorf("rule %s: %q, want %q", r.ID, got, want[r.ID])
		}
	}
	f.Rule, f.Cause = "nothing-shown", engine.Unknown
	if got := words(f, false); got != "unknown: nothing that is recorded says why; 15.5 requests ran on average" {
		t.Errorf("nothing shown: %q", got)
	}
	f.Rule = "a rule of later"
	if got := words(f, false); got != "unknown: DOC; 15.5 requests ran on average" {
		t.Errorf("a rule without words: %q", got)
	}
}

func TestWordsOfReadings(t *testing.T) {
	f := engine.Finding{Basis: engine.Readings, Running: 3, RunningRead: 1, KVUsage: 0.971, Limit: engine.SlotLimit{Value: 1}, KeptNS: 1000 * ms}
	for _, c := range []struct {
		rule    string
		cause   engine.Cause
		batches bool
		want    string
	}{
		{"memory-full", engine.KVMemory, false, "kv_memory: by readings the KV cache was up to 97.1 % full; 1 request ran on average, by readings"},
		{"memory-short", engine.KVMemory, false, "kv_memory: by readings the KV cache was up to 97.1 % full, while slots were free and few prompts were prefilled; 1 request ran on average, by readings"},
		{"at-limit-read", engine.Slots, true, "slots: the only instance was taken; 1 batch ran on average, by readings, KV cache up to 97.1 % full"},
		{"engine-has-room", engine.Upstream, false, "upstream: a gateway held it back, and by readings the engine behind kept nobody waiting; 1 request ran on average, by readings, KV cache up to 97.1 % full"},
		{"back-off", engine.Retry, false, "retry: it waited to be tried again"}, // before the engine: how full it was says nothing
		{"recorded-delay", engine.BatchDelay, true, "batch_delay: its record says that the batch was filling"},
		{"idle", engine.Stuck, false, "stuck: by readings nothing ran; KV cache up to 97.1 % full"},
	} {
		f.Rule, f.Cause = c.rule, c.cause
		if got := words(f, c.batches); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
	f.Rule, f.Cause = "prefill-budget", engine.Prefill
	if got := words(f, false); got != "prefill: by readings slots were free and other prompts were prefilled; 1 request ran on average, by readings, KV cache up to 97.1 % full" {
		t.Errorf("prompts, by readings: %q", got)
	}
	f.Basis, f.FreeNS, f.PrefillNS, f.KVUsage = engine.Intervals, 2*ms, 3900*ms, 0.0002
	if got := words(f, false); got != "prefill: other prompts were prefilled for 3.90 s of 4.00 s; 3 requests ran on average" {
		t.Errorf("one prompt at a time, by intervals: %q", got)
	}
	f.Basis, f.Running = engine.Intervals, math.NaN()
	if got := words(f, false); !strings.HasSuffix(got, "; 1 request ran on average, by readings") {
		t.Errorf("intervals without a number that ran: %q", got)
	}
	f.Running = 3
	f.Rule, f.Cause, f.Basis, f.RunningRead, f.Partial = "at-limit", engine.Slots, engine.Intervals, math.NaN(), true
	if got := words(f, false); !strings.Contains(got, "; at least 3 requests ran on average") {
		t.Errorf("requests are missing: %q", got)
	}
}

func TestShortTrace(t *testing.T) {
	for id, want := range map[string]string{
		"4bf92f3577b34da6a3ce929d0e0e4736": "4bf92f3577b34da6",
		"0000000000000000a3ce929d0e0e4736": "a3ce929d0e0e4736", // an id of 64 bits
		"short":                            "short",
	} {
		if got := reports.ShortTrace(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
