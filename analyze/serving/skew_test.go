package serving

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
)

// inTwoSteps has requests that all take 20 ms of one engine, of another model, and then 2950
// ms of the next, which is always busy.
func inTwoSteps() Capture {
	var c Capture
	for k := range int64(120) {
		at := k * second
		c.Requests = append(c.Requests, plain(at, at+2970*ms, 1))
		c.Intervals = append(c.Intervals, Interval{at, at + 20*ms, 0, GPU}, Interval{at + 20*ms, at + 2970*ms, 1, GPU})
	}
	return c
}

func skewOf(t Table) Row { return t.Rows[6] }

// TestEnginesOfOtherWorkAreNoReplicas: two engines of a pipeline are unlike for other reasons
// than skew, and whether they are is for the caller to say.
func TestEnginesOfOtherWorkAreNoReplicas(t *testing.T) {
	for _, c := range []struct {
		name     string
		replicas Maybe[bool]
		want     Speaks
		missing  []string
	}{
		{"nothing is known", Maybe[bool]{}, Silent, []string{missSame}},
		{"they do other work", Is(false), Silent, []string{missSame}},
		{"replicas", Is(true), For, nil},
	} {
		r := Of(inTwoSteps(), Options{Recorded: Everything, Replicas: c.replicas})
		for _, table := range []Table{r.Table, r.Engines[1].Table} {
			if row := skewOf(table); row.Speaks != c.want || !slices.Equal(row.Missing, c.missing) {
				t.Errorf("%s: %+v", c.name, row)
			}
			if v := table.Verdict; c.want == Silent && v.Kind != CannotSay {
				t.Errorf("%s: %+v", c.name, v)
			}
		}
		if f := skewOf(r.Table).Figures[0]; f.High != 2 || f.Low == 2 != (c.want == For) {
			t.Errorf("%s: %s", c.name, f)
		}
	}
	// One engine is skewed against none, whatever is known.
	one := abreast(3, train(1, Queue, GPU))
	if row := skewOf(Of(one, Options{Recorded: Everything}).Table); row.Speaks != Against {
		t.Errorf("%+v", row)
	}
	// Nor are two that are as busy.
	one.Requests = append(one.Requests, plain(0, second, 1))
	one.Intervals = append(one.Intervals, Interval{0, second, 1, GPU})
	if row := skewOf(Of(one, Options{Recorded: Everything}).Table); row.Speaks != Against {
		t.Errorf("%+v", row)
	}
}

// TestRequestsOfNoEngineMayBeOfOtherReplicas: how many replicas there are, and how busy those
// that are not known are, is open.
func TestRequestsOfNoEngineMayBeOfOtherReplicas(t *testing.T) {
	for _, c := range []struct {
		engines, unplaced int
		want              Speaks
	}{{0, 0, Against}, {0, 1, Against}, {0, 2, Silent}, {1, 0, Against}, {1, 1, Silent}, {2, 0, Against}, {2, 5, Silent}} {
		var x Capture
		for e := range c.engines {
			x.Requests = append(x.Requests, plain(0, second, e))
			x.Intervals = append(x.Intervals, Interval{0, second, e, GPU})
		}
		for range c.unplaced {
			x.Requests = append(x.Requests, plain(0, second, NoEngine))
		}
		row := skewOf(Of(x, Options{Recorded: Everything, Replicas: Is(true)}).Table)
		if row.Speaks != c.want || c.want == Silent && !slices.Contains(row.Missing, missEngines) {
			t.Errorf("%d engines, %d requests of none: %+v", c.engines, c.unplaced, row)
		}
		if f := row.Figures[0]; f.Low != float64(c.engines) && c.engines > 0 || f.High != float64(c.engines+c.unplaced) {
			t.Errorf("%d engines, %d requests of none: %s", c.engines, c.unplaced, f)
		}
	}
}

