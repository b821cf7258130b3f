package join

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// Basis is what a group was joined by, the strongest first.
type Basis uint8

// The bases, by the order of table.JoinBasisNames.
const (
	Alone     Basis = iota // nothing was joined
	TraceID                // equal trace ids
	RequestID              // equal request ids, or one that is made from the other
	Declared               // equal values of a key that the user declares
	Address                // the client's address and time: inferred
)

// String returns the basis in words.
func (b Basis) String() string { return table.JoinBasisNames[b] }

// Options say what to join by, besides what is known.
type Options struct {
	// Keys are further keys, strongest first. Each entry is the names of the attributes
	// that hold one id; request_id is also the column of that name. Ids under the names
	// of one entry are compared with each other, by the rules for request ids.
	Keys [][]string
}

// Group is the units that belong to one request, or to one trace of several.
type Group struct {
	Units []int32 // ascending
	Basis Basis   // the weakest that was needed
}

// Plan says which units belong together. Every unit is in exactly one group. Groups
// are in the order of their name units: the first unit of a group that is a trace, or
// else its first.
type Plan struct {
	Groups []Group
	group  []int32 // by unit
	class  []int32 // by row of the spans table; empty if no request id is shared
}

// GroupOf returns the place in Groups of the group of a unit.
func (p *Plan) GroupOf(unit int32) int32 { return p.group[unit] }

// Requests returns a number that all rows of the spans table have in common that carry
// one request id, and no others; 0 for a row without one, or whose id no other row
// carries. Numbers begin with 1 and ascend with the first row of each.
func (p *Plan) Requests(row int32) int32 {
	if len(p.class) == 0 {
		return 0
	}
	return p.class[row]
}

// SameRequest reports whether two rows of the spans table carry the same request id,
// from whatever unit. A row without an id is the same request as none.
func (p *Plan) SameRequest(a, b int32) bool {
	n := p.Requests(a)
	return n != 0 && n == p.Requests(b)
}

// finder is the work of one Find.
type finder struct {
	set    *table.Set
	units  []int32
	unitOf []int32 // by row of the spans table
	trace  []bool  // by unit: it has a span, and is not of records alone
	groups parts
	rows   union // rows of the spans table by request id; nil until two share one
	hash   func([]byte) uint64
	count  func(issue table.Issue, row int32, detail string)
	raw    []byte
}

// Find joins the units of a canonical set. The rows of unit i in the spans table are
// units[i] to units[i+1]; each unit is one trace id. What is joined, and what could not
// be told, is given to count with a row that stands for it; count may be nil.
func Find(set *table.Set, units []int32, opt Options, count func(issue table.Issue, row int32, detail string)) *Plan {
	return find(set, units, opt, count, hashText)
}

func find(set *table.Set, units []int32, opt Options, count func(issue table.Issue, row int32, detail string), hash func([]byte) uint64) *Plan {
	if count == nil {
		count = func(table.Issue, int32, string) {}
	}
	n := max(0, len(units)-1)
	f := &finder{
		set: set, units: units, hash: hash, count: count,
		unitOf: make([]int32, set.Spans.Len()), trace: make([]bool, n), groups: newParts(n),
	}
	for u := range n {
		for row := units[u]; row < units[u+1]; row++ {
			f.unitOf[row] = int32(u)
			f.trace[u] = f.trace[u] || set.Spans.Origin[row] == table.OriginSpan
		}
	}
	f.byTraceID()
	f.byRequestID()
	for _, names := range opt.Keys {
		f.byDeclared(names)
	}
	f.byAddress()
	return f.plan()
}

// same notes that two rows carry the same request id.
func (f *finder) same(a, b int32) {
	if a == b {
		return
	}
	if f.rows == nil {
		f.rows = newUnion(f.set.Spans.Len())
	}
	f.rows.join(a, b)
}

// plan makes the groups of what was joined.
func (f *finder) plan() *Plan {
	n := len(f.trace)
	p := &Plan{group: make([]int32, n), class: f.classes()}
	name := make([]int32, n) // by group's least unit: its name unit
	for u := range name {
		name[u] = -1
	}
	for u := range int32(n) {
		root := f.groups.find(u)
		if at := name[root]; at < 0 || !f.trace[at] && f.trace[u] {
			name[root] = u
		}
	}
	order := make([]int32, 0, n)
	for u := range int32(n) {
		if root := f.groups.find(u); name[root] == u {
			order = append(order, root)
		}
	}
	for i, root := range order {
		p.group[root] = int32(i)
	}
	begin := make([]int32, len(order)+1)
	for u := range int32(n) {
		p.group[u] = p.group[f.groups.find(u)]
		begin[p.group[u]+1]++
	}
	for i := range order {
		begin[i+1] += begin[i]
	}
	members, next := make([]int32, n), slices.Clone(begin)
	for u := range int32(n) {
		g := p.group[u]
		members[next[g]] = u
		next[g]++
	}
	p.Groups = make([]Group, len(order))
	var last Group
	detail := ""
	for i, root := range order {
		g := Group{Units: members[begin[i]:begin[i+1]:begin[i+1]], Basis: f.groups.basis[root]}
		p.Groups[i] = g
		if g.Basis == Alone {
			continue
		}
		if len(g.Units) != len(last.Units) || g.Basis != last.Basis { // most are like the one before
			last, detail = g, fmt.Sprintf("%d traces or records by %s", len(g.Units), g.Basis)
		}
		row := f.units[name[root]]
		f.count(issueJoined, row, detail)
		if g.Basis == Address {
			f.count(issueAddress, row, detail)
		}
	}
	return p
}

// classes numbers the request ids that several rows carry.
func (f *finder) classes() []int32 {
	if f.rows == nil {
		return nil
	}
	class := make([]int32, len(f.rows))
	for row := range f.rows {
		if root := f.rows.find(int32(row)); root != int32(row) {
			class[root] = 1
		}
	}
	n := int32(0)
	for row := range f.rows {
		if root := f.rows.find(int32(row)); root != int32(row) {
			class[row] = class[root] // the root is the least, so it has its number
		} else if class[row] != 0 {
			n++
			class[row] = n
		}
	}
	return class
}

// service returns a number for the service of a row, that of its scope if it has none.
func (f *finder) service(row int32) int32 {
	scopes, at := &f.set.Scopes, f.set.Spans.ScopeRow[row]
	if int(at) >= scopes.Len() {
		return 0
	}
	if s := scopes.Service[at]; s != 0 {
		return int32(s)
	}
	return int32(scopes.Scope[at])
}
