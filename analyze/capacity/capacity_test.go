package capacity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze/stat"
)

const minute = 60 * second

// steady is requests that come evenly for a number of minutes from one on, so many in each, and
// take a tenth of a second; the first bad of every minute are not good.
func steady(from, minutes, each, bad int64) (out []Request) {
	for m := range minutes {
		for i := range each {
			start := (from+m)*int64(minute) + i*int64(minute)/each
			out = append(out, Request{StartNS: start, EndNS: start + second/10, Good: i >= bad, Eligible: true, Tokens: 10})
		}
	}
	return out
}

func TestWindows(t *testing.T) {
	requests := []Request{
		{0, 5, true, true, 1},                 // in the first window
		{8, 31, false, true, 2},               // over two boundaries and one more
		{10, 10, true, true, 4},               // takes no time, at a boundary
		{19, 20, true, true, 8},               // ends at a boundary: in flight at none
		{19, 21, true, false, 16},             // load, and not asked
		{30, 35, true, true, math.MinInt64},   // tokens unknown
		{50, 45, true, true, 1},               // cannot be
		{-1, 40, false, true, 32},             // before time 0
		{41, math.MaxInt64, false, false, 64}, // never seen to end
	}
	windows, refused := cut(requests, 10)
	type seen struct{ Start, Arrivals, Good, Eligible, InFlight, After int64 }
	var got []seen
	for _, w := range windows {
		got = append(got, seen{w.StartNS, w.Arrivals, w.Good, w.Eligible, w.InFlight, w.InFlightAfter})
	}
	want := []seen{{-10, 1, 0, 1, 0, 1}, {0, 2, 1, 2, 1, 2}, {10, 3, 2, 2, 2, 3}, {30, 1, 1, 1, 2, 0}, {40, 1, 0, 0, 0, 1}}
	if diff := cmp.Diff(want, got); diff != "" || refused != 1 {
		t.Errorf("windows (-want +got), and %d refused, want 1:\n%s", refused, diff)
	}
	if w := windows[2]; w.Rate != 3e8 || w.Tokens != 28 {
		t.Errorf("rate %g and %g tokens in the third window, want 3e8 and 28", w.Rate, w.Tokens)
	}
}

func reasons(windows []Window) (out []Reason) {
	for _, w := range windows {
		out = append(out, w.LeftOut)
	}
	return out
}

func TestEdgesAndGapsAreLeftOut(t *testing.T) {
	requests := slices.Concat(steady(0, 4, 30, 0), steady(5, 3, 30, 0))
	r := Of(requests, Options{Target: stat.P90})
	if want := []Reason{AtEdge, Kept, Kept, AtGap, AtGap, Kept, AtEdge}; !slices.Equal(reasons(r.Windows), want) {
		t.Errorf("left out %q, want %q", reasons(r.Windows), want)
	}
	if want := []Count{{AtEdge, 2, 60}, {AtGap, 2, 60}}; r.Empty != 1 || !slices.Equal(r.LeftOut, want) {
		t.Errorf("%d empty and left out %v, want 1 and %v", r.Empty, r.LeftOut, want)
	}
	// An empty window is no gap where requests are few.
	r = Of(slices.Concat(steady(0, 4, 5, 0), steady(5, 3, 5, 0)), Options{Target: stat.P90})
	if want := []Reason{AtEdge, Kept, Kept, Kept, Kept, Kept, AtEdge}; !slices.Equal(reasons(r.Windows), want) {
		t.Errorf("left out %q, want %q", reasons(r.Windows), want)
	}
}

