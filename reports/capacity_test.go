package reports_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// parsed reads an objective.
func parsed(text string) filter.Objective {
	o, err := filter.ParseObjective(text, []string{"e2e", "ttft", "tpot", "itl"})
	if err != nil {
		panic(err)
	}
	return o
}

// halfHours are requests of half an hour at each of some rates, of which one in so many
// misses; 0 for none.
func halfHours(rates, missing []int) (list []capacity.Request) {
	at, i := began, 0
	for k, rate := range rates {
		for range 1800 * rate {
			i++
			miss := missing[k] > 0 && i%missing[k] == 0
			list = append(list, capacity.Request{StartNS: at, EndNS: at + 500*ms, Good: !miss, Eligible: i%1000 != 0, Tokens: 56})
			at += 1_000 * ms / int64(rate)
		}
	}
	return list
}

// lengthsOf are percentiles of so many lengths from some on.
func lengthsOf(n, from int64) analyze.Lengths {
	list := make([]int64, n)
	for i := range list {
		list[i] = from + int64(i)
	}
	return analyze.Lengths{N: n, P50: stat.QuantileOf(list, stat.P50), P95: stat.QuantileOf(list, stat.P95)}
}

// judged is an objective of which each term had so many of n good.
func judged(text string, n int64, good []int64, of analyze.ObjectiveCapacity) analyze.Objective {
	o := analyze.Objective{Objective: parsed(text), Outcome: tokens.Pass, Asked: n + 4, Good: slices.Min(good), Capacity: of}
	o.Undefined = []analyze.Undefined{{Reason: "no first token recorded", N: 2}}
	o.Attainment = shareOf(o.Good, o.Asked)
	o.Goodput = float64(o.Good) / 3600
	for k, term := range o.Objective.Terms {
		t := analyze.ObjectiveTerm{Term: term, Attainment: shareOf(good[k], n), Of: "requests", Capacity: of}
		target := float64(term.P.Num) / float64(term.P.Den)
		switch b := t.Attainment.Bounds; {
		case b.Low >= target:
			t.Outcome = tokens.Pass
		case b.High < target:
			t.Outcome, o.Outcome = tokens.Fail, tokens.Fail
		default:
			if t.Outcome, t.Need = tokens.Inconclusive, 4*n; o.Outcome == tokens.Pass {
				o.Outcome = tokens.Inconclusive
			}
		}
		if limit := term.Limits[0]; !term.Joint {
			list := make([]int64, n)
			for i := range list {
				list[i] = limit.NS * int64(i) / good[k]
			}
			if t.Observed = stat.QuantileOf(list, stat.Prob(term.P)); limit.Metric == "itl" {
				t.Of = "gaps"
				t.Undefined = []analyze.Undefined{{Reason: "fewer than five gaps between tokens", N: 7}}
			}
		}
		o.Terms = append(o.Terms, t)
	}
	return o
}

func shareOf(good, n int64) stat.Estimate {
	return stat.Estimate{
		Value: float64(good) / float64(n), N: n, Method: "clopper-pearson", HasBounds: true,
		Bounds: stat.Bounds{Low: stat.ClopperPearsonLower(good, n, stat.Confidence), High: stat.ClopperPearsonUpper(good, n, stat.Confidence)},
	}
}

// captured is what two engines did in two minutes, of which the first has all slots taken.
func captured() serving.Capture {
	c := serving.Capture{Slots: []serving.Sample{{AtNS: began, Engine: 0, Value: 2}, {AtNS: began, Engine: 1, Value: 8}}, KV: []serving.Sample{{AtNS: began, Engine: 0, Value: .4}}}
	d := dice(11)
	for i := range int64(240) {
		engine := int(min(1, i%6/5)) // five of six go to the first
		start := began + i*500*ms
		wait := int64(0)
		if engine == 0 {
			wait = 100*ms + i*4*ms
		}
		host, gpu := d.roll(80*ms, 160*ms), d.roll(20*ms, 60*ms)
		at := []int64{start, start + 5*ms, start + 5*ms + wait, start + 5*ms + wait + host, start + 5*ms + wait + host + gpu}
		for k, what := range []serving.What{serving.Gateway, serving.Queue, serving.Host, serving.GPU} {
			c.Intervals = append(c.Intervals, serving.Interval{FromNS: at[k], ToNS: at[k+1], Engine: engine, What: what})
		}
		c.Requests = append(c.Requests, serving.Request{StartNS: start, EndNS: at[4], FirstTokenNS: at[3], InputTokens: 900 + i, OutputTokens: 20 + i%7, Engine: engine})
	}
	c.Requests[7].OutputTokens = serving.Unknown
	return c
}

