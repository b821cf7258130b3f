package attribution

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

func rat(n, d int64) *big.Rat { return big.NewRat(n, d) }

func groupOf(values ...int64) (g Group) {
	for _, v := range values {
		g.Add(v)
	}
	return g
}

// TestStratifyParadox has a tail that is no slower within either stratum and slower as a
// whole: all of its excess lies between the strata.
func TestStratifyParadox(t *testing.T) {
	s := Stratify([]Group{groupOf(10), groupOf(100, 100, 100)}, []Group{groupOf(10, 10, 10), groupOf(100)})
	if s.Within.Sign() != 0 || s.Between.Cmp(rat(45, 1)) != 0 || s.Excess.Cmp(rat(45, 1)) != 0 {
		t.Errorf("within %v, between %v of %v; want 0, 45 of 45", s.Within, s.Between, s.Excess)
	}
	// The tail has more of the slow stratum and less of the fast one: either is half of it.
	for h, e := range s.Each {
		if e.Between.Cmp(rat(45, 2)) != 0 {
			t.Errorf("stratum %d gives %v, want 45/2", h, e.Between)
		}
	}
}

func TestStratifyOfAMissingStratum(t *testing.T) {
	s := Stratify([]Group{groupOf(10), groupOf(100)}, []Group{groupOf(10, 10), {}})
	if s.Within.Sign() != 0 || s.Between.Cmp(rat(45, 1)) != 0 {
		t.Errorf("within %v, between %v; want 0, 45", s.Within, s.Between)
	}
	if s = Stratify([]Group{groupOf(10)}, []Group{{}}); s.Excess.Sign() != 0 {
		t.Errorf("an excess of %v over nothing", s.Excess)
	}
}

func TestStrataAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		strata := rapid.IntRange(1, 5).Draw(t, "strata")
		draw := func(name string) (out []Group) {
			for range strata {
				out = append(out, groupOf(rapid.SliceOfN(rapid.Int64Range(0, 1e12), 0, 4).Draw(t, name)...))
			}
			return out
		}
		tail, body := draw("tail"), draw("body")
		s := Stratify(tail, body)
		if sum := new(big.Rat).Add(s.Within, s.Between); sum.Cmp(s.Excess) != 0 {
			t.Fatalf("within and between add up to %v, not to the excess %v", sum, s.Excess)
		}
		within, between := new(big.Rat), new(big.Rat)
		for _, e := range s.Each {
			within.Add(within, e.Within)
			between.Add(between, e.Between)
		}
		if within.Cmp(s.Within) != 0 || between.Cmp(s.Between) != 0 {
			t.Fatal("the strata do not add up to within and between")
		}
		if a, b := total(tail), total(body); a.N > 0 && b.N > 0 {
			if want := new(big.Rat).Sub(a.Sum.Mean(a.N), b.Sum.Mean(b.N)); s.Excess.Cmp(want) != 0 {
				t.Fatalf("excess %v, want %v", s.Excess, want)
			}
		}
	})
}

// TestGroupsOfSplitsTheExcess compares the strata of a sample with its attribution.
func TestGroupsOfSplitsTheExcess(t *testing.T) {
	s := queueLoad{rate: .7}.capture(5, 1000)
	of := make([]int32, len(s.Value))
	for i := range of {
		of[i] = int32(i*i) % 3
	}
	r := Of(s, Options{Q: stat.P90, Replicates: 1})
	tail, body := s.GroupsOf(stat.P90, s.Parts[simQueue], of, 3)
	if got := float(Stratify(tail, body).Excess); got != r.Parts[simQueue].Excess.Value {
		t.Errorf("excess by strata %v, want %v", got, r.Parts[simQueue].Excess.Value)
	}
}

func TestWorkOrSpeedGolden(t *testing.T) {
	// 100 tokens at 20 ns against 50 tokens at 10 ns: 1500 ns more, of which 50 tokens at
	// 15 ns are 750 and 10 ns on 75 tokens 750.
	var tail, body Done
	tail.Add(2000, 100)
	body.Add(500, 50)
	w, ok := WorkOrSpeed(tail, body)
	if !ok || w.Excess.Cmp(rat(1500, 1)) != 0 || w.Work.Cmp(rat(750, 1)) != 0 || w.Speed.Cmp(rat(750, 1)) != 0 {
		t.Errorf("%v: work %v, speed %v of %v", ok, w.Work, w.Speed, w.Excess)
	}
	// A body that had nothing to do has no speed to compare.
	w, ok = WorkOrSpeed(tail, Done{N: 3})
	if !ok || w.Speed.Sign() != 0 || w.Work.Cmp(rat(2000, 1)) != 0 {
		t.Errorf("%v: work %v, speed %v", ok, w.Work, w.Speed)
	}
	if _, ok = WorkOrSpeed(tail, Done{}); ok {
		t.Error("a comparison with nobody")
	}
	if _, ok = WorkOrSpeed(tail, Done{N: 1, Time: stat.SumOf(5)}); ok {
		t.Error("a rate of no tokens")
	}
}

func TestWorkAndSpeedAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (d Done) {
			for range rapid.IntRange(1, 5).Draw(t, name) {
				d.Add(rapid.Int64Range(0, 1e12).Draw(t, "ns"), rapid.Int64Range(0, 1e5).Draw(t, "tokens"))
			}
			return d
		}
		tail, body := draw("tail"), draw("body")
		w, ok := WorkOrSpeed(tail, body)
		if !ok {
			if (tail.Tokens.Sign() > 0 || tail.Time.Sign() == 0) && (body.Tokens.Sign() > 0 || body.Time.Sign() == 0) {
				t.Fatal("nothing keeps this from being split")
			}
			return
		}
		if sum := new(big.Rat).Add(w.Work, w.Speed); sum.Cmp(w.Excess) != 0 {
			t.Fatalf("work and speed add up to %v, not to the excess %v", sum, w.Excess)
		}
	})
}
