package join

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// The oracle decides by regular expressions, maps and closures over all pairs what Find
// decides by sorting. It is told what Find promises, not how it works.

var (
	oracleHead  = regexp.MustCompile(`^(?:(\d{1,4}_))?((?:chatcmpl|cmpl|resp|embd|score)[-_])?(.+)$`)
	oracleUUID  = regexp.MustCompile(`^([0-9a-fA-F]{8})-([0-9a-fA-F]{4})-([0-9a-fA-F]{4})-([0-9a-fA-F]{4})-([0-9a-fA-F]{12})(|[^0-9a-zA-Z].*)$`)
	oracleHex   = regexp.MustCompile(`^[0-9a-fA-F]{16,}(|[^0-9a-zA-Z].*)$`)
	oracleBatch = regexp.MustCompile(`^(cmpl|embd|score)-$`)
)

// oracleID is an id taken apart: child + prefix + core.
type oracleID struct{ child, prefix, core string }

func (id oracleID) text() string { return id.child + id.prefix + id.core }

func oracleParse(text string) oracleID {
	m := oracleHead.FindStringSubmatch(text)
	id := oracleID{m[1], m[2], m[3]}
	if id.child != "" && id.prefix == "" && !strong([]byte(id.core)) && !oracleUUID.MatchString(id.core) {
		id.child, id.core = "", id.child+id.core
	}
	if u := oracleUUID.FindStringSubmatch(id.core); u != nil {
		id.core = strings.ToLower(u[1]+u[2]+u[3]+u[4]+u[5]) + u[6]
	} else if h := oracleHex.FindStringSubmatch(id.core); h != nil {
		id.core = strings.ToLower(strings.TrimSuffix(id.core, h[1])) + h[1]
	}
	return id
}

// tails returns the core with 0, 1 and 2 tails off, and the place of the number in it.
func (id oracleID) tails() (cores []string, number int) {
	cores = []string{id.core}
	numbers := `^(.+)_\d{1,6}$`
	if oracleBatch.MatchString(id.prefix) {
		numbers = `^(.+)[-_]\d{1,6}$`
	}
	left := []string{`^(.+)-[0-9a-z]{8}$`, numbers}
	for len(left) > 0 {
		found := -1
		for i, re := range left {
			m := regexp.MustCompile(re).FindStringSubmatch(cores[len(cores)-1])
			if m == nil || id.child+id.prefix == "" && !strong([]byte(m[1])) {
				if m != nil {
					return cores, number
				}
				continue
			}
			found = i
			if re == numbers {
				number = len(cores)
			}
			cores = append(cores, m[1])
			break
		}
		if found < 0 {
			break
		}
		left = slices.Delete(slices.Clone(left), found, found+1)
	}
	return cores, number
}

// forms returns what is left of an id, the closest first, and its stem.
func (id oracleID) forms() (forms []string, stem string) {
	cores, number := id.tails()
	heads := []string{id.child + id.prefix}
	if id.child != "" {
		heads = append(heads, id.prefix)
	}
	if id.prefix != "" {
		heads = append(heads, "")
	}
	for off := 1; off <= len(heads)+len(cores)-2; off++ {
		for h := len(heads) - 1; h >= 0; h-- {
			if k := off - h; k >= 0 && k < len(cores) {
				forms = append(forms, heads[h]+cores[k])
			}
		}
	}
	switch {
	case number > 0 && oracleBatch.MatchString(id.prefix):
		stem = cores[number]
	case id.child != "":
		stem = id.core
	}
	return forms, stem
}

type oracle struct {
	set       *table.Set
	unitOf    []int32
	group     []int32 // by unit
	basis     map[int32]Basis
	ambiguous int
	dropped   map[carried]bool
	class     []int32 // by row
}

// joinAll makes one group of units; it is done at once for all sets of a step.
func (o *oracle) joinAll(sets [][]int32, basis Basis) {
	for _, set := range sets {
		for _, u := range set {
			a, b := o.group[set[0]], o.group[u]
			if a == b {
				continue
			}
			o.basis[a] = max(o.basis[a], o.basis[b], basis)
			for i, g := range o.group {
				if g == b {
					o.group[i] = a
				}
			}
		}
	}
}

func (o *oracle) sameClass(rows []int32) {
	for _, r := range rows {
		for i, c := range o.class {
			if a, b := o.class[rows[0]], o.class[r]; a != b && c == b && i != int(r) {
				o.class[i] = a
			}
		}
		o.class[r] = o.class[rows[0]]
	}
}

// carried is an id that a row carries.
type carried struct {
	id     string
	row    int32
	answer bool
}

