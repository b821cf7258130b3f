package critical

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
)

// work is something whose parts wait for each other in a known way: a leaf, or parts one
// after the other with own time between them, or parts at once.
type work struct {
	name     string // of a leaf: q, g or n
	length   int64  // of a leaf
	parts    []work
	gaps     []int64 // own time before each part and after the last
	parallel bool
	id       uint64
}

func works(depth int) *rapid.Generator[work] {
	return rapid.Custom(func(t *rapid.T) work {
		if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
			return work{name: rapid.SampledFrom([]string{"q", "g", "n"}).Draw(t, "name"), length: rapid.Int64Range(1, 30).Draw(t, "length")}
		}
		p := work{name: "s", parallel: rapid.Bool().Draw(t, "parallel")}
		n := rapid.IntRange(1, 4).Draw(t, "parts")
		for range n {
			p.parts = append(p.parts, works(depth-1).Draw(t, "part"))
			p.gaps = append(p.gaps, rapid.Int64Range(0, 3).Draw(t, "gap"))
		}
		p.gaps = append(p.gaps, rapid.Int64Range(0, 3).Draw(t, "gap"))
		return p
	})
}

// number gives every part an id.
func (p *work) number(next *uint64) {
	*next++
	p.id = *next
	for i := range p.parts {
		p.parts[i].number(next)
	}
}

// run carries the work out from an instant and returns when it is done. own says how
// long own time lasts, and seen is told of every part.
func (p *work) run(at int64, own func(id uint64, name string, ns int64) int64, seen func(p *work, parent uint64, start, end int64), parent uint64) int64 {
	start := at
	switch {
	case len(p.parts) == 0:
		at += own(p.id, p.name, p.length)
	case p.parallel:
		at += own(p.id, p.name, p.gaps[0])
		last := at
		for i := range p.parts {
			last = max(last, p.parts[i].run(at, own, seen, p.id))
		}
		at = last + own(p.id, p.name, p.gaps[len(p.gaps)-1])
	default:
		for i := range p.parts {
			at = p.parts[i].run(at+own(p.id, p.name, p.gaps[i]), own, seen, p.id)
		}
		at += own(p.id, p.name, p.gaps[len(p.gaps)-1])
	}
	seen(p, parent, start, at)
	return at
}

var dragStages = map[string]stage.Stage{"q": stage.Queue, "g": stage.GPU, "n": stage.Network, "s": stage.Gateway}

func dragRules(t testing.TB) *stage.Rules {
	t.Helper()
	text := "version: 1\nrules:\n"
	for _, name := range []string{"q", "g", "n", "s"} {
		text += "  - {id: t." + name + ", doc: a test, match: {name: " + name + "}, stage: " + dragStages[name].String() + "}\n"
	}
	rules, err := stage.ParseRules([]byte(text), "rules")
	if err == nil {
		rules, err = rules.Before(stage.Builtin())
	}
	if err != nil {
		t.Fatalf("rules: %v", err)
	}
	return rules
}

