package engine

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
)

// Holder is a request that held the engine while another waited.
type Holder struct {
	Request int32  // row of the requests table
	NS      int64  // its share of the segment
	Why     string // what it held: "slot", "memory", "prefill", "running" when the cause is not known
}

// What a holder held.
const (
	heldSlot    = "slot"
	heldMemory  = "memory"
	heldPrefill = "prefill"
	heldEngine  = "running"
)

// Blame names the other requests that held the engine during a waiting segment, or that
// stalled the tokens of a decoding one, most first. At every instant the time is divided
// among those that held it: equally, or by their prompts where it is memory. The sum is at
// most the length of the segment, and what nobody held is in nobody's share. A batch that
// fills, an idle engine, a gateway's own limit and a back-off are nobody's doing.
func (t *Timelines) Blame(segment int32) []Holder {
	seg := &t.set.Segments
	if stage.Stage(seg.Stage[segment]) == stage.GPU {
		return t.blameStalls(segment)
	}
	w, ok := t.find(segment)
	if !ok {
		return nil
	}
	f := t.Finding(segment)
	if f.Engine < 0 || !t.engines[f.Engine].timed() {
		return nil
	}
	l := &t.engines[f.Engine]
	own := seg.RequestRow[segment]
	from, to := t.Local(f.Engine, segment, seg.Start[segment]), t.Local(f.Engine, segment, seg.End[segment])
	switch f.Cause {
	case Slots:
		return t.shares(&l.runsIn, from, to, own, heldSlot, nil)
	case KVMemory:
		return t.shares(&l.runsIn, from, to, own, heldMemory, func(v interval) int64 { return t.sizeOf(v, byTokens) })
	case Prefill:
		size, by, ok := t.own(w)
		if f.Rule != "long-prompt" || !ok {
			return t.shares(&l.prefillsIn, from, to, own, heldPrefill, nil)
		}
		return t.shares(&l.prefillsIn, from, to, own, heldPrefill, func(v interval) int64 {
			if blocks(t.sizeOf(v, by), size) {
				return 1
			}
			return -1
		})
	case Unknown:
		return t.shares(&l.runsIn, from, to, own, heldEngine, nil)
	}
	return nil
}

// edge is an instant at which a request begins or ends to hold.
type edge struct {
	at     int64
	weight float64
	holder int // place among the holders; it ends if the weight is negative
}

// shares divides the time of [from, to) among the intervals that lie in it. weigh gives
// what an interval counts for: nil means all the same, below 0 not at all; when one of
// them weighs nothing that is known, all count the same.
func (t *Timelines) shares(in *overlaps, from, to int64, own int32, why string, weigh func(v interval) int64) []Holder {
	held, share := t.divide(in, from, to, own, weigh)
	return t.rank(held, share, why, to-from)
}

// divide returns the intervals and the share of each in ns.
func (t *Timelines) divide(in *overlaps, from, to int64, own int32, weigh func(v interval) int64) (held []interval, share []float64) {
	var weights []float64
	equal := weigh == nil
	in.each(from, to, func(v interval) {
		weight := int64(1)
		if weigh != nil {
			weight = weigh(v)
		}
		if v.request == own || weight < 0 {
			return
		}
		equal = equal || weight == 0
		held, weights = append(held, v), append(weights, float64(weight))
	})
	edges := make([]edge, 0, 2*len(held))
	for i, v := range held {
		if equal {
			weights[i] = 1
		}
		edges = append(edges, edge{max(v.start, from), weights[i], i}, edge{min(v.end, to), -weights[i], i})
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.weight, b.weight), cmp.Compare(a.holder, b.holder))
	})
	// level is the integral of 1/(sum of weights): a holder's share is its weight times
	// what the level rises while it holds.
	level, sum, last := 0.0, 0.0, from
	began := make([]float64, len(held))
	share = make([]float64, len(held))
	open := 0
	for _, e := range edges {
		if open > 0 && e.at > last {
			level += float64(e.at-last) / sum
		}
		last = e.at
		if e.weight > 0 {
			began[e.holder] = level
			open++
		} else {
			share[e.holder] = -e.weight * (level - began[e.holder])
			open--
		}
		if sum += e.weight; open == 0 {
			sum = 0
		}
	}
	return held, share
}

// rank sums the shares of each request, most first. Shares are cut to whole ns, and to
// what there is: shares of a rounded sum never add up to more.
func (t *Timelines) rank(held []interval, share []float64, why string, length int64) []Holder {
	rows := make([]int, len(held))
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(held[a].request, held[b].request) })
	var out []Holder
	total := 0.0
	for k, i := range rows {
		total += share[i]
		if k+1 < len(rows) && held[rows[k+1]].request == held[i].request {
			continue
		}
		if ns := int64(math.Floor(total + rounding)); ns > 0 {
			out = append(out, Holder{held[i].request, ns, why})
		}
		total = 0
	}
	req := &t.set.Requests
	slices.SortFunc(out, func(a, b Holder) int {
		x, y := a.Request, b.Request
		return cmp.Or(-cmp.Compare(a.NS, b.NS), cmp.Compare(req.Start[x], req.Start[y]),
			bytes.Compare(req.TraceID[x][:], req.TraceID[y][:]), bytes.Compare(req.RootSpanID[x][:], req.RootSpanID[y][:]), cmp.Compare(x, y))
	})
	for i := range out {
		out[i].NS = min(out[i].NS, length)
		length -= out[i].NS
	}
	return slices.DeleteFunc(out, func(h Holder) bool { return h.NS == 0 })
}

// rounding is what a share may lack of a whole ns and still be one.
const rounding = 1e-3