// points are a curve that stops growing at 16 requests in flight, or does not.
func points(stops bool) analyze.Curve {
	c := analyze.Curve{Of: "requests", LeftOut: []analyze.Count{{Name: "edge", N: 2}, {Name: "backlog", N: 3}}}
	var of []curve.Point
	for i := range int64(14) {
		n := math.Pow(1.4, float64(i))
		x := 2.5 * n
		if stops {
			x = min(x, 40)
		}
		windows := 6 + i
		of = append(of, curve.Point{InFlight: n, Throughput: x, Windows: windows})
		list := make([]int64, 20*windows)
		for k := range list {
			list[k] = int64(n/x*1e9) + int64(k)*ms
		}
		c.Points = append(c.Points, analyze.CurvePoint{
			From: n / 1.1, To: n * 1.1, Windows: windows, InFlight: n, Arrivals: x, Throughput: x, N: int64(len(list)), MeanNS: list[len(list)/2],
			P50: stat.QuantileOf(list, stat.P50), P99: stat.QuantileOf(list, stat.P99),
		})
	}
	c.Knee, c.Power = curve.BrokenStick(of), curve.PowerMax(of)
	if !stops {
		c.Told, c.Answered, c.AtLeast = 1899, 1900, true
	}
	if c.Knee.Reached {
		u := curve.FitUSL(of)
		c.USL = &u
	}
	return c
}

// systemServed is the system of [captured] with all that may be told of one.
func systemServed(stops bool) analyze.System {
	r := serving.Of(captured(), serving.Options{Recorded: serving.KindsOf(serving.Gateway, serving.Queue, serving.Host, serving.GPU)})
	s := analyze.System{
		Serving: r, Names: []string{"vllm-0 on gpu-a", "vllm-1 on gpu-b"}, Curves: []analyze.Curve{points(stops), {Of: "output tokens", Reason: "no window of 10 s has five completions"}},
		Stages: []analyze.StageLoad{{Stage: "queue", MeanNS: 480e6, InFlight: .96, Quiet: .2, Busy: 2.4, Windows: 3}, {Stage: "gpu", MeanNS: 40e6, InFlight: .08}},
		Little: &analyze.DepthReadings{
			Metric: "waiting", N: 24, Engines: 2, From: began, To: began + 120_000*ms, Depth: .96, Read: 1.02,
			Ratio: stat.Estimate{Value: .941, N: 24, Method: "block-bootstrap", HasBounds: true, Bounds: stat.Bounds{Low: .9, High: 1.01}}, Agrees: true, Words: "both sources agree",
		},
		Context: r.Context,
	}
	s.Context.Vantage, s.Context.Model, s.Context.LoadMode = serving.Is("gateway"), serving.Is("llama3-70b"), serving.Is(serving.Open)
	s.Context.FailureRate = serving.Is(.011)
	s.Serving.Warnings = []stat.Warning{{ID: "kept-traces", Text: "rates are of kept traces, each of which stands for 4"}}
	overTime(&s)
	outsideOf(&s)
	return s
}

