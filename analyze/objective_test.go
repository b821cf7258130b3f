package analyze

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// slo parses objectives that must be right.
func slo(t interface{ Fatalf(string, ...any) }, texts ...string) (ask CapacityOptions) {
	for _, text := range texts {
		o, err := filter.ParseObjective(text, ObjectiveMetrics())
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		ask.Objectives = append(ask.Objectives, o)
	}
	return ask
}

// meets asks objectives and nothing else of a set.
func meets(set *table.Set, opt Options, ask CapacityOptions) []Objective {
	opt = opt.filled().on(set)
	rows, p := population(set, opt)
	return objectives(set, rows, p, opt, ask)
}

// termOf asks for one term.
func termOf(t interface{ Fatalf(string, ...any) }, set *table.Set, opt Options, text string) ObjectiveTerm {
	return meets(set, opt, slo(t, text))[0].Terms[0]
}

// lasting is requests a second apart of which so many take 1 s, and the others 10 ms.
func lasting(n, slow int) []given {
	list := many(n, 0, given{times: times(stage.GPU, int(10*ms))})
	for i := range slow {
		list[i*n/slow].times = times(stage.GPU, int(1000*ms))
	}
	return list
}

// TestNeed is the table of the requests that an objective takes with so many bad ones, as
// MLPerf stops early: one fewer cannot say and asks for it, and as many pass.
func TestNeed(t *testing.T) {
	for _, c := range []struct {
		p    string
		need map[int]int // by bad ones
	}{
		{"99", map[int]int{0: 299, 1: 473, 2: 628, 3: 773, 5: 1049, 10: 1693, 20: 2902}},
		{"95", map[int]int{0: 59, 1: 93, 2: 124, 3: 153, 5: 208, 10: 336, 20: 577}},
		{"90", map[int]int{0: 29, 1: 46, 2: 61, 3: 76, 5: 103, 10: 167, 20: 286}},
	} {
		ask := slo(t, "p"+c.p+"(e2e) < 1s", c.p+"%(e2e <= 999ms)")
		for bad, need := range c.need {
			for _, o := range CapacityOf(tables(lasting(need-1, bad)), Options{}, ask).Objectives {
				if x := o.Terms[0]; x.Outcome != tokens.Inconclusive || o.Outcome != tokens.Inconclusive || x.Need != int64(need) {
					t.Errorf("%s with %d bad of %d: %s, needs %d", x.Term, bad, need-1, x.Outcome, x.Need)
				}
			}
			for _, o := range CapacityOf(tables(lasting(need, bad)), Options{}, ask).Objectives {
				if x := o.Terms[0]; x.Outcome != tokens.Pass || o.Outcome != tokens.Pass || x.Need != 0 || x.Attainment.N != int64(need) || !x.Attainment.HasBounds {
					t.Errorf("%s with %d bad of %d: %s, needs %d", x.Term, bad, need, x.Outcome, x.Need)
				}
			}
		}
	}
	// 298 of 298 reach 0.989998, and 299 of 299 0.990031 (golden G3).
	if x := termOf(t, tables(lasting(299, 0)), Options{}, "p99(e2e) < 1s"); math.Abs(x.Attainment.Bounds.Low-.990031) > 5e-7 || x.Attainment.Bounds.High != 1 {
		t.Errorf("%+v", x.Attainment)
	}
	if x := termOf(t, tables(lasting(1000, 10)), Options{}, "p99(e2e) < 1s"); x.Outcome != tokens.Inconclusive || x.Need != 0 || math.Abs(x.Attainment.Bounds.Low-.983097) > 5e-7 {
		t.Errorf("exactly what is wanted: more of the same never decide: %+v", x)
	}
}

