package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Explanation is one request in full: its waterfall, its critical path with the
// reason for every segment, and where it stands among its peers.
type Explanation struct {
	Facts     Facts
	Rows      []Row
	Omitted   int64 // spans off the path without a row, because of the limit
	Path      []PathSegment
	TokenPath []PathSegment
	BytePath  []PathSegment
	Waits     []Wait // queue segments of Path, in its order; nil when engines are not known
	State     *State // of the engine when the longest wait began; nil when it is not known
	Stalls    Stalls
	Excluded  []Count // spans of the trace that are no part of the request, by reason
	Standing  Standing
	// Measures are of the request by itself: those of [OfRequest], and then those by the
	// definitions of the options of the peers. Gaps are those between its tokens.
	Measures []RequestMeasure
	Gaps     []RequestGaps
}

// Facts are what is known of the request as a whole.
type Facts struct {
	TraceID                    table.TraceID
	RootSpanID                 table.SpanID
	Name, Service              string
	Record                     bool   // the root was made of a record, and its ids of the record's place
	Source                     string // input that the record was read from
	Line                       int64  // 1-based; table.Missing when the input has no lines
	Model, Route, RequestID    string
	Class                      critical.Class
	ClassReason                string
	Error                      bool
	Start, End                 int64 // ns on Clock
	Clock                      uint8 // as in table.ClockNames
	FirstToken                 int64 // table.Missing when unknown
	FirstTokenBasis            string
	FirstByte                  int64 // likewise
	FirstByteBasis             string
	Units                      int64  // traces and records that tell of it
	JoinBasis                  string // the weakest key that they were joined by; empty when nothing was joined
	Attempts                   int64  // attempts at it that were recorded
	ToldBy                     []Told
	PromptTokens, OutputTokens int64 // table.Missing when unknown
	CachedTokens               int64 // of the prompt, that a cache held; likewise
	Aborted                    bool  // who asked for it gave it up
	SpansIn, OnPath, OffPath   int64
	SpansExcluded              int64
}

// Count is a name and how often it was met.
type Count struct {
	Name string
	N    int64
}

// Row is one line of the waterfall: a span, or one stage of a span that spent its
// time in several.
type Row struct {
	Depth      int
	Label      string // span name, or stage and detail
	OfStage    bool   // a line for a stage within the span above
	Service    string
	Kind       string
	SpanID     table.SpanID
	Start, End int64 // effective, ns since the Unix epoch
	OnPath     int64 // ns on the critical path
	Role       string
	Repair     string
	Error      bool
	Record     bool   // the span was made of a record, which Source and Line are of
	Source     string // input
	Line       int64  // 1-based; table.Missing for spans, and when the input has no lines
	Marks      []Mark // stretches on the path, in order of time
}

// Mark is a stretch of a row that is on the critical path.
type Mark struct {
	Start, End int64
	Sign       Sign
}

// Sign says how a stretch of the path is known.
type Sign string

// The signs.
const (
	OnPath    Sign = "path"
	Derived   Sign = "derived"   // placed from a duration, not from two recorded times
	Ambiguous Sign = "ambiguous" // a child that is not on the path ran meanwhile
)

// PathSegment is a segment with the names its numbers stand for.
type PathSegment struct {
	Start, End   int64
	Stage        stage.Stage
	Detail       string
	Confidence   critical.Confidence
	Error        int64 // ns; bound on the misplacement of either end
	SpanID       table.SpanID
	SpanName     string
	Service      string
	Reason, Rule string
	OverlappedBy string // name of a span off the path that ran meanwhile
	Cause        string // why it waited, of the queue segments of the path to the end
}

// Explain describes one request. limit bounds the waterfall's lines, 0 for all:
// spans on the path and their ancestors always have one, the longest of the others
// fill what is left, and the rest are counted. Without engines, nil, nothing is said of
// what ran beside it.
func Explain(set *table.Set, req *critical.Request, peers *Peers, engines *engine.Timelines, limit int) Explanation {
	row, listed := -1, false
	if len(req.Spans) > 0 {
		row, listed = requestRow(set, req.TraceID, req.Spans[0].ID)
	}
	e := Explanation{
		Facts:     facts(set, req, row, listed),
		Path:      pathSegments(set, req, req.EndPath),
		TokenPath: pathSegments(set, req, req.TokenPath),
		BytePath:  pathSegments(set, req, req.BytePath),
		Excluded:  countExclusions(req.Excluded),
	}
	if listed {
		e.addBeside(set, req, engines, row)
	}
	e.Rows, e.Omitted = waterfall(set, req, limit)
	e.Standing = peers.standing(set, req)
	if listed {
		e.Standing.Alike = peers.alike(set, row, req.End-req.Start)
	}
	e.addMeasures(peers, row, listed)
	return e
}

