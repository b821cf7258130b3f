package serverlog

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/serverlog/line"
	"github.com/tailpath/tailpath/ingest/table"
)

// From says who wrote a record that came in another way than as a line of a file. Each
// may be empty. Records of different ones never tell of one request.
type From struct{ Host, Service, Instance string }

// Record reads one record that came in another way, such as the body of an OTLP log
// record: its place, the time it came with (ns since the epoch, table.Missing if it has
// none), and who wrote it. What wraps lines may wrap it, and it may hold several lines;
// a time that a wrapper tells goes before its own. Record reports whether anything in it
// is of a known format and was used. The Decoder must be closed behind the last one.
func (d *Decoder) Record(text []byte, at table.Place, time int64, from From) bool {
	text = bytes.TrimRight(text, "\r\n")
	used := d.stats.Used
	d.at, d.wrapped, d.lines = at, time, at.Line > 0
	d.context = context{host: []byte(from.Host), service: []byte(from.Service), instance: []byte(from.Instance), own: from.Service != ""}
	if !mayBeWrapped(text) {
		d.body(text)
		return d.stats.Used > used
	}
	lines := line.NewReader(bytes.NewReader(text), d.account, d.source, line.Options{Size: len(text)})
	outer := d.context
	for l, ok := lines.Next(); ok; l, ok = lines.Next() {
		d.wrapped, d.context = time, outer
		if l.Time != table.Missing {
			d.wrapped = l.Time
		}
		if len(outer.host) == 0 {
			d.context.host = l.Host
		}
		d.body(l.Text)
	}
	return d.stats.Used > used
}

// body reads one line of a record. Records of one document share its place, so they are
// numbered.
func (d *Decoder) body(text []byte) {
	d.bodies++
	d.nth = d.bodies << 8
	d.text(text)
}

// mayBeWrapped reports whether a text has more than one line in it, codes of a terminal,
// or the beginning of something that wraps lines: an object, a priority of syslog, a
// year, or the name of a month.
func mayBeWrapped(text []byte) bool {
	if bytes.IndexByte(text, '\n') >= 0 || bytes.IndexByte(text, 0x1b) >= 0 || bytes.IndexByte(text, '\r') >= 0 {
		return true
	}
	if len(text) < len("Aug 20 12:00:00 ") {
		return false
	}
	switch c := text[0]; {
	case c == '{', c == '<', c >= '0' && c <= '9':
		return true
	case c >= 'A' && c <= 'S':
		return text[3] == ' ' && text[6] == ' ' && text[9] == ':' && text[12] == ':'
	}
	return false
}
