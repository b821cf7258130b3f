package attribution

// whatIf is what the values would be if no part took longer than its cap.
type whatIf struct {
	s    *Sample
	rank int64   // of the percentile
	caps []int64 // by part, ns
}

// over returns by how much the part of a request is above its cap, in ns.
func (w *whatIf) over(k int, i int) int64 { return max(0, w.s.Parts[k][i]-w.caps[k]) }

// shorter returns the values with part k capped. If bounded, a request gets shorter by
// no more than the part's drag.
func (w *whatIf) shorter(k int, bounded bool) []int64 {
	value := make([]int64, len(w.s.Value))
	for i, v := range w.s.Value {
		by := w.over(k, i)
		if bounded {
			by = min(by, max(0, w.s.Drag[k][i]))
		}
		value[i] = v - by
	}
	return value
}

// together returns the values with all parts capped.
func (w *whatIf) together() []int64 {
	value := make([]int64, len(w.s.Value))
	copy(value, w.s.Value)
	for k := range w.caps {
		for i := range value {
			value[i] -= w.over(k, i)
		}
	}
	return value
}
