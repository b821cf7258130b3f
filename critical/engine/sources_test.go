package engine

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical/stage"
)

// TestMatchingByRequests: where neither host nor service tells, readings go to the engine
// that served the requests of which their source tells.
func TestMatchingByRequests(t *testing.T) {
	for name, c := range map[string]struct {
		other, shared int // requests of the source that the other engine served, or both did
		want          [2]int64
	}{
		"one":      {0, 0, [2]int64{3, 0}},
		"mixed":    {1, 0, [2]int64{0, 0}},
		"few":      {-1, 0, [2]int64{0, 0}},
		"at both":  {0, 4, [2]int64{3, 0}},
		"all both": {-1, 6, [2]int64{0, 0}},
	} {
		g := newGiven()
		a, b, log := g.scope("llm", "a", "", ""), g.scope("llm", "b", "", ""), g.scope("triton", "", "", "x")
		named := func(id string, pieces ...piece) {
			first := g.set.Spans.Len()
			g.request(0, 0, pieces...)
			for i := first; i < g.set.Spans.Len(); i++ {
				g.set.Spans.RequestID[i] = id
			}
			line := g.set.Spans.Grow()
			g.set.Spans.ScopeRow[line], g.set.Spans.RequestID[line] = log, id
			g.set.Spans.TraceID[line][0], g.set.Spans.TraceID[line][1] = 1, byte(line)
			g.set.Spans.Source[line] = g.set.Symbols.Intern("triton.log")
		}
		n := 8
		if c.other < 0 {
			n, c.other = 4, 0
		}
		for i := range n {
			named(fmt.Sprint("a", i), waited(a, 10), decoded(a, 20))
		}
		for i := range c.other {
			named(fmt.Sprint("b", i), waited(b, 10), decoded(b, 20))
		}
		g.request(0, 0, waited(b, 10), decoded(b, 20))
		for i := range c.shared {
			named(fmt.Sprint("both", i), waited(a, 10), decoded(a, 20), decoded(b, 30))
		}
		for i := range int64(3) {
			g.sample("triton", "", "", "running", 10*i, 1)
		}
		got := Build(g.set).Engines()
		if d := cmp.Diff(c.want, [2]int64{got[0].Samples, got[1].Samples}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestLogsApart: logs that name no process and were written at the same time are of several
// engines, those that follow each other of one.
func TestLogsApart(t *testing.T) {
	for name, c := range map[string]struct {
		second int64 // ms at which the second log begins
		host   string
		want   []string
	}{
		"at once":   {5, "", []string{"tgi in x.log", "tgi in y.log"}},
		"in turn":   {990, "", []string{"tgi"}},
		"with host": {5, "a", []string{"tgi@a"}},
	} {
		g := newGiven()
		e := g.scope("tgi", c.host, "", "tgi")
		for i := range int64(20) {
			source, at := "x.log", 100*i
			if i >= 10 {
				source, at = "y.log", c.second+50*(i-10)
			}
			first := g.set.Spans.Len()
			g.request(at, 0, waited(e, at+20), computed(e, at+200))
			for row := first; row < g.set.Spans.Len(); row++ {
				g.set.Spans.Source[row] = g.set.Symbols.Intern(source)
			}
		}
		var got []string
		for _, e := range Build(g.set).Engines() {
			got = append(got, e.Name)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestShiftOfClippedSpan: a span that was moved, and whose end the path leaves a little
// before its own, was moved by what its start tells; a late start alone is no move.
func TestShiftOfClippedSpan(t *testing.T) {
	for _, c := range []struct{ in, out, want int64 }{
		{-683, -714, -683}, {700, 650, 700}, {-683, -683, -683}, {700, 0, 0}, {-100, -9000, 0}, {9000, 0, 9000},
	} {
		g := newGiven()
		e := g.scope("triton", "a", "", scopeTritonLog)
		r := g.request(0, 0, computed(e, 1000))
		i := g.segment(r, 0)
		g.set.Segments.Start[i] += c.in * 1000
		g.set.Segments.End[i] += c.out * 1000
		if got := Build(g.set).Local(0, i, 0); got != -c.want*1000 {
			t.Errorf("in %d, out %d us: the engine's clock is %d ns off", c.in, c.out, -got)
		}
	}
}

// TestMissingRequests: a request that a server recorded nothing of may have been at the
// engine, so nothing shows that it was idle; one that an engine recorded was not elsewhere.
func TestMissingRequests(t *testing.T) {
	gap := func(scope int32, detail string, until int64) piece {
		return piece{scope: scope, stage: stage.Unattributed, detail: detail, until: until}
	}
	for name, c := range map[string]struct {
		other func(g *given, gateway, e int32)
		want  string
	}{
		"alone":        {func(*given, int32, int32) {}, "stuck"},
		"not recorded": {func(g *given, gateway, e int32) { g.request(0, 0, gap(gateway, "upstream not recorded", 900)) }, "unknown"},
		"other gap":    {func(g *given, gateway, e int32) { g.request(0, 0, gap(gateway, "app", 900)) }, "stuck"},
		"recorded": {func(g *given, gateway, e int32) {
			g.request(0, 0, gap(gateway, "upstream", 900), decoded(e, 1400))
		}, "stuck"},
		"given up once": {func(g *given, gateway, e int32) {
			g.set.Requests.Attempts[g.request(0, 0, gap(gateway, "upstream", 900), decoded(e, 1400))] = 2
		}, "unknown"},
	} {
		g := newGiven()
		gateway, e := g.scope("envoy", "g", "", ""), g.scope("vllm", "a", "", "")
		r := g.request(0, 0, waited(e, 900), decoded(e, 1300))
		c.other(g, gateway, e)
		tl, names := causes(t, g)
		if got := names[g.segment(r, 0)]; got != c.want {
			t.Errorf("%s: %s, %+v", name, got, tl.Finding(g.segment(r, 0)))
		}
		if o := tl.Occupancy(0); o.From != 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
