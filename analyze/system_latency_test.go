package analyze

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// latencyOf returns one metric of a list, the zero one when it is not there.
func latencyOf(list []LatencyOf, metric string) LatencyOf {
	i := slices.IndexFunc(list, func(l LatencyOf) bool { return l.Metric == metric })
	if i < 0 {
		return LatencyOf{}
	}
	return list[i]
}

// TestLatencyOverTime has 24 windows of 10 s with one request each second, which takes a
// second in the first half and three in the second; each gives 11 tokens, the first half way.
func TestLatencyOverTime(t *testing.T) {
	var p plant
	p.engines = 1
	for i := range int64(240) {
		d := int(1000 + 2000*(i/120))
		p.visitors = append(p.visitors, visitor{start: i * 1000 * ms, legs: legs(0, stage.GPU, "decode", d), first: int64(d) * ms / 2, output: 11})
	}
	p.visitors = append(p.visitors, visitor{start: 5 * ms, legs: legs(0, stage.GPU, "decode", 9), err: true})
	s := systemIn(p, Options{}, CapacityOptions{})
	l := s.Latency
	if l.N != 240 || l.Kept != "" || l.Weighted || len(l.Stretches) != 12 {
		t.Fatalf("%d requests in %d stretches, %q", l.N, len(l.Stretches), l.Kept)
	}
	for i, at := range l.Stretches {
		want := int64(1000)
		if at.FromNS >= 120_000*ms {
			want = 3000
		}
		const n = 20
		e2e, ttft, tpot := latencyOf(at.Of, metricE2E), latencyOf(at.Of, metricTTFT), latencyOf(at.Of, metricTPOT)
		if at.FromNS != int64(i)*20_000*ms || at.N != n || e2e.N != n || e2e.Mean.Value != float64(want*ms) || e2e.Mean.HasBounds || ttft.Mean.Value != float64(want*ms/2) || tpot.Mean.Value != float64(want*ms/20) {
			t.Errorf("stretch %d at %d: %d requests, %+v", i, at.FromNS, at.N, e2e.Mean)
		}
		if q := e2e.Quantiles[0]; !q.Known || q.Value != want*ms || q.Bounds != MethodOrder {
			t.Errorf("stretch %d: %+v", i, q)
		}
		if q := e2e.Quantiles[1]; q.Known || q.Need != 59 || q.Bounds != "" {
			t.Errorf("stretch %d: p95 of %d: %+v", i, n, q)
		}
		rate := latencyOf(at.Of, metricGeneration)
		if !rate.Rate || rate.Quantiles[0].Value != (20_000*RateScale+want/2)/want {
			t.Errorf("stretch %d: %+v", i, rate.Quantiles[0])
		}
	}
	e2e := latencyOf(l.Whole, metricE2E)
	if e2e.N != 240 || e2e.Mean.Value != float64(2000*ms) || e2e.Quantiles[0].Value != 1000*ms || e2e.Quantiles[1].Value != 3000*ms || e2e.Quantiles[2].Known || e2e.Quantiles[2].Need != 299 {
		t.Errorf("%+v", e2e)
	}
	// One step in the middle is no spread that can be drawn from.
	if e2e.Mean.HasBounds || !has(e2e.Mean.Warnings, NoInterval) || e2e.Quantiles[0].Bounds != MethodOrder || !has(e2e.Quantiles[0].Warnings, Independence) {
		t.Errorf("%+v", e2e)
	}
	if itl := latencyOf(l.Whole, metricITL); itl.N != 0 {
		t.Errorf("%+v", itl)
	}
}

// TestLatencyOfAConstant: what is the same everywhere has bounds of no width, as far as there
// are bounds.
func TestLatencyOfAConstant(t *testing.T) {
	s := systemOf(tables(many(400, 1, given{times: times(stage.GPU, int(50*ms)), tokens: 5})), Options{}.filled(), CapacityOptions{})
	e2e := latencyOf(s.Latency.Whole, metricE2E)
	if m := e2e.Mean; m.Value != float64(50*ms) || !m.HasBounds || m.Bounds != (stat.Bounds{Low: m.Value, High: m.Value}) || m.Method != MethodBlocks {
		t.Errorf("%+v", m)
	}
	for i, known := range []bool{true, true, true, false} {
		q := e2e.Quantiles[i]
		if q.Known != known || known && (q.Value != 50*ms || !q.HasLow || q.Low != q.Value || !q.HasHigh || q.High != q.Value || q.Bounds != MethodBlocksOrOrder) {
			t.Errorf("%s: %+v", q.P, q)
		}
	}
	in := s.Levels[0]
	near(t, "mean in flight", in.Mean.Value, 20/399.05, 1e-12)
	if in.Of != "in_flight" || !in.Mean.HasBounds || in.Percentiles[0] != (LevelPercentile{P: stat.P50, HasBounds: true}) || in.Level.Peak != 1 || in.Level.P99 != 1 {
		t.Errorf("%+v", in)
	}
	if r := s.Rates[0]; r.Of != "arrivals" || r.Rate.N != 400 || !r.Rate.HasBounds || r.Rate.Bounds.Low > 1.01 || r.Rate.Bounds.High < .99 {
		t.Errorf("%+v", r)
	}
}

