package curve

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// steady returns windows of 10 s with as many requests in flight that last 2 s each.
func steady(n int, inFlight float64) []Window {
	windows := make([]Window, n)
	for i := range windows {
		windows[i] = Window{
			FromNS: int64(i) * 1e10, ToNS: int64(i+1) * 1e10, InFlight: inFlight, InFlightAtStart: int64(inFlight),
			Arrivals: inFlight / 2, Completions: inFlight / 2, Throughput: inFlight / 2, N: int64(5 * inFlight), MeanNS: 2e9,
		}
	}
	return windows
}

// TestReasons changes one window at a time.
func TestReasons(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name   string
		change func(*Window)
		want   Reason
	}{
		{"nothing", func(*Window) {}, Kept},
		{"edge", func(w *Window) { w.Edge = true }, Edge},
		{"partial", func(w *Window) { w.Partial = true }, Partial},
		{"edge first", func(w *Window) { w.Edge, w.Partial, w.InFlight = true, true, 0 }, Edge},
		{"idle", func(w *Window) { w.InFlight = 0 }, Idle},
		{"no request", func(w *Window) { w.N, w.MeanNS, w.Arrivals = 0, 0, 0 }, Kept},
		{"alone", func(w *Window) { w.InFlight = 40 }, Thin},
		{"no load", func(w *Window) { w.InFlight = nan }, Impossible},
		{"a load without end", func(w *Window) { w.InFlight = inf }, Impossible},
		{"arrivals", func(w *Window) { w.Arrivals = -1 }, Impossible},
		{"completions", func(w *Window) { w.Completions = nan }, Impossible},
		{"throughput", func(w *Window) { w.Throughput = inf }, Impossible},
		{"too much", func(w *Window) { w.Throughput = 1e31 }, Impossible},
		{"count", func(w *Window) { w.N = -1 }, Impossible},
		{"mean", func(w *Window) { w.MeanNS = -1 }, Impossible},
		{"start", func(w *Window) { w.InFlightAtStart = -1 }, Impossible},
		{"no time", func(w *Window) { w.ToNS = w.FromNS }, Impossible},
		// 2*2*2 + 4 are explained.
		{"as many as explained", func(w *Window) { w.InFlightAtStart, w.Completions = 12, 2.5 }, Kept},
		{"one more", func(w *Window) { w.InFlightAtStart, w.Completions = 13, 2.5 }, Draining},
		{"one more and nothing worked off", func(w *Window) { w.InFlightAtStart = 13 }, Kept},
	} {
		windows := steady(9, 4)
		c.change(&windows[3])
		b := Windowed(windows)
		want := make([]Reason, 9)
		want[3] = c.want
		if diff := cmp.Diff(want, b.Reasons); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if len(b.Bins) != 1 || b.LowLoadNS != 2e9 || b.LeftOut(Kept) != int64(len(b.Bins[0].Windows)) {
			t.Errorf("%s: %+v", c.name, b)
		}
	}
}

// TestBins has two loads by hand.
func TestBins(t *testing.T) {
	windows := append(steady(6, 10), steady(8, 4)...)
	windows[0].InFlight = 10.5
	windows[1].Throughput, windows[1].Completions = 5.6, 5.6 // 10 % are 0.56 and the difference is 0.6
	windows[2].Completions = 5.5                             // the difference is 0.5 of 0.55
	windows[3].InFlightAtStart = 25                          // 24 are explained
	windows[5].N, windows[5].MeanNS = 10, 8e9
	got := Windowed(windows)
	from, to := 1.2*1.2*1.2*1.2*1.2*1.2*1.2, 1.2*1.2*1.2*1.2*1.2*1.2*1.2*1.2
	want := Binned{
		LowLoadNS: 2e9, Reasons: make([]Reason, 14),
		Bins: []Bin{
			{From: from, To: to, Windows: []int{6, 7, 8, 9, 10, 11, 12, 13}, InFlight: 4, Arrivals: 2, Throughput: 2, N: 160, MeanNS: 2e9},
			{From: 8.916100448255998, To: 10.699320537907196, Windows: []int{0, 1, 2, 3, 4, 5}, InFlight: 60.5 / 6, Arrivals: 5, Throughput: 30.6 / 6, N: 260, MeanNS: 58e10 / 260, Overloaded: 1, Unsteady: 1},
		},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) })); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Point{{4, 2, 8}, {got.Bins[1].InFlight, got.Bins[1].Throughput, 6}}, got.Points()); diff != "" {
		t.Error(diff)
	}
	if b := Windowed(nil); b.LowLoadNS != 0 || len(b.Bins) != 0 || len(b.Reasons) != 0 {
		t.Errorf("of no windows: %+v", b)
	}
}

