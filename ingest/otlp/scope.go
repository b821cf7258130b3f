package otlp

import (
	"encoding/binary"

	"github.com/tailpath/tailpath/ingest/table"
)

// attributes is a list of attributes that owns its texts.
type attributes struct {
	list []table.Attr
	text []byte
}

func (a *attributes) reset() { a.list, a.text = a.list[:0], a.text[:0] }

// keep copies the texts of the list, which lie in memory that is about to be reused.
func (a *attributes) keep() {
	size := 0
	for i := range a.list {
		size += len(a.list[i].Value.Text)
	}
	text := a.text[:0]
	if cap(text) < size {
		text = make([]byte, 0, size)
	}
	for i := range a.list {
		v := &a.list[i].Value
		from := len(text)
		text = append(text, v.Text...)
		v.Text = text[from:len(text):len(text)]
	}
	a.text = text
}

// resource is what the scopes of one resource share.
type resource struct {
	attributes
	schemaURL table.Sym
	seen      bool
	at        table.Place // of its document or frame

	service, host, instance table.Sym // once placed
	placed                  bool
}

// scope is one instrumentation scope and the rows that were read under it. Its
// resource may stand behind it, so the rows get their scope row at the end of both.
type scope struct {
	attributes
	name, version, schemaURL table.Sym
	spanFrom, spanTo         int
	logFrom, logTo           int
}

// knownScope is a scope that has a row, and the texts that were left out of it.
type knownScope struct {
	row   int32
	left  int
	first string
}

func (d *Decoder) beginResource(at table.Place) {
	d.resource.reset()
	d.resource.at = at
	clear(d.seriesOf)
	d.resource.schemaURL, d.resource.seen, d.resource.placed = 0, false, false
	d.used = 0
}

// current is the scope that is being read.
func (d *Decoder) current() *scope { return &d.pending[d.used-1] }

func (d *Decoder) beginScope() {
	if d.used == len(d.pending) {
		d.pending = append(d.pending, scope{})
	}
	d.used++
	s := d.current()
	s.reset()
	s.name, s.version, s.schemaURL = 0, 0, 0
	s.spanFrom, s.logFrom = d.set.Spans.Len(), d.set.Logs.Len()
}

func (d *Decoder) endScope() {
	s := d.current()
	s.spanTo, s.logTo = d.set.Spans.Len(), d.set.Logs.Len()
}

// endResource gives every row under the resource what it shares and returns how many
// rows there are.
func (d *Decoder) endResource() (rows int) {
	rows = len(d.sampled)
	d.placeSamples()
	d.showHeld()
	d.identity = binary.LittleEndian.AppendUint32(d.identity[:0], uint32(d.resource.schemaURL))
	d.identity = appendIdentity(d.identity, d.resource.list)
	shared := len(d.identity)
	for i := range d.pending[:d.used] {
		s := &d.pending[i]
		if s.spanFrom == s.spanTo && s.logFrom == s.logTo {
			continue
		}
		rows += s.spanTo - s.spanFrom + s.logTo - s.logFrom
		d.identity = binary.LittleEndian.AppendUint32(d.identity[:shared], uint32(s.name))
		d.identity = binary.LittleEndian.AppendUint32(d.identity, uint32(s.version))
		d.identity = binary.LittleEndian.AppendUint32(d.identity, uint32(s.schemaURL))
		d.identity = appendIdentity(d.identity, s.list)
		known, ok := d.scopes[string(d.identity)]
		if !ok {
			known = knownScope{row: d.addScope(s), left: d.withholder.left, first: d.withholder.first}
			d.scopes[string(d.identity)] = known
		}
		// What is left out counts wherever it stands, however often its row is stored.
		d.withholder.left, d.withholder.first = known.left, known.first
		d.noteLeftOut(d.resource.at)
		fillRows(d.set.Spans.ScopeRow[s.spanFrom:s.spanTo], known.row)
		fillRows(d.set.Logs.ScopeRow[s.logFrom:s.logTo], known.row)
	}
	return rows
}

func fillRows(rows []int32, row int32) {
	for i := range rows {
		rows[i] = row
	}
}

func appendIdentity(to []byte, list []table.Attr) []byte {
	to = binary.AppendUvarint(to, uint64(len(list)))
	for _, a := range list {
		to = binary.AppendUvarint(to, uint64(a.Key))
		to = append(to, byte(a.Value.Type))
		to = binary.LittleEndian.AppendUint64(to, a.Value.Bits)
		to = binary.AppendUvarint(to, uint64(len(a.Value.Text)))
		to = append(to, a.Value.Text...)
	}
	return to
}

func (d *Decoder) addScope(s *scope) int32 {
	t := &d.set.Scopes
	i := t.Grow()
	t.Scope[i], t.ScopeVersion[i], t.ScopeSchemaURL[i] = s.name, s.version, s.schemaURL
	t.ResourceSchemaURL[i] = d.resource.schemaURL
	d.store(&t.ResourceAttributes, d.resource.list)
	d.store(&t.ScopeAttributes, s.list)
	d.set.PlaceScope(i, d.resource.list)
	return int32(i)
}
