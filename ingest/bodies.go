package ingest

import (
	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/table"
)

// bodies are the bodies of OTLP log records of one piece of an input: lines of servers'
// logs that a collector picked up, if they are of a format that is known. A request may
// be told by several lines, so the pieces of an input are read in order, whoever
// decoded them.
type bodies struct {
	text  []byte
	lines []body
}

// bodiesAtOnce is how many bytes of bodies are held while an input is read in one piece.
const bodiesAtOnce = 1 << 20

func (b *bodies) reset() { b.text, b.lines = b.text[:0], b.lines[:0] }

// body is text[begin:end] of its bodies.
type body struct {
	otlp.LogLine
	from       serverlog.From
	begin, end int
}

// collect returns the hook that keeps the bodies that a decoder meets.
func (b *bodies) collect(set *table.Set) func(text []byte, at otlp.LogLine) bool {
	return func(text []byte, at otlp.LogLine) bool {
		begin, name := len(b.text), set.Symbols.Text
		b.text = append(b.text, text...)
		b.lines = append(b.lines, body{at, serverlog.From{Host: name(at.Host), Service: name(at.Service), Instance: name(at.Instance)}, begin, len(b.text)})
		return false
	}
}

// bodyReader reads the bodies of an input.
type bodyReader struct {
	set     *table.Set
	rows    scale
	decoder *serverlog.Decoder
}

// readBodies reads the bodies of the next piece.
func (j *job) readBodies(b *bodies) {
	if len(b.lines) == 0 {
		return
	}
	if j.bodies == nil {
		logs := &j.opt.Logs
		r := &bodyReader{set: table.NewSet()}
		r.rows = scale{gauge: j.gauge, set: r.set}
		r.decoder = serverlog.NewDecoder(r.set, &j.account.Account, j.name, serverlog.Options{
			Formats: logs.formats(), Year: logs.Year, Zone: logs.zone, KeepText: logs.KeepText, Reference: table.Missing,
		})
		j.bodies = r
	}
	for _, l := range b.lines {
		at := table.Place{Source: j.name, Offset: l.Offset}
		if l.Line != table.Missing {
			at.Line = l.Line
		}
		when := l.Time
		if when == table.Missing {
			when = l.Observed
		}
		j.bodies.decoder.Record(b.text[l.begin:l.end], at, when, l.from)
	}
	j.bodies.rows.advance(int64(len(b.text)))
}

// endBodies takes what the bodies came to.
func (j *job) endBodies() {
	if j.bodies == nil {
		return
	}
	j.bodies.decoder.Close()
	j.bodies.rows.weigh()
	s := j.bodies.decoder.Stats()
	j.sets = append(j.sets, j.bodies.set)
	j.in.Spans += s.Spans
	j.in.Logs += s.Logs
	j.in.Samples += s.Samples
	j.in.Lines = &Lines{In: s.Lines, Used: s.Used, Unused: s.Unused}
	j.bodies = nil
}
