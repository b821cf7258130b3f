package analyze

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// traffic makes requests at random times of an hour: some time in each of four stages and
// a decode that takes 10 ms a token. with changes each before it is added.
func traffic(seed uint64, n int, with func(i int, random *rand.Rand, g *given)) []given {
	random := rand.New(rand.NewPCG(seed, 9))
	out := make([]given, n)
	for i := range out {
		g := given{id: seed<<32 + uint64(i), start: int64(seed)*7200_000*ms + random.Int64N(3600_000)*ms, tokens: 20 + random.Int64N(60), ttft: true}
		g.times[stage.Network] = (1 + random.Int64N(20)) * ms
		g.times[stage.Queue] = random.Int64N(30) * ms
		g.decode = g.tokens * 10 * ms
		g.times[stage.GPU] = (40+random.Int64N(60))*ms + g.decode
		g.times[stage.Unattributed] = random.Int64N(3) * ms
		if with != nil {
			with(i, random, &g)
		}
		out[i] = g
	}
	return out
}

func comparison(base, new []given) Comparison {
	return Compare(tables(base), tables(new), Options{Replicates: 300, Workers: 2}, change.Rule{})
}

func TestCompareFindsTheStage(t *testing.T) {
	same := comparison(traffic(1, 2000, nil), traffic(2, 2000, nil))
	if v := same.Verdict; v.Kind != ChangeSame || v.HasPart {
		t.Errorf("two equal captures are %s: %s", v.Kind, v.Reason)
	}
	slow := comparison(traffic(1, 2000, nil), traffic(2, 2000, func(_ int, random *rand.Rand, g *given) {
		g.times[stage.Queue] += (100 + random.Int64N(400)) * ms
	}))
	if v := slow.Verdict; v.Kind != ChangeSlower || v.Metric != "duration" || v.P != stat.P99 || !v.KnownStage() || v.Part.Name() != "queue" || v.Cause != CauseServer {
		t.Errorf("a longer queue is %+v", v)
	}
	fast := comparison(traffic(1, 2000, nil), traffic(2, 2000, func(_ int, _ *rand.Rand, g *given) {
		g.times[stage.GPU] -= g.decode / 2
		g.decode /= 2
	}))
	if v := fast.Verdict; v.Kind != ChangeFaster || v.Part.Name() != "gpu" || !v.Stands {
		t.Errorf("a faster decode is %+v", v)
	}
	few := comparison(traffic(1, 15, nil), traffic(2, 2000, nil))
	if v := few.Verdict; v.Kind != ChangeTooFew || v.Reason == "" {
		t.Errorf("fifteen requests are %+v", v)
	}
}

// TestCompareTellsWorkloadFromServer lengthens the answers, then the time per token.
func TestCompareTellsWorkloadFromServer(t *testing.T) {
	tokens := func(per int64) func(int, *rand.Rand, *given) {
		return func(_ int, random *rand.Rand, g *given) {
			g.times[stage.GPU] -= g.decode
			if random.IntN(2) == 0 {
				g.tokens = 60 + random.Int64N(20)
			}
			g.decode = g.tokens * per * ms
			g.times[stage.GPU] += g.decode
		}
	}
	longer := comparison(traffic(1, 4000, nil), traffic(2, 4000, tokens(10)))
	if v := longer.Verdict; v.Kind != ChangeSlower || v.Cause != CauseWorkload || !slices.Equal(v.Shifted, []string{MixOutput}) {
		t.Errorf("longer answers are %+v", v)
	}
	both := comparison(traffic(1, 4000, nil), traffic(2, 4000, tokens(13)))
	if v := both.Verdict; v.Kind != ChangeSlower || v.Cause == CauseWorkload || v.Cause == CauseUnknown {
		t.Errorf("longer answers and slower tokens are %+v", v)
	}
	for _, c := range []struct {
		c    Comparison
		per  float64
		name string
	}{{longer, 1, "longer answers"}, {both, 1.2, "slower tokens"}} {
		w := c.c.Metrics[0].Percentiles[0].Workload
		if w == nil || math.Abs(math.Log(w.Ratio.Value/c.per)) > .06 {
			t.Errorf("%s: the median is x%v at equal workload, want about x%v", c.name, w, c.per)
		}
	}
}

