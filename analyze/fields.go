package analyze

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/discretion"
	"github.com/tailpath/tailpath/ingest/table"
)

// Fields gives what is known of a request by name, as people write it in a filter or
// group by: what tailpath knows of every request, and the attributes that were recorded.
//
// Names of the first kind are those of [Built]. Any other name is the key of an attribute:
// of the root span, else of the span nearest the engine, else of the resource of the root,
// else of the resource of the other. That span owns the longest GPU segment of the path to
// the end; without one the longest queue segment; without either it is the root.
//
// What people wrote or were answered is in no field, also where the tables keep it: keys that
// hold such text have no value, nor have objects that quote it, and of an address the query
// is left out.
//
// A Fields may be used by any number of goroutines. What it needs beyond columns is found
// on first use, in one pass over the segments or requests.
type Fields struct {
	set     *table.Set
	nearest func() nearest
	tpot    func() []int64 // ns by row; Missing where it is not defined
	// measures takes measures by other definitions.
	measures func() *measured
	places   func() []place
	names    func() []string
}

// Field is one name, looked up once: use it to read the same field of many requests.
type Field struct {
	f     *Fields
	built *builtField // nil for an attribute
	key   table.Sym
	known bool // the key of the attribute occurs
}

// NewFields returns the fields of the requests of a set, whose tables must not change
// while it is used.
func NewFields(set *table.Set) *Fields {
	f := &Fields{set: set}
	f.nearest = sync.OnceValue(func() nearest { return findNearest(set) })
	f.tpot = sync.OnceValue(func() []int64 { return tpotColumn(set) })
	f.measures = sync.OnceValue(func() *measured { return newMeasured(set) })
	f.places = sync.OnceValue(func() []place { return findPlaces(set) })
	f.names = sync.OnceValue(f.findNames)
	return f
}

// Field looks a name up. Every name is a field: one that nothing was recorded under has
// no value in any request.
func (f *Fields) Field(name string) Field {
	if b, ok := builtFields[name]; ok {
		return Field{f: f, built: b}
	}
	key, known := f.set.Symbols.Lookup(name)
	return Field{f: f, key: key, known: known && !discretion.HoldsText(name)}
}

// Text returns the field of the request in a row of the requests table as text; false when
// it has none. Numbers are in decimal, times in ns, the start in RFC 3339 UTC; an empty
// text counts as none.
func (f *Fields) Text(row int32, name string) (string, bool) { return f.Field(name).Text(row) }

// Number returns the field of the request in a row of the requests table as a number;
// false when it has none. Times are in ns, the start in ns since the Unix epoch and only
// if it is a date. An attribute is a number if it is one or its text is one in decimal;
// built-in fields that are names never are.
func (f *Fields) Number(row int32, name string) (float64, bool) { return f.Field(name).Number(row) }

// Names returns the names that some request has a value for: built-in ones in the order of
// [Built], then the keys of attributes in byte order. Measures by other definitions are not
// among them: they are not taken unless asked for.
func (f *Fields) Names() []string { return slices.Clone(f.names()) }

