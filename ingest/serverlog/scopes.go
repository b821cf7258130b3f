package serverlog

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// scopes holds the rows of the scopes table by what they say.
type scopes struct {
	rows map[string]int32
	key  []byte
	last struct {
		st                      *state
		service, host, instance []byte
		row                     int32
	}
	engine []byte
}

// scope returns the row of the service, host and instance of a record.
func (d *Decoder) scope(st *state, r *format.Record, values []match.Value, from context) int32 {
	service, host, instance := d.whose(st, r, values, from)
	s := &d.scopes
	last := &s.last
	if last.st == st && bytes.Equal(last.service, service) && bytes.Equal(last.host, host) && bytes.Equal(last.instance, instance) {
		return last.row
	}
	key := append(s.key[:0], st.f.ID...)
	for _, part := range [][]byte{service, host, instance} {
		key = binary.AppendUvarint(key, uint64(len(part)))
		key = append(key, part...)
	}
	s.key = key
	row, ok := s.rows[string(key)]
	if !ok {
		t := &d.set.Scopes
		i := t.Grow()
		t.Service[i] = d.set.Symbols.InternBytes(service)
		t.Host[i] = d.set.Symbols.InternBytes(host)
		t.Instance[i] = d.set.Symbols.InternBytes(instance)
		t.Scope[i] = d.set.Symbols.Intern(st.f.ID)
		if s.rows == nil {
			s.rows = map[string]int32{}
		}
		row = int32(i)
		s.rows[string(key)] = row
	}
	last.st, last.row = st, row
	last.service, last.host = append(last.service[:0], service...), append(last.host[:0], host...)
	last.instance = append(last.instance[:0], instance...)
	return row
}

// whose returns the service, host and instance of a record: those that it names, else
// those that what wraps it does.
func (d *Decoder) whose(st *state, r *format.Record, values []match.Value, from context) (service, host, instance []byte) {
	switch {
	case r.Fields.Service.Value(values) != nil:
		service = r.Fields.Service.Text(values)
	case from.own:
		service = from.service
	default:
		service = d.named(d.owner(st))
	}
	if host = r.Fields.Host.Text(values); host == nil {
		host = from.host
	}
	if instance = r.Fields.Instance.Text(values); instance == nil {
		if instance = d.engine(r, values); len(instance) == 0 {
			instance = from.instance
		}
	}
	return service, host, instance
}

// owner returns the format that the rows of a format take their service from: the lines
// of one that never claims an input are written by the program that the log is of.
func (d *Decoder) owner(st *state) *state {
	first := d.matcher.first
	if !st.companion || first < 0 {
		return st
	}
	if own := d.state(first); own.f.Kind == "engine" {
		return own
	}
	return st
}

// named returns the service of a format.
func (d *Decoder) named(st *state) []byte {
	if st.service == nil {
		st.service = []byte(st.f.Service)
	}
	return st.service
}

// engine returns the fields that say which engine a record is of, with blanks between.
func (d *Decoder) engine(r *format.Record, values []match.Value) []byte {
	out := d.scopes.engine[:0]
	for _, slot := range r.Engine {
		v := slot.Value(values)
		if v == nil {
			continue
		}
		if len(out) > 0 {
			out = append(out, ' ')
		}
		if v.Kind == match.Int { // 000 and 0 are one engine
			out = strconv.AppendInt(out, v.Int, 10)
			continue
		}
		out = append(out, v.Text...)
	}
	d.scopes.engine = out
	return out
}

// addField adds an attribute that holds the value of a field. Durations and instants are
// numbers of ns and their keys say so.
func (d *Decoder) addField(to *table.Attrs, key, keyNS table.Sym, v *match.Value) {
	switch v.Kind {
	case match.None:
	case match.Int:
		to.Add(key, table.IntValue(v.Int))
	case match.Float:
		to.Add(key, table.DoubleValue(v.Float))
	case match.Duration, match.Instant:
		to.Add(keyNS, table.IntValue(v.Int))
	default:
		if len(v.Text) > 0 {
			to.Add(key, table.Value{Type: table.ValueString, Text: v.Text})
		}
	}
}

// whole number of a value that was written as a number or as text.
func wholeNumber(v *match.Value) (int64, bool) {
	if v == nil {
		return 0, false
	}
	switch v.Kind {
	case match.Int:
		return v.Int, true
	case match.Float:
		n := int64(v.Float)
		return n, float64(n) == v.Float && v.Float < 1<<62 && v.Float > -(1<<62)
	case match.Text:
		n, err := strconv.ParseInt(string(v.Text), 10, 64)
		return n, err == nil
	}
	return 0, false
}
