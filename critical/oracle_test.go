package critical

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// The oracle computes a path straight from its definition, with nothing sorted,
// indexed or remembered: at every step it looks at all spans again. It knows spans
// of one root without engine times; everything it does is recursive and quadratic.
type oracle struct {
	spans      []testSpan
	start, end []int64
	host, from []int // -1 for none
	handed     []int64
	visited    []bool
	sweep      map[[2]int64]uint64 // owner by elementary interval
	bounds     []int64
}

func newOracle(spans []testSpan) *oracle {
	o := &oracle{spans: spans, visited: make([]bool, len(spans)), sweep: map[[2]int64]uint64{}}
	for _, s := range spans {
		o.start, o.end = append(o.start, s.start), append(o.end, max(s.start, s.end))
		o.host, o.from, o.handed = append(o.host, -1), append(o.from, -1), append(o.handed, 0)
	}
	o.align(0, 0)
	for i := range spans {
		if p := o.parent(i); p >= 0 && o.end[i] > o.start[i] {
			o.relate(i, p)
		}
	}
	for i := range spans {
		if f := o.from[i]; f >= 0 {
			for o.host[f] < 0 && o.end[f] == o.start[f] && o.parent(f) >= 0 {
				f = o.parent(f) // a producer of no length leads back to what it lies in
			}
			if o.from[i] = f; o.host[i] < 0 || f != o.host[i] && !o.under(f, o.host[i]) || o.handed[i] < o.start[f] || o.handed[i] > o.end[f] {
				o.from[i] = -1
			}
		}
		o.bounds = append(o.bounds, o.start[i], o.end[i])
	}
	slices.Sort(o.bounds)
	o.bounds = slices.Compact(o.bounds)
	o.path(0, o.start[0], o.end[0])
	return o
}

func (o *oracle) parent(i int) int {
	return slices.IndexFunc(o.spans, func(s testSpan) bool { return s.id == o.spans[i].parent })
}

func (o *oracle) call(p, i int) bool {
	return o.spans[p].kind == kindClient && o.spans[i].kind == kindServer
}

func (o *oracle) eps(i int) int64 {
	return min((o.end[i]-o.start[i])/100, 5_000_000)
}

// align shifts servers that lie outside their client, from the root down.
func (o *oracle) align(p int, by int64) {
	for i := range o.spans {
		if o.parent(i) != p {
			continue
		}
		o.start[i] += by
		o.end[i] += by
		down := by
		if o.call(p, i) && o.end[p] > o.start[p] {
			longer := o.end[i]-o.start[i] > o.end[p]-o.start[p]
			move, eps := int64(0), min(o.eps(p), mostRounding)
			switch {
			case longer && (o.start[i] >= o.end[p] || o.end[i] <= o.start[p]):
				move = o.start[p] - o.start[i]
			case !longer && o.start[i] < o.start[p]-eps:
				move = o.start[p] - o.start[i]
			case !longer && (o.start[i] >= o.end[p] || o.end[i] > o.end[p]+eps):
				move = o.end[p] - o.end[i]
			}
			o.start[i] += move
			o.end[i] += move
			down += move
		}
		o.align(i, down)
	}
}

func (o *oracle) relate(i, p int) {
	eps := o.eps(p)
	beyond := o.end[i] > o.end[p]+eps
	outside := o.start[i] >= o.end[p] || o.end[i] <= o.start[p] || beyond && o.end[p]-o.start[i] <= eps
	switch {
	case o.spans[p].kind == kindProducer && o.spans[i].kind == kindConsumer:
		if o.start[i] >= o.end[p]-eps && o.end[i] > o.end[p] {
			o.from[i], o.handed[i], o.host[i] = p, o.end[p], o.holder(i, p)
		}
	case o.call(p, i) && o.end[p] > o.start[p]:
		o.host[i] = p
	case outside:
		o.host[i] = o.holder(i, p)
	case !beyond:
		o.host[i] = p
	}
}

