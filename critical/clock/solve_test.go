package clock

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestOffsetOfOneWindow checks which point of the feasible interval is taken, and what
// the error is.
func TestOffsetOfOneWindow(t *testing.T) {
	for _, c := range []struct {
		name   string
		bounds [][2]int64
		want   [2]int64 // offset, error
		known  bool
	}{
		{"zero inside", [][2]int64{{-5, 9}}, [2]int64{0, 9}, true},
		{"zero at the end", [][2]int64{{-5, 0}}, [2]int64{0, 5}, true},
		{"ahead", [][2]int64{{25, 35}, {5, 35}}, [2]int64{25, 10}, true},
		{"behind", [][2]int64{{-60, -10}, {-30, -7}, {-90, -12}}, [2]int64{-12, 18}, true},
		{"a point", [][2]int64{{7, 9}, {9, 11}}, [2]int64{9, 0}, true},
		{"contradiction", [][2]int64{{7, 9}, {90, 110}}, [2]int64{0, 0}, false},
		{"one of eight wrong", [][2]int64{{10, 20}, {11, 20}, {12, 20}, {900, 910}, {10, 21}, {10, 22}, {9, 20}, {8, 20}}, [2]int64{11, 9}, true},
		{"one of seven wrong", [][2]int64{{10, 20}, {11, 20}, {12, 20}, {900, 910}, {10, 21}, {10, 22}, {9, 20}}, [2]int64{12, 8}, true},
	} {
		var l Log
		for _, b := range c.bounds {
			l.Add(Exchange{"a", "b", noon, b[0], b[1], 0}) // all at one instant, so drift adds nothing
		}
		offset, errorNS, known := Solve(&l).Between("a", "b", noon)
		if c.name == "one of seven wrong" {
			// Too few to overrule any: at one instant they cannot all be true.
			if known {
				t.Errorf("%s: known", c.name)
			}
			continue
		}
		if offset != c.want[0] || errorNS != c.want[1] || known != c.known {
			t.Errorf("%s: %d ± %d %v, want %v %v", c.name, offset, errorNS, known, c.want, c.known)
		}
		back, errorBack, _ := Solve(&l).Between("b", "a", noon+offset)
		if back != -offset || errorBack != errorNS {
			t.Errorf("%s: back %d ± %d", c.name, back, errorBack)
		}
	}
}

// TestZone checks which offsets look like another zone.
func TestZone(t *testing.T) {
	const half = hour / 2
	for _, c := range []struct {
		low, high, want int64
	}{
		{-sec, sec, 0},
		{-half, half, 0},
		{half - sec, half + sec, half},
		{half + 1, half + sec, half},
		{2*hour + 25*ms, 2*hour + 35*ms, 2 * hour}, // skew besides the zone
		{half + 6*sec, half + 9*sec, 0},
		{-half - 9*sec, -half - 6*sec, 0},
		{4 * sec, half + sec, 0},
		{half, half, half},
		{-half, -half, -half},
		{-half - sec, -half + sec, -half},
		{-half + 1, -1, 0},
		{2*hour - sec, 2*hour + 20*sec, 2 * hour},
		{-7*hour - sec, -7*hour + sec, -7 * hour},
		{hour - sec, hour + half + sec, 0},
		{-hour - half - sec, -hour + sec, 0},
		{14*hour - sec, 14*hour + sec, 14 * hour},
		{-14*hour - sec, -14*hour + sec, -14 * hour},
		{14*hour + half - sec, 14*hour + half + sec, 0},
		{14*hour - sec, 15*hour - sec, 0},
		{hour - sec, 99 * hour, 0},
		{-99 * hour, -hour, 0},
	} {
		var l Log
		for range 3 {
			l.Add(Exchange{"gateway", "engine", noon, c.low, c.high, 0})
		}
		for _, e := range Solve(&l).Clocks() {
			want := c.want
			if e.Clock == e.Reference {
				want = 0
			}
			if e.Zone != want {
				t.Errorf("[%d, %d] s: zone of %s is %d, want %d", c.low/sec, c.high/sec, e.Clock, e.Zone, want)
			}
		}
	}
	// A clock that was an hour off, then right, is in no zone all through.
	w := newWorld(1, map[string]shows{"a": exact, "b": stepped(noon+hour/2, hour, 2*hour)})
	w.run(traffic{caller: "a", server: "b", from: noon, to: noon + hour, calls: 600, mean: [2]int64{ms, ms}})
	for _, e := range Solve(w.log()).Clocks() {
		if e.Zone != 0 {
			t.Errorf("zone %d", e.Zone)
		}
	}
}

