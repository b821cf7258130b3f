package reports

import (
	"encoding/hex"

	"github.com/tailpath/tailpath/analyze"
)

// Request is one request of an explain document.
type Request struct {
	TraceID      string           `json:"trace_id"`
	RootSpanID   string           `json:"root_span_id"`
	Headline     string           `json:"headline"`
	Name         string           `json:"name"`
	Service      string           `json:"service,omitempty"`
	Model        string           `json:"model,omitempty"`
	Route        string           `json:"route,omitempty"`
	RequestID    string           `json:"request_id,omitempty"`
	Class        string           `json:"class"`
	ClassReason  string           `json:"class_reason,omitempty"`
	Error        bool             `json:"error"`
	StartNS      int64            `json:"start_ns"`
	EndNS        int64            `json:"end_ns"`
	Source       string           `json:"source"`         // input that a record was read from; empty for spans
	Line         int64            `json:"line,omitempty"` // 1-based; absent when the input has no lines
	Record       bool             `json:"record"`         // the root was made of a log line or record, and its ids of the place of that
	Clock        string           `json:"clock"`          // wall, steady, or none where durations alone are recorded
	Start        string           `json:"start"`          // empty when the clock is not the wall clock
	DurationNS   int64            `json:"duration_ns"`
	FirstTokenNS *int64           `json:"first_token_ns"` // instant; null when unknown
	Basis        string           `json:"first_token_basis,omitempty"`
	FirstByteNS  *int64           `json:"first_byte_ns"` // likewise
	ByteBasis    string           `json:"first_byte_basis,omitempty"`
	Units        int64            `json:"units"`                // traces and records that tell of it
	JoinBasis    string           `json:"join_basis,omitempty"` // the weakest key that they were joined by
	Attempts     int64            `json:"attempts"`
	ToldBy       []Told           `json:"told_by"`
	PromptTokens *int64           `json:"prompt_tokens"`
	OutputTokens *int64           `json:"output_tokens"`
	CachedTokens *int64           `json:"cached_tokens"` // of the prompt, that a cache held; null when unknown
	Outcome      string           `json:"outcome"`       // ok, error, aborted when who asked for it gave it up, or else the class
	Measures     []RequestMeasure `json:"measures"`
	Gaps         []RequestGaps    `json:"gaps"` // between its tokens
	Rows         []Row            `json:"rows"`
	RowsOmitted  int64            `json:"rows_omitted"`
	Stages       []StageShare     `json:"stages"` // mean_ns is the stage's time; every stage, in path order
	Path         []Segment        `json:"path"`
	TokenPath    []Segment        `json:"token_path"`
	BytePath     []Segment        `json:"byte_path"`
	Waits        []Wait           `json:"waits"`   // queue segments of path
	State        *EngineState     `json:"state"`   // null when it is not known
	Stalls       *Stalls          `json:"stalls"`  // null without any
	Longest      *int             `json:"longest"` // index in path; null without a path
	Spans        SpanAccount      `json:"spans"`
	Standing     Standing         `json:"standing"`
}

// Row is a line of the waterfall.
type Row struct {
	Depth    int    `json:"depth"`
	Label    string `json:"label"`
	OfStage  bool   `json:"of_stage"` // a stage of the span above, not a span
	Service  string `json:"service,omitempty"`
	Kind     string `json:"kind,omitempty"`
	SpanID   string `json:"span_id"`
	StartNS  int64  `json:"start_ns"`
	EndNS    int64  `json:"end_ns"`
	OnPathNS int64  `json:"on_path_ns"`
	Role     string `json:"role,omitempty"`
	Repair   string `json:"repair,omitempty"`
	Error    bool   `json:"error"`
	Source   string `json:"source,omitempty"` // input of the record that the span was made of
	Line     int64  `json:"line,omitempty"`
	Marks    []Mark `json:"marks"`
}

// Mark is a stretch of a row that is on the critical path: "path", "derived" when
// it was placed from a duration, "ambiguous" when a span off the path ran meanwhile.
type Mark struct {
	StartNS int64  `json:"start_ns"`
	EndNS   int64  `json:"end_ns"`
	Sign    string `json:"sign"`
}

