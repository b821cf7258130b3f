package table

import (
	"fmt"
	"maps"
	"slices"
)

// Set is every table of one run, with the symbols they share.
type Set struct {
	Symbols       *Symbols
	Scopes        Scopes
	Spans         Spans
	SpanEvents    SpanEvents
	SpanLinks     SpanLinks
	Parts         Parts
	Logs          Logs
	EngineSamples EngineSamples
	Requests      Requests
	Segments      Segments
	Clocks        Clocks
	Quality       Quality
}

// NewSet returns a Set of empty tables.
func NewSet() *Set {
	s := &Set{Symbols: NewSymbols()}
	bind(&s.Scopes, &s.Scopes.Rows, &ScopesSchema)
	bind(&s.Spans, &s.Spans.Rows, &SpansSchema)
	bind(&s.SpanEvents, &s.SpanEvents.Rows, &SpanEventsSchema)
	bind(&s.SpanLinks, &s.SpanLinks.Rows, &SpanLinksSchema)
	bind(&s.Parts, &s.Parts.Rows, &PartsSchema)
	bind(&s.Logs, &s.Logs.Rows, &LogsSchema)
	bind(&s.EngineSamples, &s.EngineSamples.Rows, &EngineSamplesSchema)
	bind(&s.Requests, &s.Requests.Rows, &RequestsSchema)
	bind(&s.Segments, &s.Segments.Rows, &SegmentsSchema)
	bind(&s.Clocks, &s.Clocks.Rows, &ClocksSchema)
	bind(&s.Quality, &s.Quality.Rows, &QualitySchema)
	return s
}

// Tables returns the tables in the order of Schemas.
func (s *Set) Tables() []*Rows {
	return []*Rows{
		&s.Scopes.Rows, &s.Spans.Rows, &s.SpanEvents.Rows, &s.SpanLinks.Rows, &s.Parts.Rows, &s.Logs.Rows,
		&s.EngineSamples.Rows, &s.Requests.Rows, &s.Segments.Rows, &s.Clocks.Rows, &s.Quality.Rows,
	}
}

// Table returns the table of that name.
func (s *Set) Table(name string) (*Rows, bool) {
	for _, t := range s.Tables() {
		if t.schema.Name == name {
			return t, true
		}
	}
	return nil, false
}

// Append copies every row of src behind the rows of s and renumbers what refers to
// rows. src keeps its rows and shares no memory with s but the text of Text columns.
func (s *Set) Append(src *Set) {
	renamed := s.Symbols.internAll(src.Symbols)
	base := map[string]int{}
	into, from := s.Tables(), src.Tables()
	for i, t := range into {
		n := t.Len()
		base[t.schema.Name] = n
		t.appendFrom(from[i], renamed)
		t.refs(func(table string, rows []int32) {
			for k := range rows[n:] {
				rows[n+k] += int32(base[table])
			}
		})
	}
}

// Validate says what is wrong with a set, if anything: a column that is longer or
// shorter than its table, a row number or a value of an Enum that is out of range,
// a symbol that the set does not have. A table that is not kept, which has no rows,
// may be referred to by any row number. The writers refuse a set that is not valid.
func (s *Set) Validate() error {
	for _, t := range s.Tables() {
		for i, f := range t.schema.Fields {
			if err := s.validate(t, f, t.cols[i]); err != nil {
				return fmt.Errorf("table %s: column %s: %w", t.schema.Name, f.Name, err)
			}
		}
	}
	return nil
}

func (s *Set) validate(t *Rows, f Field, c column) error {
	if c.size() != t.Len() {
		return fmt.Errorf("%d values for %d rows", c.size(), t.Len())
	}
	switch vals := c.slice().(type) {
	case *[]uint8:
		for i, v := range *vals {
			if int(v) >= len(f.Names) {
				return fmt.Errorf("row %d: value %d has no name", i, v)
			}
		}
	case *[]int32:
		to, ok := s.Table(f.Refs)
		if !ok {
			return nil
		}
		for i, v := range *vals {
			if v < 0 || int(v) >= to.Len() && to.Len() > 0 {
				return fmt.Errorf("row %d: the %s table has no row %d", i, f.Refs, v)
			}
		}
	case *[]Sym:
		for i, v := range *vals {
			if int(v) >= s.Symbols.Len() {
				return fmt.Errorf("row %d: symbol %d is not one of this set", i, v)
			}
		}
	case *Attrs:
		for k, it := range vals.items {
			if int(it.key()) >= s.Symbols.Len() {
				return fmt.Errorf("entry %d: symbol %d is not one of this set", k, it.key())
			}
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
