package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/cohort"
	"github.com/tailpath/tailpath/analyze/stat"
)

// CompareBy is a comparison by the values of some keys together, with what is beyond the groups
// that are listed in sums. Every request that the filter keeps is in one group.
type CompareBy struct {
	Keys     []string `json:"keys"`
	Sentence string   `json:"sentence"`
	// Kinds counts all groups by what became of them, and Judged those that have a percentile to
	// judge: the false discovery rate is bounded over them all.
	Kinds  []Count `json:"kinds"`
	Judged int64   `json:"judged"`
	// Divergence is how far the shares of the groups on both sides are apart, in bits; 0 where they
	// cannot be compared. Adjusted is the chance of it, requests taken as independent.
	Divergence float64    `json:"divergence_bits"`
	Adjusted   float64    `json:"adjusted"`
	Shifted    bool       `json:"shifted"`
	Bands      []KeyBands `json:"bands"` // keys that are numbers of many values
	Alone      []KeyAlone `json:"alone"` // keys that only one side has
	// Ordered tells that groups are in the order that a key asks for, and not by what changed.
	Ordered bool           `json:"ordered"`
	Groups  []ComparedRows `json:"groups"`
	// The groups beyond those that are listed, and their requests.
	OtherGroups int64     `json:"other_groups"`
	Other       GroupSize `json:"other"`
	// NoIntervals are the reasons why figures of groups have no interval, each once.
	NoIntervals []Warning `json:"no_intervals,omitempty"`
}

// KeyBands is a key whose values are put into bands.
type KeyBands struct {
	Key    string `json:"key"`
	Values int64  `json:"values"` // different ones
}

// KeyAlone is a key that only one side has a value of.
type KeyAlone struct {
	Key  string `json:"key"`
	Side string `json:"side"` // base or new: the one that has it
}

// GroupSize is the requests of a group on both sides: those that are used, and those that the
// filter keeps and that are left out for another reason.
type GroupSize struct {
	BaseN       int64 `json:"base_n"`
	NewN        int64 `json:"new_n"`
	BaseLeftOut int64 `json:"base_left_out"`
	NewLeftOut  int64 `json:"new_left_out"`
}

// plus adds another group.
func (g GroupSize) plus(other GroupSize) GroupSize {
	return GroupSize{g.BaseN + other.BaseN, g.NewN + other.NewN, g.BaseLeftOut + other.BaseLeftOut, g.NewLeftOut + other.NewLeftOut}
}

// ComparedRows is what became of the requests with one combination of values.
type ComparedRows struct {
	Values []*string `json:"values"` // one a key, or its band; null for requests without
	// Where is the same as an expression of --where; empty when there is none, as for bands.
	Where string `json:"where"`
	GroupSize
	BaseShare *float64 `json:"base_share"` // of the requests that are used; null where none is
	NewShare  *float64 `json:"new_share"`
	Kind      string   `json:"group_kind"`
	Words     string   `json:"words"`
	// AddedNS is the change of the mean times the requests of new; null where a side has no request,
	// or too few to judge. It may have no interval.
	AddedNS     *Figure            `json:"added_ns"`
	Stands      bool               `json:"stands"` // the change of the mean stands out from chance, over all groups
	P           string             `json:"p"`      // the percentile that Kind is about
	Part        string             `json:"part,omitempty"`
	PartStands  bool               `json:"part_stands"` // its contribution stands out from chance for itself
	Share       *float64           `json:"share"`       // of the change, that the part has
	Cause       string             `json:"change_cause,omitempty"`
	Shifted     []string           `json:"workload_shifted"`
	Percentiles []PercentileChange `json:"percentiles"` // of the duration; at equal workload where it changed
	BaseBlocks  int                `json:"base_blocks"` // of time, that are resampled
	NewBlocks   int                `json:"new_blocks"`
}

// groupsWithout are words that hold for every group of why figures have no interval.
var groupsWithout = map[string]string{
	change.Lasting:        "what happened lasts across blocks of time, which are then worth fewer independent ones than it takes",
	change.NoBlocksToDraw: "the group has too few blocks of time on a side, or nothing says when its requests started",
}

