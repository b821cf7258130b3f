package analyze

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// looped are requests that clients send one after another.
func looped(seed uint64) []given {
	starts, ends := clients(seed, 400, 8, 1000*ms, ms)
	var out []given
	for i := range starts {
		out = append(out, given{id: seed<<32 + uint64(i), start: starts[i], times: times(stage.GPU, int(ends[i]-starts[i]))})
	}
	return out
}

// sided makes tables of traffic, of which every request is changed.
func sided(seed uint64, with func(i int, random *rand.Rand, g *given), after func(set *table.Set, row int)) *table.Set {
	set := tables(traffic(seed, 400, with))
	for row := range set.Requests.Len() {
		if after != nil {
			after(set, row)
		}
	}
	return set
}

// TestArtefactsOfOneSide: what one side alone has, that may make a difference by itself, is
// told with the side's name, whichever side it is, and is an artefact; what both have is told
// of both and is none.
func TestArtefactsOfOneSide(t *testing.T) {
	whole := func(step int64) func(int, *rand.Rand, *given) {
		return func(i int, random *rand.Rand, g *given) {
			*g = given{id: g.id, start: g.start / step * step, times: times(stage.GPU, int(step*(1+random.Int64N(4))))}
		}
	}
	for _, c := range []struct {
		id, is   string
		has, too *table.Set
	}{
		{ClosedLoop, "a closed loop", tables(looped(1)), tables(looped(2))},
		{WholeSeconds, "times in whole steps of 1 s", sided(1, whole(1000*ms), nil), sided(2, whole(1000*ms), nil)},
		{OneSideBiased, "kept traces alone", sided(1, func(i int, _ *rand.Rand, g *given) { g.weight = float64(1 + i%2) }, nil), sided(2, func(i int, _ *rand.Rand, g *given) { g.weight = float64(i % 2) }, nil)},
		{
			CoarseTimes, "durations that may be off by 1 s",
			sided(1, nil, func(set *table.Set, row int) { set.Requests.DurationError[row] = 1000 * ms }),
			sided(2, nil, func(set *table.Set, row int) { set.Requests.DurationError[row] = 1000 * ms }),
		},
		{Survivorship, "slow requests that were left out", longLeftOut(1), longLeftOut(2)},
	} {
		plain := sided(5, nil, nil)
		for side, sets := range [2][2]*table.Set{{c.has, plain}, {plain, c.has}} {
			got := Compare(sets[0], sets[1], Options{Replicates: 20}, change.Rule{})
			if want := []Artefact{{c.id, side, c.is}}; !slices.Equal(got.Artefacts, want) {
				t.Errorf("%s in %s: artefacts %v", c.id, sideNames[side], got.Artefacts)
			}
			if !slices.ContainsFunc(got.Warnings, func(w stat.Warning) bool {
				return w.ID == c.id && strings.HasPrefix(w.Text, sideNames[side]+": ")
			}) {
				t.Errorf("%s in %s: %v", c.id, sideNames[side], got.Warnings)
			}
		}
		got := Compare(c.has, c.too, Options{Replicates: 20}, change.Rule{})
		if len(got.Artefacts) != 0 || !hasWarning(got.Warnings, c.id) {
			t.Errorf("%s on both sides: %v, %v", c.id, got.Artefacts, got.Warnings)
		}
	}
	// Of one kind, and not of one size.
	got := Compare(sided(1, whole(1000*ms), nil), sided(2, whole(100*ms), nil), Options{Replicates: 20}, change.Rule{})
	if want := []Artefact{{WholeSeconds, 0, "times in whole steps of 1 s"}, {WholeSeconds, 1, "times in whole steps of 100 ms"}}; !slices.Equal(got.Artefacts, want) {
		t.Errorf("steps of 1 s against 100 ms: %v", got.Artefacts)
	}
}

// TestFewWithinAStepAreNoArtefact: some requests that began and ended within one step of
// their clock are told of, and no figure is an artefact of theirs.
func TestFewWithinAStepAreNoArtefact(t *testing.T) {
	short := sided(1, func(i int, _ *rand.Rand, g *given) {
		if i%50 == 0 {
			*g = given{id: g.id, start: g.start}
		}
	}, func(set *table.Set, row int) {
		if set.Requests.Duration[row] == 0 {
			set.Requests.DurationError[row], set.Requests.Resolution[row] = ms, ms
			set.Requests.RootRow[row] = int32(set.Spans.Grow()) // which claims to be exact
		}
	})
	got := Compare(short, sided(2, nil, nil), Options{Replicates: 20}, change.Rule{})
	if !hasWarning(got.Warnings, WholeSeconds) {
		t.Fatalf("nothing is said of them: %v", got.Warnings)
	}
	for _, a := range got.Artefacts {
		if a.ID == WholeSeconds || a.ID == CoarseTimes {
			t.Errorf("artefact %q", a.Is)
		}
	}
}