// TestGoodput is golden G9: four requests in 10 s of which two are good, and ten of which each
// limit alone is met by nine and both by eight.
func TestGoodput(t *testing.T) {
	// Two output tokens: the second takes the whole of decoding.
	request := func(i int, ttft, tpot int64) given {
		return given{id: uint64(i), start: int64(i) * 100 * ms, times: times(stage.GPU, int((ttft+tpot)*ms)), decode: tpot * ms, ttft: true, tokens: 2}
	}
	four := []given{request(0, 500, 30), request(1, 900, 45), request(2, 1200, 20), request(3, 800, 60)}
	four[3].start = 10_000*ms - four[3].duration()
	text := "95%(ttft <= 1s and tpot <= 50ms)"
	ask := slo(t, text)
	o := CapacityOf(tables(four), Options{}, ask).Objectives[0]
	if o.Good != 2 || o.Asked != 4 || o.Attainment.Value != .5 || o.NoGoodput != "" || math.Abs(o.Goodput-.2) > 1e-12 || o.Undefined != nil {
		t.Errorf("four in 10 s: %+v", o)
	}
	ten := []given{request(8, 1500, 30), request(9, 500, 90)}
	for i := range 8 {
		ten = append(ten, request(i, 500, 30))
	}
	for text, good := range map[string]int64{"95%(ttft <= 1s)": 9, "95%(tpot <= 50ms)": 9, text: 8, "p95(ttft) <= 1s and p95(tpot) <= 50ms": 8} {
		o := CapacityOf(tables(ten), Options{}, slo(t, text)).Objectives[0]
		if o.Good != good || o.Asked != 10 || o.Attainment.Value != float64(good)/10 {
			t.Errorf("%s: %d of %d", text, o.Good, o.Asked)
		}
		for _, x := range o.Terms {
			if len(o.Terms) == 2 && (x.Attainment.Value != .9 || x.Of != OfRequests) {
				t.Errorf("%s by itself: %+v", x.Term, x.Attainment)
			}
		}
	}
	// One token has no time per output token: it is no more good than bad.
	one := request(10, 500, 0)
	one.tokens, one.times = 1, times(stage.GPU, int(500*ms))
	o = CapacityOf(tables(append(ten, one)), Options{}, ask).Objectives[0]
	if o.Good != 8 || o.Asked != 10 || unequal([]Undefined{{"tpot: fewer than two output tokens", 1}}, o.Undefined) != "" {
		t.Errorf("with one of one token: %+v", o)
	}
}

// TestAsked: a percentile is about answered requests, a share about those that failed or were
// given up too, and a filter's about what it keeps.
func TestAsked(t *testing.T) {
	list := lasting(100, 10)
	for i := range 20 {
		list = append(list, given{id: uint64(1000 + i), start: int64(i) * 1000 * ms, err: i < 15, times: times(stage.GPU, int(5*ms))})
	}
	list = append(list, given{id: 2000, class: critical.Unfinished, start: 50_000 * ms}, given{id: 2001, class: critical.Incomplete, times: times(stage.GPU, int(5*ms))})
	set := tables(list)
	for row := 115; row < 120; row++ {
		set.Requests.Aborted[row] = true
	}
	o := meets(set, Options{}, slo(t, "p80(e2e) < 1s and 80%(e2e < 1s) and p50(ttft) < 1s"))[0]
	percentile, joint, ttft := o.Terms[0], o.Terms[1], o.Terms[2]
	if a := percentile.Attainment; a.N != 100 || a.Value != .9 || warned(a) != Survivorship+" "+Independence || a.Bounds.Low != stat.ClopperPearsonLower(90, 101, stat.Confidence) || percentile.Outcome != tokens.Pass || percentile.Observed.Value != 10*ms || percentile.Observed.N != 100 {
		t.Errorf("percentile: %+v", percentile)
	}
	if a := joint.Attainment; a.N != 121 || a.Value != 90./121 || warned(a) != Survivorship+" "+Independence || unequal([]Undefined{{partMissing, 1}}, joint.Undefined) != "" || joint.Outcome != tokens.Inconclusive || joint.Observed.Known {
		t.Errorf("share: %+v", joint)
	}
	if ttft.Attainment.N != 0 || ttft.Attainment.HasBounds || ttft.Outcome != tokens.Inconclusive || ttft.Need != 0 || unequal([]Undefined{{"no first token recorded", 100}}, ttft.Undefined) != "" {
		t.Errorf("what nobody recorded: %+v", ttft)
	}
	// A failed request is asked whatever it lacks, and so are one that is too slow and one that
	// had not ended when it was.
	if o.Good != 0 || o.Asked != 31 || o.Outcome != tokens.Inconclusive || unequal([]Undefined{{"ttft: no first token recorded", 90}, {partMissing, 1}}, o.Undefined) != "" {
		t.Errorf("%+v", o)
	}
	var arrivals int64
	for _, w := range joint.Capacity.Windows {
		arrivals += w.Arrivals
	}
	if arrivals != 122 || joint.Capacity.All.Output.N != 0 {
		t.Errorf("%d requests are load, with those that had not ended and that lack a part", arrivals)
	}
	o = meets(set, Options{Where: where(t, "status=ok e2e<1s")}, slo(t, "80%(e2e < 1s)"))[0]
	if arrivals = 0; o.Asked != 90 || o.Good != 90 {
		t.Errorf("filtered: %+v", o)
	}
	for _, w := range o.Capacity.Windows {
		arrivals += w.Arrivals
	}
	if arrivals != 91 { // of that which had not ended no duration is known, and of that which lacks a part it is
		t.Errorf("filtered: %d arrivals", arrivals)
	}
}

