package analyze

import (
	"slices"

	"github.com/tailpath/tailpath/analyze/cohort"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// WhoDiffers finds what goes together with being slow: fields and attributes that slow
// requests have more often than the rest. Both are rows of the requests table; one in both
// counts as slow. Requests are compared with others that started at about the same time, on
// one clock, so that the time of an incident alone does not pass for a property of the
// requests in it.
//
// Every name of f is accounted for among the result's attributes. Times are never tested:
// they are what slow means. Nor is what a sampler left, as it may have looked at them.
func WhoDiffers(set *table.Set, f *Fields, slow, rest []int32, workers int) cohort.Result {
	isSlow := make([]bool, set.Requests.Len())
	for _, row := range slow {
		isSlow[row] = true
	}
	w := who{f: f, rows: slices.Clone(slow)}
	for _, row := range rest {
		if !isSlow[row] {
			w.rows = append(w.rows, row)
		}
	}
	sample := cohort.Sample{Slow: make([]bool, len(w.rows))}
	for i := range slow {
		sample.Slow[i] = true
	}
	sample.Start, sample.Clock = startsOf(set, w.rows)
	names := f.Names()
	sample.Columns, sample.Column = len(names), func(i int) cohort.Column { return w.column(names[i]) }
	r := cohort.Of(&sample, cohort.Options{Workers: max(1, workers)})
	if sampling(set, w.rows).Biased() {
		r.Warnings = append(r.Warnings, stat.Warning{ID: KeptTraces, Text: "traces were not all kept alike: shares, and what would go, hold among kept traces"})
	}
	return r
}

// startsOf returns when each of the rows started, with the number of its clock; -1 for one
// of which only durations are known.
func startsOf(set *table.Set, rows []int32) (start []int64, clock []int32) {
	bases := make([]timebase, len(rows))
	seen := map[timebase]int32{}
	for i, row := range rows {
		bases[i] = timebaseOf(set, int(row))
		seen[bases[i]] = -1
	}
	order := make([]timebase, 0, len(seen))
	for base := range seen {
		order = append(order, base)
	}
	slices.SortFunc(order, timebase.compare)
	for i, base := range order {
		if base.clock != table.ClockNone {
			seen[base] = int32(i)
		}
	}
	clock = make([]int32, len(rows))
	for i := range rows {
		clock[i] = seen[bases[i]]
	}
	return gather(set.Requests.Start, rows), clock
}

// who reads the fields of rows as columns.
type who struct {
	f    *Fields
	rows []int32
}

// column reads one field of every row: as numbers if it is an amount, else as categories.
func (w who) column(name string) cohort.Column {
	d := w.f.Field(name)
	c := cohort.Column{Name: name, LeftOut: notTested(name, d)}
	if c.LeftOut != "" {
		return c
	}
	if !isLabel(name) {
		if c.Numbers = w.numbers(d); c.Numbers != nil {
			if d.built == nil && measuresTime(name, true) {
				return cohort.Column{Name: name, LeftOut: LeftOutTime}
			}
			return c
		}
	}
	c.Codes, c.Names = w.codes(d)
	return c
}

// numbers reads a field as numbers; nil when some request has a value of another kind, or
// none has a value.
func (w who) numbers(d Field) []float64 {
	if d.built != nil && d.built.number == nil {
		return nil
	}
	var out []float64
	for i, row := range w.rows {
		v, ok := d.Number(row)
		if !ok {
			if d.built == nil {
				if v, has := d.attribute(row); has && v.Type != table.ValueDouble { // a NaN is no value
					return nil
				}
			}
			if out != nil {
				out[i] = missingNumber
			}
			continue
		}
		if out == nil {
			out = make([]float64, len(w.rows))
			for k := range i {
				out[k] = missingNumber
			}
		}
		out[i] = v
	}
	return out
}

// codes reads a field as categories, numbered as they are met.
func (w who) codes(d Field) (codes []int32, names []string) {
	codes = make([]int32, len(w.rows))
	byName := map[string]int32{}
	byNumber := map[numberKey]int32{} // saves writing each number out
	for i, row := range w.rows {
		var key numberKey
		if d.built == nil {
			v, ok := d.attribute(row)
			if !ok {
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
		}
		text, ok := d.Text(row)
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
