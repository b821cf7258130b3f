package analyze

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// walked is a request of which the spans and the segments are given.
type walked struct {
	id    uint64
	start int64
	spans []walkedSpan // the first is the root; the others come after what called them
	path  []walkedPiece
}

type walkedSpan struct {
	parent        int
	service, name string
}

type walkedPiece struct {
	span   int
	stage  stage.Stage
	detail string
	ns     int64
}

// walkedSet writes requests with their spans in an order, and their segments in the order of shuffle.
func walkedSet(list []walked, order []int, shuffle func(n int) []int) (*table.Set, *critical.Callers) {
	set, callers := table.NewSet(), &critical.Callers{}
	scopes := map[string]int32{}
	type piece struct {
		walkedPiece
		row   int32
		span  int32
		start int64
	}
	var pieces []piece
	for _, k := range order {
		w := list[k]
		req := &set.Requests
		row := req.Grow()
		binary.BigEndian.PutUint64(req.TraceID[row][8:], w.id)
		binary.BigEndian.PutUint64(req.RootSpanID[row][:], w.id)
		var r critical.Request
		for _, s := range w.spans {
			scope, ok := scopes[s.service]
			if !ok {
				scope = int32(set.Scopes.Grow())
				scopes[s.service] = scope
				set.Scopes.Service[scope] = set.Symbols.Intern(s.service)
			}
			i := set.Spans.Grow()
			set.Spans.ScopeRow[i], set.Spans.Name[i] = scope, set.Symbols.Intern(s.name)
			r.Spans = append(r.Spans, critical.Span{Row: int32(i), Parent: int32(s.parent)})
		}
		callers.Add(&r)
		req.RootRow[row], req.Start[row] = r.Spans[0].Row, w.start
		at := w.start
		for _, p := range w.path {
			pieces = append(pieces, piece{p, int32(row), r.Spans[p.span].Row, at})
			req.Stage[p.stage][row] += p.ns
			at += p.ns
		}
		req.End[row], req.Duration[row] = at, at-w.start
		req.Class[row], req.Clock[row] = uint8(critical.Complete), table.ClockWall
	}
	for _, k := range shuffle(len(pieces)) {
		p, seg := pieces[k], &set.Segments
		i := seg.Grow()
		seg.RequestRow[i], seg.Target[i], seg.TraceID[i] = p.row, uint8(critical.End), set.Requests.TraceID[p.row]
		seg.Start[i], seg.End[i], seg.Duration[i] = p.start, p.start+p.ns, p.ns
		seg.Stage[i], seg.Detail[i], seg.SpanRow[i] = uint8(p.stage), set.Symbols.Intern(p.detail), p.span
		seg.SpanName[i], seg.Service[i] = set.Spans.Name[p.span], set.Scopes.Service[set.Spans.ScopeRow[p.span]]
	}
	return set, callers
}

func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func drawWalked(t *rapid.T) (list []walked) {
	n := rapid.IntRange(30, 60).Draw(t, "requests")
	start := int64(0)
	for i := range n {
		start += rapid.Int64Range(0, 50).Draw(t, "gap") * ms
		w := walked{id: uint64(i + 1), start: start}
		for k := range rapid.IntRange(1, 6).Draw(t, "spans") {
			s := walkedSpan{parent: k - 1, service: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "service")}
			if k > 0 {
				s.parent = rapid.IntRange(0, k-1).Draw(t, "parent")
			}
			if s.name = rapid.SampledFrom([]string{"", "get", "put", "get/", "x-"}).Draw(t, "name"); strings.ContainsAny(s.name, "/-") {
				s.name += fmt.Sprint(rapid.IntRange(0, 30).Draw(t, "id"))
			}
			w.spans = append(w.spans, s)
		}
		for range rapid.IntRange(1, 6).Draw(t, "pieces") {
			w.path = append(w.path, walkedPiece{
				rapid.IntRange(0, len(w.spans)-1).Draw(t, "owner"), stage.Stage(rapid.IntRange(0, StageCount-1).Draw(t, "stage")),
				rapid.SampledFrom([]string{"", "d"}).Draw(t, "detail"), rapid.Int64Range(1, 9).Draw(t, "ns"),
			})
		}
		list = append(list, w)
	}
	return list
}

// quickly are options under which a few dozens of requests have a tail.
func quickly(callers *critical.Callers) Options {
	rule := DefaultRule()
	rule.MinTail = 3
	return Options{Rule: rule, Replicates: 20, Callers: callers}
}

