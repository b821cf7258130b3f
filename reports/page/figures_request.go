package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// streamFigure shows how one response was streamed: that with the longest gap.
func (b *builder) streamFigure(d reports.Document) chartOf {
	s, ok := streamOf(d.Report)
	if !ok {
		return chartOf{missing: "no chart of a stream: no request recorded when its tokens came; a span event for each chunk does, such as llm.chunk with the attribute token_count"}
	}
	drawing := chart.Tokens{First: float64(s.FirstNS), End: float64(s.EndNS), Held: heldBy(d, s)}
	for _, at := range s.AtNS {
		drawing.At = append(drawing.At, float64(at))
	}
	if len(s.Tokens) == len(s.AtNS) {
		drawing.N = s.Tokens
	}
	gaps := gapsOf(s)
	shown := shownOf(b, gaps, gapRows)
	longest := gaps[0]
	answer := fmt.Sprintf("the first token came after %s, then %s until %s; the longest gap is %s, after %s", reports.Duration(s.FirstNS),
		plural(int64(len(s.AtNS)), "chunk"), reports.Duration(s.EndNS), reports.Duration(longest.ns), reports.Duration(longest.at-longest.ns))
	var of []string
	for _, x := range []struct {
		label string
		v     *int64
	}{{"p50", s.P50NS}, {"p99", s.P99NS}} {
		if x.v != nil {
			drawing.Marks = append(drawing.Marks, chart.Mark{Label: x.label + " of all", Value: float64(*x.v), Low: math.NaN(), High: math.NaN()})
			of = append(of, x.label+" "+reports.Duration(*x.v))
		}
	}
	if of != nil {
		answer += fmt.Sprintf(" (gaps of all requests: %s, n = %s)", strings.Join(of, ", "), reports.Integer(s.Gaps))
	}
	out := chartOf{
		figure:  Figure{ID: "figure-stream", Answer: answer, Drawing: drawing},
		tables:  []Table{gapTable(Table{ID: "longest-gaps", Caption: "the longest gaps of trace " + s.Request.TraceID}, shown)},
		remarks: []string{"every chunk is in " + streamTitle},
	}
	if b.limit != nil && len(shown) < len(gaps) {
		out.remarks = append(out.remarks, cutWords(len(shown), len(gaps)))
	}
	if len(drawing.Held) > 0 {
		var held []string
		for _, h := range drawing.Held {
			held = append(held, fmt.Sprintf("%s to %s", reports.Duration(wholeOf(h.From)), reports.Duration(wholeOf(h.To))))
		}
		out.remarks = append(out.remarks, "meanwhile prompts of others were prefilled: "+strings.Join(held, ", "))
	}
	return out
}

// gapRows is how many gaps have a row in the table of the longest, and chunkRows how many chunks
// in that of all; the rest are counted.
const (
	gapRows   = 10
	chunkRows = 500
)

// gap is the time before a chunk.
type gap struct {
	chunk  int   // 1 for the first
	at, ns int64 // when the chunk came, from the start of the request, and how long after the one before
	tokens int64 // in it; below 0 where nothing tells
}

// chunksOf returns the chunks of a stream with the gaps before them; the first has that to the
// start of the request.
func chunksOf(s reports.Stream) []gap {
	out := make([]gap, len(s.AtNS))
	before := int64(0)
	for i, at := range s.AtNS {
		out[i] = gap{i + 1, at, at - before, -1}
		if len(s.Tokens) == len(s.AtNS) {
			out[i].tokens = s.Tokens[i]
		}
		before = at
	}
	return out
}

// gapsOf returns the gaps between chunks, the longest first.
func gapsOf(s reports.Stream) []gap {
	list := chunksOf(s)[1:]
	slices.SortStableFunc(list, func(a, b gap) int { return cmp.Compare(b.ns, a.ns) })
	return list
}

// streamOf returns the stream with the longest gap, the first of equals.
func streamOf(r *reports.Report) (best reports.Stream, ok bool) {
	for _, s := range r.Streams {
		if len(s.AtNS) < 2 {
			continue
		}
		if !ok || gapsOf(s)[0].ns > gapsOf(best)[0].ns {
			best, ok = s, true
		}
	}
	return best, ok
}

