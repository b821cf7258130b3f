package analyze

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	days "github.com/tailpath/tailpath/cmd/lab/plant"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// stretch is so many minutes with so many requests each, of which some take slow and the
// others 10 ms.
type stretch struct {
	minutes, each, bad int
	slow               int64
	tokens             int64
}

// minutes makes requests of stretches that follow each other.
func minutes(list ...stretch) (out []given) {
	at := int64(0)
	for _, s := range list {
		for range s.minutes {
			for i := range s.each {
				g := given{id: uint64(len(out)), start: at + int64(i)*60_000*ms/int64(s.each), times: times(stage.GPU, int(10*ms)), tokens: s.tokens}
				if i < s.bad {
					g.times = times(stage.GPU, int(s.slow))
				}
				out = append(out, g)
			}
			at += 60_000 * ms
		}
	}
	return out
}

// rising is half an hour at 2 requests a second of which 1 in 120 is slow, and half an hour at
// 3 of which 18 in 180 are.
func rising() []given {
	return minutes(stretch{31, 120, 1, 500 * ms, 10}, stretch{31, 180, 18, 500 * ms, 30})
}

// doubts are the ids of the warnings of a capacity.
func doubts(c ObjectiveCapacity) string {
	var ids []string
	for _, w := range c.Warnings {
		ids = append(ids, w.ID)
	}
	return strings.Join(ids, " ")
}

// TestCarried: 2 requests a second pass and 3 fail.
func TestCarried(t *testing.T) {
	list := rising()
	list[1000].err = true
	set := tables(list)
	for row, n := range set.Requests.OutputTokens {
		set.Requests.PromptTokens[row] = 10 * n
	}
	ask := slo(t, "p95(e2e) < 400ms", "95%(e2e < 400ms)", "p50(e2e) < 400ms", "p50(e2e) < 400ms and p95(e2e) < 400ms", "p99.9(e2e) < 400ms and p95(e2e) < 400ms")
	ask.GPUs = 4
	got := CapacityOf(set, Options{}, ask).Objectives
	for _, o := range got[:2] {
		c := o.Capacity
		if c.Kind != capacity.Reached || c.Pass != 2 || c.Fail != 3 || c.Rate < 2 || c.Rate >= 3 || c.PerGPU != c.Rate/4 || c.TokensPerGPU != c.TokenRate/4 || c.Refused != "" {
			t.Errorf("%s: %+v", o.Objective, c)
		}
		if c.Mix.Output.P50.Value != 30 || c.Mix.Prompt.P95.Value != 300 || c.Mix.Output.N != 30*180 || c.All.Output.N != int64(len(list)) || c.All.Prompt.P50.Value != 300 || c.All.Output.P95.Value != 30 {
			t.Errorf("%s: mix %+v of %+v", o.Objective, c.Mix, c.All)
		}
		if c.Bins[c.PassBin].Good != c.Bins[c.PassBin].Eligible-30-1 {
			t.Errorf("%s: a failed request is asked and not good: %+v", o.Objective, c.Bins[c.PassBin])
		}
		if doubts(c) != capacity.NoLowLoad {
			t.Errorf("%+v", c.Warnings)
		}
	}
	within := got[2].Capacity
	// The first window of the busy half hour has a quiet neighbour.
	if within.Kind != capacity.NotReached || math.Abs(within.Rate-(29*3+8./3)/30) > 1e-12 || math.Abs(within.TokenRate-30*within.Rate) > 1e-9 || within.Mix.Output.P50.Value != 30 {
		t.Errorf("the limit is not reached: %+v", within)
	}
	if o := got[3]; o.Limiting != 1 || unequal(o.Terms[1].Capacity, o.Capacity) != "" {
		t.Errorf("of %v and %v the least is %v", o.Terms[0].Capacity.Rate, o.Terms[1].Capacity.Rate, o.Capacity.Rate)
	}
	// p99.9 fails already at the lowest rate: the capacity is less than all that was seen.
	if o := got[4]; o.Limiting != 0 || o.Capacity.Kind != capacity.CannotSay || o.Capacity.Why != capacity.LowestFails || o.Capacity.Rate != 0 || o.Capacity.Mix.Output.P50.Value != 10 {
		t.Errorf("%+v", o.Capacity.Answer)
	}
	if c := CapacityOf(set, Options{}, slo(t, "p95(e2e) < 400ms")).Objectives[0].Capacity; c.PerGPU != 0 || c.TokensPerGPU != 0 {
		t.Errorf("for an unknown number of GPUs: %v", c.PerGPU)
	}
}

