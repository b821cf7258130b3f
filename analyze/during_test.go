package analyze

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// drawDuring draws a time with bounds at, between and around the starts of some requests.
func drawDuring(t *rapid.T, requests []given) Interval {
	bound := func(name string) int64 {
		if len(requests) == 0 || rapid.IntRange(0, 5).Draw(t, name+" free") == 0 {
			return rapid.Int64Range(-5, 1<<40).Draw(t, name)
		}
		return rapid.SampledFrom(requests).Draw(t, name).start + rapid.Int64Range(-1, 1).Draw(t, name+" beside")
	}
	in := Interval{bound("since"), bound("until")}
	switch rapid.IntRange(0, 3).Draw(t, "open") {
	case 0:
		in.Start = OpenStart
	case 1:
		in.End = OpenEnd
	}
	return in
}

// TestATimeIsLikeNotHavingTheRest: a summary of the requests that start in a time is that of a
// table with nothing else in it, but for whether it can be compared with what engines say.
func TestATimeIsLikeNotHavingTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		in := drawDuring(t, requests)
		set := tables(requests)
		var alone []given
		left := map[string]int64{}
		for row, g := range requests {
			if set.Requests.Clock[row] == table.ClockWall && g.start >= in.Start && g.start < in.End {
				alone = append(alone, g)
			} else if set.Requests.Clock[row] == table.ClockWall {
				left[ExcludedOutside]++
			} else {
				left[ExcludedUndated]++
			}
		}
		opt := Options{Replicates: 50}
		want := Summarize(tables(alone), opt)
		opt.During = &in
		got := Summarize(set, opt)
		got.Conservation, want.Conservation = Conservation{}, Conservation{} // it is over the whole table
		got.Population.Requests, got.Population.During = want.Population.Requests, nil
		got.Context.Waiting = want.Context.Waiting
		counted := map[string]int64{}
		got.Population.Excluded = slices.DeleteFunc(got.Population.Excluded, func(x Exclusion) bool {
			is := x.Kind == ExcludedOutside || x.Kind == ExcludedUndated
			if is {
				counted[x.Kind] += x.N
			}
			return is
		})
		if len(got.Population.Excluded) == 0 {
			got.Population.Excluded = nil
		}
		if diff := cmp.Diff(left, counted); diff != "" {
			t.Fatalf("left out %v (-want +got):\n%s", in, diff)
		}
		if diff := unequal(want, got, cmp.AllowUnexported(stat.Sum{})); diff != "" {
			t.Fatalf("%v (-alone +chosen):\n%s", in, diff)
		}
	})
}

// TestATimeOfAllChangesNothing: one that every request starts in changes no figure, also of
// those that are decided only of a whole system.
func TestATimeOfAllChangesNothing(t *testing.T) {
	set := tables(many(300, 1, given{times: times(stage.Queue, int(200*ms), stage.GPU, int(100*ms))}))
	opt := Options{Replicates: 50}
	want, whole := Summarize(set, opt), CapacityOf(set, opt, CapacityOptions{})
	opt.During = &Interval{OpenStart, OpenEnd}
	got, then := Summarize(set, opt), CapacityOf(set, opt, CapacityOptions{})
	got.Population.During, then.Population.During = nil, nil
	if diff := unequal(want, got, cmp.AllowUnexported(stat.Sum{})); diff != "" {
		t.Errorf("summary (-without +with):\n%s", diff)
	}
	if diff := unequal(whole.System.Serving, then.System.Serving, cmp.AllowUnexported(stat.Sum{})); diff != "" {
		t.Errorf("capacity (-without +with):\n%s", diff)
	}
}

// TestTimeComesBeforeTheFilter: what starts elsewhere is counted as that, whatever the filter
// says, and what has no date is told apart.
func TestTimeComesBeforeTheFilter(t *testing.T) {
	set := tables([]given{
		{id: 1, start: 10, times: times(stage.GPU, 5)},
		{id: 2, start: 20, times: times(stage.Queue, 5)},
		{id: 3, start: 30, times: times(stage.GPU, 5)},
		{id: 4, start: 20, times: times(stage.GPU, 5)},
		{id: 5, start: 20, times: times(stage.GPU, 5)},
	})
	set.Requests.Clock[4] = table.ClockNone
	opt := Options{During: &Interval{20, 30}, Where: where(t, "queue=0")}
	rows, p := population(set, opt)
	if !slices.Equal(rows, []int32{3}) {
		t.Errorf("kept %v", rows)
	}
	want := []Exclusion{
		{ExcludedUndated, "its start is no date, which a time is chosen by", 1},
		{ExcludedOutside, "does not start from 1970-01-01T00:00:00Z up to 1970-01-01T00:00:00Z", 2},
		{ExcludedFilter, "does not match: queue=0", 1},
	}
	if diff := cmp.Diff(want, p.Excluded); diff != "" {
		t.Error(diff)
	}
	why := opt.LeftOut(set)
	for row, want := range []string{ExcludedOutside, ExcludedFilter, ExcludedOutside, "", ExcludedUndated} {
		if got := why(row); got != want || (got == "") != opt.Keeps(set)(row) {
			t.Errorf("row %d: %q, want %q", row, got, want)
		}
	}
}

