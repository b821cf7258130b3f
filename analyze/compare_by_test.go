package analyze

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// modelled makes tables of traffic, each request of the model that is given for its place.
func modelled(list []given, model func(i int) string) *table.Set {
	set := tables(list)
	for i := range list {
		set.Requests.Model[i] = set.Symbols.Intern(model(i))
	}
	return set
}

// modelsInTurn gives each request one of the models in turn.
func modelsInTurn(models ...string) func(i int) string {
	return func(i int) string { return models[i%len(models)] }
}

// groupOf returns the group with some values.
func groupOf(t *testing.T, b *ChangeBy, values ...string) *GroupChange {
	t.Helper()
	for i := range b.Groups {
		if slices.Equal(b.Groups[i].Values, values) {
			return &b.Groups[i]
		}
	}
	t.Fatalf("no group %q among %d", values, len(b.Groups))
	return nil
}

// TestCompareByFindsTheGroup slows one model down: it alone is told, with its stage, and comes
// first. Swapped, it alone got faster.
func TestCompareByFindsTheGroup(t *testing.T) {
	models := modelsInTurn("a", "b", "c", "d")
	base := modelled(traffic(1, 2400, nil), models)
	new := modelled(traffic(2, 2400, func(i int, random *rand.Rand, g *given) {
		if i%4 == 2 {
			g.times[stage.Queue] += (150 + random.Int64N(300)) * ms
		}
	}), models)
	opt := Options{Replicates: 200, By: keysOf(t, "model")}
	c := Compare(base, new, opt, change.Rule{})
	b := c.By
	if got := b.Groups[0]; got.Values[0] != "c" || got.Kind != GroupKind(ChangeSlower) || got.Verdict.Part.Name() != "queue" || got.Verdict.Cause != CauseServer {
		t.Errorf("first is %s, which is %s in %s by %s", got.Values, got.Kind, got.Verdict.Part.Name(), got.Verdict.Cause)
	}
	if want := []GroupCount{{GroupKind(ChangeSlower), 1}, {GroupKind(ChangeSame), 3}}; !slices.Equal(b.Kinds, want) || b.Judged != 4 || b.Mix.Shifted {
		t.Errorf("%v, want %v; %d judged, mix shifted: %v", b.Kinds, want, b.Judged, b.Mix.Shifted)
	}
	back := Compare(new, base, opt, change.Rule{}).By
	for _, g := range b.Groups {
		r := groupOf(t, back, g.Values...)
		if want := map[GroupKind]GroupKind{"slower": "faster", "same": "same"}[g.Kind]; r.Kind != want || r.N != [2]int64{g.N[1], g.N[0]} {
			t.Errorf("%s is %s, and swapped %s", g.Values, g.Kind, r.Kind)
		}
		for i, p := range g.Duration.Percentiles {
			q := r.Duration.Percentiles[i]
			bounds := p.Ratio.Bounds.Low * q.Ratio.Bounds.High // 0 without bounds
			if math.Abs(p.Ratio.Value*q.Ratio.Value-1) > 1e-12 || math.Abs(p.Adjusted-q.Adjusted) > 1e-12 || p.Ratio.HasBounds != q.Ratio.HasBounds || p.Ratio.HasBounds && math.Abs(bounds-1) > 1e-12 {
				t.Errorf("%s %s: %+v, and swapped %+v", g.Values, p.P, p.Ratio, q.Ratio)
			}
		}
	}
	// What is told of all requests does not depend on the groups.
	whole := Compare(base, new, Options{Replicates: 200}, change.Rule{})
	if whole.By != nil {
		t.Error("groups without keys")
	}
	c.By = nil
	if diff := unequal(whole, c, gocmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("groups change the rest (-without +with):\n%s", diff)
	}
}

