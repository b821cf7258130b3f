package format

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// expression is a sum of instants and durations, such as "time - total", of which a
// duration may be a product. Its value is an instant or a duration in ns.
type expression struct {
	terms   []term
	names   []string // of the fields that are terms, "" for other terms
	instant bool
	fields  []string // names of fields in it, in order
	relies  bool     // it refers to last
}

// term is one summand: a field, a literal or one of the instants of the span at hand.
type term struct {
	minus   bool
	instant bool
	slot    int   // of a field; else one of the values below
	literal int64 // ns
	product *product
}

// What a term is if it is no field.
const (
	termLiteral = -1 - iota
	termStart
	termEnd
	termLast
)

// scope says what names mean where an expression stands.
type scope struct {
	kind  func(name string) (match.Kind, bool)
	slot  func(name string) int
	start bool // start may be referred to
	end   bool
	last  bool
}

// parseExpression compiles an expression and checks its types.
func parseExpression(text string, in scope) (*expression, error) {
	e := &expression{}
	tokens := strings.Fields(strings.NewReplacer("+", " + ", "-", " - ", "*", " * ", "/", " / ").Replace(text))
	if len(tokens) == 0 {
		return nil, fmt.Errorf("the expression is empty")
	}
	for i := 0; i < len(tokens); i++ {
		minus := false
		if i > 0 {
			if minus = tokens[i] == "-"; !minus && tokens[i] != "+" {
				return nil, fmt.Errorf("want +, -, * or / before %q in %q", tokens[i], text)
			}
			if i++; i == len(tokens) {
				return nil, fmt.Errorf("%q ends with %s", text, tokens[i-1])
			}
		}
		end := i + 1
		for end < len(tokens) && (tokens[end] == "*" || tokens[end] == "/") {
			if end += 2; end > len(tokens) {
				return nil, fmt.Errorf("%q ends with %s", text, tokens[end-2])
			}
		}
		t, name, err := in.product(tokens[i:end])
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, text)
		}
		first := i == 0
		i = end - 1
		t.minus = minus
		switch {
		case !t.instant:
		case !e.instant && !minus && first:
			e.instant = true
		case e.instant && minus:
			e.instant = false
		default:
			return nil, fmt.Errorf("%q adds instants, or takes an instant from a duration: only instant ± duration and instant - instant mean anything", text)
		}
		e.terms, e.names = append(e.terms, t), append(e.names, name)
		if t.slot >= 0 {
			e.fields = append(e.fields, name)
		}
		if t.product != nil {
			e.fields = append(e.fields, t.product.fields...)
		}
		e.relies = e.relies || t.slot == termLast
	}
	return e, nil
}

func (in scope) term(token string) (term, error) {
	switch {
	case token == "start" && in.start:
		return term{slot: termStart, instant: true}, nil
	case token == "end" && in.end:
		return term{slot: termEnd, instant: true}, nil
	case token == "last" && in.last:
		return term{slot: termLast, instant: true}, nil
	case token[0] >= '0' && token[0] <= '9':
		d, err := parseLiteral(token)
		return term{slot: termLiteral, literal: d}, err
	}
	kind, ok := in.kind(token)
	if !ok {
		if token == "start" || token == "end" || token == "last" {
			return term{}, fmt.Errorf("%s cannot be referred to here", token)
		}
		return term{}, fmt.Errorf("no field %q", token)
	}
	if kind != match.Instant && kind != match.Duration {
		return term{}, fmt.Errorf("field %q is of kind %s and neither an instant nor a duration: give it a type, such as ms or rfc3339", token, kind)
	}
	return term{slot: in.slot(token), instant: kind == match.Instant}, nil
}

// parseLiteral reads a duration such as 5ms or 1s.
func parseLiteral(text string) (int64, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no duration such as 5ms or 1s", text)
	}
	return int64(d), nil
}

// clocks says what an instant counts from. Instants of different clocks have no
// difference.
type clocks uint8

const (
	noClock clocks = iota
	wallClock
	civilClock // of an unknown year
	steadyClock
	mixedClocks
)

// known says whether an expression has a value.
type known uint8

const (
	valued     known = iota
	missing          // a field is not there
	impossible       // a field has a value that cannot be
)

// instants are the instants of the span at hand, and the values of its record.
type instants struct {
	values           []match.Value
	start, end, last int64
	hasStart, hasEnd bool
	hasLast          bool
	clock            clocks // of the span; noClock until it is known
}

// result is the value of an expression.
type result struct {
	ns    int64
	res   int64 // coarsest resolution of the fields in it, ns
	clock clocks
	field string // the field that cannot be
}

// eval computes an expression. A field of another clock than the span's is missing.
func (e *expression) eval(x *instants) (r result, k known) {
	for i := range e.terms {
		t := &e.terms[i]
		var ns int64
		switch t.slot {
		case termLiteral:
			ns = t.literal
		case termStart:
			if !x.hasStart {
				return r, missing
			}
			ns = x.start
		case termEnd:
			if !x.hasEnd {
				return r, missing
			}
			ns = x.end
		case termLast:
			if !x.hasLast {
				return r, missing
			}
			ns = x.last
		default:
			v := &x.values[t.slot]
			if v.Kind == match.None {
				return r, missing
			}
			ns = v.Int
			if !t.instant {
				if ns < 0 {
					return result{field: e.names[i]}, impossible
				}
				if t.product == nil {
					r.res = max(r.res, v.Res)
				}
				break
			}
			c := clockOf(v)
			if c == wallClock && ns <= 0 {
				return result{field: e.names[i]}, impossible
			}
			if x.clock != noClock && c != x.clock || r.clock != noClock && c != r.clock {
				return r, missing
			}
			r.clock = c
			r.res = max(r.res, v.Res)
		}
		if t.product != nil {
			var res int64
			if ns, res, k = t.times(ns, x.values); k != valued {
				return result{field: e.last()}, k
			}
			r.res = max(r.res, res)
		}
		if t.minus {
			ns = -ns
		}
		sum := r.ns + ns
		if (sum > r.ns) != (ns > 0) && ns != 0 || ns == math.MinInt64 {
			return result{field: e.last()}, impossible
		}
		r.ns = sum
	}
	return r, valued
}

// last names the last field, for a sum that does not fit.
func (e *expression) last() string {
	if len(e.fields) == 0 {
		return "sum"
	}
	return e.fields[len(e.fields)-1]
}

func clockOf(v *match.Value) clocks {
	switch {
	case v.Flags&match.Steady != 0:
		return steadyClock
	case v.Flags&match.NoYear != 0:
		return civilClock
	}
	return wallClock
}

// basis names the fields of an expression as the basis of a part.
func (e *expression) basis(more *expression) string {
	fields := e.fields
	if more != nil {
		for _, f := range more.fields {
			fields = append(fields[:len(fields):len(fields)], f)
		}
	}
	switch len(fields) {
	case 0:
		return "the record's end"
	case 1:
		return "field " + fields[0]
	}
	return "fields " + strings.Join(fields, ", ")
}
