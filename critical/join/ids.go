package join

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// A request does not have more units than this: an id that more carry is a constant.
const (
	mostOfService = 32  // units of one service
	mostUnits     = 256 // units of all services
)

// tier joins units by one kind of id.
//
// The ids that rows carry are sorted by the hash of their canonical text. Those of one
// text lie together then, and are a node, which its first place stands for. A link leads
// from a node to the node of the closest of its forms that some row carries as it is.
type tier struct {
	*finder
	basis   Basis
	what    string // the kind of id, in words
	roles   []uint8
	column  bool
	entries []entry
	index   []int32 // by the leading bits of a hash: where its entries begin
	shift   int
	collide bool   // different texts have one hash
	present bitset // a bit for some bits of each hash: most texts that no row carries miss it

	dead     map[int32]bool // nodes of constants
	links    []link
	stems    []stem
	weak     []int32 // weak nodes of several entries
	joins    [][2]int32
	carriers []carrier
	cached   map[int32]bool // rows with an id that came with an answer and is not believed
	pairing  pairing
	a, b     []byte
}

// link says that the id of one node is made of that of another.
type link struct {
	from, to int32
	strong   bool
}

// stem is what is left of an id of which no form is carried by any row. Two with equal
// stems are of one request.
type stem struct {
	hash uint64
	node int32
}

// byRequestID joins units by the ids that gateways and engines give to requests.
func (f *finder) byRequestID() {
	roles := f.roles(requestKeys, idRole, nil)
	roles = f.roles([]string{answerKey}, answerRole, roles)
	f.byID(RequestID, "request id", roles, true)
}

// byDeclared joins units by one key that the user declares.
func (f *finder) byDeclared(names []string) {
	f.byID(Declared, "declared key", f.roles(names, idRole, nil), slices.Contains(names, requestColumn))
}

func (f *finder) byID(basis Basis, what string, roles []uint8, column bool) {
	t := &tier{finder: f, basis: basis, what: what, roles: roles, column: column}
	if made := t.collect(); len(t.entries) < 2 {
		return
	} else if len(made) > 0 {
		t.findLinks(made)
	}
	t.nodes()
	t.apply()
	t.strongFamilies()
	t.apply()
	t.weakFamilies()
	t.apply()
}

// collect makes the sorted entries, and tells of which ids something can be taken off.
func (t *tier) collect() (made bitset) {
	n := 0
	if t.column {
		for _, id := range t.set.Spans.RequestID {
			if id != "" {
				n++
			}
		}
	} else if t.roles == nil {
		return nil
	}
	t.entries = make([]entry, 0, n)
	t.ids(t.roles, t.column, nil, func(id []byte, row, from int32, nth int) {
		t.entries = append(t.entries, entry{t.hash(id), row, from})
		if shape := shapeOf(id); !shape.plain() {
			made.add(nth)
		}
	})
	t.sort()
	return made
}

// apply makes the joins that were found. They are made at the end of each step, so that
// what a step finds does not depend on the order in which it looks.
func (t *tier) apply() {
	for _, j := range t.joins {
		t.groups.join(j[0], j[1], t.basis)
	}
	t.joins = t.joins[:0]
}

func (t *tier) sort() {
	slices.SortFunc(t.entries, func(a, b entry) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.from, b.from))
	})
	for i := 0; i < len(t.entries); {
		j, equal := i+1, true
		for ; j < len(t.entries) && t.entries[j].hash == t.entries[i].hash; j++ {
			equal = equal && t.sameText(i, j)
		}
		if !equal {
			t.collide = true
			t.sortByText(t.entries[i:j])
		}
		i = j
	}
}

// sortByText puts the entries of each text together where several texts have one hash.
func (t *tier) sortByText(entries []entry) {
	texts := make(map[entry]string, len(entries))
	for _, e := range entries {
		texts[e] = string(t.appendID(nil, e))
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(texts[a], texts[b]) })
}

// sameText reports whether two entries of one hash have one text.
func (t *tier) sameText(i, j int) bool {
	x, y := t.entries[i], t.entries[j]
	if x.from == fromColumn && y.from == fromColumn && t.set.Spans.RequestID[x.row] == t.set.Spans.RequestID[y.row] {
		return true
	}
	t.a, t.b = t.appendID(t.a[:0], x), t.appendID(t.b[:0], y)
	return bytes.Equal(t.a, t.b)
}

// end returns where the node ends that begins at i.
func (t *tier) end(i int) int {
	j := i + 1
	for j < len(t.entries) && t.entries[j].hash == t.entries[i].hash && (!t.collide || t.sameText(i, j)) {
		j++
	}
	return j
}

// lookup returns the node of a canonical text, -1 if no row carries it. A text that is
// known to be carried is not compared.
func (t *tier) lookup(text []byte, carried bool) int32 {
	hash := t.hash(text)
	if !t.present.has(int(hash & t.presentMask())) {
		return -1
	}
	slot := hash >> t.shift
	i, end := int(t.index[slot]), int(t.index[slot+1])
	if end-i > 8 {
		at, _ := slices.BinarySearchFunc(t.entries[i:end], hash, func(e entry, h uint64) int { return cmp.Compare(e.hash, h) })
		i += at
	}
	for i < end && t.entries[i].hash < hash {
		i++
	}
	for ; i < end && t.entries[i].hash == hash; i = t.end(i) {
		if carried && !t.collide {
			return int32(i)
		}
		if t.a = t.appendID(t.a[:0], t.entries[i]); bytes.Equal(t.a, text) {
			return int32(i)
		}
	}
	return -1
}

// presentMask returns which bits of a hash say where its bit in present is: the trailing
// ones, as the leading ones are those of the index.
func (t *tier) presentMask() uint64 { return uint64(len(t.present))*64 - 1 }

