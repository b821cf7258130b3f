package page

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// ns returns a pointer to a time.
func ns(v int64) *int64 { return &v }

// TestNothingIsSaidOfNothing: what was not joined, waited for or compared has no line.
func TestNothingIsSaidOfNothing(t *testing.T) {
	docs := fixed(t)
	for name, lines := range map[string][]string{
		"summary": {"\nsources ", "why queue", "(other-zone)"},
		"inspect": {"\nclocks", "\nengines\n", "\nwhat was joined"},
		"explain": {"\ntold by", "\nattempts", "\nwhy queue", "\nengine ", "\nheld by", "\nstalls"},
	} {
		for _, line := range lines {
			if strings.Contains(render(t, docs[name], Options{}), line) {
				t.Errorf("%s has %q", name, line)
			}
			joined := render(t, docs[name+"_joined"], Options{})
			if !strings.Contains(joined, line) && line != "\nattempts" {
				t.Errorf("%s_joined has no %q", name, line)
			}
		}
	}
}

func TestOffsetCells(t *testing.T) {
	known := func(offset, bound int64) reports.Stretch {
		return reports.Stretch{OffsetNS: ns(offset), ErrorNS: ns(bound)}
	}
	for _, c := range []struct {
		stretches     []reports.Stretch
		offset, bound string
	}{
		{nil, "durations only", "-"},
		{[]reports.Stretch{{}}, "durations only", "-"},
		{[]reports.Stretch{known(-3_100_000, 900_000)}, "-3.10 ms", "900 µs"},
		{[]reports.Stretch{known(7_200_000_000_000, 1_000_000)}, "2 h 0 min 0 s", "1.00 ms"},
		{[]reports.Stretch{known(-19_800_000_000_000, 11_000_000)}, "-5 h 30 min 0 s", "11.0 ms"},
		{[]reports.Stretch{known(19_798_430_000_000, 1_570_000_000)}, "5 h 29 min 58 s", "1.57 s"},
		{[]reports.Stretch{known(19_799_960_000_000, 100_000_000)}, "5 h 30 min 0 s", "100 ms"},
		{[]reports.Stretch{known(-120_000_000_000, 100_000_000)}, "-2 min 0 s", "100 ms"},
		{[]reports.Stretch{known(-64, 10_900_000)}, "0 ns", "10.9 ms"},
		{[]reports.Stretch{known(-64, 60_000)}, "-64 ns", "60.0 µs"},
		{[]reports.Stretch{known(-64, 0)}, "-64 ns", "0 ns"},
		{[]reports.Stretch{known(1_000_000, 10), known(-2_000_000, 20)}, "-2.00 ms to 1.00 ms", "20 ns"},
		{[]reports.Stretch{known(1_000_000, 10), {}}, "1.00 ms; durations only in 1", "10 ns"},
	} {
		if offset, bound := offsetCells(reports.ClockOffset{Stretches: c.stretches}); offset != c.offset || bound != c.bound {
			t.Errorf("%v: %q ± %q, want %q ± %q", c.stretches, offset, bound, c.offset, c.bound)
		}
	}
}

// TestClockTable: how offsets are used, stretches of a drift, and what contradicts.
func TestClockTable(t *testing.T) {
	drift := reports.ClockOffset{Clock: "gpu-1", Reference: "web-1", Calls: 40, Violated: 2, Broken: 1, Stretches: []reports.Stretch{
		{FromNS: 1_772_460_000_000_000_000, ToNS: 1_772_460_060_000_000_000, OffsetNS: ns(1_000_000), ErrorNS: ns(200_000), Calls: 20},
		{FromNS: 1_772_460_060_000_000_000, ToNS: 1_772_460_120_000_000_000, OffsetNS: ns(4_000_000), ErrorNS: ns(300_000), Calls: 20, Violated: 2},
	}}
	reference := reports.ClockOffset{Clock: "web-1", Reference: "web-1", Calls: 40, Stretches: []reports.Stretch{{OffsetNS: ns(0), ErrorNS: ns(0)}}}
	drawn := func(mode string, o Options, clocks ...reports.ClockOffset) string {
		p := newBuilder(o)
		p.clocks(reports.Clocks{Mode: mode, Clocks: clocks})
		return textOf(p)
	}
	got := drawn("raw", Options{}, reference, drift)
	for _, want := range []string{
		"clock            ahead by       ±  of     calls  against  stretches\n",
		"gpu-1  1.00 ms to 4.00 ms  300 µs  web-1     40        3          2\n",
		"placed by its duration; --clock adjust moves them by these offsets\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "drift or were set") {
		t.Errorf("stretches without being asked:\n%s", got)
	}
	if got := drawn("adjust", Options{Verbose: true}, reference, drift); !strings.Contains(got, "gpu-1  2026-03-02T14:01:00.000Z  60 s   4.00 ms  300 µs     20        2\n") ||
		!strings.Contains(got, "moved by these offsets (--clock adjust)") {
		t.Errorf("verbose:\n%s", got)
	}
	tiny := reports.ClockOffset{Clock: "gpu-1", Reference: "web-1", Calls: 9, Stretches: []reports.Stretch{{OffsetNS: ns(-64), ErrorNS: ns(10_900_000), Calls: 9}}}
	if got := drawn("raw", Options{}, reference, tiny); !strings.Contains(got, "no clock needs to be off") {
		t.Errorf("an offset far below its error:\n%s", got)
	}
	if got := drawn("raw", Options{}, reference); !strings.Contains(got, "no clock needs to be off") || strings.Contains(got, "against") || strings.Contains(got, "stretches") {
		t.Errorf("clocks that agree:\n%s", got)
	}
	lines := newBuilder(Options{})
	lines.clocks(reports.Clocks{Mode: "raw", Lines: []reports.LineShift{{Input: "a.log", Advice: "the lines of a.log are 2 h ahead"}}})
	if got := textOf(lines); !strings.Contains(got, "\n  the lines of a.log are 2 h ahead; nothing was moved by it\n") || strings.Contains(got, "calls\n") {
		t.Errorf("lines of another zone, without a clock:\n%s", got)
	}
	if got := drawn("raw", Options{}); got != "" {
		t.Errorf("no clocks: %q", got)
	}
}