// heldBy returns the stalls of a stream in which prompts of others were prefilled.
func heldBy(d reports.Document, s reports.Stream) (out []chart.Bracket) {
	for _, r := range d.Requests {
		if r.TraceID != s.Request.TraceID || r.RootSpanID != s.Request.RootSpanID || r.Stalls == nil {
			continue
		}
		for _, x := range r.Stalls.List {
			if x.AttributedNS > 0 {
				out = append(out, chart.Bracket{Label: "prefill of others", From: float64(x.StartNS - r.StartNS), To: float64(x.EndNS - r.StartNS)})
			}
		}
		break
	}
	return out
}

// gapTable writes chunks with the gaps before them.
func gapTable(t Table, list []gap) Table {
	var at, lengths []int64
	told := false
	for _, g := range list {
		at, lengths, told = append(at, g.at), append(lengths, g.ns), told || g.tokens >= 0
	}
	u, v := reports.CommonUnit(at...), reports.CommonUnit(lengths...)
	t.Columns = []Column{{Head: "chunk"}, {Head: "came after " + u.Name}, {Head: "gap before it " + v.Name}}
	if told {
		t.Columns = append(t.Columns, Column{Head: "tokens"})
	}
	for _, g := range list {
		row := []string{reports.Integer(int64(g.chunk)), u.Format(g.at), v.Format(g.ns)}
		if told {
			row = append(row, reports.Integer(g.tokens))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// waterfallFigure draws the spans of a request, on a page that lists them.
func (b *builder) waterfallFigure(r reports.Request) { b.silently(waterfallChart(r)) }

// marked reports whether a segment is one of those that a row marks as its own. The id of a span
// does not tell: in Zipkin's format the two sides of a call share one.
func marked(row reports.Row, s reports.Segment) bool {
	return slices.ContainsFunc(row.Marks, func(m reports.Mark) bool { return m.StartNS <= s.StartNS && s.EndNS <= m.EndNS })
}

// waterfallChart draws the spans of a request: its critical path solid, the rest in outline. A span
// that several stages share has a row for each of them.
func waterfallChart(r reports.Request) chartOf {
	if len(r.Rows) == 0 {
		return chartOf{missing: "no spans to draw of trace " + r.TraceID}
	}
	w := chart.Waterfall{To: float64(r.DurationNS)}
	divided := make([]bool, len(r.Rows)) // rows of spans with rows for their stages
	for i, of := range parents(r.Rows) {
		if r.Rows[i].OfStage && of >= 0 {
			divided[of] = true
		}
	}
	from := func(ns int64) float64 { return float64(ns - r.StartNS) }
	for i, x := range r.Rows {
		span := chart.Span{Label: rowLabel(x, r.Units > 1), Depth: max(0, x.Depth), From: from(x.StartNS), To: from(x.EndNS)}
		switch {
		case x.OfStage:
			stage, _, _ := strings.Cut(x.Label, "/")
			for _, m := range x.Marks {
				span.OnPath = append(span.OnPath, chart.Piece{From: from(m.StartNS), To: from(m.EndNS), Stage: stage})
				span.Derived = span.Derived || m.Sign == "derived"
			}
		case !divided[i]:
			for _, s := range r.Path {
				if s.SpanID == x.SpanID && marked(x, s) {
					span.OnPath = append(span.OnPath, chart.Piece{From: from(s.StartNS), To: from(s.EndNS), Stage: s.Stage})
				}
			}
		}
		w.Spans = append(w.Spans, span)
	}
	if r.FirstTokenNS != nil {
		w.Ticks = append(w.Ticks, chart.Mark{Label: "first token", Value: from(*r.FirstTokenNS), Low: math.NaN(), High: math.NaN()})
	}
	if r.FirstByteNS != nil {
		w.Ticks = append(w.Ticks, chart.Mark{Label: "first byte", Value: from(*r.FirstByteNS), Low: math.NaN(), High: math.NaN()})
	}
	return chartOf{figure: Figure{ID: "figure-request", Answer: r.Headline, Drawing: w}}
}
