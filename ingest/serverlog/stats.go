package serverlog

import (
	"cmp"
	"slices"
)

// Stats says what a Decoder read. Lines is the sum of Used and of all counts of Unused.
type Stats struct {
	Lines   int64    // records met, which are lines but for what was joined or cut
	Used    int64    // of them, those that rows were made of
	Unused  []Reason // the others, by what they are
	Records []Count  // used records by kind
	Spans   int64    // rows
	Logs    int64
	Samples int64
}

// Reason is why records were not used, and how many.
type Reason struct {
	Why   string
	Count int64
}

// Count is how many records of a kind were used.
type Count struct {
	Record string // "<format>.<record>"
	Count  int64
}

// Stats returns what was read so far, in order of reasons and names.
func (d *Decoder) Stats() Stats {
	s := d.stats
	s.Unused, s.Records = nil, nil
	add := func(n int64, why string) {
		if n > 0 {
			s.Unused = append(s.Unused, Reason{why, n})
		}
	}
	add(d.blank, "blank line")
	add(d.unknown, "unknown line")
	for _, st := range d.states {
		if st == nil {
			continue
		}
		add(st.headed, "no known record ("+st.f.ID+")")
		add(st.bad, "bad record ("+st.f.ID+")")
		for i := range st.records {
			name := st.f.Records[i].Name
			add(st.records[i].ignored, "ignored: "+name)
			add(st.records[i].copies, "copy of another rank: "+name)
			if n := st.records[i].used; n > 0 {
				s.Records = append(s.Records, Count{name, n})
			}
		}
	}
	slices.SortFunc(s.Unused, func(a, b Reason) int { return cmp.Compare(a.Why, b.Why) })
	slices.SortFunc(s.Records, func(a, b Count) int { return cmp.Compare(a.Record, b.Record) })
	return s
}
