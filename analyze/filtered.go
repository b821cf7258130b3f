package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/ingest/table"
)

// The reasons for which options leave a request out before anything else is asked of it.
const (
	holds      uint8 = iota // it is kept
	isUndated               // its start is no date, and During is set
	isOutside               // it does not start in During
	isFiltered              // Where does not hold
)

// kept says which requests of one set the options keep; the zero value keeps all.
type kept struct {
	set  *table.Set
	rows []uint8 // by row of the requests table, as above
	why  [isFiltered + 1]Exclusion
	// chosen says that During is set. alone is the part of it in which no request was there that it
	// leaves out, as far as ends are known: the time from the last end of those that started
	// before. carried are those.
	chosen           bool
	alone            Interval
	carried, undated missed
}

// holds reports whether a request is kept.
func (k *kept) holds(row int) bool { return k.set == nil || k.rows[row] == holds }

// filters reports whether Where leaves some request out.
func (k *kept) filters() bool { return k.set != nil && slices.Contains(k.rows, isFiltered) }

// on returns the options with their choice on the tables of a set. It looks at every
// request once.
func (o Options) on(set *table.Set) Options {
	if o.Where == nil && o.During == nil {
		o.kept = kept{}
		return o
	}
	if o.kept.set == set {
		return o
	}
	k := kept{set: set, rows: make([]uint8, set.Requests.Len())}
	if o.During != nil {
		k.during(*o.During)
	}
	if o.Where != nil {
		k.why[isFiltered] = Exclusion{Kind: ExcludedFilter, Reason: "does not match: " + o.Where.String()}
		match := o.Where.Bind(NewFields(set).Column)
		for row, is := range k.rows {
			if is == holds && !match(int32(row)) {
				k.rows[row] = isFiltered
			}
		}
	}
	o.kept = k
	return o
}

// Keeps returns a function that says whether During and Where keep the request in a row of the
// requests table.
func (o Options) Keeps(set *table.Set) func(row int) bool {
	k := o.on(set).kept
	return k.holds
}

// LeftOut returns a function that says which of the two leaves out the request in a row of the
// requests table: ExcludedUndated, ExcludedOutside or ExcludedFilter; empty when it is kept.
func (o Options) LeftOut(set *table.Set) func(row int) string {
	k := o.on(set).kept
	return func(row int) string {
		if k.holds(row) {
			return ""
		}
		return k.why[k.rows[row]].Kind
	}
}

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
