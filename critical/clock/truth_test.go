package clock

import (
	"testing"
)

// TestPlantedTruth checks, on simulated calls, that the true offset lies within
// Offset ± Error wherever Known, that it is known nearly always, and that the error
// is of the size of what the calls allow.
func TestPlantedTruth(t *testing.T) {
	quick := traffic{caller: "a", server: "b", from: noon, to: noon + hour, calls: 3600,
		least: [2]int64{100 * us, 100 * us}, mean: [2]int64{200 * us, 200 * us}}
	with := func(change func(*traffic)) traffic {
		t := quick
		change(&t)
		return t
	}
	cases := []struct {
		name    string
		clocks  map[string]shows
		traffic []traffic
		known   float64 // least share of instants
		mean    int64   // largest mean error
		outside float64 // largest share of known instants outside
		windows [2]int  // fewest and most windows of b
	}{
		{"true clocks", map[string]shows{"a": exact, "b": exact}, []traffic{quick}, 1, 150 * us, 0, [2]int{1, 1}},
		{"constant", map[string]shows{"a": exact, "b": ahead(30 * ms)}, []traffic{quick}, 1, 300 * us, 0, [2]int{1, 1}},
		{"behind", map[string]shows{"a": ahead(2 * ms), "b": ahead(-40 * ms)}, []traffic{quick}, 1, 300 * us, 0, [2]int{1, 1}},
		{"drift", map[string]shows{"a": exact, "b": drifting(0, 50_000)}, []traffic{quick}, 1, 700 * us, 0, [2]int{100, 1200}},
		{"drift of both", map[string]shows{"a": drifting(0, -30_000), "b": drifting(7*ms, 40_000)}, []traffic{quick}, 1, 700 * us, 0, [2]int{100, 1200}},
		{"slow drift", map[string]shows{"a": exact, "b": drifting(5*ms, 100)}, []traffic{quick}, 1, 700 * us, 0, [2]int{1, 10}},
		{"step", map[string]shows{"a": exact, "b": stepped(noon+hour/3, 10*ms, 90*ms)}, []traffic{quick}, 0.995, 300 * us, 0.0006, [2]int{2, 2}},
		{"step back by an hour", map[string]shows{"a": exact, "b": stepped(noon+hour/2, hour, 0)}, []traffic{quick}, 0.995, 300 * us, 0.0006, [2]int{2, 2}},
		{"step in dense traffic", map[string]shows{"a": exact, "b": stepped(noon+hour/5, 10*ms, -2*ms)},
			[]traffic{with(func(t *traffic) { t.calls = 40_000 })}, 0.995, 300 * us, 0.0006, [2]int{2, 2}},
		{"late step, some wrong", map[string]shows{"a": exact, "b": stepped(noon+hour*59/60, 10*ms, 90*ms)},
			[]traffic{with(func(t *traffic) { t.wrong = 0.01 })}, 0.99, 600 * us, 0.001, [2]int{2, 2}},
		// The time of a clock that is set back comes twice; asked by it, either may be meant.
		{"set every two minutes", map[string]shows{"a": exact, "b": func(at int64) int64 { return at + (at-noon)/(120*sec)%5*100*ms }},
			[]traffic{quick}, 0.97, 700 * us, 0.003, [2]int{30, 60}},
		{"hours wrong", map[string]shows{"a": exact, "b": ahead(-5*hour + 123*ms)}, []traffic{quick}, 1, 300 * us, 0, [2]int{1, 1}},
		{"asymmetric", map[string]shows{"a": exact, "b": ahead(30 * ms)},
			[]traffic{with(func(t *traffic) { t.least = [2]int64{8 * ms, 50 * us}; t.mean = [2]int64{4 * ms, 100 * us} })}, 1, 9 * ms, 0, [2]int{1, 1}},
		{"one in a hundred wrong", map[string]shows{"a": exact, "b": ahead(30 * ms)},
			[]traffic{with(func(t *traffic) { t.wrong = 0.01 })}, 1, 600 * us, 0, [2]int{1, 1}},
		{"one in a hundred wrong, drift", map[string]shows{"a": exact, "b": drifting(0, 50_000)},
			[]traffic{with(func(t *traffic) { t.wrong = 0.01 })}, 0.99, 900 * us, 0, [2]int{100, 1200}},
		{"milliseconds", map[string]shows{"a": exact, "b": ahead(30*ms + 400*us)},
			[]traffic{with(func(t *traffic) { t.resolution = ms })}, 1, 3 * ms, 0, [2]int{1, 1}},
		{"few calls", map[string]shows{"a": exact, "b": ahead(30 * ms)},
			[]traffic{with(func(t *traffic) { t.calls = 5 })}, 0.6, 60 * ms, 0, [2]int{1, 1}},
		{"called back", map[string]shows{"a": exact, "b": ahead(-2 * hour)},
			[]traffic{quick, with(func(t *traffic) { t.caller, t.server, t.calls = "b", "a", 1200 })}, 1, 300 * us, 0, [2]int{1, 1}},
		{"called back, set between", map[string]shows{"a": exact, "b": stepped(noon+hour/2, -2*hour, -2*hour+80*ms)},
			[]traffic{quick, with(func(t *traffic) { t.caller, t.server, t.calls = "b", "a", 1200 })}, 0.995, 300 * us, 0.001, [2]int{2, 2}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(8) {
				w := newWorld(seed, c.clocks)
				for _, k := range c.traffic {
					w.run(k)
				}
				s := Solve(w.log())
				for _, asked := range [][]int64{instants(noon, noon+hour, 5000), w.at("a", "b")} {
					for _, way := range [][2]string{{"a", "b"}, {"b", "a"}} {
						v := w.judge(s, way[0], way[1], asked)
						if v.share() < c.known || v.mean > float64(c.mean) || float64(v.outside) > c.outside*float64(v.known) {
							t.Errorf("seed %d, %v: %+v", seed, way, v)
						}
					}
				}
				for _, e := range s.Clocks() {
					if e.Clock == "b" && (len(e.Windows) < c.windows[0] || len(e.Windows) > c.windows[1]) {
						t.Errorf("seed %d: %d windows", seed, len(e.Windows))
					}
				}
			}
		})
	}
}

