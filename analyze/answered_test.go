package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// met counts an issue in the quality table of a set.
func met(set *table.Set, id string, n int64) {
	var account table.Account
	account.Add(table.Issue{ID: id, Severity: table.Warning, Advice: "as the log says"}, n, table.Place{Source: "engine.log", Line: 3, Offset: 70}, "format x")
	account.WriteTo(set)
}

// TestEndsThatOtherSourcesTell: every request that is not complete may lack the end of each
// of its records, the rest were told elsewhere, and the counts add up.
func TestEndsThatOtherSourcesTell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, open := table.NewSet(), int64(0)
		for range rapid.IntRange(0, 6).Draw(t, "requests") {
			i := set.Requests.Grow()
			set.Requests.Class[i] = uint8(rapid.SampledFrom([]critical.Class{critical.Complete, critical.Incomplete, critical.Unfinished}).Draw(t, "class"))
			set.Requests.Units[i] = int32(rapid.IntRange(0, 3).Draw(t, "units"))
			if set.Requests.Class[i] != uint8(critical.Complete) {
				open += max(1, int64(set.Requests.Units[i]))
			}
		}
		n := rapid.Int64Range(1, 20).Draw(t, "count")
		if set.Requests.Len() == 0 {
			open = n
		}
		met(set, "log-unfinished", n)
		counts := map[string]int64{}
		for _, issue := range Issues(set) {
			counts[issue.ID+" "+issue.Severity] += issue.Count
			if issue.Count == 0 || issue.ID == EndElsewhere && open > 0 && (issue.Source != "" || issue.Offset != table.Missing) {
				t.Fatalf("%+v", issue)
			}
		}
		want := map[string]int64{}
		if left := min(open, n); left > 0 {
			want["log-unfinished warning"] = left
		}
		if n > open {
			want["end-told-elsewhere info"] = n - open
		}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestUTCThatClocksConfirm: times taken for UTC are no doubt when the callers' clocks agree.
func TestUTCThatClocksConfirm(t *testing.T) {
	severity := func(change func(*house, *table.Set), ahead int64) string {
		h := busy(20)
		h.ahead = ahead
		set, _ := h.build(t, critical.Options{})
		if change != nil {
			change(&h, set)
		}
		met(set, assumedUTC, 40)
		for _, issue := range Issues(set) {
			if issue.ID == assumedUTC {
				return issue.Severity
			}
		}
		return ""
	}
	line := func(source string, at int64) func(*house, *table.Set) {
		return func(_ *house, set *table.Set) {
			i := set.Logs.Grow()
			set.Logs.Time[i], set.Logs.Source[i] = houseBegan+at, set.Symbols.Intern(source)
		}
	}
	for _, c := range []struct {
		name   string
		change func(*house, *table.Set)
		ahead  int64
		want   string
	}{
		{"they agree", nil, 0, "info"},
		{"some seconds off", nil, 4000 * ms, "info"},
		{"a zone off", nil, 2 * hour, "warning"},
		{"off by no zone", nil, -3*hour - 462*1000*ms, "warning"},
		{"a line in time", line("engine.log", 100*ms), 0, "info"},
		{"lines of another zone", line("engine.log", 2*hour), 0, "warning"},
		{"a log that no caller can confirm", line("other.log", 100*ms), 0, "warning"},
		{"only logs", func(_ *house, set *table.Set) {
			for i := range set.Spans.Origin {
				set.Spans.Origin[i] = table.OriginRecord
			}
			for i := range set.Clocks.Clock {
				set.Clocks.Reference[i] = set.Symbols.Intern("edge.log")
			}
		}, 0, "warning"},
	} {
		if got := severity(c.change, c.ahead); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
