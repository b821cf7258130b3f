package clock

import (
	"cmp"
	"slices"
)

// Window is a time in which one offset holds: Offset ± Error ns, for instants in
// [From, To) on the reference's clock.
type Window struct {
	From, To      int64
	Offset, Error int64
	// Calls is the number of calls of the link that the window rests on; Violated, of the
	// Kept ones among them, those whose bounds contradict the others.
	Calls, Violated int64
	// Known is false where the bounds contradict each other; Offset and Error are then 0 and
	// mean nothing.
	Known bool
	// Kept is the number of calls whose bounds were weighed: the narrowest ones.
	Kept int64
}

// Estimate is what is known of one clock.
type Estimate struct {
	// Clock minus Reference is what the windows say. A reference stands for itself, with
	// one window of offset 0.
	Clock, Reference string
	// Windows are by time and do not overlap. A clock that drifts, or was set, has
	// several; one whose every call was broken has none.
	Windows []Window
	// Calls, Violated and Broken count the calls that this clock's host made or served:
	// all that bound something, those whose bounds contradict the offsets found, and
	// those that bound nothing.
	Calls, Violated, Broken int64
	// Zone is a shift by whole half hours, in ns, at most 14 hours either way, that the
	// offset is all through, within its error and 5 s by which clocks of one zone may
	// differ: a log in another zone than was thought. It is 0 if there is none, and a
	// suggestion: nothing is shifted by it.
	Zone int64
}

// Solution holds the offsets of all clocks of a Log. It is safe for concurrent use.
type Solution struct {
	estimates []Estimate
	nodes     map[string]*node
}

// node is a clock in the spanning tree.
type node struct {
	name      string
	reference string
	parent    *node // nil for a reference
	up        *link // to the parent
	depth     int
	tree      []*link // all links of the tree at this clock
	panes     []pane  // by the time of the reference
	calls     int64
	made      int64
	served    int64
	broken    int64
	violated  int64
	placed    bool
}

// Solve finds the offset of every clock of a log.
func Solve(l *Log) *Solution {
	s := &Solution{nodes: map[string]*node{}}
	if l == nil {
		return s
	}
	links := l.links()
	names := s.census(links)
	span := int64(0)
	for _, k := range links {
		span = max(span, k.last-k.first)
		for i := range k.panes {
			p := &k.panes[i]
			k.tally.count(&p.Window, p.From, p.To)
		}
	}
	off := s.tree(links, span)
	for {
		root := s.reference(names)
		if root == nil {
			break
		}
		s.place(root)
	}
	s.charge(off)
	for _, name := range names {
		s.estimates = append(s.estimates, s.nodes[name].estimate())
	}
	return s
}

// links solves each pair of clocks, by names.
func (l *Log) links() []*link {
	var pairs []pair
	for p := range l.pairs {
		if p.caller > p.server {
			if l.pairs[pair{p.server, p.caller}] != nil {
				continue // the other way comes too
			}
			p.caller, p.server = p.server, p.caller
		}
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.caller, b.caller), cmp.Compare(a.server, b.server))
	})
	links := make([]*link, len(pairs))
	for i, p := range pairs {
		links[i] = newLink(p.caller, p.server, l.pairs[p], l.pairs[pair{p.server, p.caller}])
	}
	return links
}

// census makes a node of every clock, counts its calls, and returns the names in order.
func (s *Solution) census(links []*link) []string {
	var names []string
	at := func(name string) *node {
		n := s.nodes[name]
		if n == nil {
			n = &node{name: name}
			s.nodes[name] = n
			names = append(names, name)
		}
		return n
	}
	for _, k := range links {
		axis, other := at(k.axis), at(k.other)
		for _, way := range k.ways {
			for _, n := range []*node{axis, other} {
				n.calls += way.made
				n.broken += way.broken
			}
			axis.made += way.made + way.broken
			other.served += way.made + way.broken
			axis, other = other, axis
		}
		for i := range k.tally.at {
			wrong := k.tally.violated[i+1] - k.tally.violated[i]
			axis.violated += wrong
			other.violated += wrong
		}
	}
	slices.Sort(names)
	return names
}