// TestCompareByAlarms compares equal traffic of eight groups: some group is told to have changed no
// more often than the rate of false alarms allows, and would be were each judged alone.
func TestCompareByAlarms(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	const pairs, groups, each = 200, 8, 25
	var models []string
	for i := range groups {
		models = append(models, string(rune('a'+i)))
	}
	// Only the chance stands between noise and an alarm: any difference counts.
	rule := change.DefaultRule()
	rule.Tail, rule.Body, rule.FloorNS, rule.FloorShare = 0, 0, 0, 0
	alarms, alone := 0, 0
	for seed := range uint64(pairs) {
		of := func(seed uint64) *table.Set {
			return modelled(traffic(seed, groups*each, nil), modelsInTurn(models...))
		}
		b := Compare(of(2*seed+1), of(2*seed+2), Options{Replicates: 40, By: keysOf(t, "model"), Percentiles: []stat.Prob{stat.P50}}, rule).By
		if b.Judged != groups {
			t.Fatalf("%d groups were judged", b.Judged)
		}
		if slices.ContainsFunc(b.Groups, func(g GroupChange) bool { return g.Kind.established() }) {
			alarms++
		}
		if slices.ContainsFunc(b.Groups, func(g GroupChange) bool { return g.Duration.Percentiles[0].Chance <= rule.FalseDiscovery }) {
			alone++
		}
	}
	// 5 % are 10 of 200; 18 or more of them come by chance once in a hundred times.
	if alarms > 17 || alone < 25 {
		t.Errorf("of %d pairs of equal captures %d raise an alarm, and %d would were each group judged alone", pairs, alarms, alone)
	}
}

// TestCompareByTellsOnlyWhatChanged slows one of eight groups down: it is found,
// and of all groups that are told to have changed few are others.
func TestCompareByTellsOnlyWhatChanged(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	const pairs = 60
	rule := change.DefaultRule()
	rule.Tail, rule.Body, rule.FloorNS, rule.FloorShare = 0, 0, 0, 0
	found, others := 0, 0
	for seed := range uint64(pairs) {
		of := func(seed uint64, later int64) *table.Set {
			list := traffic(seed, 8*60, func(i int, random *rand.Rand, g *given) {
				if i%8 == 5 {
					g.times[stage.Queue] += later * ms
				}
			})
			return modelled(list, modelsInTurn("a", "b", "c", "d", "e", "slow", "g", "h"))
		}
		b := Compare(of(2*seed+1, 0), of(2*seed+2, 350+int64(seed)*5), Options{Replicates: 40, By: keysOf(t, "model"), Percentiles: []stat.Prob{stat.P50}}, rule).By
		for _, g := range b.Groups {
			switch {
			case g.Values[0] != "slow" && g.Kind.established():
				others++
			case g.Kind == GroupKind(ChangeSlower):
				found++
			case g.Values[0] == "slow" && g.Kind != GroupKind(ChangeDescribes): // noise may seem to last in few requests
				t.Errorf("seed %d: the slow group is %s: %s", seed, g.Kind, g.Verdict.Reason)
			}
		}
	}
	// 5 % of some 60 are 3; 9 or more come by chance once in a hundred times.
	if found < 50 || others > 8 {
		t.Errorf("of %d slow groups %d are found, and %d others", pairs, found, others)
	}
}

