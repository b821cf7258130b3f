package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
)

// ChangeBy is a comparison by the values of some keys: one group for every combination of them
// that a request of either side has. Every request that the filter keeps is in exactly one group.
type ChangeBy struct {
	Keys []string
	// Bands are the keys whose values are put into bands, since they are numbers and many.
	Bands []KeyBands
	// Alone are the keys that only one side has a value of: its groups are on that side alone.
	Alone []KeyAlone
	// Ordered tells that one of the keys has an order of its own.
	Ordered bool
	// Groups come in the order of the keys if they are Ordered; otherwise those
	// that changed come first, by how much time it made, then those whose change is not proven to
	// last, those that did not change, those too small to say, and those without a counterpart.
	Groups []GroupChange
	// Others sums up the groups beyond the first byKept, or Options.Listed if that is more, and
	// counts them in OtherGroups.
	Others      GroupSize
	OtherGroups int64
	// Kinds counts all groups, listed or not, by what became of them, in the order of groups.
	Kinds []GroupCount
	// Judged is how many groups had a percentile to judge: the false discovery rate is bounded over
	// all of them.
	Judged int64
	// Mix compares the shares of the groups on both sides; of groups it has no values.
	Mix change.Shift
}

// KeyAlone is a key that only one side has.
type KeyAlone struct {
	Key  string
	Side int // change.Base or change.New: the side that has it
}

// GroupKind says what became of a group: a ChangeKind, or one of the kinds below.
type GroupKind string

// The kinds of groups that have no counterpart.
const (
	GroupOnlyBase GroupKind = "only_base" // no request of new is in it
	GroupOnlyNew  GroupKind = "only_new"
	// GroupLeftOut is a group of which all requests of a side were left out: they failed, or have no
	// times. The other side may have none.
	GroupLeftOut GroupKind = "left_out"
)

// groupKinds are in the order of groups.
var groupKinds = []GroupKind{
	GroupKind(ChangeSlower), GroupKind(ChangeMixed), GroupKind(ChangeFaster), GroupKind(ChangeDescribes), GroupKind(ChangeSame), GroupKind(ChangeTooFew),
	GroupLeftOut, GroupOnlyBase, GroupOnlyNew,
}

// established reports whether a group of the kind changed by every part of the rule.
func (k GroupKind) established() bool {
	return k == GroupKind(ChangeSlower) || k == GroupKind(ChangeMixed) || k == GroupKind(ChangeFaster)
}

// place is where groups of the kind come: those that changed first, whichever way, and those of one
// side last, whichever it is.
func (k GroupKind) place() int {
	switch {
	case k.established():
		return 0
	case k == GroupOnlyNew:
		k = GroupOnlyBase
	}
	return slices.Index(groupKinds, k)
}

// GroupCount is how many groups one thing became of.
type GroupCount struct {
	Kind GroupKind
	N    int64
}

// GroupSize is the requests of a group on both sides.
type GroupSize struct {
	N       [2]int64 // used
	LeftOut [2]int64 // kept by the filter, and left out for another reason
}

// GroupChange is what became of the requests with one combination of values.
type GroupChange struct {
	Values []string // one a key; empty for requests that have none
	GroupSize
	Kind GroupKind
	// Duration has parts, and is compared at equal workload, where it changed.
	Duration MetricChange
	// Verdict is about the duration of the group, and judged beside all other groups.
	Verdict ChangeVerdict
	order   []string // what Values are sorted by
}

// AddedNS is the change of the mean times the requests of new: the time that they took beyond
// what they would have taken at the mean of base, in ns; below 0 where it is less. It is 0
// where a side has none, or too few to judge.
func (g *GroupChange) AddedNS() float64 {
	return g.Duration.Mean.Total.Difference.Value * float64(g.N[change.New])
}

// groupRows is a group with its requests on either side.
type groupRows struct {
	GroupChange
	rows, recorded [2][]int32
	mix            []change.Shift // of what its requests ask for; nil for a group that did not change
}

// changeBy compares the durations of the requests by the keys of the options; nil without keys.
func changeBy(sides [2]sideOf, opt Options, o change.Options) *ChangeBy {
	if len(opt.By) == 0 {
		return nil
	}
	out := &ChangeBy{}
	groups := out.group(sides, opt)
	out.judge(groups, sides, opt, o)
	out.sort(groups, opt.By)
	out.Mix = mixOf(groups, o.Rule)
	out.list(groups, opt.MostListed(byKept))
	return out
}