// TestErrorRateLeavesOutWhatWasGivenUp: a comparison counts the failures that a summary does.
func TestErrorRateLeavesOutWhatWasGivenUp(t *testing.T) {
	with := func(seed uint64) *table.Set {
		return sided(seed, nil, func(set *table.Set, row int) {
			set.Requests.Error[row] = row%10 < 3
			set.Requests.Aborted[row] = row%10 < 2
		})
	}
	c := Compare(with(1), with(2), Options{Replicates: 20, Errors: Include}, change.Rule{})
	s := Summarize(with(1), Options{Replicates: 20, Errors: Include})
	for _, r := range c.Rates {
		if got, want := r.Count[change.Base], s.Population.Errors.N; r.Name == RateErrors && (got != want || got == 0) {
			t.Errorf("%d failed in the comparison, %d in the summary", got, want)
		}
	}
}

// longLeftOut is traffic with requests that never ended.
func longLeftOut(seed uint64) *table.Set {
	list := traffic(seed, 400, nil)
	for i := range 10 {
		list = append(list, given{id: seed<<32 + uint64(1000+i), start: list[0].start, class: critical.Unfinished})
	}
	return tables(list)
}

// TestComparisonsWarnAsSummariesDo: whatever a summary of a side warns of, but for what a
// comparison does not show, it warns of too.
func TestComparisonsWarnAsSummariesDo(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	ids := map[string]string{
		KeptTraces: OneSideBiased, UniformWeights: UniformWeights, MixedBasis: MixedBasis, FirstChunk: FirstChunk, SpanAccount: SpanAccount, NotJoined: NotJoined,
		OtherZone: OtherZone, CoarseTimes: CoarseTimes, WholeSeconds: WholeSeconds, ClosedLoop: ClosedLoop, Survivorship: Survivorship,
	}
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		var sets [2]*table.Set
		for s := range sets {
			seed := uint64(s + 1)
			sets[s] = rapid.SampledFrom([]func() *table.Set{
				func() *table.Set { return sided(seed, nil, nil) },
				func() *table.Set { return tables(looped(seed)) },
				func() *table.Set { return longLeftOut(seed) },
				func() *table.Set { return sided(seed, func(_ int, _ *rand.Rand, g *given) { g.weight = 4 }, nil) },
				func() *table.Set {
					return sided(seed, func(i int, _ *rand.Rand, g *given) {
						g.basis = []string{"event", "the caller's first chunk event, which may be empty"}[i%2]
					}, nil)
				},
				func() *table.Set {
					return sided(seed, nil, func(set *table.Set, row int) { set.Requests.SpansIn[row]++ })
				},
			}).Draw(t, sideNames[s])()
			coarse := rapid.Bool().Draw(t, "coarse")
			for row := range sets[s].Requests.Len() {
				if coarse {
					sets[s].Requests.DurationError[row] = 1000 * ms
				}
			}
		}
		c := Compare(sets[0], sets[1], Options{Replicates: 20}, change.Rule{})
		for s, set := range sets {
			for _, w := range Summarize(set, Options{Replicates: 20}).Warnings {
				id, shown := ids[w.ID]
				if !shown {
					continue
				}
				seen[w.ID] = true
				if !slices.ContainsFunc(c.Warnings, func(o stat.Warning) bool {
					return o.ID == id && strings.HasPrefix(o.Text, sideNames[s]+": ") && (w.ID == KeptTraces || w.ID == UniformWeights || w.ID == MixedBasis || o.Text == sideNames[s]+": "+w.Text)
				}) {
					t.Fatalf("of %s a summary says %v, and a comparison %v", sideNames[s], w, c.Warnings)
				}
			}
		}
	})
	for _, id := range []string{UniformWeights, MixedBasis, FirstChunk, SpanAccount, CoarseTimes, ClosedLoop, Survivorship} {
		if !seen[id] {
			t.Errorf("%s was never met", id)
		}
	}
}

// TestUnlikeLeftOut: many requests of one side alone have no times.
func TestUnlikeLeftOut(t *testing.T) {
	broken := func(seed uint64, n int) *table.Set {
		return tables(append(traffic(seed, 400, nil), many(n, 9000, given{class: critical.Broken})...))
	}
	for n, want := range map[int]bool{0: false, 15: false, 60: true} {
		for _, sets := range [][2]*table.Set{{broken(1, n), broken(2, 0)}, {broken(1, 0), broken(2, n)}} {
			if got := hasWarning(Compare(sets[0], sets[1], Options{Replicates: 20}, change.Rule{}).Warnings, UnlikeLeftOut); got != want {
				t.Errorf("%d of %d left out on one side: told %v", n, 400+n, got)
			}
		}
	}
	if hasWarning(Compare(broken(1, 60), broken(2, 60), Options{Replicates: 20}, change.Rule{}).Warnings, UnlikeLeftOut) {
		t.Error("as many are left out on both sides")
	}
}
