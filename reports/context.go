package reports

import (
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// ChangeRefused is the kind of the verdict of a comparison that was refused.
const ChangeRefused = "refused"

// ofDifferences are the ids of the warnings about what a comparison found: of one that was refused
// nothing is told, and that no model is on both sides is among its reasons.
var ofDifferences = []string{analyze.OtherModels, analyze.NotRecorded, analyze.OtherCoverage, analyze.Describes, analyze.NoTimes}

// refuse leaves a comparison without an answer, and says why.
func (c *Compare) refuse() {
	why := strings.Join(c.Refused, "; ")
	c.Verdict = ChangeVerdict{Kind: ChangeRefused, Reason: why, Shifted: []string{}, Sentence: "not compared: " + why}
	c.Warnings = slices.DeleteFunc(c.Warnings, func(w Warning) bool { return slices.Contains(ofDifferences, w.ID) })
}

// ContextRow is one thing that figures must be read with, on both sides of a comparison; empty
// where it is unknown.
type ContextRow struct{ Name, Base, New string }

// ContextRows are what the figures of both sides must be read with, in words.
func (c *Compare) ContextRows() []ContextRow {
	a, b := c.Base.Context.words(), c.New.Context.words()
	out := make([]ContextRow, len(a))
	for i := range a {
		out[i] = ContextRow{a[i][0], a[i][1], b[i][1]}
	}
	return out
}

// words are the parts of a context, each a name and a text that is empty where it is unknown.
func (c Context) words() [][2]string {
	text := func(v *string) string {
		if v == nil {
			return ""
		}
		return *v
	}
	whole := func(v *int64) string {
		if v == nil {
			return ""
		}
		return Integer(*v)
	}
	rate := func(v *float64) string {
		if v == nil {
			return ""
		}
		return Number(*v)
	}
	share := func(v *float64) string {
		if v == nil {
			return ""
		}
		return Percent(*v) + " %"
	}
	median := func(v ContextCounts) string {
		text := whole(v.P50)
		if text != "" && v.Low != nil && v.High != nil {
			text += " (" + Integer(*v.Low) + "–" + Integer(*v.High) + ")"
		}
		return text
	}
	both := func(a, mid, b string) string {
		if a == "" || b == "" {
			return a + b
		}
		return a + mid + b
	}
	window := ""
	if c.WindowNS != nil {
		window = Period(*c.WindowNS)
	}
	return [][2]string{
		{"seen from", text(c.Vantage)}, {"window", window}, {"n, failed ones too", whole(c.N)}, {"sampling", text(c.Sampling)}, {"load", text(c.LoadMode)},
		{"model", text(c.Model)}, {"engine", text(c.Engine)}, {"engine version", text(c.EngineVersion)}, {"GPU type", text(c.GPUType)},
		{"GPUs", whole(c.GPUCount)}, {"replicas", whole(c.Replicas)}, {"arrivals/s", rate(c.ArrivalRate)},
		{"in flight (mean, p95)", both(rate(c.Concurrency.Mean), ", ", whole(c.Concurrency.P95))}, {"waiting (mean, p95)", both(rate(c.Waiting.Mean), ", ", whole(c.Waiting.P95))},
		{"prompt tokens p50 (95 %)", median(c.InputTokens)}, {"output tokens p50 (95 %)", median(c.OutputTokens)}, {"cache hits", share(c.CacheHit)},
	}
}
