package export

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Paths are the critical paths of some requests to their end, added up by stack.
type Paths struct {
	Requests int64 // requests that were added up
	TotalNS  int64 // sum of their durations, and of the stacks

	stacks     []stack
	dated      bool  // some of the requests are on the wall clock
	start, end int64 // of these, first start and last end, in ns since 1970
}

// stack is one chain of frames, the root first and the stage last.
type stack struct {
	frames   []string
	ns       int64 // time in it
	requests int64 // that have it on their path
}

// errTooLong tells that a sum does not fit.
var errTooLong = errors.New("the requests take more than 292 years together, which no profile can hold; choose fewer of them")

// maxSpans is how many spans a stack has at most. Only hostile traces nest deeper, and their
// stacks would take the square of their size.
const maxSpans = 256

// Aggregate adds up the paths of requests, given by their rows in the requests table of a set
// whose requests and segments are built. It fails only if the sum of the durations is out of
// range.
func Aggregate(set *table.Set, callers *critical.Callers, rows []int32) (*Paths, error) {
	a := aggregation{
		set: set, callers: callers, nodeOf: make([]int32, set.Spans.Len()),
		nodes: []node{{parent: -1}}, labels: map[string]int32{}, named: map[[2]table.Sym]int32{}, index: map[[2]int32]int32{}, at: map[leaf]int{},
	}
	p := &Paths{Requests: int64(len(rows))}
	chosen := make([]bool, set.Requests.Len())
	for _, row := range rows {
		chosen[row] = true
		q := &set.Requests
		if q.Duration[row] > math.MaxInt64-p.TotalNS {
			return nil, errTooLong
		}
		p.TotalNS += q.Duration[row]
		if q.Clock[row] != table.ClockWall {
			continue
		}
		if !p.dated {
			p.dated, p.start, p.end = true, q.Start[row], q.End[row]
		}
		p.start, p.end = min(p.start, q.Start[row]), max(p.end, q.End[row])
	}
	seg := &set.Segments
	sum := int64(0)
	for i, request := range seg.RequestRow {
		if chosen[request] && critical.Target(seg.Target[i]) == critical.End {
			a.add(i)
			sum += seg.Duration[i]
		}
	}
	if sum != p.TotalNS {
		return nil, fmt.Errorf("the segments of %d requests take %d ns, and the requests %d ns: the tables do not belong together", len(rows), sum, p.TotalNS)
	}
	p.stacks = a.stacks()
	return p, nil
}

// node is a chain of spans: a frame under another chain.
type node struct {
	parent, label int32
	depth         int32 // frames in it; the node without any is the first
}

// leaf is the stage at the end of a chain.
type leaf struct {
	node   int32
	stage  stage.Stage
	detail table.Sym
}

// total is what was added up of a leaf.
type total struct {
	leaf
	ns, requests int64
	last         int32 // row of the request that was added last, + 1
}

type aggregation struct {
	set     *table.Set
	callers *critical.Callers
	nodes   []node
	nodeOf  []int32 // by row of the spans table; 0 before it is known
	texts   []string
	labels  map[string]int32
	named   map[[2]table.Sym]int32 // label by service and name
	index   map[[2]int32]int32     // node by parent and label
	at      map[leaf]int
	totals  []total
}

// add adds one segment.
func (a *aggregation) add(i int) {
	seg := &a.set.Segments
	key := leaf{a.node(seg.SpanRow[i]), stage.Stage(seg.Stage[i]), seg.Detail[i]}
	k, ok := a.at[key]
	if !ok {
		k = len(a.totals)
		a.at[key] = k
		a.totals = append(a.totals, total{leaf: key})
	}
	t := &a.totals[k]
	t.ns += seg.Duration[i]
	if request := seg.RequestRow[i] + 1; t.last != request { // the segments of a request follow each other
		t.requests++
		t.last = request
	}
}

// node returns the chain of spans down to one.
func (a *aggregation) node(row int32) int32 {
	var chain []int32
	for ; row >= 0 && a.nodeOf[row] == 0 && len(chain) < len(a.nodeOf); row = a.callers.Of(row) {
		chain = append(chain, row)
	}
	at := int32(0)
	if row >= 0 {
		at = a.nodeOf[row]
	}
	for _, row := range slices.Backward(chain) {
		if a.nodes[at].depth == maxSpans {
			at = a.nodes[at].parent
		}
		at = a.child(at, a.label(row))
		a.nodeOf[row] = at
	}
	return at
}

// child returns the chain that a frame makes of another one.
func (a *aggregation) child(of, label int32) int32 {
	key := [2]int32{of, label}
	k, ok := a.index[key]
	if !ok {
		k = int32(len(a.nodes))
		a.index[key] = k
		a.nodes = append(a.nodes, node{of, label, a.nodes[of].depth + 1})
	}
	return k
}

// label returns the number of a span's frame.
func (a *aggregation) label(row int32) int32 {
	key := [2]table.Sym{a.set.Scopes.Service[a.set.Spans.ScopeRow[row]], a.set.Spans.Name[row]}
	k, ok := a.named[key]
	if !ok {
		text := labelOf(a.set, row)
		if k, ok = a.labels[text]; !ok {
			k = int32(len(a.texts))
			a.labels[text] = k
			a.texts = append(a.texts, text)
		}
		a.named[key] = k
	}
	return k
}

// stacks returns the sums in order of their frames.
func (a *aggregation) stacks() []stack {
	out := make([]stack, 0, len(a.totals))
	for _, t := range a.totals {
		frames := make([]string, a.nodes[t.node].depth, a.nodes[t.node].depth+1)
		for n := t.node; n > 0; n = a.nodes[n].parent {
			frames[a.nodes[n].depth-1] = a.texts[a.nodes[n].label]
		}
		out = append(out, stack{append(frames, stageLabel(t.stage, a.set.Symbols.Text(t.detail))), t.ns, t.requests})
	}
	slices.SortFunc(out, func(x, y stack) int { return cmp.Or(slices.Compare(x.frames, y.frames), cmp.Compare(x.ns, y.ns)) })
	return out
}
