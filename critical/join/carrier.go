package join

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// carrier is a row that carries an id. Units that stronger keys have joined count as one.
type carrier struct {
	group, service, row int32
	answered            bool
}

// gather adds the carriers of the entries from i to j.
func (t *tier) gather(i, j int) {
	for _, e := range t.entries[i:j] {
		if e.answered() && t.cached[e.row] {
			continue
		}
		t.carriers = append(t.carriers, carrier{t.groups.find(t.unitOf[e.row]), t.service(e.row), e.row, e.answered()})
	}
}

// settle orders the carriers of one id by group, service and row, and drops what is not
// to be believed. It reports whether they can be of one request, by their number.
func (t *tier) settle() bool {
	answered := false
	for _, c := range t.carriers {
		answered = answered || c.answered
	}
	if answered {
		t.dropAnswers()
	}
	slices.SortFunc(t.carriers, func(a, b carrier) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.service, b.service), cmp.Compare(a.row, b.row))
	})
	if len(t.carriers) <= mostOfService {
		return true
	}
	most, all := t.crowd()
	if most <= mostOfService && all <= mostUnits {
		return true
	}
	if most > mostOfService {
		t.doubt(t.first(), "of %d traces or records of one service: a constant", most)
	} else {
		t.doubt(t.first(), "of %d traces or records: a constant", all)
	}
	return false
}

// crowd returns how many groups the carriers are of, of the service that has the most,
// and in all. The carriers are ordered.
func (t *tier) crowd() (most, all int) {
	var services []int32
	for i, c := range t.carriers {
		if i == 0 || c.group != t.carriers[i-1].group {
			all++
		}
		if i == 0 || c.group != t.carriers[i-1].group || c.service != t.carriers[i-1].service {
			services = append(services, c.service)
		}
	}
	slices.Sort(services)
	for i := 0; i < len(services); {
		j := i
		for j < len(services) && services[j] == services[i] {
			j++
		}
		most = max(most, j-i)
		i = j
	}
	return most, all
}

// first returns the least row of the carriers.
func (t *tier) first() int32 {
	row := t.carriers[0].row
	for _, c := range t.carriers {
		row = min(row, c.row)
	}
	return row
}

// dropAnswers drops the ids that came with an answer where several clients of one
// service have the same.
func (t *tier) dropAnswers() {
	slices.SortFunc(t.carriers, func(a, b carrier) int {
		return cmp.Or(cmp.Compare(a.service, b.service), cmp.Compare(a.group, b.group), cmp.Compare(a.row, b.row))
	})
	kept, dropped := t.carriers[:0:0], 0
	for i := 0; i < len(t.carriers); {
		j, group, several := i, int32(-1), false
		for ; j < len(t.carriers) && t.carriers[j].service == t.carriers[i].service; j++ {
			if c := t.carriers[j]; c.answered {
				several = several || group >= 0 && c.group != group
				group = c.group
			}
		}
		for _, c := range t.carriers[i:j] {
			if several && c.answered {
				if t.cached == nil {
					t.cached = map[int32]bool{}
				}
				t.cached[c.row] = true
				dropped++
			} else {
				kept = append(kept, c)
			}
		}
		i = j
	}
	if dropped > 0 && len(kept) > 0 {
		t.doubt(t.first(), "that came with %d answers to one service, as from a cache", dropped)
	}
	t.carriers = kept
}

// pairs joins the groups of the carriers, which are ordered, that can only be of one
// request by their times.
func (t *tier) pairs() {
	if len(t.carriers) == 0 {
		return
	}
	stays := t.stays()
	joined, doubt := t.pairing.pair(stays)
	t.joins = append(t.joins, joined...)
	if doubt != "" {
		t.doubt(t.first(), "that is short or a word, %s", doubt)
	}
	t.atOnce(stays, joined)
}

// stays returns when and at which services the groups carried the id.
func (t *tier) stays() []stay {
	out := make([]stay, len(t.carriers))
	for i, c := range t.carriers {
		out[i] = t.stay(c.row, c.group, c.service)
	}
	return out
}

// atOnce notes which rows carry the same request id: those of one unit, and those of
// groups that it joins, or that were one before, if their times form one stretch.
func (t *tier) atOnce(stays []stay, joined [][2]int32) {
	groups := t.pairing.groups
	set := newUnion(len(groups))
	place := func(group int32) int32 {
		i, _ := slices.BinarySearch(groups, group)
		return int32(i)
	}
	for _, j := range joined {
		set.join(place(j[0]), place(j[1]))
	}
	order := slices.Clone(stays)
	slices.SortFunc(order, func(a, b stay) int { return cmp.Compare(a.row, b.row) }) // and so by unit
	for i, s := range order {
		if i > 0 && t.unitOf[s.row] == t.unitOf[order[i-1].row] {
			t.same(order[i-1].row, s.row)
		}
		if len(joined) > 0 {
			order[i].group = groups[set.find(place(s.group))]
		}
	}
	order = slices.DeleteFunc(order, func(s stay) bool { return !s.dated })
	slices.SortFunc(order, func(a, b stay) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.start, b.start), cmp.Compare(a.row, b.row))
	})
	first, end := 0, int64(0)
	for i, s := range order {
		if i > 0 && s.group == order[first].group && s.start <= end {
			t.same(order[first].row, s.row)
			end = max(end, s.end)
			continue
		}
		first, end = i, s.end
	}
}

// stay returns the time of a row on a clock that tells the date, as long as it may have
// been: with its error on both sides. A row that never ended was there at its start.
func (f *finder) stay(row, group, service int32) stay {
	spans := &f.set.Spans
	s := stay{group: group, service: service, row: row, dated: spans.Clock[row] == table.ClockWall}
	if s.dated {
		slack := max(0, spans.Error[row])
		start := spans.Start[row]
		s.start, s.end = addTime(start, -slack), addTime(max(start, spans.End[row]), slack)
	}
	return s
}