// TestRequestsCarriedIntoATime: those that started before a time and were in flight in it are
// in no figure, and make it one of a part of the system where they are many; what engines and
// logs say is asked only for the time after their ends.
func TestRequestsCarriedIntoATime(t *testing.T) {
	set := tables([]given{
		{id: 1, start: 0, times: times(stage.GPU, 100)},
		{id: 2, start: 10, times: times(stage.GPU, 50)},
		{id: 3, start: 30, class: critical.Unfinished, times: times(stage.GPU, 500)},
		{id: 4, start: 60, times: times(stage.GPU, 10)},
		{id: 5, start: 70, times: times(stage.GPU, 100)},
	})
	k := Options{During: &Interval{60, 120}}.on(set).kept
	if k.carried.n != 1 || k.carried.ns != stat.SumOf(40) {
		t.Errorf("carried %+v, want one request of 40 ns", k.carried)
	}
	if got, want := k.only(), (Interval{100, 120}); got != want {
		t.Errorf("alone in %v, want %v", got, want)
	}
	if got := (Options{}).on(set).kept; got.only() != (Interval{OpenStart, OpenEnd}) || !got.holds(0) {
		t.Errorf("without a time: %+v", got)
	}
	partial := CapacityOf(set, Options{During: &Interval{60, 120}}, CapacityOptions{}).System.Serving
	if text := cmp.Diff(partial, CapacityOf(set, Options{}, CapacityOptions{}).System.Serving, cmp.AllowUnexported(stat.Sum{})); text == "" {
		t.Error("the time changes nothing")
	}
	c := requestsOf(set, Options{During: &Interval{60, 120}})
	if got := c.partial(Sampling{}); !slices.Contains(got, "1 request in flight when the time began") {
		t.Errorf("a part of the system: %q", got)
	}
}

// TestEachSideHasItsTime: what is reckoned from the last record of base differs from new.
func TestEachSideHasItsTime(t *testing.T) {
	base := tables(many(40, 1, given{times: times(stage.GPU, 100)}))
	opt := Options{During: &Interval{OpenStart, OpenEnd}, Base: Platform{During: &Interval{OpenStart, base.Requests.Start[10]}}}
	c := Compare(base, base, opt, change.Rule{})
	if c.Base.Population.N >= c.New.Population.N || c.New.Population.N != 40 {
		t.Errorf("base has %d requests and new %d", c.Base.Population.N, c.New.Population.N)
	}
}

// TestReadingsAreAskedForTheTime: what engines say of a time is compared with the requests that
// start in it, but for the beginning, in which others were still there: a part of the time
// agrees as the whole does, though a third of the requests is left out.
func TestReadingsAreAskedForTheTime(t *testing.T) {
	all := slotted(1)
	p := plant{engines: 1, visitors: all}
	p.read(all, "running", "waiting", "requests_total")
	set, engines := p.build()
	first, last := all[0].start, all[len(all)-1].start
	third := (last - first) / 3
	for _, in := range []Interval{{first + third, OpenEnd}, {OpenStart, last - third}, {first + third, last - third/2}} {
		c := captureOf(set, Options{Engines: engines, During: &in}.filled().on(set))
		list, why := c.against()
		if len(list) != 1 || why != "" || list[0].Reading.Kind != little.Complete {
			t.Errorf("%v: %+v, %q", in, list, why)
		}
		if partial := c.partial(Sampling{}); len(partial) > 1 || len(partial) == 1 && !strings.Contains(partial[0], "when the time began") {
			t.Errorf("%v is a part of the system: %q", in, partial)
		}
		d := depthReadings(set, waitingOf(set, Options{Engines: engines, During: &in}), 0)
		if d == nil || !d.Agrees || d.From < in.Start || d.To > in.End {
			t.Errorf("%v: the queue %+v", in, d)
		}
	}
}