// capacities adds the documents of capacities.
func capacities(out map[string]reports.Document) {
	set := incident(400, never)
	of := analyze.Summarize(set, analyze.Options{Replicates: 100}).Population
	reached := analyze.ObjectiveCapacity{
		Result: capacity.Of(halfHours([]int{12, 14, 16, 17, 18, 19, 20, 22}, []int{0, 0, 900, 800, 700, 600, 400, 33}), capacity.Options{Target: stat.P99}),
		PerGPU: 5, TokensPerGPU: 280,
		Mix: analyze.LengthMix{Prompt: lengthsOf(900, 400), Output: lengthsOf(900, 40)}, All: analyze.LengthMix{Prompt: lengthsOf(5000, 300), Output: lengthsOf(5000, 20)},
	}
	open := analyze.ObjectiveCapacity{Result: capacity.Of(halfHours([]int{12, 14}, []int{0, 0}), capacity.Options{Target: stat.P95})}
	few := analyze.ObjectiveCapacity{Result: capacity.Of(halfHours([]int{2}, []int{0})[:200], capacity.Options{Target: stat.P99})}
	sampled := analyze.ObjectiveCapacity{Result: open.Result, Refused: "a sampler chose the traces, and how many each stands for is unknown"}
	lone := analyze.ObjectiveCapacity{Result: capacity.Of(nil, capacity.Options{Target: stat.P99})}

	add := func(name string, c analyze.Capacity) {
		r := run("capacity", "incident/")
		r.Quality = analyze.Issues(set)
		out[name] = r.Capacity(c)
	}
	two := judged("p95(ttft) < 1s and p95(itl) <= 50ms and 90%(ttft < 1s and p99(itl) < 200ms)", 386, []int64{380, 370, 340}, open)
	two.Limiting, two.Terms[1].Need = 1, 0
	two.Terms[1].Attainment.HasBounds = false
	add("capacity", analyze.Capacity{
		Population: of, System: systemServed(true), Objectives: []analyze.Objective{judged("p99(e2e) < 2s", 386, []int64{350}, reached), two},
		Warnings: []stat.Warning{{ID: "closed-loop", Text: "requests come when others end: the load is closed"}},
	})
	add("capacity_open", analyze.Capacity{Population: of, System: systemServed(false), Objectives: []analyze.Objective{judged("p95(tpot) < 40ms", 386, []int64{386}, open)}})
	unasked := judged("p99(tpot) < 40ms", 5, []int64{5}, few)
	unasked.NoGoodput, unasked.Attainment, unasked.Asked, unasked.Good, unasked.Goodput = "durations alone are recorded, no times", stat.Estimate{}, 0, 0, 0
	unasked.Terms[0].Attainment = stat.Estimate{}
	add("capacity_few", analyze.Capacity{Population: of, System: systemServed(false), Objectives: []analyze.Objective{unasked, judged("p99(e2e) < 1s", 300, []int64{299}, lone)}})
	add("capacity_system", analyze.Capacity{Population: of, System: systemServed(true)})
	definedCapacity(of, add)
	add("capacity_refused", analyze.Capacity{
		Population: of, System: analyze.System{Refused: "durations alone are recorded, no times"}, Objectives: []analyze.Objective{judged("p95(e2e) < 2s", 386, []int64{350}, sampled)},
	})
	add("capacity_empty", analyze.Capacity{Population: analyze.Summarize(table.NewSet(), analyze.Options{}).Population, Objectives: []analyze.Objective{{Objective: parsed("p99(e2e) < 2s")}}})
}

func TestCapacityAnswers(t *testing.T) {
	docs := map[string]reports.Document{}
	capacities(docs)
	for _, c := range []struct{ name, answer, headline, next string }{
		{"capacity", "reached", "carries 20.9 requests/s and 1,171 output tokens/s within p99(e2e) < 2s; at 22.0 it fails", "tailpath explain incident/ --slowest 5 --where 'e2e>=2s'"},
		{"capacity_open", "not_reached", "carries at least 14.0 requests/s and 783 output tokens/s within p95(tpot) < 40ms: the limit was not seen", "tailpath queue incident/"},
		{"capacity_few", "cannot_say", "cannot say what is carried within p99(tpot) < 40ms: ", "tailpath queue incident/"},
		{"capacity_system", "system", "throughput stops growing at 16.0 requests in flight (broken stick, n = 14 points); what holds it up cannot be said", "tailpath queue incident/"},
		{"capacity_refused", "cannot_say", "misses p95(e2e) < 2s (90.67 % of 386 requests met it); cannot say what rate is carried within it: a sampler chose", "tailpath inspect incident/"},
		{"capacity_empty", "cannot_say", "no request was found", "tailpath inspect incident/"},
	} {
		d := docs[c.name]
		if d.Capacity.Answer != c.answer || !strings.HasPrefix(d.Headline, c.headline) || d.Next != c.next {
			t.Errorf("%s answers %s: %q, then %q", c.name, d.Capacity.Answer, d.Headline, d.Next)
		}
	}
}