// TestWindows: the length of a window is as asked for.
func TestWindows(t *testing.T) {
	ask := slo(t, "p95(e2e) < 400ms")
	ask.WindowNS = 120_000 * ms
	c := meets(tables(rising()), Options{}, ask)[0].Capacity
	if c.WindowNS != ask.WindowNS || len(c.Windows) != 31 || c.Kind != capacity.Reached || c.Mix.Output.N != int64(c.Bins[c.FailBin].Requests) {
		t.Errorf("%d windows: %+v", len(c.Windows), c.Answer)
	}
}

// risingFuller is as [rising], with as many requests in a window as rates of kept traces need.
func risingFuller() []given {
	return minutes(stretch{7, leastKept, 13, 500 * ms, 10}, stretch{7, 1.5 * leastKept, 240, 500 * ms, 30})
}

// TestUniformRates: each trace stands for four requests, so that rates are four times those of
// kept ones.
func TestUniformRates(t *testing.T) {
	kept := risingFuller()
	texts := []string{"p95(e2e) < 400ms", "p50(e2e) < 400ms", "p99.9(e2e) < 400ms", "98.5%(e2e < 400ms)"}
	before := meets(tables(kept), Options{}, slo(t, texts...))
	for i := range kept {
		kept[i].weight = 4
	}
	for i, o := range meets(tables(kept), Options{}, slo(t, texts...)) {
		a, b := before[i].Capacity, o.Capacity
		if b.Kind != a.Kind || b.Why != a.Why || b.Rate != 4*a.Rate || b.TokenRate != 4*a.TokenRate || b.Pass != 4*a.Pass || b.Fail != 4*a.Fail || b.Estimate != 4*a.Estimate || unequal(a.Mix, b.Mix) != "" {
			t.Errorf("%s: %+v, kept %+v", texts[i], b.Answer, a.Answer)
		}
		if last := b.Bins[len(b.Bins)-1]; last.Rate != 160 || last.Requests != 6*1.5*leastKept {
			t.Errorf("%s: %+v", texts[i], last)
		}
		if n := len(b.Warnings); n == 0 || b.Warnings[n-1].ID != UniformWeights {
			t.Errorf("%s: %+v", texts[i], b.Warnings)
		}
		if a.Why != capacity.Undecided && strings.Count(b.Text, " ") != strings.Count(a.Text, " ") {
			t.Errorf("%s: %q, of kept ones %q", texts[i], b.Text, a.Text)
		}
	}
}

// TestChancyRates: of one trace in ten a window keeps as many as chance has it, and the fullest
// times ten are rates that were never carried.
func TestChancyRates(t *testing.T) {
	s, err := days.LookupSystem("even-4")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 2))
	var list []given
	s.Each(days.Day{Seed: 2, Peak: .95, Hours: 2, Load: days.OnePeak}, func(q *days.Request) {
		if r.IntN(10) == 0 {
			list = append(list, given{id: uint64(len(list)), start: q.StartNS, times: times(stage.GPU, int(q.DurationNS())), tokens: 100, weight: 10})
		}
	})
	o := meets(tables(list), Options{}, slo(t, "p95(e2e) < 400ms"))[0]
	if c := o.Capacity; c.Kind != capacity.CannotSay || c.Text != c.Refused || c.Rate != 0 || len(c.Bins) != 0 || c.WindowNS != 60_000*ms || o.Goodput == 0 || o.Outcome != tokens.Pass ||
		!strings.HasPrefix(c.Refused, "every trace stands for 10 requests, and the median window of 60 s has ") || !strings.Contains(c.Refused, "1600 are needed") {
		t.Errorf("%s: %s", c.Kind, c.Text)
	}
	for each, refused := range map[int]bool{leastKept - 1: true, leastKept: false} {
		list := minutes(stretch{3, each, 0, 0, 10})
		for i := range list {
			list[i].weight = 2
		}
		ask := slo(t, "p95(e2e) < 400ms")
		if c := meets(tables(list), Options{}, ask)[0].Capacity; (c.Refused != "") != refused || refused && !strings.Contains(c.Refused, "60 s has 1599 that were kept") {
			t.Errorf("%d in a window: %q", each, c.Refused)
		}
		ask.WindowNS = 180_000 * ms
		if c := meets(tables(list), Options{}, ask)[0].Capacity; c.Refused != "" {
			t.Errorf("%d in a third of a window: %q", each, c.Refused)
		}
	}
}