func TestEnginesTable(t *testing.T) {
	share, p := 0.5, newBuilder(Options{})
	p.engines([]reports.Engine{
		{Name: "vllm@a", Clock: "wall", Requests: 100, Peak: 18, Limit: &reports.SlotLimit{Value: 16, Basis: "intervals", Share: 0.96, NS: 4_500_000_000, Visits: 402}},
		{Name: "vllm@b", Clock: "wall", Requests: 50, Peak: 9, Readings: 7, Partial: true, Coverage: &share},
		{Name: "triton llm", Clock: "wall", Requests: 5, Peak: 1, Batches: true, Limit: &reports.SlotLimit{Value: 2, Basis: "readings", Share: 1, Visits: 12}},
		{Name: "tgi", Clock: "none", Requests: 5},
		{Name: "tgi2", Clock: "none", Requests: 6, Ambiguous: 3},
		{Name: "tgi3", Clock: "none", Requests: 5},
	})
	for _, want := range []string{
		"vllm@a           100       18         16         0  requests ran for 96.0 % of the time in which others waited (4.50 s), filled up again 402 times\n",
		"vllm@b [1]        50        9          -         7\n",
		"triton llm         5  1 batch  2 batches         0  100.0 % of the readings while others waited (12)\n",
		"tgi [2] ", "tgi2 [3] ", "tgi3 [2] ",
		"  [1] not all of its requests are known: 0.500 for each that its readings count\n",
		"  [2] durations alone are recorded: what ran at once is not known\n",
		"  [3] 3 readings may be of another engine, and are not used; durations alone",
	} {
		if !strings.Contains(textOf(p), want) {
			t.Errorf("%q is not in\n%s", want, textOf(p))
		}
	}
}

func TestWaitsOfOneKindAreOneLine(t *testing.T) {
	wait := func(words string, ns int64) reports.Wait { return reports.Wait{Words: words, WaitNS: ns} }
	r := reports.Request{DurationNS: 1_000_000_000}
	for range 4 {
		r.Waits = append(r.Waits, wait("retry: again", 100_000_000))
	}
	r.Waits = append(r.Waits, wait("slots: full", 150_000_000), wait("unknown: short", 9_000_000))
	p := newBuilder(Options{})
	p.beside(r)
	want := "why queue    retry: again (4 waits, 400 ms)\n             slots: full (150 ms)\n"
	if got := textOf(p); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p, r.Waits = newBuilder(Options{}), nil
	for i := range int64(8) {
		r.Waits = append(r.Waits, wait("cause "+string(rune('a'+i)), 100_000_000-i))
	}
	p.beside(r)
	if got := textOf(p); !strings.HasSuffix(got, "             3 waits more, 300 ms in all\n") || strings.Count(got, "\n") != waitsShown+1 {
		t.Errorf("many waits:\n%s", got)
	}
}

// TestHoldersCanBeFound: each has digits that tell it from the others. Ids that are made of
// places of one log begin alike.
func TestHoldersCanBeFound(t *testing.T) {
	held := func(record bool) string {
		p := newBuilder(Options{})
		h := reports.Held{NS: 3_000_000, N: 2}
		for _, id := range []string{"7f6289e02dfd913f0000000000000001", "7f6289e02dfd913f0000000000000002"} {
			h.Holders = append(h.Holders, reports.Holder{TraceID: id, Record: record, NS: 1_500_000, Why: "slot"})
		}
		p.held("held by", h, 3_000_000)
		return textOf(p)
	}
	if got := held(true); !strings.HasSuffix(got, ": 7f6289e02dfd913f0000000000000001 1.5 ms, 7f6289e02dfd913f0000000000000002 1.5 ms\n") {
		t.Errorf("records: %q", got)
	}
	if got := held(false); !strings.HasSuffix(got, ": 7f6289e02dfd913f 1.5 ms, 7f6289e02dfd913f 1.5 ms\n") {
		t.Errorf("traces: %q", got)
	}
}

