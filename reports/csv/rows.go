package csv

import (
	"reflect"
	"strconv"

	"github.com/tailpath/tailpath/reports"
)

// in says whether a document has the section that the table is in: a table of another section
// is unknown to it, not empty.
func (s *shape) in(d reports.Document) bool {
	section := s.levels[0]
	if section.from == nil {
		return true
	}
	_, ok := follow(reflect.ValueOf(d), section.from[:1])
	return ok
}

// columns returns the names of the columns.
func (s *shape) columns() (names []string) {
	for _, l := range s.above() {
		names = append(names, l.name+".row")
		for _, k := range l.keys {
			names = append(names, l.name+"."+k.name)
		}
	}
	for _, f := range s.own {
		names = append(names, f.name)
	}
	return names
}

// above returns the lists on the way to the table.
func (s *shape) above() (lists []level) {
	for _, l := range s.levels[:len(s.levels)-1] {
		if !l.one {
			lists = append(lists, l)
		}
	}
	return lists
}

// table takes the table out of a document.
func (s *shape) table(d reports.Document) Table {
	t := Table{Name: s.name, About: s.about, Columns: s.columns()}
	s.rows(reflect.ValueOf(d), 0, nil, &t)
	return t
}

// rows adds the rows of a level and all below it; before are the cells of the levels above.
func (s *shape) rows(object reflect.Value, depth int, before []string, t *Table) {
	l := &s.levels[depth]
	list, ok := follow(object, l.from)
	switch {
	case !ok:
	case l.one:
		s.row(list, depth, before, t)
	default:
		for i := range list.Len() {
			one, ok := follow(list.Index(i), nil)
			if !ok {
				continue
			}
			cells := before[:len(before):len(before)]
			if depth < len(s.levels)-1 {
				cells = append(cells, strconv.Itoa(i+1))
				cells = appendCells(cells, one, l.keys)
			}
			s.row(one, depth, cells, t)
		}
	}
}

// row adds an object of a level: a row of the last one, what is below any other.
func (s *shape) row(object reflect.Value, depth int, before []string, t *Table) {
	if depth < len(s.levels)-1 {
		s.rows(object, depth+1, before, t)
		return
	}
	t.Rows = append(t.Rows, appendCells(before[:len(before):len(before)], object, s.own))
}

// appendCells writes fields of an object.
func appendCells(cells []string, object reflect.Value, fields []field) []string {
	for _, f := range fields {
		v, ok := follow(object, f.from)
		if !ok {
			cells = append(cells, "")
			continue
		}
		cells = append(cells, cell(v))
	}
	return cells
}

// follow goes from an object through fields, and through the pointers on the way and at the
// end; false where one is nil, or where JSON leaves the field out.
func follow(v reflect.Value, steps []step) (reflect.Value, bool) {
	for i := 0; ; i++ {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		if i == len(steps) {
			return v, true
		}
		v = v.Field(steps[i].field)
		if omitted := steps[i].omitted; omitted != nil && omitted(v) {
			return v, false
		}
	}
}
