package analyze

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// routed gives requests a route each.
func routed(requests []given, route func(i int) string) *table.Set {
	set := tables(requests)
	for i := range requests {
		if name := route(i); name != "" {
			set.Requests.Route[i] = set.Symbols.Intern(name)
		}
	}
	return set
}

var fourRoutes = []string{"a", "b", "c", "d"}

// spreadOver makes requests of which each twentieth waited, in one route or in all.
func spreadOver(n int, bad string) *table.Set {
	var requests []given
	for i := range n {
		g := given{id: uint64(i + 1), start: int64(i) * 100 * ms, times: times(stage.GPU, int(int64(100+i%7)*ms))}
		if i%20 == 7 && (bad == "" || i%80 == 7) {
			g.times[stage.Queue] = int64(900+i%11) * ms
		}
		requests = append(requests, g)
	}
	return routed(requests, func(i int) string {
		if bad != "" && i%20 == 7 {
			return bad
		}
		return fourRoutes[i/20%4]
	})
}

func byRoute(set *table.Set) Where {
	opt := Options{}.filled()
	rows, _ := population(set, opt)
	return newQueueTail(set, rows, stat.P95).where(NewFields(set), filter.Key{Name: "route"}, opt.Rule.MinTail)
}

func TestOneBadPlace(t *testing.T) {
	w := byRoute(spreadOver(4000, "b"))
	if w.Kind != WhereOne || w.Top < 0 || w.Places[w.Top].Value != "b" || w.Test.P >= spreadAlpha {
		t.Errorf("one bad route of four: %+v", w)
	}
	if got := w.Places[0].Share; math.Abs(got-1) > 1e-9 {
		t.Errorf("its share is %g, want all", got)
	}
	if w := byRoute(spreadOver(4000, "")); w.Kind != WhereAlike || w.Top != -1 {
		t.Errorf("four routes alike: %s, %+v", w.Kind, w.Test)
	}
	if w := byRoute(spreadOver(300, "b")); w.Kind != WhereFew {
		t.Errorf("four long waits: %s", w.Kind)
	}
	if w := byRoute(routed(many(400, 1, given{times: times(stage.Queue, 5, stage.GPU, 10)}), func(int) string { return "only" })); w.Kind != WhereSingle || w.Values != 1 {
		t.Errorf("one route: %+v", w)
	}
}

func TestPlacesKeepTheOrderOfTheirKey(t *testing.T) {
	set := spreadOver(4000, "b")
	opt := Options{}.filled()
	rows, _ := population(set, opt)
	w := newQueueTail(set, rows, stat.P95).where(NewFields(set), filter.Key{Name: "route", Order: filter.Alpha}, 20)
	var got []string
	for _, p := range w.Places {
		got = append(got, p.Value)
	}
	if diff := cmp.Diff(fourRoutes, got); diff != "" || w.Places[w.Top].Value != "b" {
		t.Errorf("top is %d, places (-want +got):\n%s", w.Top, diff)
	}
}

// TestPlacesAddUp sums shares, requests and long waits over any values, kept, summed up or
// missing, in any order of rows.
func TestPlacesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := line{seed: rapid.Uint64().Draw(t, "seed"), n: 500, servers: 2, service: 100 * ms, load: .9}.requests()
		values := rapid.IntRange(1, 90).Draw(t, "values")
		value := func(id uint64) string {
			if id%11 == 0 {
				return ""
			}
			return string(rune('A' + int(id)%values))
		}
		at := func(list []given) *table.Set { return routed(list, func(i int) string { return value(list[i].id) }) }
		w := byRoute(at(requests))
		n, long, share := w.None, int64(0), w.NoneShare
		for _, p := range append(w.Places, w.Others) {
			n, long, share = n+p.N, long+p.Long, share+p.Share
		}
		if n != 500 || math.Abs(share-1) > 1e-9 {
			t.Fatalf("%d requests and %g of the excess in %d places", n, share, w.Values)
		}
		moved := rapid.Permutation(requests).Draw(t, "order")
		for i := range moved {
			moved[i].start += 1000 * ms
		}
		if diff := cmp.Diff(w, byRoute(at(moved))); diff != "" {
			t.Fatalf("(-want +shuffled):\n%s", diff)
		}
	})
}