// TestStrictness keeps the operator as it was written.
func TestStrictness(t *testing.T) {
	set := tables(many(100, 0, given{times: times(stage.GPU, int(10*ms))}))
	for text, want := range map[string]tokens.Outcome{
		"p90(e2e) < 10ms": tokens.Fail, "p90(e2e) <= 10ms": tokens.Pass, "90%(e2e < 10ms)": tokens.Fail, "90%(e2e <= 10ms)": tokens.Pass,
	} {
		if x := termOf(t, set, Options{}, text); x.Outcome != want {
			t.Errorf("%s: %s", text, x.Outcome)
		}
	}
}

// TestDoubtful: whole seconds leave open whether a request met 1.5 s.
func TestDoubtful(t *testing.T) {
	coarse := func(list []given) *table.Set {
		set := tables(list)
		for row := range list {
			set.Requests.DurationError[row] = 1000 * ms
		}
		return set
	}
	list := many(400, 0, given{times: times(stage.GPU, int(1000*ms))})
	for _, text := range []string{"p99(e2e) < 1500ms", "99%(e2e < 1500ms)"} {
		if x := termOf(t, tables(list), Options{}, text); x.Outcome != tokens.Pass {
			t.Errorf("%s, exact: %s", text, x.Outcome)
		}
		x := termOf(t, coarse(list), Options{}, text)
		if x.Outcome != tokens.Inconclusive || x.Need != 0 || x.Attainment.Value != 1 || x.Attainment.Bounds != (stat.Bounds{Low: 0, High: 1}) || warned(x.Attainment) != CoarseTimes+" "+Independence {
			t.Errorf("%s: %+v", text, x)
		}
	}
	for text, want := range map[string]tokens.Outcome{
		"p99(e2e) < 2s": tokens.Inconclusive, "p99(e2e) <= 2s": tokens.Pass, "p99(e2e) < 1ns": tokens.Inconclusive, "99%(e2e < 2001ms)": tokens.Pass,
	} {
		if x := termOf(t, coarse(list), Options{}, text); x.Outcome != want {
			t.Errorf("%s: %s", text, x.Outcome)
		}
	}
	if x := termOf(t, coarse(many(400, 0, given{times: times(stage.GPU, int(3000*ms))})), Options{}, "p99(e2e) < 2s"); x.Outcome != tokens.Fail || x.Attainment.Bounds.High >= 1 {
		t.Errorf("all of them are 2 s or more: %+v", x)
	}
}

