package analyze

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

func TestInspectCountsEverything(t *testing.T) {
	gpu := times(stage.GPU, 80, stage.Unattributed, 20)
	set := tables([]given{
		{id: 1, times: gpu}, {id: 2, times: gpu, err: true},
		{id: 3, class: critical.Incomplete, reason: "missing parent", times: gpu},
		{id: 4, class: critical.Broken, reason: "cycle"},
	})
	for i, name := range []string{"engine", "edge", ""} {
		scope := set.Scopes.Grow()
		set.Scopes.Service[scope] = set.Symbols.Intern(name)
		for range 3 - i {
			row := set.Spans.Grow()
			set.Spans.ScopeRow[row], set.Spans.Start[row], set.Spans.End[row] = int32(scope), int64(100*i+5), int64(100*i+50)
		}
	}
	never := set.Spans.Grow()
	set.Spans.ScopeRow[never], set.Spans.Start[never] = 1, 900 // never finished: its end is 0
	for _, at := range []int64{70, table.Missing, 60} {
		row := set.Logs.Grow()
		set.Logs.Time[row] = at
	}
	var account table.Account
	account.Add(table.Issue{ID: "cut-line", Severity: table.Info, Advice: "nothing to do"}, 1, table.Place{Source: "b.jsonl", Line: 9, Offset: 80}, "")
	account.Add(table.Issue{ID: "bad-row", Severity: table.Error, Advice: "look at it"}, 3, table.Place{Source: "a.jsonl", Offset: 7}, "no trace id")
	account.Add(table.Issue{ID: "worse-row", Severity: table.Error, Advice: "look at it"}, 5, table.Place{}, "")
	account.WriteTo(set)
	var tally ExclusionTally
	tally.Add(&critical.Request{Excluded: []critical.Exclusion{{Reason: "duplicate"}}})
	tally.Add(&critical.Request{Excluded: []critical.Exclusion{{Reason: "other root"}, {Reason: "other root"}}})

	in := Inspect(set, Beside{Excluded: &tally})
	for what, diff := range map[string]string{
		"services": cmp.Diff([]Seen{{"engine", 3, 3}, {"edge", 3, 0}, {"", 1, 0}}, in.Services),
		"hosts":    cmp.Diff([]Seen{{"", 7, 3}}, in.Hosts),
		"classes": cmp.Diff([]ClassCount{{critical.Complete, "", 2, 1}, {critical.Incomplete, "missing parent", 1, 0},
			{critical.Broken, "cycle", 1, 0}}, in.Classes),
		"times":    cmp.Diff([]TimeRange{{true, 5, 900}, {true, 60, 70}}, []TimeRange{in.SpanTime, in.LogTime}),
		"excluded": cmp.Diff([]Count{{"other root", 2}, {"duplicate", 1}}, in.Excluded),
		"issues": cmp.Diff([]Issue{
			{"worse-row", "error", 5, "", 0, table.Missing, "", "look at it"},
			{"bad-row", "error", 3, "a.jsonl", 0, 7, "no trace id", "look at it"},
			{"cut-line", "info", 1, "b.jsonl", 9, 80, "", "nothing to do"}}, in.Issues),
	} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if in.ExcludedUnnamed != 1 {
		t.Errorf("four spans are excluded and three reasons known, yet %d are unnamed", in.ExcludedUnnamed)
	}
	if c := in.Coverage; c.Total != stat.SumOf(300) || c.Unattributed != stat.SumOf(60) || !c.Balanced {
		t.Errorf("coverage %+v", c)
	}
	if in.Tiling != (Tiling{Checked: 3}) {
		t.Errorf("tiling %+v", in.Tiling)
	}
	if Inspect(table.NewSet(), Beside{}).Tiling.Checked != 0 {
		t.Error("an empty set has requests")
	}
}

// TestTilingFindsEveryFault breaks one number at a time.
func TestTilingFindsEveryFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		set := tables(requests)
		paths := map[int32]bool{}
		for i, target := range set.Segments.Target {
			if critical.Target(target) == critical.End {
				paths[set.Segments.RequestRow[i]] = true
			}
		}
		if got := CheckTiling(set); got.Failed != 0 || got.Checked != int64(len(paths)) {
			t.Fatalf("sound tables with %d paths: %+v", len(paths), got)
		}
		var at []int
		for i, target := range set.Segments.Target {
			if critical.Target(target) == critical.End {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return
		}
		seg, req := &set.Segments, &set.Requests
		i := rapid.SampledFrom(at).Draw(t, "segment")
		row := seg.RequestRow[i]
		switch rapid.IntRange(0, 5).Draw(t, "fault") {
		case 0:
			seg.Start[i]++
		case 1:
			seg.End[i]--
		case 2:
			seg.Duration[i]++
		case 3:
			seg.Stage[i] = (seg.Stage[i] + 1) % StageCount
		case 4:
			req.Stage[seg.Stage[i]][row]--
		case 5:
			req.Duration[row]++
		}
		got := CheckTiling(set)
		if got.Failed != 1 || !strings.HasPrefix(got.First, "trace ") {
			t.Fatalf("a fault in row %d went unnoticed: %+v", row, got)
		}
	})
}

// TestTilingOfNoLength: a request that began and ended at one instant has no path to check,
// but one that has segments or stage times all the same is at fault.
func TestTilingOfNoLength(t *testing.T) {
	sound := func() *table.Set {
		return tables([]given{{id: 1, times: times(stage.GPU, 5)}, {id: 2}, {id: 3}})
	}
	if got := CheckTiling(sound()); got != (Tiling{Checked: 1}) {
		t.Errorf("%+v", got)
	}
	staged := sound()
	for i := range staged.Requests.Len() {
		if staged.Requests.Duration[i] == 0 {
			staged.Requests.Stage[stage.GPU][i] = 1
		}
	}
	if got := CheckTiling(staged); got.Checked != 3 || got.Failed != 2 {
		t.Errorf("stage times in no time: %+v", got)
	}
	moved := sound()
	for i := range moved.Requests.Len() {
		if moved.Requests.Duration[i] == 0 {
			moved.Segments.RequestRow[0] = int32(i)
			break
		}
	}
	if got := CheckTiling(moved); got.Checked != 2 || got.Failed != 2 {
		t.Errorf("a segment in no time: %+v", got)
	}
}

func TestTilingWithoutSegments(t *testing.T) {
	set := tables([]given{{id: 1, times: times(stage.GPU, 5)}})
	whole := CheckTiling(set)
	bare := table.NewSet()
	bare.Requests.Grow()
	if whole.NoSegments || !CheckTiling(bare).NoSegments {
		t.Error("a check without segments must say so")
	}
}