func TestBacklogIsLeftOutWhereItDrains(t *testing.T) {
	// A burst of 100 requests in minute 10 is worked off in the next three: 100, 60, 20 and
	// none are in flight at the boundaries. In minutes 20 to 22 the backlog grows.
	requests := steady(0, 30, 60, 0)
	burst := func(n, start, end int64) {
		for range n {
			requests = append(requests, Request{StartNS: start * second, EndNS: end * second, Eligible: true})
		}
	}
	burst(40, 659, 700)
	burst(40, 659, 760)
	burst(20, 659, 790)
	burst(50, 1259, 1490)
	burst(50, 1319, 1490)
	r := Of(requests, Options{Target: stat.P90})
	for i, want := range map[int]struct {
		reason     Reason
		overloaded bool
		inFlight   int64
	}{10: {Kept, false, 0}, 11: {Draining, false, 100}, 12: {Draining, false, 60}, 13: {Draining, false, 20}, 14: {Kept, false, 0}, 21: {Kept, true, 50}, 22: {Kept, true, 100}, 24: {Draining, false, 100}} {
		if w := r.Windows[i]; w.LeftOut != want.reason || w.Overloaded != want.overloaded || w.InFlight != want.inFlight {
			t.Errorf("minute %d: left out %q, overloaded %v, %d in flight; want %v", i, w.LeftOut, w.Overloaded, w.InFlight, want)
		}
	}
	if r.LowLoadNS != second/10 {
		t.Errorf("latency at low load is %g ns, want a tenth of a second", r.LowLoadNS)
	}
}

// levels is days of steady load at one level after the other.
func levels(all ...[3]int64) (out []Request) {
	from := int64(1)
	out = steady(0, 1, 1, 0)
	for _, l := range all {
		out = append(out, steady(from, l[0], l[1], l[2])...)
		from += l[0]
	}
	return append(out, steady(from, 1, 1, 0)...)
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		name     string
		requests []Request
		target   stat.Prob
		kind     Kind
		why      Why
		method   string
		rate     float64
		warnings []string
	}{
		{"no requests", nil, stat.P90, CannotSay, NoRequests, "", 0, nil},
		{"impossible ones only", []Request{{5, 4, true, true, 0}}, stat.P90, CannotSay, NoRequests, "", 0, []string{Impossible}},
		{"no target", steady(0, 20, 60, 0), stat.Prob{Num: 1, Den: 1}, CannotSay, NoTarget, "", 0, []string{NoLowLoad}},
		{"a target that rounds to 1", steady(0, 20, 60, 0), stat.Prob{Num: math.MaxInt64 - 1, Den: math.MaxInt64}, CannotSay, NoTarget, "", 0, []string{NoLowLoad}},
		{"four minutes at a rate", levels([3]int64{4, 600, 0}, [3]int64{4, 300, 0}), stat.P90, CannotSay, TooFewWindows, "", 0, nil},
		{"too few for the target", levels([3]int64{20, 100, 0}), stat.P999, CannotSay, TooFewRequests, "", 0, []string{NoLowLoad}},
		{"never good", levels([3]int64{20, 100, 50}), stat.P90, CannotSay, LowestFails, "", 0, []string{NoLowLoad}},
		{"at the target", levels([3]int64{20, 100, 10}), stat.P90, CannotSay, Undecided, "", 0, []string{NoLowLoad}},
		{"always good", levels([3]int64{20, 60, 0}, [3]int64{20, 120, 0}), stat.P90, NotReached, "", MethodHeld, 2, nil},
		{"two levels far apart", levels([3]int64{20, 60, 0}, [3]int64{20, 240, 120}), stat.P90, Reached, "", MethodBins, 1, nil},
		{"a low rate fails", levels([3]int64{20, 60, 0}, [3]int64{20, 120, 60}, [3]int64{20, 240, 0}), stat.P90, Reached, "", MethodBins, 1, []string{NotMonotone}},
	} {
		r := Of(c.requests, Options{Target: c.target})
		var ids []string
		for _, w := range r.Warnings {
			ids = append(ids, w.ID)
		}
		if r.Kind != c.kind || r.Why != c.why || r.Method != c.method || math.Abs(r.Rate-c.rate) > .05 || !slices.Equal(ids, c.warnings) {
			t.Errorf("%s: %s %s by %q at %g with warnings %v; want %s %s by %q at %g with %v. %s", c.name, r.Kind, r.Why, r.Method, r.Rate, ids, c.kind, c.why, c.method, c.rate, c.warnings, r.Text)
		}
		if r.Text == "" {
			t.Errorf("%s: the answer has no sentence", c.name)
		}
		if r.Kind == CannotSay && (r.Rate != 0 || r.PassBin != -1) {
			t.Errorf("%s: nothing can be said, and yet a rate of %g", c.name, r.Rate)
		}
	}
}

