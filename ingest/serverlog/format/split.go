package format

import (
	"bytes"
	"maps"
	"slices"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// split reads what one field holds between separators.
type split struct {
	slot int
	at   []byte
	into []shape
}

// shape is what a piece of a field may look like, and the slots that it sets.
type shape struct {
	pattern *match.PatternMatcher
	slots   []int
}

// split compiles the splits of a record into its source and reports whether it could.
func (c *compiler) split(s *source, d *RecordDeclaration, where at) bool {
	faults := len(c.faults)
	for i, is := range d.Split {
		where := where.in("split", i)
		if kind, ok := s.kinds[is.Field]; !ok || kind != match.Text {
			c.fault(where.in("field"), "no field %q of a text", is.Field)
			continue
		}
		if is.At == "" || len(is.Into) == 0 {
			c.fault(where, "a split needs at and into")
			continue
		}
		out := split{slot: s.slots.Slot(is.Field), at: []byte(is.At)}
		for k, spec := range is.Into {
			m, _, err := match.Pattern(spec, s.slots, c.d.Absent)
			var kinds map[string]match.Kind
			if err == nil {
				kinds, err = patternKinds(spec)
			}
			shape := shape{pattern: m}
			for _, name := range slices.Sorted(maps.Keys(kinds)) {
				if err == nil {
					err = addKind(s.kinds, name, kinds[name])
				}
				shape.slots = append(shape.slots, s.slots.Slot(name))
			}
			if err != nil {
				c.fault(where.in("into", k), "%w", err)
			}
			out.into = append(out.into, shape)
		}
		s.splits = append(s.splits, out)
	}
	return len(c.faults) == faults
}

// read sets the fields that the pieces of a field tell, but for those that have a value.
func (s *split) read(values []match.Value) {
	v := &values[s.slot]
	if v.Kind == match.None {
		return
	}
	for rest, more := v.Text, true; more; {
		var piece []byte
		if piece, rest, more = bytes.Cut(rest, s.at); len(piece) == 0 {
			continue
		}
		for i := range s.into {
			// A pattern that fails may have set fields, so that it is tried without.
			if is := &s.into[i]; is.pattern.Match(piece, nil) {
				if is.free(values) {
					is.pattern.Match(piece, values)
				}
				break
			}
		}
	}
}

// free reports whether no field of the shape has a value.
func (s *shape) free(values []match.Value) bool {
	for _, slot := range s.slots {
		if values[slot].Kind != match.None {
			return false
		}
	}
	return true
}
