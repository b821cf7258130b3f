package table

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// occurrence is one call of Account.Add.
type occurrence struct {
	issue  Issue
	n      int64
	at     Place
	detail string
}

func occurrences() *rapid.Generator[[]occurrence] {
	word := rapid.SampledFrom([]string{"", "a", "b"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) occurrence {
		return occurrence{
			issue:  Issue{ID: word.Draw(t, "id"), Severity: Severity(rapid.IntRange(0, 3).Draw(t, "severity")), Advice: word.Draw(t, "advice")},
			n:      rapid.Int64Range(1, 5).Draw(t, "n"),
			at:     Place{Source: word.Draw(t, "source"), Line: rapid.Int64Range(0, 2).Draw(t, "line"), Offset: rapid.Int64Range(0, 2).Draw(t, "offset")},
			detail: word.Draw(t, "detail"),
		}
	}), 0, 12)
}

func TestAccountForgetsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := occurrences().Draw(t, "occurrences")
		var forward, shuffled Account
		for _, o := range all {
			forward.Add(o.issue, o.n, o.at, o.detail)
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
		var wg sync.WaitGroup
		for _, i := range rnd.Perm(len(all)) {
			wg.Go(func() { shuffled.Add(all[i].issue, all[i].n, all[i].at, all[i].detail) })
		}
		wg.Wait()
		if d := cmp.Diff(forward.Entries(), shuffled.Entries()); d != "" {
			t.Fatal(d)
		}

		// The count is the sum, the first place the least, the severity the worst.
		for _, e := range forward.Entries() {
			var sum int64
			severity := Info
			for _, o := range all {
				if o.issue.ID == e.ID {
					sum += o.n
					severity = max(severity, o.issue.Severity)
					if o.at.compare(e.First) < 0 {
						t.Fatalf("%v comes before the first place %v", o.at, e.First)
					}
				}
			}
			if e.Count != sum || forward.Count(e.ID) != sum || e.Severity != severity {
				t.Fatalf("%q is counted %d times at severity %d, not %d times at %d", e.ID, e.Count, e.Severity, sum, severity)
			}
		}
		if forward.Count("never met") != 0 {
			t.Fatal("what was never met is counted")
		}
	})
}

func TestAccountEntriesComeWorstFirst(t *testing.T) {
	var a Account
	for _, i := range []Issue{{ID: "b", Severity: Warning}, {ID: "c", Severity: Loss}, {ID: "a", Severity: Warning}} {
		a.Add(i, 1, Place{}, "")
	}
	var got []string
	for _, e := range a.Entries() {
		got = append(got, e.ID)
	}
	if want := []string{"c", "a", "b"}; !slices.Equal(got, want) {
		t.Errorf("entries are %v, not %v", got, want)
	}
}

func TestAccountIsWrittenInCanonicalOrder(t *testing.T) {
	var a Account
	a.Add(Issue{ID: "line-unknown", Severity: Warning, Advice: "name the format"}, 3, Place{Source: "engine.log", Line: 7, Offset: 512}, "no format matches")
	a.Add(Issue{ID: "frame-cut", Severity: Loss, Advice: "copy the file anew"}, 1, Place{Source: "traces.pb", Offset: 0}, "")
	a.Add(Issue{ID: "clock-unsure", Severity: Info, Advice: "none"}, 2, Place{}, "")
	s := NewSet()
	a.WriteTo(s)
	before := canonical(s)
	s.compactSymbols()
	if d := identity(s, before); d != "" {
		t.Errorf("the order is not canonical: %s", d)
	}
	q := &s.Quality
	row := func(i int) []any {
		return []any{s.Symbols.Text(q.ID[i]), SeverityNames[q.Severity[i]], q.Count[i], s.Symbols.Text(q.Source[i]), q.Line[i], q.Offset[i], q.Detail[i], q.Advice[i]}
	}
	const none = int64(Missing)
	for i, want := range [][]any{
		{"clock-unsure", "info", int64(2), "", none, none, "", "none"},
		{"frame-cut", "loss", int64(1), "traces.pb", none, int64(0), "", "copy the file anew"},
		{"line-unknown", "warning", int64(3), "engine.log", int64(7), int64(512), "no format matches", "name the format"},
	} {
		if d := cmp.Diff(want, row(i)); d != "" {
			t.Errorf("row %d: %s", i, d)
		}
	}
}