// addBeside says why the request waited, and for whom.
func (e *Explanation) addBeside(set *table.Set, req *critical.Request, engines *engine.Timelines, row int) {
	b, ok := besideOf(set, req, engines, row)
	if !ok {
		return
	}
	for i, cause := range b.causes() {
		e.Path[i].Cause = cause
	}
	if engines != nil {
		e.Waits, e.Stalls = b.waits(), b.stalls()
		e.State = b.state(e.Waits)
	}
}

// facts gathers what is known of a request; row is its place in the requests table, if it
// is listed there.
func facts(set *table.Set, req *critical.Request, row int, listed bool) Facts {
	f := Facts{
		TraceID: req.TraceID, Class: req.Class, ClassReason: req.ClassReason,
		Start: req.Start, End: req.End, Clock: set.Spans.Clock[req.Spans[0].Row], FirstToken: req.FirstToken, FirstTokenBasis: req.Basis,
		FirstByte: table.Missing, Units: int64(max(1, req.Units)), Attempts: int64(max(1, req.Attempts)), ToldBy: toldBy(set, req),
		PromptTokens: table.Missing, OutputTokens: table.Missing, CachedTokens: cachedTokens(set, req), Line: table.Missing, SpansExcluded: int64(len(req.Excluded)),
	}
	f.SpansIn = int64(len(req.Spans)) + f.SpansExcluded
	if req.BytePath != nil {
		f.FirstByte, f.FirstByteBasis = req.FirstByte, req.ByteBasis
	}
	if f.Units > 1 {
		f.JoinBasis = req.JoinedBy.String()
	}
	owners := map[int32]bool{}
	for _, s := range req.EndPath {
		owners[s.Span] = true
	}
	f.OnPath = int64(len(owners))
	f.OffPath = int64(len(req.Spans)) - f.OnPath
	if len(req.Spans) > 0 {
		f.RootSpanID = req.Spans[0].ID
		root := req.Spans[0].Row
		if f.Record = set.Spans.Origin[root] == table.OriginRecord; f.Record {
			f.Source, f.Line = set.Symbols.Text(set.Spans.Source[root]), set.Spans.Line[root]
		}
		f.Name, f.Service = spanName(set, req, 0), service(set, req, 0)
	}
	if listed {
		t := &set.Requests
		f.Aborted = t.Aborted[row]
		f.Name, f.Service = set.Symbols.Text(t.Name[row]), set.Symbols.Text(t.Service[row])
		f.Model, f.Route, f.RequestID = set.Symbols.Text(t.Model[row]), set.Symbols.Text(t.Route[row]), t.RequestID[row]
		f.Error, f.PromptTokens, f.OutputTokens = t.Error[row], t.PromptTokens[row], t.OutputTokens[row]
	}
	return f
}

// requestRow finds a request in the requests table.
func requestRow(set *table.Set, trace table.TraceID, root table.SpanID) (row int, ok bool) {
	for i, id := range set.Requests.TraceID {
		if id == trace && set.Requests.RootSpanID[i] == root {
			return i, true
		}
	}
	return 0, false
}

// spanName returns the recorded name of span i of the request.
func spanName(set *table.Set, req *critical.Request, i int32) string {
	row := req.Spans[i].Row
	if row < 0 || int(row) >= set.Spans.Len() {
		return ""
	}
	return set.Symbols.Text(set.Spans.Name[row])
}

// service returns the service of span i of the request.
func service(set *table.Set, req *critical.Request, i int32) string {
	row := req.Spans[i].Row
	if row < 0 || int(row) >= set.Spans.Len() {
		return ""
	}
	scope := set.Spans.ScopeRow[row]
	if scope < 0 || int(scope) >= set.Scopes.Len() {
		return ""
	}
	return set.Symbols.Text(set.Scopes.Service[scope])
}

func pathSegments(set *table.Set, req *critical.Request, path critical.Path) []PathSegment {
	out := make([]PathSegment, 0, len(path))
	for _, s := range path {
		p := PathSegment{
			Start: s.Start, End: s.End, Stage: s.Stage, Detail: s.Detail, Confidence: s.Confidence, Error: s.Error,
			SpanID: req.Spans[s.Span].ID, SpanName: spanName(set, req, s.Span), Service: service(set, req, s.Span),
			Reason: s.Reason, Rule: s.Rule,
		}
		if s.OverlappedBy >= 0 {
			p.OverlappedBy = spanName(set, req, s.OverlappedBy)
		}
		out = append(out, p)
	}
	return out
}

func countExclusions(excluded []critical.Exclusion) []Count {
	counts := map[string]int64{}
	for _, x := range excluded {
		counts[x.Reason]++
	}
	return countList(counts)
}

// countList lists counts, the greatest first.
func countList(counts map[string]int64) []Count {
	out := make([]Count, 0, len(counts))
	for name, n := range counts {
		out = append(out, Count{name, n})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	return out
}
