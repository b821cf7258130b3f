package analyze

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestContextIsThatOfSystem: the record of a set does not depend on what is asked of it.
func TestContextIsThatOfSystem(t *testing.T) {
	kinds := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlant(t)
		if w := rapid.SampledFrom([]float64{0, 0, 1, 3}).Draw(t, "weight"); w > 0 {
			for i := range p.visitors {
				p.visitors[i].weight = w * float64(1+i%int(w)) // of 3 they differ
			}
		}
		set, engines := p.build()
		for i := range set.Requests.Len() {
			set.Requests.Model[i] = set.Symbols.Intern(rapid.SampledFrom([]string{"a", "a", "b"}).Draw(t, "model"))
		}
		opt := Options{Engines: engines, GPUs: rapid.SampledFrom([]int64{0, 8}).Draw(t, "GPUs")}
		if rapid.Bool().Draw(t, "filtered") {
			opt.Where, _ = filter.Parse("e2e>100ms")
		}
		want, got := systemOf(set, opt.filled().on(set), CapacityOptions{GPUs: opt.GPUs}), contextOf(set, opt)
		if d := unequal(want.Context, got, exactly); d != "" {
			t.Fatalf("(-system +context)\n%s", d)
		}
		kinds[want.Refused == ""]++
		if s := Summarize(set, opt); unequal(s.Context, got, exactly) != "" || unequal(QueueOf(set, opt, nil).Summary.Context, got, exactly) != "" {
			t.Fatalf("the summary has %+v, not %+v", s.Context, got)
		}
	})
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Errorf("refused or not: %v", kinds)
	}
}

// TestContextWithoutTimes: where no request has times that others have too, there are still as
// many of them, of a model and of so many tokens.
func TestContextWithoutTimes(t *testing.T) {
	set := tables(traffic(1, 100, nil))
	for i := range set.Requests.Len() {
		set.Requests.Clock[i], set.Requests.Model[i] = table.ClockNone, set.Symbols.Intern("llama")
	}
	x := contextOf(set, Options{})
	if x.N != serving.Is(int64(100)) || x.Model != serving.Is("llama") || !x.OutputTokens.P50.Known || x.InputTokens.P50.Known || x.WindowNS.Known || x.ArrivalRate.Known || x.Concurrency.Mean.Known {
		t.Errorf("%+v", x)
	}
	if x := contextOf(table.NewSet(), Options{GPUs: 2}); x.N.Known || x.Model.Known || x.GPUCount != serving.Is(int64(2)) {
		t.Errorf("of nothing: %+v", x)
	}
}

