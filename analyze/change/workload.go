package change

import "slices"

// leastCell is the number of requests that a workload cell has on both sides.
const leastCell = 10

// Workload is the requests of both sides by what they asked for.
type Workload struct {
	// Cells[side][i] is the cell of request i; -1 without counterpart on the other side.
	Cells     [2][]int32
	Count     int // cells
	Unmatched [2]int64
}

// Cells puts the requests of both sides in cells of equal workload: the same labels of
// all columns of labels, and the same tenth of every numeric column. Where a cell has
// fewer than ten requests on a side, neighbouring tenths are taken together: pairs, then
// halves. Labels never are. What is then still alone has no counterpart. Columns that a
// side does not record at all are left aside.
func Cells(columns []Column) Workload {
	w := Workload{}
	rows := [sides]int{}
	var numeric [][]int64 // bounds
	var used []*Column
	for i := range columns {
		c := &columns[i]
		rows = [sides]int{len(c.Rows[Base]), len(c.Rows[New])}
		if !recorded(c.Rows[Base]) || !recorded(c.Rows[New]) {
			continue
		}
		bounds := []int64(nil)
		if c.Numeric {
			bounds = c.tenths()
		}
		used, numeric = append(used, c), append(numeric, bounds)
	}
	var keys [sides][]uint64
	for s := range sides {
		w.Cells[s] = slices.Repeat([]int32{-1}, rows[s])
		keys[s] = make([]uint64, rows[s])
	}
	// From fine to coarse: tenths, fifths, halves. Each level puts the requests that are
	// left into cells, and leaves those of small cells to the next.
	for _, per := range []int{1, 2, 5} {
		for s := range sides {
			clear(keys[s])
		}
		next := uint64(1)
		for i, c := range used {
			wide := uint64(len(c.Labels) + 1)
			if c.Numeric {
				wide = bins + 1
			}
			if next > (1<<62)/wide { // more labels than anything could be matched by
				break
			}
			for s := range sides {
				for r, v := range c.Rows[s] {
					if w.Cells[s][r] >= 0 {
						continue
					}
					digit := uint64(0)
					switch {
					case v == Missing:
					case c.Numeric:
						digit = 1 + uint64(bin(numeric[i], v)/per)
					default:
						digit = 1 + uint64(v)
					}
					keys[s][r] += next * digit
				}
			}
			next *= wide
		}
		w.fill(keys)
	}
	for s := range sides {
		for _, c := range w.Cells[s] {
			if c < 0 {
				w.Unmatched[s]++
			}
		}
	}
	return w
}

func recorded(rows []int64) bool {
	return slices.ContainsFunc(rows, func(v int64) bool { return v != Missing })
}

// fill numbers the keys that have enough requests on both sides and are not in a cell
// yet, in the order of the keys.
func (w *Workload) fill(keys [sides][]uint64) {
	counts := map[uint64]*[sides]int{}
	for s := range sides {
		for r, c := range w.Cells[s] {
			if c >= 0 {
				continue
			}
			n := counts[keys[s][r]]
			if n == nil {
				n = &[sides]int{}
				counts[keys[s][r]] = n
			}
			n[s]++
		}
	}
	var large []uint64
	for key, n := range counts {
		if min(n[Base], n[New]) >= leastCell {
			large = append(large, key)
		}
	}
	slices.Sort(large)
	number := map[uint64]int32{}
	for _, key := range large {
		number[key] = int32(w.Count)
		w.Count++
	}
	for s := range sides {
		for r, c := range w.Cells[s] {
			if to, ok := number[keys[s][r]]; c < 0 && ok {
				w.Cells[s][r] = to
			}
		}
	}
}