// TestBelowWhatFails: where one term was seen to hold only at rates below those that another is
// known to carry, the rate that is seen to fail bounds it from above, and not one that passes.
func TestBelowWhatFails(t *testing.T) {
	list := minutes(stretch{100, 60, 0, 500 * ms, 10}, stretch{12, 120, 0, 500 * ms, 10}, stretch{9, 180, 18, 500 * ms, 30})
	c := meets(tables(list), Options{}, slo(t, "p99.9(e2e) < 600ms and p95(e2e) < 400ms"))[0].Capacity
	if i := slices.IndexFunc(c.Warnings, func(w stat.Warning) bool { return w.ID == OtherTermLimits }); c.Kind != capacity.NotReached || i < 0 ||
		c.Warnings[i].Text != "below 3 requests a second: there p95(e2e) < 400ms fails" {
		t.Errorf("%+v %+v", c.Answer, c.Warnings)
	}
}

// TestUniformTexts: sentences with rates are those of all requests too.
func TestUniformTexts(t *testing.T) {
	capacityOf := func(list []given, weight float64) ObjectiveCapacity {
		for i := range list {
			list[i].weight = weight
		}
		return meets(tables(list), Options{}, slo(t, "p95(e2e) < 400ms"))[0].Capacity
	}
	// A rate fails that is between two that pass.
	odd := minutes(stretch{7, 1600, 13, 500 * ms, 10}, stretch{7, 1800, 300, 500 * ms, 10}, stretch{7, 2000, 13, 500 * ms, 10})
	if c := capacityOf(odd, 10); c.Kind != capacity.Reached || c.Fail != 300 || !strings.Contains(doubts(c), capacity.NotMonotone) || strings.ContainsAny(c.Warnings[0].Text+c.Warnings[1].Text, "0123456789") {
		t.Errorf("%+v, %+v", c.Answer, c.Warnings)
	}
	// 95.2 % of too few requests.
	near := minutes(stretch{8, 1600, 77, 500 * ms, 10})
	one, ten := capacityOf(near, 1), capacityOf(near, 10)
	if one.Why != capacity.Undecided || ten.Why != capacity.Undecided || one.NeedRequests == 0 || ten.NeedRequests != one.NeedRequests || !strings.Contains(ten.Text, "kept requests") {
		t.Errorf("%+v, %+v", one.Answer, ten.Answer)
	}
}

// TestRefusedRates: the requests of the load, failed and unfinished ones too, say how traces
// were chosen.
func TestRefusedRates(t *testing.T) {
	list := rising()
	for i := range list {
		list[i].weight = 10
	}
	list = append(list, given{id: 1 << 20, err: true, times: times(stage.GPU, int(ms)), weight: 1})
	o := meets(tables(list), Options{}, slo(t, "p95(e2e) < 400ms"))[0]
	if o.Capacity.Refused == "" || o.NoGoodput == "" || o.Capacity.Kind != capacity.CannotSay || len(o.Capacity.Bins) != 0 || o.Terms[0].Attainment.Method != MethodBinom {
		t.Errorf("failed requests are kept more often: %+v", o.Capacity)
	}
	list = rising()
	list = append(list, given{id: 1 << 20, class: critical.Unfinished, start: 5, weight: 2})
	if o := meets(tables(list), Options{}, slo(t, "p95(e2e) < 400ms"))[0]; o.Capacity.Refused == "" {
		t.Errorf("%+v", o.Capacity)
	}
	set := tables(rising())
	set.Scopes.Grow()
	set.Scopes.ScopeAttributes.Add(set.Symbols.Intern("tailsampling.policy"), table.StringValue("slow"))
	o = meets(set, Options{}, slo(t, "p95(e2e) < 400ms"))[0]
	if !strings.Contains(o.Capacity.Refused, "tailsampling.policy") || o.NoGoodput != o.Capacity.Refused || o.Capacity.Text != o.Capacity.Refused || o.Terms[0].Attainment.Warnings[0].ID != KeptTraces {
		t.Errorf("marks of a sampler: %+v", o.Capacity)
	}
}

