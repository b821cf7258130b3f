package critical

import (
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// ruleRecorded names, in the place of a stage rule, that the record of a span gives
// the stage itself.
const ruleRecorded = "recorded"

// The details of the parts in which a proxy waited for what it called.
const (
	detailUpstream         = "upstream"
	detailUpstreamResponse = "upstream response"
)

// isUpstream reports whether a part is time in which a proxy waited for what it called.
func (w *worker) isUpstream(of uint8, detail table.Sym) bool {
	if stage.Stage(of) != stage.Unattributed {
		return false
	}
	text := w.set.Symbols.Text(detail)
	return text == detailUpstream || text == detailUpstreamResponse
}

// frontsUpstream reports whether the record of a node tells of an upstream.
func (t *trace) frontsUpstream(n *node) bool {
	parts := &t.set.Parts
	for i := t.parts[n.row]; i < t.parts[n.row+1]; i++ {
		if t.isUpstream(parts.Stage[i], parts.Detail[i]) || stage.Stage(parts.Stage[i]) == stage.Gateway {
			return true
		}
	}
	return false
}

// tellsExecution reports whether the record of a node tells of the execution itself.
func (t *trace) tellsExecution(n *node) bool {
	parts := &t.set.Parts
	for i := t.parts[n.row]; i < t.parts[n.row+1]; i++ {
		if stage.Stage(parts.Stage[i]) == stage.GPU {
			return true
		}
	}
	return false
}

// readParts takes the parts that the record of a span gives, such as the timers of a
// gateway's log line. They were checked when they were read: they are disjoint and lie
// within the span. What they leave over is covered by the span's rule.
func (b *tree) readParts(n *node) *reading {
	parts, text := &b.set.Parts, b.set.Symbols.Text
	r := newReading()
	r.rule = ruleRecorded
	for i := b.parts[n.row]; i < b.parts[n.row+1]; i++ {
		confidence := Confidence(parts.Confidence[i])
		if confidence == Exact && parts.Error[i] != 0 {
			confidence = Anchored
		}
		p := piece{
			start: max(parts.Start[i], n.start), end: min(parts.End[i], n.end),
			stage: stage.Stage(parts.Stage[i]), detail: text(parts.Detail[i]), confidence: confidence,
			error: parts.Error[i], reason: text(parts.Basis[i]), by: -1, upstream: b.isUpstream(parts.Stage[i], parts.Detail[i]),
		}
		if p.upstream && p.detail == detailUpstreamResponse && r.firstByte == table.Missing && !b.failed(n) {
			r.firstByte, r.byteBasis = p.start, p.reason
		}
		r.add(p)
	}
	if ttft := b.duration(n, b.set.Spans.TTFT[n.row], "first token"); ttft != table.Missing {
		r.firstToken, r.basis, r.rank = n.start+ttft, "the record's time to first token", 1
	}
	return r
}

// readLent takes the parts of a record of the same work as a span. The record counts
// from the same instant; by how much the two durations differ, its times may be off. When
// the span waited for what it called is told better by spans of the calls, if there are.
func (b *tree) readLent(k int32) *reading {
	n := &b.nodes[k]
	m := &b.nodes[n.lent]
	calls := slices.ContainsFunc(b.kids[k], func(c int32) bool { return b.nodes[c].kind == kindClient })
	spans := &b.set.Spans
	from, to := spans.Start[m.row], spans.End[m.row]
	off := max(to-from-(n.end-n.start), n.end-n.start-(to-from)) + spans.LengthError[m.row]
	lent := *m
	lent.start, lent.end = from, to
	r := b.readParts(&lent)
	r.shift(n.start - from)
	pieces := r.pieces
	r.pieces = nil
	for _, p := range pieces {
		if p.upstream && calls {
			continue
		}
		if p.end = min(p.end, n.end); p.confidence != Residual {
			p.confidence, p.error = Anchored, p.error+off
		}
		p.by = n.lent
		r.add(p)
	}
	return r
}
