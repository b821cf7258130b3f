package critical

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// engineSpan returns a set of one engine span with the given times in ns; Missing
// leaves a time out.
func engineSpan(scope string, duration int64, ttft, e2e, queue, prefill, decode int64) *table.Set {
	set := table.NewSet()
	addTrace(set, 1, []testSpan{{id: 1, kind: kindServer, start: 1000, end: 1000 + duration, name: "llm_request", scope: scope, service: "vllm"}})
	sp := &set.Spans
	sp.TTFT[0], sp.E2E[0], sp.Queue[0], sp.Prefill[0], sp.Decode[0] = ttft, e2e, queue, prefill, decode
	if prefill != table.Missing {
		sp.Attributes.Add(set.Symbols.Intern("gen_ai.latency.time_in_model_prefill"), table.DoubleValue(0))
	}
	sp.Attributes.Add(set.Symbols.Intern("gen_ai.latency.time_in_queue"), table.DoubleValue(0))
	set.Canonicalize()
	return set
}

func one(t *rapid.T, set *table.Set) *Request {
	requests, err := buildAll(set, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return requests[0]
}

// TestVLLMRecovers plants the parts of a V1 request and checks that queue, prefill
// and decode come back to the nanosecond, that the rest is scheduling, and that each
// edge is no further off than its segment admits.
func TestVLLMRecovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := func(name string) int64 { return rapid.Int64Range(0, 2e9).Draw(t, name) }
		before, queue, prefill, decode := part("before"), part("queue"), part("prefill"), part("decode")
		delay := rapid.Int64Range(0, 50e6).Draw(t, "delay of the first output")
		after := delay + part("after")
		ttft := before + queue + prefill + delay
		duration := before + queue + prefill + decode + after
		if duration == 0 {
			t.Skip("no length")
		}
		r := one(t, engineSpan("vllm.tracing.otel", duration, ttft, duration, queue, prefill, decode))
		got := map[string]int64{}
		for _, s := range r.EndPath {
			got[s.Stage.String()+"/"+s.Detail] += s.Duration()
			if s.Stage != stage.Queue {
				continue
			}
			if off := s.Start - (1000 + before); off < 0 || off > s.Error {
				t.Fatalf("the queue begins %d ns late, and admits %d", off, s.Error)
			}
		}
		if got["queue/engine"] != queue || got["gpu/prefill"] != prefill || got["gpu/decode"] != decode {
			t.Fatalf("planted queue %d, prefill %d, decode %d; got %v", queue, prefill, decode, got)
		}
		if rest := got["scheduling/frontend"] + got["scheduling/detokenize"]; rest != before+after {
			t.Fatalf("planted %d of scheduling, got %v", before+after, got)
		}
		if sum := r.TokenPath.Stages(); ttft > 0 && sum[stage.Queue]+sum[stage.GPU] != queue+prefill {
			t.Fatalf("planted %d before the first token, got %v", queue+prefill, sum)
		}
	})
}

// TestEngineTimesNeverInvent draws any times, among them negative, endless and
// missing ones: the request stays whole, and no stage gets more than was recorded.
func TestEngineTimesNeverInvent(t *testing.T) {
	value := rapid.OneOf(rapid.Int64Range(-2e9, 4e9), rapid.SampledFrom([]int64{table.Missing, -1e9, 0, 1 << 62, -1 << 62}))
	rapid.Check(t, func(t *rapid.T) {
		scope := rapid.SampledFrom([]string{"vllm.tracing.otel", "vllm.llm_engine", "tensorrt_llm.otel"}).Draw(t, "scope")
		duration := rapid.Int64Range(1, 3e9).Draw(t, "duration")
		ttft, e2e := value.Draw(t, "ttft"), value.Draw(t, "e2e")
		queue, prefill, decode := value.Draw(t, "queue"), value.Draw(t, "prefill"), value.Draw(t, "decode")
		r := one(t, engineSpan(scope, duration, ttft, e2e, queue, prefill, decode))
		got := r.EndPath.Stages()
		if queued := got[stage.Queue]; queued > max(queue, 0) {
			t.Fatalf("%d ns of queue from a recorded %d", queued, queue)
		}
		if (queue < 0 || queue > duration+engineSlack) && got[stage.Queue] != 0 {
			t.Fatalf("queue time from the impossible %d", queue)
		}
	})
}

func TestRustDurations(t *testing.T) {
	for text, want := range map[string]int64{
		"812.345µs": 812_345, "604.1ms": 604_100_000, "3.41s": 3_410_000_000, "789ns": 789, "0ns": 0,
		"": table.Missing, "s": table.Missing, "12": table.Missing, "1.5m": table.Missing, "NaNs": table.Missing, "1e300s": table.Missing,
	} {
		if got := parseRustDuration(text); got != want {
			t.Errorf("parseRustDuration(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestAdjustedCount(t *testing.T) {
	for state, want := range map[string]float64{
		"ot=th:c": 4, "ot=th:0": 1, "vendor=x,ot=rv:123;th:8": 2,
	} {
		if got := adjustedCount(state); got != want {
			t.Errorf("adjustedCount(%q) = %v, want %v", state, got, want)
		}
	}
	if got := adjustedCount("ot=th:fd70a4"); got < 100.0000 || got > 100.0002 {
		t.Errorf("th:fd70a4 stands for %v, want 100.0001", got)
	} else if p := 1 / got; p < .009999985 || p >= .01 {
		t.Errorf("th:fd70a4 is kept with probability %v, want .00999999", p)
	}
	for _, state := range []string{"", "x=th:c", "ot=th:", "ot=th:zz", "ot=th:123456789012345"} {
		if got := adjustedCount(state); got == got {
			t.Errorf("adjustedCount(%q) = %v, want none", state, got)
		}
	}
}