// TestElsewhere: requests of another clock are asked, and not in a rate.
func TestElsewhere(t *testing.T) {
	set := tables(rising())
	set.Requests.Clock[77] = table.ClockSteady
	o := meets(set, Options{}, slo(t, "95%(e2e < 400ms)"))[0]
	var arrivals int64
	for _, w := range o.Capacity.Windows {
		arrivals += w.Arrivals
	}
	if n := int64(set.Requests.Len()); o.Asked != n || arrivals != n-1 || doubts(o.Capacity) != capacity.NoLowLoad+" "+ElsewhereRequests {
		t.Errorf("%d asked, %d arrivals, %+v", o.Asked, arrivals, o.Capacity.Warnings)
	}
}

// TestTokenRate: tokens that were not recorded make their rate a lower bound, or unknown.
func TestTokenRate(t *testing.T) {
	set := tables(rising())
	rate := func() ObjectiveCapacity { return meets(set, Options{}, slo(t, "p95(e2e) < 400ms"))[0].Capacity }
	whole := rate()
	for row := range 1200 {
		set.Requests.OutputTokens[row] = table.Missing
	}
	if c := rate(); c.Rate != whole.Rate || c.TokenRate >= whole.TokenRate || c.TokenRate <= 0 || doubts(c) != capacity.NoLowLoad+" "+PartialTokens || c.All.Output.N != whole.All.Output.N-1200 {
		t.Errorf("%v of %v tokens a second, %s", c.TokenRate, whole.TokenRate, doubts(c))
	}
	for row := range set.Requests.OutputTokens {
		set.Requests.OutputTokens[row] = table.Missing
	}
	if c := rate(); c.TokenRate != 0 || !strings.Contains(c.Warnings[1].Text, "not known") {
		t.Errorf("%v tokens a second: %+v", c.TokenRate, c.Warnings)
	}
}

// TestDoubtfulRates: whole seconds leave open how many miss, so a rate fails only if it does
// with all of them good.
func TestDoubtfulRates(t *testing.T) {
	capacityOf := func(list []given, off int64) ObjectiveCapacity {
		set := tables(list)
		for row := range list {
			if set.Requests.Duration[row] > 100*ms {
				set.Requests.DurationError[row] = off
			}
		}
		return meets(set, Options{}, slo(t, "p95(e2e) < 400ms"))[0].Capacity
	}
	exact := capacityOf(rising(), 0)
	if c := capacityOf(rising(), 50*ms); c.Kind != capacity.Reached || c.Rate != exact.Rate || c.FailBin != 1 || doubts(c) != capacity.NoLowLoad {
		t.Errorf("500 ms, off by 50 ms, are surely too long: %+v, %s", c.Answer, doubts(c))
	}
	if c := capacityOf(rising(), 200*ms); c.Kind != capacity.NotReached || c.Rate != 2 || c.TokenRate != 20 || c.FailBin != -1 || c.Fail != 0 || doubts(c) != capacity.NoLowLoad+" "+CoarseTimes {
		t.Errorf("500 ms, off by 200 ms, may be good: %+v, %s", c.Answer, doubts(c))
	}
	// Only the quiet half hour is doubtful, and passes whatever is true.
	set := tables(rising())
	for row := range 31 * 120 {
		set.Requests.DurationError[row] = 200 * ms
	}
	if c := meets(set, Options{}, slo(t, "p95(e2e) < 400ms"))[0].Capacity; c.Kind != capacity.Reached || c.Rate != exact.Rate || c.FailBin != 1 || c.Fail != 3 || c.Text != exact.Text || doubts(c) != capacity.NoLowLoad+" "+CoarseTimes {
		t.Errorf("in doubt where it does not matter: %+v, %s", c.Answer, doubts(c))
	}
	// 399 ms pass as they were recorded, and need not.
	near := func(off int64) ObjectiveCapacity {
		return capacityOf(minutes(stretch{31, 120, 60, 399 * ms, 10}, stretch{31, 180, 90, 399 * ms, 10}), off)
	}
	if c := near(0); c.Kind != capacity.NotReached || c.PassBin != 1 {
		t.Errorf("exact: %+v", c.Answer)
	}
	if c := near(2 * ms); c.Kind != capacity.CannotSay || c.Why != capacity.Undecided || c.FailBin != -1 || c.PassBin != -1 || c.Rate != 0 || c.Bins[0].Verdict != capacity.Doubtful || c.Bins[0].Attainment != 1 {
		t.Errorf("off by 2 ms: %+v %+v", c.Answer, c.Bins)
	}
}

