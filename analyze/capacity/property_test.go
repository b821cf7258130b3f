package capacity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// drawn is traffic of windows of a second, between a few and a few hundred requests each, that
// is good less often at higher rates, and what is asked of it.
func drawn(t *rapid.T) ([]Request, Options) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "traffic"), 1))
	windows := rapid.IntRange(1, 80).Draw(t, "windows")
	top := rapid.IntRange(1, 150).Draw(t, "top")
	limit := rapid.Float64Range(.1, 1.5).Draw(t, "limit") * float64(top)
	sharp := rapid.Float64Range(1, 20).Draw(t, "sharp")
	latency := rapid.Float64Range(.001, 2).Draw(t, "latency")
	var out []Request
	for w := range windows {
		n := random.IntN(top + 1)
		miss := 1 / (1 + math.Exp(2-sharp*(float64(n)/limit-1)))
		for range n {
			start := int64(w)*second + random.Int64N(second) - 10*second
			out = append(out, Request{
				StartNS: start, EndNS: start + int64(latency*second*random.ExpFloat64()),
				Good: random.Float64() >= miss, Eligible: random.IntN(20) > 0, Tokens: random.Int64N(500) - 10,
			})
		}
	}
	o := Options{
		Target:   rapid.SampledFrom([]stat.Prob{stat.P50, {Num: 4, Den: 5}, stat.P90}).Draw(t, "target"),
		WindowNS: second, Width: rapid.SampledFrom([]float64{0, .01, .1, 1}).Draw(t, "width"),
		LeastWindows: rapid.IntRange(0, 8).Draw(t, "least"), Replicates: 50, Seed: rapid.Uint64().Draw(t, "seed"),
	}
	return out, o
}

// same compares results in all that is exported.
var same = cmp.Options{cmpopts.IgnoreUnexported(Window{}, Bin{}), cmpopts.EquateNaNs()}

func TestOrderOfRequestsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests, o := drawn(t)
		want := Of(requests, o)
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1)).Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
		if diff := cmp.Diff(want, Of(requests, o), same); diff != "" {
			t.Fatalf("another order, another result:\n%s", diff)
		}
	})
}

func TestWorkersChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests, o := drawn(t)
		want := Of(requests, o)
		o.Workers = rapid.IntRange(-1, 9).Draw(t, "workers")
		if diff := cmp.Diff(want, Of(requests, o), same); diff != "" {
			t.Fatalf("%d workers, another result:\n%s", o.Workers, diff)
		}
	})
}

// class orders the answers by how much capacity they tell of.
func class(a Answer) int { return slices.Index([]Kind{CannotSay, Reached, NotReached}, a.Kind) }

// TestMoreGoodNeverLowersTheClass also holds the rates that pass and fail.
func TestMoreGoodNeverLowersTheClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests, o := drawn(t)
		before := Of(requests, o)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "which"), 1))
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		for i := range requests {
			requests[i].Good = requests[i].Good || random.Float64() < share
		}
		after := Of(requests, o)
		if class(after.Answer) < class(before.Answer) {
			t.Fatalf("%s became %s when more requests were good", before.Kind, after.Kind)
		}
		if after.PassBin < before.PassBin {
			t.Fatalf("bin %d passed and now only %d, when more requests were good", before.PassBin, after.PassBin)
		}
		if after.FailBin >= 0 && (before.FailBin < 0 || after.FailBin < before.FailBin) {
			t.Fatalf("bin %d fails and was %d, when more requests were good", after.FailBin, before.FailBin)
		}
	})
}

