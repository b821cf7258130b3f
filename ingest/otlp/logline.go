package otlp

import "github.com/tailpath/tailpath/ingest/table"

// Lines of logs are shown together with the resource of their records. Where that
// stands behind the records they are held until it has been read.

// maxHeld is how many bytes of lines are held. When there are more of them in front of
// their resource, they are shown without it.
const maxHeld = 64 << 20

// held is a line that waits for its resource; it is heldText[from:to].
type held struct {
	at       LogLine
	from, to int
}

// bodyLine returns the line of text that is the body of a log record.
func bodyLine(body table.Value) ([]byte, bool) {
	switch body.Type {
	case table.ValueString:
		return body.Text, true
	case table.ValueKvlist:
		return textUnder(body, "log", "message", "msg", "body")
	}
	return nil, false
}

// line shows the body of the record in the given row, or holds it.
func (d *Decoder) line(row int, at table.Place) {
	nth := d.lineNth
	d.lineNth++
	text, ok := bodyLine(d.log.body)
	if !ok || len(text) == 0 {
		return
	}
	d.stats.Lines++
	l := LogLine{Row: row, Time: d.set.Logs.Time[row], Observed: d.set.Logs.Observed[row],
		Source: d.source, Line: lineOrMissing(at), Offset: at.Offset, Nth: nth}
	if d.resource.seen && len(d.held) == 0 {
		d.show(text, l)
		return
	}
	d.held = append(d.held, held{l, len(d.heldText), len(d.heldText) + len(text)})
	if d.heldText = append(d.heldText, text...); len(d.heldText) > maxHeld {
		d.issue(MissingResource, at, "lines of logs were read before the resource that stands too far behind them")
		d.showHeld()
	}
}

// showHeld shows the lines that were held.
func (d *Decoder) showHeld() {
	for _, h := range d.held {
		d.show(d.heldText[h.from:h.to:h.to], h.at)
	}
	d.held, d.heldText = d.held[:0], d.heldText[:0]
}

func (d *Decoder) show(text []byte, l LogLine) {
	r := &d.resource
	if !r.placed {
		r.service, r.host, r.instance = d.set.Whereabouts(r.list)
		r.placed = r.seen
	}
	l.Service, l.Host, l.Instance = r.service, r.host, r.instance
	if d.opt.Line(text, l) {
		d.stats.UsedLines++
	}
}