// TestLatencyOfFew: a short time has no blocks, and the figures say so.
func TestLatencyOfFew(t *testing.T) {
	s := systemOf(tables(many(40, 1, given{times: times(stage.GPU, int(50*ms))})), Options{}.filled(), CapacityOptions{})
	const why = "the time divides into 8 blocks of ten mean durations and five requests, resampling takes 10"
	e2e := latencyOf(s.Latency.Whole, metricE2E)
	for name, list := range map[string][]stat.Warning{"mean": e2e.Mean.Warnings, "level": s.Levels[0].Mean.Warnings, "rate": s.Rates[0].Rate.Warnings} {
		if len(list) != 1 || list[0].ID != NoInterval || list[0].Text != why {
			t.Errorf("%s: %v", name, list)
		}
	}
	if p := s.Levels[0].Percentiles[0]; p.HasBounds || p.Why != why {
		t.Errorf("%+v", p)
	}
	if q := e2e.Quantiles[0]; q.Bounds != MethodOrder || !has(q.Warnings, Independence) {
		t.Errorf("%+v", q)
	}
}

// TestLatencyOfKeptTraces: rates of a sample mean nothing, and how long requests took is told
// of all of them by weights, or else of those that were kept.
func TestLatencyOfKeptTraces(t *testing.T) {
	list := append(many(90, 1, given{times: times(stage.GPU, int(10*ms)), weight: 10}), many(90, 100, given{times: times(stage.GPU, int(1000*ms)), weight: 1})...)
	s := systemOf(tables(list), Options{}.filled(), CapacityOptions{})
	e2e := latencyOf(s.Latency.Whole, metricE2E)
	if s.Refused == "" || !s.Latency.Weighted || s.Latency.Kept != "" || e2e.N != 180 || s.Rates != nil || s.Levels != nil {
		t.Fatalf("%+v", s.Latency)
	}
	near(t, "mean by weights", e2e.Mean.Value, float64(100*ms), 1)
	if q := e2e.Quantiles[0]; !q.Known || q.Value != 10*ms || q.HasLow || q.Bounds != "" {
		t.Errorf("%+v", q)
	}
	for i := range list {
		if i%2 == 0 {
			list[i].weight = 0
		}
	}
	s = systemOf(tables(list), Options{}.filled(), CapacityOptions{})
	if e2e = latencyOf(s.Latency.Whole, metricE2E); s.Latency.Weighted || s.Latency.Kept == "" || e2e.Mean.Value != float64(505*ms) || len(s.Latency.Stretches) == 0 {
		t.Errorf("%+v", s.Latency)
	}
}

// TestStretchesHoldAll: every request is in one stretch, every order of rows gives the same,
// and the values of the whole are those of all stretches.
func TestStretchesHoldAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlant(t)
		weights := rapid.Bool().Draw(t, "weights")
		for i := range p.visitors {
			if weights {
				p.visitors[i].weight = float64(1 + i%3)
			}
		}
		opt := Options{Errors: Include, Incomplete: Include}
		l := systemIn(p, opt, CapacityOptions{}).Latency
		var n int64
		sums, counts := map[string]float64{}, map[string]int64{}
		for i, s := range l.Stretches {
			if n += s.N; i > 0 && s.FromNS != l.Stretches[i-1].ToNS {
				t.Fatalf("stretch %d begins at %d", i, s.FromNS)
			}
			for _, m := range s.Of {
				counts[m.Metric] += m.N
				sums[m.Metric] += m.Mean.Value * float64(m.N)
			}
		}
		if n != l.N {
			t.Fatalf("%d of %d requests are in stretches", n, l.N)
		}
		for _, m := range l.Whole {
			if counts[m.Metric] != m.N || !weights && math.Abs(sums[m.Metric]-m.Mean.Value*float64(m.N)) > 1e-9*sums[m.Metric] {
				t.Fatalf("%s: %d values with a sum of %g, %+v", m.Metric, counts[m.Metric], sums[m.Metric], m)
			}
		}
	})
}