func TestStateLine(t *testing.T) {
	limit, running := int64(2), int64(1)
	s := &reports.EngineState{Engine: "triton llm", Running: 5, Waiting: 3, Preempted: 1, Batches: &running, Limit: &limit, Partial: true, Readings: []reports.StateReading{
		{Metric: "waiting", Unit: "requests", Value: 4, AgeNS: 2_000_000_000}, {Metric: "running", Unit: "requests", Value: 6, AgeNS: 2_000_000_000},
		{Metric: "kv_usage", Unit: "ratio", Value: 0.5, AgeNS: 9_000_000_000}, {Metric: "generation_throughput", Unit: "tokens/s", Value: 611, AgeNS: 9_000_000_000},
		{Metric: "gpu_temperature", Value: 1},
	}}
	p := newBuilder(Options{})
	p.state(s, reports.Wait{})
	want := "engine       triton llm when the wait began: at least 5 others in 1 batch ran (at most 2 instances), 3 waited, 1 was preempted; " +
		"readings 2.00 s old: running 6, waiting 4; 9.00 s old: kv_usage 50.0 %, generation_throughput 611 tokens/s\n"
	if got := textOf(p); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p = newBuilder(Options{})
	p.state(s, reports.Wait{Segment: 1})
	if got := textOf(p); got != "" {
		t.Errorf("the state of another wait: %q", got)
	}
}

func TestJoinedWords(t *testing.T) {
	for want, j := range map[string]reports.Joining{
		"": {Requests: 5},
		"1,083 of 1,100 requests are told by several, joined by trace id (1,060), address (23)": {
			Requests: 1100, Joined: 1083, ByBasis: []reports.Count{{Name: "trace id", N: 1060}, {Name: "address", N: 23}}, Retried: 2, Attempts: 5},
	} {
		if got := joinedWords(j); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, j := range map[string]reports.Joining{
		"": {Requests: 5, Joined: 4},
		"1,005 at the 2 requests that took more than one": {Requests: 5, Retried: 2, Attempts: 1005},
	} {
		if got := retriedWords(j); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	p := newBuilder(Options{})
	p.joined(reports.Joining{Requests: 3, Joined: 2, ByUnits: []reports.UnitCount{{Units: 1, N: 1}, {Units: 3, N: 2}}, ByBasis: []reports.Count{{Name: "trace id", N: 2}},
		Retried: 1, Attempts: 2, Issues: []reports.Count{{Name: "join-ambiguous", N: 4}}})
	want := "what was joined\n  requests   1 told by 1 trace or record, 2 told by 3\n  joined     2 by trace id\n  attempts   2 at 1 request\n  issues     4 join-ambiguous (see input quality)\n"
	if got := textOf(p); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCausesInTheSummary(t *testing.T) {
	mix := func(n int64, causes ...reports.CauseTime) reports.CauseMix {
		m := reports.CauseMix{N: n, Waited: n, Causes: causes}
		for _, c := range causes {
			m.MeanNS += c.MeanNS
		}
		for i := range causes {
			causes[i].Share = float64(causes[i].MeanNS) / float64(m.MeanNS)
		}
		return m
	}
	s := &reports.Summary{}
	s.Duration.Tail.Enough, s.Duration.Tail.Tail.MeanNS, s.Duration.All.MeanNS = true, 2_000_000_000, 1_000_000_000
	s.Queueing = reports.Queueing{Q: "p99",
		All:  mix(2000, reports.CauseTime{Cause: "slots", MeanNS: 30_000_000, N: 9}, reports.CauseTime{Cause: "unknown", MeanNS: 100, N: 1}),
		Slow: mix(20, reports.CauseTime{Cause: "slots", MeanNS: 900_000_000, N: 20}, reports.CauseTime{Cause: "retry", MeanNS: 100_000_000, N: 2})}
	drawn := func() string {
		p := newBuilder(Options{})
		p.queueing(s)
		return textOf(p)
	}
	want := "  why queue: mean of the 20 slowest (p99 and above): slots 900 ms (90.0 %), retry 100 ms (10.0 %); of all 2,000: slots 30.0 ms (100.0 %)\n"
	if got := drawn(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Duration.Tail.Enough = false
	if got := drawn(); got != "  why queue: mean of all 2,000: slots 30.0 ms (100.0 %)\n" {
		t.Errorf("a small tail: %q", got)
	}
	s.Queueing.All.MeanNS = 1_000_000 // 0.1 % of the time
	if got := drawn(); got != "" {
		t.Errorf("hardly any queue: %q", got)
	}
}
