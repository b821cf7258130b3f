package analyze

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// gauge adds readings of how many of the requests wait, every step ns, each times a factor.
func gauge(set *table.Set, requests []given, metric, engine string, step int64, factor float64) {
	t := &set.EngineSamples
	last := requests[len(requests)-1].start
	for at := requests[0].start; at < last; at += step {
		i := t.Grow()
		t.Time[i], t.Metric[i], t.Engine[i] = at, set.Symbols.Intern(metric), set.Symbols.Intern(engine)
		t.Value[i] = math.Round(float64(depthAt(requests, at)) * factor)
	}
}

// ended adds readings of a counter of requests.
func ended(set *table.Set, requests []given, step int64, factor float64) {
	t := &set.EngineSamples
	last := requests[len(requests)-1].start
	for at := requests[0].start; at < last; at += step {
		n := 0
		for _, g := range requests {
			if g.start+g.duration() <= at {
				n++
			}
		}
		i := t.Grow()
		t.Time[i], t.Metric[i], t.Engine[i] = at, set.Symbols.Intern("requests_total"), set.Symbols.Intern("0")
		t.Value[i] = math.Round(float64(n) * factor)
	}
}

func littleIn(set *table.Set) Little { return littleOf(set, waitingOf(set, Options{}), 0) }

// TestLittleIsAnIdentity: by one source the ratio is 1, whatever the requests.
func TestLittleIsAnIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := line{seed: rapid.Uint64().Draw(t, "seed"), n: rapid.IntRange(2, 300).Draw(t, "n"), servers: rapid.IntRange(1, 5).Draw(t, "servers"), service: 100 * ms, load: .9}
		got := littleIn(tables(l.requests()))
		if got.Ratio != 0 && math.Abs(got.Ratio-1) > 1e-9 {
			t.Fatalf("the ratio is %g", got.Ratio)
		}
		if got.Readings != nil {
			t.Fatal("there are no readings")
		}
	})
}

func TestReadingsOfTheQueue(t *testing.T) {
	requests := line{seed: 4, n: 2000, servers: 4, service: 1000 * ms, load: .92}.requests()
	for _, c := range []struct {
		name           string
		depth, counted float64 // readings by the truth; counted 0 for none
		agrees         bool
		words          string
	}{
		{"the same", 1, 0, true, "both sources agree"},
		{"the same, counted", 1, 1, true, "the traces tell of the whole load"},
		{"half traced", 2, 0, false, "not every request was traced"},
		{"half traced, counted", 2, 2, false, "of the requests were kept, slow and fast alike"},
		{"slow ones traced", 1.2, 3, false, "slow requests were kept more often"},
		{"a wait in no span", 2, 1, false, "a stage is in no span"},
		{"wider spans", .5, 1, false, "spans hold time that the gauge does not"},
		{"wider spans, not counted", .5, 0, false, "the traces tell of more waiting"},
		{"nothing read", 0, 0, false, "never had a request waiting"},
	} {
		set := tables(requests)
		gauge(set, requests, "waiting", "0", 500*ms, c.depth)
		if c.counted > 0 {
			ended(set, requests, 5000*ms, c.counted)
		}
		d := littleIn(set).Readings
		if d == nil {
			t.Fatalf("%s: no readings", c.name)
		}
		if d.Agrees != c.agrees || !strings.Contains(d.Words, c.words) {
			t.Errorf("%s: agrees %t, %q, want %q (ratio %+v, %g ended, %g counted)", c.name, d.Agrees, d.Words, c.words, d.Ratio, d.Rate, d.ReadRate)
		}
	}
}

// TestReadingsThatAreNoSample: what is written when prompts join, and means of a few readings
// with anybody waiting, are compared with nothing.
func TestReadingsThatAreNoSample(t *testing.T) {
	requests := line{seed: 4, n: 2000, servers: 4, service: 1000 * ms, load: .92}.requests()
	joining := func() *table.Set {
		set := tables(requests)
		gauge(set, requests, "waiting", "0", 500*ms, 2)
		return set
	}
	elsewhere := joining()
	gauge(elsewhere, requests, metricJoining, "1", 500*ms, 1)
	if d := littleIn(elsewhere).Readings; !strings.Contains(d.Words, "not every request was traced") || !d.Ratio.HasBounds {
		t.Errorf("another engine's lines: %+v", d)
	}
	here := joining()
	gauge(here, requests, metricJoining, "0", 500*ms, 1)
	if d := littleIn(here).Readings; d.Agrees || d.Ratio.HasBounds || !strings.Contains(d.Words, "at which prompts join") {
		t.Errorf("%+v", d)
	}
	quiet := line{seed: 4, n: 500, servers: 4, service: 1000 * ms, load: .4}.requests()
	set := tables(quiet)
	gauge(set, quiet, "waiting", "0", 5000*ms, 1)
	if d := littleIn(set).Readings; d.Agrees || d.Ratio.HasBounds || !strings.Contains(d.Words, "fewer than 10 readings") {
		t.Errorf("%+v", d)
	}
}

// TestReadingsOfSeveralEngines adds up what engines say that share the requests.
func TestReadingsOfSeveralEngines(t *testing.T) {
	requests := line{seed: 4, n: 1000, servers: 4, service: 1000 * ms, load: .92}.requests()
	set := tables(requests)
	gauge(set, requests, "waiting", "0", 500*ms, .25)
	gauge(set, requests, "waiting", "1", 700*ms, .75)
	d := littleIn(set).Readings
	if d == nil || d.Engines != 2 || !d.Agrees {
		t.Errorf("two engines with a quarter and three: %+v", d)
	}
	spell := surge(1)
	rare := tables(spell)
	gauge(rare, spell, "waiting", "0", 20_000*ms, 1)
	if d := littleIn(rare).Readings; d == nil || d.Agrees || !strings.Contains(d.Words, "so few waited") {
		t.Errorf("readings far apart: %+v", d)
	}
	few := tables(requests)
	gauge(few, requests, "waiting", "0", 100_000*ms, 1)
	if d := littleIn(few).Readings; d != nil {
		t.Errorf("a few readings are compared: %+v", d)
	}
}