// TestLowLoad is the lower median of the mean durations over the quarter of the windows with
// the lowest rates.
func TestLowLoad(t *testing.T) {
	windows := steady(19, 4)
	for i := range windows {
		windows[i].Arrivals, windows[i].MeanNS = float64(19-i), int64(100+i)
	}
	windows[0].Edge, windows[0].Arrivals = true, 0
	windows[18].N = 0 // no request to ask
	windows[17].MeanNS = 9
	windows[13].Arrivals, windows[14].MeanNS = windows[14].Arrivals, 1 // the earlier of two
	// 17 are asked, and their quarter is 4: those at 17, 16, 15 and 13, with 9, 116, 115 and 113.
	if b := Windowed(windows); b.LowLoadNS != 113 {
		t.Errorf("%v, want 113", b.LowLoadNS)
	}
}

func TestCells(t *testing.T) {
	for _, load := range []float64{leastLoad, 1e-9, .5, 1 / 1.2, math.Nextafter(1, 0), 1, math.Nextafter(1.2, 0), 1.2, 1.44, 7, 1e6, mostLoad} {
		from, to := cell(load)
		steps := math.Log(from) / math.Log(1.2)
		if !(from <= load && load < to) || math.Abs(to/from-1.2) > 1e-12 || math.Abs(steps-math.Round(steps)) > 1e-9 {
			t.Errorf("%v lies between %v and %v, %v steps from 1", load, from, to, steps)
		}
	}
}

func drawWindows(t *rapid.T) []Window {
	count := rapid.SampledFrom([]int{0, 1, 6, 20, 40, 60}).Draw(t, "count") // slices of any length are short
	windows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Window {
		of := func(most int, name string) float64 { return float64(rapid.IntRange(0, most).Draw(t, name)) / 3 }
		w := Window{
			InFlight: rapid.SampledFrom([]float64{0, 1, 1.1, 1.19, 3.6, 3.9, 4.1, 4.2, 9, 50}).Draw(t, "in flight"), Arrivals: of(12, "arrivals"), Completions: of(12, "completions"), Throughput: of(4000, "throughput"),
			InFlightAtStart: rapid.Int64Range(0, 20).Draw(t, "start"), N: rapid.Int64Range(0, 9).Draw(t, "n"), MeanNS: 1000 * rapid.Int64Range(0, 4e6).Draw(t, "mean"),
		}
		switch rapid.IntRange(0, 20).Draw(t, "odd") {
		case 0:
			w.Edge = true
		case 1:
			w.Partial = true
		case 2:
			w.Arrivals = math.NaN()
		}
		return w
	}), count, count).Draw(t, "windows")
	for i := range windows {
		windows[i].FromNS, windows[i].ToNS = int64(i)*1e9, int64(i+1)*1e9
	}
	return windows
}

