package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// Names of scopes whose servers run batches, each on one of a model's instances.
const (
	scopeTriton    = "triton-server" // its traces
	scopeTritonLog = "triton-log"    // its log
)

// key is what tells engines apart.
type key struct {
	place int32     // row of places
	model table.Sym // of Triton alone
	clock uint8     // as in table.ClockNames
	base  table.Sym // source of a steady clock
}

// place is where a process runs.
type place struct{ service, host, instance table.Sym }

// directory numbers places and the engines at them.
type directory struct {
	set      *table.Set
	places   []place
	ofScope  []int32 // place of each row of scopes
	batching []bool  // by row of scopes: the server runs batches
	models   []bool  // by row of scopes: its models are engines of their own
	apart    []bool  // by place: several processes that only their sources tell apart
	keys     []key
	ids      map[key]int32
	last     key
	lastID   int32
}

func newDirectory(set *table.Set) *directory {
	d := &directory{set: set, ids: map[key]int32{}, lastID: -1}
	ids := map[place]int32{}
	for i := range set.Scopes.Len() {
		p := place{set.Scopes.Service[i], set.Scopes.Host[i], set.Scopes.Instance[i]}
		id, ok := ids[p]
		if !ok {
			id = int32(len(d.places))
			ids[p] = id
			d.places = append(d.places, p)
		}
		name := set.Symbols.Text(set.Scopes.Scope[i])
		d.ofScope = append(d.ofScope, id)
		d.batching = append(d.batching, name == scopeTriton || name == scopeTritonLog)
		d.models = append(d.models, name == scopeTriton)
	}
	d.separate()
	return d
}

// id returns the number of a key, which it gets when it is first met.
func (d *directory) id(k key) int32 {
	if d.lastID >= 0 && d.last == k {
		return d.lastID
	}
	id, ok := d.ids[k]
	if !ok {
		id = int32(len(d.keys))
		d.ids[k] = id
		d.keys = append(d.keys, k)
	}
	d.last, d.lastID = k, id
	return id
}

// compare orders keys by what they say, which does not depend on the order of rows.
func (d *directory) compare(a, b key) int {
	text := d.set.Symbols.Text
	p, q := d.places[a.place], d.places[b.place]
	return cmp.Or(
		strings.Compare(text(p.service), text(q.service)), strings.Compare(text(p.host), text(q.host)),
		strings.Compare(text(p.instance), text(q.instance)), strings.Compare(text(a.model), text(b.model)),
		cmp.Compare(a.clock, b.clock), strings.Compare(text(a.base), text(b.base)))
}

// engines returns the keys that are engines in order, and the number of each key among
// them, -1 for those that are none.
func (d *directory) engines(is []bool) (list []key, of []int32) {
	var ids []int32
	for id := range d.keys {
		if is[id] {
			ids = append(ids, int32(id))
		}
	}
	slices.SortFunc(ids, func(a, b int32) int { return d.compare(d.keys[a], d.keys[b]) })
	of = make([]int32, len(d.keys))
	for i := range of {
		of[i] = -1
	}
	for n, id := range ids {
		list, of[id] = append(list, d.keys[id]), int32(n)
	}
	return list, of
}

// scopeOf returns the row of the scope of a span, false when there is no such span or its
// process is not told: a table may hold segments of none.
func scopeOf(set *table.Set, span int32) (int32, bool) {
	if span < 0 || int(span) >= set.Spans.Len() {
		return -1, false
	}
	scope := set.Spans.ScopeRow[span]
	return scope, scope >= 0 && int(scope) < set.Scopes.Len()
}

// hasRequest reports whether a set has a request of that row.
func hasRequest(set *table.Set, row int32) bool { return row >= 0 && int(row) < set.Requests.Len() }

// placeOf returns the place of the owner of a segment, -1 when it has none.
func (t *Timelines) placeOf(segment int32) int32 {
	scope, ok := scopeOf(t.set, t.set.Segments.SpanRow[segment])
	if !ok {
		return -1
	}
	return t.directory.ofScope[scope]
}

// period is when the spans of one source at one place start, in ns.
type period struct {
	place       int32
	source      table.Sym
	first, last int64
}

// separate finds the places that are several processes. A log that names neither host nor
// instance is of one process, so logs of the same service at the same time are of several;
// those of one process that were put away in turn follow each other. Spans with resources
// are not looked at: those of one process may be kept in any number of files.
func (d *directory) separate() {
	d.apart = make([]bool, len(d.places))
	spans := &d.set.Spans
	type whose struct {
		place  int32
		source table.Sym
	}
	found := map[whose]*period{}
	for row := range spans.Len() {
		scope, ok := scopeOf(d.set, int32(row))
		if !ok {
			continue
		}
		p := d.places[d.ofScope[scope]]
		if p.host != 0 || p.instance != 0 || p.service == 0 || d.set.Scopes.ResourceAttributes.Count(int(scope)) > 0 {
			continue
		}
		w := whose{d.ofScope[scope], spans.Source[row]}
		if now, ok := found[w]; ok {
			now.first, now.last = min(now.first, spans.Start[row]), max(now.last, spans.Start[row])
		} else {
			found[w] = &period{w.place, w.source, spans.Start[row], spans.Start[row]}
		}
	}
	var list []period
	for _, p := range found {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b period) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last))
	})
	for i := range list {
		for k := i + 1; k < len(list) && list[k].place == list[i].place && list[k].first < list[i].last; k++ {
			common := min(list[i].last, list[k].last) - list[k].first
			shorter := min(list[i].last-list[i].first, list[k].last-list[k].first)
			d.apart[list[i].place] = d.apart[list[i].place] || 2*common > shorter
		}
	}
}

// base returns the clock of a span, and of a steady clock its source: the clocks of two
// sources have nothing in common. The source also tells apart the processes that nothing
// else does. Files that a server numbers, as Triton does with FILE.0
// and FILE.1, are one source. A span of durations alone lies where its request has it.
func (d *directory) base(span, request int32) (clock uint8, source table.Sym) {
	spans := &d.set.Spans
	own := span
	clock = spans.Clock[span]
	if clock == table.ClockNone {
		clock = d.set.Requests.Clock[request]
		if root := d.set.Requests.RootRow[request]; root >= 0 && int(root) < spans.Len() {
			span = root
		}
	}
	if clock != table.ClockSteady {
		if d.apart[d.ofScope[spans.ScopeRow[own]]] {
			return clock, spans.Source[own]
		}
		return clock, 0
	}
	source = spans.Source[span]
	name := d.set.Symbols.Text(source)
	if stem := strings.TrimRight(name, "0123456789"); len(stem) < len(name) && len(stem) > 1 && stem[len(stem)-1] == '.' {
		if id, ok := d.set.Symbols.Lookup(stem + "0"); ok {
			source = id
		}
	}
	return clock, source
}

// name makes the name of an engine of what is known of it.
func name(e *Engine) string {
	var b strings.Builder
	b.WriteString(cmp.Or(e.Service, "engine"))
	if e.Host != "" {
		b.WriteString("@" + e.Host)
	}
	if e.Instance != "" {
		b.WriteString("/" + e.Instance)
	}
	if e.Model != "" {
		b.WriteString(" " + e.Model)
	}
	if e.Source != "" {
		b.WriteString(" in " + e.Source)
	}
	return b.String()
}
