package analyze

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// onClocks makes n requests a second apart for each of the clocks, every one with a
// root span of its own source.
func onClocks(n int, clocks ...uint8) *table.Set {
	set := table.NewSet()
	for k, clock := range clocks {
		for i := range n {
			g := given{id: uint64(100*k + i + 1), class: critical.Complete, start: int64(i) * 1000 * ms, times: times(stage.Queue, 300*int(ms))}
			add(set, g)
			row := set.Requests.Len() - 1
			span := set.Spans.Grow()
			set.Spans.Source[span] = set.Symbols.Intern(string(rune('a' + k)))
			set.Requests.Clock[row], set.Requests.RootRow[row] = clock, int32(span)
		}
	}
	return set
}

func TestLoadKeepsClocksApart(t *testing.T) {
	const wall, steady, none = table.ClockWall, table.ClockSteady, table.ClockNone
	for name, c := range map[string]struct {
		clocks              []uint8
		clock               uint8
		requests, elsewhere int64
		window              int64
	}{
		"wall":                        {[]uint8{wall}, wall, 20, 0, 19300},
		"wall, of two sources":        {[]uint8{wall, wall}, wall, 40, 0, 19300},
		"one steady clock":            {[]uint8{steady}, steady, 20, 0, 19300},
		"steady clocks of two hosts":  {[]uint8{steady, steady}, steady, 20, 20, 19300},
		"wall and two steady ones":    {[]uint8{steady, wall, steady}, wall, 20, 40, 19300},
		"durations alone":             {[]uint8{none}, none, 0, 20, 0},
		"durations and a steady one":  {[]uint8{none, steady}, steady, 20, 20, 19300},
		"durations and the wall, too": {[]uint8{none, wall}, wall, 20, 20, 19300},
	} {
		set := onClocks(20, c.clocks...)
		l := load(set, Options{}.filled())
		if l.Clock != c.clock || l.Requests != c.requests || l.Elsewhere != c.elsewhere || l.End-l.Start != c.window*ms {
			t.Errorf("%s: clock %s, %d requests, %d elsewhere, window %d ms", name, ClockName(l.Clock), l.Requests, l.Elsewhere, (l.End-l.Start)/ms)
		}
		if l.InFlight.Peak > 2 || len(c.clocks) == 1 && c.requests > 0 && l.InFlight.Peak != 1 {
			t.Errorf("%s: peak %d: requests of different clocks overlap", name, l.InFlight.Peak)
		}
	}
}

// TestFilesOfASeriesShareTheirClock counts the files that Triton writes one after the
// other as one source.
func TestFilesOfASeriesShareTheirClock(t *testing.T) {
	for name, want := range map[string]string{
		"trace.json.0": "trace.json", "trace.json.17": "trace.json", "trace.json": "trace.json", "7": "7", ".7": ".7", "a7": "a7", "": "", "x.": "x.",
	} {
		if got := series(name); got != want {
			t.Errorf("%s is of the series %s, want %s", name, got, want)
		}
	}
	set := onClocks(5, table.ClockSteady, table.ClockSteady, table.ClockSteady)
	for i, name := range []string{"t.json.0", "t.json.1", "other"} {
		for k := range 5 {
			set.Spans.Source[set.Requests.RootRow[5*i+k]] = set.Symbols.Intern(name)
		}
	}
	if l := load(set, Options{}.filled()); l.Requests != 10 || l.Elsewhere != 5 {
		t.Errorf("%d requests share the clock of the series, %d do not", l.Requests, l.Elsewhere)
	}
}

func TestClustersKeepClocksApart(t *testing.T) {
	for name, c := range map[string]struct {
		clocks []uint8
		want   int64
	}{
		"one clock":       {[]uint8{table.ClockWall}, 1},
		"three clocks":    {[]uint8{table.ClockWall, table.ClockSteady, table.ClockSteady}, 3},
		"durations alone": {[]uint8{table.ClockNone, table.ClockNone}, 1},
	} {
		set := onClocks(3, c.clocks...)
		rows := make([]int32, set.Requests.Len())
		for i := range rows {
			rows[i] = int32(i)
		}
		if got := clusters(set, rows, 2000*ms); got != c.want {
			t.Errorf("%s: %d groups, want %d", name, got, c.want)
		}
	}
}

func TestCoarseTimesAreSaid(t *testing.T) {
	set := onClocks(20, table.ClockWall)
	if got := Summarize(set, Options{}).Warnings; len(got) != 0 {
		t.Errorf("warnings about exact times: %v", got)
	}
	set.Requests.DurationError[3] = 3 * ms // a hundredth of its 300 ms
	if got := Summarize(set, Options{}).Warnings; len(got) != 0 {
		t.Errorf("warnings about times that are exact enough: %v", got)
	}
	set.Requests.DurationError[4], set.Requests.DurationError[5] = 4*ms, 1000*ms
	got := Summarize(set, Options{}).Warnings
	if len(got) != 1 || got[0].ID != CoarseTimes || !strings.Contains(got[0].Text, "durations of 2 of 20 requests may be off by up to 1 s, the") {
		t.Errorf("warnings %v", got)
	}
}

func TestUndatedRequestsAreNoGroup(t *testing.T) {
	for clock, want := range map[uint8]string{table.ClockNone: "nothing says when the slow requests ran", table.ClockSteady: "overlap in time and form 1 incident"} {
		set := onClocks(400, clock)
		for i := range 400 {
			set.Requests.Start[i], set.Requests.End[i] = 0, set.Requests.Duration[i]
		}
		v := Summarize(set, Options{}).Verdict
		if len(v.Caveats) != 1 || !strings.Contains(v.Caveats[0].Text, want) {
			t.Errorf("%s: %v", ClockName(clock), v.Caveats)
		}
	}
}

func TestInUnit(t *testing.T) {
	for ns, want := range map[int64]string{1_000_000_000: "1 s", 60_000_000_000: "60 s", 1_000_000: "1 ms", 10_000_000: "10 ms", 1000: "1 µs", 1500: "1500 ns", 256: "256 ns"} {
		if got := inUnit(ns); got != want {
			t.Errorf("%d ns: %q, want %q", ns, got, want)
		}
	}
}