// TestHosts checks clocks that are joined by others: a chain, a triangle, and a fan.
func TestHosts(t *testing.T) {
	clocks := map[string]shows{"a": exact, "b": ahead(30 * ms), "c": ahead(-3*hour + 5*ms), "d": drifting(ms, 20_000)}
	way := func(caller, server string, mean int64) traffic {
		return traffic{caller: caller, server: server, from: noon, to: noon + hour/4, calls: 900,
			least: [2]int64{50 * us, 50 * us}, mean: [2]int64{mean, mean}}
	}
	cases := []struct {
		name    string
		traffic []traffic
	}{
		{"chain", []traffic{way("a", "b", 200*us), way("b", "c", 300*us), way("c", "d", 300*us)}},
		{"triangle", []traffic{way("a", "b", 200*us), way("b", "c", 300*us), way("a", "c", 5*ms), way("a", "d", ms)}},
		{"fan", []traffic{way("a", "b", 200*us), way("a", "c", 300*us), way("a", "d", 300*us)}},
		{"the wrong clock calls", []traffic{way("c", "a", 200*us), way("c", "b", 300*us), way("b", "d", 300*us)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(3, clocks)
			for _, k := range c.traffic {
				w.run(k)
			}
			s := Solve(w.log())
			names := []string{"a", "b", "c", "d"}
			for _, from := range names {
				for _, to := range names {
					v := w.judge(s, from, to, instants(noon+sec, noon+hour/4-sec, 500))
					if v.outside > 0 || v.share() < 0.995 || v.worst > 4*ms {
						t.Errorf("%s to %s: %+v", from, to, v)
					}
				}
			}
			for _, e := range s.Clocks() {
				if want := map[bool]string{true: "c", false: "a"}[c.name == "the wrong clock calls"]; e.Reference != want {
					t.Errorf("reference of %s is %s", e.Clock, e.Reference)
				}
				reference := clocks[e.Reference]
				for _, window := range e.Windows {
					if !window.Known {
						t.Errorf("%s: not known in [%d, %d)", e.Clock, window.From-noon, window.To-noon)
						continue
					}
					// A reference that is off by a constant shows the true instant less it.
					at := window.From - (reference(noon) - noon)
					truth := clocks[e.Clock](at) - window.From
					if truth < window.Offset-window.Error || truth > window.Offset+window.Error {
						t.Errorf("%s: %+v, truth %d", e.Clock, window, truth)
					}
				}
				if e.Violated != 0 || e.Broken != 0 || e.Calls == 0 {
					t.Errorf("%s: %d calls, %d violated, %d broken", e.Clock, e.Calls, e.Violated, e.Broken)
				}
			}
		})
	}
}

// TestOneOffset checks that offsets of three clocks add up at every instant, whichever
// of them is asked.
func TestOneOffset(t *testing.T) {
	w := newWorld(5, map[string]shows{"a": exact, "b": drifting(30*ms, 50_000), "c": ahead(-70 * ms)})
	for _, to := range []string{"b", "c"} {
		w.run(traffic{caller: "a", server: to, from: noon, to: noon + hour/2, calls: 1800, mean: [2]int64{ms, 3 * ms}})
	}
	w.run(traffic{caller: "b", server: "c", from: noon, to: noon + hour/2, calls: 300, mean: [2]int64{ms, 3 * ms}})
	s := Solve(w.log())
	for _, at := range instants(noon, noon+hour/2, 2000) {
		ab, errAB, ok1 := s.Between("a", "b", at)
		ac, errAC, ok2 := s.Between("a", "c", at)
		bc, errBC, ok3 := s.Between("b", "c", at+ab)
		if !ok1 || !ok2 || !ok3 || ab+bc != ac || errBC != errAB+errAC {
			t.Fatalf("at %d: %d + %d != %d (%v %v %v), errors %d %d %d", at-noon, ab, bc, ac, ok1, ok2, ok3, errAB, errAC, errBC)
		}
	}
}
