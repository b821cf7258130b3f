package format

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// product is what a duration is multiplied by and divided by.
type product struct {
	factors []factor
	fields  []string // names of the fields that are factors, in order
}

// factor is a number, or a field that is one if slot is not negative.
type factor struct {
	divide bool
	slot   int
	number float64
}

// product compiles a term, such as "total" or "1s / 1024 * size / speed", of which the
// tokens are its factors with * or / between them. If there are several, one is a duration
// and all others are numbers. The name is that of the field that is the instant or the
// duration, "" if none is.
func (in scope) product(tokens []string) (t term, name string, err error) {
	if len(tokens) == 1 {
		t, err = in.term(tokens[0])
		if t.slot >= 0 {
			name = tokens[0]
		}
		return t, name, err
	}
	p, found := &product{}, false
	for i := 0; i < len(tokens); i += 2 {
		token, divide := tokens[i], i > 0 && tokens[i-1] == "/"
		if n, err := strconv.ParseFloat(token, 64); err == nil && token[0] >= '0' && token[0] <= '9' {
			if divide && n == 0 {
				return t, "", fmt.Errorf("a product is divided by 0")
			}
			p.factors = append(p.factors, factor{divide: divide, slot: -1, number: n})
			continue
		}
		if kind, ok := in.kind(token); ok && (kind == match.Int || kind == match.Float) {
			p.factors = append(p.factors, factor{divide: divide, slot: in.slot(token)})
			p.fields = append(p.fields, token)
			continue
		}
		own, err := in.term(token)
		switch {
		case err != nil:
			return t, "", err
		case own.instant:
			return t, "", fmt.Errorf("%q is an instant, and a product is of a duration and of numbers", token)
		case divide:
			return t, "", fmt.Errorf("%q is a duration, and a product is divided by numbers alone", token)
		case found:
			return t, "", fmt.Errorf("%q is the second duration of a product, which has one", token)
		}
		if t, found = own, true; own.slot >= 0 {
			name = token
		}
	}
	if !found {
		return t, "", fmt.Errorf("a product of numbers alone is no duration: want one factor such as 1s")
	}
	t.product = p
	return t, name, nil
}

// times multiplies the duration ns of the term, and its resolution, by the factors. There
// is no product of a field without a value, nor a quotient by 0.
func (t *term) times(ns int64, values []match.Value) (product, res int64, k known) {
	by := 1.0
	for _, x := range t.product.factors {
		n := x.number
		if x.slot >= 0 {
			v := &values[x.slot]
			if v.Kind == match.None {
				return 0, 0, missing
			}
			if n = v.Float; v.Kind == match.Int {
				n = float64(v.Int)
			}
		}
		switch {
		case !x.divide:
			by *= n
		case n == 0:
			return 0, 0, missing
		default:
			by /= n
		}
	}
	if t.slot >= 0 {
		res = values[t.slot].Res
	}
	const most = 1 << 62
	exact, worth := math.Round(float64(ns)*by), math.Ceil(float64(res)*math.Abs(by))
	if !(math.Abs(exact) < most && worth < most) {
		return 0, 0, impossible
	}
	return int64(exact), int64(worth), valued
}