// TestTimeScalesRates measures time in another unit, by a power of two so that nothing is
// rounded.
func TestTimeScalesRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests, o := drawn(t)
		want := Of(requests, o)
		times := int64(1) << rapid.IntRange(1, 8).Draw(t, "times")
		by := float64(times)
		for i := range requests {
			requests[i].StartNS *= times
			requests[i].EndNS *= times
		}
		o.WindowNS *= times
		got := Of(requests, o)
		got.WindowNS /= times
		got.LowLoadNS /= by
		for _, v := range []*float64{&got.Rate, &got.TokenRate, &got.Estimate, &got.Pass, &got.Fail} {
			*v *= by
		}
		for i := range got.Windows {
			w := &got.Windows[i]
			w.StartNS /= times
			w.Rate *= by
		}
		for i := range got.Bins {
			b := &got.Bins[i]
			for _, v := range []*float64{&b.Low, &b.High, &b.Rate, &b.TokenRate} {
				*v *= by
			}
		}
		words := cmpopts.IgnoreFields(Result{}, "Answer.Text", "Warnings")
		if diff := cmp.Diff(want, got, same, words); diff != "" {
			t.Fatalf("time in another unit, another result:\n%s", diff)
		}
	})
}

// TestAccounts holds that every request and every window is somewhere.
func TestAccounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests, o := drawn(t)
		r := Of(requests, o)
		var arrivals, left, binned int64
		windows := 0
		for _, w := range r.Windows {
			arrivals += w.Arrivals
			if w.InFlight < 0 || w.InFlightAfter < 0 || w.Good > w.Eligible || w.Eligible > w.Arrivals {
				t.Fatalf("impossible window %+v", w)
			}
		}
		for _, c := range r.LeftOut {
			windows += c.Windows
			left += c.Requests
		}
		for i, b := range r.Bins {
			windows += b.Windows
			binned += b.Requests
			if b.Lower > b.Attainment || b.Upper < b.Attainment || i > 0 && b.Low < r.Bins[i-1].High {
				t.Fatalf("impossible bin %+v", b)
			}
		}
		if windows != len(r.Windows) || arrivals != int64(len(requests)) || left+binned != arrivals {
			t.Fatalf("%d windows of %d, %d arrivals of %d, %d left out and %d in bins", windows, len(r.Windows), arrivals, len(requests), left, binned)
		}
		if r.Kind == Reached && !(r.Rate > 0 && r.Rate <= r.Fail && r.Pass < r.Fail) || r.Kind == NotReached && !(r.Rate > 0 && r.Rate <= r.Pass && r.Fail == 0) {
			t.Fatalf("impossible answer %+v", r.Answer)
		}
	})
}

// TestAbsurd has requests at the ends of time, and options that mean nothing.
func TestAbsurd(t *testing.T) {
	moments := []int64{math.MinInt64, math.MinInt64 + 1, -second, -1, 0, 1, second, math.MaxInt64 - 1, math.MaxInt64}
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.OneOf(rapid.SampledFrom(moments), rapid.Int64())
		requests := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Request {
			return Request{at.Draw(t, "start"), at.Draw(t, "end"), rapid.Bool().Draw(t, "good"), rapid.Bool().Draw(t, "eligible"), at.Draw(t, "tokens")}
		}), 0, 60).Draw(t, "requests")
		o := Options{
			Target:   stat.Prob{Num: at.Draw(t, "num"), Den: at.Draw(t, "den")},
			WindowNS: at.Draw(t, "window"), LeastWindows: rapid.IntRange(-1, 3).Draw(t, "least"),
			Width: rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), -1, 0, .001, 1}).Draw(t, "width"), Replicates: rapid.IntRange(-1, 20).Draw(t, "replicates"),
		}
		if rapid.Bool().Draw(t, "sane") {
			o.Target = stat.P50
		}
		r := Of(requests, o)
		if math.IsNaN(r.Rate) || math.IsInf(r.Rate, 0) || r.Rate < 0 || r.Empty < 0 || r.Text == "" {
			t.Fatalf("absurd answer %+v, %d empty", r.Answer, r.Empty)
		}
	})
}

// TestAllAtOneInstant has nothing to divide by.
func TestAllAtOneInstant(t *testing.T) {
	r := Of(slices.Repeat([]Request{{7, 7, true, true, 1}}, 1000), Options{Target: stat.P90})
	if r.Kind != CannotSay || r.Why != TooFewWindows {
		t.Errorf("%s %s, want %s %s", r.Kind, r.Why, CannotSay, TooFewWindows)
	}
}