// TestGroupOfAllIsTheComparison: a group that holds all requests has the figures of the whole.
func TestGroupOfAllIsTheComparison(t *testing.T) {
	one := modelsInTurn("m")
	fail := func(i int, _ *rand.Rand, g *given) { g.err = i%20 == 0 }
	for _, n := range []int{0, 1, 19, 20, 150, 1200} {
		base, new := modelled(traffic(3, max(n, 1), fail), one), modelled(traffic(4, n, func(i int, random *rand.Rand, g *given) {
			fail(i, random, g)
			g.times[stage.GPU] += random.Int64N(200) * ms
			g.tokens += random.Int64N(30)
		}), one)
		c := Compare(base, new, Options{Replicates: 100, By: keysOf(t, "model,status"), Errors: Include}, change.Rule{})
		all := Compare(base, new, Options{Replicates: 100, By: keysOf(t, "model"), Errors: Include}, change.Rule{})
		if len(all.By.Groups) != 1 || n > 19 && len(c.By.Groups) != 2 {
			t.Fatalf("n = %d: %d and %d groups", n, len(all.By.Groups), len(c.By.Groups))
		}
		whole, group := all.Metrics[0], all.By.Groups[0].Duration
		if group.N != whole.N || len(group.Percentiles) != len(whole.Percentiles) {
			t.Errorf("n = %d: %d requests and %d percentiles, want %d and %d", n, group.N, len(group.Percentiles), whole.N, len(whole.Percentiles))
			continue
		}
		changed := all.By.Groups[0].Kind.established() || all.By.Groups[0].Kind == GroupKind(ChangeDescribes)
		if changed != (n >= 150) {
			t.Errorf("n = %d: it is %s", n, all.By.Groups[0].Kind)
		}
		change.Judge([]*change.Result{whole.Result}, nil, change.DefaultRule()) // of one group as the only thing tested
		for i, p := range whole.Percentiles {
			q := group.Percentiles[i]
			// Starts are not gathered for groups that are too small to judge.
			if q.Incidents = p.Incidents; min(whole.N[0], whole.N[1]) < 20 {
				p.Ratio, q.Ratio = stat.Estimate{Value: p.Ratio.Value}, stat.Estimate{Value: q.Ratio.Value}
			}
			if !changed {
				p.Workload = nil
			}
			if diff := unequal(p, q, gocmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("n = %d (-whole +group):\n%s", n, diff)
			}
		}
		if min(whole.N[0], whole.N[1]) >= 20 {
			whole.Mean.Total.Stands, group.Mean.Total.Stands = false, false // over other families
			if !changed {
				whole.Mean.Parts = nil
			}
			for _, parts := range [][]change.Figure{whole.Mean.Parts, group.Mean.Parts} {
				for i := range parts {
					parts[i].Stands = false
				}
			}
			if diff := unequal(whole.Mean, group.Mean, gocmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("n = %d, mean (-whole +group):\n%s", n, diff)
			}
		}
	}
}

// TestCompareByCountsEveryRequest: groups hold every request that the filter keeps once, and say
// the same whatever the order of the rows and the number of workers.
func TestCompareByCountsEveryRequest(t *testing.T) {
	kinds := map[GroupKind]int{}
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(1, 1000).Draw(t, "seed")
		drawn := func(seed uint64, name string) []given {
			return traffic(seed, rapid.IntRange(0, 120).Draw(t, name), func(i int, random *rand.Rand, g *given) {
				g.err = random.IntN(10) == 0
				if random.IntN(15) == 0 {
					g.class, g.reason = critical.Class(random.IntN(4)), "a part is missing"
				}
			})
		}
		of := func(list []given) *table.Set {
			set := tables(list)
			for i, g := range list {
				set.Requests.Model[i] = set.Symbols.Intern([]string{"", "a", "b", "c"}[g.id%7%4])
				if g.id%7 == 3 && seed%2 == 0 {
					set.Requests.Error[i] = true // all of one group
				}
			}
			return set
		}
		base, new := drawn(seed, "base"), drawn(seed+1, "new")
		keys := rapid.SampledFrom([]string{"model", "model,status", "status@(error ok)", "prompt_tokens,model", "output_tokens@num", "e2e"}).Draw(t, "keys")
		opt := Options{Replicates: 20, By: keysOf(t, keys), Listed: rapid.SampledFrom([]int{-1, 0, 60}).Draw(t, "listed"), Errors: rapid.SampledFrom([]Inclusion{Exclude, Include}).Draw(t, "errors")}
		c := Compare(of(base), of(new), opt, change.Rule{})
		var n, left [2]int64
		groups := c.By.OtherGroups
		seen := map[string]bool{}
		for i, g := range c.By.Groups {
			groups++
			kinds[g.Kind]++
			if seen[joinedValues(g.Values)] {
				t.Fatalf("%q is there twice", g.Values)
			}
			seen[joinedValues(g.Values)] = true
			if i > 0 && !strings.Contains(keys, "@") && c.By.Groups[i-1].Kind.place() > g.Kind.place() {
				t.Fatalf("%s comes before %s", c.By.Groups[i-1].Kind, g.Kind)
			}
			for s := range n {
				n[s], left[s] = n[s]+g.N[s], left[s]+g.LeftOut[s]
				if g.Duration.N[s] != g.N[s] {
					t.Fatalf("%q: %d requests of %d", g.Values, g.Duration.N[s], g.N[s])
				}
			}
		}
		for s, side := range []Side{c.Base, c.New} {
			if p := side.Population; n[s]+c.By.Others.N[s] != p.N || left[s]+c.By.Others.LeftOut[s] != p.Requests-p.N {
				t.Fatalf("side %d: %d and %d left out, %+v, want %d of %d", s, n[s], left[s], c.By.Others, p.N, p.Requests)
			}
		}
		for _, k := range c.By.Kinds {
			groups -= k.N
		}
		if groups != 0 {
			t.Fatalf("%d groups are not counted", groups)
		}
		random := rand.New(rand.NewPCG(seed, 1))
		for _, side := range [][]given{base, new} {
			random.Shuffle(len(side), func(i, j int) { side[i], side[j] = side[j], side[i] })
		}
		opt.Workers = 3
		if diff := unequal(c.By, Compare(of(base), of(new), opt, change.Rule{}).By, gocmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Fatalf("another order of rows (-before +after):\n%s", diff)
		}
	})
	for _, k := range []GroupKind{GroupOnlyBase, GroupOnlyNew, GroupLeftOut, GroupKind(ChangeTooFew), GroupKind(ChangeSame)} {
		if kinds[k] == 0 {
			t.Errorf("no group was ever %s: %v", k, kinds)
		}
	}
}

