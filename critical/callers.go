package critical

// Callers knows for every span which span it hangs under in its request, across the traces and
// records that were joined. The zero value knows none; it is filled while requests are built.
type Callers struct {
	parent []int32 // by row of the spans table: row of the parent + 1; 0 for none
}

// Add notes the spans of a request.
func (c *Callers) Add(r *Request) {
	for _, s := range r.Spans {
		if s.Row < 0 {
			continue
		}
		if need := int(s.Row) + 1; need > len(c.parent) {
			c.parent = append(c.parent, make([]int32, need-len(c.parent))...)
		}
		c.parent[s.Row] = 0
		if s.Parent >= 0 {
			c.parent[s.Row] = r.Spans[s.Parent].Row + 1
		}
	}
}

// Of returns the row of a span's parent, or -1.
func (c *Callers) Of(row int32) int32 {
	if row < 0 || int(row) >= len(c.parent) {
		return -1
	}
	return c.parent[row] - 1
}
