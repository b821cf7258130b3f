package analyze

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
)

// g17 is 100 requests a second for 100 s, of which 90 % take 1 s and 10 % take 10 s, all of
// it waiting: the first starts at 0 and the last ends at 100 s.
func g17() (all []given) {
	for i := range 10_000 {
		g := given{id: uint64(i + 1), start: int64(i) * 90_000 * ms / 9990, times: times(stage.Queue, int(1000*ms))}
		if i%10 == 0 {
			g.times = times(stage.Queue, int(10_000*ms))
		}
		all = append(all, g)
	}
	return all
}

// keptOf returns what a sampler keeps, with the weight that it gives; 0 drops.
func keptOf(all []given, weight func(i int) float64, told bool) (out []given) {
	for i, g := range all {
		if w := weight(i); w > 0 {
			if told {
				g.weight = w
			}
			out = append(out, g)
		}
	}
	return out
}

// The samplers of G17: every slow one and a tenth of the others, and a quarter of all.
func slowAndTenth(i int) float64 {
	switch {
	case i%10 == 0:
		return 1
	case i%100 < 10:
		return 10
	}
	return 0
}

func quarter(i int) float64 {
	if i%40 < 10 {
		return 4
	}
	return 0
}

// TestG17Load: with weights the load is that of all requests, and without them it is that of
// the kept ones.
func TestG17Load(t *testing.T) {
	all := g17()
	whole := load(tables(all), Options{})
	near(t, "λ", whole.ArrivalRate(), 100, 1e-9)
	near(t, "L", whole.InFlight.Mean(), 190, 1e-9)
	if whole.ForAll != nil {
		t.Error("requests without weights have a load by weights")
	}
	for _, c := range []struct {
		name             string
		weight           func(int) float64
		rate, inFlight   float64
		allRate, allMean float64
		kind             SamplingKind
		within           float64
	}{
		{"slow and a tenth", slowAndTenth, 19, 109, 100, 190, SamplingWeighted, 1e-12},
		// Its window ends a little before that of all, with the last one kept.
		{"a quarter", quarter, 25, 47.5, 100, 190, SamplingUniform, .003},
	} {
		set := tables(keptOf(all, c.weight, true))
		l := load(set, Options{})
		near(t, c.name+": kept λ", l.ArrivalRate(), c.rate, c.within*c.rate)
		near(t, c.name+": kept L", l.InFlight.Mean(), c.inFlight, c.within*c.inFlight)
		if l.ForAll == nil {
			t.Fatal(c.name, ": no load by weights")
		}
		near(t, c.name+": λ", l.ForAll.ArrivalRate, c.allRate, c.within*c.allRate)
		near(t, c.name+": L", l.ForAll.InFlight, c.allMean, c.within*c.allMean)
		near(t, c.name+": requests", l.ForAll.Requests, 10_000, 1e-9)
		if _, p := population(set, Options{}); p.Sampling.Kind != c.kind {
			t.Errorf("%s: kind %s, want %s", c.name, p.Sampling.Kind, c.kind)
		}
		if l := load(tables(keptOf(all, c.weight, false)), Options{}); l.ForAll != nil {
			t.Errorf("%s: a load by weights that nothing tells", c.name)
		}
	}
	near(t, "W of the kept ones", 109./19, 5.7368, 5e-5)
	partly := keptOf(all, slowAndTenth, true)
	partly[7].weight = 0
	if l := load(tables(partly), Options{}); l.ForAll != nil {
		t.Error("one has no weight, and there is a load by weights")
	}
	ones := keptOf(all, func(int) float64 { return 1 }, true)
	if l := load(tables(ones), Options{}); l.ForAll != nil {
		t.Error("every weight is 1, and there is a load by weights")
	}
}

