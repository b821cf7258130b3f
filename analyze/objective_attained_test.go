package analyze

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// inQueue is a request of some ms in the queue, of prefill and of decoding.
func inQueue(id uint64, queue, prefill, decode int64) given {
	return given{id: id, start: int64(id) * 1000 * ms, times: times(stage.Queue, int(queue*ms), stage.GPU, int((prefill+decode)*ms)), decode: decode * ms, ttft: true, tokens: 10}
}

// unqueued asks what would have met an objective without the queue.
func unqueued(t interface{ Fatalf(string, ...any) }, set *table.Set, text string) WithoutQueue {
	opt := Options{Objectives: slo(t, text).Objectives}.filled().on(set)
	rows, p := population(set, opt)
	return withoutQueue(set, rows, p, opt)[0]
}

// TestWithoutTheQueue counts by hand: of four requests that miss 1 s, two would not without
// the queue; of the two whose first token comes after 500 ms, one.
func TestWithoutTheQueue(t *testing.T) {
	list := []given{
		inQueue(0, 0, 100, 300), inQueue(1, 700, 100, 300), inQueue(2, 900, 100, 300), inQueue(3, 100, 800, 300), inQueue(4, 0, 100, 1200),
		inQueue(5, 9000, 100, 100), // failed: nothing is asked of it
	}
	list[5].err = true
	set := tables(list)
	for i := range set.Requests.Len() { // nothing runs beside anything
		for k := range set.Requests.Drag {
			set.Requests.Drag[k][i] = set.Requests.Stage[k][i]
		}
	}
	for text, want := range map[string][2]int64{
		"p99(e2e) < 1s":                      {2, 4},
		"p99(e2e) < 1100ms":                  {2, 4},
		"p99(e2e) <= 1100ms":                 {2, 3},
		"p99(ttft) < 500ms":                  {2, 3},
		"95%(ttft < 500ms and e2e < 1s)":     {2, 4},
		"p50(ttft) < 100ms":                  {0, 5},
		"p50(ttft) <= 100ms":                 {2, 3},
		"p50(e2e) < 2s and p99(ttft) < 50ms": {0, 5},
	} {
		got := unqueued(t, set, text)
		low, high := stat.ClopperPearsonLower(want[0], want[1], stat.Confidence), stat.ClopperPearsonUpper(want[0], want[1], stat.Confidence)
		if got.Why != "" || got.Met.N != want[1] || got.Met.Value != float64(want[0])/float64(want[1]) || got.Met.Bounds != (stat.Bounds{Low: low, High: high}) || !got.Met.HasBounds {
			t.Errorf("%s: %+v, want %d of %d", text, got, want[0], want[1])
		}
	}
	for text, why := range map[string]string{"p99(e2e) < 1h": noneMissed, "p99(tpot) < 1us": notQueueable, "90%(e2e < 1s and p95(itl) < 1s)": notQueueable} {
		if got := unqueued(t, set, text); got.Why != why || got.Met.N != 0 {
			t.Errorf("%s: %+v", text, got)
		}
	}
	// What runs beside the queue ends the request then: the second gets shorter by 50 ms only.
	set.Requests.Drag[stage.Queue][1] = 50 * ms
	if got := unqueued(t, set, "p99(e2e) < 1s"); !got.Bounded || got.Met.Value != .25 {
		t.Errorf("%+v", got)
	}
	// So does its first token, as far as is known: it comes at 800 ms, and 50 ms sooner.
	for limit, would := range map[string]float64{"749ms": 0, "750ms": 1. / 3, "751ms": 1. / 3} {
		if got := unqueued(t, set, "p99(ttft) <= "+limit); !got.Bounded || math.Abs(got.Met.Value-would-1./3) > 1e-12 {
			t.Errorf("%s: %+v", limit, got)
		}
	}
	set.Requests.Drag[stage.Queue][0] = Missing
	if got := unqueued(t, set, "p99(e2e) < 1s"); got.Bounded || got.Met.Value != .5 {
		t.Errorf("%+v", got)
	}
}

// TestWithoutTheQueueOfWhatCannotBeAsked: that nothing was asked is not that nothing was missed.
func TestWithoutTheQueueOfWhatCannotBeAsked(t *testing.T) {
	list := []given{inQueue(0, 0, 100, 300), inQueue(1, 700, 100, 300)}
	list[1].ttft = false
	for text, why := range map[string]string{
		"p99(ttft) < 500ms": "none of 1 answered request that can be asked all of its limits missed it", "p99(e2e) < 2s": noneMissed,
	} {
		if got := unqueued(t, tables(list), text); got.Why != why || got.Bounded {
			t.Errorf("%s: %+v", text, got)
		}
	}
	list[0].ttft = false
	if got := unqueued(t, tables(list), "p99(ttft) < 500ms"); got.Why != noneAsked {
		t.Errorf("%+v", got)
	}
}

// TestWithoutTheQueueByWeights: of two requests that missed, the one that would not stands for
// three others. Where nothing says for how many, the share is one of kept traces.
func TestWithoutTheQueueByWeights(t *testing.T) {
	list := []given{inQueue(0, 0, 100, 300), inQueue(1, 700, 100, 300), inQueue(2, 0, 100, 1200)}
	for i, w := range []float64{1, 3, 1} {
		list[i].weight = w
	}
	set := tables(list)
	got := unqueued(t, set, "p99(e2e) < 1s")
	if got.Met.Value != .75 || got.Met.N != 2 || got.Met.Method != methodWeightedBinom || !got.Met.HasBounds {
		t.Errorf("%+v", got)
	}
	// (3 + 1)^2 / (9 + 1) requests of equal weight is one.
	if high := stat.ClopperPearsonUpper(1, 1, stat.Confidence); got.Met.Bounds != (stat.Bounds{High: high}) {
		t.Errorf("%+v", got.Met.Bounds)
	}
	list[1].weight = 0
	got = unqueued(t, tables(list), "p99(e2e) < 1s")
	if got.Met.Value != .5 || len(got.Met.Warnings) != 1 || got.Met.Warnings[0].ID != KeptTraces {
		t.Errorf("%+v", got)
	}
}

// TestWithoutTheQueueProperties: what would be met is some of what was missed, more the later
// the limit, and none where nobody waits.
func TestWithoutTheQueueProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		waits := rapid.Bool().Draw(t, "waits")
		var list []given
		for i := range n {
			queue := int64(0)
			if waits {
				queue = rapid.Int64Range(0, 900).Draw(t, "queue")
			}
			list = append(list, inQueue(uint64(i), queue, rapid.Int64Range(1, 900).Draw(t, "prefill"), rapid.Int64Range(0, 900).Draw(t, "decode")))
		}
		set := tables(list)
		before := 0.
		for _, text := range []string{"p99(e2e) < 300ms", "p99(e2e) < 900ms", "p99(e2e) < 2s"} {
			got := unqueued(t, set, text)
			var missed int64
			for i := range n {
				if set.Requests.Duration[i] >= slo(t, text).Objectives[0].Terms[0].Limits[0].NS {
					missed++
				}
			}
			if got.Met.N != missed || (got.Why == "") != (missed > 0) {
				t.Fatalf("%s: %+v, and %d missed", text, got, missed)
			}
			if !waits && got.Met.Value > 0 {
				t.Fatalf("%s: %+v without a wait", text, got)
			}
			would := got.Met.Value*float64(missed) + float64(int64(n)-missed)
			if would < before-1e-9 {
				t.Fatalf("%s: %v would meet it, of a lesser limit %v", text, would, before)
			}
			before = would
		}
	})
}