// TestCompareTrustsNoBlindSide takes the queue's time away from base: it is unattributed
// there, and no change by itself.
func TestCompareTrustsNoBlindSide(t *testing.T) {
	hide := func(_ int, _ *rand.Rand, g *given) {
		g.times[stage.Unattributed] += g.times[stage.Queue]
		g.times[stage.Queue] = 0
	}
	c := comparison(traffic(1, 2000, hide), traffic(2, 2000, nil))
	m := c.Metrics[0]
	if len(m.Blind) != 1 || m.Blind[0].Stage != stage.Queue || m.Blind[0].Side != change.Base {
		t.Fatalf("blind is %+v", m.Blind)
	}
	last := m.Parts[len(m.Parts)-1]
	if last.Name() != "queue or unattributed" || len(m.Mean.Parts) != len(m.Parts) {
		t.Fatalf("parts are %v", m.Parts)
	}
	if c.Verdict.Kind != ChangeSame || m.Mean.Parts[len(m.Parts)-1].Stands {
		t.Errorf("a stage that base does not record is a change: %+v, %+v", c.Verdict, m.Mean.Parts)
	}
	if !slices.ContainsFunc(c.Warnings, func(w stat.Warning) bool { return w.ID == NotRecorded }) {
		t.Errorf("nothing says so: %v", c.Warnings)
	}
	// A stage that base records for a part of its requests is told.
	some := comparison(traffic(1, 2000, func(i int, random *rand.Rand, g *given) {
		if i%10 > 0 {
			hide(i, random, g)
		}
	}), traffic(2, 2000, nil))
	if m := some.Metrics[0]; len(m.Blind) != 0 || !slices.ContainsFunc(some.Warnings, func(w stat.Warning) bool { return w.ID == OtherCoverage }) {
		t.Errorf("blind is %v, warnings are %v", m.Blind, some.Warnings)
	}
	// A stage that is truly absent, with no more unattributed time, is a change.
	none := func(_ int, _ *rand.Rand, g *given) { g.times[stage.Queue], g.times[stage.Unattributed] = 0, 0 }
	if c := comparison(traffic(1, 2000, none), traffic(2, 2000, nil)); len(c.Metrics[0].Blind) != 0 {
		t.Errorf("a stage that is not there is taken for one that is not recorded: %+v", c.Metrics[0].Blind)
	}
}

// TestCompareDoesNotHideFailures leaves failed requests out of the latencies and says
// that there are more of them.
func TestCompareDoesNotHideFailures(t *testing.T) {
	fail := func(i int, _ *rand.Rand, g *given) {
		g.err = i%10 == 0
		if i%25 == 1 {
			g.class, g.reason = critical.Incomplete, "missing parent"
		}
	}
	c := comparison(traffic(1, 2000, nil), traffic(2, 2000, fail))
	if c.Verdict.Kind != ChangeSame {
		t.Errorf("failures changed the latency: %+v", c.Verdict)
	}
	for i, want := range []change.Outcome{change.Slower, change.Slower, change.Same} {
		if r := c.Rates[i]; r.Outcome != want {
			t.Errorf("%s: %+v, want %s", r.Name, r, want)
		}
	}
}

func TestCompareSaysWhatElseDiffers(t *testing.T) {
	base, new := tables(traffic(1, 200, nil)), tables(traffic(2, 200, nil))
	for i := range base.Requests.Len() {
		base.Requests.Model[i], new.Requests.Model[i] = base.Symbols.Intern("small"), new.Symbols.Intern("large")
		base.Requests.Service[i], new.Requests.Service[i] = base.Symbols.Intern("edge"), new.Symbols.Intern("engine")
		base.Requests.FirstTokenBasis[i], new.Requests.FirstTokenBasis[i] = base.Symbols.Intern("event"), new.Symbols.Intern("attribute")
		new.Requests.Weight[i] = float64(1 + i%2)
		new.Requests.Clock[i] = table.ClockNone
	}
	c := Compare(base, new, Options{Replicates: 100}, change.Rule{})
	var got []string
	for _, w := range c.Warnings {
		got = append(got, w.ID)
	}
	if want := []string{OtherModels, OtherVantage, OtherBasis, OneSideBiased, NoTimes}; !slices.Equal(got, want) {
		t.Errorf("warnings are %v, want %v", got, want)
	}
	if c.Blocks.Known() || c.Metrics[0].Percentiles[0].Ratio.HasBounds || c.Metrics[0].Percentiles[0].Workload != nil {
		t.Errorf("without times and a model in common there is %+v", c.Metrics[0].Percentiles[0])
	}
}

