package export

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/tailpath/tailpath/critical"
)

// Viewers draw the slices of a thread as nested calls, so two that overlap without one holding
// the other cannot be on one thread. Each service gets as many lanes as that takes.

// lanes places the spans of one request.
type lanes struct {
	req    *critical.Request
	owners owners
	last   []int32 // by index of a span, the last index below it
	of     []int32 // lane within the service, from 0; by index of the span
	count  []int32 // lanes of each service
}

// open is the slice of a span on a lane that has not ended yet.
type open struct {
	span int32
	end  int64
}

// newLanes gives every span a lane of its service. serviceOf is the number of the service of
// each span, of services many.
//
// A span goes under its parent on the parent's lane, if it lies within it; else it begins on the
// first lane that nothing is on. While it lasts no segment of the path may begin that belongs to
// a span outside of it, or it gets a lane of its own: so the innermost slice on the lane of an
// owner is that owner wherever an arrow of the path ends.
func newLanes(req *critical.Request, serviceOf []int32, services int) *lanes {
	n := len(req.Spans)
	l := &lanes{req: req, owners: newOwners(req.EndPath), last: make([]int32, n), of: make([]int32, n), count: make([]int32, services)}
	for k := n - 1; k >= 0; k-- {
		l.last[k] = max(l.last[k], int32(k))
		if p := req.Spans[k].Parent; p >= 0 {
			l.last[p] = max(l.last[p], l.last[k])
		}
	}
	spans := make([][]int32, services)
	for i, of := range serviceOf {
		spans[of] = append(spans[of], int32(i))
	}
	for service, list := range spans {
		l.place(list, service)
	}
	return l
}

// inOrder puts spans in the order in which nested slices begin: what holds others first.
func inOrder(req *critical.Request, spans []int32) {
	slices.SortFunc(spans, func(a, b int32) int {
		x, y := req.Spans[a], req.Spans[b]
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End), cmp.Compare(x.Depth, y.Depth), cmp.Compare(a, b))
	})
}

// place gives the spans of one service their lanes.
func (l *lanes) place(spans []int32, service int) {
	inOrder(l.req, spans)
	var stacks [][]open // of every lane, what has not ended, the outermost first
	var ends busyHeap   // when the outermost of every lane ends
	var free laneHeap
	placed := map[int32]bool{}
	for _, k := range spans {
		s := l.req.Spans[k]
		for len(ends) > 0 && ends[0].end <= s.Start {
			lane := heap.Pop(&ends).(busy).lane
			stacks[lane] = stacks[lane][:0]
			heap.Push(&free, lane)
		}
		lane := int32(-1)
		switch {
		case placed[s.Parent] && l.fits(stacks, l.of[s.Parent], k):
			lane = l.of[s.Parent]
		case len(free) > 0:
			lane = heap.Pop(&free).(int32)
		default:
			lane = int32(len(stacks))
			stacks = append(stacks, nil)
		}
		if len(stacks[lane]) == 0 {
			heap.Push(&ends, busy{s.End, lane})
		}
		stacks[lane] = append(stacks[lane], open{k, s.End})
		l.of[k], placed[k] = lane, true
	}
	l.count[service] = int32(len(stacks))
}

// fits drops what has ended from the lane of a span's parent, and reports whether the span can be
// drawn within the parent there.
func (l *lanes) fits(stacks [][]open, lane, k int32) bool {
	s, stack := l.req.Spans[k], stacks[lane]
	for len(stack) > 1 && stack[len(stack)-1].end <= s.Start {
		stack = stack[:len(stack)-1]
	}
	stacks[lane] = stack
	if len(stack) == 0 {
		return false
	}
	top := stack[len(stack)-1]
	return top.span == s.Parent && top.end >= s.End && top.end > s.Start && l.owners.within(s.Start, s.End, k, l.last[k])
}

// owners answers who owns the segments that begin in a stretch of time: table k has the least and
// the greatest owner of 2^k segments in a row.
type owners struct {
	starts      []int64
	least, most [][]int32
}

func newOwners(path critical.Path) owners {
	var o owners
	var first []int32
	for _, s := range path {
		o.starts, first = append(o.starts, s.Start), append(first, s.Span)
	}
	o.least, o.most = [][]int32{first}, [][]int32{first}
	for width := 2; width <= len(first); width *= 2 {
		low, high := o.least[len(o.least)-1], o.most[len(o.most)-1]
		var least, most []int32
		for i := 0; i+width <= len(first); i++ {
			least, most = append(least, min(low[i], low[i+width/2])), append(most, max(high[i], high[i+width/2]))
		}
		o.least, o.most = append(o.least, least), append(o.most, most)
	}
	return o
}

// within reports whether all segments that begin in [from, to) belong to spans first to last.
func (o *owners) within(from, to int64, first, last int32) bool {
	i, _ := slices.BinarySearch(o.starts, from)
	j, _ := slices.BinarySearch(o.starts, to)
	if i >= j {
		return true
	}
	k := 0
	for 2<<k <= j-i {
		k++
	}
	return min(o.least[k][i], o.least[k][j-1<<k]) >= first && max(o.most[k][i], o.most[k][j-1<<k]) <= last
}

// busy is a lane and when all on it ends.
type busy struct {
	end  int64
	lane int32
}

// busyHeap has the lane that is free first on top.
type busyHeap []busy

func (h busyHeap) Len() int { return len(h) }
func (h busyHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].end, h[j].end), cmp.Compare(h[i].lane, h[j].lane)) < 0
}
func (h busyHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *busyHeap) Push(x any)   { *h = append(*h, x.(busy)) }
func (h *busyHeap) Pop() any     { return pop(h) }

// laneHeap has the lowest lane on top.
type laneHeap []int32

func (h laneHeap) Len() int           { return len(h) }
func (h laneHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h laneHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *laneHeap) Push(x any)        { *h = append(*h, x.(int32)) }
func (h *laneHeap) Pop() any          { return pop(h) }

// pop takes the last element off a list.
func pop[H ~[]T, T any](h *H) T {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
