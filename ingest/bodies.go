package ingest

import (
	"bytes"
	"encoding/json"
	"time"

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

// body is text[from:to] of its bodies.
type body struct {
	otlp.LogLine
	service, host string
	from, to      int
}

// collect returns the hook that keeps the bodies that a decoder meets.
func (b *bodies) collect(set *table.Set) func(text []byte, at otlp.LogLine) bool {
	return func(text []byte, at otlp.LogLine) bool {
		from := len(b.text)
		b.text = append(b.text, text...)
		b.lines = append(b.lines, body{at, set.Symbols.Text(at.Service), set.Symbols.Text(at.Host), from, len(b.text)})
		return false
	}
}

// bodyReader reads the bodies of an input.
type bodyReader struct {
	set     *table.Set
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
		j.bodies.read(b.text[l.from:l.to], at, when, l)
	}
}

// read reads one body. It may be wrapped as a container's runtime wraps lines, have
// codes of a terminal in it, and hold several lines. The time that a wrapper tells goes
// before that of the record.
func (r *bodyReader) read(text []byte, at table.Place, when int64, l body) {
	if inside, stamp, ok := fromContainer(text); ok {
		text, when = inside, stamp
	} else if inside, stamp, ok := fromDocker(text); ok {
		text, when = inside, stamp
	}
	text = withoutEscapes(bytes.TrimRight(text, "\r\n"))
	for more := true; more; {
		var one []byte
		one, text, more = bytes.Cut(text, []byte("\n"))
		r.decoder.Record(one, at, when, l.host, l.service)
	}
}

// fromContainer takes off what a container's runtime puts before a line: its time, in
// ns, the stream, and whether it is a full line or a part of one.
func fromContainer(text []byte) (inside []byte, at int64, ok bool) {
	stamp, rest, _ := bytes.Cut(text, []byte(" "))
	if len(stamp) < len("2006-01-02T15:04:05Z") || len(stamp) > len("2006-01-02T15:04:05.000000000+00:00") {
		return nil, 0, false
	}
	for _, mark := range []string{"stdout F ", "stderr F ", "stdout P ", "stderr P "} {
		if inside, ok = bytes.CutPrefix(rest, []byte(mark)); ok {
			at, ok = stampTime(string(stamp))
			return inside, at, ok
		}
	}
	return nil, 0, false
}

// fromDocker takes a line out of the object that Docker's json-file driver writes.
func fromDocker(text []byte) (inside []byte, at int64, ok bool) {
	if !bytes.HasPrefix(text, []byte(`{"log":`)) {
		return nil, 0, false
	}
	var line struct {
		Log    string `json:"log"`
		Stream string `json:"stream"`
		Time   string `json:"time"`
	}
	if err := json.Unmarshal(text, &line); err != nil || line.Stream == "" {
		return nil, 0, false
	}
	at, ok = stampTime(line.Time)
	return []byte(line.Log), at, ok
}

// stampTime returns a time of RFC 3339 in ns, if int64 can hold it.
func stampTime(text string) (ns int64, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 1970 || t.Year() > 2261 {
		return 0, false
	}
	return t.UnixNano(), true
}

const (
	escape = 0x1b
	bell   = 0x07
)

// withoutEscapes removes, in place, what steers a terminal: colours, the cursor, titles
// and hyperlinks. What has no end is left as it is.
func withoutEscapes(text []byte) []byte {
	i := bytes.IndexByte(text, escape)
	if i < 0 {
		return text
	}
	out := text[:i]
	for i < len(text) {
		if text[i] == escape {
			if n := escapeLen(text[i:]); n > 0 {
				i += n
				continue
			}
		}
		out = append(out, text[i])
		i++
	}
	return out
}

// escapeLen returns the length of the sequence that text begins with, 0 for none.
func escapeLen(text []byte) int {
	switch {
	case len(text) < 2:
	case text[1] == '[':
		i := 2
		for i < len(text) && text[i] >= 0x20 && text[i] <= 0x3f {
			i++
		}
		if i < len(text) && text[i] >= 0x40 && text[i] <= 0x7e {
			return i + 1
		}
	case text[1] == ']':
		i := 2
		for i < len(text) && text[i] >= 0x20 {
			i++
		}
		switch {
		case i < len(text) && text[i] == bell:
			return i + 1
		case i+1 < len(text) && text[i] == escape && text[i+1] == '\\':
			return i + 2
		}
	}
	return 0
}

// endBodies takes what the bodies came to.
func (j *job) endBodies() {
	if j.bodies == nil {
		return
	}
	j.bodies.decoder.Close()
	s := j.bodies.decoder.Stats()
	j.sets = append(j.sets, j.bodies.set)
	j.in.Spans += s.Spans
	j.in.Logs += s.Logs
	j.in.Samples += s.Samples
	j.in.Lines = &Lines{In: s.Lines, Used: s.Used, Unused: s.Unused}
	j.bodies = nil
}
