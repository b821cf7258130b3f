package critical

import (
	"context"
	"sync"

	"github.com/tailpath/tailpath/critical/clock"
	"github.com/tailpath/tailpath/critical/join"
	"github.com/tailpath/tailpath/ingest/table"
)

// clocks is what the calls of a set say of the clocks of its hosts.
type clocks struct {
	mu    sync.Mutex
	calls *clock.Log      // nil before a pass over all calls
	used  *clock.Solution // offsets that times are moved by; nil when they are not
}

// moved returns the offsets that times are moved by, if they are.
func (c *clocks) moved() *clock.Solution {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// note keeps what a pass over all calls has found.
func (c *clocks) note(calls *clock.Log) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = calls
}

// adjustClocks finds the offsets that the requests are built with, if they are wanted: it
// takes a pass over all calls.
func (b *Builder) adjustClocks(ctx context.Context) error {
	if b.opt.Clock != Adjust || b.clocks.moved() != nil {
		return nil
	}
	quiet := *b
	quiet.account, quiet.clocks = nil, &clocks{}
	calls, err := blocks(ctx, &quiet, func(w *worker, g join.Group) []struct{} { w.load(g); return nil }, func(struct{}) error { return nil })
	if err != nil {
		return err
	}
	used := clock.Solve(calls)
	b.clocks.mu.Lock()
	defer b.clocks.mu.Unlock()
	if b.clocks.used == nil {
		b.clocks.used = used
	}
	return nil
}

// Clocks returns what is known of the clocks once the requests were built.
func (b *Builder) Clocks() *clock.Solution {
	b.clocks.mu.Lock()
	defer b.clocks.mu.Unlock()
	switch {
	case b.clocks.used != nil:
		return b.clocks.used
	case b.clocks.calls == nil:
		return clock.Solve(&clock.Log{})
	}
	return clock.Solve(b.clocks.calls)
}

// clockOf names the clock that the times of a node are of: its host, or its process
// where the host is not told. The lines of a log share the stamps of their input, whose
// zone may be another than the host's.
func (t *trace) clockOf(n *node) string {
	text, scopes := t.set.Symbols.Text, &t.set.Scopes
	if n.record {
		return text(t.set.Spans.Source[n.row])
	}
	row := t.set.Spans.ScopeRow[n.row]
	if host := scopes.Host[row]; host != 0 {
		return text(host)
	}
	if instance := scopes.Instance[row]; instance != 0 {
		return text(scopes.Service[row]) + "/" + text(instance)
	}
	return text(scopes.Service[row])
}

// stampRounding is how far a record's stamp may be off that was held as seconds in a
// float64, the grain of which is 238 ns today.
const stampRounding = 500 // ns

// stampError is how far the stamps of two ends of a call may be off together.
func (t *trace) stampError(p, n *node) int64 {
	e := t.set.Spans.Error
	if p.record || n.record {
		return e[p.row] + e[n.row] + stampRounding
	}
	return e[p.row] + e[n.row]
}

// observe notes what the calls of a group say of the clocks, by recorded times.
func (t *trace) observe() {
	if t.clocks != nil || t.opt.Jaeger {
		return
	}
	for k := range t.nodes {
		n := &t.nodes[k]
		if n.parent < 0 || (n.clamped || n.open) && n.role != Record {
			continue
		}
		p := &t.nodes[n.parent]
		if n.role == Record {
			t.observeRecord(p, n)
			continue
		}
		if p.clamped || p.open || p.left || !t.dated(p, n) || !t.isCall(p, n) || t.gaveUp(p) {
			continue
		}
		caller, server := t.clockOf(p), t.clockOf(n)
		if caller == server {
			continue
		}
		from, to := t.recordedSlot(p)
		x, ok := clock.Observe(caller, server, from, to, n.start, n.end, t.stampError(p, n))
		if !ok {
			t.calls.Broken(caller, server)
			continue
		}
		t.calls.Add(x)
	}
}

// observeRecord notes what a record says of its clock that tells of the same work as a
// span, or of an instant while it ran.
func (t *trace) observeRecord(p, n *node) {
	if p.clamped || p.open || !t.dated(p, n) {
		return
	}
	caller, server := t.clockOf(p), t.clockOf(n)
	if x, ok := clock.Observe(caller, server, p.start, p.end, n.start, n.end, t.stampError(p, n)); ok && caller != server {
		t.calls.Add(x)
	}
}

// recordedSlot is slot for a span whose parts have not been read yet.
func (t *trace) recordedSlot(p *node) (from, to int64) {
	from, to = p.start, p.end
	parts := &t.set.Parts
	found := false
	for i := t.parts[p.row+1] - 1; i >= t.parts[p.row]; i-- {
		if !t.isUpstream(parts.Stage[i], parts.Detail[i]) {
			if found {
				break
			}
			continue
		}
		if !found {
			to = parts.End[i]
		}
		found, from = true, parts.Start[i]
	}
	return from, to
}

// writeClocks fills the clocks table.
func (b *writer) writeClocks() {
	t := &b.set.Clocks
	for _, c := range b.Clocks().Clocks() {
		for _, w := range c.Windows {
			i := t.Grow()
			t.Clock[i], t.Reference[i] = b.set.Symbols.Intern(c.Clock), b.set.Symbols.Intern(c.Reference)
			t.From[i], t.To[i], t.Known[i] = w.From, w.To, w.Known
			t.Offset[i], t.Error[i], t.Calls[i], t.Violated[i] = w.Offset, w.Error, w.Calls, w.Violated
			if t.Zone[i] = table.Missing; c.Zone != 0 {
				t.Zone[i] = c.Zone
			}
		}
	}
}
