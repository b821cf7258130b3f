package serverlog

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// maxOpen bounds the requests that have begun and not ended.
const maxOpen = 1 << 20

// maxTold bounds the requests that are told already and wait for a record that tells
// more. Such records stand close together.
const maxTold = 4096

// openRequests are the requests that several records tell and whose last one has not come.
type openRequests struct {
	byKey  map[string]*request
	order  []*request // as they began; those that have ended stay until they are swept out
	oldest int        // place in order; all before it have ended
	limit  int        // maxOpen
	told   []*request // those that wait for a record that tells more, as they were told
	key    []byte
}

// request is what the first records of a request have told.
type request struct {
	key     string
	st      *state
	fields  []field
	context context
	at      table.Place
	nth     int
	ended   bool
	begun   []*format.Record // the records that began it
	told    *format.Record   // an update that tells the whole request by itself, if there was one
	toldAt  table.Place
	toldNth int
}

// field is a value that outlives its line.
type field struct {
	name  string
	value match.Value
}

// keyOf makes the key of a request: the ids of one log may repeat in another that is
// wrapped into the same input.
func (d *Decoder) keyOf(st *state, r *format.Record, values []match.Value) (key []byte, ok bool) {
	key = append(d.open.key[:0], st.f.ID...)
	key = append(key, 0)
	for _, part := range [][]byte{d.context.host, d.context.instance} {
		key = binary.AppendUvarint(key, uint64(len(part)))
		key = append(key, part...)
	}
	for _, slot := range r.Key {
		v := slot.Value(values)
		if v == nil {
			return nil, false
		}
		key = binary.AppendUvarint(key, uint64(len(v.Text)))
		key = append(key, v.Text...)
	}
	d.open.key = key
	return key, true
}

// begin opens a request. One that another kind of record has begun goes on.
func (d *Decoder) begin(st *state, r *format.Record, values []match.Value) {
	key, ok := d.keyOf(st, r, values)
	if !ok {
		d.tally.add(badValue, d.at, "record ", r.Name, ": its key is missing")
		return
	}
	q := d.open.byKey[string(key)]
	if q != nil && (q.told != nil || slices.Contains(q.begun, r)) {
		if q.told == nil {
			d.tally.add(idReused, d.at, "record ", r.Name)
		}
		d.end(q)
		q = nil
	}
	if q == nil {
		q = d.openRequest(st, r, key)
	}
	q.begun = append(q.begun, r)
	q.remember(r, values)
	st.last = q
}

// openRequest adds a request of which nothing is told yet.
func (d *Decoder) openRequest(st *state, r *format.Record, key []byte) *request {
	o := &d.open
	if len(o.byKey) >= o.limit {
		for o.oldest < len(o.order) && o.order[o.oldest].ended {
			o.oldest++
		}
		oldest := o.order[o.oldest]
		d.tally.add(tooManyOpen, oldest.at, "record ", r.Name)
		d.end(oldest)
	}
	q := &request{key: string(key), st: st, at: d.at, nth: d.nth, context: context{
		host: bytes.Clone(d.context.host), service: bytes.Clone(d.context.service),
		instance: bytes.Clone(d.context.instance), own: d.context.own,
	}}
	if o.byKey == nil {
		o.byKey = map[string]*request{}
	}
	o.byKey[q.key] = q
	o.order = append(o.order, q)
	d.sweep()
	return q
}

// lookup returns the open request that a record belongs to, nil if there is none. A
// record without a key belongs to the one that the record before it told of. ok is false
// if the record has a key and does not tell it.
func (d *Decoder) lookup(st *state, r *format.Record, values []match.Value) (q *request, key []byte, ok bool) {
	if len(r.Key) == 0 {
		q = st.last
		if q != nil && (q.ended || !bytes.Equal(q.context.host, d.context.host) || !bytes.Equal(q.context.instance, d.context.instance)) {
			q = nil
		}
		return q, nil, true
	}
	if key, ok = d.keyOf(st, r, values); !ok {
		return nil, nil, false
	}
	return d.open.byKey[string(key)], key, true
}

// sweep drops the requests that have ended once they are most of those kept.
func (d *Decoder) sweep() {
	o := &d.open
	if len(o.order) < 1024 || len(o.order) < 2*len(o.byKey) {
		return
	}
	kept := o.order[:0]
	for _, q := range o.order {
		if !q.ended {
			kept = append(kept, q)
		}
	}
	clear(o.order[len(kept):])
	o.order, o.oldest = kept, 0
}

// remember keeps the fields of a record; a later one's stand for those before it.
func (q *request) remember(r *format.Record, values []match.Value) {
	names := r.Names()
	n, size := 0, 0
	for i := range values {
		if values[i].Kind != match.None {
			n++
			size += len(values[i].Text)
		}
	}
	q.fields = slices.Grow(q.fields, n)
	texts := make([]byte, 0, size)
	for i := range values {
		v := &values[i]
		if v.Kind == match.None || format.Alternative(names[i]) {
			continue
		}
		name := names[i]
		if name == "time" {
			if r.TimeName == "" {
				continue
			}
			name = r.TimeName
		}
		var own match.Value
		own, texts = v.CloneTo(texts)
		q.set(name, own)
	}
}