// TestUnfinishedLoad: requests that had not ended when the recording did arrived all the same,
// and cannot be asked unless they were there for too long.
func TestUnfinishedLoad(t *testing.T) {
	list := rising()
	for i := range list {
		if i%10 == 5 {
			list[i].class, list[i].times = critical.Unfinished, times()
		}
	}
	o := meets(withoutEnds(tables(list)), Options{}, slo(t, "p95(e2e) < 2h"))[0]
	b := o.Capacity.Bins[o.Capacity.PassBin]
	if o.Capacity.Pass != 3 || b.Requests != 30*180 || b.Eligible != b.Requests*9/10 || unequal([]Undefined{{stillOpen, 930}}, o.Undefined) != "" || warned(o.Attainment) != Independence+" "+PartialGoodput {
		t.Errorf("%+v, %+v", b, o.Undefined)
	}
}

// TestSimulatedDays: an hour with a peak of a tenth more than the servers carry shows the
// capacity, and one with a peak of less does not.
func TestSimulatedDays(t *testing.T) {
	s, err := days.LookupSystem("even-4")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		peak, low, high float64
		kind            capacity.Kind
	}{{.8, .72, .84, capacity.NotReached}, {1.1, .85, 1.01, capacity.Reached}} {
		set := s.Draw(days.Day{Seed: 3, Peak: c.peak, Hours: 1, Load: days.OnePeak})
		o := meets(set, Options{Workers: 2}, slo(t, "p95(e2e) < 400ms"))[0]
		if share := o.Capacity.Rate / s.Capacity; o.Capacity.Kind != c.kind || share < c.low || share > c.high {
			t.Errorf("peak %v: %s, %v of the capacity", c.peak, o.Capacity.Text, share)
		}
		limits := o.Capacity.FailBin
		if limits < 0 {
			limits = o.Capacity.PassBin
		}
		if o.Capacity.Mix.Output.N != o.Capacity.Bins[limits].Requests || o.Capacity.All.Output.N != o.Asked {
			t.Errorf("peak %v: lengths of %d requests, in the bin are %d", c.peak, o.Capacity.Mix.Output.N, o.Capacity.Bins[limits].Requests)
		}
		if o.Asked != int64(set.Requests.Len()) || o.Goodput <= 0 || o.Goodput > float64(o.Asked)/3500 {
			t.Errorf("peak %v: %d of %d, %v a second", c.peak, o.Good, o.Asked, o.Goodput)
		}
	}
}

// TestLeast: the capacity of an objective is the least of its terms, and is told only if that
// of each is, or one is less than all that was seen.
func TestLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := make([]ObjectiveTerm, rapid.IntRange(1, 4).Draw(t, "terms"))
		untold, below, lowest := false, false, math.Inf(1)
		for i := range terms {
			c := &terms[i].Capacity
			switch c.Kind = rapid.SampledFrom([]capacity.Kind{capacity.Reached, capacity.NotReached, capacity.CannotSay}).Draw(t, "kind"); {
			case c.Kind != capacity.CannotSay:
				c.Rate = float64(rapid.IntRange(1, 3).Draw(t, "rate"))
				c.Fail = c.Rate + float64(rapid.IntRange(0, 3).Draw(t, "fail"))
				lowest = min(lowest, c.Rate)
			case rapid.Bool().Draw(t, "below"):
				c.Why, below = capacity.LowestFails, true
			default:
				c.Why, untold = capacity.TooFewWindows, true
			}
		}
		at, c := least(terms)
		switch {
		case terms[at].Capacity.Kind != c.Kind || terms[at].Capacity.Rate != c.Rate:
			t.Fatalf("%+v is not that of term %d", c, at)
		case below && c.Why != capacity.LowestFails, !below && untold && c.Why != capacity.TooFewWindows:
			t.Fatalf("%+v of %+v", c.Answer, terms)
		case !below && !untold && c.Rate != lowest:
			t.Fatalf("%v is not the least, %v", c.Rate, lowest)
		}
		for _, x := range terms[:at] {
			if x.Capacity.Kind == c.Kind && x.Capacity.Rate == c.Rate && x.Capacity.Why == c.Why {
				t.Fatal("of equal ones the first counts")
			}
		}
		if c.Kind == capacity.NotReached {
			fails := math.Inf(1)
			for _, x := range terms {
				if x.Capacity.Kind == capacity.Reached {
					fails = min(fails, x.Capacity.Fail)
				}
			}
			if math.IsInf(fails, 1) != (len(c.Warnings) == 0) || len(c.Warnings) == 1 && !strings.HasPrefix(c.Warnings[0].Text, "below "+rateText(fails)+": ") {
				t.Fatalf("%v fails: %+v", fails, c.Warnings)
			}
		}
	})
}