// TestGroupsWithoutCounterpart: what only one side has is told, and what is on both and failed on
// one is not taken for it. Of groups that all changed the mix is told, and nothing else.
func TestGroupsWithoutCounterpart(t *testing.T) {
	base := modelled(traffic(1, 900, nil), modelsInTurn("a", "b", "gone"))
	new := modelled(traffic(2, 900, func(i int, _ *rand.Rand, g *given) { g.err = i%9 == 1 }), modelsInTurn("a", "b", "a", "a", "b", "a", "a", "come", "a"))
	for i := range new.Requests.Len() {
		if i%9 == 4 {
			new.Requests.Error[i] = true
		}
	}
	c := Compare(base, new, Options{Replicates: 100, By: keysOf(t, "model")}, change.Rule{})
	for model, want := range map[string]struct {
		kind    GroupKind
		n, left [2]int64
	}{
		"a": {GroupKind(ChangeSame), [2]int64{300, 600}, [2]int64{}}, "b": {GroupLeftOut, [2]int64{300, 0}, [2]int64{0, 200}},
		"gone": {GroupOnlyBase, [2]int64{300, 0}, [2]int64{}}, "come": {GroupOnlyNew, [2]int64{0, 100}, [2]int64{}},
	} {
		if g := groupOf(t, c.By, model); g.Kind != want.kind || g.N != want.n || g.LeftOut != want.left {
			t.Errorf("%s: %s, %d and %d left out, want %v", model, g.Kind, g.N, g.LeftOut, want)
		}
	}
	if !c.By.Mix.Shifted || c.By.Alone != nil || c.By.Bands != nil {
		t.Errorf("the mix is %+v, alone is %v, bands are %v", c.By.Mix, c.By.Alone, c.By.Bands)
	}
	for i := range new.Requests.Len() {
		new.Requests.Model[i] = table.Sym(0)
	}
	alone := Compare(base, new, Options{Replicates: 20, By: keysOf(t, "route,model")}, change.Rule{}).By
	if !slices.Equal(alone.Alone, []KeyAlone{{"model", change.Base}}) || len(alone.Groups) != 4 {
		t.Errorf("%v alone, %d groups", alone.Alone, len(alone.Groups))
	}
}

// TestGroupsInFewBlocks: a group that was there in two bursts has two blocks of time, whatever
// the capture has, and nothing is predicted of it.
func TestGroupsInFewBlocks(t *testing.T) {
	burst := func(late int64) func(int, *rand.Rand, *given) {
		return func(i int, random *rand.Rand, g *given) {
			if i%4 > 0 {
				return
			}
			g.start = g.start/(3600_000*ms)*(3600_000*ms) + int64(i/4%2)*1800_000*ms + random.Int64N(1000)*ms
			g.times[stage.GPU] += late * ms
		}
	}
	c := Compare(modelled(traffic(1, 1200, burst(0)), modelsInTurn("burst", "a", "b", "c")), modelled(traffic(2, 1200, burst(900)), modelsInTurn("burst", "a", "b", "c")),
		Options{Replicates: 100, By: keysOf(t, "model")}, change.Rule{})
	g := groupOf(t, c.By, "burst")
	if g.Kind != GroupKind(ChangeDescribes) || g.Duration.Blocks.N != [2]int{2, 2} || c.Blocks.N[0] < 10 {
		t.Errorf("%s with %v blocks of %v", g.Kind, g.Duration.Blocks.N, c.Blocks.N)
	}
}

