package tracefile

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
)

// TestTritonStages holds that the stages of every request are what Triton's own summary
// computes, added up over the models of an ensemble: the rules that read Triton's spans
// from OpenTelemetry read those of its file alike, and lose no ns.
func TestTritonStages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := drawFacts(t, true)
		text, _, _ := writeFacts(t, facts)
		stamps, parents := map[int64]map[string]int64{}, map[int64]int64{}
		for _, f := range facts {
			if stamps[f.id] == nil {
				stamps[f.id] = map[string]int64{}
			}
			parents[f.id] += f.parent
			for name, ns := range f.stamps {
				stamps[f.id][name] = ns
			}
		}
		root := func(id int64) int64 {
			for parents[id] != 0 {
				id = parents[id]
			}
			return id
		}
		var want [][stage.Count]int64
		for id := range stamps {
			if parents[id] != 0 {
				continue
			}
			whole := summarize(stamps[id])
			if whole.infer == 0 { // by the C API, without a frontend
				whole.infer = whole.request
			}
			var times [stage.Count]int64
			times[stage.Network], times[stage.Transfer] = whole.receive, whole.send
			for child, ns := range stamps {
				if root(child) != id {
					continue
				}
				s := summarize(ns)
				times[stage.Queue] += s.queue
				times[stage.GPU] += s.compute
				times[stage.Transfer] += s.input + s.output
				called := slices.ContainsFunc(facts, func(f fact) bool { return f.parent == child })
				if ns["COMPUTE_START"] == 0 && !called {
					times[stage.Unattributed] += ns["REQUEST_END"] - ns["QUEUE_START"]
				}
			}
			times[stage.Scheduling] = whole.infer
			for s, d := range times {
				if stage.Stage(s) != stage.Scheduling {
					times[stage.Scheduling] -= d
				}
			}
			if whole.infer > 0 {
				want = append(want, times)
			}
		}
		set, account, _ := recordsOf(t, TritonTrace, text)
		set.Canonicalize()
		var got [][stage.Count]int64
		b := critical.NewBuilder(set, account, critical.Options{Workers: 1})
		if err := b.Build(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range set.Requests.Len() {
			var times [stage.Count]int64
			sum := int64(0)
			for s := range times {
				times[s] = set.Requests.Stage[s][i]
				sum += times[s]
			}
			if sum > 0 {
				got = append(got, times)
			}
		}
		order := func(a, b [stage.Count]int64) int { return slices.Compare(a[:], b[:]) }
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("stages in path order (-summary +got): %s\n%s", d, text)
		}
	})
}