// sidesOf returns the numbers of the slow and of the usual requests, by the definition: ranked by
// duration, then by id.
func sidesOf(list []walked, q stat.Prob) (sides [2][]int) {
	took := func(w walked) (ns int64) {
		for _, p := range w.path {
			ns += p.ns
		}
		return ns
	}
	ranked := inOrder(len(list))
	slices.SortStableFunc(ranked, func(a, b int) int { return int(took(list[a]) - took(list[b])) })
	n := int64(len(list))
	for i, k := range ranked {
		rank := int64(i + 1)
		if rank >= q.Rank(n) {
			sides[0] = append(sides[0], k)
		} else if 5*rank > 2*n && 5*rank <= 3*n {
			sides[1] = append(sides[1], k)
		}
	}
	return sides
}

// TestPathTreeAddsUp draws requests: the times of the steps are those of the segments, to the
// nanosecond; those beneath a step make up its time; whoever comes to a step came to the one above
// it; and where nothing was put together every step is as counted one segment at a time.
func TestPathTreeAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawWalked(t)
		set, callers := walkedSet(list, inOrder(len(list)), inOrder)
		opt := quickly(callers)
		opt.Listed = rapid.SampledFrom([]int{0, -1}).Draw(t, "listed")
		tree := Summarize(set, opt).Path
		if tree == nil || tree.Refused != "" {
			t.Fatalf("%+v", tree)
		}
		checkPathTree(t, tree)
		if opt.Listed == 0 {
			if len(tree.Steps) > pathSteps {
				t.Fatalf("%d steps", len(tree.Steps))
			}
			return
		}
		type of struct{ n, ns [2]int64 }
		want := map[string]of{}
		merged := map[pathFrame]pathFrame{}
		var frames []pathFrame
		sides := sidesOf(list, tree.Q)
		for _, rows := range sides {
			for _, k := range rows {
				for _, p := range list[k].path {
					for at := p.span; at >= 0; at = list[k].spans[at].parent {
						f := pathFrame{list[k].spans[at].service, list[k].spans[at].name}
						if _, ok := merged[f]; !ok {
							merged[f] = f
							frames = append(frames, f)
						}
					}
				}
			}
		}
		for i, f := range alikeNames(frames) {
			merged[frames[i]] = f
		}
		for side, rows := range sides {
			for _, k := range rows {
				came := map[string]bool{}
				for _, p := range list[k].path {
					key := ""
					var chain []string
					for at := p.span; at >= 0; at = list[k].spans[at].parent {
						chain = append(chain, fmt.Sprintf("%q", merged[pathFrame{list[k].spans[at].service, list[k].spans[at].name}]))
					}
					slices.Reverse(chain)
					for _, step := range append(chain, p.stage.String()+"/"+p.detail) {
						key += ";" + step
						w := want[key]
						w.ns[side] += p.ns
						if !came[key] {
							w.n[side]++
						}
						came[key] = true
						want[key] = w
					}
				}
			}
		}
		got := map[string]of{}
		keys := make([]string, len(tree.Steps))
		for i, s := range tree.Steps {
			above := ""
			if s.Parent >= 0 {
				above = keys[s.Parent]
			}
			switch s.Kind {
			case PathSpan:
				keys[i] = above + ";" + fmt.Sprintf("%q", pathFrame{s.Service, s.Name})
			case PathStage:
				keys[i] = above + ";" + s.Stage.String() + "/" + s.Detail
			default:
				t.Fatalf("step %+v of a tree that has all", s)
			}
			got[keys[i]] = of{[2]int64{s.Slow.N, s.Usual.N}, [2]int64{s.Slow.TotalNS, s.Usual.TotalNS}}
		}
		if len(got) != len(tree.Steps) || !cmp.Equal(got, want, cmp.AllowUnexported(of{})) {
			t.Fatal(cmp.Diff(want, got, cmp.AllowUnexported(of{})))
		}
	})
}