// holder climbs from the parent to the first ancestor that holds span i.
func (o *oracle) holder(i, p int) int {
	for a := o.parent(p); a >= 0; a = o.parent(a) {
		if o.end[a] > o.start[a] && o.start[a]-o.eps(a) <= o.start[i] && o.end[i] <= o.end[a]+o.eps(a) {
			return a
		}
	}
	return -1
}

func (o *oracle) under(i, up int) bool {
	for a := o.host[i]; a >= 0; a = o.host[a] {
		if a == up {
			return true
		}
	}
	return false
}

// path gives [lo, t) of span p to its owners.
func (o *oracle) path(p int, lo, t int64) {
	o.visited[p] = true
	o.descend(p, lo, t, true)
}

func (o *oracle) descend(p int, lo, t int64, first bool) {
	best, bestEnd := -1, int64(0)
	for i := range o.spans {
		if o.host[i] != p || o.visited[i] || o.start[i] >= t || o.end[i] <= lo {
			continue
		}
		end := o.end[i]
		if first {
			end = min(end, t)
		} else if end > t+o.eps(p) {
			continue
		}
		better := best < 0 || end > bestEnd || end == bestEnd && (o.start[i] < o.start[best] ||
			o.start[i] == o.start[best] && o.spans[i].id < o.spans[best].id)
		if better {
			best, bestEnd = i, end
		}
	}
	if best < 0 || t <= lo {
		o.own(p, lo, t)
		return
	}
	o.own(p, min(bestEnd, t), t)
	from := max(o.start[best], lo)
	o.path(best, from, min(bestEnd, t))
	t = min(from, t)
	if f, at := o.from[best], min(o.handed[best], t); f >= 0 && at > lo {
		free := true
		for k := f; k != p; k = o.host[k] {
			free = free && !o.visited[k] && o.start[k] < at
		}
		if free {
			o.own(best, at, t)
			o.back(f, p, lo, at)
			return
		}
	}
	o.descend(p, lo, t, false)
}

// back enters the chain from p down to a producer at instant t, then goes on in p.
func (o *oracle) back(f, p int, lo, t int64) {
	var chain []int
	for k := f; k != p; k = o.host[k] {
		chain = append(chain, k)
	}
	if len(chain) == 0 {
		o.descend(p, lo, t, false)
		return
	}
	slices.Reverse(chain)
	var enter func(depth int, lo int64) int64
	enter = func(depth int, lo int64) int64 {
		k := chain[depth]
		o.visited[k] = true
		from := max(o.start[k], lo)
		if depth == len(chain)-1 {
			o.descend(k, from, t, true)
		} else {
			o.descend(k, from, min(enter(depth+1, from), t), false)
		}
		return from
	}
	o.descend(p, lo, min(enter(0, lo), t), false)
}

// own gives the elementary intervals of [from, to) to a span.
func (o *oracle) own(i int, from, to int64) {
	if from >= to {
		return
	}
	for _, t := range []int64{from, to} {
		if at, ok := slices.BinarySearch(o.bounds, t); !ok {
			o.bounds = slices.Insert(o.bounds, at, t)
		}
	}
	for k := 1; k < len(o.bounds); k++ {
		if from <= o.bounds[k-1] && o.bounds[k] <= to {
			o.sweep[[2]int64{o.bounds[k-1], o.bounds[k]}] = o.spans[i].id
		}
	}
}

// text joins the sweep into runs of one owner.
func (o *oracle) text() string {
	out := ""
	for k := 1; k < len(o.bounds); k++ {
		from := o.bounds[k-1]
		owner, ok := o.sweep[[2]int64{from, o.bounds[k]}]
		if !ok {
			continue
		}
		for k+1 < len(o.bounds) {
			next, ok := o.sweep[[2]int64{o.bounds[k], o.bounds[k+1]}]
			if !ok || next != owner {
				break
			}
			k++
		}
		out += fmt.Sprintf(" %d[%d,%d)", owner, from, o.bounds[k])
	}
	return out
}

