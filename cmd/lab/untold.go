package main

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical/engine"
)

// Reasons why the sources of a run cannot tell what its slow requests waited for. They
// follow from the planted truth and from what a server writes, not from what was found.
const (
	untoldMemory  = "no source tells of memory"
	untoldHolders = "those who held the slots left no record"
)

// For the most that runs to show in statistics lines there must be so many of them, and
// vLLM writes one every so many ns. TGI, whose traces lack executions too, writes none.
const (
	leastStated    = 3
	statedInterval = 10_000_000_000
)

// during is a stretch of time at one engine, in ns.
type during struct {
	replica  int
	from, to int64
}

// untold returns why the sources cannot tell the cause of the slow requests' waits; it is
// empty when they can.
//
// That memory was short is told by the statistics lines of vLLM and SGLang, and of SGLang
// by spans while a request that lost its place waits for another: if half of the waits
// for memory are such time, the traces tell. That slots were full shows while as many
// requests ran as there are slots; those that were given up leave no times of an execution
// at vLLM and TGI. If for half of the waits fewer ran that do leave them, and the log had
// no time for the lines that it takes, then nothing tells.
func (s *slowWaits) untold(c *simulate.Capture, from sources) string {
	vllm := c.Header.Server == simulate.VLLM || c.Header.Server == simulate.VLLMV0
	logged := from != fromTraces && (vllm || c.Header.Server == simulate.SGLang)
	switch s.cause {
	case engine.KVMemory.String():
		if !logged && 2*s.preempted(c) < s.ns {
			return untoldMemory
		}
	case engine.Slots.String():
		waits := s.waits(c)
		shown, total := int64(0), int64(0)
		for _, w := range waits {
			shown, total = shown+shownFull(c, w), total+w.to-w.from
		}
		if 2*shown < total && !(logged && union(waits) >= leastStated*statedInterval) {
			return untoldHolders
		}
	}
	return ""
}

// waits are the stretches in which the slow requests waited at an engine to be taken.
func (s *slowWaits) waits(c *simulate.Capture) []during {
	var out []during
	for i := range c.Visits {
		v := &c.Visits[i]
		w := during{v.Replica, v.Queued, v.Scheduled}
		if c.Header.Server == simulate.Triton {
			w.from, w.to = v.QueueStart, v.ComputeStart
		}
		if s.rows[v.Request] && w.from > 0 && w.to > w.from {
			out = append(out, w)
		}
	}
	return out
}

// recorded reports whether the server leaves the times of a visit's execution.
func recorded(c *simulate.Capture, v *simulate.Visit) bool {
	switch c.Header.Server {
	case simulate.VLLM, simulate.VLLMV0, simulate.TGI:
		return !v.Aborted
	}
	return true
}

// shownFull returns for how long of a wait, in ns, as many requests whose execution is
// recorded ran as there are slots. Triton's slots are instances, of which every batch is
// recorded.
func shownFull(c *simulate.Capture, w during) int64 {
	if c.Header.Server == simulate.Triton {
		return w.to - w.from
	}
	type edge struct {
		at     int64
		change int
	}
	var edges []edge
	for i := range c.Visits {
		v := &c.Visits[i]
		from, to := max(v.Scheduled, w.from), min(cmp.Or(v.LastToken, v.ServerEnd), w.to)
		if v.Replica == w.replica && v.Scheduled > 0 && from < to && recorded(c, v) {
			edges = append(edges, edge{from, +1}, edge{to, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	shown, running, last := int64(0), 0, w.from
	for _, e := range edges {
		if running >= c.Engines[w.replica].Slots {
			shown += e.at - last
		}
		running, last = running+e.change, e.at
	}
	return shown
}

// preempted returns for how long, in ns, the slow requests waited while spans show one that
// had lost its place waiting for another: themselves, or others.
func (s *slowWaits) preempted(c *simulate.Capture) int64 {
	if c.Header.Server != simulate.SGLang {
		return 0
	}
	waits, total := s.waits(c), int64(0)
	var lost []during
	for i := range c.Visits {
		for _, p := range c.Visits[i].Preemptions {
			lost = append(lost, during{c.Visits[i].Replica, p[0], p[1]})
			if s.rows[c.Visits[i].Request] {
				total += p[1] - p[0]
			}
		}
	}
	for _, w := range waits {
		var within []during
		for _, p := range lost {
			if p.from, p.to = max(p.from, w.from), min(p.to, w.to); p.replica == w.replica && p.from < p.to {
				within = append(within, p)
			}
		}
		total += union(within)
	}
	return total
}

// union returns how much time some stretches cover, in ns, whatever their engine.
func union(list []during) int64 {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b during) int { return cmp.Compare(a.from, b.from) })
	total, until := int64(0), int64(0)
	for _, d := range list {
		if from := max(d.from, until); from < d.to {
			total, until = total+d.to-from, d.to
		}
	}
	return total
}