// TestLeastFail: of terms that were seen to fail, the lowest rate that does bounds the capacity,
// whichever carries less.
func TestLeastFail(t *testing.T) {
	term := func(kind capacity.Kind, rate, fail float64) ObjectiveTerm {
		return ObjectiveTerm{Capacity: ObjectiveCapacity{Result: capacity.Result{Answer: capacity.Answer{Kind: kind, Rate: rate, Fail: fail}}}}
	}
	_, c := least([]ObjectiveTerm{term(capacity.NotReached, 1, 0), term(capacity.Reached, 2, 5), term(capacity.Reached, 3, 4)})
	if len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0].Text, "below 4 requests a second: ") {
		t.Errorf("%+v", c.Warnings)
	}
}

// TestAgreed: what durations that may be off say is no more than exact ones within their
// reach would: rates that pass do, and rates that fail do.
func TestAgreed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		off := rapid.SampledFrom([]int64{1, 60, 150, 300}).Draw(t, "off") * ms
		slow := rapid.SampledFrom([]int64{200, 390, 410, 700}).Draw(t, "slow") * ms
		true1 := slow + rapid.Int64Range(-off+1, off-1).Draw(t, "true")
		bad := rapid.IntRange(0, 15).Draw(t, "bad")
		record := func(slow int64) *table.Set {
			return tables(minutes(stretch{7, 20, 0, slow, 10}, stretch{7, 30, bad, max(0, slow), 10}))
		}
		recorded := record(slow)
		for row, ns := range recorded.Requests.Duration {
			if ns == slow {
				recorded.Requests.DurationError[row] = off
			}
		}
		ask := slo(t, "p90(e2e) < 400ms")
		coarse, exact := meets(recorded, Options{}, ask)[0].Capacity, meets(record(true1), Options{}, ask)[0].Capacity
		for i, b := range coarse.Bins {
			e := exact.Bins[i]
			if b.Lower > e.Lower || b.Upper < e.Upper || b.Verdict == capacity.Passes && e.Verdict != b.Verdict || b.Verdict == capacity.Fails && e.Verdict != b.Verdict {
				t.Fatalf("%+v of records, %+v of true durations", b, e)
			}
		}
		if coarse.Kind == capacity.Reached && exact.Kind != capacity.Reached || coarse.Why == capacity.LowestFails && exact.Why != capacity.LowestFails {
			t.Fatalf("%+v of records, %+v of true durations", coarse.Answer, exact.Answer)
		}
		if coarse.Rate > exact.Rate*(1+1e-9) && exact.Kind != capacity.Reached {
			t.Fatalf("%v of records, %v of true durations", coarse.Rate, exact.Rate)
		}
	})
}

// TestWindowOf: every instant lies in its window.
func TestWindowOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, window := rapid.Int64().Draw(t, "at"), rapid.Int64Range(1, math.MaxInt64/2).Draw(t, "window")
		start := windowOf(at, window)
		if start > at || start != math.MinInt64 && (start%window != 0 || uint64(at)-uint64(start) >= uint64(window)) {
			t.Fatalf("%d is not in the window of %d at %d", at, window, start)
		}
		if r := capacity.Of([]capacity.Request{{StartNS: at, EndNS: at}}, capacity.Options{Target: stat.P50, WindowNS: window}); r.Windows[0].StartNS != start {
			t.Fatalf("package capacity has %d, not %d", r.Windows[0].StartNS, start)
		}
	})
}