// TestNeed holds what is said to be missing against what then suffices.
func TestNeed(t *testing.T) {
	r := Of(levels([3]int64{20, 100, 0}), Options{Target: stat.P999})
	if r.NeedRequests != stat.Minimum(stat.P999).OneSided {
		t.Errorf("%d requests are needed, want %d", r.NeedRequests, stat.Minimum(stat.P999).OneSided)
	}
	if r = Of(levels([3]int64{30, 100, 0}), Options{Target: stat.P999}); r.Kind != NotReached {
		t.Errorf("3000 good requests: %s %s, want %s", r.Kind, r.Why, NotReached)
	}
	r = Of(levels([3]int64{6, 100, 9}), Options{Target: stat.P90})
	if r.Why != Undecided || r.NeedRequests <= 600 || r.NeedWindows <= 6 {
		t.Fatalf("91 of 100 in 6 windows: %s %s, %d windows and %d requests needed", r.Kind, r.Why, r.NeedWindows, r.NeedRequests)
	}
	if r := Of(levels([3]int64{r.NeedWindows + r.NeedWindows/10, 100, 9}), Options{Target: stat.P90}); r.Kind != NotReached {
		t.Errorf("a tenth more than is needed: %s %s", r.Kind, r.Why)
	}
}

// TestBinsJoin holds that rates seen seldom are joined with the next below, and no farther
// than a tenth of the highest rate.
func TestBinsJoin(t *testing.T) {
	r := Of(levels([3]int64{2, 1000, 0}, [3]int64{2, 970, 0}, [3]int64{2, 940, 0}, [3]int64{3, 800, 0}, [3]int64{3, 600, 0}, [3]int64{10, 500, 0}), Options{Target: stat.P90})
	type seen struct {
		Windows int
		Verdict Verdict
	}
	var got []seen
	for _, b := range r.Bins {
		got = append(got, seen{b.Windows, b.Verdict})
		if b.Rate < b.Low-1e-9 || b.Rate > b.High+1e-9 {
			t.Errorf("the mean rate %g is outside of the bin from %g to %g", b.Rate, b.Low, b.High)
		}
	}
	if want := []seen{{10, Passes}, {3, Thin}, {3, Thin}, {6, Passes}}; !slices.Equal(got, want) {
		t.Errorf("bins %v, want %v", got, want)
	}
}

// TestFewRequestsProveLittle holds that windows without a miss do not pass for being equal:
// resamples of them know of none.
func TestFewRequestsProveLittle(t *testing.T) {
	r := Of(levels([3]int64{10, 35, 0}), Options{Target: stat.P99})
	if len(r.Bins) != 1 || r.Bins[0].Eligible != 350 || r.Bins[0].Lower > math.Pow(.05, 1./350)+1e-9 {
		t.Errorf("350 good requests: bins %+v, want a lower bound of 0.05^(1/350)", r.Bins)
	}
}

// TestTokens holds that tokens a second are those at the rate of the answer.
func TestTokens(t *testing.T) {
	r := Of(levels([3]int64{20, 60, 0}, [3]int64{20, 120, 0}), Options{Target: stat.P90})
	if math.Abs(r.TokenRate-10*r.Rate) > 1e-9 {
		t.Errorf("%g tokens a second at %g requests of 10 each", r.TokenRate, r.Rate)
	}
}

// TestSparseWindowsSayNothing: where windows hold a request or two, the fullest of them are so
// by chance, and no rate is said to have been carried.
func TestSparseWindowsSayNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var requests []Request
	for at := 0.0; at < 12*3600; at += random.ExpFloat64() * 5 {
		start := int64(at * 1e9)
		requests = append(requests, Request{StartNS: start, EndNS: start + 1e8, Good: true, Eligible: true})
	}
	for _, window := range []int64{2e9, 10e9, 60e9} {
		r := Of(requests, Options{Target: stat.P90, WindowNS: window})
		if r.Kind != CannotSay || r.Why != TooFewRequests {
			t.Errorf("windows of %d s: %s", window/1e9, r.Text)
		}
	}
	r := Of(requests, Options{Target: stat.P90, WindowNS: 300e9})
	if r.Kind != NotReached || r.Rate > 0.23 {
		t.Errorf("0.2 requests a second: %s", r.Text)
	}
}
