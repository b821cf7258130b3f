package analyze

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Strata splits the excess of the tail by one field: what requests of one kind are slower
// by than usual ones of their kind, and what comes of slow requests being of other kinds.
// Without the split a mix of kinds passes for slowness.
type Strata struct {
	Field  string
	N      int64 // kinds of request
	TailN  int64
	BodyN  int64
	Excess int64 // ns, rounded; Within and Between add up to it
	Within int64
	// Between is what the tail has more of slow kinds.
	Between int64
	// Share is Between's share of Excess.
	Share float64
	// Stage has the largest excess within kinds, unattributed aside, and WithinShare is its
	// share of Within; HasStage is false when nothing is slower within its kind.
	Stage       stage.Stage
	HasStage    bool
	WithinShare float64
	// Most is the kind that adds most to Between of those that are commoner in the tail, and
	// how many of tail and body are of it.
	Most                 string
	MostTailN, MostBodyN int64
}

// strataFields are the fields that a tail is split by, besides the shape of its traces.
var strataFields = []string{"model", "route", "name", "streaming", "status"}

// shape is the field of how many spans tell of a request. Which stages it has would be no
// shape: slow requests have a queue because they waited.
const shape = "spans"

// strataKept is how many kinds are told apart, the commonest; the rest are one.
const strataKept = 50

// strata splits the excess of ranked rows by every field of which there are several kinds.
func strata(set *table.Set, m metric, ranked []int32, t Tail) []Strata {
	if !t.Enough || t.Total().Sign() <= 0 {
		return nil
	}
	fields := NewFields(set)
	s := &attribution.Sample{Value: gather(m.value, ranked)}
	parts := make([][]int64, StageCount)
	for k := range parts {
		parts[k] = gather(m.stages[k], ranked)
	}
	var out []Strata
	for _, name := range append(slices.Clone(strataFields), shape) {
		of := func(row int32) string { text, _ := fields.Text(row, name); return text }
		if name == shape {
			of = func(row int32) string { return strconv.Itoa(int(set.Requests.SpansIn[row])) }
		}
		kinds, names := kindsOf(ranked, t.Q, of)
		if len(names) < 2 {
			continue
		}
		out = append(out, stratify(s, parts, t, name, kinds, names))
	}
	return out
}

// kindsOf numbers the kinds of the tail and the body of ranked rows, the commonest first;
// all other rows have -1.
func kindsOf(ranked []int32, q stat.Prob, of func(row int32) string) (kinds []int32, names []string) {
	number, counts := map[string]int32{}, []int64{}
	kinds = make([]int32, len(ranked))
	n := int64(len(ranked))
	first, last := bodyRanks(n)
	for i, row := range ranked {
		if r := int64(i) + 1; r < tailFrom(q, n) && (r < first || r > last) {
			kinds[i] = -1
			continue
		}
		name := of(row)
		k, ok := number[name]
		if !ok {
			k = int32(len(names))
			number[name], names, counts = k, append(names, name), append(counts, 0)
		}
		kinds[i] = k
		counts[k]++
	}
	order := make([]int32, len(names))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(names[a], names[b]))
	})
	place, sorted := make([]int32, len(names)), make([]string, 0, min(len(names), strataKept+1))
	for i, k := range order {
		place[k] = int32(min(i, strataKept))
		switch {
		case i < strataKept:
			sorted = append(sorted, names[k])
		case i == strataKept:
			sorted = append(sorted, "others")
		}
	}
	for i, k := range kinds {
		if k >= 0 {
			kinds[i] = place[k]
		}
	}
	return kinds, sorted
}

// stratify splits the excess by kind, and that of every stage.
func stratify(s *attribution.Sample, parts [][]int64, t Tail, field string, kinds []int32, names []string) Strata {
	split := attribution.Stratify(s.GroupsOf(t.Q, s.Value, kinds, len(names)))
	both := stat.RoundParts([]*big.Rat{split.Within, split.Between}, stat.RoundRat(split.Excess))
	out := Strata{
		Field: field, N: int64(len(names)), TailN: t.Tail.N, BodyN: t.Body.N,
		Excess: stat.RoundRat(split.Excess), Within: both[0], Between: both[1],
	}
	if split.Excess.Sign() > 0 {
		out.Share, _ = new(big.Rat).Quo(split.Between, split.Excess).Float64()
	}
	most, more := 0, func(s attribution.Stratum) bool { // commoner among slow requests than among usual ones
		return s.Tail.N*t.Body.N > s.Body.N*t.Tail.N
	}
	for h, each := range split.Each {
		if more(each) && (!more(split.Each[most]) || each.Between.Cmp(split.Each[most].Between) > 0) {
			most = h
		}
	}
	out.Most, out.MostTailN, out.MostBodyN = names[most], split.Each[most].Tail.N, split.Each[most].Body.N
	largest := new(big.Rat)
	for k := range parts {
		within := attribution.Stratify(s.GroupsOf(t.Q, parts[k], kinds, len(names))).Within
		if stage.Stage(k) != stage.Unattributed && within.Cmp(largest) > 0 {
			largest, out.Stage, out.HasStage = within, stage.Stage(k), true
		}
	}
	if split.Within.Sign() > 0 {
		out.WithinShare, _ = largest.Quo(largest, split.Within).Float64()
	}
	return out
}
