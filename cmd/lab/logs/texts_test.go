package logs

import (
	"testing"

	"pgregory.net/rapid"
)

// TestRustDuration compares with a reading of the text, and with the documented form.
func TestRustDuration(t *testing.T) {
	for ns, want := range map[int64]string{0: "0ns", 999: "999ns", 1000: "1µs", 812_345: "812.345µs", 604_100_000: "604.1ms", 3_410_000_000: "3.41s", 60 * s: "60s"} {
		if got := rustDuration(ns); got != want {
			t.Errorf("%d ns is %s, want %s", ns, got, want)
		}
	}
	tgi := builtin(t, "tgi")
	scratch := tgi.NewScratch()
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.OneOf(rapid.Int64Range(0, 2*ms), rapid.Int64Range(0, 100*s)).Draw(t, "ns")
		line := `2026-08-20T12:00:03.512300Z  INFO generate{parameters=GenerateParameters { best_of: None } total_time="` + rustDuration(ns) +
			`" validation_time="0ns" queue_time="0ns" inference_time="0ns" time_per_token="0ns" seed="None"}: text_generation_router::server: router/src/server.rs:1: Success`
		if _, fields := values(t, tgi, scratch, line); fields["total"].Int != ns {
			t.Fatalf("%s is read as %d ns, want %d", rustDuration(ns), fields["total"].Int, ns)
		}
	})
}

// TestPyFloat has texts of Python's repr.
func TestPyFloat(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0", 1: "1.0", 0.60411: "0.60411", 1787227200.716: "1787227200.716", 1.5e-05: "1.5e-05", 0.0001: "0.0001",
		-0.25: "-0.25", 1e16: "1e+16", 123456789012345680: "1.2345678901234568e+17"} {
		if got := pyFloat(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}
