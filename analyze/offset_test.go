package analyze

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

const hour = 3600 * 1000 * ms

// TestZoneMakesTimesRight: times that were written in a zone and taken for UTC are ahead
// by what that zone is ahead, and read in the zone that is suggested they are right.
func TestZoneMakesTimesRight(t *testing.T) {
	for n := -28; n <= 28; n++ {
		if n == 0 {
			continue
		}
		name := zoneName(int64(n) * hour / 2)
		zone, err := time.Parse("-07:00", name)
		if err != nil {
			t.Fatalf("%d half hours: %v", n, err)
		}
		written := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
		line := written.In(zone.Location()).Format("2006-01-02 15:04:05") // as the log has it
		asUTC, err := time.Parse("2006-01-02 15:04:05", line)
		if err != nil {
			t.Fatal(err)
		}
		if ahead := asUTC.Sub(written); int64(ahead) != int64(n)*hour/2 {
			t.Errorf("%s: read as UTC it is %v ahead, not %d half hours", name, ahead, n)
		}
	}
}

// TestClocksOfAHouse: the offsets that are shown hold the true one, whether they come from
// the solution or from the table.
func TestClocksOfAHouse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := busy(rapid.IntRange(3, 40).Draw(t, "requests"))
		h.ahead = rapid.SampledFrom([]int64{0, 1 * ms, 40 * ms, -3 * ms, 2 * hour, -11 * hour / 2, 2*hour + 7*60*1000*ms}).Draw(t, "ahead")
		set, b := h.build(t, critical.Options{})
		found := ClockOffsets(set, b.Clocks())
		if diff := cmp.Diff(ClockOffsets(set, nil), found, cmpopts.IgnoreFields(ClockOffset{}, "Calls", "Violated", "Broken")); diff != "" {
			t.Fatalf("table and solution differ (-table +solution):\n%s", diff)
		}
		truth := map[string]int64{"web-1": 0, "edge.log": 0, "engine.log": h.ahead}
		if len(found) != len(truth) || !found[0].isReference() {
			t.Fatalf("clocks %+v", found)
		}
		for _, c := range found {
			ahead := truth[c.Clock] - truth[c.Reference]
			for _, s := range c.Stretches {
				if !s.Known || s.OffsetNS-s.ErrorNS > ahead || s.OffsetNS+s.ErrorNS < ahead {
					t.Fatalf("%s is %d ns ahead, found %+v", c.Clock, ahead, s)
				}
			}
			if c.Input != strings.HasSuffix(c.Clock, ".log") {
				t.Fatalf("%s is an input: %v", c.Clock, c.Input)
			}
		}
	})
}

func TestOtherZones(t *testing.T) {
	h := busy(20)
	h.ahead = -11 * hour / 2
	set, b := h.build(t, critical.Options{})
	zones := func() []ZoneShift { return Inspect(set, Beside{Clocks: b.Clocks()}).Zones }
	warned := func() (texts []string) {
		for _, w := range Summarize(set, Options{}).Warnings {
			if w.ID == OtherZone {
				texts = append(texts, w.Text)
			}
		}
		return texts
	}
	if got, want := warned(), []string{"the times of engine.log are 5.5 h behind: the zone that they say, or that --tz gave them, is wrong by that"}; !cmp.Equal(got, want) {
		t.Errorf("a log that says its zone: %q", got)
	}
	var account table.Account
	account.Add(table.Issue{ID: assumedUTC, Severity: table.Warning, Advice: "a"}, 1, table.Place{}, "")
	account.WriteTo(set)
	if got, want := warned(), []string{"the times of engine.log are 5.5 h behind, as if written in zone -05:30: read it with --tz 'engine.log=-05:30'"}; !cmp.Equal(got, want) {
		t.Errorf("a log without a zone: %q", got)
	}
	want := []ZoneShift{{Clock: "engine.log", Input: true, ZoneNS: -11 * hour / 2, Suggest: "-05:30"}}
	if diff := cmp.Diff(want, zones()); diff != "" {
		t.Error(diff)
	}
	host := ZoneShift{Clock: "gpu-1", ZoneNS: 2 * hour}
	if got := host.Advice(); got != "the clock of gpu-1 is 2 h ahead, as if it were set to local time" {
		t.Errorf("a host: %s", got)
	}
	quoted := ZoneShift{Clock: "it's.log", Input: true, ZoneNS: 2 * hour, Suggest: "+02:00"}
	if got := quoted.Advice(); !strings.HasSuffix(got, `--tz 'it'\''s.log=+02:00'`) {
		t.Errorf("a name with a quote: %s", got)
	}
	h.ahead = 0
	set, b = h.build(t, critical.Options{})
	if got := zones(); len(got) != 0 || len(warned()) != 0 {
		t.Errorf("clocks that agree: %v", got)
	}
}

// TestClocksOfWhichNothingIsKnown come before those that are.
func TestClocksOfWhichNothingIsKnown(t *testing.T) {
	set := table.NewSet()
	for _, c := range []struct {
		clock  string
		known  bool
		offset int64
	}{{"a", true, 5}, {"b", true, -50}, {"c", false, 0}, {"r", true, 0}} {
		i := set.Clocks.Grow()
		set.Clocks.Clock[i], set.Clocks.Reference[i] = set.Symbols.Intern(c.clock), set.Symbols.Intern("r")
		set.Clocks.Known[i], set.Clocks.Offset[i], set.Clocks.Zone[i] = c.known, c.offset, table.Missing
	}
	var order string
	for _, c := range ClockOffsets(set, nil) {
		order += c.Clock
	}
	if order != "rcba" {
		t.Errorf("order %s", order)
	}
}
