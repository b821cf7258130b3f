package critical

import (
	"github.com/tailpath/tailpath/critical/join"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Class says how much of a request was recorded, by the order of table.ClassNames.
type Class uint8

// The classes. Only complete requests have durations that may be compared.
const (
	Complete   Class = iota // root and all parents are there and every span ended
	Incomplete              // a fragment: its root's parent, or another part, was never recorded
	Unfinished              // the root never ended
	Broken                  // not a request, or no path could be built; ClassReason says why
)

// String returns the class's name.
func (c Class) String() string { return table.ClassNames[c] }

// Target is the instant a path leads to, by the order of table.TargetNames.
type Target uint8

// The targets.
const (
	End        Target = iota // end of the request
	FirstToken               // first token, as seen at the request's vantage point
	FirstByte                // first byte of the response, at the outermost place that saw it
)

// String returns the target's name.
func (t Target) String() string { return table.TargetNames[t] }

// Confidence says how well the ends of a segment are known, by the order of
// table.ConfidenceNames.
type Confidence uint8

// The confidences.
const (
	Exact    Confidence = iota // both ends were recorded on one clock
	Anchored                   // a recorded duration was placed by inference
	Residual                   // what was left over
)

// String returns the confidence's name.
func (c Confidence) String() string { return table.ConfidenceNames[c] }

// Request is one root's work, assembled from the traces and records that tell of it.
// Times are on the clock of the root: nanoseconds since the Unix epoch, UTC, unless
// the table says otherwise.
type Request struct {
	TraceID     table.TraceID
	Class       Class
	ClassReason string
	Start, End  int64
	FirstToken  int64      // table.Missing when it is not known
	Basis       string     // what served as the first token
	FirstByte   int64      // table.Missing when it is not known
	ByteBasis   string     // what served as the first byte
	Units       int        // traces and records that tell of it
	JoinedBy    join.Basis // the weakest key that these were joined by
	Attempts    int        // attempts at it that were recorded
	Spans       []Span     // depth first, siblings by start, end, id; Spans[0] is the root
	Excluded    []Exclusion
	EndPath     Path // leads to End; empty when Broken, Unfinished or of no length
	TokenPath   Path // leads to FirstToken; empty when it is not known
	BytePath    Path // leads to FirstByte; empty when it is not known
	// Drag is, for every stage, by how much the request would end earlier if the stage took
	// no time on EndPath, in ns: at most its time there, less where other work ran beside it.
	Drag [stage.Count]int64
}

// Span is one span of a request.
type Span struct {
	Row        int32 // row in the spans table
	ID         table.SpanID
	Parent     int32 // index in Request.Spans; -1 for the root
	Depth      int32
	Start, End int64  // effective: after repairs, before clipping to the parent
	Role       Role   // how it relates to its parent's time
	Repair     string // what was repaired, if anything
}

// Role says how a span relates to the time of its parent.
type Role uint8

// The roles.
const (
	Root      Role = iota // no parent in this request
	Blocking              // the parent waits for it
	Clipped               // blocking beyond the parent's end: clipped to the parent
	Detached              // it outlives its parent, which did not wait for it
	Successor             // it lies wholly outside its parent: follows from it
	HandOff               // a consumer that begins after its producer ended
	Async                 // marked as not waited for, or runs while its producer goes on
	Abandoned             // cancelled once another attempt at the same call had answered
	Container             // it only holds others together: its children are its parent's
	Record                // it tells of the same work as its parent, whose own time it cuts finer
)

var roleNames = []string{"root", "blocking", "clipped", "detached", "successor", "hand-off", "async", "abandoned", "container", "record"}

// String returns the role's name.
func (r Role) String() string { return roleNames[r] }

// Exclusion is a span of the trace that is no part of the request, and why.
type Exclusion struct {
	Row    int32
	Reason string
}

// Path is a critical path: segments that tile [first Start, last End) exactly, in
// order of time.
type Path []Segment

// Segment is a half-open interval [Start, End) of a request, owned by one span and
// one stage.
type Segment struct {
	Start, End   int64
	Span         int32 // owner, an index in Request.Spans
	Stage        stage.Stage
	Detail       string
	Confidence   Confidence
	Error        int64  // ns; bound on the misplacement of either end, 0 when exact
	Reason       string // why the owner is on the path here
	Rule         string // id of the stage rule
	OverlappedBy int32  // index of a skipped child that ran meanwhile; -1 for none
}

// Duration returns the length of the segment in ns.
func (s Segment) Duration() int64 { return s.End - s.Start }

// Stages returns the time of every stage in ns; they add up to the path's length.
func (p Path) Stages() [stage.Count]int64 {
	var sum [stage.Count]int64
	for _, s := range p {
		sum[s.Stage] += s.Duration()
	}
	return sum
}