// TestPlatform: version, type and number of GPUs are known where everything that executed tells
// the same.
func TestPlatform(t *testing.T) {
	path := legs(0, stage.GPU, "prefill", 10, stage.GPU, "decode", 90)
	of := func(change func(set *table.Set)) serving.Context {
		p := plant{engines: 2, visitors: together(20, 2, 150*ms, path)}
		for i := range p.visitors {
			if i%2 == 1 {
				p.visitors[i].legs = legs(1, stage.GPU, "prefill", 10, stage.GPU, "decode", 90)
			}
		}
		set, engines := p.build()
		change(set)
		return contextOf(set, Options{Engines: engines})
	}
	reading := func(set *table.Set, host, device, metric string, at int64, value float64) {
		s := &set.EngineSamples
		i := s.Grow()
		s.Time[i], s.Value[i] = at, value
		s.Host[i], s.Engine[i], s.Metric[i] = set.Symbols.Intern(host), set.Symbols.Intern(device), set.Symbols.Intern(metric)
	}
	used := func(set *table.Set, hosts ...string) {
		for _, h := range hosts {
			for _, device := range []string{"0", "1/7", "1/8"} { // one is divided in two
				reading(set, h, device, "gpu_utilization", 500*ms, .5)
			}
			reading(set, h, "2", "gpu_utilization", 500*ms, 0)   // nothing ran there
			reading(set, h, "3", "gpu_utilization", -500*ms, 1)  // nor there, meanwhile
			reading(set, h, "4", "gpu_memory_used", 500*ms, 1e9) // memory is held by who is idle, too
			reading(set, h, "5", "gpu_utilization", 500*ms, math.NaN())
		}
	}
	for _, c := range []struct {
		name   string
		change func(set *table.Set)
		want   [3]string // version, type, number
	}{
		{"nothing is told", func(*table.Set) {}, [3]string{"unknown", "unknown", "unknown"}},
		{"the scope has a version", func(set *table.Set) {
			set.Scopes.ScopeVersion[2], set.Scopes.ScopeVersion[3] = set.Symbols.Intern("0.11.0"), set.Symbols.Intern("0.11.0")
		}, [3]string{"0.11.0", "unknown", "unknown"}},
		{"two versions", func(set *table.Set) {
			set.Scopes.ScopeVersion[2], set.Scopes.ScopeVersion[3] = set.Symbols.Intern("0.11.0"), set.Symbols.Intern("0.10.0")
		}, [3]string{"unknown", "unknown", "unknown"}},
		{"one tells none", func(set *table.Set) { set.Scopes.ScopeVersion[2] = set.Symbols.Intern("0.11.0") }, [3]string{"unknown", "unknown", "unknown"}},
		{"GPUs of both hosts", func(set *table.Set) { used(set, "gpu-0", "gpu-1", "gpu-9") }, [3]string{"unknown", "unknown", "4"}},
		{"GPUs of one", func(set *table.Set) { used(set, "gpu-0") }, [3]string{"unknown", "unknown", "unknown"}},
	} {
		x := of(c.change)
		if got := [3]string{x.EngineVersion.String(), x.GPUType.String(), x.GPUCount.String()}; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestResourceOfPlatform: attributes of the engines' resources tell the type of the GPUs, and the
// version of a service where the engine itself made the span.
func TestResourceOfPlatform(t *testing.T) {
	set := tables(traffic(1, 30, nil))
	intern := set.Symbols.Intern
	for _, scope := range []string{"vllm.tracing.otel", "mine"} {
		i := set.Scopes.Grow()
		set.Scopes.Scope[i] = intern(scope)
		set.Scopes.ResourceAttributes.Add(intern("service.version"), table.StringValue("0.11.0"))
		set.Scopes.ResourceAttributes.Add(intern("k8s.node.label.nvidia.com/gpu.product"), table.StringValue("NVIDIA-H200"))
	}
	span := set.Spans.Grow()
	for i := range set.Segments.SpanRow {
		set.Segments.SpanRow[i] = int32(span)
	}
	for scope, want := range []string{"0.11.0", "unknown"} {
		set.Spans.ScopeRow[span] = int32(scope)
		if x := contextOf(set, Options{}); x.GPUType.String() != "NVIDIA-H200" || x.EngineVersion.String() != want {
			t.Errorf("%v, version %v", x.GPUType, x.EngineVersion)
		}
	}
}

// TestUnlikeContextsAreRefused: sets that differ in model, number of GPUs or median tokens by
// more than a tenth are not set against each other, unless it is forced.
func TestUnlikeContextsAreRefused(t *testing.T) {
	of := func(seed uint64, model string, tokens int64) *table.Set {
		set := tables(traffic(seed, 200, func(_ int, _ *rand.Rand, g *given) { g.tokens = tokens }))
		for i := range set.Requests.Len() {
			set.Requests.Model[i] = set.Symbols.Intern(model)
		}
		return set
	}
	relative, err := filter.ParseCondition("p50(e2e) > +1000%", ConditionWords())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		base, new *table.Set
		gpus      [2]int64
		refused   string
	}{
		{"alike", of(1, "a", 100), of(2, "a", 100), [2]int64{8, 8}, ""},
		{"another model", of(1, "a", 100), of(2, "b", 100), [2]int64{8, 8}, "the model is a in base and b in new"},
		{"more GPUs", of(1, "a", 100), of(2, "a", 100), [2]int64{4, 8}, "the GPU count is 4 in base and 8 in new"},
		{"9 % more tokens", of(1, "a", 100), of(2, "a", 109), [2]int64{}, ""},
		{"9 % fewer tokens", of(1, "a", 109), of(2, "a", 100), [2]int64{}, ""},
		{"11 % more tokens", of(1, "a", 100), of(2, "a", 111), [2]int64{}, "the median of output tokens is 100 in base and 111 in new"},
		{"all at once", of(1, "a", 111), of(2, "b", 100), [2]int64{1, 2}, "the model is a in base and b in new; the GPU count is 1 in base and 2 in new; the median of output tokens is 111 in base and 100 in new"},
		{"one side tells no model", of(1, "", 100), of(2, "b", 100), [2]int64{8, 8}, ""},
		{"one side tells no GPUs", of(1, "a", 100), of(2, "a", 100), [2]int64{0, 8}, ""},
		{"one side tells no tokens", of(1, "a", 0), of(2, "a", 100), [2]int64{8, 8}, ""},
		{"there is nothing in one", of(1, "a", 100), table.NewSet(), [2]int64{1, 2}, ""},
	} {
		opt := Options{Replicates: 50, GPUs: c.gpus[1], Base: Platform{GPUs: c.gpus[0]}}
		got := Compare(c.base, c.new, opt, change.Rule{})
		if why := strings.Join(got.Refused(), "; "); why != c.refused {
			t.Errorf("%s: refused %q, want %q", c.name, why, c.refused)
		}
		if j := JudgeChange(&got, relative); strings.HasPrefix(j.Why, "not compared: the ") != (c.refused != "") || c.refused != "" && (j.Outcome != Inconclusive || j.Known) {
			t.Errorf("%s: %+v", c.name, j)
		}
		opt.Force = true
		forced := Compare(c.base, c.new, opt, change.Rule{})
		told := 0
		for _, w := range forced.Warnings {
			if w.ID == UnlikeContext || w.ID == OtherModels {
				told++
			}
		}
		if want := strings.Count(c.refused, "; ") + min(1, len(c.refused)); forced.Refused() != nil || told != want {
			t.Errorf("%s: forced, %d warnings of %d", c.name, told, want)
		}
		// What is found is the same: a refusal takes nothing away.
		if d := unequal(got.Verdict, forced.Verdict) + unequal(got.Mix, forced.Mix); d != "" {
			t.Errorf("%s: forced it is another verdict:\n%s", c.name, d)
		}
		back := Compare(c.new, c.base, Options{Replicates: 50, GPUs: c.gpus[0], Base: Platform{GPUs: c.gpus[1]}}, change.Rule{})
		if len(back.Refused()) != len(got.Refused()) || len(back.Likeness.Untold) != len(got.Likeness.Untold) {
			t.Errorf("%s: swapped it is %v", c.name, back.Likeness)
		}
	}
}

// BenchmarkContext makes the record of 1,000,000 requests with their segments.
func BenchmarkContext(b *testing.B) {
	set := busyDays(1_000_000, 1)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		contextOf(set, Options{})
	}
}
