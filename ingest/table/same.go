package table

import "slices"

// Same reports whether two rows agree in every column but the named ones.
func (r *Rows) Same(i, j int, but ...string) bool {
	for k, c := range r.cols {
		if !slices.Contains(but, r.schema.Fields[k].Name) && c.compare(i, j) != 0 {
			return false
		}
	}
	return true
}