// TestEveryWindowIsSomewhere: in one bin whose loads hold its own, or left out for a reason.
func TestEveryWindowIsSomewhere(t *testing.T) {
	ofReason, bins := map[Reason]int64{}, 0
	rapid.Check(t, func(t *rapid.T) {
		windows := drawWindows(t)
		b := Windowed(windows)
		bins += len(b.Bins)
		seen := make([]int, len(windows))
		last := 0.0
		for _, bin := range b.Bins {
			if len(bin.Windows) < leastWindows || bin.From < last || !slices.IsSorted(bin.Windows) || bin.Unsteady > int64(len(bin.Windows)) || bin.Overloaded > int64(len(bin.Windows)) {
				t.Fatalf("%+v behind one up to %v", bin, last)
			}
			last = bin.To
			var inFlight, throughput float64
			n := int64(0)
			for _, i := range bin.Windows {
				seen[i]++
				if w := windows[i]; !(w.InFlight >= bin.From && w.InFlight < bin.To) {
					t.Fatalf("%+v in %+v", w, bin)
				}
				inFlight, throughput, n = inFlight+windows[i].InFlight, throughput+windows[i].Throughput, n+windows[i].N
			}
			count := float64(len(bin.Windows))
			if p := bin.Point(); math.Abs(p.InFlight*count-inFlight) > 1e-9*inFlight || math.Abs(p.Throughput*count-throughput) > 1e-9*throughput || float64(p.Windows) != count || bin.N != n {
				t.Fatalf("%+v: %v and %v in sum of %d requests", bin, inFlight, throughput, n)
			}
		}
		total := b.LeftOut(Kept)
		for _, r := range Reasons() {
			total += b.LeftOut(r)
			ofReason[r] += b.LeftOut(r)
		}
		if total != int64(len(windows)) {
			t.Fatalf("%d of %d windows have a reason or none", total, len(windows))
		}
		for i, r := range b.Reasons {
			if (r == Kept) != (seen[i] == 1) || seen[i] > 1 {
				t.Fatalf("window %d is in %d bins and left out for %q", i, seen[i], r)
			}
		}
	})
	for _, r := range Reasons() {
		if ofReason[r] == 0 || bins == 0 {
			t.Errorf("%d bins and %d windows left out for %q: the draws show nothing", bins, ofReason[r], r)
		}
	}
}

// TestOrderOfWindowsChangesNothing permutes them; places move along.
func TestOrderOfWindowsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		windows := drawWindows(t)
		places := make([]int, len(windows))
		for i := range places {
			places[i] = i
		}
		places = rapid.Permutation(places).Draw(t, "places")
		moved := make([]Window, len(windows))
		for to, from := range places {
			moved[to] = windows[from]
		}
		want, got := Windowed(windows), Windowed(moved)
		back := make([]Reason, len(windows))
		for to, from := range places {
			back[from] = got.Reasons[to]
		}
		got.Reasons = back
		for _, bin := range got.Bins {
			for k, to := range bin.Windows {
				bin.Windows[k] = places[to]
			}
			slices.Sort(bin.Windows)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestEqualLoadsAreAddedInOrder has throughputs whose sum depends on which comes first.
func TestEqualLoadsAreAddedInOrder(t *testing.T) {
	windows := steady(6, 4)
	windows[0].Throughput = 1e17
	first := Windowed(windows).Points()
	windows[0].Throughput, windows[5].Throughput = windows[5].Throughput, windows[0].Throughput
	if diff := cmp.Diff(first, Windowed(windows).Points()); diff != "" || len(first) != 1 {
		t.Errorf("%v:\n%s", first, diff)
	}
}

// TestTimeScalesRatesAlone has another unit of time, a power of two so that nothing is rounded.
func TestTimeScalesRatesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		windows := drawWindows(t)
		want := Windowed(windows)
		for i := range windows {
			w := &windows[i]
			w.FromNS, w.ToNS, w.MeanNS = 64*w.FromNS, 64*w.ToNS, 64*w.MeanNS
			w.Arrivals, w.Completions, w.Throughput = w.Arrivals/64, w.Completions/64, w.Throughput/64
		}
		want.LowLoadNS *= 64
		for i := range want.Bins {
			b := &want.Bins[i]
			b.Arrivals, b.Throughput, b.MeanNS = b.Arrivals/64, b.Throughput/64, 64*b.MeanNS
		}
		if diff := cmp.Diff(want, Windowed(windows)); diff != "" {
			t.Fatal(diff)
		}
	})
}
