package reports_test

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

func TestCompared(t *testing.T) {
	for _, c := range []struct {
		s    reports.Standing
		want string
	}{
		{reports.Standing{Peers: 1983, Faster: 1982}, "slower than 1,982 of 1,983 requests"},
		{reports.Standing{Peers: 30, Ties: 29}, "as slow as 29 others of 30 requests"},
		{reports.Standing{Peers: 30, Faster: 7, Ties: 1}, "slower than 7 of 30 requests, as slow as 1 other"},
		{reports.Standing{Peers: 30, Faster: 7, Words: "among kept traces"}, "slower than 7 of 30 requests among kept traces"},
	} {
		if got := c.s.Compared(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestHeadlineAndPathAgree: the headline of a request gives its largest stage the
// share that the list of all stages gives it.
func TestHeadlineAndPathAgree(t *testing.T) {
	set := incident(400, never)
	peers := analyze.NewPeers(set, analyze.Options{})
	for row := range 400 {
		d := run("explain").Explain([]analyze.Explanation{analyze.Explain(set, slow(set, row), peers, nil, 0)})
		r := d.Requests[0]
		best := 0
		for k, s := range r.Stages {
			if s.MeanNS > r.Stages[best].MeanNS {
				best = k
			}
		}
		if want := "(" + r.StagePercents()[best] + " %)"; !strings.Contains(d.Headline, want) {
			t.Fatalf("%s is not in %q", want, d.Headline)
		}
	}
}

// TestUnattributedTimeMayHideAQueue: of a request of which most is unknown, nothing is
// claimed of the queue.
func TestUnattributedTimeMayHideAQueue(t *testing.T) {
	at := func(known, unknown int64, queued int64) string {
		e := analyze.Explanation{Facts: analyze.Facts{End: known + unknown + queued}}
		for _, s := range []analyze.PathSegment{{End: known, Stage: stage.GPU}, {Start: known, End: known + unknown, Stage: stage.Unattributed}, {Start: known + unknown, End: known + unknown + queued, Stage: stage.Queue}} {
			if s.End > s.Start {
				e.Path = append(e.Path, s)
				e.Standing.Stages[s.Stage].NS = s.End - s.Start
			}
		}
		return run("explain").Explain([]analyze.Explanation{e}).Headline
	}
	for _, c := range []struct {
		known, unknown, queued int64
		want                   string
	}{
		{1000 * ms, 0, 0, "; the queue is 0 ns"},
		{1000 * ms, 100 * ms, 0, "; the queue is 0 ns"},
		{1000 * ms, 500 * ms, 0, "; whether it waited in a queue is not recorded"},
		{0, 500 * ms, 0, "; whether it waited in a queue is not recorded"},
		{1000 * ms, 500 * ms, 40 * ms, "; the queue is 40.0 ms"},
	} {
		if got := at(c.known, c.unknown, c.queued); !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c, got, c.want)
		}
	}
}

// TestHeadlineOfNoLength: a request without a path says why, and one that is fine and began
// and ended at one instant is no fault.
func TestHeadlineOfNoLength(t *testing.T) {
	const within = "no critical path: the request began and ended within one step of its clock"
	for _, c := range []struct {
		class  critical.Class
		reason string
		end    int64
		want   string
	}{
		{critical.Complete, "", 7, within},
		{critical.Incomplete, "unfinished-span", 7, within},
		{critical.Broken, "root has no length", 7, "no critical path: the request is broken: root has no length"},
		{critical.Unfinished, "root never ended", 7, "no critical path: the request is unfinished: root never ended"},
		{critical.Incomplete, "orphans", 8, "no critical path: the request is incomplete: orphans"},
	} {
		e := analyze.Explanation{Facts: analyze.Facts{Class: c.class, ClassReason: c.reason, Start: 7, End: c.end}}
		if got := run("explain").Explain([]analyze.Explanation{e}).Requests[0].Headline; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestInspectCountsPaths: the headline of an inspection says of requests with a path alone
// that their segments tile them.
func TestInspectCountsPaths(t *testing.T) {
	set := incident(20, never)
	for range 5 { // each began and ended within one step of its clock
		row := set.Requests.Grow()
		set.Requests.Class[row], set.Requests.Start[row], set.Requests.End[row] = uint8(critical.Complete), ms, ms
	}
	got := run("inspect").Inspect(analyze.Inspect(set, analyze.Beside{})).Headline
	if !strings.Contains(got, "24 of 26 requests are complete; segments tile each of the 20 with a path exactly") {
		t.Errorf("%q", got)
	}
}

// TestNothingToExplain: the headline says why, and the next command is another one.
func TestNothingToExplain(t *testing.T) {
	for want, r := range map[string]reports.Run{
		"no request was found":                           {},
		"no request to explain: all 1,234 were left out": {Requests: 1234},
		"no such trace ab12":                             {Requests: 1234, Trace: "ab12"},
	} {
		d := r.Explain(nil)
		if d.Headline != want || d.Next != "tailpath inspect" {
			t.Errorf("%q, next %q; want %q", d.Headline, d.Next, want)
		}
	}
}

// TestInspectHeadlineRestsOnTheTables: it is the same without inputs, and says nothing
// of path time that is not there.
func TestInspectHeadlineRestsOnTheTables(t *testing.T) {
	set := incident(20, never)
	quality(set)
	with, bare := run("inspect"), run("inspect")
	bare.Inputs = nil
	first, second := with.Inspect(analyze.Inspect(set, analyze.Beside{})).Headline, bare.Inspect(analyze.Inspect(set, analyze.Beside{})).Headline
	if first != second || !strings.Contains(first, "; 14 rows could not be read") {
		t.Errorf("%q and %q", first, second)
	}
	if !strings.Contains(first, "segments tile each of the 20 with a path exactly") {
		t.Errorf("%q", first)
	}
	pathless := table.NewSet()
	row := pathless.Requests.Grow()
	pathless.Requests.Class[row] = uint8(critical.Unfinished)
	if got := bare.Inspect(analyze.Inspect(pathless, analyze.Beside{})).Headline; got != "0 of 1 requests are complete" {
		t.Errorf("no request has a path: %q", got)
	}
}

// TestPercentRangeHoldsTheInterval reads the bounds back.
func TestPercentRangeHoldsTheInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(0, 1).Draw(t, "low")
		high := rapid.Float64Range(low, 1).Draw(t, "high")
		from, to := reports.PercentRange(low, high)
		a, err := strconv.ParseFloat(from, 64)
		b, err2 := strconv.ParseFloat(to, 64)
		if err != nil || err2 != nil || a > 100*low+1e-9 || b < 100*high-1e-9 || 100*low-a > .1+1e-9 || b-100*high > .1+1e-9 {
			t.Fatalf("[%v, %v] was written as %s to %s", low, high, from, to)
		}
	})
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0, .0002, "0.0 to 0.1"}, {0, 1e-9, "0.0 to 0.1"}, {0, 0, "0.0 to 0.0"}, {.5, .5, "50.0 to 50.0"}, {.9999, 1, "99.9 to 100.0"}} {
		if from, to := reports.PercentRange(c.low, c.high); from+" to "+to != c.want {
			t.Errorf("[%v, %v]: %s to %s, want %s", c.low, c.high, from, to, c.want)
		}
	}
}