func (q *request) set(name string, v match.Value) {
	for i := range q.fields {
		if q.fields[i].name == name {
			q.fields[i].value = v
			return
		}
	}
	q.fields = append(q.fields, field{name, v})
}

// update adds fields to an open request. One that tells a request by itself opens it if
// need be, and is the whole of it if no last record follows.
func (d *Decoder) update(st *state, r *format.Record, values []match.Value) {
	q, key, ok := d.lookup(st, r, values)
	if !ok {
		d.tally.add(badValue, d.at, "record ", r.Name, ": its key is missing")
		return
	}
	if q != nil && r.Span != nil && q.told == r {
		if q.otherRank(r, values) {
			// The ranks measure a request each by its own clock, so that their lines differ.
			d.tally.add(rankDuplicate, d.at, "record ", r.Name)
			return
		}
		d.end(q) // the id is used again
		q = nil
	}
	if q == nil && (r.Span == nil || key == nil) {
		d.tally.add(lateUpdate, d.at, "record ", r.Name)
		return
	}
	if q == nil {
		q = d.openRequest(st, r, key)
	}
	q.remember(r, values)
	st.last = q
	if r.Span == nil {
		return
	}
	if t := r.Time.Value(values); t != nil {
		q.set("time", t.Clone())
	}
	q.toldAt, q.toldNth = d.at, d.nth
	if q.told == nil {
		d.open.told = append(d.open.told, q)
	}
	q.told = r
	if len(d.open.told) <= maxTold {
		return
	}
	oldest := d.open.told[0]
	d.open.told = d.open.told[1:]
	if !oldest.ended {
		d.end(oldest)
	}
}

// otherRank reports whether a record is by another rank than what is remembered.
func (q *request) otherRank(r *format.Record, values []match.Value) bool {
	for _, slot := range r.Rank {
		name, v := r.Names()[slot], &values[slot]
		for i := range q.fields {
			if f := &q.fields[i]; f.name == name && v.Kind != match.None && v.Int != f.value.Int {
				return true
			}
		}
	}
	return false
}

// finish closes a request and makes a span of all that its records have told.
func (d *Decoder) finish(st *state, r *format.Record, values []match.Value, text []byte) {
	from := d.context
	if q, _, ok := d.lookup(st, r, values); !ok {
		d.tally.add(badValue, d.at, "record ", r.Name, ": its key is missing")
	} else if q == nil {
		d.tally.add(lateFinish, d.at, "record ", r.Name)
	} else {
		q.recall(d, r, values)
		q.ended = true
		delete(d.open.byKey, q.key)
		from = q.context
	}
	outcome := r.Span.Evaluate(values, &d.result)
	if outcome == format.Untimed {
		if len(d.result.Impossible) > 0 {
			d.untimed(r)
		}
		d.log(st, r, values, text)
		return
	}
	if outcome == format.Unfinished {
		d.tally.add(noEnd, d.at, "record ", r.Name)
	}
	d.span(st, r, values, from)
}

// recall puts what is remembered into the values of the last record, as far as it does
// not tell it itself.
func (q *request) recall(d *Decoder, r *format.Record, values []match.Value) {
	for slot, name := range r.Names() {
		if values[slot].Kind != match.None {
			continue
		}
		for i := range q.fields {
			if f := &q.fields[i]; f.name == name {
				v := f.value
				if v.Kind == match.Instant && v.Flags&(match.NoYear|match.NoZone) != 0 {
					d.resettle(&v, q.st)
				}
				values[slot] = v
			}
		}
	}
}

// end makes a span of a request whose last record did not come: what an update tells by
// itself, else an unfinished one.
func (d *Decoder) end(q *request) {
	q.ended = true
	delete(d.open.byKey, q.key)
	at, nth := d.at, d.nth
	d.at, d.nth = q.at, q.nth
	defer func() { d.at, d.nth = at, nth }()
	if r := q.told; r != nil {
		d.at, d.nth = q.toldAt, q.toldNth
		values := make([]match.Value, len(r.Names()))
		q.recall(d, r, values)
		if r.Span.Evaluate(values, &d.result) != format.Untimed {
			d.span(q.st, r, values, q.context)
			return
		}
		d.untimed(r)
		return
	}
	d.tally.add(unended, d.at, "format ", q.st.f.ID)
	for _, r := range q.st.f.Records {
		if r.Use != format.Finish {
			continue
		}
		values := make([]match.Value, len(r.Names()))
		q.recall(d, r, values)
		if r.Span.Evaluate(values, &d.result) != format.Untimed {
			d.result.End, d.result.Parts = 0, d.result.Parts[:0]
			d.span(q.st, r, values, q.context)
			return
		}
	}
	d.tally.add(noTime, d.at, "format ", q.st.f.ID)
}

// endAll ends all requests that are open, in the order in which they began.
func (d *Decoder) endAll() {
	for _, q := range d.open.order {
		if !q.ended {
			d.end(q)
		}
	}
	d.open.order, d.open.told, d.open.oldest = nil, nil, 0
}
