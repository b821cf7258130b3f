package otlp

import "github.com/tailpath/tailpath/ingest/table"

// Options say what a Decoder keeps and whom it shows the lines of logs. The zero value
// is good: texts of prompts and outputs are left out.
type Options struct {
	// KeepText keeps the bodies of log records, and the values of attributes that are
	// known to hold prompts and outputs. Without it bodies are dropped and such values
	// are replaced by a note of their size.
	KeepText bool
	// Line, if it is set, is called with every body of a log record that is a string,
	// and with the string under log, message, msg or body of one that is a list of keys
	// and values, whatever KeepText says. The bytes are good until it returns. It
	// returns whether it could make use of the line, which Stats counts. It may add rows
	// to the Set. Lines of one resource come in the order of their records. Those of a
	// chunk that ReadChunk gives up are shown again when it is read anew.
	Line func(body []byte, at LogLine) bool
}

// LogLine says where a line of a log comes from.
type LogLine struct {
	Row      int       // row of the logs table that its record is
	Time     int64     // time of the record in ns; table.Missing when it has none
	Observed int64     // when a collector saw the record, likewise
	Service  table.Sym // of the resource; 0 when it has none
	Host     table.Sym // of the resource, likewise
	Instance table.Sym // of the resource, likewise
	Source   string    // name of the input
	Line     int64     // 1-based line of the record; table.Missing in binary inputs
	Offset   int64     // byte offset of the document or frame that holds the record
	Nth      int       // number of the record there, from 0 on; without frames, in its protobuf resource
}

// NewDecoderWith returns a Decoder that adds rows to set and issues to account, under
// the name of the input that source gives.
func NewDecoderWith(set *table.Set, account *table.Account, source string, opt Options) *Decoder {
	d := NewDecoder(set, account, source)
	d.opt = opt
	return d
}