// TestRateOf: units of a rate are rounded, and never overflow.
func TestRateOf(t *testing.T) {
	for _, c := range []struct {
		n, ns, want int64
		ok          bool
	}{
		{1, 1_000_000_000, RateScale, true}, {2, 3_000_000_000, 666_667, true}, {0, 5, 0, false}, {5, 0, 0, false},
		{math.MaxInt64, 1, math.MaxInt64, true}, {math.MaxInt64, math.MaxInt64, 1_000_000_000_000_000, true}, {1, math.MaxInt64, 0, true},
	} {
		if got, ok := rateOf(c.n, c.ns); got != c.want || ok != c.ok {
			t.Errorf("%d in %d ns: %d, %t", c.n, c.ns, got, ok)
		}
	}
}

// TestBlockBounds: intervals hold what they are of, of blocks that do not know of each other and
// of such as are like their neighbours; what changes over as long as the whole time has none.
func TestBlockBounds(t *testing.T) {
	opt := Options{Replicates: 400}.filled()
	ones := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
	random := rand.New(rand.NewPCG(1, 2))
	const runs, n = 400, 30
	for _, like := range []float64{0, .3, .6} {
		var hit, refused int
		for range runs {
			part := make([]float64, n)
			at := random.NormFloat64()
			for i := range part {
				at = like*at + math.Sqrt(1-like*like)*random.NormFloat64()
				part[i] = math.Exp(at / 2)
			}
			b, _, why := blockBounds(part, ones(n), 0, opt)
			mean := math.Exp(1. / 8)
			switch {
			case why != "":
				refused++
			case b.Low <= mean && mean <= b.High:
				hit++
			}
		}
		if share := float64(hit) / float64(runs-refused); share < .9 || refused > runs/20 {
			t.Errorf("blocks %g like their neighbours: intervals hold the mean in %.3f, and %d of %d are refused", like, share, refused, runs)
		}
	}
	slope, steps, step := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range slope {
		slope[i], steps[i], step[i] = float64(i), float64(i/2%2), float64(i/(n/2))
	}
	for name, part := range map[string][]float64{"slope": slope, "step": step} {
		if _, slow, why := blockBounds(part, ones(n), 0, opt); why != alikeWhy || slow <= n/fewestAlone {
			t.Errorf("a %s: %g, %q", name, slow, why)
		}
	}
	b, slow, why := blockBounds(steps, ones(n), 0, opt)
	if why != "" || slow >= 1 || b.Low >= b.High || b.Low > .47 || b.High < .47 {
		t.Errorf("steps of two: %v, %g, %q", b, slow, why)
	}
	if wide, _, why := blockBounds(steps, ones(n), 4, opt); why != "" || wide.High-wide.Low < 2*(b.High-b.Low) {
		t.Errorf("four times the variance: %v, %v, %q", b, wide, why)
	}
	if got := inTwos([]float64{1, 2, 3, 4, 5}); !slices.Equal(got, []float64{3, 12}) {
		t.Error(got)
	}
	if _, _, why := blockBounds(ones(9), ones(9), 0, opt); why == "" {
		t.Error("nine blocks are too few")
	}
}

// TestPercentileOfOneQueue: what lies above a percentile in one time of ten bounds nothing; in
// all of them it does, and what is above in none has bounds of no width.
func TestPercentileOfOneQueue(t *testing.T) {
	opt := Options{Replicates: 400}.filled()
	all := slices.Repeat([]float64{100}, 30)
	above := func(of func(i int) float64) (upTo []float64) {
		for i := range all {
			upTo = append(upTo, all[i]-of(i))
		}
		return upTo
	}
	one := above(func(i int) float64 { return map[bool]float64{true: 15}[i/2 == 7] })
	if _, why := percentileBounds(one, all, 0, opt); why != rareWhy {
		t.Errorf("one queue: %q", why)
	}
	each := above(func(i int) float64 { return float64(i % 3) })
	b, why := percentileBounds(each, all, 0, opt)
	if why != "" || b.Low >= .99 || b.High <= .99 {
		t.Errorf("each time: %v, %q", b, why)
	}
	if b, why := percentileBounds(all, all, 0, opt); why != "" || b != (stat.Bounds{Low: 1, High: 1}) {
		t.Errorf("none: %v, %q", b, why)
	}
}

