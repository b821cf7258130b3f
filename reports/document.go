package reports

import (
	"encoding/hex"
	"time"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
)

// SchemaName and SchemaVersion name the form of a Document. The version rises when
// a field is renamed, removed or changes its meaning; a new field does not raise it.
const (
	SchemaName    = "tailpath.document"
	SchemaVersion = 3
)

// Kind is the question a document answers.
type Kind string

// The kinds of document.
const (
	KindSummary  Kind = "summary"
	KindExplain  Kind = "explain"
	KindInspect  Kind = "inspect"
	KindQueue    Kind = "queue"
	KindCapacity Kind = "capacity"
	KindCompare  Kind = "compare"
	KindReport   Kind = "report"
)

// Document is one answer in full. It is made once, from an analysis, and every
// output format is drawn from it alone. Integers named _ns are nanoseconds, times
// named start_ns or end_ns count from the Unix epoch, and shares lie between 0 and
// 1, except shares of an excess, which may be negative or above 1.
type Document struct {
	Schema        string    `json:"schema"`
	SchemaVersion int       `json:"schema_version"`
	Kind          Kind      `json:"kind"`
	Tool          Tool      `json:"tool"`
	Command       []string  `json:"command"`
	Inputs        []Input   `json:"inputs"`
	Headline      string    `json:"headline"` // the answer in one sentence
	Summary       *Summary  `json:"summary,omitempty"`
	Requests      []Request `json:"requests,omitzero"` // of an explain document
	Inspect       *Inspect  `json:"inspect,omitempty"`
	Queue         *Queue    `json:"queue,omitempty"`
	Capacity      *Capacity `json:"capacity,omitempty"`
	Compare       *Compare  `json:"compare,omitempty"`
	Report        *Report   `json:"report,omitempty"` // what a report has beyond the others
	// Requirements are the conditions of --require, in the order in which they were given. Where
	// one did not pass, nothing was judged, see Document.Withheld.
	Requirements []Condition `json:"requirements,omitzero"`
	Conditions   []Condition `json:"conditions,omitzero"` // of --fail-on, in the order in which they were given
	Quality      []Quality   `json:"quality"`
	// SilencedCounts are the warnings that were left out by who asked, by id.
	SilencedCounts []Count `json:"silenced,omitzero"`
	// Limit is how many rows lists have at most, if somebody asked.
	Limit *RowLimit `json:"limit,omitempty"`
	Next  string    `json:"next"` // the command to run next; empty when there is none
}

// Tool is the program that made the document.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Input is one file or stream that was read.
type Input struct {
	Name        string `json:"name"`
	Format      string `json:"format"`
	Compression string `json:"compression"` // empty for none
	Bytes       int64  `json:"bytes"`
	SHA256      string `json:"sha256"` // of the bytes as read, in hex
	Spans       int64  `json:"spans"`
	Logs        int64  `json:"logs"`
	Samples     int64  `json:"engine_samples"`
	Bad         int64  `json:"bad"`   // rows or documents that could not be read
	Lines       *Lines `json:"lines"` // of a log; null for what has no lines to account for
}

// Lines is the account of the lines of a log: In is Used plus the sum of Unused.
type Lines struct {
	In     int64   `json:"in"`
	Used   int64   `json:"used"`
	Unused []Count `json:"unused"` // by reason
}

// Quality is one kind of loss, repair or doubt.
type Quality struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Count    int64  `json:"count"`
	Source   string `json:"source,omitempty"`
	Line     int64  `json:"line,omitempty"`
	Offset   *int64 `json:"offset,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Advice   string `json:"advice"`
}

// Warning is a doubt about a figure. Its id can be silenced.
type Warning struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Count is a name and how often it was met.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// RequestRef names a real request.
type RequestRef struct {
	TraceID    string `json:"trace_id"`
	RootSpanID string `json:"root_span_id"`
	NS         int64  `json:"value_ns"`
}

// Run is what the caller knows and no analysis does. Nothing in a document depends
// on anything else: not on the clock, the host or the terminal.
type Run struct {
	Version  string   // of the tool
	Command  []string // the command line, with the program's name
	Operands []string // the FILE operands as they were typed, for the next command
	Inputs   []Input
	Quality  []analyze.Issue
	Trace    string // the trace that is to be explained; empty for the slowest
	Requests int64  // requests that were found, used or not
	// Choice is the flags that chose the requests, as they stand behind a command with a space
	// before them; empty for all requests. The commands that a report suggests have them.
	Choice string
	// TimeChosen says that a time is among them.
	TimeChosen bool
	// Listed is that of the options of the analysis: how many values of a property are listed where
	// the usual number is smaller; below 0 for all.
	Listed int
}

func (r Run) document(kind Kind) Document {
	d := Document{
		Schema: SchemaName, SchemaVersion: SchemaVersion, Kind: kind, Tool: Tool{"tailpath", r.Version},
		Command: append([]string{}, r.Command...), Inputs: append([]Input{}, r.Inputs...), Quality: []Quality{},
	}
	for _, q := range r.Quality {
		out := Quality{ID: q.ID, Severity: q.Severity, Count: q.Count, Source: q.Source, Line: q.Line, Detail: q.Detail, Advice: q.Advice}
		if q.Source != "" && q.Offset != analyze.Missing {
			out.Offset = &q.Offset
		}
		d.Quality = append(d.Quality, out)
	}
	return d
}

func warnings(in []stat.Warning) []Warning {
	out := make([]Warning, 0, len(in))
	for _, w := range in {
		out = append(out, Warning{w.ID, w.Text})
	}
	return out
}

func counts(in []analyze.Count) []Count {
	out := make([]Count, 0, len(in))
	for _, c := range in {
		out = append(out, Count{c.Name, c.N})
	}
	return out
}

func requestRef(e analyze.Exemplar) *RequestRef {
	return &RequestRef{hex.EncodeToString(e.TraceID[:]), hex.EncodeToString(e.RootSpanID[:]), e.NS}
}

// known returns a pointer to v, nil when it is absent.
func known(v int64) *int64 {
	if v == analyze.Missing {
		return nil
	}
	return &v
}

// instant writes a time on the wall clock as RFC 3339 in UTC; on any other clock it is
// no date, and empty.
func instant(clock uint8, ns int64) string {
	if analyze.ClockName(clock) != wall {
		return ""
	}
	return Time(ns)
}

// wall is the name of the clock whose times are dates.
const wall = "wall"

// Time writes an instant as RFC 3339 in UTC.
func Time(ns int64) string {
	return time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
}

// TimeMilli is Time to the millisecond, which is enough to read.
func TimeMilli(ns int64) string {
	return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
