package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// Work says whether slow requests ask for more, before anything is said of waiting: longer
// prompts, longer outputs, another model or route than all others; and whether they take
// longer on the device by that, or by being slower a token.
type Work struct {
	Slow, Rest int64 // requests that are compared
	Sizes      []Sizes
	Kinds      []KindMix
	Speeds     []Speed
}

// Sizes compares a number of tokens of slow requests and of the rest.
type Sizes struct {
	Name       string // prompt_tokens or output_tokens
	Slow, Rest stat.Quantile
	// Test compares the two: its Effect is the probability that a slow request has more.
	Test stat.Test
	More bool // they have more, and it matters
}

// KindMix compares which values of a field slow requests and the rest have.
type KindMix struct {
	Name   string // model or route
	Values int64
	// Top is the value that slow requests have more of than the rest, by most, with its
	// share of each.
	Top                  string
	SlowShare, RestShare float64
	Test                 stat.Test
	Differ               bool
}

// The level of a test of work, and the least effect that counts as a difference: a
// probability of 0.6 that a slow request has more tokens, or a tenth of the requests that
// would have to change their model.
const (
	workAlpha  = 0.01
	leastSizes = 0.1
	leastKinds = 0.1
)

// workOf compares the slow requests of a population with the rest.
func (t *queueTail) workOf() Work {
	w := Work{Slow: t.slowN, Rest: int64(len(t.rows)) - t.slowN, Speeds: t.speeds()}
	r := &t.set.Requests
	for _, c := range []struct {
		name   string
		column []int64
	}{{"prompt_tokens", r.PromptTokens}, {"output_tokens", r.OutputTokens}} {
		var slow, rest []int64
		for _, row := range t.rows {
			switch v := c.column[row]; {
			case v == table.Missing:
			case t.slow[row]:
				slow = append(slow, v)
			default:
				rest = append(rest, v)
			}
		}
		if len(slow) == 0 || len(rest) == 0 {
			continue
		}
		s := Sizes{Name: c.name, Test: stat.MannWhitney(rest, slow)}
		slices.Sort(slow)
		slices.Sort(rest)
		s.Slow, s.Rest = stat.QuantileOf(slow, stat.P50), stat.QuantileOf(rest, stat.P50)
		s.More = s.Test.P < workAlpha && s.Test.Effect >= .5+leastSizes
		w.Sizes = append(w.Sizes, s)
	}
	for _, c := range []struct {
		name   string
		column []table.Sym
	}{{"model", r.Model}, {"route", r.Route}} {
		if k := t.kinds(c.name, c.column); k.Values > 0 {
			w.Kinds = append(w.Kinds, k)
		}
	}
	return w
}

// kinds compares the values of a column.
func (t *queueTail) kinds(name string, column []table.Sym) KindMix {
	type count struct {
		text       string
		slow, rest int64
	}
	counts := map[table.Sym]*count{}
	for _, row := range t.rows {
		sym := column[row]
		if sym == 0 {
			continue
		}
		c := counts[sym]
		if c == nil {
			c = &count{text: t.set.Symbols.Text(sym)}
			counts[sym] = c
		}
		if t.slow[row] {
			c.slow++
		} else {
			c.rest++
		}
	}
	list := make([]*count, 0, len(counts))
	var slow, rest int64
	for _, c := range counts {
		list = append(list, c)
		slow, rest = slow+c.slow, rest+c.rest
	}
	k := KindMix{Name: name, Values: int64(len(list))}
	if slow == 0 || rest == 0 {
		return KindMix{}
	}
	slices.SortFunc(list, func(a, b *count) int { return cmp.Compare(a.text, b.text) })
	var cells [2][]int64
	moved := 0.0
	for _, c := range list {
		cells[0], cells[1] = append(cells[0], c.slow), append(cells[1], c.rest)
		s, r := float64(c.slow)/float64(slow), float64(c.rest)/float64(rest)
		moved += max(0, s-r)
		if k.Top == "" || s-r > k.SlowShare-k.RestShare {
			k.Top, k.SlowShare, k.RestShare = c.text, s, r
		}
	}
	if len(list) > 1 {
		k.Test = stat.GTest(cells[:])
		k.Differ = k.Test.P < workAlpha && moved >= leastKinds
	}
	return k
}

// medianOf returns the median of values, of which there must be one.
func medianOf(values []int64) int64 {
	values = slices.Clone(values)
	slices.Sort(values)
	return stat.NearestRank(values, stat.P50)
}
