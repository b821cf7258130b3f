package critical

import (
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Options steer how requests are assembled. The zero value is the default mode.
type Options struct {
	Rules   *stage.Rules // nil for the built-in rules
	Workers int          // traces built at once; 0 for one a processor

	// ClockError is how far two clocks of one request may be apart, in ns. Overlaps
	// between siblings up to it do not hide the earlier one.
	ClockError int64

	// Join names attributes that hold an id of a request, for traces and records that
	// no id known to tailpath joins: each entry is the names that one id goes by.
	Join [][]string

	// Clock says what to do where the clocks of two hosts disagree.
	Clock ClockMode

	// Strict sets the tolerance to nothing: whatever overlaps at all was not in series.
	Strict bool

	// Jaeger selects the path that the Jaeger UI draws, for comparison with it:
	// children are cut to their parents, siblings that touch are not in series, and
	// nothing outlives its parent. Its segments are not merged.
	Jaeger bool
}

// ClockMode says what is done about clocks that disagree.
type ClockMode uint8

// The modes.
const (
	// Raw takes times as they were recorded. The far end of a call that lies outside the
	// near end is moved into it by itself.
	Raw ClockMode = iota
	// Adjust moves all that a host recorded in a stretch of time by one offset, where the
	// calls between the hosts give one. Recorded times stay as they are.
	Adjust
)

// ClockModeNames are the names of the modes, in their order.
var ClockModeNames = []string{"raw", "adjust"}

// The bounds of the tolerance within which siblings count as in series.
const (
	tolerancePart = 100       // 1 % of the parent's duration
	toleranceMax  = 5_000_000 // ns
)

// tolerance returns how far a child may reach beyond the start of its successor, or
// the end of its parent, and still count as done: min(max(1 % of the parent's
// duration, clock error), 5 ms).
func (o *Options) tolerance(duration int64) int64 {
	if o.Jaeger || o.Strict {
		return 0
	}
	return min(max(duration/tolerancePart, o.ClockError), toleranceMax)
}

// issues lists what is declared below.
var issues []table.Issue

// The issues that assembly may count.
var (
	issueRetransmission = declare("retransmission", table.Info, "the same span was exported twice; one copy is used")
	issueDuplicateID    = declare("duplicate-span-id", table.Warning, "two different spans share an id; the longer is used: check the id generator")
	issueSharedID       = declare("shared-span-id", table.Info, "client and server share one span id, as Zipkin does; they are read as two spans")
	issueCycle          = declare("parent-cycle", table.Warning, "spans are each other's parents; the cycle is cut at its earliest start")
	issueMissingParent  = declare("missing-parent", table.Warning, "the parent was never recorded: look for a dropped export or a service without instrumentation")
	issueRemoteParent   = declare("remote-parent", table.Info, "the caller's span is outside these files; times are as the recorded service saw them")
	issueSeveralRoots   = declare("several-roots", table.Warning, "a trace has several roots at once; the longest is read: look for lost trace context")
	issueNegative       = declare("negative-duration", table.Warning, "the span ends before it starts; it is read as of no length: check the clock of its host")
	issueUnfinished     = declare("unfinished-span", table.Warning, "the span never ended; its request is not compared with others")
	issueShifted        = declare("placed-by-duration", table.Warning, "a server span lies outside its client span, so their clocks disagree; its duration is used and its place inferred")
	issueExtended       = declare("ended-before-stream", table.Info, "a span ended, perhaps with the headers, while the model went on answering; the request is read to the end of the answer")
	issueOutlived       = declare("answer-outlives-call", table.Warning, "a model went on answering after its caller's span ended: the caller gave up, or its span ends with the headers; the request is read to the caller's end")
	issueAfterEnd       = declare("after-request", table.Info, "a span lies outside every span that could have waited for it; it is listed, and holds no time of the request")
	issueImplausible    = declare("implausible-time", table.Warning, "a span is more than a year away from its parent: a clock since boot was taken for the date")
	issueEngineTime     = declare("engine-time-invalid", table.Warning, "an engine reported a time that is negative or longer than the request; it is taken as unknown")
	issueEngineConflict = declare("engine-times-conflict", table.Warning, "the times of an engine do not fit into the request together; its time is left unattributed")
	issueToldTwice      = declare("told-twice", table.Info, "a record tells of what a span has already told more finely; the span is used")
	issueNoPlace        = declare("ambiguous-place", table.Warning, "a record could belong to several calls of its request, and is left out: have the log keep the traceparent or the request id of the call")
	issueAttempts       = declare("attempts-joined", table.Info, "several attempts at one request were recorded on their own; they are read as one request, from the first on")
	issueMixedClocks    = declare("attempts-apart", table.Warning, "attempts at one request are on clocks that cannot be compared; each is read on its own")
	issueStartup        = declare("startup-parent", table.Info, "requests hang under the server's start-up span, as a TRACEPARENT left in its environment does; each is read on its own")
)

func declare(id string, severity table.Severity, advice string) table.Issue {
	issue := table.Issue{ID: id, Severity: severity, Advice: advice}
	issues = append(issues, issue)
	return issue
}

// Issues returns every issue that assembling requests may count.
func Issues() []table.Issue { return slices.Clone(issues) }

// maxPlausibleGap is how far a span may be from its parent before its clock counts
// as something other than the date: a year of ns.
const maxPlausibleGap = 365 * 24 * 3600 * 1_000_000_000
