package format

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// TestConfidence says that a part with an error is never called exact.
func TestConfidence(t *testing.T) {
	const part = "{until: last + a, stage: queue, detail: admission}"
	const line = "t=10.000 total=100 a=10 b=20 c=30 status=200 flags=ok"
	for _, c := range []struct {
		add, confidence string
		error           int64
	}{
		{"", "exact", 0},
		{", confidence: exact", "exact", 0},
		{", confidence: anchored", "anchored", 1e6},
		{", error: 5ms", "anchored", 5e6},
		{", error: b", "anchored", 20e6},
		{", error: 5ms, confidence: anchored", "anchored", 5e6},
	} {
		with := strings.Replace(part, "}", c.add+"}", 1)
		_, out := evaluate(t, compile(t, strings.Replace(gateway, part, with, 1)), line)
		p := out.Parts[0]
		if got := table.ConfidenceNames[p.Confidence]; got != c.confidence || p.Error != c.error {
			t.Errorf("%s: %s ±%d, want %s ±%d", with, got, p.Error, c.confidence, c.error)
		}
	}
	with := strings.Replace(part, "}", ", error: 5ms, confidence: exact}", 1)
	d, err := Parse([]byte(strings.Replace(gateway, part, with, 1)), "unit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const want = "unit.yaml:19:86: records[0].span.parts[0].confidence: a part with an error is not exact"
	if _, err := d.Compile(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestNoExactWithError says the same of the formats that come with tailpath.
func TestNoExactWithError(t *testing.T) {
	for _, f := range files(t) {
		for _, r := range f.Records {
			if r.Span == nil {
				continue
			}
			for _, p := range r.Span.parts {
				if (p.hasError || p.bound != nil) && p.label.Confidence == exact {
					t.Errorf("%s: the part %s/%s is exact and has an error", r.Name, table.StageNames[p.label.Stage], r.Span.Labels[p.label.Detail])
				}
			}
		}
	}
}

// TestTimelessClock says that a span of durations alone is on no clock, and that one
// with a time is on the clock of that.
func TestTimelessClock(t *testing.T) {
	steady := strings.NewReplacer("{time:epoch_s}", "{time:steady_s}").Replace(gateway)
	for _, c := range []struct {
		text, time string
		clock      uint8
	}{
		{gateway, "10.000", table.ClockWall},
		{gateway, "-", table.ClockNone},
		{steady, "10.000", table.ClockSteady},
		{steady, "-", table.ClockNone},
	} {
		_, out := evaluate(t, compile(t, c.text), "t="+c.time+" total=100 a=10 b=20 c=30 status=200 flags=ok")
		if out.Clock != c.clock || c.clock == table.ClockNone && (out.Start != 0 || out.End != 100e6) {
			t.Errorf("time %s: clock %s, %d to %d; want clock %s", c.time, table.ClockNames[out.Clock], out.Start, out.End, table.ClockNames[c.clock])
		}
	}
}