// tree takes links into a spanning tree, those of the least mean error first and those
// of which nothing is known last (Kruskal's algorithm), and returns the others.
func (s *Solution) tree(links []*link, span int64) (off []*link) {
	type weighed struct {
		*link
		mean float64
		ok   bool
	}
	order := make([]weighed, len(links)) // by names, which settles ties
	for i, k := range links {
		mean, ok := k.weight(span)
		order[i] = weighed{k, mean, ok}
	}
	slices.SortStableFunc(order, func(a, b weighed) int {
		if a.ok != b.ok {
			if a.ok {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.mean, b.mean)
	})
	group := make(map[string]string, len(s.nodes))
	find := func(name string) string {
		for {
			up, ok := group[name]
			if !ok {
				return name
			}
			if next, ok := group[up]; ok {
				group[name] = next
			}
			name = up
		}
	}
	for _, k := range order {
		a, b := find(k.axis), find(k.other)
		if a == b {
			off = append(off, k.link)
			continue
		}
		group[max(a, b)] = min(a, b)
		s.nodes[k.axis].tree = append(s.nodes[k.axis].tree, k.link)
		s.nodes[k.other].tree = append(s.nodes[k.other].tree, k.link)
	}
	return off
}

// charge counts the calls of links outside the tree that contradict it, instead of those
// that contradicted their own link.
func (s *Solution) charge(off []*link) {
	for _, k := range off {
		axis, other := s.nodes[k.axis], s.nodes[k.other]
		before := k.tally.violated[len(k.tally.at):]
		change := int64(0)
		if len(before) > 0 {
			change = -before[0]
		}
		for _, p := range k.points {
			atLow, errLow, knownLow := s.Between(k.axis, k.other, p.lowAt)
			atHigh, errHigh, knownHigh := s.Between(k.axis, k.other, p.highAt)
			if knownLow && add(atLow, errLow) < p.low || knownHigh && add(atHigh, -errHigh) > p.high {
				change++
			}
		}
		axis.violated += change
		other.violated += change
	}
}

// reference returns the clock to begin the next tree with: of those that call, the
// one that is called least; of several the one that calls most, then the first by name.
func (s *Solution) reference(names []string) *node {
	var best *node
	for _, name := range names {
		n := s.nodes[name]
		if n.placed || n.made == 0 {
			continue
		}
		if best == nil || n.served < best.served || n.served == best.served && n.made > best.made {
			best = n
		}
	}
	return best
}

// Clocks returns what is known of each clock, by name, references included.
func (s *Solution) Clocks() []Estimate {
	out := slices.Clone(s.estimates)
	for i := range out {
		out[i].Windows = slices.Clone(out[i].Windows)
	}
	return out
}

// Between returns how far the server's clock was ahead of the caller's, in ns, and the
// largest error of this, in ns, when the caller's clock showed at ns. It is the
// difference of the offsets of the two, so that one clock has one offset at an instant;
// the error is that of the links between the two alone. known is false where no link joins
// the clocks, or one of those between them is not known at this instant.
//
// Beside the windows an offset holds for ten minutes, with an error that grows by 0.2 ms
// a second.
func (s *Solution) Between(caller, server string, at int64) (offset, errorNS int64, known bool) {
	if caller == server {
		return 0, 0, true
	}
	a, b := s.nodes[caller], s.nodes[server]
	if a == nil || b == nil || a.reference != b.reference {
		return 0, 0, false
	}
	step := func(k *link, from string) bool {
		by, sign := k.from(from)
		o, e, ok := lookup(by, moved(at, offset))
		offset, errorNS = add(offset, sign*o), add(errorNS, e)
		return ok
	}
	// Up from the caller to the clock where the two ways meet, then down.
	var down []*node
	for a != b {
		if a.depth >= b.depth {
			if !step(a.up, a.name) {
				return 0, 0, false
			}
			a = a.parent
			continue
		}
		down = append(down, b)
		b = b.parent
	}
	for _, n := range slices.Backward(down) {
		if !step(n.up, n.parent.name) {
			return 0, 0, false
		}
	}
	return offset, errorNS, true
}
