package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// ScopeFields are the fields that the scope of a bottleneck is told by.
var ScopeFields = []string{"model", "route", "host", "engine"}

// A field is the scope of a bottleneck when a few values of it hold most of the excess and far
// fewer of the requests, and when chance makes that once in a hundred fields at most.
const (
	mostScopeValues = 3
	scopeExcess     = 0.8  // least share of the excess that they hold
	scopeRequests   = 0.8  // share of the requests that they hold less than
	scopeLift       = 1.25 // least ratio of the two
	scopeChance     = 0.01
)

// leastScoped is how many requests must hold most of an excess for its scope to be told: fewer
// are on few hosts by chance.
const leastScoped = 20

// scoping finds out where and when the excess of a bottleneck is.
type scoping struct {
	r      *Report
	parts  *pathParts
	fields [][]int32  // by field, then place in rows: the number of its value
	names  [][]string // by field: values, by number; that of 0 is none
	order  []int32    // places of the requests on the clock of the load, by start
	drag   [][]int64  // by stage, then place; nil when not known
	now    int64      // the percentile Q of all requests, ns
}

// newScoping reads the fields of the requests of a report. w tells which of them have times; nil
// for none.
func newScoping(r *Report, w *waiting) *scoping {
	s := &scoping{r: r}
	f := NewFields(r.set)
	for _, name := range ScopeFields {
		field, number := f.Field(name), map[string]int32{"": 0}
		values, names := make([]int32, r.N), []string{""}
		for i, row := range r.rows {
			text, _ := field.Text(row)
			k, known := number[text]
			if !known {
				k = int32(len(names))
				number[text], names = k, append(names, text)
			}
			values[i] = k
		}
		s.fields, s.names = append(s.fields, values), append(s.names, names)
	}
	if w == nil {
		return s
	}
	s.parts = newPathParts(r.set, r.rows)
	for _, row := range w.rows {
		if at := s.parts.at[row]; at >= 0 {
			s.order = append(s.order, at)
		}
	}
	start := func(at int32) int64 { return r.set.Requests.Start[r.rows[at]] }
	slices.SortFunc(s.order, func(a, b int32) int { return cmp.Or(cmp.Compare(start(a), start(b)), cmp.Compare(a, b)) })
	s.drag = drags(r.set, r.rows)
	s.now = r.set.Requests.Duration[r.rows[max(1, r.Q.Rank(r.N))-1]]
	return s
}

// within returns a function that says whether the request at a place is in scope.
func (s *scoping) within(scope []ScopeField) func(at int32) bool {
	type test struct {
		values []int32
		in     []bool
	}
	var tests []test
	for _, f := range scope {
		k := slices.Index(ScopeFields, f.Field)
		if k < 0 {
			return func(int32) bool { return false } // nothing says which requests are meant
		}
		t := test{values: s.fields[k], in: make([]bool, len(s.names[k]))}
		for i, name := range s.names[k] {
			t.in[i] = i > 0 && slices.Contains(f.Values, name)
		}
		tests = append(tests, t)
	}
	return func(at int32) bool {
		for _, t := range tests {
			if !t.in[t.values[at]] {
				return false
			}
		}
		return true
	}
}

// fill finds the scope of a bottleneck, and what holds in it. over is the excess of each request,
// by place.
func (s *scoping) fill(b *Bottleneck, over []int64) {
	in := make([]int32, len(over)) // places in scope
	for at := range in {
		in[at] = int32(at)
	}
	h := hitOf(in, over)
	for used := make([]bool, len(ScopeFields)); ; {
		field, values := s.narrowest(in, h, over, used)
		if field < 0 {
			break
		}
		used[field] = true
		scope := ScopeField{Field: ScopeFields[field]}
		for _, v := range values {
			scope.Values = append(scope.Values, s.names[field][v])
		}
		slices.Sort(scope.Values)
		b.Scope = append(b.Scope, scope)
		in = slices.DeleteFunc(in, func(at int32) bool { return !slices.Contains(values, s.fields[field][at]) })
		h = hitOf(in, over)
	}
	slices.SortFunc(b.Scope, func(x, y ScopeField) int {
		return cmp.Compare(slices.Index(ScopeFields, x.Field), slices.Index(ScopeFields, y.Field))
	})
	b.Hit, b.Of, b.Excess = int64(h.heavy), int64(len(in)), h.sum
	for _, at := range in {
		if int64(at) >= s.r.N-s.r.TailN {
			b.Slow.Add(over[at])
		}
	}
	inside := make([]bool, len(over))
	for _, at := range in {
		inside[at] = true
	}
	b.From, b.To, b.Timed = s.window(inside, over)
	if n := h.heavy; n > 0 {
		ref := func(at int32) Exemplar {
			row := s.r.rows[at]
			return exemplar(s.r.set, row, s.r.set.Requests.Duration[row])
		}
		b.Typical, b.Far, b.Worst = ref(h.places[n/2]), ref(h.places[int64(n)-stat.P99.Rank(int64(n))]), ref(h.places[0])
	}
	shorter := gather(s.r.set.Requests.Duration, s.r.rows)
	for _, at := range in {
		by := over[at]
		if s.drag != nil {
			by = min(by, max(0, s.drag[b.Stage][at]))
		}
		shorter[at] -= by
	}
	b.GainNS = s.now - stat.SelectRank(shorter, s.r.Q)
}

