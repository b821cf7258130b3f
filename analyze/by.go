package analyze

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/ingest/table"
)

// By is the requests of an analysis, one group for every combination of the values of some
// keys.
type By struct {
	Keys []string
	// Groups are in the order of the keys if one of them has an order of its own; otherwise
	// those with the most slow requests come first.
	Groups []ByGroup
	// Others sums up the groups beyond the first byKept, or Options.Listed if that is more, and
	// counts them in OtherGroups.
	Others      ByGroup
	OtherGroups int64
	Slow        int64 // requests at and above the tail's percentile, of all
}

// ByGroup is the requests with one combination of values. Its verdict is about its own slow
// requests against its own usual ones.
type ByGroup struct {
	Values   []string // one a key; empty for a request that has none
	N        int64
	Slow     int64 // of those that are slow among all
	Duration Latency
	TTFT     Percentiles // of the requests with a first token
	Verdict  Verdict
}

// byKept is how many groups are analysed on their own.
const byKept = 50

// by groups rows, which the duration has ranked, by the keys of the options; nil without keys.
func by(set *table.Set, ranked []int32, tail Tail, s Sampling, opt Options) *By {
	if len(opt.By) == 0 {
		return nil
	}
	out := &By{}
	fields := make([]Field, len(opt.By))
	all := NewFields(set)
	for i, key := range opt.By {
		out.Keys, fields[i] = append(out.Keys, key.Name), all.Field(key.Name)
	}
	type group struct {
		values []string
		rows   []int32
		slow   int64
	}
	at := map[string]*group{}
	var groups []*group
	first := int(tailFrom(tail.Q, int64(len(ranked)))) - 1
	for i, row := range ranked {
		values := make([]string, len(fields))
		for k, f := range fields {
			values[k], _ = f.Text(row)
		}
		id := joinedValues(values)
		g := at[id]
		if g == nil {
			g = &group{values: values}
			at[id] = g
			groups = append(groups, g)
		}
		g.rows = append(g.rows, row)
		if i >= first {
			g.slow++
			out.Slow++
		}
	}
	keys := filter.Keys{List: opt.By}
	ordered := slices.ContainsFunc(opt.By, func(k filter.Key) bool { return k.Order != filter.Natural })
	slices.SortFunc(groups, func(a, b *group) int {
		if ordered {
			return cmp.Or(keys.Compare(a.values, b.values), slices.Compare(a.values, b.values))
		}
		return cmp.Or(cmp.Compare(b.slow, a.slow), cmp.Compare(len(b.rows), len(a.rows)), keys.Compare(a.values, b.values), slices.Compare(a.values, b.values))
	})
	most := opt.MostListed(byKept)
	for i, g := range groups {
		if i >= most {
			out.OtherGroups++
			out.Others.N, out.Others.Slow = out.Others.N+int64(len(g.rows)), out.Others.Slow+g.slow
			continue
		}
		b := ByGroup{Values: g.values, N: int64(len(g.rows)), Slow: g.slow}
		streamed, without := ttftRows(set, g.rows)
		b.Duration = latency(set, durationMetric(set), g.rows, s, opt)
		b.Verdict = verdict(b.Duration, s, opt.Rule)
		m := ttftMetric(set)
		rank(set, streamed, m.value)
		b.TTFT = percentiles(set, m.name, streamed, m.value, s.Kind == SamplingWeighted, opt)
		b.TTFT.Undefined = without
		out.Groups = append(out.Groups, b)
	}
	return out
}

// joinedValues is a text that no other values have.
func joinedValues(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	var out []byte
	for _, v := range values {
		out = append(strconv.AppendInt(out, int64(len(v)), 10), ':')
		out = append(out, v...)
	}
	return string(out)
}