// TestGap checks instants beside the windows: before, between, after, and far away.
func TestGap(t *testing.T) {
	w := newWorld(2, map[string]shows{"a": exact, "b": stepped(noon+hour/2, 50*ms, 0)})
	for _, from := range []int64{noon, noon + 2*hour} {
		w.run(traffic{caller: "a", server: "b", from: from, to: from + 60*sec, calls: 600, mean: [2]int64{ms, ms}})
	}
	s := Solve(w.log())
	for _, c := range []struct {
		at    int64
		known bool
	}{
		{noon + 30*sec, true},
		{noon - 60*sec, true},
		{noon - reachNS - 2*sec, false},
		{noon + 70*sec, true},
		{noon + hour, false},
		{noon + 2*hour + 30*sec, true},
		{noon + 2*hour + 120*sec, true},
		{noon + 4*hour, false},
	} {
		offset, errorNS, known := s.Between("a", "b", c.at)
		if known != c.known {
			t.Errorf("at %d s: %d ± %d %v", (c.at-noon)/sec, offset, errorNS, known)
		}
	}
	_, inside, _ := s.Between("a", "b", noon+30*sec)
	_, beside, _ := s.Between("a", "b", noon-60*sec)
	if beside < inside+11*ms || beside > inside+13*ms {
		t.Errorf("error %d inside, %d a minute before", inside, beside)
	}
}

// TestStepInGap checks that nothing is said between two windows that contradict each other.
func TestStepInGap(t *testing.T) {
	w := newWorld(2, map[string]shows{"a": exact, "b": stepped(noon+75*sec, 50*ms, 0)})
	for _, from := range []int64{noon, noon + 90*sec} {
		w.run(traffic{caller: "a", server: "b", from: from, to: from + 60*sec, calls: 600, mean: [2]int64{ms, ms}})
	}
	s := Solve(w.log())
	for at, want := range map[int64]bool{59: true, 61: false, 75: false, 89: false, 91: true} {
		if offset, errorNS, known := s.Between("a", "b", noon+at*sec); known != want {
			t.Errorf("at %d s: %d ± %d %v", at, offset, errorNS, known)
		}
	}
}

// TestViolatedEnds checks that a window does not cover violated calls at its ends: there the
// clock may have been changed already.
func TestViolatedEnds(t *testing.T) {
	for _, wrong := range [][2]int64{{0, 1}, {38, 39}} {
		var l Log
		for i := range int64(40) {
			by := int64(0)
			if i == wrong[0] || i == wrong[1] {
				by = 70 * ms
			}
			l.Add(Exchange{"a", "b", noon + i*2*sec, by - ms, by + ms, 0})
		}
		for _, e := range Solve(&l).Clocks() {
			if e.Clock != "b" {
				continue
			}
			if len(e.Windows) != 1 || e.Violated != 2 {
				t.Fatalf("%+v", e)
			}
			from, to := noon, noon+78*sec+1
			if wrong[0] == 0 {
				from += 4 * sec
			} else {
				to -= 4 * sec
			}
			if w := e.Windows[0]; w.From != from || w.To != to {
				t.Errorf("%v: window from %d to %d s", wrong, (w.From-noon)/sec, (w.To-noon)/sec)
			}
		}
	}
}

// TestBesideWindow checks the windows of a clock that is called some time after the clock
// that calls it was: they are there, and wider by the drift meanwhile.
func TestBesideWindow(t *testing.T) {
	var l Log
	l.Add(Exchange{"a", "b", noon, 3*hour - ms, 3*hour + ms, 0})
	l.Add(Exchange{"b", "c", noon + 3*hour - ms + 10*sec, -2 * ms, 2 * ms, 0})
	for _, e := range Solve(&l).Clocks() {
		if e.Clock != "c" {
			continue
		}
		want := Window{From: noon + 10*sec, To: noon + 10*sec + 1, Offset: 3*hour - ms, Error: 4*ms + drift(10*sec), Calls: 1, Kept: 1, Known: true}
		if d := cmp.Diff([]Window{want}, e.Windows); d != "" {
			t.Error(d)
		}
	}
}

// TestPartsOfWindow checks that the calls of a link are counted once where the windows of the
// clock at its near end cut it up.
func TestPartsOfWindow(t *testing.T) {
	set := stepped(noon+200*sec, 20*ms, 700*ms)
	w := newWorld(9, map[string]shows{"a": exact, "b": set, "c": set})
	for _, k := range [][2]string{{"a", "b"}, {"b", "c"}, {"c", "b"}} {
		w.run(traffic{caller: k[0], server: k[1], from: noon, to: noon + 600*sec, calls: 600, mean: [2]int64{ms, ms}, least: [2]int64{us, us}})
	}
	for _, e := range Solve(w.log()).Clocks() {
		if e.Clock != "c" {
			continue
		}
		sum := int64(0)
		for _, window := range e.Windows {
			sum += window.Calls
		}
		if len(e.Windows) != 2 || sum < 1190 || sum > 1200 || e.Calls != 1200 {
			t.Errorf("%d windows, %d calls in them, %d in all", len(e.Windows), sum, e.Calls)
		}
	}
}