// TestSampledTerms: where traces stand for different numbers of requests, percentiles and
// shares are of all requests by those; where it is not known for how many, of kept ones.
func TestSampledTerms(t *testing.T) {
	list := lasting(400, 40)
	for i := range list {
		if list[i].weight = 10; list[i].duration() > 500*ms {
			list[i].weight = 1
		}
	}
	for _, text := range []string{"p95(e2e) < 1s", "95%(e2e < 1s)"} {
		x := termOf(t, tables(list), Options{}, text)
		if want := 3600. / 3640; math.Abs(x.Attainment.Value-want) > 1e-12 || x.Attainment.Method != methodWeightedBinom || x.Outcome != tokens.Pass || x.Attainment.N != 400 {
			t.Errorf("%s: %+v", text, x)
		}
		if x.Attainment.Bounds.Low > x.Attainment.Value || x.Attainment.Bounds.High < x.Attainment.Value {
			t.Errorf("%s: %+v", text, x.Attainment)
		}
		if !x.Term.Joint && (x.Observed.Method != stat.MethodWeighted || x.Observed.Value != 10*ms || x.Observed.HasHigh) {
			t.Errorf("%s: %+v", text, x.Observed)
		}
		if x.Capacity.Refused == "" || x.Capacity.Kind != capacity.CannotSay || x.Capacity.FailBin != -1 {
			t.Errorf("%s: a rate of a biased sample: %+v", text, x.Capacity)
		}
	}
	list[7].weight = 0
	o := meets(tables(list), Options{}, slo(t, "p95(e2e) < 1s"))[0]
	if x := o.Terms[0]; x.Attainment.Value != .9 || x.Outcome != tokens.Fail || warned(x.Attainment) != KeptTraces+" "+Independence || o.NoGoodput == "" || o.Goodput != 0 {
		t.Errorf("weights of some: %+v", o)
	}
	for i := range list {
		list[i].weight = 4
	}
	kept, all := lasting(400, 40), list
	a, b := meets(tables(kept), Options{}, slo(t, "80%(e2e < 1s)"))[0], meets(tables(all), Options{}, slo(t, "80%(e2e < 1s)"))[0]
	if a.Goodput == 0 || b.Goodput != 4*a.Goodput || unequal(a.Attainment, b.Attainment) != "" {
		t.Errorf("one weight for all: %v and %v good requests a second", a.Goodput, b.Goodput)
	}
}

// TestNoCommonClock: durations alone are judged, and give no rate.
func TestNoCommonClock(t *testing.T) {
	set := tables(lasting(100, 0))
	for row := range set.Requests.Clock {
		set.Requests.Clock[row] = table.ClockNone
	}
	o := meets(set, Options{}, slo(t, "90%(e2e < 1s)"))[0]
	if o.Outcome != tokens.Pass || o.NoGoodput == "" || o.Capacity.Refused == "" || o.Capacity.Kind != capacity.CannotSay || o.Limiting != 0 || o.Capacity.All.Output.N != 0 || o.Capacity.WindowNS != 60_000*ms {
		t.Errorf("%+v", o)
	}
}

// TestOutcomeOfAll: an objective passes with all of its terms and fails with one.
func TestOutcomeOfAll(t *testing.T) {
	set := tables(lasting(100, 0))
	for text, want := range map[string]tokens.Outcome{
		"p90(e2e) < 1s and p50(e2e) < 11ms": tokens.Pass, "p99(e2e) < 1s and p50(e2e) < 11ms": tokens.Inconclusive,
		"p99(e2e) < 1s and p50(e2e) < 10ms": tokens.Fail, "p50(e2e) < 10ms and p99(e2e) < 1s": tokens.Fail,
	} {
		if o := meets(set, Options{}, slo(t, text))[0]; o.Outcome != want {
			t.Errorf("%s: %s", text, o.Outcome)
		}
	}
	none := meets(set, Options{}, CapacityOptions{Objectives: []filter.Objective{{}}})[0]
	if none.Outcome != tokens.Inconclusive || none.Limiting != -1 || none.Capacity.Kind != capacity.CannotSay {
		t.Errorf("no terms: %+v", none)
	}
	if got := meets(tables(nil), Options{}, slo(t, "p99(e2e) < 1s and 99%(ttft < 1s and p95(itl) < 1s)"))[0]; got.Outcome != tokens.Inconclusive || got.Capacity.Why != capacity.NoRequests {
		t.Errorf("no requests: %+v", got)
	}
}