// hits are the requests in a scope with an excess.
type hits struct {
	places []int32 // those with the most first
	heavy  int     // as few of the first as hold 90 % of the excess
	sum    stat.Sum
}

func hitOf(in []int32, over []int64) (h hits) {
	for _, at := range in {
		if over[at] > 0 {
			h.places = append(h.places, at)
			h.sum.Add(over[at])
		}
	}
	slices.SortFunc(h.places, func(a, b int32) int { return cmp.Or(cmp.Compare(over[b], over[a]), cmp.Compare(a, b)) })
	var held stat.Sum
	for h.heavy < len(h.places) && !holdsMost(held, h.sum) {
		held.Add(over[h.places[h.heavy]])
		h.heavy++
	}
	return h
}

// holdsMost reports whether a part of an excess is mostExcess of it or more.
func holdsMost(held, all stat.Sum) bool {
	return held.Times(mostExcess.Den).Minus(all.Times(mostExcess.Num)).Sign() >= 0
}

// narrowest returns the field, not used yet, of which a few values hold most of the excess and
// the fewest requests for that, and their numbers; -1 when there is none.
func (s *scoping) narrowest(in []int32, h hits, over []int64, used []bool) (field int, values []int32) {
	field = -1
	if h.heavy < leastScoped {
		return field, nil
	}
	best := 0.0
	for k := range s.fields {
		if used[k] || len(s.names[k]) < 2 {
			continue
		}
		found, lift := s.few(k, in, h, over)
		if lift > best {
			field, values, best = k, found, lift
		}
	}
	return field, values
}

// few returns as few values of a field as hold most of the excess, and by how much more that is
// than their share of the requests; 0 when they are no scope.
func (s *scoping) few(field int, in []int32, h hits, over []int64) (values []int32, lift float64) {
	of := s.fields[field]
	n, hit, excess := make([]int64, len(s.names[field])), make([]int64, len(s.names[field])), make([]stat.Sum, len(s.names[field]))
	for _, at := range in {
		n[of[at]]++
		excess[of[at]].Add(over[at])
	}
	for _, at := range h.places[:h.heavy] {
		hit[of[at]]++
	}
	var held stat.Sum
	var requests, heavyIn int64
	for len(values) < mostScopeValues {
		v := int32(0)
		for k := int32(1); int(k) < len(n); k++ {
			if slices.Contains(values, k) || n[k] == 0 {
				continue
			}
			more := 1
			if v > 0 {
				more = cmp.Or(excess[k].Minus(excess[v]).Sign(), cmp.Compare(s.names[field][v], s.names[field][k]))
			}
			if more > 0 {
				v = k
			}
		}
		if v == 0 {
			break
		}
		values = append(values, v)
		held = held.Plus(excess[v])
		requests, heavyIn = requests+n[v], heavyIn+hit[v]
		share, part := held.Over(h.sum), float64(requests)/float64(len(in))
		if share < scopeExcess {
			continue
		}
		rest := int64(h.heavy) - heavyIn
		chance := stat.FisherGreater(heavyIn, requests-heavyIn, rest, int64(len(in))-requests-rest).P
		if part >= scopeRequests || share < scopeLift*part || !(chance <= scopeChance) {
			return nil, 0
		}
		return values, share / part
	}
	return nil, 0
}

// window returns the shortest time whose requests hold 90 % of the excess in scope.
func (s *scoping) window(inside []bool, over []int64) (from, to int64, timed bool) {
	var at []int32
	var all stat.Sum
	for _, k := range s.order {
		if inside[k] && over[k] > 0 {
			at = append(at, k)
			all.Add(over[k])
		}
	}
	start := func(i int) int64 { return s.r.set.Requests.Start[s.r.rows[at[i]]] }
	var held stat.Sum
	first := 0
	for last := range at {
		held.Add(over[at[last]])
		for {
			without := held.Minus(stat.SumOf(over[at[first]]))
			if first == last || !holdsMost(without, all) {
				break
			}
			held, first = without, first+1
		}
		if holdsMost(held, all) && (!timed || start(last)-start(first) < to-from) {
			from, to, timed = start(first), start(last), true
		}
	}
	return from, to, timed
}
