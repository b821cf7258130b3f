package analyze

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestCompareMissed counts by hand who missed an objective on either side: who took too long, and
// who failed; and of the others who had no count of tokens nobody can be asked for time per token.
func TestCompareMissed(t *testing.T) {
	const limit = 800 * ms
	base := traffic(1, 2000, nil)
	new := traffic(2, 2000, func(i int, random *rand.Rand, g *given) {
		g.times[stage.Queue] += random.Int64N(300) * ms
		g.err = i%50 == 0
		if i%4 == 1 {
			g.tokens = 0
		}
	})
	count := func(requests []given) (n int64) {
		for _, g := range requests {
			if g.err || g.duration() >= limit {
				n++
			}
		}
		return n
	}
	opt := Options{Replicates: 200, Objectives: slo(t, "p99(e2e) < 800ms", "90%(e2e < 1h and tpot < 1h)").Objectives}
	a, b := tables(base), tables(new)
	c := Compare(a, b, opt, change.Rule{})
	m := c.Missed[0]
	if m.Count != [2]int64{count(base), count(new)} || m.Of != [2]int64{2000, 2000} || m.Outcome != change.Slower || !m.Difference.HasBounds || m.Undefined[0] != nil || m.Undefined[1] != nil {
		t.Errorf("%+v, want %d and %d", m, count(base), count(new))
	}
	// No request is both without tokens and failed: these are even, those odd.
	joint := c.Missed[1]
	if joint.Of[0] != 2000 || joint.Count != [2]int64{0, 40} || len(joint.Undefined[1]) != 1 || joint.Of[1]+joint.Undefined[1][0].N != 2000 {
		t.Errorf("%+v %+v", joint.Rate, joint.Undefined)
	}
	if n := len(c.Rates); n != 5 || c.Rates[3] != c.Missed[0].Rate || c.Rates[4] != joint.Rate || c.Rates[3].Name != "missed p99(e2e) < 800ms" {
		t.Errorf("%d rates", n)
	}
	back := Compare(b, a, opt, change.Rule{})
	if r := back.Missed[0]; r.Outcome != change.Faster || r.Count != [2]int64{m.Count[1], m.Count[0]} || r.Difference.Value != -m.Difference.Value {
		t.Errorf("swapped: %+v", r.Rate)
	}
}

// TestMissedIsWhatASummaryCounts, whatever the requests are, and in whatever order they come.
func TestMissedIsWhatASummaryCounts(t *testing.T) {
	objectives := slo(t, "p99(e2e) < 700ms", "95%(ttft < 120ms and tpot <= 11ms)", "p90(itl) < 1s").Objectives
	missed := 0
	rapid.Check(t, func(t *rapid.T) {
		var sides [2]*table.Set
		for s := range sides {
			p := drawPlant(t)
			sides[s], _ = p.build()
		}
		opt := Options{Replicates: 20, Objectives: objectives, Errors: rapid.SampledFrom([]Inclusion{Exclude, Include}).Draw(t, "errors")}
		c := Compare(sides[0], sides[1], opt, change.Rule{})
		for s, set := range sides {
			for i, o := range Summarize(set, opt).Objectives {
				m := c.Missed[i]
				if m.Of[s] != o.Asked || m.Count[s] != o.Asked-o.Good || unequal(o.Undefined, m.Undefined[s]) != "" {
					t.Fatalf("%s: %d of %d missed it, want %d of %d", o.Objective, m.Count[s], m.Of[s], o.Asked-o.Good, o.Asked)
				}
				missed += int(m.Count[s])
			}
		}
	})
	if missed == 0 {
		t.Error("nothing was ever missed")
	}
}

// TestMissedOfNothing: without requests nothing was missed, and nothing can be said.
func TestMissedOfNothing(t *testing.T) {
	opt := Options{Objectives: slo(t, "p99(e2e) < 1s").Objectives}
	empty, some := table.NewSet(), tables(traffic(1, 50, nil))
	for _, pair := range [][2]*table.Set{{empty, empty}, {empty, some}, {some, empty}} {
		m := Compare(pair[0], pair[1], opt, change.Rule{}).Missed[0]
		if m.Outcome != change.TooFew || m.Difference.HasBounds || m.Chance != 1 {
			t.Errorf("%+v", m.Rate)
		}
	}
}

// TestSetsOfSeveralModels are alike when they have one in common.
func TestSetsOfSeveralModels(t *testing.T) {
	of := func(seed uint64, models ...string) *table.Set {
		set := tables(traffic(seed, 100, nil))
		for i := range set.Requests.Len() {
			set.Requests.Model[i] = set.Symbols.Intern(models[i%len(models)])
		}
		return set
	}
	for _, c := range []struct {
		base, new []string
		refused   string
	}{
		{[]string{"a", "b"}, []string{"b", "c"}, ""},
		{[]string{"a", "b"}, []string{"", "b"}, ""},
		{[]string{"a", "b"}, []string{""}, ""},
		{[]string{"a", "b", "a"}, []string{"c", "d"}, "no model is on both sides: base has a, new c"},
		{[]string{"a"}, []string{"c", "d"}, "no model is on both sides: base has a, new c"},
		{[]string{"a"}, []string{"b"}, "the model is a in base and b in new"},
	} {
		got := Compare(of(1, c.base...), of(2, c.new...), Options{Replicates: 20}, change.Rule{})
		if why := strings.Join(got.Refused(), "; "); why != c.refused {
			t.Errorf("%v and %v: refused %q, want %q", c.base, c.new, why, c.refused)
		}
		for _, u := range got.Likeness.Untold {
			if c.refused != "" && strings.Contains(u, "model") {
				t.Errorf("%v and %v: untold %q", c.base, c.new, u)
			}
		}
		forced := Compare(of(1, c.base...), of(2, c.new...), Options{Replicates: 20, Force: true}, change.Rule{})
		told := 0
		for _, w := range forced.Warnings {
			if strings.Contains(w.Text, "model") {
				told++
			}
		}
		if told != min(1, len(c.refused)) {
			t.Errorf("%v and %v: forced, told %d times: %v", c.base, c.new, told, forced.Warnings)
		}
	}
}

// TestFewRequestsAreNotRefused: of six requests on either side chance alone parts the medians, and
// the answer is that there are too few.
func TestFewRequestsAreNotRefused(t *testing.T) {
	refused, apart := 0, 0
	for seed := range uint64(40) {
		c := Compare(tables(traffic(2*seed+1, 6, nil)), tables(traffic(2*seed+2, 6, nil)), Options{Replicates: 20}, change.Rule{})
		if c.Refused() != nil {
			refused++
		}
		for _, u := range c.Likeness.Untold {
			if strings.Contains(u, "output tokens is ") {
				apart++
			}
		}
		if c.Verdict.Kind != ChangeTooFew {
			t.Fatalf("%s", c.Verdict.Kind)
		}
	}
	if refused > 2 || apart < 12 {
		t.Errorf("of 40 pairs %d are refused, and the medians of %d are told to be apart", refused, apart)
	}
}