// TestRequestsOfNoEngineBesideOthers: two engines that are as busy are not skewed whatever
// they do, but engines that are not known may do the same as one of them, and nothing.
func TestRequestsOfNoEngineBesideOthers(t *testing.T) {
	var c Capture
	for e := range 2 {
		c.Requests = append(c.Requests, plain(0, second, e), plain(0, 0, NoEngine))
		c.Intervals = append(c.Intervals, Interval{0, second, e, GPU})
	}
	row := skewOf(Of(c, Options{Recorded: Everything}).Table)
	if row.Speaks != Silent || !slices.Equal(row.Missing, []string{missSame, missEngines}) || row.Figures[2].High != 3 || row.Figures[2].Low != 1 {
		t.Errorf("%+v", row)
	}
}

// TestAFewRequestsOfNoEngineHideNoSkew: an engine that is not known was busy for no longer
// than the requests that it may have served.
func TestAFewRequestsOfNoEngineHideNoSkew(t *testing.T) {
	var c Capture
	for i := range int64(100) {
		c.Requests = append(c.Requests, plain(i*second, (i+1)*second, 0))
		c.Intervals = append(c.Intervals, Interval{i * second, (i + 1) * second, 0, GPU})
	}
	c.Requests = append(c.Requests, plain(0, second, 1))
	c.Intervals = append(c.Intervals, Interval{0, second, 1, GPU})
	lost := plain(50*second, 50*second, NoEngine)
	for ns, want := range map[int64]Speaks{second: For, 40 * second: Silent, Unknown: Silent} {
		if lost.EndNS = Unknown; ns != Unknown {
			lost.EndNS = lost.StartNS + ns
		}
		x := c
		x.Requests = append(slices.Clip(c.Requests), lost)
		r := Of(x, Options{Recorded: Everything, Replicas: Is(true)})
		if row := skewOf(r.Table); row.Speaks != want || row.Figures[2].High <= 2 {
			t.Errorf("one of %d ns: %+v", ns, row)
		}
	}
}

// TestOverMeanOfSomeHoldsEveryGroup holds that of engines of which any may be replicas, no
// group has a ratio beyond the bounds, and that one reaches the upper.
func TestOverMeanOfSomeHoldsEveryGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.Float64Range(0, 1), 2, 6).Draw(t, "busy")
		slices.Sort(shares)
		v := evidence{engines: int64(len(shares)), shares: shares, skew: little.SkewOf(shares)}
		k := rapid.IntRange(0, len(shares)-1).Draw(t, "engine")
		b := v.overMeanOfSome(shares[k], 0)
		most := 0.0
		for group := range 1 << len(shares) {
			if group&(1<<k) == 0 {
				continue
			}
			sum, n := 0.0, 0.0
			for i, x := range shares {
				if group&(1<<i) != 0 {
					sum, n = sum+x, n+1
				}
			}
			if sum == 0 {
				continue
			}
			ratio := shares[k] * n / sum
			if most = max(most, ratio); ratio < b.low*(1-1e-12) || ratio > b.high*(1+1e-12) {
				t.Fatalf("%v of %v: %v is not in %+v", shares[k], shares, ratio, b)
			}
		}
		if math.Abs(most-b.high) > 1e-12*most {
			t.Fatalf("%v of %v: at most %v, not %v", shares[k], shares, most, b.high)
		}
	})
}

// TestWorkOfNoEngineMayBeOfAny: GPU work of which the engine is not known moves how busy
// engines are, by its length at most.
func TestWorkOfNoEngineMayBeOfAny(t *testing.T) {
	c := Capture{Requests: []Request{plain(0, 10*second, 0), plain(0, 10*second, 1)}, Intervals: []Interval{{0, 8 * second, 0, GPU}, {0, 2 * second, 1, GPU}, {0, second, NoEngine, GPU}}}
	row := skewOf(Of(c, Options{Recorded: Everything, Replicas: Is(true)}).Table)
	near(t, "busiest at least", row.Figures[1].Low, .8, 0)
	near(t, "busiest at most", row.Figures[1].High, .9, 1e-12)
	near(t, "over mean at least", row.Figures[2].Low, 8/5.5, 1e-12)
	near(t, "over mean at most", row.Figures[2].High, 9/5.5, 1e-12)
	if row.Speaks != Silent || !slices.Equal(row.Missing, []string{missEngines}) {
		t.Errorf("%+v", row)
	}
}

