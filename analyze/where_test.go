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

// placed makes 4,000 requests of which the given part of a hundred goes to one of two routes,
// and each twentieth of those that bad says waits.
func placed(percent int, bad func(route string) bool) *table.Set {
	var requests []given
	route := func(i int) string {
		if i*37%100 < percent {
			return "big"
		}
		return "small"
	}
	for i := range 4000 {
		g := given{id: uint64(i + 1), start: int64(i) * 100 * ms, times: times(stage.GPU, int(int64(100+i%7)*ms))}
		if i/100%20 == 7 && bad(route(i)) {
			g.times[stage.Queue] = int64(900+i%11) * ms
		}
		requests = append(requests, g)
	}
	return routed(requests, route)
}

// TestABadPlaceIsFoundWhateverItsShare: a route with all of the excess is named, be it a
// tenth of the requests or nine tenths; and where both wait alike, none is, however many of
// the requests and of the excess it has.
func TestABadPlaceIsFoundWhateverItsShare(t *testing.T) {
	for percent := 10; percent <= 90; percent += 10 {
		for _, bad := range []string{"big", "small"} {
			if of := map[string]int{"big": percent, "small": 100 - percent}[bad]; of < 20 {
				continue // too few long waits
			}
			w := byRoute(placed(percent, func(route string) bool { return route == bad }))
			if w.Kind != WhereOne || w.Places[w.Top].Value != bad || w.Places[w.Top].Share < .99 {
				t.Errorf("%s waits, with %d %% of the requests in big: %s, %+v", bad, percent, w.Kind, w.Places)
			}
		}
		if w := byRoute(placed(percent, func(string) bool { return true })); w.Kind != WhereAlike || w.Top != -1 {
			t.Errorf("both wait, with %d %% of the requests in big: %s, %+v", percent, w.Kind, w.Places)
		}
	}
}

// TestWhatStandsOut: of places with a quarter of the requests or fewer, those that stand out
// are those with half of the excess; of larger ones it takes more, and less than all; and
// never one where the longest waits are no more frequent.
func TestWhatStandsOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(200, 9_800).Draw(t, "n")
		share := rapid.Float64Range(-1, 2).Draw(t, "share")
		top, rest := Place{N: n, Share: share, Long: n / 2}, Place{N: 10_000 - n, Share: 1 - share}
		part := float64(n) / 10_000
		got := standsOut([]Place{top, rest})
		if part <= .25 && got != (share >= .5) {
			t.Fatalf("%g of the excess with %g of the requests: %v", share, part, got)
		}
		if least := leastOdds * part / (1 - part + leastOdds*part); got != (share >= max(.5, least)) && math.Abs(share-least) > 1e-9 {
			t.Fatalf("%g of the excess with %g of the requests, of %g needed: %v", share, part, least, got)
		}
		top.Long, rest.Long = n/10, (10_000-n)/10+1
		if standsOut([]Place{top, rest}) {
			t.Fatalf("%d of %d waited for longest, and %d of %d elsewhere", top.Long, top.N, rest.Long, rest.N)
		}
	})
}

// TestNoSharesOfNothing: what nearly cancels out, or is next to nothing of what makes slow
// requests slow, has no shares, and the reason is told.
func TestNoSharesOfNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	mixed := func(queue map[string]int64) *table.Set {
		var requests []given
		route := func(i int) string { return fourRoutes[i/20%2] }
		for i := range 4000 {
			g := given{id: uint64(i + 1), start: int64(i) * 100 * ms, times: times(stage.GPU, int(int64(100+i%7)*ms))}
			if i%20 == 7 {
				g.times[stage.GPU] = 5_000 * ms
			}
			g.times[stage.Queue] = queue[map[bool]string{true: "slow ", false: ""}[i%20 == 7]+route(i)] * ms
			requests = append(requests, g)
		}
		return routed(requests, route)
	}
	for _, c := range []struct {
		name   string
		queue  map[string]int64
		shares bool
	}{
		{"none waits longer", map[string]int64{"a": 20, "b": 20, "slow a": 20, "slow b": 20}, false},
		{"slow requests wait less", map[string]int64{"a": 20, "b": 20}, false},
		{"next to nothing", map[string]int64{"slow a": 40}, false},
		{"they cancel", map[string]int64{"b": 400, "slow a": 900}, false},
		{"some of it cancels", map[string]int64{"b": 50, "slow a": 900}, true},
	} {
		w := byRoute(mixed(c.queue))
		if (w.NoShares == "") != c.shares {
			t.Errorf("%s: %q, %+v", c.name, w.NoShares, w.Places)
		}
		for _, p := range w.Places {
			if !c.shares && (p.Share != 0 || w.Kind == WhereOne) {
				t.Errorf("%s: %s, %+v", c.name, w.Kind, p)
			}
		}
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
		want := 1.0
		if w.NoShares != "" {
			want = 0
		}
		if n != 500 || math.Abs(share-want) > 1e-9 {
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
