package table

import "sort"

// textBatch bounds the bytes of recorded text of one column in one batch. Spelled
// in a file they are at most six times as many, which stays below the 2 GiB that a
// batch can hold; a single row may be larger and is then refused if it does not fit.
const textBatch = 256 << 20

// batchEnd returns the end of the batch of rows that begins at lo: rows rows, or
// fewer when they hold much text.
func (r *Rows) batchEnd(lo, rows int) int {
	hi := min(lo+rows, r.Len())
	for _, c := range r.cols {
		switch vals := c.slice().(type) {
		case *[]string:
			total := 0
			for i := lo; i < hi; i++ {
				if total += len((*vals)[i]); total > textBatch {
					hi = max(i, lo+1)
				}
			}
		case *Attrs:
			limit := vals.begin(lo).text + textBatch
			n := sort.Search(hi-lo, func(n int) bool { return vals.ends[lo+n].text > limit })
			hi = max(lo+n, lo+1)
		}
	}
	return hi
}

// dictionaries returns a dictionary for every column of rows lo to hi that has one:
// of the strings that occur there and no others.
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
