package page

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// TestTokenGaps: the block is there only when instants of tokens are, says what prefills cost
// at the engine where they cost most, and marks what is no more than chance.
func TestTokenGaps(t *testing.T) {
	value, low, high := int64(25e6), int64(24e6), int64(27e6)
	share, of := reports.Figure{Value: .75, N: 40}, reports.Figure{Value: .25, N: 40}
	lift, beside, clear, slopeLow, slopeHigh := 7.6, int64(2e8), int64(2.5e7), 20e6, 30e6
	s := reports.Stalling{
		Requests: 40, Gaps: 4000, Stalls: 40, Hit: 30, ExcessNS: 8e9, Undefined: []reports.Count{{Name: "no instants of tokens recorded", N: 3}},
		Percentiles: []reports.Percentile{{P: "p50", ValueNS: &value, LowNS: &low, HighNS: &high}, {P: "p95", ValueNS: &value}, {P: "p99", Need: 299}},
		Parts:       []reports.StallPart{{Cause: "prefill", NS: 6e9, Share: &share}, {Cause: "untold", NS: 2e9, Share: &of}},
		Engines: []reports.StallEngine{
			{Engine: "vllm@a", Stalls: 10, Others: 1990, PrefillNS: 1e9, Adjusted: 1},
			{
				Engine: "vllm@b", Stalls: 30, StallsOverlapped: 24, Others: 1970, OthersOverlapped: 200, PrefillNS: 5e9, Adjusted: .01, Lift: &lift,
				OverlappedNS: &beside, ClearNS: &clear, Dose: &reports.Figure{Value: 25e6, Low: &slopeLow, High: &slopeHigh, N: 224},
			},
		},
		Verdict: reports.StallVerdict{Sentence: "a sentence", Kind: "leads", Reason: "a reason", Needs: "more", Rule: "a rule", Caveats: []reports.Warning{{ID: "few-incidents", Text: "few"}}},
	}
	write := func(verbose bool) string {
		p := newBuilder(Options{Verbose: verbose})
		p.stalling(s)
		return textOf(p)
	}
	want := `token gaps   a sentence
             p50 25.0 ms (95 %: 24.0–27.0), p95 25.0 ms, p99 needs 299 gaps; n = 4,000 gaps of 40 requests
             40 stalls take 8.00 s beyond the median gap: prefill 75.0 %, untold 25.0 %
             vllm@b: 24 of 30 stalls beside a prefill, and 200 of 1,970 other gaps (lift 7.60); mean gap with one 200 ms, without 25.0 ms; 25.0 ms for 1,000 prompt tokens (95 %: 20.0 to 30.0, n = 224)
             caveat: few (few-incidents)
             to dominate it takes: more
`
	if got := write(false); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	for _, part := range []string{"vllm@a: 0 of 10 stalls beside a prefill, and 0 of 1,990 other gaps (no more than by chance ~)\n", "not judged: 3 requests, no instants of tokens recorded\n", "verdict: leads, since a reason\n", "rule: a rule\n"} {
		if !strings.Contains(write(true), part) {
			t.Errorf("%q is not in %s", part, write(true))
		}
	}
	s.Verdict.Kind = "none"
	if strings.Contains(write(false), "vllm@b") {
		t.Error(write(false))
	}
	if s.Requests = 0; write(true) != "" {
		t.Error(write(true))
	}
}