// TestG17Reading compares the traces with gauges and counters of the engine, which saw all.
func TestG17Reading(t *testing.T) {
	all := g17()
	for _, c := range []struct {
		name        string
		weight      func(int) float64
		rate, ratio float64
		words       string
	}{
		{"slow and a tenth", slowAndTenth, .19, .5737, "slow requests were kept more often than others"},
		{"a quarter", quarter, .25, .25, "0.25 of the requests were kept, slow and fast alike: counts times 4"},
		{"all", func(int) float64 { return 1 }, 1, 1, "the traces tell of the whole load"},
		{"fast alone", func(i int) float64 { return min(1, float64(i%10)) }, .9, .4737, "long or aborted requests are missing"},
	} {
		set := tables(keptOf(all, c.weight, false))
		gauge(set, all, "waiting", "0", 500*ms, 1)
		ended(set, all, 500*ms, 1)
		r := littleIn(set).Readings
		if r == nil || !r.HasRates {
			t.Fatal(c.name, ": no readings")
		}
		// Neither is read at the ends of the window, where fewer wait and end.
		near(t, c.name+": ratio of rates", r.Rate/r.ReadRate, c.rate, .05*c.rate)
		near(t, c.name+": ratio in flight", r.Ratio.Value, c.ratio, .03*c.ratio)
		if !strings.HasPrefix(r.Words, c.words) {
			t.Errorf("%s: %q, want %q", c.name, r.Words, c.words)
		}
		if r.Agrees != (c.rate == 1) {
			t.Errorf("%s: agrees %v", c.name, r.Agrees)
		}
	}
}

// twoTruths is 40,000 requests of which a sampler keeps the 40 that waited, and one in fifty
// of the others. Among kept traces the slow ones waited; among all they decode for long.
func twoTruths(weigh bool) (out []given) {
	const n = 840
	for i := range n {
		g := given{id: uint64(i + 1), start: int64(i*523%n) * 20_000 * ms, weight: 50, times: times(stage.GPU, int(int64(1000+i)*ms))}
		switch {
		case i%21 == 0:
			g.weight, g.times = 1, times(stage.Queue, int(8000*ms), stage.GPU, int(1200*ms))
		case i%21 == 7:
			g.times = times(stage.GPU, int(5000*ms))
		}
		if !weigh {
			g.weight = 0
		}
		out = append(out, g)
	}
	return out
}

func caveat(v Verdict, id string) string {
	if i := slices.IndexFunc(v.Caveats, func(w stat.Warning) bool { return w.ID == id }); i >= 0 {
		return v.Caveats[i].Text
	}
	return ""
}

// TestOtherStageForAll: the verdict among kept traces carries what all requests say.
func TestOtherStageForAll(t *testing.T) {
	s := Summarize(tables(twoTruths(true)), Options{Replicates: 300})
	f, v := s.Duration.ForAll, s.Verdict
	if v.Stage != stage.Queue || v.Kind != KindLeads && v.Kind != KindDominates {
		t.Fatalf("among kept traces: %s %s", v.Kind, v.Stage)
	}
	if f == nil || f.Attribution == nil || f.Leading != stage.GPU || !f.Leads || !f.Predicts || f.Q != stat.P95 {
		t.Fatalf("for all requests: %+v", f)
	}
	// The slowest 5 % of 40,040 weigh 2002: 40 that waited, 39 of 50 each and .24 of one more.
	if f.Tail.N != 80 || math.Abs(f.Tail.Weight-2002) > 1e-6 || math.Abs(f.Tail.Effective-2002*2002/(40+39*2500+144.)) > .01 {
		t.Errorf("tail %+v", f.Tail)
	}
	e := f.Attribution.Parts[stage.GPU].Share
	if !e.HasBounds || e.Bounds.Low > e.Value || e.Bounds.High < e.Value || e.Bounds.Low < .5 {
		t.Errorf("share %+v", e)
	}
	if got := caveat(v, OtherForAll); !strings.HasPrefix(got, "for all requests, by weights, gpu leads at p95: 9") || !strings.Contains(got, "(95 %: ") {
		t.Errorf("caveat %q", got)
	}
	if caveat(v, KeptTraces) == "" {
		t.Error("it holds among kept traces, and does not say so")
	}
	if s := Summarize(tables(twoTruths(false)), Options{Replicates: 10}); s.Duration.ForAll != nil || caveat(s.Verdict, OtherForAll) != "" {
		t.Error("without weights all requests are asked")
	}
	// With weights that make no difference there is no caveat.
	even := twoTruths(true)
	for i := range even {
		even[i].weight = 50 + float64(i%2)
	}
	if s := Summarize(tables(even), Options{Replicates: 300}); s.Duration.ForAll.Leading != stage.Queue || caveat(s.Verdict, OtherForAll)+caveat(s.Verdict, UnknownForAll) != "" {
		t.Errorf("%s, caveats %v", s.Duration.ForAll.Leading, s.Verdict.Caveats)
	}
}