// TestUnconnected checks clocks that nothing is known of.
func TestUnconnected(t *testing.T) {
	var l Log
	l.Add(Exchange{"a", "b", noon, 1, 2, 0})
	l.Add(Exchange{"c", "d", noon, 1, 2, 0})
	l.Broken("b", "e")
	l.Broken("b", "e")
	l.Add(Exchange{"b", "e", noon, 9, 8, 0})
	s := Solve(&l)
	for _, c := range [][2]string{{"a", "c"}, {"a", "nobody"}, {"nobody", "a"}, {"a", "e"}, {"e", "b"}} {
		if _, _, known := s.Between(c[0], c[1], noon); known {
			t.Errorf("%v known", c)
		}
	}
	if offset, errorNS, known := s.Between("nobody", "nobody", noon); offset != 0 || errorNS != 0 || !known {
		t.Errorf("a clock is off itself")
	}
	want := []Estimate{
		{Clock: "a", Reference: "a", Calls: 1, Windows: []Window{{From: noon, To: noon + 1, Calls: 1, Kept: 1, Known: true}}},
		{Clock: "b", Reference: "a", Calls: 1, Broken: 3, Windows: []Window{{From: noon, To: noon + 1, Offset: 1, Error: 1, Calls: 1, Kept: 1, Known: true}}},
		{Clock: "c", Reference: "c", Calls: 1, Windows: []Window{{From: noon, To: noon + 1, Calls: 1, Kept: 1, Known: true}}},
		{Clock: "d", Reference: "c", Calls: 1, Windows: []Window{{From: noon, To: noon + 1, Offset: 1, Error: 1, Calls: 1, Kept: 1, Known: true}}},
		{Clock: "e", Reference: "a", Broken: 3},
	}
	if d := cmp.Diff(want, s.Clocks()); d != "" {
		t.Error(d)
	}
}

// TestReference checks which clock the others are measured by.
func TestReference(t *testing.T) {
	calls := func(l *Log, caller, server string, n int) {
		for i := range n {
			l.Add(Exchange{caller, server, noon + int64(i)*sec, -5, 5, 0})
		}
	}
	var l Log
	calls(&l, "client", "gateway", 5)
	calls(&l, "gateway", "engine", 50)
	calls(&l, "engine", "gateway", 3)
	for _, e := range Solve(&l).Clocks() {
		if e.Reference != "client" {
			t.Errorf("reference of %s is %s", e.Clock, e.Reference)
		}
	}
	var even Log
	calls(&even, "y", "x", 4)
	calls(&even, "x", "y", 4)
	for _, e := range Solve(&even).Clocks() {
		if e.Reference != "x" {
			t.Errorf("reference of %s is %s", e.Clock, e.Reference)
		}
	}
}

// TestContradictingPair checks that a pair outside the tree that says another thing is
// counted, and changes nothing.
func TestContradictingPair(t *testing.T) {
	var l Log
	for i := range int64(10) {
		at := noon + 2*i*sec // no more in ten seconds than are kept
		l.Add(Exchange{"a", "b", at, 10*ms - 10*us, 10*ms + 10*us, 0})
		l.Add(Exchange{"b", "c", at, 10*ms - 10*us, 10*ms + 10*us, 0})
		l.Add(Exchange{"a", "c", at, -5 * ms, 5 * ms, 0}) // 20 ms by the others
	}
	s := Solve(&l)
	offset, _, known := s.Between("a", "c", noon+sec)
	if !known || offset < 19*ms || offset > 20*ms {
		t.Errorf("offset %d %v", offset, known)
	}
	got := map[string]int64{}
	for _, e := range s.Clocks() {
		got[e.Clock] = e.Violated
	}
	if d := cmp.Diff(map[string]int64{"a": 10, "b": 0, "c": 10}, got); d != "" {
		t.Error(d)
	}
}

// TestCoverage checks that a pair that was narrow once does not stand for a whole day.
func TestCoverage(t *testing.T) {
	var l Log
	for i := range int64(2000) {
		at := noon + i*40*sec
		l.Add(Exchange{"a", "b", at, -ms, ms, 0})
		l.Add(Exchange{"a", "c", at, -ms, ms, 0})
	}
	l.Add(Exchange{"b", "c", noon, -1, 1, 0})
	s := Solve(&l)
	if offset, errorNS, known := s.Between("b", "c", noon+80_000*sec-40*sec); !known || offset != 0 || errorNS > 3*ms {
		t.Errorf("%d ± %d %v", offset, errorNS, known)
	}
}