// comparedBy makes the groups of a comparison of so many requests on either side.
func comparedBy(b *analyze.ChangeBy, n [2]int64) *CompareBy {
	if b == nil {
		return nil
	}
	out := &CompareBy{
		Keys: b.Keys, Kinds: []Count{}, Judged: b.Judged, Divergence: b.Mix.Divergence, Adjusted: b.Mix.Adjusted, Shifted: b.Mix.Shifted,
		Bands: []KeyBands{}, Alone: []KeyAlone{}, Ordered: b.Ordered, Groups: []ComparedRows{}, OtherGroups: b.OtherGroups, Other: groupSize(b.Others),
	}
	for _, k := range b.Kinds {
		out.Kinds = append(out.Kinds, Count{string(k.Kind), k.N})
	}
	for _, k := range b.Bands {
		out.Bands = append(out.Bands, KeyBands(k))
	}
	for _, k := range b.Alone {
		out.Alone = append(out.Alone, KeyAlone{k.Key, sideNames[k.Side]})
	}
	reasons := (*reasonsNot)(&out.NoIntervals) // those of groups are told beside them
	for i := range b.Groups {
		g := comparedRows(&b.Groups[i], n, reasons)
		g.Where = out.where(b.Groups[i].Values)
		out.Groups = append(out.Groups, g)
	}
	for i, w := range out.NoIntervals {
		if text, is := groupsWithout[w.ID]; is {
			out.NoIntervals[i].Text = text
		}
	}
	out.Sentence = out.sentence()
	return out
}

func groupSize(g analyze.GroupSize) GroupSize {
	return GroupSize{g.N[change.Base], g.N[change.New], g.LeftOut[change.Base], g.LeftOut[change.New]}
}

// comparedRows makes a group of a comparison of so many requests on either side, and adds to the
// reasons why figures have no interval.
func comparedRows(g *analyze.GroupChange, n [2]int64, reasons *reasonsNot) ComparedRows {
	v := g.Verdict
	out := ComparedRows{
		GroupSize: groupSize(g.GroupSize), Kind: string(g.Kind), P: v.P.String(), Cause: string(v.Cause), Shifted: append([]string{}, v.Shifted...),
		Percentiles: []PercentileChange{}, BaseBlocks: g.Duration.Blocks.N[change.Base], NewBlocks: g.Duration.Blocks.N[change.New],
	}
	for _, value := range g.Values {
		at := &value
		if value == "" {
			at = nil
		}
		out.Values = append(out.Values, at)
	}
	for s, share := range []**float64{&out.BaseShare, &out.NewShare} {
		if n[s] > 0 {
			of := float64(g.N[s]) / float64(n[s])
			*share = &of
		}
	}
	for i := range g.Duration.Percentiles {
		out.Percentiles = append(out.Percentiles, reasons.percentile(&g.Duration.Percentiles[i]))
	}
	if mean := g.Duration.Mean.Total; mean.Difference.N > 0 {
		times := float64(g.N[change.New])
		added := mean.Difference
		added.Value *= times
		added.Bounds = stat.Bounds{Low: added.Bounds.Low * times, High: added.Bounds.High * times}
		figure := reasons.estimate(added)
		out.AddedNS, out.Stands = &figure, mean.Stands
	}
	if v.HasPart {
		out.Part, out.Share, out.PartStands = v.Part.Name(), &v.Share, v.Stands
	}
	out.Words = out.words()
	return out
}

// where selects the requests with some values of the keys, in the language of --where.
func (b *CompareBy) where(values []string) string {
	var terms []string
	for i, key := range b.Keys {
		v := cohort.Value{Kind: cohort.Category, Name: values[i]}
		if v.Name == "" {
			v.Kind = cohort.Missing
		}
		term := whereText(key, v)
		banded := slices.ContainsFunc(b.Bands, func(k KeyBands) bool { return k.Key == key })
		if term == "" || banded || timeFields[key] {
			return ""
		}
		terms = append(terms, term)
	}
	return strings.Join(terms, " AND ")
}

