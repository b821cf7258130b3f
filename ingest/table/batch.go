package table

import "sort"

// textBatch bounds the bytes of recorded text of one column in one batch. Spelled
// in a file they are at most six times as many, which stays below the 2 GiB that a
// batch can hold; a single row may be larger and is then refused if it does not fit.
const textBatch = 256 << 20

// batchEnd returns the end of the batch of rows that begins at lo: rows rows, or
// as many as hold text bytes of text in any one column, but at least one.
func (r *Rows) batchEnd(lo, rows int, text int64) int {
	hi := min(lo+rows, r.Len())
	for _, c := range r.cols {
		switch vals := c.slice().(type) {
		case *[]string:
			var total int64
			for i := lo; i < hi; i++ {
				if total += int64(len((*vals)[i])); total > text {
					hi = max(i, lo+1)
				}
			}
		case *Attrs:
			limit := vals.begin(lo).text + text
			n := sort.Search(hi-lo, func(n int) bool { return vals.ends[lo+n].text > limit })
			hi = max(lo+n, lo+1)
		}
	}
	return hi
}

// dictionaries returns a dictionary for every column of rows lo to hi that has one:
// of the strings that occur there and no others. One dictionary of all symbols would
// spare the codes, but every column writes its own: with 100,000 span names among
// 200,000 spans streams were 15 % larger and took half as long again.
func (b builder) dictionaries(t *Rows, lo, hi int) ([]*dictionary, error) {
	dicts := make([]*dictionary, len(t.cols))
	for i, f := range t.schema.Fields {
		var err error
		switch f.Type {
		case Enum:
			dicts[i], err = b.names(f.Names)
		case Dict, Map:
			dicts[i], err = b.newDictionary(usedIn(t.cols[i], b.symbols.Len(), lo, hi, f.Nullable))
		}
		if err != nil {
			return dicts, err
		}
	}
	return dicts, nil
}

// usedIn marks the symbols that rows lo to hi of a column hold as values.
func usedIn(c column, symbols, lo, hi int, nullable bool) []bool {
	used := make([]bool, symbols)
	switch vals := c.slice().(type) {
	case *[]Sym:
		for _, id := range (*vals)[lo:hi] {
			used[id] = true
		}
		if nullable {
			used[0] = false
		}
	case *Attrs:
		for _, it := range vals.items[vals.begin(lo).item:vals.begin(hi).item] {
			used[it.key()] = true
		}
	}
	return used
}