// Text is [Fields.Text] of this field.
func (d Field) Text(row int32) (string, bool) {
	switch {
	case d.built == nil:
		v, ok := d.attribute(row)
		if !ok {
			return "", false
		}
		return attributeText(v)
	case d.built.text != nil:
		text := d.built.text(d.f, row)
		return text, text != ""
	}
	if d.built.exact != nil {
		v, ok := d.built.exact(d.f, row)
		if !ok {
			return "", false
		}
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	if n, ok := d.built.number(d.f, row); ok {
		return strconv.FormatInt(n, 10), true
	}
	return "", false
}

// attributeText returns the value of an attribute as text; false when it is one of those that
// are in no field.
func attributeText(v table.Value) (string, bool) {
	text, ok := v.Scalar()
	if !ok {
		text = v.Text // of bytes, arrays and lists, as they are written in files
	}
	return discreet(text)
}

// discreet returns a value without what people wrote in it; false when that is all of it.
func discreet(text []byte) (string, bool) {
	if discretion.Quotes(text, discretion.HoldsText) {
		return "", false
	}
	const mark = "left out ("
	if i := discretion.Query(text); i >= 0 && !strings.HasPrefix(string(text[i:]), mark) {
		return string(discretion.LeftOut(text[:i:i], len(text)-i)), true
	}
	return string(text), true
}

// Number is [Fields.Number] of this field.
func (d Field) Number(row int32) (float64, bool) {
	switch {
	case d.built == nil:
		v, ok := d.attribute(row)
		if !ok {
			return 0, false
		}
		return attributeNumber(v)
	case d.built.number == nil:
		return 0, false
	case d.built.exact != nil:
		return d.built.exact(d.f, row)
	}
	n, ok := d.built.number(d.f, row)
	return float64(n), ok
}

// Numeric reports whether the field is a built-in number.
func (d Field) Numeric() bool { return d.built != nil && d.built.number != nil }

// attribute finds the value of a key where Fields says it is looked for.
func (d Field) attribute(row int32) (v table.Value, ok bool) {
	if !d.known {
		return v, false
	}
	spans, scopes := &d.f.set.Spans, &d.f.set.Scopes
	root, engine := d.f.spansOf(row)
	for _, span := range [2]int32{root, engine} {
		if span >= 0 {
			if v, ok = spans.Attributes.Get(int(span), d.key); ok && hasValue(v) {
				return v, true
			}
		}
	}
	for _, span := range [2]int32{root, engine} {
		if scope := scopeOf(d.f.set, span); scope >= 0 {
			if v, ok = scopes.ResourceAttributes.Get(int(scope), d.key); ok && hasValue(v) {
				return v, true
			}
		}
	}
	return v, false
}

// hasValue reports whether an attribute says something: an empty text does not, nor does a
// number that is none or infinite.
func hasValue(v table.Value) bool {
	switch v.Type {
	case table.ValueEmpty:
		return false
	case table.ValueBool, table.ValueInt:
		return true
	case table.ValueDouble:
		return isNumber(v.Double())
	}
	return len(v.Text) > 0
}

// spansOf returns the rows of the root span and of the span nearest the engine; -1 for
// one that the spans table does not have, or that is the root again.
func (f *Fields) spansOf(row int32) (root, engine int32) {
	root, engine = f.set.Requests.RootRow[row], f.nearest().span[row]
	if root < 0 || int(root) >= f.set.Spans.Len() {
		root = -1
	}
	if engine == root {
		engine = -1
	}
	return root, engine
}

// scopeOf returns the scope of a span; -1 when the tables do not have it.
func scopeOf(set *table.Set, span int32) int32 {
	if span < 0 {
		return -1
	}
	if scope := set.Spans.ScopeRow[span]; scope >= 0 && int(scope) < set.Scopes.Len() {
		return scope
	}
	return -1
}

// attributeNumber returns the number that an attribute holds. Text counts if it is a
// decimal number: not what only looks like one to a parser, such as "inf" or "0x10".
func attributeNumber(v table.Value) (float64, bool) {
	switch v.Type {
	case table.ValueInt:
		return float64(v.Int()), true
	case table.ValueDouble:
		return v.Double(), isNumber(v.Double())
	case table.ValueString:
		for _, c := range v.Text {
			if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
				return 0, false
			}
		}
		n, err := strconv.ParseFloat(string(v.Text), 64)
		return n, err == nil
	}
	return 0, false
}

// isNumber reports whether f is neither NaN nor infinite.
func isNumber(f float64) bool { return f-f == 0 }

// findNames lists the names that occur.
func (f *Fields) findNames() []string {
	var names []string
	rows := int32(f.set.Requests.Len())
	for _, b := range built {
		if b.measure {
			continue
		}
		d := f.Field(b.name)
		for row := range rows {
			if _, ok := d.Text(row); ok {
				names = append(names, b.name)
				break
			}
		}
	}
	used := make([]bool, f.set.Symbols.Len())
	scopes := make([]bool, f.set.Scopes.Len())
	for row := range rows {
		root, engine := f.spansOf(row)
		for _, span := range [2]int32{root, engine} {
			if span < 0 {
				continue
			}
			markKeys(used, &f.set.Spans.Attributes, int(span))
			if scope := scopeOf(f.set, span); scope >= 0 {
				scopes[scope] = true
			}
		}
	}
	for scope, is := range scopes {
		if is {
			markKeys(used, &f.set.Scopes.ResourceAttributes, scope)
		}
	}
	var keys []string
	for sym, is := range used {
		key := f.set.Symbols.Text(table.Sym(sym))
		if _, shadowed := builtFields[key]; is && !shadowed && key != "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return append(names, keys...)
}

func markKeys(used []bool, list *table.Attrs, row int) {
	for j := range list.Count(row) {
		if a := list.At(row, j); hasValue(a.Value) {
			used[a.Key] = true
		}
	}
}

// clockDate returns the start of a request as an instant; false when it is no date.
func clockDate(set *table.Set, row int32) (ns int64, ok bool) {
	return set.Requests.Start[row], set.Requests.Clock[row] == table.ClockWall
}

func dateText(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// timedClass reports whether the times of a request are all there: without its end it has
// no duration, and its stages are those of a part.
func timedClass(set *table.Set, row int32) bool {
	c := critical.Class(set.Requests.Class[row])
	return c == critical.Complete || c == critical.Incomplete
}