// worst returns the group whose change made the most time, of those that got slower among several
// of new; nil for none.
func (b *CompareBy) worst() (found *ComparedRows) {
	if b == nil {
		return nil
	}
	several := b.OtherGroups
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.NewN > 0 {
			several++
		}
		if (g.Kind == string(analyze.ChangeSlower) || g.Kind == string(analyze.ChangeMixed)) && g.AddedNS != nil && (found == nil || g.AddedNS.Value > found.AddedNS.Value) {
			found = g
		}
	}
	if several < 2 {
		return nil
	}
	return found
}

// words say in a few words what became of a group.
func (g *ComparedRows) words() string {
	switch analyze.GroupKind(g.Kind) {
	case analyze.GroupOnlyBase:
		return "only in base"
	case analyze.GroupOnlyNew:
		return "only in new"
	case analyze.GroupLeftOut:
		switch {
		case g.NewN > 0 || g.NewLeftOut == 0:
			return leftOutWords(g.BaseLeftOut, "base")
		case g.BaseN > 0 || g.BaseLeftOut == 0:
			return leftOutWords(g.NewLeftOut, "new")
		}
		return fmt.Sprintf("all %s and %s left out", Integer(g.BaseLeftOut), Integer(g.NewLeftOut))
	}
	switch analyze.ChangeKind(g.Kind) {
	case analyze.ChangeSame:
		return "no change that counts"
	case analyze.ChangeTooFew:
		return "too few"
	}
	i := slices.IndexFunc(g.Percentiles, func(p PercentileChange) bool { return p.P == g.P })
	if i < 0 || g.Percentiles[i].Ratio == nil {
		return g.Kind
	}
	p := &g.Percentiles[i]
	text := map[analyze.ChangeKind]string{analyze.ChangeDescribes: "here only", analyze.ChangeMixed: "both ways"}[analyze.ChangeKind(g.Kind)]
	if text == "" {
		text = g.Kind
	}
	text += ": " + p.P + " " + RatioText(p.Ratio.Value)
	if g.Part != "" {
		text += ", " + g.Part
		if !g.PartStands && analyze.ChangeKind(g.Kind) != analyze.ChangeDescribes {
			text += " (~)"
		}
	}
	return text
}

// leftOutWords say that all requests of a group on a side were left out.
func leftOutWords(n int64, side string) string {
	return fmt.Sprintf("all %s of %s left out", Integer(n), side)
}

// kindWords say what a number of groups came to.
var kindWords = map[string]string{
	string(analyze.ChangeSlower): "slower", string(analyze.ChangeMixed): "both slower and faster", string(analyze.ChangeFaster): "faster",
	string(analyze.ChangeDescribes): "changed here only", string(analyze.ChangeSame): "without a change that counts", string(analyze.ChangeTooFew): "too few to compare",
	string(analyze.GroupLeftOut): "left out on a side", string(analyze.GroupOnlyBase): "only in base", string(analyze.GroupOnlyNew): "only in new",
}

// sentence counts what became of the groups.
func (b *CompareBy) sentence() string {
	var parts []string
	all := int64(0)
	for _, k := range b.Kinds {
		all += k.N
		parts = append(parts, Integer(k.N)+" "+kindWords[k.Name])
	}
	if all == 0 {
		return "no group"
	}
	return fmt.Sprintf("%s: %s", plural(all, "group"), strings.Join(parts, ", "))
}

// changed counts the groups that changed among all of them, in words that go on a sentence about
// all requests; empty where none did, or one group is all requests.
func (b *CompareBy) changed() string {
	if b == nil {
		return ""
	}
	n, all := map[analyze.ChangeKind]int64{}, int64(0)
	for _, k := range b.Kinds {
		n[analyze.ChangeKind(k.Name)], all = k.N, all+k.N
	}
	var parts []string
	for _, of := range []struct {
		kind  analyze.ChangeKind
		words string
	}{{analyze.ChangeSlower, "slower"}, {analyze.ChangeMixed, "both slower and faster"}, {analyze.ChangeFaster, "faster"}} {
		if n[of.kind] > 0 {
			parts = append(parts, Integer(n[of.kind])+" "+of.words)
		}
	}
	if parts == nil || all < 2 {
		return ""
	}
	return fmt.Sprintf("; of %s by %s: %s", plural(all, "group"), strings.Join(b.Keys, " and "), strings.Join(parts, ", "))
}
