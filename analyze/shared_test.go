package analyze

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/filter"
)

// TestSharingChangesNothing carries out the analyses of a report with what they share, at a time
// and one more after that, and without.
func TestSharingChangesNothing(t *testing.T) {
	long, err := filter.Parse("e2e>100ms")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		set, engines := drawPlant(t).build()
		opt := Options{Engines: engines, Replicates: 20, Workers: 1}
		opt.Incomplete = rapid.SampledFrom([]Inclusion{Exclude, Include, Only}).Draw(t, "incomplete")
		opt.Errors = rapid.SampledFrom([]Inclusion{Exclude, Include}).Draw(t, "errors")
		if rapid.Bool().Draw(t, "filtered") {
			opt.Where = long
		}
		wantQueue, wantCapacity := QueueOf(set, opt, nil), CapacityOf(set, opt, CapacityOptions{})
		wantReport := ReportOf(set, ReportOptions{Options: opt})

		opt.Shared = &Shared{}
		for range 2 {
			var queue Queue
			var capacity Capacity
			var report Report
			var all sync.WaitGroup
			all.Go(func() { queue = QueueOf(set, opt, nil) })
			all.Go(func() { capacity = CapacityOf(set, opt, CapacityOptions{}) })
			all.Go(func() { report = ReportOf(set, ReportOptions{Options: opt}) })
			all.Wait()
			if d := unequal(wantQueue, queue, exactly) + unequal(wantCapacity, capacity, exactly) + unequal(wantReport, report, exactly); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// TestSharedIsOfOneChoice says that what is shared is made once for the same requests, and is no
// other's.
func TestSharedIsOfOneChoice(t *testing.T) {
	set, engines := plant{engines: 1, visitors: []visitor{decoded(0, 100, 10), decoded(9, 100, 10)}}.build()
	long, err := filter.Parse("e2e>100ms")
	if err != nil {
		t.Fatal(err)
	}
	s := &Shared{}
	alike := Options{Engines: engines, Shared: s, Seed: 7, Errors: Only}
	one := s.of(set, Options{Engines: engines})
	if same := s.of(set, alike); same != one || same.waiting() != one.waiting() || same.requests() != one.requests() {
		t.Error("what analyses share is made twice")
	}
	for name, opt := range map[string]Options{
		"where": {Engines: engines, Where: long}, "during": {Engines: engines, During: &Interval{0, 5}},
		"incomplete": {Engines: engines, Incomplete: Only}, "engines": {},
	} {
		if s.of(set, opt) == one {
			t.Errorf("%s: another choice shares it", name)
		}
	}
	if other, _ := (plant{}).build(); s.of(other, alike) == one {
		t.Error("another set shares it")
	}
	if c := sharedRequests(set, alike); &c.rows[0] == &one.requests().rows[0] || c.opt.Seed != alike.Seed {
		t.Error("it is not the caller's own")
	}
	if first, again := captureOf(set, alike), captureOf(set, alike); len(first.Stints) != 2 || len(again.Stints) != 2 {
		t.Errorf("%d stints, and %d of another analysis", len(first.Stints), len(again.Stints))
	}
}
