package analyze

import (
	"sync"

	"github.com/tailpath/tailpath/analyze/cohort"
	"github.com/tailpath/tailpath/ingest/table"
)

// who reads the fields of rows as columns, one at a time.
//
// An attribute is looked for in up to four lists of every row. To do so anew for each of them
// would take longer than all that is done with them, so the lists are gone through once for
// many attributes, and where each attribute was found is kept until its column is read.
type who struct {
	f     *Fields
	rows  []int32
	names []string
	// spots are of the attributes among the names; nil for a field that is none, or is not read.
	spots []*spots
}

// mostSpots is how many spots are kept at a time, or as many as there are rows if that is more: 128 MiB.
const mostSpots = 1 << 26

func newWho(f *Fields, rows []int32, mostSpots int) *who {
	w := &who{f: f, rows: rows, names: f.Names()}
	w.spots = make([]*spots, len(w.names))
	var in *sought
	for i, name := range w.names {
		d := f.Field(name)
		if d.built != nil || !d.known || notTested(name, d) != "" {
			continue
		}
		if in == nil || (len(in.all)+1)*len(rows) > mostSpots {
			in = &sought{f: f, rows: rows}
			in.find = sync.OnceFunc(in.findAll)
		}
		w.spots[i] = &spots{in: in, key: d.key}
		in.all = append(in.all, w.spots[i])
	}
	return w
}

// column reads one field of every row: as numbers if it is an amount, else as categories. It
// is read once.
func (w *who) column(i int) cohort.Column {
	name := w.names[i]
	d := w.f.Field(name)
	c := cohort.Column{Name: name, LeftOut: notTested(name, d)}
	if c.LeftOut != "" {
		return c
	}
	r := columnOf{w: w, d: d, spots: w.spots[i]}
	if r.spots != nil {
		r.spots.in.find()
		defer func() { r.spots.at = nil }()
	}
	if !isLabel(name) {
		if c.Numbers = r.numbers(); c.Numbers != nil {
			if d.built == nil && measuresTime(name, true) {
				return cohort.Column{Name: name, LeftOut: LeftOutTime}
			}
			return c
		}
	}
	c.Codes, c.Names = r.codes()
	return c
}

// sought is attributes that are looked for together.
type sought struct {
	f    *Fields
	rows []int32
	all  []*spots
	find func()
}

// spots says where every row has an attribute.
type spots struct {
	in  *sought
	key table.Sym
	at  []spot // by row, once it was looked for
}

// spot is the place of an attribute: 0 for none, else 1 + the list + 4 times the number of the
// entry in it. The lists are those of the root, of the span nearest the engine, and of the
// resources of both.
type spot uint16

// farSpot is the place of an attribute that has no number, in a very long list.
const farSpot = ^spot(0)

func spotOf(list, entry int) spot {
	if entry >= int(farSpot-1)/4 {
		return farSpot
	}
	return spot(1 + list + 4*entry)
}

// findAll goes through the lists of every row, in the order in which Fields says that they
// are looked through. Of a key that is in a list more than once the last entry counts.
func (s *sought) findAll() {
	set := s.f.set
	number := make([]int32, set.Symbols.Len()) // of the key among those that are looked for; -1 for none
	for key := range number {
		number[key] = -1
	}
	for k, of := range s.all {
		number[of.key] = int32(k)
		of.at = make([]spot, len(s.rows))
	}
	met := make([]int64, len(s.all)) // the last list that each key was met in
	lists := int64(0)
	look := func(i, list int, attrs *table.Attrs, row int32) {
		lists++
		for j := attrs.Count(int(row)) - 1; j >= 0; j-- {
			a := attrs.At(int(row), j)
			k := number[a.Key]
			if k < 0 || met[k] == lists {
				continue
			}
			met[k] = lists
			if at := s.all[k].at; at[i] == 0 && hasValue(a.Value) {
				at[i] = spotOf(list, j)
			}
		}
	}
	for i, row := range s.rows {
		root, engine := s.f.spansOf(row)
		for list, span := range [2]int32{root, engine} {
			if span >= 0 {
				look(i, list, &set.Spans.Attributes, span)
			}
		}
		first := scopeOf(set, root)
		if first >= 0 {
			look(i, 2, &set.Scopes.ResourceAttributes, first)
		}
		if scope := scopeOf(set, engine); scope >= 0 && scope != first {
			look(i, 3, &set.Scopes.ResourceAttributes, scope)
		}
	}
}

// columnOf reads one field of every row.
type columnOf struct {
	w *who
	d Field
	*spots
}

// attribute is that of the field in row i of those that are read.
func (c columnOf) attribute(i int) (v table.Value, ok bool) {
	if c.spots == nil {
		return v, false // no request has the key
	}
	at := c.at[i]
	switch at {
	case 0:
		return v, false
	case farSpot:
		return c.d.attribute(c.w.rows[i])
	}
	list, entry := int(at-1)%4, int(at-1)/4
	set := c.d.f.set
	span, engine := c.d.f.spansOf(c.w.rows[i])
	if list%2 == 1 {
		span = engine
	}
	if list < 2 {
		return set.Spans.Attributes.At(int(span), entry).Value, true
	}
	return set.Scopes.ResourceAttributes.At(int(scopeOf(set, span)), entry).Value, true
}

// number is that of the field in row i; notOne when it is there and no number.
func (c columnOf) number(i int) (n float64, ok, notOne bool) {
	if c.d.built != nil {
		n, ok = c.d.Number(c.w.rows[i])
		return n, ok, false
	}
	v, has := c.attribute(i)
	if !has {
		return 0, false, false
	}
	n, ok = attributeNumber(v)
	return n, ok, !ok && v.Type != table.ValueDouble // a NaN is no value
}

// numbers reads the field as numbers; nil when some request has a value of another kind, or
// none has a value.
func (c columnOf) numbers() []float64 {
	if c.d.built != nil && c.d.built.number == nil {
		return nil
	}
	var out []float64
	for i := range c.w.rows {
		v, ok, notOne := c.number(i)
		if notOne {
			return nil
		}
		if !ok {
			if out != nil {
				out[i] = missingNumber
			}
			continue
		}
		if out == nil {
			out = make([]float64, len(c.w.rows))
			for k := range i {
				out[k] = missingNumber
			}
		}
		out[i] = v
	}
	return out
}

// codes reads the field as categories, numbered as they are met.
func (c columnOf) codes() (codes []int32, names []string) {
	codes = make([]int32, len(c.w.rows))
	byName := map[string]int32{}
	byNumber := map[numberKey]int32{} // saves writing each number out
	for i, row := range c.w.rows {
		var key numberKey
		var text string
		ok := true
		if c.d.built == nil {
			var v table.Value
			if v, ok = c.attribute(i); !ok {
				codes[i] = -1
				continue
			}
			if v.Text != nil {
				if code, met := byName[string(v.Text)]; met {
					codes[i] = code
					continue
				}
			} else {
				key = numberKey{v.Type, v.Bits}
				if code, met := byNumber[key]; met {
					codes[i] = code
					continue
				}
			}
			text, ok = attributeText(v)
		} else {
			text, ok = c.d.Text(row)
		}
		if !ok {
			codes[i] = -1
			continue
		}
		code, met := byName[text]
		if !met {
			code = int32(len(names))
			names = append(names, text)
			byName[text] = code
		}
		if key != (numberKey{}) {
			byNumber[key] = code
		}
		codes[i] = code
	}
	return codes, names
}

// numberKey tells attribute values apart that are not text.
type numberKey struct {
	typ  table.ValueType
	bits uint64
}