// TestCompareIgnoresOrder shuffles the rows of both tables, and swaps the sides.
func TestCompareIgnoresOrder(t *testing.T) {
	ignore := cmp.Exporter(func(reflect.Type) bool { return true })
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(1, 1000).Draw(t, "seed")
		base, new := traffic(seed, rapid.IntRange(1, 150).Draw(t, "base"), nil), traffic(seed+1, rapid.IntRange(1, 150).Draw(t, "new"), nil)
		run := func(base, new *table.Set) Comparison {
			return Compare(base, new, Options{Replicates: 50}, change.Rule{})
		}
		want := run(tables(base), tables(new))
		random := rand.New(rand.NewPCG(seed, 1))
		for _, side := range [][]given{base, new} {
			random.Shuffle(len(side), func(i, j int) { side[i], side[j] = side[j], side[i] })
		}
		a, b := tables(base), tables(new)
		if diff := unequal(want, run(a, b), ignore); diff != "" {
			t.Fatalf("another order of rows (-before +after):\n%s", diff)
		}
		back := run(b, a)
		for m := range want.Metrics {
			for i, p := range want.Metrics[m].Percentiles {
				if q := back.Metrics[m].Percentiles[i]; math.Abs(p.Ratio.Value*q.Ratio.Value-1) > 1e-12 {
					t.Fatalf("%s %s: x%v and back x%v", want.Metrics[m].Metric, p.P, p.Ratio.Value, q.Ratio.Value)
				}
			}
		}
		itself := run(a, a)
		if k := itself.Verdict.Kind; k != ChangeSame && k != ChangeTooFew {
			t.Fatalf("against itself it is %s", k)
		}
	})
}

// TestCompareOfNothing compares sets without requests.
func TestCompareOfNothing(t *testing.T) {
	empty, some := table.NewSet(), tables(traffic(1, 50, nil))
	for _, pair := range [][2]*table.Set{{empty, empty}, {empty, some}, {some, empty}} {
		c := Compare(pair[0], pair[1], Options{}, change.Rule{})
		if c.Verdict.Kind != ChangeTooFew || len(c.Metrics) != 3 {
			t.Errorf("%+v", c.Verdict)
		}
	}
}

// BenchmarkCompare compares 1,000,000 requests with as many.
func BenchmarkCompare(b *testing.B) {
	var sets [2]*table.Set
	for s := range sets {
		random := rand.New(rand.NewPCG(uint64(s), 1))
		set := table.NewSet()
		model, route := set.Symbols.Intern("llama3-70b"), set.Symbols.Intern("/v1/chat/completions")
		req := &set.Requests
		for i := range 1_000_000 {
			req.Grow()
			req.TraceID[i][0], req.TraceID[i][1], req.TraceID[i][2] = byte(i), byte(i>>8), byte(i>>16)
			req.Model[i], req.Route[i], req.OutputTokens[i], req.PromptTokens[i] = model, route, 2+random.Int64N(500), 1+random.Int64N(4000)
			for k := range req.Stage {
				req.Stage[k][i] = random.Int64N(50) * ms
				req.TTFTStage[k][i] = req.Stage[k][i] / 2
				req.Duration[i] += req.Stage[k][i]
			}
			var ttft int64
			for k := range req.TTFTStage {
				ttft += req.TTFTStage[k][i]
			}
			req.Start[i] = int64(s*7+4)*86400_000*ms + random.Int64N(7*86400_000)*ms
			req.TTFT[i], req.FirstToken[i], req.End[i] = ttft, req.Start[i]+ttft, req.Start[i]+req.Duration[i]
		}
		sets[s] = set
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		Compare(sets[0], sets[1], Options{Workers: 2}, change.Rule{})
	}
}
