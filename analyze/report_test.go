package analyze

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

func TestQuantilesOfAReportAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(0, 1<<40), rapid.Int64Range(0, math.MaxInt64)), 0, 3000).Draw(t, "values")
		d := distributionOf("duration", slices.Clone(values))
		slices.Sort(values)
		if len(values) == 0 {
			if d.Quantiles != nil || d.Histogram.Edges != nil {
				t.Fatalf("nothing is distributed as %+v", d)
			}
			return
		}
		n := int64(len(values))
		first, last := d.Quantiles[0], d.Quantiles[len(d.Quantiles)-1]
		if first != (QuantileAt{n, values[0]}) || last != (QuantileAt{1, values[n-1]}) {
			t.Fatalf("it goes from %v to %v, the values from %d to %d", first, last, values[0], values[n-1])
		}
		for i, q := range d.Quantiles {
			if q.NS != values[n-q.At] || i > 0 && (q.At >= d.Quantiles[i-1].At || q.NS < d.Quantiles[i-1].NS) {
				t.Fatalf("quantile %d of %d is %v", i, n, q)
			}
		}
		if len(d.Quantiles) > 200 {
			t.Fatalf("there are %d quantiles", len(d.Quantiles))
		}
		h := d.Histogram
		if len(h.Counts) > mostBars || len(h.Edges) != len(h.Counts)+1 || !slices.IsSorted(h.Edges) {
			t.Fatalf("edges are %v, of %d counts", h.Edges, len(h.Counts))
		}
		for i, got := range h.Counts {
			var want int64
			for _, v := range values {
				if low := h.Edges[i]; (v >= low || i == 0) && (v < h.Edges[i+1] || i == len(h.Counts)-1) {
					want++
				}
			}
			if got != want {
				t.Fatalf("cell %d from %d to %d counts %d of %d", i, h.Edges[i], h.Edges[i+1], got, want)
			}
		}
		if h.Counts[0] == 0 || h.Counts[len(h.Counts)-1] == 0 {
			t.Fatalf("an outer cell of %v is empty: %v", h.Edges, h.Counts)
		}
	})
}

func TestColumnsHoldTheWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.OneOf(rapid.Int64Range(-1<<62, 1<<62), rapid.Int64()).Draw(t, "from")
		to := from + rapid.OneOf(rapid.Int64Range(0, 1<<35), rapid.Int64Range(0, 1<<58), rapid.Int64Range(0, math.MaxInt64)).Draw(t, "length")
		edges := columnEdges(from, to)
		if edges == nil {
			if longest := columnLengths[len(columnLengths)-1]; to >= from && to-from >= 0 && to-from < 90*longest && from > math.MinInt64+longest && to < math.MaxInt64-longest {
				t.Fatalf("%d ns have no columns", to-from)
			}
			return
		}
		length := edges[1] - edges[0]
		if len(edges)-1 > mostColumns || !slices.Contains(columnLengths, length) || edges[0] > from || edges[0]+length <= from ||
			edges[len(edges)-1] <= to || edges[len(edges)-2] > to || edges[0]%length != 0 {
			t.Fatalf("[%d, %d] has the edges %v", from, to, edges)
		}
	})
}

// excessByHand is the excess of every part of made-up requests, the slow way.
func excessByHand(requests []given, o Options) map[pathPart]int64 {
	var used []given
	for _, g := range requests {
		if g.class == critical.Complete && (!g.err || o.Errors == Include) {
			used = append(used, g)
		}
	}
	out := map[pathPart]int64{}
	for _, s := range stage.All() {
		split := map[string]func(g given) int64{"": func(g given) int64 { return g.times[s] }}
		if s == stage.GPU {
			split = map[string]func(g given) int64{
				"decode": func(g given) int64 { return g.decode }, "prefill": func(g given) int64 { return g.times[s] - g.decode },
			}
		}
		for detail, of := range split {
			var values []int64
			for _, g := range used {
				values = append(values, of(g))
			}
			if len(values) == 0 {
				continue
			}
			middle := stat.NearestRank(sorted(values), stat.P50)
			for _, v := range values {
				out[pathPart{stage: s, detail: detail}] += max(0, v-middle)
			}
		}
	}
	return out
}

func TestExcessOfBottlenecksAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		o := ReportOptions{Options: Options{Replicates: 20}}
		r := ReportOf(tables(requests), o)
		want := excessByHand(requests, o.Options)
		var total int64
		for _, v := range want {
			total += v
		}
		if r.Total != stat.SumOf(total) {
			t.Fatalf("the excess of all is %v, by hand %d", r.Total.Int(), total)
		}
		var sum stat.Sum
		for i, b := range r.Bottlenecks {
			if b.Everywhere != stat.SumOf(want[pathPart{stage: b.Stage, detail: b.Detail}]) || b.Everywhere.Sign() == 0 {
				t.Fatalf("%s/%s has %v, by hand %d", b.Stage, b.Detail, b.Everywhere.Int(), want[pathPart{stage: b.Stage, detail: b.Detail}])
			}
			if i > 0 && b.Slow.Int().Cmp(r.Bottlenecks[i-1].Slow.Int()) > 0 {
				t.Fatalf("%s/%s is behind one with less", b.Stage, b.Detail)
			}
			if b.Excess.Int().Cmp(b.Everywhere.Int()) > 0 || b.Hit > b.Of || b.Of > r.N || b.GainNS < 0 {
				t.Fatalf("%+v", b)
			}
			whole := r.ExcessIn(b.Stage.String(), b.Detail, nil, b.MedianNS)
			if whole.Sum != b.Everywhere || whole.Of != r.N {
				t.Fatalf("the excess is %v, or %v", whole.Sum.Int(), b.Everywhere.Int())
			}
			sum = sum.Plus(b.Everywhere)
		}
		if sum != r.Total {
			t.Fatalf("bottlenecks add to %v of %v", sum.Int(), r.Total.Int())
		}
	})
}

func TestPartsTileEachRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := tables(drawRequests(t))
		rows, _ := population(set, Options{}.filled().on(set))
		p := newPathParts(set, rows)
		sums := make([]int64, len(rows))
		for k := range p.list {
			for i, ns := range p.times(k) {
				sums[i] += ns
			}
		}
		for i, row := range rows {
			if sums[i] != set.Requests.Duration[row] {
				t.Fatalf("parts add to %d of %d ns", sums[i], set.Requests.Duration[row])
			}
		}
	})
}

func TestReportDependsOnNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		week := WeekAt(0, time.UTC)
		o := ReportOptions{Options: Options{Replicates: 20, Objectives: objectivesFrom(t, "p90(e2e) < 100ns")}, Week: &week}
		public := func(r Report) Report {
			r.set, r.rows, r.opt = nil, nil, Options{}
			return r
		}
		a, b := public(ReportOf(tables(requests), o)), public(ReportOf(shuffled(t, requests), o))
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\n%+v", a, b)
		}
	})
}

// objectivesFrom parses an objective.
func objectivesFrom(t interface{ Fatalf(string, ...any) }, text string) []filter.Objective {
	o, err := filter.ParseObjective(text, ObjectiveMetrics())
	if err != nil {
		t.Fatalf("%v", err)
	}
	return []filter.Objective{o}
}

// onRoutes is requests of ten routes, a second apart, of which some wait in the queue.
func onRoutes(n int, waits func(i, route int) bool) *table.Set {
	var requests []given
	for i := range n {
		g := given{id: uint64(i), start: int64(i) * 1000 * ms, times: times(stage.GPU, int(500*ms))}
		if waits(i, i%10) {
			g.times[stage.Queue] = 3000 * ms
		}
		requests = append(requests, g)
	}
	set := tables(requests)
	for i := range n {
		set.Requests.Route[i] = set.Symbols.Intern("/" + string(rune('a'+i%10)))
		set.Requests.Model[i] = set.Symbols.Intern("llama")
	}
	return set
}

