package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/ingest/table"
)

// kept says which requests of one set a filter keeps; the zero value keeps all.
type kept struct {
	set  *table.Set
	rows []bool // by row of the requests table
	why  Exclusion
}

// holds reports whether a request is kept.
func (k kept) holds(row int) bool { return k.set == nil || k.rows[row] }

// some reports whether some request is not kept.
func (k kept) some() bool { return k.set != nil && slices.Contains(k.rows, false) }

// on returns the options with their filter on the tables of a set. It looks at every
// request once.
func (o Options) on(set *table.Set) Options {
	if o.Where == nil {
		o.kept = kept{}
		return o
	}
	if o.kept.set == set {
		return o
	}
	match := o.Where.Bind(NewFields(set).Column)
	o.kept = kept{set, make([]bool, set.Requests.Len()), Exclusion{Kind: ExcludedFilter, Reason: "does not match: " + o.Where.String()}}
	for row := range o.kept.rows {
		o.kept.rows[row] = match(int32(row))
	}
	return o
}

// Keeps returns a function that says whether the filter keeps the request in a row of the
// requests table.
func (o Options) Keeps(set *table.Set) func(row int) bool { return o.on(set).kept.holds }

// Column returns the field of a name with its kind, as filters want it.
func (f *Fields) Column(name string) (filter.Column, filter.Kind) {
	return f.Field(name), kindOf(name)
}

// kindOf returns the kind of a field.
func kindOf(name string) filter.Kind {
	b, known := builtFields[name]
	switch {
	case !known:
		return filter.Any
	case name == "start":
		return filter.Date
	case b.number == nil:
		return filter.Text
	case b.unit == "ns":
		return filter.Time
	}
	return filter.Count
}

// BuiltFilterFields describes the built-in fields to a filter.
func BuiltFilterFields() []filter.Field {
	out := make([]filter.Field, len(built))
	for i, b := range built {
		out[i] = filter.Field{Name: b.name, Kind: kindOf(b.name), Words: closedWords(b.name)}
	}
	return out
}

// FilterFields describes every field to a filter: the built-in ones, whether or not some
// request has a value, and the attributes that some request has.
func (f *Fields) FilterFields() []filter.Field {
	out := BuiltFilterFields()
	for _, name := range f.names() {
		if _, is := builtFields[name]; !is {
			out = append(out, filter.Field{Name: name})
		}
	}
	return out
}

// closedWords returns all that a field may hold, nil when that has no limit.
func closedWords(name string) []string {
	switch name {
	case "status":
		return []string{"ok", "error", "aborted"}
	case "streaming":
		return []string{"yes", "no"}
	case "class":
		return table.ClassNames
	case "cause":
		return CauseNames()
	}
	return nil
}

// FieldValues says what a field holds over all requests of a set.
type FieldValues struct {
	N, Missing int64 // requests that have a value, and that have none; they add up to all
	// Numbers says that every value is a number; Low and High are then the least and the
	// greatest.
	Numbers   bool
	Low, High float64
	// Texts counts requests by value, the commonest first; of those more than asked for
	// Others counts the requests and Distinct all values.
	Texts    []Count
	Distinct int64
	Others   int64
}

// Values says what a field holds over all requests, with the commonest values.
func (f *Fields) Values(name string, commonest int) FieldValues {
	d := f.Field(name)
	v := FieldValues{Numbers: true}
	counts := map[string]int64{}
	for row := range int32(f.set.Requests.Len()) {
		text, ok := d.Text(row)
		if !ok {
			v.Missing++
			continue
		}
		counts[text]++
		n, isNumber := d.Number(row)
		if v.N == 0 {
			v.Low, v.High = n, n
		}
		v.N++
		v.Low, v.High = min(v.Low, n), max(v.High, n)
		v.Numbers = v.Numbers && isNumber
	}
	v.Numbers = v.Numbers && v.N > 0
	v.Distinct = int64(len(counts))
	for text, n := range counts {
		v.Texts = append(v.Texts, Count{text, n})
	}
	slices.SortFunc(v.Texts, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	for _, c := range v.Texts[min(commonest, len(v.Texts)):] {
		v.Others += c.N
	}
	v.Texts = v.Texts[:min(commonest, len(v.Texts))]
	return v
}
