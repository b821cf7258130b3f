package critical

import (
	"cmp"
	"slices"
)

// Bounds on what is looked at to place one top, so that a group of a hundred thousand
// records takes no longer for each than one of a hundred.
const (
	mostKids  = 64  // a list of so many children is looked through as it is
	mostNear  = 256 // so many tops, children or carriers of one request id are tried one by one
	mostFresh = 512 // so many children may be hung before their index is made anew
)

// byTime finds the nodes of a list that may share time with another node. Those whose
// times are no dates may share it with any.
type byTime struct {
	dated   []int32 // by start
	ends    []int64 // ends[i] is the last end of dated[:i+1]
	undated []int32
	off     int64 // ns; the greatest error of a time in the list
	size    int   // how long the list was
}

// newByTime indexes a list; end gives until when a node counts.
func (j *joiner) newByTime(list []int32, end func(int32) int64) *byTime {
	b := &byTime{size: len(list)}
	spans := &j.set.Spans
	for _, k := range list {
		n := &j.nodes[k]
		if !j.dated(n, n) {
			b.undated = append(b.undated, k)
			continue
		}
		b.dated = append(b.dated, k)
		b.off = max(b.off, spans.Error[n.row])
	}
	slices.SortStableFunc(b.dated, func(x, y int32) int { return cmp.Compare(j.nodes[x].start, j.nodes[y].start) })
	for i, k := range b.dated {
		last := end(k)
		if i > 0 {
			last = max(last, b.ends[i-1])
		}
		b.ends = append(b.ends, last)
	}
	return b
}

// nearInTime returns those of a list that may share time with node f, the last to start
// first, and whether these are all.
func (j *joiner) nearInTime(b *byTime, f int32) (near []int32, all bool) {
	m := &j.nodes[f]
	if !j.dated(m, m) {
		near = append(near, b.undated[:min(len(b.undated), mostNear)]...)
		near = append(near, b.dated[:min(len(b.dated), mostNear)]...)
		return near, len(near) == len(b.undated)+len(b.dated)
	}
	off := b.off + j.set.Spans.Error[m.row]
	near = append(near, b.undated[:min(len(b.undated), mostNear)]...)
	at, _ := slices.BinarySearchFunc(b.dated, m.end+off, func(k int32, to int64) int { return cmp.Compare(j.nodes[k].start, to) })
	for at--; at >= 0 && b.ends[at] > m.start-off && len(near) < mostNear; at-- {
		near = append(near, b.dated[at])
	}
	return near, len(near) < mostNear
}

// kidsNear returns the children of a node that f may lie in or hold, by their times, and
// whether these are all. Where they are few it returns every child.
func (j *joiner) kidsNear(at, f int32) (near []int32, all bool) {
	kids := j.kids[at]
	if len(kids) <= mostKids {
		return kids, true
	}
	b := j.byTime[at]
	if b == nil || len(kids)-b.size > mostFresh {
		b = j.newByTime(kids, func(k int32) int64 { return j.nodes[k].end })
		j.byTime[at] = b
	}
	near, all = j.nearInTime(b, f)
	return append(near, kids[b.size:]...), all
}

// topsNear returns the tops that a top may be told to belong to by its time alone, and
// whether these are all. Where they are few it returns every top.
func (j *joiner) topsNear(f int32) (near []int32, all bool) {
	if len(j.tops) <= mostNear {
		return j.tops, true
	}
	if j.topsByTime == nil {
		j.indexTops()
	}
	all = true
	for _, b := range j.topsByTime {
		list, whole := j.nearInTime(b, f)
		near, all = append(near, list...), all && whole
	}
	return near, all
}

// indexTops makes the index of the tops. A top counts for as long as anything below it ran.
func (j *joiner) indexTops() {
	ends := make(map[int32]int64, len(j.tops))
	var lists [2][]int32 // spans, which are few, and records
	for _, k := range j.tops {
		order, _ := j.subtree(k)
		for _, c := range order {
			ends[k] = max(ends[k], j.nodes[c].end)
		}
		of := truth(j.nodes[k].record)
		lists[of] = append(lists[of], k)
	}
	for _, list := range lists {
		j.topsByTime = append(j.topsByTime, j.newByTime(list, func(k int32) int64 { return ends[k] }))
	}
}

// carriers returns what carries the request id of f, or none if it is more than can be
// attempts at one request and its layers: the id is then one of a whole session.
func (j *joiner) carriers(f int32) []int32 {
	class := j.plan.Requests(j.nodes[f].row)
	if list := j.classes[class]; class != 0 && len(list) <= mostNear {
		return list
	}
	return nil
}

// rootsOf returns, by node, the top of the tree that it lies in.
func (j *joiner) rootsOf() []int32 {
	roots := make([]int32, len(j.nodes))
	for k := range roots {
		roots[k] = -1
	}
	var way []int32
	for k := range roots {
		at := int32(k)
		for way = way[:0]; roots[at] < 0 && j.nodes[at].parent >= 0; at = j.nodes[at].parent {
			way = append(way, at)
		}
		root := at
		if roots[at] >= 0 {
			root = roots[at]
		}
		roots[at] = root
		for _, w := range way {
			roots[w] = root
		}
	}
	return roots
}