// TestWhatHoldsItUp words every kind of verdict.
func TestWhatHoldsItUp(t *testing.T) {
	of := analyze.Summarize(incident(60, never), analyze.Options{Replicates: 100}).Population
	row := func(s serving.Signature, speaks serving.Speaks, missing ...string) serving.Row {
		return serving.Row{Signature: s, Speaks: speaks, Missing: missing}
	}
	for _, c := range []struct {
		table    serving.Table
		headline string
	}{
		{serving.Table{Verdict: serving.Verdict{Kind: serving.Answered, Signature: serving.SlotsFull, Text: "requests queue"}}, "held up by full slots: requests queue"},
		{serving.Table{Verdict: serving.Verdict{Kind: serving.Answered, Signature: serving.NoSaturation, Text: "nothing is saturated"}}, "nothing is saturated"},
		{serving.Table{Verdict: serving.Verdict{Kind: serving.DeviceBusy, Text: "the device: the GPU is busy for 97 % of the time"}}, "held up by the device: the GPU is busy for 97 % of the time"},
		{serving.Table{Verdict: serving.Verdict{Kind: serving.NoneFits, Text: "no signature fits: the GPU is busy for 5 % of the time"}}, "nothing that is asked for holds it up: the GPU is busy for 5 % of the time"},
		{serving.Table{
			Rows:    []serving.Row{row(serving.NoSaturation, serving.Against), row(serving.KVFull, serving.Silent, "a"), row(serving.TransferBound, serving.Silent, "intervals of kind transfer"), row(serving.HostBound, serving.For), row(serving.Bursts, serving.Silent, "b")},
			Verdict: serving.Verdict{Kind: serving.CannotSay, Otherwise: serving.HostBound, Missing: []string{"a", "intervals of kind transfer"}},
		}, "cannot say what holds the system up: to decide on a full KV cache and copies it takes a; times of copies; if none of them holds it is host work"},
		{serving.Table{}, "cannot say what holds the system up: there is nothing to tell it from"},
	} {
		d := run("capacity").Capacity(analyze.Capacity{Population: of, System: analyze.System{Serving: serving.Result{Table: c.table}}})
		if d.Headline != c.headline {
			t.Errorf("%q, want %q", d.Headline, c.headline)
		}
	}
	d := run("capacity").Capacity(analyze.Capacity{Population: of, System: analyze.System{Refused: "no clock"}})
	if want := "cannot say what the system carries: no clock"; d.Headline != want {
		t.Errorf("%q, want %q", d.Headline, want)
	}
}

// TestSharesReachTheirTarget: a share that is below the target is never written as if it
// reached it, nor a bound on the other side of it than it is.
func TestSharesReachTheirTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		decimals := rapid.IntRange(2, 6).Draw(t, "decimals")
		steps := int64(math.Pow10(decimals + 2))
		n := rapid.Int64Range(1, 100_000).Draw(t, "n")
		good := rapid.Int64Range(0, n).Draw(t, "good")
		target := rapid.Int64Range(1, steps-1).Draw(t, "target")
		share := float64(good) / float64(n)
		read := func(text string) int64 {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			return int64(math.Round(v * math.Pow10(decimals)))
		}
		if got, want := read(reports.Met(share, decimals)) >= target, good*steps >= target*n; got != want {
			t.Fatalf("%d of %d is written %s against %d of %d", good, n, reports.Met(share, decimals), target, steps)
		}
		low, high, _ := strings.Cut(reports.MetRange(share, share, decimals), "–")
		if read(low)*n > good*steps || read(high)*n < good*steps || read(high)-read(low) > 1 {
			t.Fatalf("%d of %d is between %s and %s", good, n, low, high)
		}
	})
	for text, got := range map[string]string{
		"99.00": reports.Met(.99, 2), "98.99": reports.Met(.98996, 2), "99.9000": reports.Met(.999, 4), "100.00": reports.Met(1, 2), "0.00": reports.Met(0, 2),
		"28.99–29.01": reports.MetRange(.28995, .290001, 2), "99.00–99.00": reports.MetRange(.99, .99, 2),
	} {
		if got != text {
			t.Errorf("%s, want %s", got, text)
		}
	}
	for target, want := range map[float64]int{.9: 2, .99: 2, .999: 2, .9999: 2, .99999: 3, .999999: 4, 0: 2} {
		if got := (reports.ObjectiveTerm{Target: target}).MetDecimals(); got != want {
			t.Errorf("%v takes %d decimals, want %d", target, got, want)
		}
	}
}

