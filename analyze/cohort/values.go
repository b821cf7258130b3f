package cohort

import (
	"cmp"
	"slices"
)

// binned is an attribute by value: code[i] is the index in values of request i.
type binned struct {
	Attribute
	code []int32
	// ordered is how many of the values, from the first, are in ascending order, so that
	// neighbours may be taken as one.
	ordered int
	bound   []float64 // of ordered values: value v is the numbers from bound[v] to below bound[v+1]
}

// examine finds the values of a column and what is to become of it. Whether a column is
// tested depends on how common its values are among all requests, not on who is slow, but
// for values that hardly occur in either group.
func examine(c Column, slow []bool, o Options, nSlow, nRest int64) binned {
	b := binned{Attribute: Attribute{Name: c.Name, Status: Tested, P: 1, Q: 1, CrudeP: 1, CrudeQ: 1}}
	switch {
	case c.LeftOut != "":
		b.Status, b.Reason = LeftOut, c.LeftOut
		return b
	case c.Numbers != nil:
		b.ranges(c.Numbers, slow, o.least(nSlow, nRest))
	default:
		b.categories(c, slow, o.least(nSlow, nRest))
	}
	if b.Status != Tested && b.Status != Presence {
		b.code, b.Values = nil, nil
	}
	return b
}

// tally is how often a value was met, by slow requests and by the rest.
type tally struct{ slow, rest int64 }

func (t *tally) add(slow bool) {
	if slow {
		t.slow++
	} else {
		t.rest++
	}
}

func (t tally) sum() int64 { return t.slow + t.rest }

// categories takes the categories of a column for values.
func (b *binned) categories(c Column, slow []bool, least int64) {
	n := int64(len(slow))
	counts := make([]tally, len(c.Names))
	var missing tally
	for i, code := range c.Codes {
		if code < 0 {
			missing.add(slow[i])
			continue
		}
		counts[code].add(slow[i])
	}
	b.Missing = missing.sum()
	most := missing.sum()
	for _, t := range counts {
		most = max(most, t.sum())
		if t.sum() > 0 {
			b.Distinct++
		}
	}
	present := n - missing.sum()
	switch {
	case n-most < least:
		b.Status = Constant
		return
	case 2*int64(b.Distinct) > present:
		b.Status = ID
		if min(present, missing.sum()) < least {
			return
		}
		b.Status = Presence
	}
	order := make([]int32, 0, len(counts)) // the values that are tested for themselves
	var other tally
	pooled := 0
	for code, t := range counts {
		switch {
		case t.sum() == 0:
		case b.Status == Presence:
			other.slow, other.rest = other.slow+t.slow, other.rest+t.rest
		case t.sum() < least || t.slow < leastCount && t.rest < leastCount:
			other.slow, other.rest = other.slow+t.slow, other.rest+t.rest
			pooled++
		default:
			order = append(order, int32(code))
		}
	}
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(c.Names[x], c.Names[y]) })
	to := make([]int32, len(counts))
	for i := range to {
		to[i] = int32(len(order)) // the pooled values come behind the others
	}
	for i, code := range order {
		to[code] = int32(i)
		b.Values = append(b.Values, Value{Kind: Category, Name: c.Names[code], Slow: counts[code].slow, Rest: counts[code].rest})
	}
	if other.sum() > 0 {
		v := Value{Kind: Other, Pooled: pooled, Slow: other.slow, Rest: other.rest}
		if b.Status == Presence {
			v.Kind = Any
		}
		b.Values = append(b.Values, v)
	}
	b.addMissing(missing)
	if len(b.Values) < 2 {
		b.Status = Scattered
		return
	}
	b.code = make([]int32, n)
	for i, code := range c.Codes {
		b.code[i] = int32(len(b.Values) - 1)
		if code >= 0 {
			b.code[i] = to[code]
		}
	}
}

// leastCount is how often a value must be met in one of the groups so as not to be pooled.
const leastCount = 5

func (b *binned) addMissing(t tally) {
	if t.sum() > 0 {
		b.Values = append(b.Values, Value{Kind: Missing, Slow: t.slow, Rest: t.rest})
	}
}
