package analyze

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// decoded is one request that decodes for some ms for so many output tokens, from a start in ms.
func decoded(start, length, output int64) visitor {
	return visitor{start: start * ms, legs: legs(0, stage.GPU, "prefill", 10, stage.GPU, "decode", int(length)), prompt: 40, output: output}
}

// TestCountedPreemptions: what a reading counts is since the one before. Requests are there from 0
// to 60 s.
func TestCountedPreemptions(t *testing.T) {
	for _, c := range []struct {
		name string
		at   []int64 // s
		n    []float64
		want tally
		ok   bool
	}{
		{name: "none"},
		{"all within", []int64{10, 20, 30, 40, 50, 60}, []float64{1, 2, 0, 4, 0, 8}, tally{14, 15, true}, true},
		{"from before", []int64{-10, 5, 15, 50}, []float64{5, 2, 1, 0}, tally{1, 3, true}, true},
		{"some from after", []int64{-5, 0, 59, 65, 75}, []float64{1, 1, 2, 4, 8}, tally{2, 7, true}, true},
		{"it began late", []int64{20, 40, 60}, []float64{1, 2, 4}, tally{6, 7, false}, true},
		{"it ended early", []int64{5, 20, 40}, []float64{1, 2, 4}, tally{6, 7, false}, true},
		{"none meanwhile", []int64{-30, -20, 90}, []float64{1, 2, 4}, tally{0, 4, true}, true},
		{"absurd", []int64{5, 20, 60}, []float64{-3, 1e300, 1}, tally{1<<40 + 1, 1<<40 + 1, true}, true},
	} {
		p := plant{engines: 1, visitors: []visitor{decoded(0, 100, 10), decoded(59_890, 100, 10)}}
		for i, at := range c.at {
			p.readings = append(p.readings, planted{at * 1000 * ms, 0, metricPreemptions, c.n[i]})
		}
		x := capturedOf(p, Options{})
		x.base.clock = table.ClockWall
		if got, ok := x.countedOf(0, 0); ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestReadingsOfPartCountNoMore: where an engine counted for a part of the time alone, those that
// took longer for a token than those beside them may have been preempted in the rest.
func TestReadingsOfPartCountNoMore(t *testing.T) {
	for last, want := range map[int64]serving.Preemptions{40: {High: 1}, 110: {}} {
		p := plant{engines: 1}
		for i := range int64(60) {
			p.visitors = append(p.visitors, decoded(2000*i, 3000, 31), decoded(2000*i+3, 3000, 31))
		}
		p.visitors[100].output = 11 // each token took three times as long
		for at := int64(0); at <= last; at += 10 {
			p.readings = append(p.readings, planted{at * 1000 * ms, 0, metricPreemptions, 0})
		}
		if got := capturedOf(p, Options{}).Preemptions; len(got) != 1 || got[0] != want {
			t.Errorf("until %d s: %+v, want %+v", last, got, want)
		}
	}
}

// TestSlowed: a request is slowed when it takes a seventh longer for a token than a quarter of
// those that decode beside it.
func TestSlowed(t *testing.T) {
	alike := func(n int, length, output int64) (list []visitor) {
		for i := range n {
			list = append(list, decoded(int64(i), length, output)) // 1 ms apart
		}
		return list
	}
	for _, c := range []struct {
		name string
		list []visitor
		want int64
	}{
		{"all at one pace", alike(20, 1000, 51), 0},
		{"two of them took longer", append(alike(20, 1000, 51), decoded(30, 1300, 51), decoded(31, 1200, 51)), 2},
		{"a little longer", append(alike(20, 1000, 51), decoded(30, 1140, 51)), 0},
		{"longer with more tokens", append(alike(20, 1000, 51), decoded(30, 2000, 101)), 0},
		{"alone", []visitor{decoded(0, 9000, 3), decoded(20_000, 1000, 51)}, 0},
		// All that are there are slowed down at once: that is no preemption.
		{"one after another", append(alike(10, 1000, 51), []visitor{decoded(5000, 3000, 51), decoded(5001, 3000, 51)}...), 0},
		{"not told by the token", append(alike(5, 1000, 51), decoded(3, 1000, 1), decoded(4, 1000, 0)), 2},
		{"none is", []visitor{decoded(0, 1000, 0), decoded(1, 1000, 1)}, 2},
		{"none decodes", []visitor{{legs: legs(0, stage.GPU, "prefill", 10), output: 1}}, 0},
	} {
		if got := capturedOf(plant{engines: 1, visitors: c.list}, Options{}).paces()[0].slowed(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestPacesOfEachEngine compares with one engine after the other, of requests that decode at
// several, and there more than once.
func TestPacesOfEachEngine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plant{engines: 3}
		for range rapid.IntRange(1, 6).Draw(t, "requests") {
			v := visitor{start: rapid.Int64Range(0, 50).Draw(t, "start") * ms, prompt: 10, output: rapid.Int64Range(0, 4).Draw(t, "tokens")}
			for range rapid.IntRange(1, 6).Draw(t, "legs") {
				what := rapid.SampledFrom([]any{"decode", "prefill"}).Draw(t, "what")
				v.legs = append(v.legs, legs(rapid.IntRange(0, 2).Draw(t, "engine"), stage.GPU, what, rapid.IntRange(1, 9).Draw(t, "length"))...)
			}
			p.visitors = append(p.visitors, v)
		}
		c := capturedOf(p, Options{})
		got := c.paces()
		for e := range c.engines {
			want := paced{}
			for _, row := range c.rows {
				from, to := int64(math.MaxInt64), int64(math.MinInt64)
				for _, i := range c.pathOf(int(row)) {
					if s := &c.set.Segments; c.engineOf(i) == e && c.set.Symbols.Text(s.Detail[i]) == "decode" {
						from, to = min(from, s.Start[i]), max(to, s.End[i])
					}
				}
				switch n := c.set.Requests.OutputTokens[row]; {
				case from > to:
				case n < 2:
					want.untold++
				default:
					want.list = append(want.list, pace{from, to, float64(to-from) / float64(n-1)})
				}
			}
			if !reflect.DeepEqual(got[e], want) {
				t.Fatalf("engine %d: %+v, want %+v", e, got[e], want)
			}
		}
	})
}
