package analyze

import (
	"math"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// judgedGaps judges one condition of a decoding crowd.
func judgedGaps(t *testing.T, list []decoder, opt Options, text string) Judgement {
	t.Helper()
	set, engines := decoding(list)
	opt.Engines = engines
	opt = opt.filled().on(set)
	_, p := population(set, opt)
	return Judge(set, &Summary{Population: p}, conditions(t, text), opt)[0]
}

// TestPercentileOfGaps: it is of all gaps, as a summary has it, and bounded by blocks of time.
func TestPercentileOfGaps(t *testing.T) {
	list := crowd(30, 3, steady)
	for text, want := range map[string]Outcome{"p99(itl) > 20ms": Passed, "p99(itl) >= 20ms": Failed, "p50(itl) < 21ms": Failed, "p99(itl) > 50ms": Passed} {
		got := judgedGaps(t, list, Options{}, text)
		if got.Outcome != want || got.N != 9000 || got.Observed != float64(20*ms) || got.Method != MethodBlocks || got.Confidence != stat.Confidence || got.Unit != UnitNS || !got.HasLow || !got.HasHigh {
			t.Errorf("%s: %+v", text, got)
		}
	}
	// A few rounds have long gaps, so that the bounds are far apart; they hold those of a summary.
	list = crowd(30, 3, func(r, _ int, d *decoder) []decoder {
		if r%9 == 7 {
			d.tokens = even(d.start+100, d.start+2100, 25)
		}
		return nil
	})
	set, engines := decoding(list)
	s := Summarize(set, Options{Engines: engines, Replicates: 200}).Stalling
	for i, p := range []string{"p50", "p95", "p99"} {
		q, got := s.Quantiles[i], judgedGaps(t, list, Options{Replicates: 200}, p+"(itl) > 1s")
		if got.Observed != float64(q.Value) || got.Low > float64(q.Low) || got.High < float64(q.High) || q.HasHigh != got.HasHigh {
			t.Errorf("%s: %+v, of a summary %+v", p, got, q)
		}
	}
	third := crowd(30, 3, func(r, _ int, d *decoder) []decoder {
		if r%3 == 0 {
			d.tokens = even(d.start+100, d.start+2100, 25)
		}
		return nil
	})
	if got := judgedGaps(t, third, Options{}, "p70(itl) > 22ms"); got.Outcome != Inconclusive || got.Why != "the limit lies between the bounds" {
		t.Errorf("%+v", got)
	}
}

// TestGapsThatWereNeverSeen: as few gaps as cannot bound a percentile decide nothing, however
// alike they are.
func TestGapsThatWereNeverSeen(t *testing.T) {
	few := crowd(12, 1, func(_, _ int, d *decoder) []decoder { d.tokens = d.tokens[:6]; return nil })
	got := judgedGaps(t, few, Options{}, "p99.9(itl) > 1s")
	if got.Outcome != Inconclusive || got.HasHigh || got.N != 60 || !strings.Contains(got.Why, "no upper bound") {
		t.Errorf("%+v", got)
	}
	if got := judgedGaps(t, few, Options{}, "p50(itl) > 1s"); got.Outcome != Passed {
		t.Errorf("%+v", got)
	}
	if got := judgedGaps(t, crowd(5, 3, steady), Options{}, "p95(itl) > 50ms"); got.Outcome != Inconclusive || !got.Known || got.HasHigh || !strings.HasPrefix(got.Why, tooAlike) {
		t.Errorf("%+v", got)
	}
}

// TestGapsWithWeights are those of all requests, and nothing bounds them.
func TestGapsWithWeights(t *testing.T) {
	set, engines := decoding(crowd(30, 3, steady))
	for i := range set.Requests.Weight {
		set.Requests.Weight[i] = float64(1 + i%3)
	}
	opt := Options{Engines: engines}.filled().on(set)
	_, p := population(set, opt)
	got := Judge(set, &Summary{Population: p}, conditions(t, "p99(itl) > 50ms"), opt)[0]
	if got.Outcome != Inconclusive || got.Observed != float64(20*ms) || got.HasLow || got.HasHigh || !strings.HasPrefix(got.Why, allRequests) {
		t.Errorf("%+v", got)
	}
}

// TestNoGaps: without engines there are none to judge.
func TestNoGaps(t *testing.T) {
	for _, set := range []*table.Set{table.NewSet(), tables(lasting(400, 0))} {
		got := Judge(set, &Summary{}, conditions(t, "p99(itl) > 50ms"), Options{})[0]
		if got.Outcome != Inconclusive || got.Known || got.N != 0 || got.Why != "no gap between tokens is known" || math.IsNaN(got.Observed) {
			t.Errorf("%+v", got)
		}
	}
}

// TestPercentilesOfMeasures: a measure by another definition is judged by its name. Of requests
// of 1.1 s with the first token after 200 ms and ten of them, norm_latency is 110 ms.
func TestPercentilesOfMeasures(t *testing.T) {
	var list []given
	for i := range 400 {
		list = append(list, inQueue(uint64(i), 100, 100, 900))
	}
	set := tables(list)
	for text, want := range map[string]Outcome{"p99(norm_latency) > 109ms": Failed, "p99(norm_latency) > 110ms": Passed} {
		if got := Judge(set, &Summary{}, conditions(t, text), Options{})[0]; got.Outcome != want || got.Observed != float64(110*ms) || got.N != 400 {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for text, ns := range map[string]int64{"p99(ttft) > 1s": 200 * ms, "p99(tpot) > 1s": 100 * ms, "p99(tpot_to_end) > 1s": 100 * ms, "p99(e2e) > 2s": 1100 * ms} {
		if got := Judge(set, &Summary{}, conditions(t, text), Options{})[0]; got.Outcome != Passed || got.Observed != float64(ns) || got.N != 400 {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if got := Judge(set, &Summary{}, conditions(t, "p99(ttat) > 1s"), Options{})[0]; got.Outcome != Inconclusive || got.N != 0 || got.Why != "no request has one" {
		t.Errorf("%+v", got)
	}
}