// TestDragOfPrograms runs programs again without the time of one stage on the path: the
// drag is by how much they are done earlier.
func TestDragOfPrograms(t *testing.T) {
	rules := dragRules(t)
	rapid.Check(t, func(t *rapid.T) {
		p := works(3).Draw(t, "work")
		next := uint64(0)
		p.number(&next)
		var spans []testSpan
		length := p.run(1000, func(_ uint64, _ string, ns int64) int64 { return ns }, func(p *work, parent uint64, start, end int64) {
			spans = append(spans, testSpan{id: p.id, parent: parent, name: p.name, service: "x", start: start, end: end})
		}, 0) - 1000
		if length == 0 {
			return
		}
		requests, err := buildAll(setOf(spans), Options{Rules: rules, Strict: true, Workers: 1})
		if err != nil || len(requests) != 1 {
			t.Fatalf("%d requests: %v", len(requests), err)
		}
		r := requests[0]
		type owned struct {
			id   uint64
			name string
		}
		onPath := map[owned]int64{}
		for _, s := range r.EndPath {
			id := idNumber(r.Spans[s.Span].ID)
			for name, st := range dragStages {
				if st == s.Stage {
					onPath[owned{id, name}] += s.Duration()
				}
			}
		}
		for name, st := range dragStages {
			without := p.run(0, func(id uint64, of string, ns int64) int64 {
				if of == name && onPath[owned{id, of}] > 0 {
					return 0
				}
				return ns
			}, func(*work, uint64, int64, int64) {}, 0)
			// Own time of parts that are on the path in one place and off it in another is what a
			// run cannot tell apart; a bound holds then.
			if r.Drag[st] > r.EndPath.Stages()[st] || r.Drag[st] > length-without || name != "s" && r.Drag[st] != length-without {
				t.Fatalf("without %s: drag %d, the work is done %d earlier; spans %+v, path %s", name, r.Drag[st], length-without, spans, owners(r, r.EndPath))
			}
		}
	})
}

// TestDragInSeries: where nothing ran beside the path the drag is the time of the stage.
func TestDragInSeries(t *testing.T) {
	rules := dragRules(t)
	spans := []testSpan{
		{id: 1, name: "s", service: "x", start: 0, end: 1000}, {id: 2, parent: 1, name: "q", service: "x", start: 10, end: 400},
		{id: 3, parent: 1, name: "g", service: "x", start: 450, end: 900},
	}
	requests, _ := build(t, setOf(spans), Options{Rules: rules})
	if r := requests[0]; r.Drag != r.EndPath.Stages() || r.Drag[stage.Queue] != 390 {
		t.Errorf("drag %v of stages %v", r.Drag, r.EndPath.Stages())
	}
	// A second branch ends 100 ns before the first.
	spans = append(spans, testSpan{id: 4, parent: 1, name: "n", service: "x", start: 10, end: 800})
	requests, _ = build(t, setOf(spans), Options{Rules: rules})
	if r := requests[0]; r.Drag[stage.Queue] != 100 || r.Drag[stage.GPU] != 100 || r.Drag[stage.Gateway] != 160 {
		t.Errorf("beside a branch that ends 100 ns earlier the drag is %v of %v", r.Drag, r.EndPath.Stages())
	}
}

// TestDragMoves: moving all times changes no drag.
func TestDragMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := graphs(6).Draw(t, "spans")
		drags := func(spans []testSpan) (*Request, bool) {
			requests, err := buildAll(setOf(spans), Options{Strict: true, Workers: 1})
			if err != nil {
				t.Fatalf("%+v: %v", spans, err)
			}
			return requests[0], len(requests) == 1
		}
		before, one := drags(spans)
		if !one {
			return
		}
		if after, _ := drags(away(spans, rapid.Int64Range(1, 1<<40).Draw(t, "by"))); after.Drag != before.Drag {
			t.Fatalf("moved: drag %v, was %v: %+v", after.Drag, before.Drag, spans)
		}
	})
}

// TestDragBesideALongerBranch lengthens the second of two branches: up to the end of the first
// it only takes from the first one's drag.
func TestDragBesideALongerBranch(t *testing.T) {
	rules := dragRules(t)
	last := int64(1 << 40)
	for end := int64(50); end <= 900; end += 50 {
		requests, _ := build(t, setOf([]testSpan{
			{id: 1, name: "s", service: "x", start: 0, end: 1000}, {id: 2, parent: 1, name: "q", service: "x", start: 0, end: 900},
			{id: 3, parent: 1, name: "g", service: "x", start: 0, end: end},
		}), Options{Rules: rules, Strict: true})
		got := requests[0].Drag[stage.Queue]
		if got > last || got != 900-end {
			t.Errorf("beside a branch to %d: drag %d, was %d", end, got, last)
		}
		last = got
	}
}
