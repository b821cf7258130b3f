package clock

import (
	"cmp"
	"slices"
)

// place gives every clock of the tree around a reference its windows, from the
// reference outward.
func (s *Solution) place(root *node) {
	root.placed, root.reference = true, root.name
	for queue := []*node{root}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for _, k := range n.tree {
			child := s.nodes[k.far(n.name)]
			if child.placed {
				continue
			}
			child.placed, child.reference = true, root.name
			child.parent, child.up, child.depth = n, k, n.depth+1
			child.panes = n.compose(k)
			queue = append(queue, child)
		}
	}
	root.panes = root.always(s)
}

// always returns the one window of a reference, over the time of its tree's calls.
func (n *node) always(s *Solution) []pane {
	p := pane{Window: Window{Known: true}}
	some := false
	for _, k := range n.tree {
		by, _ := k.from(n.name)
		for i := range by {
			if !some {
				p.From, p.To, some = by[i].From, by[i].To, true
			}
			p.From, p.To = min(p.From, by[i].From), max(p.To, by[i].To)
			p.Calls += by[i].Calls
			p.Kept += by[i].Kept
			p.Violated += by[i].Violated
		}
	}
	if !some {
		return nil
	}
	return []pane{p}
}

// compose returns the windows of the clock at the far end of a link, by the time of the
// reference: where both the clock at this end and the link are known, offsets and errors
// add.
func (n *node) compose(k *link) []pane {
	by, sign := k.from(n.name)
	if n.parent == nil {
		out := make([]pane, 0, len(by))
		for _, p := range by {
			out = append(out, p.times(sign))
		}
		return out
	}
	var out []pane
	for _, base := range stretchOut(n.panes) {
		from, to := base.From, base.To
		if base.Known {
			from, to = add(from, base.Offset), add(to, base.Offset)
		}
		i, _ := slices.BinarySearchFunc(by, from, func(p pane, at int64) int {
			return cmp.Compare(p.To-1, at)
		})
		for ; i < len(by) && by[i].From < to; i++ {
			p := by[i].times(sign)
			share := p.Window
			p.From, p.To = max(p.From, from), min(p.To, to)
			if p.From != share.From || p.To != share.To {
				k.share(&p.Window, n.name)
			}
			out = append(out, base.under(p))
		}
	}
	return out
}

// share counts the calls of a part of a window, which is by the time of name.
func (k *link) share(w *Window, name string) {
	if name == k.axis {
		k.tally.count(w, w.From, w.To)
		return
	}
	by := int64(0)
	if w.Known {
		by = w.Offset // axis minus other, already turned
	}
	k.tally.count(w, add(w.From, by), add(w.To, by))
}

// times returns the pane with its offset turned round where sign is -1.
func (p pane) times(sign int64) pane {
	if sign < 0 {
		p.Offset = -p.Offset
		p.low, p.high = -p.high, -p.low
	}
	return p
}

// extended is a window and the time beside it that it still holds for.
type extended struct {
	pane
	core Window
}

// stretchOut extends each known window towards its neighbours and by reachNS at most: a
// clock that is called by the next moment is as good as called.
func stretchOut(panes []pane) []extended {
	out := make([]extended, len(panes))
	for i, p := range panes {
		out[i] = extended{pane: p, core: p.Window}
	}
	for i := range out {
		e := &out[i]
		if !e.Known {
			continue
		}
		if i == 0 {
			e.From = add(e.From, -reachNS)
		}
		if i == len(out)-1 {
			e.To = add(e.To, reachNS)
			continue
		}
		next := &out[i+1]
		gap := next.From - e.To
		half := gap / 2
		if gap <= 0 || !agree(grow(&e.pane, half), grow(&next.pane, gap-half)) {
			continue
		}
		e.To = add(e.core.To, min(half, reachNS))
		next.From = add(next.core.From, -min(gap-half, reachNS))
	}
	return out
}

// under returns a window of a link, by the time of this clock, as one of the far clock by
// the time of the reference. What lies beside the core has drifted.
func (e *extended) under(p pane) pane {
	if !e.Known || !p.Known {
		by := int64(0)
		if e.Known {
			by = e.Offset
		}
		w := Window{From: add(p.From, -by), To: add(p.To, -by), Calls: p.Calls, Kept: p.Kept, Violated: p.Violated}
		return pane{Window: w}
	}
	p.From, p.To = add(p.From, -e.Offset), add(p.To, -e.Offset)
	beside := max(0, e.core.From-p.From, p.To-e.core.To)
	more := int64(0)
	if beside > 0 {
		more = drift(beside)
	}
	p.Offset = add(p.Offset, e.Offset)
	p.Error = add(add(p.Error, e.Error), more)
	p.low = add(add(p.low, e.low), -more)
	p.high = add(add(p.high, e.high), more)
	return p
}

// estimate returns what the clock's node says.
func (n *node) estimate() Estimate {
	e := Estimate{
		Clock: n.name, Reference: n.reference,
		Calls: n.calls, Violated: n.violated, Broken: n.broken,
	}
	for _, p := range n.panes {
		e.Windows = append(e.Windows, p.Window)
	}
	e.Zone = zone(n.panes)
	return e
}

const (
	// zoneStep is the step between zones, in ns: half an hour.
	zoneStep = 1_800_000_000_000
	// farthestZone is the largest number of steps: 14 hours, the zone of Kiritimati.
	farthestZone = 28
	// clockError is how far, in ns, clocks of one zone are expected to be apart.
	clockError = 5_000_000_000
)

// zone returns the shift by whole half hours that all known windows agree on, or 0.
func zone(panes []pane) int64 {
	found := int64(0)
	for _, p := range panes {
		if !p.Known {
			continue
		}
		z := p.zone()
		if z == 0 || found != 0 && z != found {
			return 0
		}
		found = z
	}
	return found
}

// zone returns the shift that is the only one in the interval, if 0 is not in it. A clock
// that is set to another zone is off by as much as any other besides.
func (p *pane) zone() int64 {
	if p.low <= clockError && -clockError <= p.high {
		return 0
	}
	if p.high > (farthestZone+1)*zoneStep || p.low < -(farthestZone+1)*zoneStep {
		return 0
	}
	low, high := p.low-clockError, p.high+clockError
	n := high / zoneStep
	if high < 0 && high%zoneStep != 0 {
		n-- // the largest whole number of steps at or below high
	}
	if n == 0 || n > farthestZone || n < -farthestZone || n*zoneStep < low || (n-1)*zoneStep >= low {
		return 0
	}
	return n * zoneStep
}