// TestReasons: a metric is undefined for the reasons that a summary has.
func TestReasons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := tables(drawRequests(t))
		rows, _ := population(set, Options{})
		for _, row := range rows {
			if rapid.IntRange(0, 9).Draw(t, "spoilt") == 0 {
				set.Requests.FirstToken[row] = set.Requests.End[row] + rapid.Int64Range(-3, 3).Draw(t, "off")
				set.Requests.TTFTStage[0][row] += rapid.Int64Range(-1, 1).Draw(t, "more")
			}
		}
		_, ttft := ttftRows(set, rows)
		_, values, tpot := tpotRows(set, rows)
		o := meets(set, Options{}, slo(t, "p50(ttft) < 1s and p50(tpot) < 1s"))[0]
		if d := unequal(ttft, o.Terms[0].Undefined) + unequal(tpot, o.Terms[1].Undefined); d != "" {
			t.Fatal(d)
		}
		a := newAsking(set, rows, Population{}, Options{}, CapacityOptions{})
		for _, row := range rows {
			if ns, why := a.valueOf(metricTPOT, row); why == "" && ns != values[row] {
				t.Fatalf("%d and %d ns", ns, values[row])
			}
		}
	})
}

// drawObjective draws limits near the values of drawn requests.
func drawObjective(t *rapid.T) string {
	limit := func() string {
		return fmt.Sprintf("%s %s %dns", rapid.SampledFrom([]string{"e2e", "ttft", "tpot"}).Draw(t, "metric"),
			rapid.SampledFrom([]string{"<", "<="}).Draw(t, "op"), rapid.Int64Range(1, 200).Draw(t, "ns"))
	}
	p := rapid.SampledFrom([]string{"50", "90", "95", "99"}).Draw(t, "p")
	if rapid.Bool().Draw(t, "joint") {
		return p + "%(" + limit() + " and " + limit() + ")"
	}
	metric, rest, _ := strings.Cut(limit(), " ")
	return "p" + p + "(" + metric + ") " + rest
}

// TestObjectiveProperties: the order of requests changes nothing; a percentile is within its
// limit when as many are as it says; all limits at once are met no more often than each alone;
// and what an objective needs decides.
func TestObjectiveProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		text := drawObjective(t) + " and " + drawObjective(t)
		opt := Options{Replicates: 20}
		o := meets(tables(requests), opt, slo(t, text))[0]
		if d := unequal(o, meets(shuffled(t, requests), opt, slo(t, text))[0]); d != "" {
			t.Fatal(d)
		}
		for _, x := range o.Terms {
			a := x.Attainment
			if n, want := a.N+undefinedN(x.Undefined), askedOf(requests, x); n != want {
				t.Fatalf("%s: %d of %d requests are accounted for", x.Term, n, want)
			}
			if a.HasBounds && (a.Bounds.Low > a.Value || a.Bounds.High < a.Value) {
				t.Fatalf("%s: %+v", x.Term, a)
			}
			if q := x.Observed; q.Known {
				if l := x.Term.Limits[0]; within(&l, q.Value) != (int64(math.Round(a.Value*float64(a.N))) >= q.P.Rank(a.N)) {
					t.Fatalf("%s is %d, and %v of %d are within it", x.Term, q.Value, a.Value, a.N)
				}
			}
			if x.Outcome == tokens.Inconclusive && x.Need > 0 && x.Need <= a.N {
				t.Fatalf("%s needs %d of %d", x.Term, x.Need, a.N)
			}
			alone := meets(tables(requests), opt, CapacityOptions{Objectives: []filter.Objective{{Terms: []filter.ObjectiveTerm{x.Term}}}})[0]
			// What one limit alone is known to be broken by is bad, whatever of the others.
			if o.Good > alone.Good || o.Asked-o.Good < alone.Asked-alone.Good || alone.Asked > 0 && o.Attainment.Value > alone.Attainment.Value {
				t.Fatalf("%d of %d meet all, %d of %d %s", o.Good, o.Asked, alone.Good, alone.Asked, x.Term)
			}
		}
	})
}

func undefinedN(list []Undefined) (n int64) {
	for _, u := range list {
		n += u.N
	}
	return n
}

