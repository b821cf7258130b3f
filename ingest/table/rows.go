package table

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Rows is the part that every table shares: its schema and its columns in the
// schema's order. A table must not be copied once it is bound.
type Rows struct {
	schema *Schema
	cols   []column
	made   columns // the same by their Go types
	room   int     // how many rows there is room for in every column, at least
}

// Schema returns the declaration of the table.
func (r *Rows) Schema() *Schema { return r.schema }

// Len returns the number of rows.
func (r *Rows) Len() int { return r.cols[0].size() }

// Grow appends one row of absent or zero values to every column and returns its
// number; the caller then sets the columns it knows.
func (r *Rows) Grow() int {
	n := r.Len()
	if n >= r.room {
		r.makeRoom(n, 1)
	}
	r.made.row()
	return n
}

// A slice that grows by itself grows by a quarter at a time, which copies a row four
// times until it has its place for good. A table makes room for twice as many rows
// instead, from firstRoom on and as long as it has less than mostRoom.
const (
	firstRoom = 1 << 6
	mostRoom  = 1 << 20
)

// MakeRoom makes room for some more rows, and for as many as there are. A caller that
// appends to the columns of a table by itself calls it before.
func (r *Rows) MakeRoom(rows int) {
	if n := r.Len(); n+rows > r.room {
		r.makeRoom(n, rows)
	}
}

func (r *Rows) makeRoom(n, rows int) {
	if n < mostRoom {
		r.Reserve(max(n, firstRoom, rows))
	}
}

// Room returns how many more rows there is room for.
func (r *Rows) Room() int { return max(0, r.room-r.Len()) }

// Reserve makes room for more rows, and for no others: it is for a caller who knows how
// many there will be.
func (r *Rows) Reserve(rows int) {
	for _, c := range r.cols {
		c.reserve(rows)
	}
	r.room = r.Len() + rows
}

// Trim gives back the room for more rows, where it is more than a little: a table that is
// complete needs none, and one of many rows has room for a quarter as many again.
func (r *Rows) Trim() {
	for _, c := range r.cols {
		c.trim()
	}
	r.room = r.Len()
}

// Same reports whether two rows agree in every column but the named ones.
func (r *Rows) Same(i, j int, but ...string) bool {
	for k, c := range r.cols {
		if !slices.Contains(but, r.schema.Fields[k].Name) && c.compare(i, j) != 0 {
			return false
		}
	}
	return true
}

// truncate keeps the first n rows, whatever the columns hold beyond them.
func (r *Rows) truncate(n int) {
	for _, c := range r.cols {
		c.truncate(n)
	}
}

func (r *Rows) permute(perm []int32) {
	for _, c := range r.cols {
		c.permute(perm)
	}
}

func (r *Rows) rename(renamed []Sym) {
	for _, c := range r.cols {
		c.rename(0, renamed)
	}
}

func (r *Rows) appendFrom(src *Rows, renamed []Sym) {
	for i, c := range r.cols {
		c.appendFrom(src.cols[i], renamed)
	}
}

// refs calls f with every column of row numbers and the table it refers to.
func (r *Rows) refs(f func(table string, rows []int32)) {
	for i, field := range r.schema.Fields {
		if field.Refs != "" {
			f(field.Refs, *r.cols[i].slice().(*[]int32))
		}
	}
}

// bind ties the columns of a table struct to the fields of a schema.
func bind(table any, rows *Rows, schema *Schema) {
	v := reflect.ValueOf(table).Elem()
	known, ok := layouts.Load(schema)
	if !ok {
		known, _ = layouts.LoadOrStore(schema, layoutOf(v.Type(), schema))
	}
	l := known.(*layout)
	rows.schema = schema
	rows.cols = make([]column, 0, len(schema.Fields))
	rows.made = l.room.room()
	for i, at := range l.places {
		rows.cols = append(rows.cols, rows.made.add(schema.Fields[i], at.of(v)))
	}
}

// layout is what the tables of a schema have in common, of which a set is made for every small
// piece of work.
type layout struct {
	places []place
	room   columns // those of a table without rows, for how many there are of each type
}

var layouts sync.Map // *Schema to *layout

func layoutOf(table reflect.Type, schema *Schema) *layout {
	l := &layout{places: placesOf(table, schema)}
	none := reflect.New(table).Elem() // no set's, which would be kept with all its rows
	for i, at := range l.places {
		l.room.add(schema.Fields[i], at.of(none))
	}
	return l
}

// place says where a table struct has the slice of a column: in a field, or in the array
// that the field is; index is -1 for no array.
type place struct{ field, index int }

// of returns a pointer to the slice of the column in a table struct.
func (p place) of(table reflect.Value) any {
	field := table.Field(p.field)
	if p.index >= 0 {
		field = field.Index(p.index)
	}
	return field.Addr().Interface()
}

// placesOf finds the columns of a schema by the `col` tags of the struct's slices. It panics
// when the two do not match one to one, which is a fault of this package and is caught by its
// first test.
func placesOf(table reflect.Type, schema *Schema) []place {
	byName := map[string]place{}
	for i := range table.NumField() {
		field := table.Field(i)
		tag, ok := field.Tag.Lookup("col")
		if !ok {
			continue
		}
		if field.Type.Kind() != reflect.Array {
			byName[tag] = place{i, -1}
			continue
		}
		for j := range field.Type.Len() {
			byName[tag+StageNames[j]+"_ns"] = place{i, j}
		}
	}
	found := make([]place, 0, len(schema.Fields))
	for _, f := range schema.Fields {
		at, ok := byName[f.Name]
		if !ok {
			panic(fmt.Sprintf("table %s: column %s has no Go slice", schema.Name, f.Name))
		}
		delete(byName, f.Name)
		found = append(found, at)
	}
	if len(byName) > 0 {
		panic(fmt.Sprintf("table %s: Go slices without a column: %s", schema.Name, strings.Join(sortedKeys(byName), ", ")))
	}
	return found
}