// judge compares each group, judges it beside all others, and says what became of it. Those that
// changed are then compared once more, with the parts of the change, which takes long: what is
// known of the others is judged again as it was.
func (b *ChangeBy) judge(groups []*groupRows, sides [2]sideOf, opt Options, o change.Options) {
	for s := range sides {
		sides[s].places = make([]int32, sides[s].set.Requests.Len())
	}
	o.Bands = []change.Band{{From: stat.Prob{Num: 0, Den: 1}, To: stat.Prob{Num: 1, Den: 1}}} // nobody asks for those of groups
	for _, g := range groups {
		g.compare(sides, opt, o)
	}
	b.Judged = judgeGroups(groups, o.Rule)
	for _, g := range groups {
		if g.Verdict = g.verdict(nil); g.Verdict.Kind != ChangeSame && g.Verdict.Kind != ChangeTooFew {
			g.mix = g.split(sides, o)
		}
	}
	judgeGroups(groups, o.Rule)
	for _, g := range groups {
		g.Verdict = g.verdict(g.mix)
		g.Kind = g.kind()
	}
}

// judgeGroups judges the groups beside each other, and returns how many had a percentile to judge.
func judgeGroups(groups []*groupRows, rule change.Rule) int64 {
	results := make([]*change.Result, len(groups))
	for i, g := range groups {
		results[i] = g.Duration.Result
	}
	return int64(change.JudgeGroups(results, rule))
}

// verdict is what is said of a group that was judged, with how the mix of what it asks for changed.
func (g *groupRows) verdict(mix []change.Shift) ChangeVerdict {
	return changeVerdict(&Comparison{Metrics: []MetricChange{g.Duration}, Mix: mix})
}

// sort puts the groups in order: that of the keys if one has an order of its own.
func (b *ChangeBy) sort(groups []*groupRows, list []filter.Key) {
	keys := filter.Keys{List: list}
	b.Ordered = slices.ContainsFunc(list, func(k filter.Key) bool { return k.Order != filter.Natural })
	slices.SortFunc(groups, func(x, y *groupRows) int {
		first := 0
		if !b.Ordered {
			first = x.before(y)
		}
		return cmp.Or(first, keys.Compare(x.order, y.order), slices.Compare(x.Values, y.Values))
	})
}

// list keeps the first groups, sums up the others, and counts all of them.
func (b *ChangeBy) list(groups []*groupRows, most int) {
	counts := map[GroupKind]int64{}
	for i, g := range groups {
		counts[g.Kind]++
		if i < most {
			b.Groups = append(b.Groups, g.GroupChange)
			continue
		}
		b.OtherGroups++
		for s := range g.N {
			b.Others.N[s], b.Others.LeftOut[s] = b.Others.N[s]+g.N[s], b.Others.LeftOut[s]+g.LeftOut[s]
		}
	}
	for _, k := range groupKinds {
		if counts[k] > 0 {
			b.Kinds = append(b.Kinds, GroupCount{k, counts[k]})
		}
	}
}

// group puts the requests of both sides into groups, those of a population in the order of their
// durations.
func (b *ChangeBy) group(sides [2]sideOf, opt Options) (groups []*groupRows) {
	columns := keyColumns(sides, opt.By)
	for _, c := range columns {
		b.Keys = append(b.Keys, c.name)
		if c.bands != nil {
			b.Bands = append(b.Bands, *c.bands)
		}
		if c.has[change.Base] != c.has[change.New] {
			side := change.Base
			if c.has[change.New] {
				side = change.New
			}
			b.Alone = append(b.Alone, KeyAlone{c.name, side})
		}
	}
	at := map[string]*groupRows{}
	values := make([]string, len(columns))
	of := func(s int, row int32) *groupRows {
		for k := range columns {
			values[k] = columns[k].text(s, row)
		}
		id := joinedValues(values)
		g := at[id]
		if g == nil {
			g = &groupRows{GroupChange: GroupChange{Values: slices.Clone(values)}}
			for k := range columns {
				g.order = append(g.order, columns[k].order(values[k]))
			}
			at[id] = g
			groups = append(groups, g)
		}
		return g
	}
	for s, x := range sides {
		for _, row := range rankingsOf(x.set, x.rows).by(x.set.Requests.Duration, x.rows) {
			g := of(s, row)
			g.rows[s] = append(g.rows[s], row)
			g.N[s]++
		}
		for _, row := range x.recorded {
			g := of(s, row)
			g.recorded[s] = append(g.recorded[s], row)
		}
		for row := range x.set.Requests.Len() {
			if _, out := exclusion(x.set, row, x.opt); out && x.opt.kept.holds(row) {
				of(s, int32(row)).LeftOut[s]++
			}
		}
	}
	return groups
}

