package analyze

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// pathTrie lays paths over each other.
type pathTrie struct {
	set     *table.Set
	callers *critical.Callers
	rows    [2][]int32 // slow and usual requests
	ns      [2]int64   // what their segments add up to

	segments []int32 // of these requests, those of each together
	from     []int32 // where those of each begin
	leaf     []int32 // the node of each

	named  map[pathName]int32 // frame of a service and name
	frames []pathFrame
	index  map[pathKey]int32
	nodes  []pathNode
	nodeOf []int32 // by row of the spans table: its node + 1; 0 before it is known

	// step is, by node, the step that it is or is part of; of the steps, kept are their nodes.
	step []int32
	kept []pathKept

	order  []int32 // of the kept ones, as the steps of the tree are
	blocks *pathBlocks
}

// pathName is a service with the name of a span in it.
type pathName struct{ service, name table.Sym }

// pathFrame is the same in words.
type pathFrame struct{ service, name string }

// pathKey is a step under another one.
type pathKey struct {
	parent int32 // -1 for none
	frame  int32 // -1 for a stage
	stage  stage.Stage
	detail table.Sym
}

// pathNode is a step with the time in it and beneath it.
type pathNode struct {
	pathKey
	depth int32
	ns    [2]int64
}

// name numbers the spans that are on the paths, or above them, by what they are called.
func (p *pathTrie) name() {
	p.named = map[pathName]int32{}
	seen := make([]bool, p.set.Spans.Len())
	var texts []pathFrame
	note := func(n pathName) {
		if _, ok := p.named[n]; !ok {
			p.named[n] = int32(len(texts))
			texts = append(texts, pathFrame{p.set.Symbols.Text(n.service), p.set.Symbols.Text(n.name)})
		}
	}
	for _, i := range p.segments {
		note(p.owner(i))
		for row := p.set.Segments.SpanRow[i]; row >= 0 && int(row) < len(seen) && !seen[row]; row = p.callers.Of(row) {
			seen[row] = true
			note(p.span(row))
		}
	}
	number := map[pathFrame]int32{}
	of := make([]int32, len(texts))
	for i, f := range alikeNames(texts) {
		k, ok := number[f]
		if !ok {
			k = int32(len(p.frames))
			number[f] = k
			p.frames = append(p.frames, f)
		}
		of[i] = k
	}
	for n, i := range p.named {
		p.named[n] = of[i]
	}
}

// owner names the span that a segment is of.
func (p *pathTrie) owner(i int32) pathName {
	return pathName{p.set.Segments.Service[i], p.set.Segments.SpanName[i]}
}

// span names the span of a row.
func (p *pathTrie) span(row int32) pathName {
	n := pathName{name: p.set.Spans.Name[row]}
	if scope := scopeOf(p.set, row); scope >= 0 {
		n.service = p.set.Scopes.Service[scope]
	}
	return n
}

// lay makes the tree, and notes the node of every segment.
func (p *pathTrie) lay() {
	seg := &p.set.Segments
	p.index, p.nodeOf, p.leaf = map[pathKey]int32{}, make([]int32, p.set.Spans.Len()), make([]int32, len(p.segments))
	p.sides(func(side int, _, from, to int32) {
		for k := from; k < to; k++ {
			i := p.segments[k]
			at := p.child(pathKey{p.owning(i), -1, stage.Stage(seg.Stage[i]), seg.Detail[i]})
			p.leaf[k] = at
			for ; at >= 0; at = p.nodes[at].parent {
				p.nodes[at].ns[side] += seg.Duration[i]
			}
		}
	})
}

// owning returns the node of the span that a segment is of.
func (p *pathTrie) owning(i int32) int32 {
	row := p.set.Segments.SpanRow[i]
	if row < 0 || int(row) >= len(p.nodeOf) {
		return p.child(pathKey{parent: -1, frame: p.named[p.owner(i)]})
	}
	var chain []int32
	for ; row >= 0 && int(row) < len(p.nodeOf) && p.nodeOf[row] == 0 && len(chain) < len(p.nodeOf); row = p.callers.Of(row) {
		chain = append(chain, row)
	}
	at := int32(-1)
	if row >= 0 && int(row) < len(p.nodeOf) {
		at = p.nodeOf[row] - 1
	}
	for _, row := range slices.Backward(chain) {
		if at >= 0 && p.nodes[at].depth == pathDepth-1 {
			at = p.nodes[at].parent
		}
		at = p.child(pathKey{parent: at, frame: p.named[p.span(row)]})
		p.nodeOf[row] = at + 1
	}
	return at
}

// child returns the node of a step.
func (p *pathTrie) child(key pathKey) int32 {
	k, ok := p.index[key]
	if !ok {
		k = int32(len(p.nodes))
		p.index[key] = k
		n := pathNode{pathKey: key}
		if key.parent >= 0 {
			n.depth = p.nodes[key.parent].depth + 1
		}
		p.nodes = append(p.nodes, n)
	}
	return k
}

// compare orders nodes by what is written on the way to them, so that no order of rows matters.
func (p *pathTrie) compare(a, b int32) int {
	if a == b {
		return 0
	}
	x, y := &p.nodes[a], &p.nodes[b]
	if x.parent != y.parent {
		if c := cmp.Compare(x.depth, y.depth); c != 0 {
			return c
		}
		return p.compare(x.parent, y.parent)
	}
	if x.frame >= 0 && y.frame >= 0 {
		f, g := p.frames[x.frame], p.frames[y.frame]
		return cmp.Or(strings.Compare(f.service, g.service), strings.Compare(f.name, g.name))
	}
	return cmp.Or(cmp.Compare(min(y.frame, 0), min(x.frame, 0)), cmp.Compare(x.stage, y.stage),
		strings.Compare(p.set.Symbols.Text(x.detail), p.set.Symbols.Text(y.detail)))
}