func (o *oracle) carried(names []string, answers bool) (out []carried) {
	spans := &o.set.Spans
	for row := range spans.Len() {
		add := func(text string, answer bool) {
			if text = strings.TrimSpace(text); isID([]byte(text)) {
				out = append(out, carried{oracleParse(text).text(), int32(row), answer})
			}
		}
		column := slices.Contains(names, "request_id")
		if column {
			add(spans.RequestID[row], false)
		}
		for j := range spans.Attributes.Count(row) {
			a := spans.Attributes.At(row, j)
			key := o.set.Symbols.Text(a.Key)
			answer := answers && key == "gen_ai.response.id"
			if (slices.Contains(names, key) || answer) && (!column || string(a.Value.Text) != spans.RequestID[row]) {
				add(string(idText(a.Value)), answer)
			}
		}
	}
	return out
}

func (o *oracle) byTraceID() {
	spans := &o.set.Spans
	units := map[string][]int32{} // by trace id in hex
	for row := range spans.Len() {
		id := spans.TraceID[row]
		if spans.Origin[row] == table.OriginRecord {
			v, ok := spans.Attributes.Get(row, symbol(o.set, "trace_id"))
			if !ok {
				continue
			}
			if id, ok = parseTraceID(v.Text); !ok {
				continue
			}
		}
		if id != (table.TraceID{}) {
			units[hex.EncodeToString(id[:])] = append(units[hex.EncodeToString(id[:])], o.unitOf[row])
		}
	}
	var sets [][]int32
	for id, u := range units {
		sets = append(sets, u)
		if !strings.HasPrefix(id, strings.Repeat("0", 16)) {
			continue
		}
		var long [][]int32
		for other, v := range units {
			if other != id && other[16:] == id[16:] {
				long = append(long, v)
			}
		}
		if len(long) > 1 {
			o.ambiguous++
		} else if len(long) == 1 {
			sets = append(sets, []int32{u[0], long[0][0]})
		}
	}
	o.joinAll(sets, TraceID)
}

// byID joins by one kind of id, with no more than 32 units of one.
func (o *oracle) byID(basis Basis, names []string) {
	ids := o.carried(names, basis == RequestID)
	nodes := map[string][]carried{}
	for _, c := range ids {
		nodes[c.id] = append(nodes[c.id], c)
	}
	strongID := func(id string) bool { return strong([]byte(oracleParse(id).core)) }
	families := func(strongOnes bool) [][]carried {
		edges := map[string][]string{}
		link := func(a, b string) { edges[a], edges[b] = append(edges[a], b), append(edges[b], a) }
		stems := map[string]string{}
		for id := range nodes {
			forms, stem := oracleParse(id).forms()
			i := slices.IndexFunc(forms, func(f string) bool { return nodes[f] != nil })
			if i >= 0 && strongID(forms[i]) == strongOnes {
				link(id, forms[i])
			} else if i < 0 && stem != "" && strong([]byte(stem)) && strongOnes {
				if stems[stem] == "" {
					stems[stem] = id
				}
				link(id, stems[stem])
			}
			if !strongOnes && !strongID(id) && len(nodes[id]) > 1 {
				link(id, id)
			}
		}
		return components(edges, nodes)
	}
	var exact [][]carried
	for id, c := range nodes {
		if strongID(id) && len(c) > 1 {
			exact = append(exact, c)
		}
	}
	for _, step := range [][][]carried{exact, families(true)} {
		var sets [][]int32
		for _, c := range step {
			c = o.believed(c)
			var units, rows []int32
			for _, x := range c {
				units, rows = append(units, o.unitOf[x.row]), append(rows, x.row)
			}
			sets = append(sets, units)
			if len(rows) > 0 {
				o.sameClass(rows)
			}
		}
		o.joinAll(sets, basis)
	}
	var sets [][]int32
	for _, c := range families(false) {
		sets = append(sets, o.weak(o.believed(c))...)
	}
	o.joinAll(sets, basis)
}

// components returns what hangs together.
func components(edges map[string][]string, nodes map[string][]carried) (out [][]carried) {
	seen := map[string]bool{}
	for id := range edges {
		var all []carried
		for todo := []string{id}; len(todo) > 0; todo = todo[1:] {
			if !seen[todo[0]] {
				seen[todo[0]] = true
				all = append(all, nodes[todo[0]]...)
				todo = append(todo, edges[todo[0]]...)
			}
		}
		if len(all) > 0 {
			out = append(out, all)
		}
	}
	return out
}

// believed leaves out answers that several groups of one service have.
func (o *oracle) believed(c []carried) (kept []carried) {
	groups := map[string]map[int32]bool{}
	c = slices.DeleteFunc(slices.Clone(c), func(x carried) bool { return o.dropped[x] })
	for _, x := range c {
		if s := o.service(x.row); x.answer {
			if groups[s] == nil {
				groups[s] = map[int32]bool{}
			}
			groups[s][o.group[o.unitOf[x.row]]] = true
		}
	}
	for _, x := range c {
		if !x.answer || len(groups[o.service(x.row)]) < 2 {
			kept = append(kept, x)
		} else {
			o.dropped[x] = true
		}
	}
	if len(kept) > 0 && len(kept) < len(c) {
		o.ambiguous++
	}
	return kept
}