func TestScopeIsWhereMostOfTheExcessIs(t *testing.T) {
	for _, c := range []struct {
		name  string
		waits func(i, route int) bool
		want  []ScopeField
	}{
		{"one route", func(i, route int) bool { return route == 3 && i%3 == 0 }, []ScopeField{{"route", []string{"/d"}}}},
		{"two routes", func(i, route int) bool { return (route == 3 || route == 5) && i%3 == 0 }, []ScopeField{{"route", []string{"/d", "/f"}}}},
		{"four routes", func(i, route int) bool { return route < 4 && i%3 == 0 }, nil},
		{"all routes", func(i, route int) bool { return i%30 < 10 }, nil},
		{"one route, of a few", func(i, route int) bool { return route == 3 && i%50 == 3 }, nil},
	} {
		r := ReportOf(onRoutes(900, c.waits), ReportOptions{})
		if got := r.Bottlenecks[0]; got.Stage != stage.Queue || !reflect.DeepEqual(got.Scope, c.want) {
			t.Errorf("%s: %s of %v, want %v", c.name, got.Stage, got.Scope, c.want)
		}
	}
}

func TestWindowIsTheShortestWithMostOfTheExcess(t *testing.T) {
	r := ReportOf(onRoutes(1000, func(i, _ int) bool { return i >= 400 && i < 500 || i == 10 || i == 900 }), ReportOptions{})
	b := r.Bottlenecks[0]
	if !b.Timed || b.From < 400*1000*ms || b.To >= 500*1000*ms || b.To-b.From != 91*1000*ms {
		t.Errorf("the window is from %d to %d s", b.From/1000/ms, b.To/1000/ms)
	}
	if b.Hit != 92 || b.Of != 1000 || b.Excess != stat.SumOf(102*3000*ms) {
		t.Errorf("%d of %d hold 90 %% of %v ns", b.Hit, b.Of, b.Excess.Int())
	}
	if b.GainNS != 3000*ms {
		t.Errorf("%s would be shorter by %d ns", r.Q, b.GainNS)
	}
}

func TestWeekIsCoveredByWhatWasRecorded(t *testing.T) {
	week := WeekAt(houseBegan, time.UTC)
	set := tables(nil)
	for h := range 168 {
		if h == 20 {
			continue // nothing at all
		}
		if h >= 30 && h < 40 { // idle, but the engine says so
			i := set.EngineSamples.Grow()
			set.EngineSamples.Time[i] = week.From + int64(h)*hourNS + 5
			continue
		}
		add(set, given{id: uint64(h), start: week.From + int64(h)*hourNS + 10*ms, times: times(stage.GPU, int(ms))})
	}
	r := ReportOf(set, ReportOptions{Week: &week})
	if r.Hours != 168 || r.Covered != 167 || !r.Complete() {
		t.Errorf("%d of %d hours are covered, complete %v", r.Covered, r.Hours, r.Complete())
	}
	gaps := tables(nil)
	for h := range 158 {
		add(gaps, given{id: uint64(h), start: week.From + int64(h)*hourNS, times: times(stage.GPU, int(ms))})
	}
	if r := ReportOf(gaps, ReportOptions{Week: &week}); r.Covered != 158 || r.Complete() {
		t.Errorf("%d of %d hours are covered, complete %v", r.Covered, r.Hours, r.Complete())
	}
}

func TestHoursOfTheWeekAreOfTheZone(t *testing.T) {
	zone := time.FixedZone("east", 2*3600)
	monday := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC).UnixNano() // Sunday in UTC
	r := ReportOf(tables([]given{{id: 1, start: monday, times: times(stage.GPU, 5)}}), ReportOptions{Zone: zone})
	if len(r.HoursOfWeek) != 1 || r.HoursOfWeek[0].Day != 0 || r.HoursOfWeek[0].Hour != 1 || r.HoursOfWeek[0].N != 1 {
		t.Errorf("%+v", r.HoursOfWeek)
	}
}

