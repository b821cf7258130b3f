package analyze

import (
	"cmp"
	"slices"
)

// pathKept is a step that stays.
type pathKept struct {
	node   int32 // the node that it is; of what is put together, the node above it, or -1
	parent int32 // the step above it; -1 for none
	other  bool
	folded int64
}

// leastPathShare is the share of the time of either side that a step has to have to stay, where
// not all can: many small ones in place of some larger would tell nothing.
const leastPathShare = 0.001

// fold keeps as many steps as there may be, those with the largest share of the time of either
// side, and puts the others together beneath the step above them. What is above a step has as
// much time or more, so that it stays as well.
func (p *pathTrie) fold(most int) {
	order := make([]int32, len(p.nodes))
	weight := make([]float64, len(p.nodes))
	for i := range order {
		order[i] = int32(i)
		for side, ns := range p.nodes[i].ns {
			if p.ns[side] > 0 {
				weight[i] = max(weight[i], float64(ns)/float64(p.ns[side]))
			}
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(p.nodes[a].depth, p.nodes[b].depth), p.compare(a, b))
	})
	keep := make([]bool, len(p.nodes))
	within := len(order)
	if within > most {
		within = most
		for within > 1 && weight[order[within-1]] < leastPathShare {
			within--
		}
	}
	for _, i := range order[:within] {
		keep[i] = true
	}
	under := p.cutUnder(keep)
	for within > 0 && within+len(under) > most {
		fewer := max(0, within-(within+len(under)-most+1)/2)
		for _, i := range order[fewer:within] {
			keep[i] = false
		}
		within, under = fewer, p.cutUnder(keep)
	}
	// One leaf alone takes no more room than what would stand for it.
	for parent, cut := range under {
		if len(cut) == 1 && p.nodes[cut[0]].frame < 0 {
			keep[cut[0]] = true
			delete(under, parent)
		}
	}
	p.keep(order, keep, under)
}

// cutUnder returns what is not kept beneath the steps that are, and beneath none.
func (p *pathTrie) cutUnder(keep []bool) map[int32][]int32 {
	out := map[int32][]int32{}
	for i := range p.nodes {
		if parent := p.nodes[i].parent; !keep[i] && (parent < 0 || keep[parent]) {
			out[parent] = append(out[parent], int32(i))
		}
	}
	return out
}

// keep numbers the steps that stay, each after what is above it, and finds that of every node.
func (p *pathTrie) keep(order []int32, keep []bool, under map[int32][]int32) {
	p.step = make([]int32, len(p.nodes))
	for i := range p.step {
		p.step[i] = -1
	}
	stepOf := func(node int32) int32 {
		if node < 0 {
			return -1
		}
		return p.step[node]
	}
	for _, i := range order {
		if keep[i] {
			p.step[i] = int32(len(p.kept))
			p.kept = append(p.kept, pathKept{node: i, parent: stepOf(p.nodes[i].parent)})
		}
	}
	other := map[int32]int32{}
	for i := range p.nodes { // what is above a node has a lower number
		if keep[i] {
			continue
		}
		parent := p.nodes[i].parent
		if parent >= 0 && !keep[parent] {
			p.step[i] = p.step[parent]
			p.kept[p.step[i]].folded++
			continue
		}
		k, ok := other[parent]
		if !ok {
			k = int32(len(p.kept))
			other[parent] = k
			p.kept = append(p.kept, pathKept{node: parent, parent: stepOf(parent), other: true})
		}
		p.step[i] = k
		p.kept[k].folded++
	}
}