// TestJoinedTimesAddUp: stretches of time have the requests, the tokens and the time in flight
// of what they are made of, and there are as few as was asked for.
func TestJoinedTimesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		var list []reports.SystemTime
		for i := range n {
			length := int64(10e9)
			if i == n-1 {
				length = rapid.Int64Range(1, 10e9).Draw(t, "last")
			}
			from, tokens := int64(i)*10e9, float64(rapid.IntRange(0, 1000).Draw(t, "tokens"))
			list = append(list, reports.SystemTime{
				FromNS: from, ToNS: from + length, Arrivals: rapid.Int64Range(0, 99).Draw(t, "arrivals"), InFlight: float64(rapid.IntRange(0, 9).Draw(t, "in flight")),
				Output: reports.Tokens{Rate: &tokens, Counted: 1},
			})
			list[i].InFlightPeak = int64(list[i].InFlight) + 1
		}
		most := rapid.IntRange(1, 20).Draw(t, "most")
		joined := reports.JoinTimes(list, most)
		sums := func(list []reports.SystemTime) (out [5]float64) {
			for _, x := range list {
				seconds := float64(x.ToNS-x.FromNS) / 1e9
				for k, v := range []float64{seconds, float64(x.Arrivals), seconds * x.InFlight, seconds * *x.Output.Rate, float64(x.Output.Counted)} {
					out[k] += v
				}
			}
			return out
		}
		want, got := sums(list), sums(joined)
		for k := range want {
			if math.Abs(want[k]-got[k]) > 1e-6*(1+want[k]) {
				t.Fatalf("sum %d is %v, want %v", k, got[k], want[k])
			}
		}
		if len(joined) > most || n > 0 && len(joined) == 0 {
			t.Fatalf("%d times of %d, at most %d", len(joined), n, most)
		}
		for i := 1; i < len(joined); i++ {
			if joined[i].FromNS != joined[i-1].ToNS {
				t.Fatalf("a gap before %d", i)
			}
		}
	})
}

// TestTheLimitIsAmongTheBins: whichever bins are shown, the limit is, and so is what is near.
func TestTheLimitIsAmongTheBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, most := rapid.IntRange(0, 60).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "most")
		c := reports.Carried{Bins: make([]reports.RateBin, n)}
		at := n - 1
		if n > 0 && rapid.Bool().Draw(t, "limit") {
			fail := int64(rapid.IntRange(0, n-1).Draw(t, "at"))
			c.FailBin, at = &fail, int(fail)
		}
		from, to := c.BinsShown(most)
		if from < 0 || to > n || to-from != min(n, most) || n > 0 && (at < from || at >= to) {
			t.Fatalf("[%d, %d) of %d around %d", from, to, n, at)
		}
	})
}

// TestAnyCapacitySatisfiesTheSchema makes documents of captures of random size, with all that
// may be asked, on any clock.
func TestAnyCapacitySatisfiesTheSchema(t *testing.T) {
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		set := incident(rapid.IntRange(0, 70).Draw(t, "n"), func(int) float64 { return 0 })
		weight, clock := rapid.SampledFrom([]float64{0, 1, 4}).Draw(t, "weight"), rapid.SampledFrom([]uint8{table.ClockWall, table.ClockSteady, table.ClockNone}).Draw(t, "clock")
		for i := range set.Requests.Len() {
			if set.Requests.Clock[i] = clock; weight > 0 {
				set.Requests.Weight[i] = weight
			}
		}
		ask := analyze.CapacityOptions{WindowNS: rapid.SampledFrom([]int64{0, 1e9, 10e9}).Draw(t, "window"), GPUs: rapid.Int64Range(0, 8).Draw(t, "gpus")}
		for range rapid.IntRange(0, 2).Draw(t, "objectives") {
			ask.Objectives = append(ask.Objectives, parsed(rapid.SampledFrom([]string{
				"p99(e2e) < 2s", "p50(e2e) <= 3s", "p90(ttft) < 1ms and p50(tpot) < 40ms", "p95(itl) < 50ms", "80%(ttft < 1s and e2e < 4s and p90(itl) < 1s)",
			}).Draw(t, "objective")))
		}
		opt := analyze.Options{Errors: analyze.Inclusion(rapid.IntRange(0, 2).Draw(t, "errors")), Replicates: 20}
		if rapid.Bool().Draw(t, "by other definitions") {
			opt.Define = systemIDs()
		}
		d := run("capacity").Capacity(analyze.CapacityOf(set, opt, ask))
		if err := validate(t, schema, encoded(t, d)); err != nil {
			t.Fatalf("%v", err)
		}
		if d.Headline == "" || len(d.Capacity.Objectives) != len(ask.Objectives) {
			t.Fatalf("%q of %d objectives", d.Headline, len(d.Capacity.Objectives))
		}
	})
}
