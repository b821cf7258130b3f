package analyze

import (
	"math"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// hung is as [rising] without slow requests, of which every second of the busy half hour never
// ends.
func hung() (list []given, n int64) {
	list = minutes(stretch{31, 120, 0, 500 * ms, 10}, stretch{31, 180, 0, 500 * ms, 30})
	for i := range list {
		if i > 31*120 && i%2 == 0 {
			list[i].class, list[i].times = critical.Unfinished, times()
			n++
		}
	}
	return list, n
}

// withoutEnds takes their ends from the requests that had none, as recordings have them.
func withoutEnds(set *table.Set) *table.Set {
	req := &set.Requests
	for row, class := range req.Class {
		if critical.Class(class) == critical.Unfinished {
			req.End[row], req.Duration[row] = table.Missing, table.Missing
		}
	}
	return set
}

// TestHung: a request that was there for longer than the limit is bad, though it never ended.
func TestHung(t *testing.T) {
	list, n := hung()
	got := meets(withoutEnds(tables(list)), Options{}, slo(t, "p99(e2e) < 400ms", "99%(e2e < 400ms)", "p40(e2e) < 400ms", "p99(e2e) < 2h"))
	for _, o := range got[:2] {
		a := o.Attainment
		// The last of all came less than 400 ms before the end of the recording.
		if o.Good != int64(len(list))-n || o.Asked+undefinedN(o.Undefined) != int64(len(list)) || unequal([]Undefined{{stillOpen, 1}}, o.Undefined) != "" || !strings.Contains(warned(a), Survivorship) {
			t.Errorf("%s: %d of %d, %+v, %s", o.Objective, o.Good, o.Asked, o.Undefined, warned(a))
		}
		if c := o.Capacity; c.Kind != capacity.Reached || c.Pass != 2 || c.Fail != 3 || c.Bins[c.FailBin].Attainment > .51 {
			t.Errorf("%s: %+v", o.Objective, c.Answer)
		}
	}
	percentile, share := got[0].Terms[0], got[1].Terms[0]
	if a := percentile.Attainment; percentile.Outcome != tokens.Inconclusive || a.N != int64(len(list))-n || a.Value != 1 || a.Bounds.High != 1 || a.Bounds.Low > .72 || percentile.Need != 0 || warned(a) != Survivorship+" "+Independence {
		t.Errorf("no percentile has them, and it passes only with them: %+v", percentile)
	}
	if share.Outcome != tokens.Fail || share.Attainment.N != int64(len(list))-1 {
		t.Errorf("a share has them: %+v", share)
	}
	if x := got[2].Terms[0]; x.Outcome != tokens.Pass {
		t.Errorf("it passes with all of them bad: %+v", x)
	}
	if o := got[3]; o.Outcome != tokens.Pass || undefinedN(o.Undefined) != n || o.Capacity.Kind != capacity.NotReached || strings.Contains(warned(o.Terms[0].Attainment), Survivorship) {
		t.Errorf("nothing shows that these are bad: %+v", o)
	}
}

// TestHungNeeds: with few hung requests more answered ones would show that enough are good.
func TestHungNeeds(t *testing.T) {
	list := append(lasting(300, 0), given{id: 1 << 20, class: critical.Unfinished})
	x := termOf(t, tables(list), Options{}, "p99(e2e) < 1s")
	if x.Outcome != tokens.Inconclusive || x.Attainment.N != 300 || x.Need != 628 { // as with one bad of 301: of 473 it would be two, to the nearest
		t.Errorf("%+v", x)
	}
	if x = termOf(t, tables(append(lasting(480, 0), list[300])), Options{}, "p99(e2e) < 1s"); x.Outcome != tokens.Pass || x.Need != 0 {
		t.Errorf("%+v", x)
	}
	if x = termOf(t, tables(append(lasting(300, 30), list[300])), Options{}, "p99(e2e) < 1s"); x.Outcome != tokens.Fail {
		t.Errorf("hung ones do not make a fail less sure: %+v", x)
	}
}

// TestHungBeforeItsToken: no first token after longer than the limit breaks it where others
// have one, and so does one that came too late.
func TestHungBeforeItsToken(t *testing.T) {
	list := append(many(100, 0, given{times: times(stage.GPU, int(100*ms)), ttft: true, tokens: 5}), given{id: 1 << 20, class: critical.Unfinished, start: 50_000 * ms})
	ask := slo(t, "80%(ttft < 1s)", "p80(ttft) < 1s", "80%(ttft < 1s and tpot < 1s)")
	asked := func(set *table.Set) (n [3]int64) {
		for i, o := range meets(set, Options{}, ask) {
			n[i] = o.Asked
		}
		return n
	}
	set := withoutEnds(tables(list))
	if n := asked(set); n != [3]int64{101, 101, 101} {
		t.Errorf("without a first token: %v", n)
	}
	set.Requests.Streaming[100] = notStreamed
	if n := asked(set); n != [3]int64{100, 100, 100} {
		t.Errorf("of a response in one piece: %v", n)
	}
	set.Requests.Streaming[100] = 0
	set.Requests.FirstToken[100] = set.Requests.Start[100] + 999*ms
	if n := asked(set); n != [3]int64{100, 100, 100} {
		t.Errorf("with one in time: %v", n)
	}
	set.Requests.FirstToken[100] += ms
	if n := asked(set); n != [3]int64{101, 101, 101} {
		t.Errorf("with a late one: %v", n)
	}
	set.Requests.Resolution[100] = 2 * ms
	if n := asked(set); n != [3]int64{100, 100, 100} {
		t.Errorf("with one that may have been in time: %v", n)
	}
	for row := range set.Requests.FirstToken {
		set.Requests.FirstToken[row], set.Requests.TTFT[row] = table.Missing, table.Missing
	}
	if n := asked(set); n != [3]int64{} {
		t.Errorf("where nobody has one: %v", n)
	}
}

// TestAgeOfHung: how long a request was there is known on its own clock, and only as well as
// its start.
func TestAgeOfHung(t *testing.T) {
	set := withoutEnds(tables(append(lasting(100, 0), given{id: 1 << 20, class: critical.Unfinished, start: 98_000 * ms})))
	row := 100 // the last request ends at 99.01 s
	asked := func(text string) int64 { return meets(set, Options{}, slo(t, text))[0].Asked }
	if asked("80%(e2e < 1010ms)") != 101 || asked("80%(e2e <= 1010ms)") != 100 {
		t.Error("it took 1010 ms or more")
	}
	set.Requests.Resolution[row] = 10 * ms
	if asked("80%(e2e < 1010ms)") != 100 || asked("80%(e2e < 1s)") != 101 {
		t.Error("its start may be off by 10 ms")
	}
	set.Requests.Clock[row] = table.ClockNone
	if asked("80%(e2e < 1s)") != 100 {
		t.Error("nothing says since when it was there")
	}
	set.Requests.Clock[row], set.Requests.Start[row] = table.ClockWall, math.MinInt64+1
	set.Requests.Start[0], set.Requests.End[0] = math.MaxInt64-set.Requests.Duration[0], math.MaxInt64
	if asked("80%(e2e < 1s)") != 101 {
		t.Error("longer than can be counted")
	}
	only := withoutEnds(tables([]given{{id: 1, class: critical.Unfinished}, {id: 2, class: critical.Unfinished, start: 5000 * ms}}))
	if o := meets(only, Options{}, slo(t, "80%(e2e < 1s) and p80(e2e) < 1s"))[0]; o.Asked != 1 || o.Good != 0 || o.Capacity.Why != capacity.NoRequests || len(o.Capacity.Warnings) != 0 {
		t.Errorf("nothing ended: %+v", o)
	}
}

// TestPartialLoad: requests of which a part was not recorded are load, and nothing is asked of
// them.
func TestPartialLoad(t *testing.T) {
	whole := meets(tables(rising()), Options{}, slo(t, "p95(e2e) < 400ms"))[0].Capacity
	for name, spoil := range map[string]func(set *table.Set, row int){
		partMissing:  func(set *table.Set, row int) { set.Requests.Class[row] = uint8(critical.Incomplete) },
		partsInvalid: func(set *table.Set, row int) { set.Requests.Stage[0][row]++ },
	} {
		set := tables(rising())
		var n int64
		for row := 1; row < set.Requests.Len(); row += 2 {
			spoil(set, row)
			n++
		}
		o := meets(set, Options{}, slo(t, "p95(e2e) < 400ms"))[0]
		if c := o.Capacity; c.Kind != capacity.Reached || c.Pass != whole.Pass || c.Fail != whole.Fail || c.Bins[c.PassBin].Requests != 2*c.Bins[c.PassBin].Eligible || c.All.Output.N != 2*n || c.TokenRate/c.Rate != whole.TokenRate/whole.Rate {
			t.Errorf("%s: %+v", name, c.Answer)
		}
		if o.Asked != n || o.Goodput <= 0 || warned(o.Attainment) != Independence+" "+PartialGoodput || unequal([]Undefined{{name, n}}, o.Undefined) != "" || o.Terms[0].Attainment.N != n {
			t.Errorf("%s: %d asked, %+v", name, o.Asked, o.Undefined)
		}
		set.Requests.End[1] = table.Missing
		if got := meets(set, Options{}, slo(t, "p95(e2e) < 400ms"))[0].Capacity.All.Output.N; got != 2*n-1 {
			t.Errorf("%s: %d requests are load, and one has no end", name, got)
		}
	}
}

// TestKnownBadWins: a request that took too long is bad though it has no first token.
func TestKnownBadWins(t *testing.T) {
	list := many(400, 0, given{times: times(stage.GPU, int(100*ms)), ttft: true, tokens: 5})
	for i := 0; i < len(list); i += 2 {
		list[i].times, list[i].ttft = times(stage.GPU, int(60_000*ms)), false
	}
	for _, text := range []string{"95%(ttft < 1s and e2e < 5s)", "95%(e2e < 5s and ttft < 1s)", "p95(ttft) < 1s and 95%(e2e < 5s)"} {
		if o := meets(tables(list), Options{}, slo(t, text))[0]; o.Outcome != tokens.Fail || o.Good != 200 || o.Asked != 400 || o.Undefined != nil {
			t.Errorf("%s: %s, %d of %d, %+v", text, o.Outcome, o.Good, o.Asked, o.Undefined)
		}
	}
	// What may be bad by the resolution of its record is not known to be.
	set := tables(list)
	for row := range list {
		set.Requests.DurationError[row] = 56_000 * ms
	}
	if o := meets(set, Options{}, slo(t, "95%(ttft < 1s and e2e < 5s)"))[0]; o.Asked != 200 {
		t.Errorf("%d are asked", o.Asked)
	}
}

// TestDoubtfulTokens: whole seconds leave open when the first token came, and how long the others
// took, as far as their number does not divide the second.
func TestDoubtfulTokens(t *testing.T) {
	list := many(400, 0, given{times: times(stage.GPU, int(2000*ms)), decode: 900 * ms, ttft: true, tokens: 10})
	set := tables(list)
	for row := range list {
		set.Requests.DurationError[row], set.Requests.Resolution[row] = 1000*ms, 1000*ms
	}
	for text, want := range map[string]tokens.Outcome{
		"p99(ttft) < 1500ms": tokens.Inconclusive, "p99(ttft) < 2100ms": tokens.Inconclusive, "p99(ttft) <= 2100ms": tokens.Pass, "p99(ttft) < 100ms": tokens.Fail, "99%(ttft < 101ms)": tokens.Inconclusive,
		"p99(tpot) < 110ms": tokens.Inconclusive, "p99(tpot) < 211111112ns": tokens.Inconclusive, "p99(tpot) <= 211111112ns": tokens.Pass,
	} {
		x := termOf(t, set, Options{}, text)
		if x.Outcome != want {
			t.Errorf("%s: %s, %+v", text, x.Outcome, x.Attainment)
		}
		if l := x.Term.Limits[0]; !x.Term.Joint && (x.Observed.Low >= x.Observed.Value || x.Observed.High <= x.Observed.Value || want == tokens.Inconclusive && within(&l, x.Observed.Low) == within(&l, x.Observed.High)) {
			t.Errorf("%s: observed %+v", text, x.Observed)
		}
	}
}

// TestTokenBeforeStart: no time per token is reckoned from before the start.
func TestTokenBeforeStart(t *testing.T) {
	list := many(400, 0, given{times: times(stage.GPU, int(100*ms)), decode: 50 * ms, ttft: true, tokens: 5})
	for _, first := range []int64{-1, -1 << 62, table.Missing + 1} {
		set := tables(list)
		for row := range list {
			set.Requests.Start[row] += 1 << 62
			set.Requests.End[row] += 1 << 62
			set.Requests.FirstToken[row] = first
		}
		want := []Undefined{{"first token before the start", 400}}
		if x := termOf(t, set, Options{}, "p99(tpot) < 1ms"); x.Attainment.N != 0 || unequal(want, x.Undefined) != "" {
			t.Errorf("at %d: %+v", first, x)
		}
	}
}

// TestFarWeights: weights as great and as small as there are give the shares of lesser ones.
func TestFarWeights(t *testing.T) {
	ask := func(unit float64) ObjectiveTerm {
		list := lasting(400, 40)
		for i := range list {
			if list[i].weight = unit; i%2 == 0 {
				list[i].weight = 1.2 * unit
			}
		}
		// A hung one without a weight may weigh as much as any.
		list = append(list, given{id: 1 << 20, class: critical.Unfinished})
		return termOf(t, tables(list), Options{}, "p80(e2e) < 1s")
	}
	near := ask(1)
	for _, unit := range []float64{1e308, 1e-300} {
		x := ask(unit)
		if a, b := x.Attainment, near.Attainment; x.Outcome != tokens.Pass || math.Abs(a.Value-b.Value) > 1e-9 || math.Abs(a.Bounds.Low-b.Bounds.Low) > 1e-9 || math.Abs(a.Bounds.High-b.Bounds.High) > 1e-9 || x.Observed.Value != near.Observed.Value || x.Observed.Method != stat.MethodWeighted {
			t.Errorf("%v: %+v, of 1 %+v", unit, a, b)
		}
	}
	list := lasting(400, 0)
	for i := range list {
		list[i].weight = 1e308
	}
	if o := meets(tables(list), Options{}, slo(t, "p80(e2e) < 1s"))[0]; o.Capacity.Refused == "" || o.NoGoodput == "" || o.Outcome != tokens.Pass {
		t.Errorf("%+v", o)
	}
}