func TestFirstRequestOverAnObjective(t *testing.T) {
	set := onRoutes(300, func(i, _ int) bool { return i == 40 || i == 41 || i == 200 })
	user := set.Symbols.Intern("enduser.id")
	for i := range set.Requests.Len() {
		row := set.Spans.Grow()
		set.Requests.RootRow[i] = int32(row)
		set.Spans.Attributes.Add(user, table.StringValue(string(rune('a'+i%20))))
	}
	r := ReportOf(set, ReportOptions{Options: Options{Objectives: objectivesFrom(t, "p99(e2e) < 1s")}})
	if len(r.FirstMissed) != 1 || !r.FirstMissed[0].Known || r.FirstMissed[0].AtNS != 40*1000*ms {
		t.Errorf("%+v", r.FirstMissed)
	}
	if want := (Users{Field: "enduser.id", Known: true, Hit: 2, Of: 20}); r.Users != want {
		t.Errorf("users are %+v, want %+v", r.Users, want)
	}
	if none := ReportOf(set, ReportOptions{UserField: "nobody"}).Users; none.Known || none.Field != "nobody" {
		t.Errorf("users by an attribute that nothing has are %+v", none)
	}
}

func TestStreamsShowWhenTokensCame(t *testing.T) {
	h := busy(60)
	h.tokens = true
	h.orders[20].decode = 700 * ms
	set, _ := h.build(t, critical.Options{})
	r := ReportOf(set, ReportOptions{})
	if len(r.Streams) == 0 || len(r.Streams) > 3 {
		t.Fatalf("there are %d streams", len(r.Streams))
	}
	for _, s := range r.Streams {
		if !slices.IsSorted(s.AtNS) || s.AtNS[0] < 0 || s.AtNS[len(s.AtNS)-1] > s.EndNS || s.FirstNS < s.AtNS[0] || s.Tokens != nil && len(s.Tokens) != len(s.AtNS) {
			t.Errorf("%+v", s)
		}
	}
	slowest := slices.MaxFunc(r.Streams, func(a, b TokenStream) int { return cmp.Compare(a.EndNS, b.EndNS) })
	if slowest.Request != *r.Worst {
		t.Errorf("the slowest of all is %v, of the streams %v", *r.Worst, slowest.Request)
	}
	if plain := ReportOf(onRoutes(30, func(int, int) bool { return false }), ReportOptions{}); plain.Streams != nil {
		t.Errorf("streams of no events: %+v", plain.Streams)
	}
}

func TestHeatCountsEachRequestOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		r := ReportOf(tables(requests), ReportOptions{})
		if r.Heat == nil {
			if r.N > 0 {
				t.Fatalf("%d requests have no heat map", r.N)
			}
			return
		}
		var n, arrivals int64
		var waited float64
		for _, c := range r.Heat.Columns {
			var inCells int64
			for _, k := range c.Counts {
				inCells += k
			}
			if inCells != c.N {
				t.Fatalf("%d of %d are in cells", inCells, c.N)
			}
			n, arrivals, waited = n+c.N, arrivals+c.Arrivals, waited+c.Waiting*c.Seconds
		}
		if n != r.N || arrivals < n || len(r.Heat.Levels)-1 > mostLevels {
			t.Fatalf("%d of %d requests, %d arrivals", n, r.N, arrivals)
		}
		var want float64
		for _, g := range requests {
			if g.class == critical.Complete {
				want += float64(g.times[stage.Queue]) / 1e9
			}
		}
		if math.Abs(waited-want) > 1e-9*want {
			t.Fatalf("%v s of %v s were waited", waited, want)
		}
	})
}

// TestReportOfAbsurdTimes makes reports of requests that lie centuries apart.
func TestReportOfAbsurdTimes(t *testing.T) {
	for _, at := range [][2]int64{{0, math.MaxInt64 - 100}, {math.MinInt64 + 100, 0}, {math.MinInt64 + 100, math.MaxInt64 - 100}, {-1, 1}} {
		var requests []given
		for i := range 30 {
			requests = append(requests, given{id: uint64(i), start: at[i%2], times: times(stage.GPU, i, stage.Queue, i%3)})
		}
		r := ReportOf(tables(requests), ReportOptions{})
		if r.N != 30 || len(r.Bottlenecks) == 0 {
			t.Errorf("from %d to %d: %d requests, %d bottlenecks", at[0], at[1], r.N, len(r.Bottlenecks))
		}
		if h := r.Heat; h != nil && !slices.IsSorted(h.Times) {
			t.Errorf("columns are %v", h.Times)
		}
	}
}