// Segment is a segment of a critical path.
type Segment struct {
	StartNS      int64  `json:"start_ns"`
	EndNS        int64  `json:"end_ns"`
	DurationNS   int64  `json:"duration_ns"`
	Stage        string `json:"stage"`
	Detail       string `json:"detail,omitempty"`
	Confidence   string `json:"confidence"`
	ErrorNS      int64  `json:"error_ns"`
	SpanID       string `json:"span_id"`
	SpanName     string `json:"span_name"`
	Service      string `json:"service,omitempty"`
	Reason       string `json:"reason"`
	Rule         string `json:"rule"`
	OverlappedBy string `json:"overlapped_by,omitempty"`
	Cause        string `json:"cause,omitempty"` // why it waited, of queue segments of the path to the end
}

// SpanAccount accounts for the spans of one request.
type SpanAccount struct {
	In       int64   `json:"in"`
	OnPath   int64   `json:"on_path"`
	OffPath  int64   `json:"off_path"`
	Excluded int64   `json:"excluded"`
	Reasons  []Count `json:"reasons"`
}

// Standing compares a request with its peers.
type Standing struct {
	Peers        int64             `json:"peers"`
	InPopulation bool              `json:"in_population"`
	Rank         int64             `json:"rank"`   // 1 is the fastest; equals by trace id
	Faster       int64             `json:"faster"` // peers that took strictly less time
	Ties         int64             `json:"ties"`   // other peers that took exactly as long
	Words        string            `json:"words"`  // as Population.Words
	Body         int64             `json:"body"`   // usual requests that the medians are of
	Stages       []StageDifference `json:"stages"`
	Middle       *RequestRef       `json:"middle"` // the median request; null without peers
	Alike        *Alike            `json:"alike"`  // null when nothing says how long its prompt is
}

// Alike are the peers that asked for about the same: of the same model, and with prompts no more
// than a quarter longer or shorter.
type Alike struct {
	Model    string `json:"model"` // empty when it is unknown, of all of them
	Least    int64  `json:"prompt_tokens_least"`
	Most     int64  `json:"prompt_tokens_most"`
	N        int64  `json:"n"`         // without the request itself
	Faster   int64  `json:"faster"`    // of them, those that took strictly less time
	Ties     int64  `json:"ties"`      // and those that took exactly as long
	MedianNS *int64 `json:"median_ns"` // of their duration; null when they are too few
}

// StageDifference compares one stage with its median over the usual requests, and over those
// that are alike. Each is null when these are too few. Medians of stages do not add up.
type StageDifference struct {
	Stage    string `json:"stage"`
	NS       int64  `json:"ns"`
	MedianNS *int64 `json:"median_ns"`
	AlikeNS  *int64 `json:"alike_median_ns"`
}

// Explain makes the document of explained requests.
func (r Run) Explain(requests []analyze.Explanation) Document {
	d := r.document(KindExplain)
	d.Requests = []Request{}
	for _, e := range requests {
		d.Requests = append(d.Requests, request(e))
	}
	d.Headline = r.explainHeadline(d.Requests)
	d.Next = r.afterExplain(requests)
	return d
}