// TestForAllIsRefused: a tail that few weights make is worth few requests.
func TestForAllIsRefused(t *testing.T) {
	list := twoTruths(true)
	for i := range list {
		if i%21 == 7 && i > 21*10 {
			list[i].times = times(stage.GPU, int(900*ms))
		}
		if i%21 == 7 && i <= 21*10 {
			list[i].weight = 1000
		}
	}
	s := Summarize(tables(list), Options{Replicates: 10})
	f := s.Duration.ForAll
	if f == nil || f.Attribution != nil || f.Tail.Effective >= 20 {
		t.Fatalf("%+v", f)
	}
	if !strings.Contains(f.Refused, "shares need 20") || f.Need == "" {
		t.Errorf("refused %q, need %q", f.Refused, f.Need)
	}
	if caveat(s.Verdict, UnknownForAll) == "" {
		t.Errorf("caveats %v", s.Verdict.Caveats)
	}
}

// TestEvenWeightsAreNoWeights: as the weights draw near each other, the load by weights is
// the load and the groups are those of plain ranks, to the request at the border.
func TestEvenWeightsAreNoWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(420, 600).Draw(t, "requests")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		list := many(n, 1, given{weight: 3})
		for i := range list {
			list[i].times = times(stage.Queue, int(r.Int64N(90)*ms), stage.GPU, int((1+r.Int64N(500))*ms))
		}
		list[0].weight = 3 * (1 + 1e-9)
		s := Summarize(tables(list), Options{Replicates: 10})
		f := s.Duration.ForAll
		if f == nil || f.Attribution == nil {
			t.Fatalf("%+v", f)
		}
		if d := f.Tail.N - s.Duration.Tail.Tail.N; f.Q != s.Duration.Tail.Q || d < -1 || d > 1 {
			t.Fatalf("%s and %d slow, by plain ranks %s and %d", f.Q, f.Tail.N, s.Duration.Tail.Q, s.Duration.Tail.Tail.N)
		}
		near := func(name string, got, want float64) {
			if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("%s: %v, want %v", name, got, want)
			}
		}
		near("rate", s.Load.ForAll.ArrivalRate, 3*s.Load.ArrivalRate())
		near("in flight", s.Load.ForAll.InFlight, 3*s.Load.InFlight.Mean())
		near("worth", s.Load.ForAll.Effective, float64(n))
		near("law", s.Load.ForAll.InFlight, little.InStage(s.Load.ForAll.ArrivalRate, s.Load.InFlight.Integral.Float()/float64(n)))
	})
}

// TestForAllHasNoOrder: neither the order of the table nor workers change a figure.
func TestForAllHasNoOrder(t *testing.T) {
	list := twoTruths(true)
	list = append(list, given{id: 9000, class: critical.Unfinished, weight: 7, start: 5000 * ms})
	a := Summarize(tables(list), Options{Replicates: 50})
	slices.Reverse(list)
	b := Summarize(tables(list), Options{Replicates: 50, Workers: 3})
	if diff := cmp.Diff(a.Duration.ForAll, b.Duration.ForAll); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(a.Load.ForAll, b.Load.ForAll); diff != "" {
		t.Error(diff)
	}
}
