package analyze

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tailpath/tailpath/critical/stage"
)

// levelled makes windows of 10 s with so many requests in some stages, each off by a share of
// itself at random, which wanders from window to window.
func levelled(seed uint64, levels []map[stage.Stage]float64, each int, noise float64) (out []stageWindow) {
	random := rand.New(rand.NewPCG(seed, 3))
	var drift [stage.Count]float64
	const ns = 10_000_000_000
	for _, l := range levels {
		for range each {
			w := stageWindow{ns: ns}
			for _, k := range stage.All() {
				drift[k] = .5*drift[k] + random.NormFloat64()
				w.in[k] = math.Round(max(0, l[k]*(1+noise*drift[k])) * ns)
			}
			out = append(out, w)
		}
	}
	return out
}

// nim is golden G7: clients, and who waits for a first token and who decodes.
var nim = []map[stage.Stage]float64{
	{stage.Queue: 14.669, stage.GPU: 85.052}, {stage.Queue: 64.084, stage.GPU: 85.344}, {stage.Queue: 113.558, stage.GPU: 85.494}, {stage.Queue: 163.055, stage.GPU: 85.584},
}

// TestFullOfNIM: beyond 100 clients the batch is full at 85 and the rest is queue.
func TestFullOfNIM(t *testing.T) {
	f := fullOf(levelled(1, nim, 12, .02), 0)
	if f.Kind != FullFound || f.Stage != "gpu" || f.Before != "queue" || f.From != 1 || f.Windows != 12 {
		t.Fatalf("%+v", f)
	}
	g := f.Stages[1]
	near(t, "gpu", g.Quiet, 85.05, 2)
	near(t, "gpu, busy", g.Busy, 85.58, 2)
	near(t, "growth", f.InFlight.Growth.Value, 248.639/99.721, .05)
	near(t, "share of the queue", f.Stages[0].Share.Value, 1, .03)
}

// TestFullOnlyAtTheTop: where the quietest windows leave the engine half empty, those above
// show that it is full.
func TestFullOnlyAtTheTop(t *testing.T) {
	f := fullOf(levelled(2, append([]map[stage.Stage]float64{{stage.GPU: 5}, {stage.GPU: 20}}, nim[0], nim[3]), 12, .05), 0)
	if f.Kind != FullFound || f.Stage != "gpu" || f.From != 3 {
		t.Errorf("%+v", f)
	}
}

// TestNoneFull has what is no full stage.
func TestNoneFull(t *testing.T) {
	load := func(f float64) map[stage.Stage]float64 {
		return map[stage.Stage]float64{stage.Gateway: .2 * f, stage.Queue: f, stage.GPU: 10 * f}
	}
	for _, c := range []struct {
		name   string
		levels []map[stage.Stage]float64
		each   int
		want   FullKind
	}{
		{"all grow", []map[stage.Stage]float64{load(1), load(2), load(3), load(4)}, 12, FullNone},
		{"one load", []map[stage.Stage]float64{load(1), load(1), load(1), load(1)}, 12, FullCannotSay},
		{"few windows", nim, 5, FullCannotSay},
		{"what grows comes after", []map[stage.Stage]float64{
			{stage.Queue: 50, stage.Application: 1}, {stage.Queue: 50, stage.Application: 50}, {stage.Queue: 50, stage.Application: 100}, {stage.Queue: 50, stage.Application: 200},
		}, 12, FullCannotSay},
	} {
		if f := fullOf(levelled(3, c.levels, c.each, .05), 0); f.Kind != c.want || f.Why == "" || f.Stage != "" {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
	if f := fullOf(nil, 0); f.Kind != FullCannotSay {
		t.Errorf("%+v", f)
	}
}

// TestFullIsNoNoise: where every stage grows with a load that wanders, none is found full in
// sixty runs, whatever is noise.
func TestFullIsNoNoise(t *testing.T) {
	found := 0
	for seed := range 60 {
		random := rand.New(rand.NewPCG(uint64(seed), 4))
		var levels []map[stage.Stage]float64
		load := 1.0
		for range 60 {
			load = max(.2, .9*load+.1+.2*random.NormFloat64())
			levels = append(levels, map[stage.Stage]float64{stage.Network: .3 * load, stage.Queue: .5 * load * load, stage.GPU: 4 * load, stage.Application: load})
		}
		if f := fullOf(levelled(uint64(seed), levels, 1, .25), 0); f.Kind == FullFound {
			found++
			t.Logf("seed %d: %s", seed, f.Why)
		}
	}
	if found > 1 {
		t.Errorf("%d of 60", found)
	}
}

// TestGrowthsAddUp: the shares of the stages add up to 1, and the numbers to those in flight.
func TestGrowthsAddUp(t *testing.T) {
	for seed := range uint64(15) {
		random := rand.New(rand.NewPCG(seed, 6))
		var windows []stageWindow
		for range 24 + random.IntN(16) {
			w := stageWindow{ns: 1000}
			for k := range w.in {
				w.in[k] = float64(random.IntN(5000) * random.IntN(2))
			}
			windows = append(windows, w)
		}
		f := fullOf(windows, 0)
		var quiet, busy, share float64
		for _, g := range f.Stages {
			quiet, busy, share = quiet+g.Quiet, busy+g.Busy, share+g.Share.Value
		}
		if math.Abs(quiet-f.InFlight.Quiet) > 1e-9 || math.Abs(busy-f.InFlight.Busy) > 1e-9 || math.Abs(share-1) > 1e-6 {
			t.Fatalf("seed %d: shares add up to %v: %+v", seed, share, f)
		}
	}
}

// TestFullOfAnEngine: an engine of eight slots with four loads, of which the higher are beyond
// it, by the windows of a capture.
func TestFullOfAnEngine(t *testing.T) {
	surge := func(at int64) float64 { return []float64{.6, .7, 1, 1.03}[min(3, at/(500_000*ms))] }
	var list []visitor
	for _, g := range (line{seed: 8, n: 6500, servers: 8, service: 2000 * ms, load: 1, surge: surge}).requests() {
		list = append(list, visitor{start: g.start, legs: []leg{{0, stage.Queue, "engine", g.times[stage.Queue]}, {0, stage.GPU, "decode", g.times[stage.GPU]}}})
	}
	s := systemIn(plant{engines: 1, visitors: list}, Options{}, CapacityOptions{})
	if f := s.Full; f.Kind != FullFound || f.Stage != "gpu" || f.Before != "queue" {
		t.Errorf("%+v", f)
	}
	if len(s.Full.Stages) != 2 {
		t.Fatalf("%+v", s.Full)
	}
	for _, g := range s.Full.Stages {
		if b := g.Growth.Bounds; g.Growth.HasBounds && (b.Low > g.Growth.Value || g.Growth.Value > b.High) {
			t.Errorf("%+v", g)
		}
	}
	if got := s.Full.Stages[0].Growth.Method; got != MethodBlockRatio || s.Full.Stages[0].Growth.N != 2*s.Full.Windows {
		t.Error(got, s.Full.Windows)
	}
}
