package serving

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// TestStretches: windows are joined into few, and what is left over is not for itself unless
// it is half as long.
func TestStretches(t *testing.T) {
	for _, c := range []struct {
		to, window int64
		most       []int
		want       []int64 // ends
	}{
		{0, 10, []int{3}, nil}, {100, 10, nil, nil}, {30, 10, []int{3}, []int64{10, 20, 30}}, {70, 10, []int{3}, []int64{30, 70}},
		{80, 10, []int{3}, []int64{30, 60, 80}}, {45, 10, []int{5}, []int64{10, 20, 30, 40, 45}}, {44, 10, []int{5}, []int64{10, 20, 30, 44}},
		{100, 10, []int{5, 2}, []int64{60, 100}}, {100, 10, []int{0}, []int64{100}}, {mostWindows*10 + 1, 10, []int{3}, nil},
	} {
		var got []int64
		for i, s := range Stretches(0, c.to, c.window, c.most...) {
			if i > 0 && s.FromNS != got[i-1] || i == 0 && s.FromNS != 0 {
				t.Errorf("%v: stretch %d begins at %d", c, i, s.FromNS)
			}
			got = append(got, s.ToNS)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c, got)
		}
	}
}

// TestHeld has 0 for 5 ns, 1 for 3 and 7 for 2.
func TestHeld(t *testing.T) {
	h := Sum(Held{[]int64{0, 1}, []int64{4, 1}}, Held{[]int64{0, 1, 7}, []int64{1, 2, 2}})
	if h.Length() != 10 || !slices.Equal(h.N, []int64{0, 1, 7}) || !slices.Equal(h.NS, []int64{5, 3, 2}) {
		t.Fatalf("%+v", h)
	}
	for ns, want := range map[int64]int64{1: 0, 5: 0, 6: 1, 8: 1, 9: 7, 10: 7, 11: 7} {
		if n, ok := h.AtRank(ns); n != want || !ok {
			t.Errorf("%d ns: %d", ns, n)
		}
	}
	if below, at := h.UpTo(7); below != 8 || at != 2 {
		t.Errorf("%d ns below 7, %d at it", below, at)
	}
	if _, ok := (Held{}).AtRank(1); ok {
		t.Error("no time has a number")
	}
}

// TestPartsAreTheWhole: blocks and stretches lie one after the other from the start to the end,
// and what they hold adds up to the whole; no batch is larger than all engines together.
func TestPartsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(scales).Draw(t, "scale")
		c, opt := drawn(t, s)
		plain := Of(c, opt)
		opt.BlockNS, opt.Stretches = rapid.Int64Range(1, 20).Draw(t, "block")*s.unit, []int{rapid.IntRange(1, 5).Draw(t, "stretches")}
		r := Of(c, opt)
		at, arrivals, completions := r.FromNS, int64(0), int64(0)
		var inFlight []Held
		for _, b := range r.Blocks {
			if b.FromNS != at {
				t.Fatalf("a block begins at %d, not at %d", b.FromNS, at)
			}
			at, arrivals, completions = b.ToNS, arrivals+b.Arrivals, completions+b.Completions
			inFlight = append(inFlight, b.InFlightHeld)
			for _, l := range []struct {
				Level
				Held
			}{{b.InFlight, b.InFlightHeld}, {b.Waiting, b.WaitingHeld}, {b.Running, b.RunningHeld}} {
				var sum stat.Sum
				for i, n := range l.N {
					sum = sum.Plus(product(n, l.Held.NS[i]))
				}
				p95, _ := l.Quantile(stat.P95)
				if l.Length() != b.ToNS-b.FromNS || sum != l.Integral || p95 != l.P95 {
					t.Fatalf("%+v is not %+v", l.Held, l.Level)
				}
			}
		}
		if at != r.ToNS || arrivals != r.Whole.Arrivals || completions != r.Whole.Completions {
			t.Fatalf("blocks have %d arrivals and %d completions until %d", arrivals, completions, at)
		}
		whole := Sum(inFlight...)
		for p, want := range map[stat.Prob]int64{stat.P50: r.Whole.InFlight.P50, stat.P99: r.Whole.InFlight.P99, stat.P999: r.Whole.InFlight.P999} {
			if n, ok := whole.Quantile(p); ok && n != want {
				t.Fatalf("%s in flight: %d, want %d", p, n, want)
			}
		}
		var executing int64
		for i := range r.Engines {
			e := &r.Engines[i]
			var sum Use
			for _, u := range e.Over {
				sum = Use{sum.BusyNS + u.BusyNS, sum.PresentNS + u.PresentNS, sum.WaitingNS + u.WaitingNS, sum.IdleWaitingNS + u.IdleWaitingNS, sum.UnseenNS + u.UnseenNS}
			}
			if want := (Use{e.BusyNS, e.PresentNS, e.WaitingNS, e.IdleWaitingNS, e.UnseenNS}); sum != want || len(e.Over) != len(r.Stretches) {
				t.Fatalf("stretches %+v, the whole %+v", sum, want)
			}
			if e.Executing.NS != e.BusyNS || e.Executing.Integral != e.Spent[GPU] {
				t.Fatalf("executing %+v", e.Executing)
			}
			executing += e.Executing.NS
			e.Over = nil
		}
		if r.Executing.NS != executing {
			t.Fatalf("executing %+v", r.Executing)
		}
		r.Blocks, r.Stretches = nil, nil
		if d := cmp.Diff(plain, r, bySum); d != "" {
			t.Fatal(d)
		}
	})
}