// TestAnyExchanges checks on anything that windows are in order and apart, that what is known
// is within what was asked, and that no clock is lost.
func TestAnyExchanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exchanges := drawExchanges(t)
		l := logOf(exchanges)
		s := Solve(l)
		names := map[string]bool{}
		for p := range l.pairs {
			names[p.caller], names[p.server] = true, true
		}
		var calls int64
		for _, e := range s.Clocks() {
			if !names[e.Clock] {
				t.Fatalf("clock %q", e.Clock)
			}
			delete(names, e.Clock)
			calls += e.Calls
			for i, w := range e.Windows {
				if w.From >= w.To || i > 0 && w.From < e.Windows[i-1].To {
					t.Fatalf("%s: windows %+v", e.Clock, e.Windows)
				}
				if w.Error < 0 || !w.Known && (w.Error != 0 || w.Offset != 0) || w.Violated > w.Kept || w.Kept > w.Calls {
					t.Fatalf("%s: window %+v", e.Clock, w)
				}
				if e.Clock != e.Reference && w.Known {
					offset, errorNS, known := s.Between(e.Reference, e.Clock, w.From)
					if len(exchanges) == 1 && (!known || offset != w.Offset || errorNS != w.Error) {
						t.Fatalf("%s: window %+v, but %d ± %d %v", e.Clock, w, offset, errorNS, known)
					}
				}
			}
		}
		if len(names) > 0 {
			t.Fatalf("lost %v", names)
		}
		for _, x := range exchanges {
			a, errA, knownA := s.Between(x.Caller, x.Server, x.At)
			if errA < 0 || !knownA && (a != 0 || errA != 0) {
				t.Fatalf("%+v: %d ± %d %v", x, a, errA, knownA)
			}
		}
	})
}

// TestTruthWithin checks, on drawn clocks and traffic, that the true offset lies within
// Offset ± Error wherever it is known, and that shifting all times by whole ten seconds
// shifts the windows and nothing else.
func TestTruthWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drifting(rapid.Int64Range(-3*hour, 3*hour).Draw(t, "by"), rapid.Int64Range(-150_000, 150_000).Draw(t, "ppb"))
		k := traffic{
			caller: "a", server: "b", from: noon,
			to:    noon + rapid.Int64Range(sec, hour).Draw(t, "length"),
			calls: rapid.IntRange(1, 300).Draw(t, "calls"),
		}
		for i := range 2 {
			k.least[i] = rapid.Int64Range(10*us, 5*ms).Draw(t, "least")
			k.mean[i] = rapid.Int64Range(0, 20*ms).Draw(t, "mean")
		}
		if rapid.Bool().Draw(t, "coarse") {
			k.resolution = ms
		}
		w := newWorld(rapid.Uint64().Draw(t, "seed"), map[string]shows{"a": exact, "b": b})
		w.run(k)
		s := Solve(w.log())
		asked := append(w.at("a", "b"), instants(k.from-sec, k.to+sec, 50)...)
		for _, way := range [][2]string{{"a", "b"}, {"b", "a"}} {
			if v := w.judge(s, way[0], way[1], asked); v.outside > 0 || way[0] == "a" && v.share() < 1 && k.calls > 60 {
				t.Fatalf("%v: %+v", way, v)
			}
		}
		by := rapid.Int64Range(-1000, 1000).Draw(t, "shift") * slotNS
		shifted := &Log{}
		for _, c := range w.calls {
			if x := c.exchange; c.ok {
				x.At += by
				x.Until += by
				shifted.Add(x)
			} else {
				shifted.Broken(c.caller, c.server)
			}
		}
		want := s.Clocks()
		for i := range want {
			for j := range want[i].Windows {
				want[i].Windows[j].From += by
				want[i].Windows[j].To += by
			}
		}
		if d := cmp.Diff(want, Solve(shifted).Clocks()); d != "" {
			t.Fatal(d)
		}
	})
}

// TestManyClocks checks a long chain and a wide fan.
func TestManyClocks(t *testing.T) {
	var chain, fan Log
	const n = 3000
	name := func(i int) string { return fmt.Sprintf("host-%05d", i) }
	for i := range n {
		chain.Add(Exchange{name(i), name(i + 1), noon, 5, 7, 0})
		fan.Add(Exchange{name(0), name(i + 1), noon, 5, 7, 0})
	}
	if offset, errorNS, known := Solve(&chain).Between(name(0), name(n), noon); offset != 5*n || errorNS < 2*n || !known {
		t.Errorf("chain: %d ± %d %v", offset, errorNS, known)
	}
	if offset, errorNS, known := Solve(&fan).Between(name(1), name(n), noon+5); offset != 0 || errorNS != 4 || !known {
		t.Errorf("fan: %d ± %d %v", offset, errorNS, known)
	}
}