// askedOf returns how many requests a term is about: all for a share, those that were answered
// and lack no part for a percentile.
func askedOf(requests []given, x ObjectiveTerm) (n int64) {
	for _, g := range requests {
		if x.Term.Joint || g.class == critical.Complete && !g.err {
			n++
		}
	}
	return n
}

// warned returns the ids of the warnings of an estimate.
func warned(e stat.Estimate) string {
	var ids []string
	for _, w := range e.Warnings {
		ids = append(ids, w.ID)
	}
	return strings.Join(ids, " ")
}

// TestNeedDecides: so many at the same share decide, and fewer do not.
func TestNeedDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]stat.Prob{stat.P50, stat.P90, stat.P95, stat.P99, {Num: 1, Den: 10}}).Draw(t, "p")
		n := rapid.Int64Range(1, 400).Draw(t, "n")
		bad := rapid.Int64Range(0, n).Draw(t, "bad")
		if rapid.Bool().Draw(t, "near") {
			bad = min(n, int64(float64(n)*(1-p.Float()))+rapid.Int64Range(0, 2).Draw(t, "more"))
		}
		s := attained{n: n, good: n - bad, sure: n - bad, might: n - bad}
		outcome := func(m int64) tokens.Outcome {
			good := m - (2*m*bad+n)/(2*n)
			return decided((&attained{n: m, good: good, sure: good, might: good}).estimate(), p)
		}
		need := s.need(p)
		if outcome(n) != tokens.Inconclusive {
			return
		}
		if need == 0 {
			if part := float64(n-bad) / float64(n); math.Abs(part-p.Float()) > .001 { // closer than that it may take more than there are
				t.Fatalf("%d bad of %d never decide %s", bad, n, p)
			}
			return
		}
		if outcome(need) == tokens.Inconclusive {
			t.Fatalf("%d bad of %d: %d do not decide %s", bad, n, need, p)
		}
		last := need - 1
		if need > n+nextTried { // beyond, it is the least but for a few
			last = need * 9 / 10
		}
		for _, m := range []int64{n + 1, n + 2, n + 3, (n + last) / 2, last - 1, last} {
			if m > n && m <= last && outcome(m) != tokens.Inconclusive {
				t.Fatalf("%d bad of %d: %d decide %s, and %d are asked for", bad, n, m, p, need)
			}
		}
	})
}

// TestNeedFarOff: near what is wanted it takes millions, and too near for any number there is.
func TestNeedFarOff(t *testing.T) {
	for bad, want := range map[int64][2]int64{9_900: {2_600_000, 2_750_000}, 10_100: {2_600_000, 2_800_000}, 9_999: {}, 10_000: {}, 10_001: {}} {
		if need := needAt(1_000_000, bad, bad, stat.P99); need < want[0] || need > want[1] {
			t.Errorf("%d bad of a million: %d", bad, need)
		}
	}
	if need := needAt(264, 15, 15, stat.P95); need != 2860 { // of which half a request more than 162 are bad
		t.Errorf("%d, not 2860", need)
	}
	if need := needAt(100, 5, 0, stat.P99); need != 0 {
		t.Errorf("doubtful ones on both sides: %d", need)
	}
}

// TestMoreGood: a request that was bad and is good never turns a pass into a fail.
func TestMoreGood(t *testing.T) {
	rank := map[tokens.Outcome]int{tokens.Fail: 0, tokens.Inconclusive: 1, tokens.Pass: 2}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "n")
		slow := rapid.IntRange(1, n).Draw(t, "slow")
		list := lasting(n, slow)
		text := rapid.SampledFrom([]string{"p90(e2e) < 1s", "90%(e2e < 1s)", "p99(e2e) <= 10ms"}).Draw(t, "objective")
		before := termOf(t, tables(list), Options{}, text)
		list[0].times = times(stage.GPU, int(10*ms)) // the first is slow
		after := termOf(t, tables(list), Options{}, text)
		if rank[after.Outcome] < rank[before.Outcome] || after.Attainment.Bounds.Low < before.Attainment.Bounds.Low || after.Attainment.Value <= before.Attainment.Value {
			t.Fatalf("%s: %+v after %+v", text, after.Attainment, before.Attainment)
		}
	})
}
