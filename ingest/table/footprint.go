package table

import "unsafe"

// symbolOverhead is what a symbol takes beside its text: two string headers, its number, and its
// share of a map that is half full, in bytes.
const symbolOverhead = 64

// Footprint returns how many bytes the rows of a set take: the values of all columns, the text
// and the symbols that belong to them. It is a sum over what is held, so the same rows give the
// same number whoever read them, on any machine of 64 bits; room that slices have to grow is not
// in it, nor what the runtime needs besides. It takes time in the number of columns, of symbols
// and of rows with a text column.
func (s *Set) Footprint() int64 {
	total := int64(0)
	for _, text := range s.Symbols.text {
		total += int64(len(text)) + symbolOverhead
	}
	for _, t := range s.Tables() {
		for _, c := range t.cols {
			total += c.footprint()
		}
	}
	return total
}

func (c *plain[T]) footprint() int64 {
	var one T
	total := int64(len(*c.vals)) * int64(unsafe.Sizeof(one))
	if list, ok := any(*c.vals).([]string); ok {
		for _, text := range list {
			total += int64(len(text))
		}
	}
	return total
}

func (c *mapped) footprint() int64 {
	return int64(len(c.attrs.ends))*int64(unsafe.Sizeof(attrsEnd{})) + int64(len(c.attrs.items))*int64(unsafe.Sizeof(attr{})) + int64(len(c.attrs.text))
}
