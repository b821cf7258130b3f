package analyze

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/ingest/table"
)

// TokenStream is when the pieces of one response came, in ns from the start of the request.
type TokenStream struct {
	Request Exemplar
	// FirstNS is the time to the first token of the requests table, which another span may have
	// told; where that has none, the first token by the pieces, or the first piece where nothing
	// says which brought it.
	FirstNS int64
	EndNS   int64   // of the request
	AtNS    []int64 // ascending
	Tokens  []int64 // in each; nil where nothing tells
}

// mostPieces is of how many pieces a response may be to be shown: more are no picture.
const mostPieces = 4000

// ofPieces is what is known of a response before it is shown.
type ofPieces struct {
	row       int32
	ns, split int64 // duration, and the longest gap between pieces
}

// tokenStreams chooses responses whose pieces were recorded: one that took as long as the median
// of these, the one with the longest gap and the slowest; each once.
func tokenStreams(set *table.Set, rows []int32) (out []TokenStream) {
	m := newMeasured(set)
	if m.events.owner == nil {
		return nil
	}
	var found []ofPieces
	for _, row := range rows {
		s := m.stream(row)
		if s.Stream == nil {
			continue
		}
		chunks := s.Chunks()
		if len(chunks) < 2 || len(chunks) > mostPieces {
			continue
		}
		one := ofPieces{row: row, ns: set.Requests.Duration[row]}
		for i := range chunks[1:] {
			one.split = max(one.split, chunks[i+1].AtNS-chunks[i].AtNS)
		}
		found = append(found, one)
	}
	if len(found) == 0 {
		return nil
	}
	req := &set.Requests
	by := func(of func(ofPieces) int64) []ofPieces {
		list := slices.Clone(found)
		slices.SortFunc(list, func(a, b ofPieces) int {
			return cmp.Or(cmp.Compare(of(a), of(b)), bytes.Compare(req.TraceID[a.row][:], req.TraceID[b.row][:]), bytes.Compare(req.RootSpanID[a.row][:], req.RootSpanID[b.row][:]))
		})
		return list
	}
	slow, apart := by(func(s ofPieces) int64 { return s.ns }), by(func(s ofPieces) int64 { return s.split })
	seen := map[int32]bool{}
	for _, one := range []ofPieces{slow[(len(slow)-1)/2], apart[len(apart)-1], slow[len(slow)-1]} {
		if !seen[one.row] {
			seen[one.row] = true
			out = append(out, m.tokenStream(one.row))
		}
	}
	return out
}

// tokenStream writes down when the pieces of a response came.
func (m *measured) tokenStream(row int32) TokenStream {
	s, ns := m.stream(row), m.set.Requests.Duration[row]
	out := TokenStream{Request: exemplar(m.set, row, ns), EndNS: ns}
	for _, c := range s.Chunks() {
		out.AtNS = append(out.AtNS, c.AtNS)
		if s.counted {
			out.Tokens = append(out.Tokens, c.Tokens)
		}
	}
	out.FirstNS = out.AtNS[0]
	for _, t := range []tokens.Times{s.Times(), m.columns(row)} {
		if t.FirstTokenNS != tokens.Absent {
			out.FirstNS = t.FirstTokenNS
		}
	}
	return out
}