func request(e analyze.Explanation) Request {
	f := e.Facts
	out := Request{
		TraceID: hex.EncodeToString(f.TraceID[:]), RootSpanID: hex.EncodeToString(f.RootSpanID[:]), Name: f.Name, Service: f.Service,
		Model: f.Model, Route: f.Route, RequestID: f.RequestID, Class: f.Class.String(), ClassReason: f.ClassReason, Error: f.Error,
		StartNS: f.Start, EndNS: f.End, Source: f.Source, Record: f.Record, Clock: analyze.ClockName(f.Clock), Start: instant(f.Clock, f.Start), DurationNS: f.End - f.Start, FirstTokenNS: known(f.FirstToken), Basis: f.FirstTokenBasis,
		FirstByteNS: known(f.FirstByte), ByteBasis: f.FirstByteBasis, Units: f.Units, JoinBasis: f.JoinBasis, Attempts: f.Attempts, ToldBy: toldBy(f.ToldBy),
		PromptTokens: known(f.PromptTokens), OutputTokens: known(f.OutputTokens),
		CachedTokens: known(f.CachedTokens), Outcome: outcomeOf(f), Measures: requestMeasures(e.Measures), Gaps: requestGaps(e.Gaps),
		Rows: []Row{}, RowsOmitted: e.Omitted, Path: segments(e.Path), TokenPath: segments(e.TokenPath), BytePath: segments(e.BytePath),
		Waits: waits(e.Waits), State: engineState(e.State), Stalls: stalls(e.Stalls),
		Spans:    SpanAccount{f.SpansIn, f.OnPath, f.OffPath, f.SpansExcluded, counts(e.Excluded)},
		Standing: standing(e.Standing),
	}
	if f.Line != analyze.Missing {
		out.Line = f.Line
	}
	for _, row := range e.Rows {
		line := Row{
			Depth: row.Depth, Label: row.Label, OfStage: row.OfStage, Service: row.Service, Kind: row.Kind, SpanID: hex.EncodeToString(row.SpanID[:]),
			StartNS: row.Start, EndNS: row.End, OnPathNS: row.OnPath, Role: row.Role, Repair: row.Repair, Error: row.Error, Source: row.Source, Marks: []Mark{},
		}
		if row.Line != analyze.Missing {
			line.Line = row.Line
		}
		for _, m := range row.Marks {
			line.Marks = append(line.Marks, Mark{m.Start, m.End, string(m.Sign)})
		}
		out.Rows = append(out.Rows, line)
	}
	for k, name := range analyze.StageNames() {
		share := StageShare{Stage: name, MeanNS: e.Standing.Stages[k].NS}
		if out.DurationNS > 0 {
			share.Share = float64(share.MeanNS) / float64(out.DurationNS)
		}
		out.Stages = append(out.Stages, share)
	}
	for i, s := range out.Path {
		if out.Longest == nil || s.DurationNS > out.Path[*out.Longest].DurationNS {
			out.Longest = &i
		}
	}
	out.Headline = requestHeadline(out)
	return out
}

func segments(in []analyze.PathSegment) []Segment {
	out := make([]Segment, 0, len(in))
	for _, s := range in {
		out = append(out, Segment{
			StartNS: s.Start, EndNS: s.End, DurationNS: s.End - s.Start, Stage: s.Stage.String(), Detail: s.Detail,
			Confidence: s.Confidence.String(), ErrorNS: s.Error, SpanID: hex.EncodeToString(s.SpanID[:]), SpanName: s.SpanName,
			Service: s.Service, Reason: s.Reason, Rule: s.Rule, OverlappedBy: s.OverlappedBy, Cause: s.Cause,
		})
	}
	return out
}

func standing(s analyze.Standing) Standing {
	out := Standing{Peers: s.Peers, InPopulation: s.InPopulation, Rank: s.Rank, Faster: s.Faster, Ties: s.Ties, Body: s.Body}
	if s.KeptTraces {
		out.Words = "among kept traces"
	}
	if s.Peers > 0 {
		out.Middle = requestRef(s.Middle)
	}
	if a := s.Alike; a.Known {
		out.Alike = &Alike{Model: a.Model, Least: a.Least, Most: a.Most, N: a.N, Faster: a.Faster, Ties: a.Ties}
		if a.HasMedians {
			out.Alike.MedianNS = &s.Alike.MedianNS
		}
	}
	for k, name := range analyze.StageNames() {
		d := StageDifference{Stage: name, NS: s.Stages[k].NS}
		if s.HasBody {
			d.MedianNS = &s.Stages[k].MedianNS
		}
		if s.Alike.HasMedians {
			d.AlikeNS = &s.Alike.MediansNS[k]
		}
		out.Stages = append(out.Stages, d)
	}
	return out
}