// of returns the sides with the requests of the group alone.
func (g *groupRows) of(sides [2]sideOf) [2]sideOf {
	for s := range sides {
		x := &sides[s]
		x.rows, x.recorded = g.rows[s], g.recorded[s]
		x.one = oneClock(x.set, x.recorded)
	}
	return sides
}

// compare compares the durations of a group as those of all requests are compared, in blocks of
// time of its own: it may have been there in few of those of all. It does not split the change.
func (g *groupRows) compare(all [2]sideOf, opt Options, o change.Options) {
	sides := g.of(all)
	g.Duration.Metric = "duration"
	o.Percentiles = percentilesOf(sides, opt)
	o.Blocks = change.Blocks{}
	of := change.Bare
	if min(g.N[0], g.N[1]) >= stat.Minimum(leastOf(o.Percentiles)).Ample { // else nothing is told from chance
		of, o.Blocks = change.Of, change.Cut(sides[0].clock(), sides[1].clock(), o.Rule)
	}
	o.At = o.Percentiles[:1] // a change without parts has none to show
	var samples [2]*change.Sample
	for s, x := range sides {
		samples[s] = x.sample(g.rows[s], x.set.Requests.Duration, nil)
	}
	g.Duration.Result = of(samples[change.Base], samples[change.New], o)
}

// split compares a group that changed once more, with the parts of the change and at equal
// workload: all other figures are the same. It returns how the mix of what its requests ask for
// changed.
func (g *groupRows) split(all [2]sideOf, o change.Options) []change.Shift {
	sides := g.of(all)
	o.Percentiles, o.Blocks = nil, g.Duration.Blocks
	for _, p := range g.Duration.Percentiles {
		o.Percentiles = append(o.Percentiles, p.P)
	}
	columns := workloadColumns(sides)
	g.Duration.compare(sides, g.rows, [2][]int64{sides[0].set.Requests.Duration, sides[1].set.Requests.Duration}, change.Cells(columns), o)
	return change.Shifts(columns, o.Rule)
}

// leastOf returns the percentile that takes the fewest requests.
func leastOf(list []stat.Prob) stat.Prob {
	return slices.MinFunc(list, func(a, b stat.Prob) int { return cmp.Compare(stat.Minimum(a).Ample, stat.Minimum(b).Ample) })
}

// kind says what became of a group that was judged.
func (g *groupRows) kind() GroupKind {
	there := [2]bool{g.N[0]+g.LeftOut[0] > 0, g.N[1]+g.LeftOut[1] > 0}
	switch {
	case g.N[change.Base] == 0 && there[change.Base] || g.N[change.New] == 0 && there[change.New]:
		return GroupLeftOut
	case !there[change.New]:
		return GroupOnlyBase
	case !there[change.Base]:
		return GroupOnlyNew
	}
	return GroupKind(g.Verdict.Kind)
}

// before orders groups that no key orders: those that changed by how much time that made, others
// of one kind by their requests.
func (g *groupRows) before(other *groupRows) int {
	if c := cmp.Compare(g.Kind.place(), other.Kind.place()); c != 0 {
		return c
	}
	if g.Kind.established() || g.Kind == GroupKind(ChangeDescribes) {
		if c := cmp.Compare(math.Abs(other.AddedNS()), math.Abs(g.AddedNS())); c != 0 {
			return c
		}
	}
	return cmp.Compare(other.N[0]+other.N[1], g.N[0]+g.N[1])
}

// mixOf compares the shares of the groups among the requests that are used.
func mixOf(groups []*groupRows, rule change.Rule) change.Shift {
	c := change.Column{Name: "groups"}
	for i, g := range groups {
		c.Labels = append(c.Labels, joinedValues(g.Values))
		for s, n := range g.N {
			c.Rows[s] = append(c.Rows[s], slices.Repeat([]int64{int64(i)}, int(n))...)
		}
	}
	mix := change.Shifts([]change.Column{c}, rule)[0]
	mix.Values = nil
	return mix
}
