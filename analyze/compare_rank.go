package analyze

import (
	"encoding/binary"

	"github.com/tailpath/tailpath/ingest/table"
)

// rankings ranks the same rows by one value after another, each time in the order of
// rank. What orders equal values is the same for all of them and is sorted once.
type rankings struct {
	rows []int32 // in the order of requests of equal value
	keys []keyed // scratch
	free []keyed
}

// keyed is a row with what it is sorted by.
type keyed struct {
	key uint64
	row int32
}

// rankingsOf returns the rankings of rows, which it leaves as they are.
func rankingsOf(set *table.Set, rows []int32) *rankings {
	r := &rankings{rows: make([]int32, len(rows)), keys: make([]keyed, len(rows)), free: make([]keyed, len(rows))}
	copy(r.rows, rows)
	id := set.Requests.TraceID
	for _, half := range []int{8, 0} {
		r.sort(r.rows, func(row int32) uint64 { return binary.BigEndian.Uint64(id[row][half:]) })
	}
	// Several requests of one trace, and those without a trace, are told apart by the rest.
	same := make([]int64, set.Requests.Len())
	for from := 0; from < len(r.rows); {
		to := from + 1
		for to < len(r.rows) && id[r.rows[to]] == id[r.rows[from]] {
			to++
		}
		if to > from+1 {
			rank(set, r.rows[from:to], same)
		}
		from = to
	}
	return r
}

// by ranks some of the rows by a value, which is indexed by row.
func (r *rankings) by(value []int64, among []int32) []int32 {
	out := make([]int32, 0, len(among))
	if len(among) == len(r.rows) {
		out = append(out, r.rows...)
	} else {
		wanted := make([]bool, len(value))
		for _, row := range among {
			wanted[row] = true
		}
		for _, row := range r.rows {
			if wanted[row] {
				out = append(out, row)
			}
		}
	}
	// With the sign bit turned over, negative values come first.
	r.sort(out, func(row int32) uint64 { return uint64(value[row]) ^ 1<<63 })
	return out
}

// digit is how many bits of a key one pass sorts by.
const digit = 11

// sort sorts rows by a key and leaves rows of equal keys in their order: a radix sort from
// the lowest digit up, without those that all keys have in common.
func (r *rankings) sort(rows []int32, key func(row int32) uint64) {
	if len(rows) == 0 {
		return
	}
	from, to := r.keys[:len(rows)], r.free[:len(rows)]
	all, none := ^uint64(0), uint64(0) // bits that every key has, and that some key has
	for i, row := range rows {
		from[i] = keyed{key(row), row}
		all, none = all&from[i].key, none|from[i].key
	}
	for shift := 0; shift < 64; shift += digit {
		const mask = 1<<digit - 1
		if (all^none)>>shift&mask == 0 {
			continue
		}
		var place [1 << digit]int
		for _, k := range from {
			place[k.key>>shift&mask]++
		}
		sum := 0
		for d, n := range place {
			place[d], sum = sum, sum+n
		}
		for _, k := range from {
			at := &place[k.key>>shift&mask]
			to[*at] = k
			*at++
		}
		from, to = to, from
	}
	for i, k := range from {
		rows[i] = k.row
	}
}
