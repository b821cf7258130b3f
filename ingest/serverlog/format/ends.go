package format

import "github.com/tailpath/tailpath/ingest/serverlog/match"

// ends computes start and end, each of which may be given by the other. Of the pairs of
// expressions that have values, it takes the first that makes no request of more than
// longest, and nothing if all do. If one of the two has no value, it takes the other.
func (s *Span) ends(x *instants, out *Result) {
	first, second := s.start, s.end
	if s.startEnd {
		first, second = s.end, s.start
	}
	none, long := *x, false
	for _, a := range first {
		r, ok := s.value(a, x, out)
		if !ok {
			continue
		}
		alone, paired := s.with(none, r, !s.startEnd), false
		*x = alone
		for _, b := range second {
			q, ok := s.value(b, x, out)
			if !ok {
				continue
			}
			paired = true
			if both := s.with(alone, q, s.startEnd); !tooLong(both.start, both.end) {
				*x, out.Error, out.Length = both, max(out.Error, r.res, q.res), lengthError(a, b, x.values)
				return
			}
			out.conflict(culprit(a, b, x))
		}
		if !paired {
			out.Error = max(out.Error, r.res)
			return
		}
		*x, long = none, true
	}
	if long {
		return
	}
	if r, ok := s.choose(second, x, out); ok {
		*x, out.Error = s.with(none, r, s.startEnd), max(out.Error, r.res)
	}
}

// tooLong reports whether a request cannot be that long. The difference of two instants
// need not fit an int64.
func tooLong(start, end int64) bool { return float64(end)-float64(start) > float64(longest) }

// with returns x with a value for start or end.
func (s *Span) with(x instants, r result, start bool) instants {
	if x.clock == noClock {
		x.clock = r.clock
	}
	if start {
		x.start, x.hasStart = r.ns, true
	} else {
		x.end, x.hasEnd = r.ns, true
	}
	return x
}

// culprit names the field that makes a request too long: the longest duration in either
// expression, or else the last field.
func culprit(a, b *expression, x *instants) string {
	name, most := b.last(), int64(0)
	for _, e := range [2]*expression{a, b} {
		for i := range e.terms {
			t := &e.terms[i]
			if t.slot < 0 || t.instant {
				continue
			}
			if v := x.values[t.slot]; v.Int > most {
				name, most = e.names[i], v.Int
			}
		}
	}
	return name
}

// choose returns the value of the first expression that has one.
func (s *Span) choose(list []*expression, x *instants, out *Result) (result, bool) {
	for _, e := range list {
		if r, ok := s.value(e, x, out); ok {
			return r, true
		}
	}
	return result{}, false
}

// value returns the value of an expression, if it has one, and notes a field that cannot
// be.
func (s *Span) value(e *expression, x *instants, out *Result) (result, bool) {
	r, k := e.eval(x)
	if k == impossible {
		out.conflict(r.field)
	}
	return r, k == valued
}

// conflict notes a field once.
func (out *Result) conflict(field string) {
	for _, f := range out.Impossible {
		if f == field {
			return
		}
	}
	out.Impossible = append(out.Impossible, field)
}

// durationsOnly places a span that has a duration and no time at the origin of a clock
// of its own. It reports whether there is a duration.
func (s *Span) durationsOnly(x *instants, out *Result) bool {
	v := &x.values[s.time]
	v.Kind, v.Flags, v.Int, v.Res = match.Instant, match.Steady, 0, 0
	y := instants{values: x.values, clock: steadyClock}
	s.ends(&y, out)
	if !y.hasStart && !y.hasEnd {
		y.start, y.hasStart = 0, true
		if r, ok := s.choose(s.end, &y, out); ok {
			y.end, y.hasEnd = r.ns, true
		}
	}
	if y.hasStart && y.hasEnd && y.end >= y.start && !tooLong(y.start, y.end) {
		// The time stands for the origin; what the record gives by it moves along.
		v.Int = -y.start
		y.start, y.end = 0, y.end-y.start
		*x = y
		return true
	}
	v.Kind, v.Flags = match.None, 0
	return false
}

// lengthError is how far the difference of a span's ends may be off by the resolution of
// the fields that make it: those that stand in both ends cancel out, as the stamp of
// "time - total" and "time" does. When b refers to the other end, a cancels as a whole.
func lengthError(a, b *expression, values []match.Value) int64 {
	for i := range b.terms {
		if slot := b.terms[i].slot; slot == termStart || slot == termEnd {
			return b.resolution(nil, values)
		}
	}
	return max(a.resolution(b, values), b.resolution(a, values))
}

// resolution is the coarsest of the fields that do not stand in the other expression,
// which may be nil.
func (e *expression) resolution(other *expression, values []match.Value) (most int64) {
	for i := range e.terms {
		if t := &e.terms[i]; t.slot >= 0 && (other == nil || !other.has(t)) {
			most = max(most, values[t.slot].Res)
		}
	}
	return most
}

// has reports whether the same field is added or taken off in the expression.
func (e *expression) has(t *term) bool {
	for i := range e.terms {
		if e.terms[i].slot == t.slot && e.terms[i].minus == t.minus {
			return true
		}
	}
	return false
}
