package csv

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/tailpath/tailpath/reports"
)

// shape is how one table is taken out of a document. It is made of the Go type alone.
type shape struct {
	name   string
	about  string
	levels []level // from the document down to the rows of the table, which are the last
	own    []field
}

// level is a list of objects on the way to a table.
type level struct {
	from []step  // from the object that holds the list to it
	name string  // last part of its path
	keys []field // what tells its objects apart, in tables further down
	one  bool    // it is a single object
}

// field is a column: a path of fields to a value that is no object, and no list of objects.
type field struct {
	name string
	from []step
}

// step goes from an object to one of its fields.
type step struct {
	field   int
	omitted func(reflect.Value) bool // whether JSON leaves out a field of this value; nil for never
}

// shapes lists every table in the order of the document's fields. They are made when the first
// is asked for: most runs want none.
var shapes = sync.OnceValue(func() []shape {
	document := reflect.TypeFor[reports.Document]()
	var list []shape
	root := shape{name: documentTable, about: abouts[document.Name()], levels: []level{{one: true}}}
	for _, f := range jsonFields(document) {
		if section := f.t.Type; section.Kind() == reflect.Pointer && section.Elem().Kind() == reflect.Struct {
			list = describe(list, shape{name: f.name, levels: []level{{from: f.from, one: true}}}, section.Elem())
			continue
		}
		list = flatten(list, &root, f, "", nil)
	}
	return append([]shape{root}, list...)
})

// documentTable is the name of the one row with what a document says of itself.
const documentTable = "document"

// describe adds the table of a list of objects, and those of the lists in it behind it.
func describe(list []shape, s shape, of reflect.Type) []shape {
	at := len(list)
	s.about = about(s.levels[len(s.levels)-1].name, of.Name())
	list = append(list, s)
	for _, f := range jsonFields(of) {
		list = flatten(list, &s, f, "", nil)
	}
	list[at].own = s.own
	return list
}

// flatten adds a field to the columns of s, or the tables of it to the list.
func flatten(list []shape, s *shape, f jsonField, prefix string, from []step) []shape {
	name, path := prefix+f.name, slices.Concat(from, f.from)
	of := pointed(f.t.Type)
	switch {
	case of.Kind() == reflect.Struct:
		for _, inner := range jsonFields(of) {
			list = flatten(list, s, inner, name+".", path)
		}
	case of.Kind() == reflect.Slice && pointed(of.Elem()).Kind() == reflect.Struct:
		object := pointed(of.Elem())
		table := shape{name: name, levels: slices.Concat(s.levels, []level{{from: path, name: f.name, keys: keys(object)}})}
		if s.name != documentTable {
			table.name = s.name + "." + name
		}
		list = describe(list, table, object)
	default:
		s.own = append(s.own, field{name: name, from: path})
	}
	return list
}

// keyNames are the fields that tell the objects of a list apart.
var keyNames = []string{"id", "metric", "p", "band", "stage", "detail", "name", "key", "keys", "values", "field", "value", "rule", "cause", "label", "objective", "trace_id", "root_span_id"}

// keys returns the texts of an object that name it: those with a name that does, else the first.
func keys(object reflect.Type) (named []field) {
	var texts []field
	for _, f := range jsonFields(object) {
		of := pointed(f.t.Type)
		if of.Kind() == reflect.Slice {
			of = pointed(of.Elem())
		}
		if of.Kind() != reflect.String {
			continue
		}
		texts = append(texts, field{name: f.name, from: f.from})
		if slices.Contains(keyNames, f.name) {
			named = append(named, texts[len(texts)-1])
		}
	}
	if len(named) == 0 && len(texts) > 0 {
		return texts[:1]
	}
	return named
}

// jsonField is a field as package encoding/json sees it.
type jsonField struct {
	name string
	from []step
	t    reflect.StructField
}

// jsonFields lists the fields of a struct that are in its JSON, with those of embedded structs.
func jsonFields(of reflect.Type) (out []jsonField) {
	for i := range of.NumField() {
		f := of.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			for _, inner := range jsonFields(f.Type) {
				inner.from = append([]step{{field: i}}, inner.from...)
				out = append(out, inner)
			}
		case f.IsExported() && name != "-":
			if name == "" {
				name = f.Name
			}
			out = append(out, jsonField{name: name, from: []step{{i, omission(options)}}, t: f})
		}
	}
	return out
}

// omission returns when a field of these options is left out of JSON.
func omission(options string) func(reflect.Value) bool {
	switch options {
	case "omitempty":
		return func(v reflect.Value) bool {
			switch v.Kind() {
			case reflect.Slice, reflect.String:
				return v.Len() == 0
			case reflect.Struct:
				return false
			}
			return v.IsZero()
		}
	case "omitzero":
		return reflect.Value.IsZero
	}
	return nil
}

// pointed returns what a type points to, the type itself if it is no pointer.
func pointed(of reflect.Type) reflect.Type {
	if of.Kind() == reflect.Pointer {
		return of.Elem()
	}
	return of
}