func (o *oracle) service(row int32) string {
	return o.set.Symbols.Text(o.set.Scopes.Service[o.set.Spans.ScopeRow[row]])
}

func (o *oracle) stay(row int32, group int32) stay {
	s := &o.set.Spans
	out := stay{group: group, service: int32(o.set.Scopes.Service[s.ScopeRow[row]]), row: row, dated: s.Clock[row] == table.ClockWall}
	if out.dated {
		out.start, out.end = s.Start[row]-s.Error[row], max(s.Start[row], s.End[row])+s.Error[row]
	}
	return out
}

// weak returns the sets of units that one weak id joins.
func (o *oracle) weak(c []carried) (sets [][]int32) {
	var stays []stay
	for _, x := range c {
		stays = append(stays, o.stay(x.row, o.group[o.unitOf[x.row]]))
	}
	joined, doubt := naivePair(stays)
	if doubt {
		o.ambiguous++
	}
	together := func(a, b int32) bool {
		reach := map[int32]bool{a: true}
		for range joined {
			for _, j := range joined {
				if reach[j[0]] || reach[j[1]] {
					reach[j[0]], reach[j[1]] = true, true
				}
			}
		}
		return reach[b]
	}
	for _, j := range joined {
		sets = append(sets, []int32{int32(slices.Index(o.group, j[0])), int32(slices.Index(o.group, j[1]))})
	}
	for _, a := range stays {
		for _, b := range stays {
			overlap := a.dated && b.dated && a.start <= b.end && b.start <= a.end && together(a.group, b.group)
			if overlap || o.unitOf[a.row] == o.unitOf[b.row] {
				o.sameClass([]int32{a.row, b.row})
			}
		}
	}
	return sets
}

func (o *oracle) byAddress() {
	at := map[string][]stay{}
	for row := range int32(o.set.Spans.Len()) {
		unit := o.unitOf[row]
		alone := 0
		for _, g := range o.group {
			if g == o.group[unit] {
				alone++
			}
		}
		if v, ok := o.set.Spans.Attributes.Get(int(row), symbol(o.set, "client")); ok && alone == 1 && o.set.Spans.Origin[row] == table.OriginRecord {
			at[string(v.Text)] = append(at[string(v.Text)], o.stay(row, unit))
		}
	}
	var sets [][]int32
	for _, stays := range at {
		joined, doubt := naivePair(stays)
		if doubt {
			o.ambiguous++
		}
		for _, j := range joined {
			sets = append(sets, []int32{j[0], j[1]})
		}
	}
	o.joinAll(sets, Address)
}

func symbol(set *table.Set, text string) table.Sym {
	s, ok := set.Symbols.Lookup(text)
	if !ok {
		return 1 << 28
	}
	return s
}

// oracleFind is Find.
func oracleFind(set *table.Set, keys [][]string) outcome {
	units := unitsOf(set)
	o := &oracle{set: set, unitOf: make([]int32, set.Spans.Len()), basis: map[int32]Basis{}, dropped: map[carried]bool{}, class: make([]int32, set.Spans.Len())}
	for u := range len(units) - 1 {
		o.group = append(o.group, int32(u))
		for row := units[u]; row < units[u+1]; row++ {
			o.unitOf[row], o.class[row] = int32(u), row
		}
	}
	o.byTraceID()
	o.byID(RequestID, requestKeys)
	for _, names := range keys {
		o.byID(Declared, names)
	}
	o.byAddress()
	groups, classes := map[int32][]string{}, map[int32][]string{}
	for row := range set.Spans.Len() {
		name := set.Symbols.Text(set.Spans.Name[row])
		groups[o.group[o.unitOf[row]]] = append(groups[o.group[o.unitOf[row]]], name)
		classes[o.class[row]] = append(classes[o.class[row]], name)
	}
	out := outcome{Issues: map[string]int{}}
	if o.ambiguous > 0 {
		out.Issues["join-ambiguous"] = o.ambiguous
	}
	for g, names := range groups {
		slices.Sort(names)
		out.Groups = append(out.Groups, fmt.Sprintf("%s: %s", strings.Join(names, " "), o.basis[g]))
		if o.basis[g] != Alone {
			out.Issues["joined"]++
		}
		if o.basis[g] == Address {
			out.Issues["joined-by-address"]++
		}
	}
	for _, names := range classes {
		if len(names) > 1 {
			slices.Sort(names)
			out.Classes = append(out.Classes, strings.Join(names, " "))
		}
	}
	slices.Sort(out.Groups)
	slices.Sort(out.Classes)
	return out
}