// TestCoarseStampsSayNothingOfBursts: arrivals that are stamped by the second come together
// by that alone.
func TestCoarseStampsSayNothingOfBursts(t *testing.T) {
	c := Capture{FromNS: 0, ToNS: 100 * second}
	for i := range int64(500) {
		at := i / 10 * 2 * second
		c.Requests = append(c.Requests, plain(at, at+second, 0))
		c.Intervals = append(c.Intervals, Interval{at, at + second, 0, GPU})
	}
	for stamp, want := range map[int64]Speaks{0: For, Bucket: For, Bucket + 1: Silent, second: Silent} {
		r := Of(c, Options{Recorded: Everything, StampNS: stamp})
		for _, table := range []Table{r.Table, r.Engines[0].Table} {
			row := table.Rows[7]
			f := row.Figures[3]
			if row.Speaks != want || want == Silent && (!slices.Equal(row.Missing, []string{missStamps}) || f.Low != 0 || f.High != 500 || table.Verdict.Kind != CannotSay) {
				t.Errorf("stamps of %d ns: %+v", stamp, row)
			}
		}
	}
	if missStamps != "times finer than a bucket" {
		t.Error(missStamps)
	}
	// One arrival comes together with none.
	c.Requests, c.Intervals = c.Requests[:1], c.Intervals[:1]
	if row := Of(c, Options{Recorded: Everything, StampNS: second}).Table.Rows[7]; row.Speaks != Against {
		t.Errorf("%+v", row)
	}
}

var filterReason, engineReason = "the requests that a filter leaves out", "some requests of an engine"

// TestPartialDecidesNothing: of a part of the system no row decides anything, and all that is
// known of the part stays.
func TestPartialDecidesNothing(t *testing.T) {
	want := []string{filterReason, engineReason}
	check := func(t interface{ Fatalf(string, ...any) }, c Capture, opt Options) {
		before := Of(c, opt)
		opt.Partial = []string{filterReason, "", engineReason, filterReason}
		after := Of(c, opt)
		if after.Context.Waiting.Mean.Known || after.Context.Waiting.P95.Known {
			t.Fatalf("%v wait", after.Context.Waiting)
		}
		tables := [][2]Table{{before.Table, after.Table}}
		for i := range before.Engines {
			tables = append(tables, [2]Table{before.Engines[i].Table, after.Engines[i].Table})
		}
		for _, pair := range tables {
			v := pair[1].Verdict
			if v.Kind != CannotSay || v.Signature != "" || v.Otherwise != "" || !slices.Equal(v.Missing, want) ||
				v.Text != "cannot say: the capture is not all of the system; it lacks "+filterReason+"; "+engineReason {
				t.Fatalf("%+v", v)
			}
			for i, row := range pair[1].Rows {
				if row.Speaks != Silent || !slices.Equal(row.Missing, want) {
					t.Fatalf("%+v", row)
				}
				for k, f := range row.Figures {
					was := pair[0].Rows[i].Figures[k]
					if f.Says != Silent || !slices.Equal(f.Missing, want) || f.Name != was.Name || f.Low != was.Low || f.High != was.High || f.Undefined != was.Undefined || f.N != was.N {
						t.Fatalf("%s, was %s", f, was)
					}
				}
			}
		}
	}
	for _, c := range []Capture{with(train(4, Queue, GPU, Host), 1, 0), train(4, Gateway, GPU, Host), longAhead(), inTwoSteps(), {}} {
		check(t, c, Options{Recorded: Everything, Replicas: Is(true)})
	}
	rapid.Check(t, func(t *rapid.T) {
		c, opt := drawn(t, rapid.SampledFrom(scales).Draw(t, "scale"))
		check(t, c, opt)
	})
	if r := Of(longAhead(), Options{Recorded: Everything, Partial: []string{""}}); r.Table.Verdict.Kind != DeviceBusy || r.Context.Waiting.Mean != Is(stat.SumOf(12750*ms).Over(stat.SumOf(7300*ms))) {
		t.Errorf("no reason is none: %+v", r.Table.Verdict)
	}
}
