package engine

import (
	"cmp"
	"slices"
)

// A long prompt holds up the requests behind it: of a wait, the time is found in which
// any prompt was prefilled that is longerPrompt times the waiting one's, in time of
// prefill, or in tokens where the waiting one never came to its prefill.

// size is what two prompts are compared by.
type size uint8

const (
	byTime size = iota
	byTokens
)

// own returns the size of the prompt of a wait; ok is false when it is not known.
func (t *Timelines) own(w *wait) (value int64, by size, ok bool) {
	if w.prefill > 0 {
		return w.prefill, byTime, true
	}
	row := t.set.Segments.RequestRow[w.segment]
	if !hasRequest(t.set, row) {
		return 0, byTokens, false
	}
	tokens := t.set.Requests.PromptTokens[row]
	return tokens, byTokens, tokens > 0
}

// sizeOf returns the size of the prompt of a prefill, 0 when it is not known.
func (t *Timelines) sizeOf(v interval, by size) int64 {
	if by == byTime {
		return v.end - v.start
	}
	return max(t.set.Requests.PromptTokens[v.request], 0)
}

// blocks reports whether a prompt is long beside another.
func blocks(long, own int64) bool { return long/longerPrompt >= own }

// longPrefill returns the time of one wait, or of where it may lie, in which long prompts were prefilled, in ns.
func (t *Timelines) longPrefill(w *wait) int64 {
	own, by, ok := t.own(w)
	if !ok || w.engine < 0 {
		return 0
	}
	from, to, _ := t.window(w.engine, w)
	total, until := int64(0), from
	t.engines[w.engine].prefillsIn.each(from, to, func(v interval) {
		if !blocks(t.sizeOf(v, by), own) {
			return
		}
		if start, end := max(v.start, until), min(v.end, to); start < end {
			total, until = total+end-start, end
		}
	})
	return total
}

// longPrefills returns longPrefill of all waits. Waits are taken by falling size of their
// own prompt and prefills added as they become long beside it; what is covered of the
// time is kept painted in a tree of sums, so n waits and prefills take O(n log n).
func (t *Timelines) longPrefills() []int64 {
	out := make([]int64, len(t.queue))
	byEngine := make([][2][]int32, len(t.engines))
	for i := range t.queue {
		w := &t.queue[i]
		if _, by, ok := t.own(w); ok && w.engine >= 0 && t.engines[w.engine].timed() {
			byEngine[w.engine][by] = append(byEngine[w.engine][by], int32(i))
		}
	}
	for e := range byEngine {
		for by, waits := range byEngine[e] {
			t.paintAll(&t.engines[e], size(by), waits, out)
		}
	}
	return out
}

// paintAll answers the waits of one engine.
func (t *Timelines) paintAll(l *timeline, by size, waits []int32, out []int64) {
	if len(waits) == 0 || len(l.prefills) == 0 {
		return
	}
	own := func(i int32) int64 {
		v, _, _ := t.own(&t.queue[i])
		return v
	}
	slices.SortFunc(waits, func(a, b int32) int { return cmp.Or(-cmp.Compare(own(a), own(b)), cmp.Compare(a, b)) })
	prefills := slices.Clone(l.prefills)
	slices.SortStableFunc(prefills, func(a, b interval) int { return -cmp.Compare(t.sizeOf(a, by), t.sizeOf(b, by)) })
	p := newPainting(l.prefills)
	next := 0
	for _, i := range waits {
		for ; next < len(prefills) && blocks(t.sizeOf(prefills[next], by), own(i)); next++ {
			p.paint(prefills[next].start, prefills[next].end)
		}
		w := &t.queue[i]
		from, to, _ := t.window(w.engine, w)
		out[i] = p.covered(from, to)
	}
}

// painting is a set of instants that grows, over the pieces between given bounds.
type painting struct {
	bounds []int64
	next   []int32 // first piece from there on that is not painted, as far as known
	sums   []int64 // Fenwick tree of painted ns by piece
}

func newPainting(list []interval) *painting {
	bounds := make([]int64, 0, 2*len(list))
	for _, v := range list {
		bounds = append(bounds, v.start, v.end)
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	p := &painting{bounds: bounds, next: make([]int32, len(bounds)), sums: make([]int64, len(bounds)+1)}
	for i := range p.next {
		p.next[i] = int32(i)
	}
	return p
}

// free returns the first piece from i on that is not painted.
func (p *painting) free(i int32) int32 {
	for p.next[i] != i {
		p.next[i] = p.next[p.next[i]]
		i = p.next[i]
	}
	return i
}

// paint adds [from, to), whose ends are bounds.
func (p *painting) paint(from, to int64) {
	lo, _ := slices.BinarySearch(p.bounds, from)
	hi, _ := slices.BinarySearch(p.bounds, to)
	for i := p.free(int32(lo)); int(i) < hi; i = p.free(i) {
		length := p.bounds[i+1] - p.bounds[i]
		for k := int(i) + 1; k < len(p.sums); k += k & -k {
			p.sums[k] += length
		}
		p.next[i] = i + 1
	}
}

// covered returns the painted time of [from, to).
func (p *painting) covered(from, to int64) int64 { return p.before(to) - p.before(from) }

func (p *painting) before(at int64) int64 {
	i, _ := slices.BinarySearch(p.bounds, at)
	total := int64(0)
	for k := i; k > 0; k -= k & -k {
		total += p.sums[k]
	}
	// Pieces up to i-1 are summed; the last of them may reach beyond at.
	if i > 0 && i < len(p.bounds) && p.bounds[i] > at && p.next[i-1] != int32(i-1) {
		total -= p.bounds[i] - at
	}
	return total
}
