package ingest

import (
	"io"

	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/serverlog"
)

// Options say how to read. The zero value is good.
type Options struct {
	// Workers is how many goroutines decode; 0 is one for each processor. It changes
	// no row and no count.
	Workers int
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Total, if it is set, is called once before anything is read, with the size of all
	// inputs in bytes, or 0 when it is not known.
	Total func(bytes int64)
	// Progress, if it is set, is called with the number of bytes read since the last
	// call. It is called by several goroutines at once.
	Progress func(bytes int64)
	// Logs says how the lines of logs are read.
	Logs Logs
	// Known, if it is set, says of the SHA-256 of an input in hex whether its rows are had
	// already. Such an input is passed over, and so is one with the bytes of another; the Report
	// names both. Files are hashed before they are read, which reads their bytes once more.
	Known func(sha256 string) bool
	// RowBytes is how many bytes the rows may take, as table.Set.Footprint counts them; 0 is no
	// bound. Read ends with a *TooLarge as soon as they take more, or would by the end, as far as
	// what is still to be read can be judged by what was.
	RowBytes int64
}

// Report says what was read, input by input, ordered by name.
type Report struct {
	Inputs []Input
	// Known are those that were passed over because of Options.Known, with name, bytes and hash.
	Known []Input
	// RowBytes is what the rows take, as table.Set.Footprint counts it.
	RowBytes int64
}

// Input is what one file, stream or directory of tables came to. Spans + BadSpans is
// every span that was met in it, and likewise for logs.
type Input struct {
	Name         string // as it was named, or the path of a file under a directory that was
	Format       string // such as "OTLP JSON lines"; empty when it was not read
	Compression  string // "", "gzip", "zstd", or "gzip, zstd" for one inside the other
	Bytes        int64  // as stored
	Decompressed int64  // without Compression
	SHA256       string // of the bytes as stored, in hex; empty when it was not read to its end
	Documents    int64  // JSON documents or protobuf messages with traces or logs
	Spans        int64
	Logs         int64
	Samples      int64  // readings of engines
	Lines        *Lines // of a log; nil for what has no lines to account for
	BadDocuments int64  // documents, lines and messages with a fault of their own
	BadSpans     int64
	BadLogs      int64
	BadMetrics   int64   // metrics, and points of others
	Bad          int64   // the sum of the four
	Faults       []Fault // the first faults, in order
	Problem      *Error  // why it was not read, if it was not
}

// Fault is one document, span, record or line that could not be read.
type Fault = otlp.Fault

// Lines is the account of the lines of a log: In is Used plus the sum of Unused.
type Lines struct {
	In, Used int64
	Unused   []serverlog.Reason // by reason
}

func (in *Input) count(s otlp.Stats) {
	in.Documents, in.Spans, in.Logs, in.Samples = s.Documents, s.Spans, s.Logs, s.Samples
	in.BadDocuments, in.BadSpans, in.BadLogs, in.BadMetrics = s.BadDocuments, s.BadSpans, s.BadLogs, s.BadMetrics+s.BadPoints
	in.Bad = in.BadDocuments + in.BadSpans + in.BadLogs + in.BadMetrics
	in.Faults = s.Faults
}