// TestLatencyOfOneQueue: 600 requests of 50 ms, of which 40 in a row take a second. How high the
// p95 is in another time of that length, one queue does not tell; the median it does.
func TestLatencyOfOneQueue(t *testing.T) {
	list := many(600, 1, given{times: times(stage.GPU, int(50*ms))})
	for i := 300; i < 340; i++ {
		list[i].times = times(stage.GPU, int(1000*ms+int64(i)))
	}
	e2e := latencyOf(systemOf(tables(list), Options{}.filled(), CapacityOptions{}).Latency.Whole, metricE2E)
	if q := e2e.Quantiles[1]; !q.Known || q.Value < 1000*ms || !q.HasLow || q.Low != 50*ms || q.HasHigh || !has(q.Warnings, stat.NoUpper) {
		t.Errorf("%+v", q)
	}
	if q := e2e.Quantiles[0]; q.Value != 50*ms || !q.HasLow || !q.HasHigh || q.Bounds != MethodBlocksOrOrder {
		t.Errorf("%+v", q)
	}
}

// TestBatchesOfAnEngine: two requests run beside each other for half of the busy time, and
// readings of the engine say what it says.
func TestBatchesOfAnEngine(t *testing.T) {
	p := plant{engines: 1, visitors: []visitor{
		{legs: legs(0, stage.GPU, "decode", 300)}, {start: 100 * ms, legs: legs(0, stage.GPU, "decode", 100)}, {start: 600 * ms, legs: legs(0, stage.GPU, "decode", 100)},
	}}
	for i, v := range []float64{1, 2, 2, 9} {
		p.readings = append(p.readings, planted{int64(i) * 100 * ms, 0, "running", v})
	}
	b := systemIn(p, Options{}, CapacityOptions{}).Batches
	if b.Refused != "" || len(b.Engines) != 1 {
		t.Fatalf("%+v", b)
	}
	e := b.Engines[0]
	if e.Executing != b.Executing || e.Executing.NS != 400*ms || e.Executing.P50 != 1 || e.Executing.P95 != 2 || e.Executing.Peak != 2 || e.Batches != nil {
		t.Errorf("%+v", e)
	}
	near(t, "executing", e.Executing.Mean(), 1.25, 1e-12)
	if want := (BatchReading{Metric: "running", N: 4, Mean: 3.5, P50: 2, P95: 9, P99: 9, Peak: 9}); len(e.Readings) != 1 || e.Readings[0] != want {
		t.Errorf("%+v", e.Readings)
	}
	if b := systemIn(plant{visitors: p.visitors[:0]}, Options{}, CapacityOptions{}).Batches; b.Engines != nil {
		t.Errorf("%+v", b)
	}
}

// BenchmarkLatencies is of a million requests.
func BenchmarkLatencies(b *testing.B) {
	set := table.NewSet()
	req := &set.Requests
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 1_000_000 {
		r := req.Grow()
		d := int64(random.ExpFloat64() * float64(500*ms))
		req.Class[r] = uint8(critical.Complete)
		req.Start[r], req.End[r], req.Duration[r] = int64(i)*ms, int64(i)*ms+d, d
		req.Stage[stage.GPU][r] = d
		req.FirstToken[r], req.TTFT[r], req.OutputTokens[r] = int64(i)*ms+d/4, d/4, 100
	}
	opt := Options{Workers: 2}.filled()
	c := captureOf(set, opt)
	blocks := c.blocking(c.span())
	stretches := c.stretches()
	b.ReportAllocs()
	for b.Loop() {
		c.latencies(Sampling{}, stretches, blocks)
	}
}

// movedBack takes a time from all instants of the parts that the time is divided into.
func movedBack(s *System, by int64) {
	for i := range s.Serving.Stretches {
		t := &s.Serving.Stretches[i]
		t.FromNS, t.ToNS = t.FromNS-by, t.ToNS-by
	}
	for i := range s.Serving.Blocks {
		b := &s.Serving.Blocks[i].Window
		b.FromNS, b.ToNS = b.FromNS-by, b.ToNS-by
	}
	for i := range s.Latency.Stretches {
		t := &s.Latency.Stretches[i].Stretch
		t.FromNS, t.ToNS = t.FromNS-by, t.ToNS-by
	}
}

// TestBatchSizes: each batch counts once, and a p99 of six is not known.
func TestBatchSizes(t *testing.T) {
	var list []engine.Batch
	for _, n := range []int64{4, 1, 2, 8, 1, 2} {
		list = append(list, engine.Batch{Size: n, Basis: "equal start of execution"})
	}
	b := sizesOf(list)
	if b.N != 6 || b.Mean != 3 || b.Peak != 8 || b.Quantiles[0].Value != 2 || b.Quantiles[2].Known || b.Basis != list[0].Basis || sizesOf(nil) != nil {
		t.Errorf("%+v", b)
	}
}
