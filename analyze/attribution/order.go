package attribution

// keyed is a value with the row it belongs to.
type keyed struct {
	key uint64
	row int32
}

const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
	radix     = 1 << digitBits
)

// signBit makes int64 values sort as uint64 keys.
const signBit = 1 << 63

// sorted returns values ascending with their rows, equal ones in the order of their
// rows. It sorts by digits from the least, which takes time linear in the number of
// values, and skips digits that are the same in all: times have few.
func sorted(values []int64) []keyed {
	from, to := make([]keyed, len(values)), []keyed(nil)
	var count [digits][radix]int32
	for row, v := range values {
		key := uint64(v) ^ signBit
		from[row] = keyed{key, int32(row)}
		for d := range digits {
			count[d][key>>(d*digitBits)&(radix-1)]++
		}
	}
	for d := range digits {
		if len(values) == 0 || int(count[d][from[0].key>>(d*digitBits)&(radix-1)]) == len(values) {
			continue
		}
		if to == nil {
			to = make([]keyed, len(values))
		}
		var at int32
		for i, c := range count[d] {
			count[d][i], at = at, at+c
		}
		for _, k := range from {
			place := &count[d][k.key>>(d*digitBits)&(radix-1)]
			to[*place] = k
			*place++
		}
		from, to = to, from
	}
	return from
}

// value returns the value of a key.
func (k keyed) value() int64 { return int64(k.key ^ signBit) }

// since returns by how much the value of a key is above that of a smaller one, which may
// be more than an int64 holds.
func (k keyed) since(before keyed) uint64 { return k.key - before.key }
