package critical

import (
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// ruleRecorded names, in the place of a stage rule, that the record of a span gives
// the stage itself.
const ruleRecorded = "recorded"

// readParts takes the parts that the record of a span gives, such as the timers of a
// gateway's log line. They were checked when they were read: they are disjoint and lie
// within the span. What they leave over is covered by the span's rule.
func (b *tree) readParts(k int32) *reading {
	n := &b.nodes[k]
	parts, text := &b.set.Parts, b.set.Symbols.Text
	r := newReading()
	r.rule = ruleRecorded
	for i := b.parts[n.row]; i < b.parts[n.row+1]; i++ {
		confidence := Confidence(parts.Confidence[i])
		if confidence == Exact && parts.Error[i] != 0 {
			confidence = Anchored
		}
		r.add(piece{
			start: max(parts.Start[i], n.start), end: min(parts.End[i], n.end),
			stage: stage.Stage(parts.Stage[i]), detail: text(parts.Detail[i]), confidence: confidence,
			error: parts.Error[i], reason: text(parts.Basis[i]),
		})
	}
	if ttft := b.duration(n, b.set.Spans.TTFT[n.row], "first token"); ttft != table.Missing {
		r.firstToken, r.basis, r.rank = n.start+ttft, "the record's time to first token", 1
	}
	return r
}
