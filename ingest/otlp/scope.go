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
}

// scope is one instrumentation scope and the rows that were read under it. Its
// resource may stand behind it, so the rows get their scope row at the end of both.
type scope struct {
	attributes
	name, version, schemaURL table.Sym
	spanFrom, spanTo         int
	logFrom, logTo           int
}

func (d *Decoder) beginResource() {
	d.resource.reset()
	d.resource.schemaURL, d.resource.seen = 0, false
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

// endResource gives every row under the resource its scope row and returns how many
// rows there are.
func (d *Decoder) endResource() (rows int) {
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
		row, ok := d.scopes[string(d.identity)]
		if !ok {
			row = d.addScope(s)
			d.scopes[string(d.identity)] = row
		}
		fillRows(d.set.Spans.ScopeRow[s.spanFrom:s.spanTo], row)
		fillRows(d.set.Logs.ScopeRow[s.logFrom:s.logTo], row)
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

// Resource attributes that say where a process ran, the most telling first.
var (
	hostKeys     = []string{"host.id", "host.name", "k8s.pod.name", "k8s.node.name"}
	instanceKeys = []string{"service.instance.id", "process.pid", "vllm.process_id"}
)

func (d *Decoder) addScope(s *scope) int32 {
	t := &d.set.Scopes
	i := t.Grow()
	t.Scope[i], t.ScopeVersion[i], t.ScopeSchemaURL[i] = s.name, s.version, s.schemaURL
	t.ResourceSchemaURL[i] = d.resource.schemaURL
	for _, a := range d.resource.list {
		t.ResourceAttributes.Add(a.Key, a.Value)
	}
	for _, a := range s.list {
		t.ScopeAttributes.Add(a.Key, a.Value)
	}
	t.Service[i] = d.firstOf("service.name")
	t.Host[i] = d.firstOf(hostKeys...)
	t.Instance[i] = d.firstOf(instanceKeys...)
	return int32(i)
}

// firstOf returns the text of the first of the keys that the resource has; the last
// value of a key counts.
func (d *Decoder) firstOf(keys ...string) table.Sym {
	for _, key := range keys {
		sym, ok := d.set.Symbols.Lookup(key)
		if !ok {
			continue
		}
		for j := len(d.resource.list) - 1; j >= 0; j-- {
			a := d.resource.list[j]
			if a.Key != sym {
				continue
			}
			if text, ok := valueText(a.Value, nil); ok && len(text) > 0 {
				return d.set.Symbols.InternBytes(text)
			}
			break
		}
	}
	return 0
}