// TestTextOfADifference: a difference of written figures may be 0 for more than one
// step, and "<1" would then be wrong.
func TestTextOfADifference(t *testing.T) {
	u := reports.Unit{Name: "ms", NS: 1e6}
	for ns, want := range map[int64]string{0: "0", 999_999: "<1", -999_999: "-<1", 1_000_000: "0", -1_700_000: "0", math.MinInt64: "0"} {
		if got := u.Text(0, ns); got != want {
			t.Errorf("no steps for %d ns: %q, want %q", ns, got, want)
		}
	}
}

// TestShortWindowsHaveNoRates: a capture of one request has a window and a peak.
func TestShortWindowsHaveNoRates(t *testing.T) {
	schema := compiled(t)
	d := run("summary").Summary(analyze.Summarize(incident(1, never), analyze.Options{Errors: analyze.Include}))
	l := d.Summary.Load
	if l.Requests != 1 || l.ArrivalRate != nil || l.ConcurrencyMean != nil || l.ConcurrencyP50 != nil || l.ConcurrencyP95 != nil || l.OutputTokenRate != nil {
		t.Errorf("load of one request: %+v", l)
	}
	if l.ConcurrencyPeak != 1 || l.EndNS <= l.StartNS {
		t.Errorf("load of one request: %+v", l)
	}
	if err := validate(t, schema, encoded(t, d)); err != nil {
		t.Error(err)
	}
}

// TestJSONHidesNothing: no character that a terminal obeys or that reorders text is
// written as it is, and reading gives all of them back.
func TestJSONHidesNothing(t *testing.T) {
	all := "\u202egnp.exe\u2066x\u2069\u200b\u00ad\ufeff\u061c\U000e0041\U000110bd"
	for r := rune(0); r < 0xa1; r++ {
		all += string(r)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(rapid.OneOf(rapid.Just(all), rapid.String()).Draw(t, "text"), "\ufffd")
		d := reports.Run{Version: text}.Explain(nil)
		b := encoded(t, d)
		for _, r := range string(b) {
			if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) {
				t.Fatalf("%U was written", r)
			}
		}
		back, err := reports.ReadJSON(bytes.NewReader(b))
		if err != nil || back.Tool.Version != text {
			t.Fatalf("%q came back as %q, %v", text, back.Tool.Version, err)
		}
	})
}

// TestLinesOfAnotherZoneAreInTheDocument, apart from the clock of the same input.
func TestLinesOfAnotherZoneAreInTheDocument(t *testing.T) {
	const shift = 5*3_600_000_000_000 + 1_800_000_000_000
	d := run("inspect").Inspect(analyze.Inspection{
		Sampling: analyze.Sampling{Kind: analyze.SamplingUnknown},
		Clocks:   []analyze.ClockOffset{{Clock: "sglang.log", Input: true, Reference: "web-1"}},
		Zones:    []analyze.ZoneShift{{Clock: "sglang.log", Input: true, Lines: true, ZoneNS: shift, Suggest: "+05:30"}},
	})
	c := d.Inspect.Clocks
	if len(c.Clocks) != 1 || c.Clocks[0].ZoneNS != nil || c.Clocks[0].TZ != "" || c.Clocks[0].Advice != "" {
		t.Errorf("clocks %+v", c.Clocks)
	}
	if len(c.Lines) != 1 || c.Lines[0].ZoneNS != shift || c.Lines[0].TZ != "sglang.log=+05:30" || c.Lines[0].Advice == "" {
		t.Errorf("lines %+v", c.Lines)
	}
	if err := validate(t, compiled(t), encoded(t, d)); err != nil {
		t.Error(err)
	}
}
