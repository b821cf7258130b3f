package analyze

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// numbered is a log whose records hold the times of requests as numbers, while its lines
// have the time of a zone.
func numbered(requests, lines TimeRange) *table.Set {
	set := table.NewSet()
	source := set.Symbols.Intern("sglang.log")
	i := set.Spans.Grow()
	set.Spans.Origin[i], set.Spans.Source[i], set.Spans.Start[i], set.Spans.End[i] = table.OriginRecord, source, requests.First, requests.Last
	for _, at := range []int64{lines.First, lines.Last} {
		k := set.EngineSamples.Grow()
		set.EngineSamples.Time[k], set.EngineSamples.Source[k] = at, source
	}
	met(set, assumedUTC, 1)
	return set
}

// TestLinesOfAnotherZone: a zone is found whatever it is and however long the log is, and
// none is where the two ends do not show the same.
func TestLinesOfAnotherZone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.Int64Range(-28, 28).Draw(t, "half hours") * zoneStep
		length := rapid.Int64Range(0, 100*hour).Draw(t, "length")
		before, after := rapid.Int64Range(-stampSlack, stampSlack).Draw(t, "before"), rapid.Int64Range(-stampSlack, stampSlack).Draw(t, "after")
		requests := TimeRange{First: houseBegan, Last: houseBegan + length}
		lines := TimeRange{First: requests.First + zone + before, Last: requests.Last + zone + after}
		got := ZoneShifts(numbered(requests, lines), nil)
		var want []ZoneShift
		if zone != 0 {
			want = []ZoneShift{{Clock: "sglang.log", Input: true, Lines: true, ZoneNS: zone, Suggest: zoneName(zone)}}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
	requests := TimeRange{First: houseBegan, Last: houseBegan + hour}
	for name, lines := range map[string]TimeRange{
		"a log that begins an hour before": {First: houseBegan - hour, Last: houseBegan + hour},
		"one that goes on for an hour":     {First: houseBegan, Last: houseBegan + 2*hour},
		"no zone is as far":                {First: houseBegan + 15*hour, Last: houseBegan + 16*hour},
		"off by a quarter of an hour":      {First: houseBegan + hour/4, Last: houseBegan + hour + hour/4},
	} {
		if got := ZoneShifts(numbered(requests, lines), nil); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAdviceAboutLines(t *testing.T) {
	z := ZoneShift{Clock: "sglang.log", Input: true, Lines: true, ZoneNS: 11 * hour / 2, Suggest: "+05:30"}
	if got := z.Advice(); got != "the lines of sglang.log are 5.5 h ahead of the requests that they tell of, as if written in zone +05:30: read it with --tz 'sglang.log=+05:30'" {
		t.Error(got)
	}
	z.ZoneNS, z.Suggest = -2*hour, "-02:00"
	if got := z.Advice(); !strings.HasPrefix(got, "the lines of sglang.log are 2 h behind the requests that they tell of, as if written in zone -02:00: ") {
		t.Error(got)
	}
}