// runs joins a path into runs of one owner.
func runs(r *Request, p Path) Path {
	var out Path
	for _, s := range p {
		if k := len(out) - 1; k >= 0 && out[k].Span == s.Span {
			out[k].End = s.End
			continue
		}
		out = append(out, s)
	}
	return out
}

// graphs draws trees of spans of all kinds. A coarse grid of times makes touching,
// nested, equal and empty intervals common; a fine one makes overlaps within the
// tolerance common.
func graphs(most int) *rapid.Generator[[]testSpan] {
	return rapid.Custom(func(t *rapid.T) []testSpan {
		n := rapid.IntRange(1, most).Draw(t, "n")
		fine := rapid.Bool().Draw(t, "fine")
		spans := []testSpan{{id: 1, kind: uint8(rapid.IntRange(0, 5).Draw(t, "kind")), start: 0, end: 1200, service: "s", name: "r"}}
		for i := 1; i < n; i++ {
			instant := func(label string) int64 {
				if fine {
					return rapid.Int64Range(-30, 1230).Draw(t, label)
				}
				return 100 * rapid.Int64Range(-1, 13).Draw(t, label)
			}
			a, b := instant("a"), instant("b")
			if a > b {
				a, b = b, a
			}
			spans = append(spans, testSpan{
				id: uint64(i + 1), parent: uint64(rapid.IntRange(1, i).Draw(t, "parent")),
				kind: uint8(rapid.IntRange(0, 5).Draw(t, "kind")), start: a, end: b, service: "s", name: "c",
			})
		}
		return spans
	})
}

func TestOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := graphs(6).Draw(t, "spans")
		// Times below zero are legal in a column; shift so that an end of 0 is not one
		// of a span that never ended.
		for i := range spans {
			spans[i].start += 1000
			spans[i].end += 1000
		}
		requests, err := buildAll(setOf(spans), Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := owners(requests[0], runs(requests[0], requests[0].EndPath))
		if want := newOracle(spans).text(); got != want {
			t.Fatalf("spans %+v\ngot  %s\nwant %s", spans, got, want)
		}
	})
}

// TestOracleExhaustive tries every graph of a root and two spans on a grid of five
// instants, with the kinds that matter.
func TestOracleExhaustive(t *testing.T) {
	kinds := []uint8{1, kindServer, kindClient, kindProducer, kindConsumer}
	checked := 0
	for _, shape := range []uint64{1, 2} { // the second child's parent
		for _, rootKind := range []uint8{1, kindClient, kindProducer} {
			for a := range 15 * 5 {
				// A trace for each: making a set costs more than building a graph.
				set, graphs := table.NewSet(), make(map[table.TraceID][]testSpan, 15*5)
				for b := range 15 * 5 {
					spans := []testSpan{{id: 1, kind: rootKind, start: 100, end: 400}, gridSpan(2, 1, a, kinds), gridSpan(3, shape, b, kinds)}
					addTrace(set, byte(1+b), spans)
					graphs[table.TraceID{15: byte(1 + b)}] = spans
				}
				set.Canonicalize()
				requests, err := buildAll(set, Options{Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range requests {
					spans := graphs[r.TraceID]
					delete(graphs, r.TraceID)
					got := owners(r, runs(r, r.EndPath))
					if want := newOracle(spans).text(); got != want {
						t.Fatalf("spans %+v\ngot  %s\nwant %s", spans, got, want)
					}
					checked++
				}
				if len(graphs) > 0 {
					t.Fatalf("%d graphs without a request", len(graphs))
				}
			}
		}
	}
	if want := 2 * 3 * 75 * 75; checked != want {
		t.Errorf("checked %d graphs, want %d", checked, want)
	}
}

// gridSpan numbers the intervals [a,b] with a <= b on five instants, times five kinds.
func gridSpan(id, parent uint64, n int, kinds []uint8) testSpan {
	s := testSpan{id: id, parent: parent, kind: kinds[n/15]}
	k := n % 15
	for a := range 5 {
		for b := a; b < 5; b++ {
			if k == 0 {
				s.start, s.end = int64(50+100*a), int64(50+100*b)
			}
			k--
		}
	}
	return s
}