func checkPathTree(t *rapid.T, tree *PathTree) {
	var self, folded [2]int64
	below := make([][2]int64, len(tree.Steps))
	var steps int64
	for i, s := range tree.Steps {
		if s.Parent >= i || s.Parent < 0 && s.Depth != 0 || s.Parent >= 0 && tree.Steps[s.Parent].Depth != s.Depth-1 {
			t.Fatalf("step %d hangs under %d at depth %d", i, s.Parent, s.Depth)
		}
		for side, x := range [2]PathTime{s.Slow, s.Usual} {
			self[side] += x.SelfNS
			if s.Kind == PathSpan && x.SelfNS != 0 || s.Kind != PathSpan && x.SelfNS != x.TotalNS {
				t.Fatalf("step %d, a %s, has %d of %d ns itself", i, s.Kind, x.SelfNS, x.TotalNS)
			}
			if s.Parent < 0 {
				folded[side] += x.TotalNS
				if n := [2]int64{tree.Slow.N, tree.Usual.N}[side]; x.N > n {
					t.Fatalf("%d of %d requests come to step %d", x.N, n, i)
				}
				continue
			}
			if above := [2]PathTime{tree.Steps[s.Parent].Slow, tree.Steps[s.Parent].Usual}[side]; x.N > above.N {
				t.Fatalf("%d requests come to step %d, and %d to the one above", x.N, i, above.N)
			}
			below[s.Parent][side] += x.TotalNS
		}
		if steps++; s.Kind == PathOther {
			steps += s.Folded - 1
		}
	}
	for i, s := range tree.Steps {
		if s.Kind == PathSpan && below[i] != [2]int64{s.Slow.TotalNS, s.Usual.TotalNS} {
			t.Fatalf("step %d has %+v, and %d ns beneath it", i, s, below[i])
		}
	}
	if want := [2]int64{tree.Slow.NS, tree.Usual.NS}; self != want || folded != want {
		t.Fatalf("the steps have %d ns, those on top %d, and the requests %d", self, folded, want)
	}
	if steps != tree.Distinct {
		t.Fatalf("%d steps of %d", steps, tree.Distinct)
	}
}

// TestPathTreeFolds: whatever may be kept, there are no more steps than that, and the sums hold.
func TestPathTreeFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawWalked(t)
		set, callers := walkedSet(list, inOrder(len(list)), inOrder)
		s := Summarize(set, quickly(callers))
		p := &pathTrie{set: set, callers: callers}
		for side, rows := range sidesOf(list, s.Path.Q) {
			for _, k := range rows {
				p.rows[side] = append(p.rows[side], int32(k))
			}
		}
		p.gather()
		p.name()
		p.lay()
		most := rapid.IntRange(1, 30).Draw(t, "most")
		p.fold(most)
		tree := &PathTree{Slow: s.Path.Slow, Usual: s.Path.Usual, Distinct: int64(len(p.nodes))}
		p.sum(tree, &pathBlocks{})
		if len(tree.Steps) > most || len(tree.Steps) == 0 {
			t.Fatalf("%d steps of at most %d", len(tree.Steps), most)
		}
		checkPathTree(t, tree)
	})
}

// TestPathTreeDependsOnNoOrder: the order of requests, spans and segments changes nothing, nor does
// the number of workers.
func TestPathTreeDependsOnNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawWalked(t)
		set, callers := walkedSet(list, inOrder(len(list)), inOrder)
		opt := quickly(callers)
		opt.Workers = 1
		want := Summarize(set, opt).Path
		order := rapid.Permutation(inOrder(len(list))).Draw(t, "order")
		seed := rapid.Uint64().Draw(t, "seed")
		set, callers = walkedSet(list, order, func(n int) []int {
			out := inOrder(n)
			slices.SortFunc(out, func(a, b int) int { return int((uint64(a)*seed)%1021) - int((uint64(b)*seed)%1021) })
			return out
		})
		opt.Callers, opt.Workers = callers, 3
		if diff := unequal(want, Summarize(set, opt).Path); diff != "" {
			t.Fatal(diff)
		}
	})
}

// tried is a request through a gateway and an engine, with a retry where the first try failed.
func tried(id int, backoff, queue, decode int64) walked {
	w := walked{id: uint64(id + 1), start: int64(id) * 1000 * ms, spans: []walkedSpan{{-1, "edge", "POST"}, {0, "edge", "try"}, {1, "vllm", "llm_request"}}}
	add := func(span int, s stage.Stage, detail string, ns int64) {
		if ns > 0 {
			w.path = append(w.path, walkedPiece{span, s, detail, ns})
		}
	}
	add(0, stage.Gateway, "", 2*ms+int64(id%7))
	if backoff > 0 {
		w.spans = append(w.spans, walkedSpan{0, "edge", "try"}, walkedSpan{3, "vllm", "llm_request"})
		add(1, stage.Network, "hop", 5*ms)
		add(0, stage.Queue, "retry_backoff", backoff)
		add(3, stage.Network, "hop", ms)
		add(4, stage.Queue, "engine", queue)
		add(4, stage.GPU, "decode", decode)
		return w
	}
	add(1, stage.Network, "hop", ms)
	add(2, stage.Queue, "engine", queue)
	add(2, stage.GPU, "decode", decode)
	return w
}

