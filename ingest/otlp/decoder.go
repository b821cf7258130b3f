package otlp

import (
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/tailpath/tailpath/ingest/table"
)

// Start is a place in a stream: a byte offset and the 1-based line there, 0 for a
// stream without lines.
type Start struct {
	Offset int64
	Line   int64
}

// Fault is one document, span or log record that could not be read.
type Fault struct {
	Issue string
	At    table.Place
	What  string
}

// maxFaults is how many faults Stats lists; the account counts them all.
const maxFaults = 20

// maxUnknownSeries is how many names of series Stats lists.
const maxUnknownSeries = 5

// Stats says what a Decoder read. Spans + BadSpans is every span that was met, and
// likewise for log records and metrics. Points + UnusedPoints + BadPoints is every point
// of the metrics that were read.
type Stats struct {
	Documents    int64 // JSON documents or protobuf messages of traces or logs, or of metrics with a known series; faulty ones only if rows of them were kept
	Other        int64 // of profiles, or of metrics without a known series
	Unknown      int64 // of no OTLP shape
	BadDocuments int64 // documents, lines or frames with a fault of their own
	Spans        int64
	Logs         int64
	BadSpans     int64
	BadLogs      int64
	Metrics      int64
	BadMetrics   int64
	Points       int64 // that are part of a reading
	UnusedPoints int64 // that are part of none, by an issue that says why
	BadPoints    int64
	Samples      int64 // readings: rows of engine_samples that were made of points
	Lines        int64 // bodies of log records that Options.Line was shown
	UsedLines    int64 // that it could make use of

	UnknownSeries []string // the first names of metrics that are not known, in order
	Faults        []Fault  // the first ones, in order
}

// Add adds what another Decoder read behind this one.
func (s *Stats) Add(t Stats) {
	s.Documents += t.Documents
	s.Other += t.Other
	s.Unknown += t.Unknown
	s.BadDocuments += t.BadDocuments
	s.Spans += t.Spans
	s.Logs += t.Logs
	s.BadSpans += t.BadSpans
	s.BadLogs += t.BadLogs
	s.Metrics += t.Metrics
	s.BadMetrics += t.BadMetrics
	s.Points += t.Points
	s.UnusedPoints += t.UnusedPoints
	s.BadPoints += t.BadPoints
	s.Samples += t.Samples
	s.Lines += t.Lines
	s.UsedLines += t.UsedLines
	for _, name := range t.UnknownSeries {
		if len(s.UnknownSeries) < maxUnknownSeries && !slices.Contains(s.UnknownSeries, name) {
			s.UnknownSeries = append(s.UnknownSeries, name)
		}
	}
	s.Faults = append(s.Faults, t.Faults[:min(len(t.Faults), maxFaults-len(s.Faults))]...)
}

// Decoder turns OTLP into rows of a Set. It is for one input and one goroutine.
type Decoder struct {
	set     *table.Set
	account *table.Account
	source  string
	origin  table.Sym // source as a symbol
	opt     Options
	stats   Stats
	json    stream
	binary  window // frames, or protobuf without a frame
	key     []byte // name of the member that is being read

	span       span
	log        logRecord
	metric     metric
	keys       keyCache // of spans and log records
	partKeys   keyCache // of events and links
	sharedKeys keyCache // of resources and scopes
	pointKeys  keyCache // of points of metrics
	withholder withholder
	promote    table.Promoter
	resource   resource
	pending    []scope // scopes of the resource that is being read
	used       int     // entries of pending that are in use
	scopes     map[string]knownScope
	identity   []byte // serialised resource, then scope: the key of scopes

	found     map[string][]*series  // of the names of metrics that were met; nil for one that is not known
	readings  []reading             // of the metric that is being read
	readingOf map[readingKey]int    // index in readings
	sampled   []sampled             // rows of the resource that is being read
	seriesOf  map[seriesKey]*series // that gave them

	held     []held
	heldText []byte
	lineNth  int // number of the next log record in its document or frame

	arena  []byte // texts of the record that is being read from protobuf
	nth    int    // number of the record in its message
	zstd   *zstd.Decoder
	inside []byte    // content of a compressed frame
	wrap   [3][]byte // one record wrapped to a message of its own

	told told // what was said last of something damaged
}

// told is a text and what it was made of.
type told struct {
	what, whole string
	n           int64
	text        string
}

// kept says what is wrong and how many records of the whole were kept. Of an input with a
// million faults most say the same, which is written once.
func (d *Decoder) kept(what, whole string, n int64) string {
	if t := &d.told; t.text == "" || t.n != n || t.what != what || t.whole != whole {
		*t = told{what, whole, n, fmt.Sprintf("%s; records of %s that were kept: %d", what, whole, n)}
	}
	return d.told.text
}

// NewDecoder returns a Decoder with the zero Options, as NewDecoderWith does.
func NewDecoder(set *table.Set, account *table.Account, source string) *Decoder {
	d := &Decoder{set: set, account: account, source: source, scopes: map[string]knownScope{}}
	d.origin = set.Symbols.Intern(source)
	d.json.d = d
	return d
}

// Stats returns what was read so far.
func (d *Decoder) Stats() Stats { return d.stats }

// Close gives up what the decoder holds besides its Set.
func (d *Decoder) Close() {
	if d.zstd != nil {
		d.zstd.Close()
		d.zstd = nil
	}
}

// issue counts one occurrence.
func (d *Decoder) issue(is table.Issue, at table.Place, detail string) {
	d.account.Add(is, 1, at, detail)
	if is.Severity >= table.Error && len(d.stats.Faults) < maxFaults {
		d.stats.Faults = append(d.stats.Faults, Fault{is.ID, at, detail})
	}
}

// count counts n occurrences, if there are any.
func (d *Decoder) count(is table.Issue, n int, at table.Place, detail string) {
	if n > 0 {
		d.account.Add(is, int64(n), at, detail)
	}
}

// bad counts a record that was left out.
func (d *Decoder) bad(is table.Issue, at table.Place, what string) {
	switch is.ID {
	case BadSpan.ID:
		d.stats.BadSpans++
	case BadLog.ID:
		d.stats.BadLogs++
	case BadMetric.ID:
		d.stats.BadMetrics++
	}
	d.issue(is, at, what)
}

func (d *Decoder) badDocument(at table.Place, what string) {
	d.stats.BadDocuments++
	d.issue(BadDocument, at, what)
}
