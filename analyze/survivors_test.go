package analyze

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// survivorship returns the texts of the warnings of a summary.
func survivorship(set *table.Set, opt Options) (out []string) {
	for _, w := range Summarize(set, opt).Warnings {
		if w.ID == Survivorship {
			out = append(out, w.Text)
		}
	}
	return out
}

// served are 1,000 requests of 100 ms to 1099 ms, one a second: the p99 is 1089 ms.
func served() []given {
	list := many(1000, 1, given{})
	for i := range list {
		list[i].times = times(stage.GPU, int(int64(100+i*7%1000)*ms))
	}
	return list
}

// TestSurvivorsUnfinished: twelve requests start 8 min before the end and never end; one
// starts at the very end and is no longer than others yet.
func TestSurvivorsUnfinished(t *testing.T) {
	open := given{class: critical.Unfinished, reason: "root never ended"}
	list := append(served(), many(12, 5000, open)...)
	for i := 1000; i < len(list); i++ {
		list[i].start = 515_000 * ms
	}
	open.id, open.start = 6000, 999_500*ms
	list = append(list, open)
	got := survivorship(tables(list), Options{Replicates: 10})
	want := "13 requests were still running, or lost the end, when the recording stopped, 12 of them for longer than p99 of those that were used (1089 ms), the oldest for at least 8 min: the tail is understated"
	if !slices.Equal(got, []string{want}) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := survivorship(tables(list), Options{Replicates: 10, Where: where(t, "e2e < 2s")}); got != nil {
		t.Errorf("a filter left them out, and they are told of: %q", got)
	}
	if got := survivorship(tables(append(served(), open)), Options{Replicates: 10}); got != nil {
		t.Errorf("one that has just begun: %q", got)
	}
	// Where there is no p99, the slowest is the limit.
	few := append(served()[:50], given{id: 7000, class: critical.Unfinished, start: 10_000 * ms})
	if got := survivorship(tables(few), Options{}); len(got) != 1 || !strings.Contains(got[0], "1 request was still running") || !strings.Contains(got[0], "the slowest") {
		t.Errorf("%q", got)
	}
	if got := survivorship(tables(list[1000:]), Options{}); got != nil {
		t.Errorf("nothing was used, and there is a tail: %q", got)
	}
	// Without a clock nothing says since when they run.
	set := tables(list)
	for i := range set.Requests.Len() {
		set.Requests.Clock[i] = table.ClockNone
	}
	if got := survivorship(set, Options{Replicates: 10}); got != nil {
		t.Errorf("without a clock: %q", got)
	}
}

// TestSurvivorsOfEveryKind: requests that failed, were given up or lack a part, all of them
// longer than p99, or as long as others are; and they are told of only where they are left out.
func TestSurvivorsOfEveryKind(t *testing.T) {
	for _, c := range []struct {
		kind      string
		class     critical.Class
		failed    bool
		abandoned bool
		with      Options
	}{
		{"incomplete", critical.Incomplete, false, false, Options{Incomplete: Include}},
		{"error", critical.Complete, true, false, Options{Errors: Include}},
		{"aborted", critical.Complete, false, true, Options{Errors: Include}},
	} {
		made := func(n int, took int64, vary bool) *table.Set {
			list := served()
			rest := many(n, 5000, given{class: c.class, err: c.failed, times: times(stage.GPU, int(took))})
			for i := range rest {
				if vary {
					rest[i].times = times(stage.GPU, int(int64(100+i*13%1000)*ms))
				}
			}
			set := tables(append(list, rest...))
			for i := 1000; i < 1000+n; i++ {
				set.Requests.Aborted[i] = c.abandoned
			}
			return set
		}
		c.with.Replicates = 10
		slow := made(30, 30_000*ms, false)
		got := survivorship(slow, Options{Replicates: 10})
		want := "30 requests were left out as " + c.kind + ", all of them took longer than p99 of those that were used (1089 ms), the longest 30 s: the tail is understated"
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", c.kind, got, want)
		}
		if got := survivorship(slow, c.with); got != nil {
			t.Errorf("%s: they are used, and told of as left out: %q", c.kind, got)
		}
		if got := survivorship(made(1000, 0, true), Options{Replicates: 10}); got != nil {
			t.Errorf("%s: they are like all others: %q", c.kind, got)
		}
	}
}

// TestSurvivorsAreManyEnough: one long one of five is chance, and three of five that lack a
// part move no tail of a thousand.
func TestSurvivorsAreManyEnough(t *testing.T) {
	made := func(used, long, others int) *table.Set {
		lacking := given{class: critical.Incomplete, times: times(stage.GPU, int(100*ms))}
		list := append(many(used, 1, given{times: times(stage.GPU, int(500*ms))}), many(others, 200_000, lacking)...)
		lacking.times = times(stage.GPU, int(9_000*ms))
		return tables(append(list, many(long, 300_000, lacking)...))
	}
	for _, c := range []struct {
		used, long, others int
		told               bool
	}{{1000, 1, 4, false}, {1000, 3, 2, true}, {20_000, 3, 2, false}, {20_000, 30, 20, true}} {
		if got := survivorship(made(c.used, c.long, c.others), Options{Replicates: 2}); (got != nil) != c.told {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestRoughly(t *testing.T) {
	for ns, want := range map[int64]string{0: "0 ns", 1999: "1999 ns", 2000: "2 µs", 4_140 * ms: "4.1 s", 119_000 * ms: "119 s", 481_000 * ms: "8 min", 600_000 * ms: "10 min", 9_000_000 * ms: "2.5 h", 200_000_000 * ms: "2.3 days"} {
		if got := roughly(ns); got != want {
			t.Errorf("%d: %q, want %q", ns, got, want)
		}
	}
}