// TestPathTreePlanted: one request in twenty waits to try again, which no other does. The tree shows
// where, how often, and by how much, with an interval that holds what was planted.
func TestPathTreePlanted(t *testing.T) {
	var list []walked
	for i := range 2000 {
		queue, decode, backoff := int64(i*7919%97)*ms/10, 400*ms+int64(i*104729%100)*ms, int64(0)
		if i*7919%20 == 0 {
			backoff = 900 * ms
		}
		list = append(list, tried(i, backoff, queue, decode))
	}
	set, callers := walkedSet(list, inOrder(len(list)), inOrder)
	tree := Summarize(set, Options{Callers: callers, Replicates: 200}).Path
	if tree == nil || tree.Q != stat.P99 || tree.Slow.N != 21 || len(tree.Steps) != 8 {
		t.Fatalf("%+v", tree)
	}
	var got []string
	for _, s := range tree.Steps {
		name := s.Service + ": " + s.Name
		if s.Kind == PathStage {
			name = s.Stage.String() + "/" + s.Detail
		}
		got = append(got, fmt.Sprintf("%s%s %d %d", strings.Repeat(" ", s.Depth), name, s.Slow.N, s.Usual.N))
	}
	want := []string{
		"edge: POST 21 400",
		" gateway/ 21 400",
		" edge: try 21 400",
		"  network/hop 21 400",
		"  vllm: llm_request 21 400",
		"   queue/engine 21 396",
		"   gpu/decode 21 400",
		" queue/retry_backoff 21 0",
	}
	if diff := unequal(want, got); diff != "" {
		t.Error(diff)
	}
	at := slices.IndexFunc(tree.Steps, func(s PathStep) bool { return s.Detail == "retry_backoff" })
	if at < 0 {
		t.Fatal("no backoff")
	}
	s := tree.Steps[at]
	if s.Slow != (PathTime{21, 21 * 900 * ms, 21 * 900 * ms}) || s.Usual != (PathTime{}) || s.Difference.Value != float64(900*ms) || tree.Steps[s.Parent].Name != "POST" {
		t.Errorf("%+v", s)
	}
	if d := s.Difference; !d.HasBounds || d.Bounds.Low != d.Value || d.Bounds.High != d.Value {
		t.Errorf("every slow request waits as long, and the interval is %+v", d)
	}
	for i, s := range tree.Steps {
		if d := s.Difference; !d.HasBounds || d.Bounds.Low > d.Value || d.Bounds.High < d.Value {
			t.Errorf("step %d: %+v", i, d)
		}
	}
	checkDecodeInterval(t, list, tree)
}

// checkDecodeInterval resamples blocks of time one request at a time.
func checkDecodeInterval(t *testing.T, list []walked, tree *PathTree) {
	t.Helper()
	blocks := tree.Blocks.N
	var differences []float64
	sides := sidesOf(list, tree.Q)
	for r := range tree.Blocks.Replicates {
		times := make([]int32, blocks)
		stat.Draw(0, r, blocks, times)
		var mean [2]float64
		for side, rows := range sides {
			var n, ns int64
			for _, k := range rows { // their numbers are in the order of time
				for range times[k*blocks/len(list)] {
					n++
					for _, p := range list[k].path {
						if p.detail == "decode" {
							ns += p.ns
						}
					}
				}
			}
			mean[side] = float64(ns) / float64(n)
		}
		differences = append(differences, mean[0]-mean[1])
	}
	want := stat.PercentileBounds(differences, stat.ExpandedConfidence(blocks, stat.Confidence))
	at := slices.IndexFunc(tree.Steps, func(s PathStep) bool { return s.Detail == "decode" })
	if got := tree.Steps[at].Difference.Bounds; math.Abs(got.Low-want.Low) > 1 || math.Abs(got.High-want.High) > 1 || want.Low == want.High {
		t.Errorf("the interval is %+v, want %+v", got, want)
	}
}

// TestPathTreeIDs: very many names that differ in ids are one step, and what differs otherwise is not.
func TestPathTreeIDs(t *testing.T) {
	var frames, want []pathFrame
	for i := range mostAlike + 1 {
		frames = append(frames, pathFrame{"a", fmt.Sprintf("GET /v1/users/%d-%02d/x", i, i*7)})
		want = append(want, pathFrame{"a", "GET /v1/users/*/x"})
	}
	for i := range mostAlike {
		frames = append(frames, pathFrame{"b", fmt.Sprintf("step %d", i)})
	}
	frames = append(frames, pathFrame{"a", "GET /v1/models"}, pathFrame{"c", "GET /v1/users/1-07/x"}, pathFrame{"a", "\uffff1"}, pathFrame{"a", "\xff2"})
	want = append(want, frames[len(want):]...)
	if got := alikeNames(frames); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