// TestKeyBands: numbers of many values are put into bands that hold them, others are not.
func TestKeyBands(t *testing.T) {
	base, new := tables(traffic(1, 300, nil)), tables(traffic(2, 300, nil))
	for _, c := range []struct {
		keys  string
		bands []string // of the groups
	}{
		{"output_tokens@num", []string{"20-49", "50-99"}},
		{"status", nil}, {"output_tokens@(20 21)", nil}, {"start", nil},
	} {
		by := Compare(base, new, Options{Replicates: 20, By: keysOf(t, c.keys)}, change.Rule{}).By
		var names []string
		for _, g := range by.Groups {
			names = append(names, g.Values[0])
		}
		if (by.Bands != nil) != (c.bands != nil) || c.bands != nil && !slices.Equal(names, c.bands) {
			t.Errorf("%s: %v, %v", c.keys, by.Bands, names)
		}
	}
	for _, c := range []struct {
		v    float64
		of   scale
		want string
		low  float64
	}{
		{0, scaleFraction, "0", 0}, {-1, scaleWhole, "-1", -1}, {-20, scaleWhole, "-49 to -20", -49}, {-500, scaleWhole, "-999 to -500", -999},
		{.25, scaleFraction, "0.2 to 0.5", .2}, {.5, scaleFraction, "0.5 to 1", .5}, {1.5, scaleFraction, "1 to 2", 1}, {499.5, scaleFraction, "200 to 500", 200},
		{-2.5, scaleFraction, "-5 to -2", -5}, {-.003, scaleFraction, "-0.005 to -0.002", -.005}, {3e-9, scaleFraction, "2e-09 to 5e-09", 2e-9},
		{math.MaxFloat64, scaleFraction, "1e+308 to +Inf", 1e308}, {math.SmallestNonzeroFloat64, scaleFraction, "5e-324 to 1e-323", 5e-324},
		{0, scaleWhole, "0", 0}, {1, scaleWhole, "1", 1}, {2, scaleWhole, "2-4", 2}, {9, scaleWhole, "5-9", 5}, {10, scaleWhole, "10-19", 10},
		{999, scaleWhole, "500-999", 500}, {1000, scaleWhole, "1000-1999", 1000}, {9.9e8, scaleTime, "500ms to 1s", 5e8}, {1e9, scaleTime, "1s to 2s", 1e9},
	} {
		if low, got := bandOf(c.v, c.of); got != c.want || low != c.low {
			t.Errorf("%v: %s from %v, want %s", c.v, got, low, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(0, math.MaxInt64).Draw(t, "a"), rapid.Int64Range(0, 1<<40).Draw(t, "b")
		lowA, nameA := bandOf(float64(a), scaleWhole)
		lowB, nameB := bandOf(float64(b), scaleWhole)
		if lowA > float64(a) || a > 0 && float64(a) > lowA*2.5*(1+1e-12) || (nameA == nameB) != (lowA == lowB) || cmp.Compare(lowA, lowB)*cmp.Compare(a, b) < 0 {
			t.Fatalf("%d is in %s, %d in %s", a, nameA, b, nameB)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e20, 1e20).Draw(t, "v")
		if v *= math.Pow10(rapid.IntRange(-40, 0).Draw(t, "power")); v == 0 {
			return
		}
		low, name := bandOf(v, scaleFraction)
		otherLow, other := bandOf(-v, scaleFraction)
		if low > v || name == other || otherLow > -v || math.Abs(v) > math.Max(low, otherLow)*2.5*(1+1e-12) {
			t.Fatalf("%v is in %s, %v in %s", v, name, -v, other)
		}
	})
}
