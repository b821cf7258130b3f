package join

// union is a set of numbers in disjoint sets, each named by its least member. The name
// does not depend on the order of the joins.
type union []int32

// newUnion returns n sets of one number each.
func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = int32(i)
	}
	return u
}

// find returns the least member of the set of i.
func (u union) find(i int32) int32 {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

// join makes one set of those of a and b.
func (u union) join(a, b int32) {
	a, b = u.find(a), u.find(b)
	u[max(a, b)] = min(a, b)
}

// parts are the units, in groups as far as they have been joined.
type parts struct {
	union
	basis []Basis // of the group, by its name
}

func newParts(n int) parts { return parts{newUnion(n), make([]Basis, n)} }

// join makes one group of those of two units, which are found to belong together by
// basis. The weakest basis that a group needs is its own.
func (p *parts) join(a, b int32, basis Basis) {
	a, b = p.find(a), p.find(b)
	if a == b {
		return
	}
	a, b = min(a, b), max(a, b)
	p.basis[a] = max(p.basis[a], p.basis[b], basis)
	p.union[b] = a
}