// makeIndex makes a slot for every two to four entries, and eight to sixteen bits for
// each of them.
func (t *tier) makeIndex() {
	size := bits.Len(uint(len(t.entries)))
	slots := max(1, size-2)
	t.shift = 64 - slots
	t.index = make([]int32, 1<<slots+1)
	t.present = make(bitset, max(1, 1<<(size+3)/64))
	for _, e := range t.entries {
		t.index[e.hash>>t.shift+1]++
		t.present.add(int(e.hash & t.presentMask()))
	}
	for i := 1; i < len(t.index); i++ {
		t.index[i] += t.index[i-1]
	}
}

// findLinks finds out which of the ids that may be made of others are.
func (t *tier) findLinks(made bitset) {
	t.makeIndex()
	t.ids(t.roles, t.column, made, func(id []byte, _, _ int32, _ int) {
		shape := shapeOf(id)
		t.link(id, &shape)
	})
}

// link finds the closest form of an id that some row carries.
func (t *tier) link(id []byte, s *shape) {
	to := int32(-1)
	s.each(id, func(form []byte) bool {
		if to = t.lookup(form, false); to < 0 {
			return false
		}
		formShape := shapeOf(form)
		t.links = append(t.links, link{t.lookup(id, true), to, strong(formShape.core(form))})
		return true
	})
	if at := s.stem; to < 0 && at[1] > 0 && strong(id[at[0]:at[1]]) {
		t.stems = append(t.stems, stem{t.hash(id[at[0]:at[1]]), t.lookup(id, true)})
	}
}

// nodes joins what carries one and the same id.
func (t *tier) nodes() {
	for i := 0; i < len(t.entries); {
		j := t.end(i)
		if j-i > 1 {
			t.a = t.appendID(t.a[:0], t.entries[i])
			shape := shapeOf(t.a)
			t.node(i, j, strong(shape.core(t.a)))
		}
		i = j
	}
}

// node joins the units of one node, from i to j, or leaves it to weakFamilies.
func (t *tier) node(i, j int, strong bool) {
	if !strong {
		t.weak = append(t.weak, int32(i))
		return
	}
	t.carriers = t.carriers[:0]
	t.gather(i, j)
	if t.settle() {
		t.together()
		return
	}
	if t.dead == nil {
		t.dead = map[int32]bool{}
	}
	t.dead[int32(i)] = true
}

// strongFamilies joins the units of ids that are made of one strong id.
func (t *tier) strongFamilies() {
	if len(t.links)+len(t.stems) == 0 {
		return
	}
	families := newUnion(len(t.entries))
	var nodes []int32
	for _, l := range t.links {
		if l.strong && !t.dead[l.from] && !t.dead[l.to] {
			families.join(l.from, l.to)
			nodes = append(nodes, l.from, l.to)
		}
	}
	t.siblings(func(a, b int32) {
		if !t.dead[a] && !t.dead[b] {
			families.join(a, b)
			nodes = append(nodes, a, b)
		}
	})
	t.each(families, nodes, func() {
		if t.settle() {
			t.together()
		}
	})
}

// siblings calls f with pairs of nodes that have one stem.
func (t *tier) siblings(f func(a, b int32)) {
	slices.SortFunc(t.stems, func(a, b stem) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.node, b.node)) })
	text := func(s stem) string {
		id := t.appendID(t.a[:0], t.entries[s.node])
		t.a = id
		shape := shapeOf(id)
		return string(id[shape.stem[0]:shape.stem[1]])
	}
	for i := 0; i < len(t.stems); {
		j := i + 1
		for j < len(t.stems) && t.stems[j].hash == t.stems[i].hash {
			j++
		}
		if j-i > 1 {
			first := map[string]int32{} // by stem, as several may have one hash
			for _, s := range t.stems[i:j] {
				stem := text(s)
				if node, ok := first[stem]; ok {
					f(node, s.node)
				} else {
					first[stem] = s.node
				}
			}
		}
		i = j
	}
}

// weakFamilies joins the units of weak ids, and of those made of them, that cannot be of
// different requests by their times.
func (t *tier) weakFamilies() {
	nodes := t.weak
	weakLinks := slices.ContainsFunc(t.links, func(l link) bool { return !l.strong })
	if len(nodes) == 0 && !weakLinks {
		return
	}
	families := newUnion(len(t.entries))
	for _, l := range t.links {
		if !l.strong && !t.dead[l.from] && !t.dead[l.to] {
			families.join(l.from, l.to)
			nodes = append(nodes, l.from, l.to)
		}
	}
	t.each(families, nodes, func() {
		if t.settle() {
			t.pairs()
		}
	})
}

// each gathers the carriers of every family and calls f.
func (t *tier) each(families union, nodes []int32, f func()) {
	members := make([]uint64, len(nodes)) // the name of the family, and the node
	for i, node := range nodes {
		members[i] = uint64(families.find(node))<<32 | uint64(node)
	}
	slices.Sort(members)
	members = slices.Compact(members)
	for i := 0; i < len(members); {
		j := i
		t.carriers = t.carriers[:0]
		for ; j < len(members) && members[j]>>32 == members[i]>>32; j++ {
			node := int(uint32(members[j]))
			t.gather(node, t.end(node))
		}
		f()
		i = j
	}
}

// together joins all carriers.
func (t *tier) together() {
	for _, c := range t.carriers {
		t.same(t.carriers[0].row, c.row)
		if c.group != t.carriers[0].group {
			t.joins = append(t.joins, [2]int32{t.carriers[0].group, c.group})
		}
	}
}

// doubt counts an id that fits several requests; row stands for it.
func (t *tier) doubt(row int32, format string, args ...any) {
	t.count(issueAmbiguous, row, t.what+" "+fmt.Sprintf(format, args...))
}
