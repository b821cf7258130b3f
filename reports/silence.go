package reports

import (
	"cmp"
	"reflect"
	"slices"
)

// Silenced returns a document without the warnings and the entries of quality that have one of
// some ids, and says in Silenced how many there were of each, so that they are left out and not
// forgotten. Figures and verdicts stay as they are. The ids that nothing of the document has are
// returned as well. The document that is given does not change.
func (d Document) Silenced(ids []string) (silent Document, unknown []string) {
	counts := make(map[string]int64, len(ids))
	for _, id := range ids {
		counts[id] = 0
	}
	out := without(reflect.ValueOf(d), counts).Interface().(Document)
	before := map[string]int64{} // a document may be silenced again
	for _, c := range d.SilencedCounts {
		before[c.Name] = c.N
	}
	for id, n := range counts {
		if before[id] += n; before[id] == 0 {
			unknown = append(unknown, id)
		}
	}
	out.SilencedCounts = nil
	for id, n := range before {
		if n > 0 {
			out.SilencedCounts = append(out.SilencedCounts, Count{id, n})
		}
	}
	slices.Sort(unknown)
	slices.SortFunc(out.SilencedCounts, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	return out, unknown
}

// without returns a copy of v in which the silenceable elements of slices that counts has are
// left out and counted. What holds none is shared with v.
func without(v reflect.Value, counts map[string]int64) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || !holdsWarnings(v.Type().Elem()) {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(without(v.Elem(), counts))
		return out
	case reflect.Struct:
		if !holdsWarnings(v.Type()) {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			out.Field(i).Set(without(v.Field(i), counts))
		}
		return out
	case reflect.Slice:
		if v.IsNil() || !holdsWarnings(v.Type().Elem()) {
			return v
		}
		out := reflect.MakeSlice(v.Type(), 0, v.Len())
		for i := range v.Len() {
			element := v.Index(i)
			if id, is := silenceable(element); is {
				if n, silent := counts[id]; silent {
					counts[id] = n + 1
					continue
				}
			}
			out = reflect.Append(out, without(element, counts))
		}
		return out
	}
	return v
}

// silenceable returns the id of a value that can be silenced.
func silenceable(v reflect.Value) (string, bool) {
	switch w := v.Interface().(type) {
	case Warning:
		return w.ID, true
	case Quality:
		return w.ID, true
	}
	return "", false
}

// holding says of the types of a document whether they hold something that can be silenced.
var holding = func() map[reflect.Type]bool {
	holds := map[reflect.Type]bool{}
	findHolding(reflect.TypeFor[Document](), holds)
	return holds
}()

func holdsWarnings(t reflect.Type) bool { return holding[t] }

// findHolding fills holds with t and the types below it. No type of a document holds itself.
func findHolding(t reflect.Type, holds map[reflect.Type]bool) bool {
	if found, done := holds[t]; done {
		return found
	}
	found := t == reflect.TypeFor[Warning]() || t == reflect.TypeFor[Quality]()
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		found = findHolding(t.Elem(), holds) || found
	case reflect.Struct:
		for i := range t.NumField() {
			found = findHolding(t.Field(i).Type, holds) || found
		}
	}
	holds[t] = found
	return found
}
