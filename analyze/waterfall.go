package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// waterfall lays out the spans of a request, depth first as they are recorded. Under
// a span on the path stands a line for every stage its path time is of, unless that
// is nothing but a service's own work.
func waterfall(set *table.Set, req *critical.Request, limit int) (rows []Row, omitted int64) {
	own := make([][]critical.Segment, len(req.Spans))
	for _, s := range req.EndPath {
		own[s.Span] = append(own[s.Span], s)
	}
	shown := shownSpans(req, own, limit)
	for i, span := range req.Spans {
		if !shown[i] {
			omitted++
			continue
		}
		row := Row{
			Depth: int(span.Depth), Label: spanName(set, req, int32(i)), Service: service(set, req, int32(i)), SpanID: span.ID,
			Start: span.Start, End: span.End, Role: span.Role.String(), Repair: span.Repair, Line: table.Missing,
		}
		if r := span.Row; r >= 0 && int(r) < set.Spans.Len() {
			row.Kind = table.KindNames[set.Spans.Kind[r]]
			row.Error = table.StatusNames[set.Spans.Status[r]] == "ERROR"
			if row.Record = set.Spans.Origin[r] == table.OriginRecord; row.Record {
				row.Source, row.Line = set.Symbols.Text(set.Spans.Source[r]), set.Spans.Line[r]
			}
		}
		row.mark(own[i])
		rows = append(rows, row)
		rows = append(rows, stageRows(row, own[i])...)
	}
	return rows, omitted
}

// mark puts segments on a row; back-to-back ones of one sign become one mark.
func (r *Row) mark(segments []critical.Segment) {
	for _, s := range segments {
		r.OnPath += s.Duration()
		sign := signOf(s)
		if n := len(r.Marks); n > 0 && r.Marks[n-1].End == s.Start && r.Marks[n-1].Sign == sign {
			r.Marks[n-1].End = s.End
			continue
		}
		r.Marks = append(r.Marks, Mark{s.Start, s.End, sign})
	}
}

func signOf(s critical.Segment) Sign {
	switch {
	case s.OverlappedBy >= 0:
		return Ambiguous
	case s.Confidence == critical.Anchored:
		return Derived
	}
	return OnPath
}

// stageRows returns a line for every stage and detail of a span's path time, in
// order of first start, when there is more to say than the span's own line does.
func stageRows(of Row, segments []critical.Segment) []Row {
	type key struct {
		stage  stage.Stage
		detail string
	}
	var order []key
	parts := map[key][]critical.Segment{}
	derived := false
	for _, s := range segments {
		k := key{s.Stage, s.Detail}
		if _, ok := parts[k]; !ok {
			order = append(order, k)
		}
		parts[k] = append(parts[k], s)
		derived = derived || s.Confidence == critical.Anchored
	}
	if len(order) == 0 || len(order) == 1 && !derived && (order[0].stage == stage.Gateway || order[0].stage == stage.Application) {
		return nil // a service's own work: the span's line says as much
	}
	var rows []Row
	for _, k := range order {
		part := parts[k]
		row := Row{
			Depth: of.Depth + 1, Label: StageLabel(k.stage, k.detail), OfStage: true, Service: of.Service, SpanID: of.SpanID,
			Start: part[0].Start, End: part[len(part)-1].End, Line: table.Missing,
		}
		row.mark(part)
		rows = append(rows, row)
	}
	return rows
}

// StageLabel names a stage with its detail, such as "gpu/decode".
func StageLabel(s stage.Stage, detail string) string {
	if detail == "" {
		return s.String()
	}
	return s.String() + "/" + detail
}

// shownSpans chooses the spans that get a line.
func shownSpans(req *critical.Request, own [][]critical.Segment, limit int) []bool {
	shown := make([]bool, len(req.Spans))
	if limit <= 0 || limit >= len(req.Spans) {
		for i := range shown {
			shown[i] = true
		}
		return shown
	}
	count := 0
	show := func(i int32) {
		for ; i >= 0 && !shown[i]; i = req.Spans[i].Parent {
			shown[i] = true
			count++
		}
	}
	for i := range own {
		if len(own[i]) > 0 {
			show(int32(i))
		}
	}
	var rest []int32
	for i := range req.Spans {
		if !shown[i] {
			rest = append(rest, int32(i))
		}
	}
	slices.SortFunc(rest, func(a, b int32) int {
		x, y := req.Spans[a], req.Spans[b]
		return cmp.Or(cmp.Compare(y.End-y.Start, x.End-x.Start), cmp.Compare(x.Start, y.Start), cmp.Compare(a, b))
	})
	for _, i := range rest {
		if count >= limit {
			break
		}
		show(i)
	}
	return shown
}
