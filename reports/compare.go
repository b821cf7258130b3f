package reports

import (
	"math"
	"math/big"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Compare is the comparison section of a document: base before, new after. Differences
// are new less base, ratios new over base.
type Compare struct {
	Base ComparedSide `json:"base"`
	New  ComparedSide `json:"new"`
	// OneCapture says that both are times of the same inputs: their populations have since_ns and
	// until_ns.
	OneCapture bool           `json:"one_capture,omitempty"`
	Verdict    ChangeVerdict  `json:"verdict"`
	Metrics    []MetricChange `json:"metrics"` // duration, ttft, tpot
	Mix        []MixShift     `json:"mix"`
	Rates      []RateChange   `json:"rates"`
	By         *CompareBy     `json:"by,omitempty"` // nil unless keys were given
	Blocks     ChangeBlocks   `json:"change_blocks"`
	Rule       string         `json:"rule"`
	Meanings   []Definition   `json:"definitions"`
	// Refused says why the sides are not set against each other: then there is no verdict, and
	// neither metrics nor rates. Untold is what could not be asked because a side does not know it.
	Refused []string `json:"refused"`
	Untold  []string `json:"untold"`
	// NoIntervals are the reasons why figures have no interval, each once.
	NoIntervals []Warning `json:"no_intervals,omitempty"`
	Warnings    []Warning `json:"warnings"`
}

// ComparedSide is one of the two sets.
type ComparedSide struct {
	Label      string     `json:"label"`
	Files      []string   `json:"files"` // names of its inputs
	Population Population `json:"population"`
	Load       Load       `json:"load"`
	Context    Context    `json:"context"` // of all load, failed requests too
}

// ChangeVerdict answers in words and fields.
type ChangeVerdict struct {
	Sentence string   `json:"sentence"`
	Kind     string   `json:"kind"`
	Reason   string   `json:"reason"`
	Metric   string   `json:"metric"`
	P        string   `json:"p"`
	Part     string   `json:"part,omitempty"` // contributes most to the change
	Share    *float64 `json:"share"`          // of the change
	Stands   bool     `json:"stands"`         // the part's contribution stands out from chance for itself
	Cause    string   `json:"change_cause,omitempty"`
	Shifted  []string `json:"shifted"`
	// Artefacts are what one side alone has that may make a difference by itself.
	Artefacts []SideArtefact `json:"artefacts,omitempty"`
}

// SideArtefact is something in how one side was made, chosen or measured that moves its
// latencies.
type SideArtefact struct {
	ID   string `json:"id"` // of the warning about it
	Side string `json:"side"`
	Is   string `json:"is"`
}

// MetricChange is what became of one latency. Parts of one split add up to its total.
type MetricChange struct {
	Metric      string             `json:"metric"`
	BaseN       int64              `json:"base_n"`
	NewN        int64              `json:"new_n"`
	BaseMatched int64              `json:"base_matched"` // with a counterpart on the other side: those of equal_workload
	NewMatched  int64              `json:"new_matched"`
	Undefined   [2][]Count         `json:"undefined_by_side"`
	Percentiles []PercentileChange `json:"percentiles"`
	Blind       []BlindStage       `json:"blind"`
	Mean        *ChangeSplit       `json:"mean"` // null without requests on a side
	At          []ChangeAt         `json:"at"`
	Bands       []ChangeBand       `json:"bands"`
	// Longer is the probability that a request of new takes longer than one of base, by
	// Mann and Whitney, and LongerChance that of one as far from a half by chance if requests
	// were independent. They decide nothing.
	Longer       *float64 `json:"longer"`
	LongerChance *float64 `json:"longer_chance"`
}

// PercentileChange compares one percentile. Values are null when they are not known.
type PercentileChange struct {
	P             string    `json:"p"`
	BaseNS        *int64    `json:"base_ns"`
	NewNS         *int64    `json:"new_ns"`
	Ratio         *Figure   `json:"ratio"`
	Chance        float64   `json:"chance"`   // of such a ratio, two-sided
	Adjusted      float64   `json:"adjusted"` // for all that is tested
	Need          int64     `json:"need"`     // requests on either side that it takes to judge
	BaseIncidents int64     `json:"base_incidents"`
	NewIncidents  int64     `json:"new_incidents"`
	Outcome       string    `json:"outcome"`
	Reason        string    `json:"reason"`
	Equal         *WorkSide `json:"equal_workload"` // null when workloads cannot be set against each other
}

// WorkSide divides the change of a percentile in what the workload and what the server
// did: workload_ns, server_ns and unmatched_ns add up to it.
type WorkSide struct {
	WorkloadNS  int64  `json:"workload_ns"`
	ServerNS    int64  `json:"server_ns"`
	UnmatchedNS int64  `json:"unmatched_ns"` // by requests without counterpart on the other side
	Ratio       Figure `json:"ratio"`        // at equal workload
	Outcome     string `json:"outcome"`
}

// BlindStage is a stage that one side does not record.
type BlindStage struct {
	Stage          string `json:"stage"`
	Side           string `json:"side"`
	SeenNS         int64  `json:"seen_ns"`         // mean on the other side
	UnattributedNS int64  `json:"unattributed_ns"` // mean on this side
}

// ChangeSplit divides a change among parts.
type ChangeSplit struct {
	Total PartChange   `json:"total"`
	Parts []PartChange `json:"parts"`
}

// PartChange is the time of one part on both sides.
type PartChange struct {
	Part         string `json:"part"` // a stage, or several that are only known together
	BaseNS       int64  `json:"base_ns"`
	NewNS        int64  `json:"new_ns"`
	DifferenceNS int64  `json:"difference_ns"`
	LowNS        *int64 `json:"low_ns"`
	HighNS       *int64 `json:"high_ns"`
	Stands       bool   `json:"stands"` // out from chance, over all that is tested
	// NoInterval is the id of the reason why there are no bounds.
	NoInterval string `json:"no_interval,omitempty"`
}

// ChangeAt is the split of the change at one percentile, by Harrell-Davis estimates.
type ChangeAt struct {
	P     string `json:"p"`
	Ample bool   `json:"ample"`
	ChangeSplit
}

// ChangeBand is the split of the change of the mean in one band.
type ChangeBand struct {
	Band  string `json:"band"`
	BaseN int64  `json:"base_n"`
	NewN  int64  `json:"new_n"`
	Ample bool   `json:"ample"`
	ChangeSplit
}

// MixShift compares what requests ask for.
type MixShift struct {
	Column     string     `json:"column"`
	BaseN      int64      `json:"base_n"`
	NewN       int64      `json:"new_n"`
	Divergence float64    `json:"divergence_bits"`
	Adjusted   float64    `json:"adjusted"`
	Unseen     bool       `json:"unseen"`            // a side does not record it
	TooFew     bool       `json:"too_few,omitempty"` // to compare its values
	Shifted    bool       `json:"shifted"`
	BaseMedian *int64     `json:"base_median"` // of numbers
	NewMedian  *int64     `json:"new_median"`
	Values     []MixValue `json:"values"`               // of labels, the most moved first
	MoreValues int64      `json:"more_values,omitzero"` // beyond those
}

// MixValue is the share of one label on both sides.
type MixValue struct {
	Label string  `json:"label"`
	Base  float64 `json:"base"`
	New   float64 `json:"new"`
}

// RateChange compares the share of requests that have a property.
type RateChange struct {
	Name       string `json:"name"`
	BaseCount  int64  `json:"base_count"`
	BaseOf     int64  `json:"base_of"`
	NewCount   int64  `json:"new_count"`
	NewOf      int64  `json:"new_of"`
	Difference Figure `json:"difference"`
	// Adjusted is the chance of such a difference, for all that is tested.
	Adjusted float64 `json:"adjusted"`
	Outcome  string  `json:"rate_outcome"`
	// Objective is the one that the requests missed, and Unasked those of which some limit cannot
	// be asked, by reason: base, and new.
	Objective string      `json:"objective,omitempty"`
	Unasked   *[2][]Count `json:"unasked_by_side,omitempty"`
}

// ChangeBlocks says how intervals were made, and whether they predict.
type ChangeBlocks struct {
	Kind     string `json:"block_kind"`
	BaseN    int    `json:"base_n"`
	NewN     int    `json:"new_n"`
	Paired   bool   `json:"paired"`
	BaseLong int64  `json:"base_length_ns"`
	NewLong  int64  `json:"new_length_ns"`
	Refused  string `json:"refused"`
}

// sideNames are the sides in words.
var sideNames = [2]string{"base", "new"}

// Compared names one side of a comparison.
type Compared struct {
	Label string
	Files []string
}

// Compare makes the document of a comparison. The operands of the run are those of new.
func (r Run) Compare(c analyze.Comparison, base, new Compared) Document {
	d := r.document(KindCompare)
	x := &Compare{
		OneCapture: c.OneCapture,
		Base:       comparedSide(c.Base, c.Contexts[change.Base], base), New: comparedSide(c.New, c.Contexts[change.New], new), Rule: c.Rule.String(), Meanings: meanings, Warnings: warnings(c.Warnings),
		Metrics: []MetricChange{}, Mix: []MixShift{}, Rates: []RateChange{}, Refused: append([]string{}, c.Refused()...), Untold: append([]string{}, c.Likeness.Untold...),
		Blocks: ChangeBlocks{
			Kind: c.Blocks.Kind, BaseN: c.Blocks.N[0], NewN: c.Blocks.N[1], Paired: c.Blocks.Paired,
			BaseLong: c.Blocks.LengthNS[0], NewLong: c.Blocks.LengthNS[1], Refused: c.Blocks.Refused,
		},
	}
	for _, m := range c.Mix {
		x.Mix = append(x.Mix, mixShift(m, analyze.Options{Listed: r.Listed}.MostListed(mostValues)))
	}
	if len(x.Refused) > 0 {
		x.refuse()
		d.Compare, d.Headline = x, x.Verdict.Sentence
		d.Next = r.command("inspect")
		return d
	}
	for _, m := range c.Metrics {
		x.Metrics = append(x.Metrics, x.metric(m))
	}
	for _, e := range c.Rates {
		x.Rates = append(x.Rates, RateChange{
			Name: e.Name, BaseCount: e.Count[0], BaseOf: e.Of[0], NewCount: e.Count[1], NewOf: e.Of[1],
			Difference: x.reasons().estimate(e.Difference), Adjusted: e.Adjusted, Outcome: string(e.Outcome),
		})
		if i := slices.IndexFunc(c.Missed, func(m analyze.Missed) bool { return m.Rate == e }); i >= 0 {
			rate := &x.Rates[len(x.Rates)-1]
			rate.Objective, rate.Unasked = c.Missed[i].Objective.String(), countsBySide(c.Missed[i].Undefined)
		}
	}
	x.By = comparedBy(c.By, [2]int64{c.Base.Population.N, c.New.Population.N})
	v := c.Verdict
	x.Verdict = ChangeVerdict{
		Kind: string(v.Kind), Reason: v.Reason, Metric: v.Metric, P: v.P.String(), Stands: v.Stands, Cause: string(v.Cause), Shifted: append([]string{}, v.Shifted...),
	}
	if v.HasPart {
		x.Verdict.Part, x.Verdict.Share = v.Part.Name(), &v.Share
	}
	for _, a := range c.Artefacts {
		x.Verdict.Artefacts = append(x.Verdict.Artefacts, SideArtefact{a.ID, sideNames[a.Side], a.Is})
	}
	x.Verdict.Sentence = x.sentence()
	d.Compare, d.Headline = x, x.Verdict.Sentence
	d.Next = r.afterCompare(x, v)
	return d
}

// meanings are the definitions of a comparison.
var meanings = []Definition{
	{"percentile", stat.MethodNearestRank, "the value at rank ceil(p n): always that of a real request"},
	{"ratio", change.MethodBlocks, "new / base of the percentile; 95 % interval by resampling blocks of time, wider for few blocks and for noise that carries over between them"},
	{"contribution", "harrell_davis", "what a stage adds to the change of a percentile: the requests around its rank, weighted; they add up to the change of that estimate, which lies near the percentile and is not it"},
	{"equal_workload", "post_stratified", "each side weighted to the other's tokens, model, route and streaming, the two ways averaged"},
	{"divergence", "jensen_shannon_bits", "0 for the same mix, 1 for nothing in common; numbers by tenths of both sides together"},
}

func comparedSide(s analyze.Side, of serving.Context, named Compared) ComparedSide {
	return ComparedSide{Label: named.Label, Files: append([]string{}, named.Files...), Population: population(s.Population), Load: load(s.Load), Context: context(of)}
}

func countsBySide(of [2][]analyze.Undefined) *[2][]Count {
	out := [2][]Count{{}, {}}
	for s, list := range of {
		for _, u := range list {
			out[s] = append(out[s], Count{u.Reason, u.N})
		}
	}
	return &out
}

func (x *Compare) metric(m analyze.MetricChange) MetricChange {
	out := MetricChange{
		Metric: m.Metric, BaseN: m.N[0], NewN: m.N[1], BaseMatched: m.Matched[0], NewMatched: m.Matched[1], Undefined: *countsBySide(m.Undefined),
		Percentiles: []PercentileChange{}, Blind: []BlindStage{}, At: []ChangeAt{}, Bands: []ChangeBand{},
	}
	for i := range m.Percentiles {
		out.Percentiles = append(out.Percentiles, x.reasons().percentile(&m.Percentiles[i]))
	}
	for _, b := range m.Blind {
		out.Blind = append(out.Blind, BlindStage{b.Stage.String(), sideNames[b.Side], b.SeenNS, b.UnattributedNS})
	}
	if min(m.N[0], m.N[1]) == 0 {
		return out
	}
	mean := x.split(m.Mean, m.Parts)
	out.Mean = &mean
	for _, a := range m.At {
		out.At = append(out.At, ChangeAt{a.P.String(), a.Ample, x.split(a.Split, m.Parts)})
	}
	for _, b := range m.Bands {
		out.Bands = append(out.Bands, ChangeBand{analyze.Band(b.Band).String(), b.N[0], b.N[1], b.Ample, x.split(b.Split, m.Parts)})
	}
	out.Longer, out.LongerChance = &m.Effect.Effect, &m.Effect.P
	return out
}

func (r *reasonsNot) percentile(p *change.Percentile) PercentileChange {
	out := PercentileChange{
		P: p.P.String(), Chance: p.Chance, Adjusted: p.Adjusted, Need: stat.Minimum(p.P).Ample,
		BaseIncidents: p.Incidents[0], NewIncidents: p.Incidents[1], Outcome: string(p.Outcome), Reason: p.Reason,
	}
	if p.Base.Known {
		out.BaseNS = &p.Base.Value
	}
	if p.New.Known {
		out.NewNS = &p.New.Value
	}
	if out.BaseNS != nil && out.NewNS != nil && min(*out.BaseNS, *out.NewNS) > 0 {
		ratio := r.estimate(p.Ratio)
		out.Ratio = &ratio
	}
	if w := p.Workload; w != nil {
		whole := p.New.Value - p.Base.Value
		ns := stat.RoundParts([]*big.Rat{rational(w.Workload), rational(w.Server), rational(w.Unmatched)}, whole)
		out.Equal = &WorkSide{ns[0], ns[1], ns[2], r.estimate(w.Ratio), string(w.Outcome)}
	}
	return out
}

// reasonsNot are the reasons why figures have no interval, each once.
type reasonsNot []Warning

// reasons are those of a comparison.
func (x *Compare) reasons() *reasonsNot { return (*reasonsNot)(&x.NoIntervals) }

// estimate is estimate, with the reason when there is no interval.
func (r *reasonsNot) estimate(e stat.Estimate) Figure {
	f := estimate(e)
	f.NoInterval = r.without(e)
	return f
}

// without returns the id of the reason why an estimate has no interval, and keeps its text;
// it is empty when there is an interval.
func (r *reasonsNot) without(e stat.Estimate) string {
	if e.HasBounds || len(e.Warnings) == 0 {
		return ""
	}
	why := warnings(e.Warnings)[0]
	if !slices.ContainsFunc(*r, func(w Warning) bool { return w.ID == why.ID }) {
		*r = append(*r, why)
	}
	return why.ID
}

// split rounds a split to ns so that the parts add up to the total on both sides,
// and hence in the difference.
func (x *Compare) split(s change.Split, names []analyze.ChangePart) ChangeSplit {
	side := func(of func(change.Figure) float64) (parts []int64, total int64) {
		rats := make([]*big.Rat, len(s.Parts))
		for i, f := range s.Parts {
			rats[i] = rational(of(f))
		}
		total = rounded(of(s.Total))
		return stat.RoundParts(rats, total), total
	}
	base, baseTotal := side(func(f change.Figure) float64 { return f.Base })
	new, newTotal := side(func(f change.Figure) float64 { return f.New })
	out := ChangeSplit{Total: x.part("total", s.Total, baseTotal, newTotal), Parts: []PartChange{}}
	for i, f := range s.Parts {
		out.Parts = append(out.Parts, x.part(names[i].Name(), f, base[i], new[i]))
	}
	return out
}

// Judged reports whether the difference has an interval, by which it stands out from chance or
// does not.
func (p PartChange) Judged() bool { return p.LowNS != nil && p.HighNS != nil }

func (x *Compare) part(name string, f change.Figure, base, new int64) PartChange {
	out := PartChange{Part: name, BaseNS: base, NewNS: new, DifferenceNS: new - base, Stands: f.Stands, NoInterval: x.reasons().without(f.Difference)}
	if d := f.Difference; d.HasBounds {
		low, high := rounded(math.Floor(d.Bounds.Low)), rounded(math.Ceil(d.Bounds.High))
		out.LowNS, out.HighNS = &low, &high
	}
	return out
}

// mixShift lists at most so many values.
func mixShift(m change.Shift, most int) MixShift {
	out := MixShift{
		Column: m.Column, BaseN: m.N[0], NewN: m.N[1], Divergence: m.Divergence, Adjusted: m.Adjusted, Unseen: m.Unseen, TooFew: m.Few, Shifted: m.Shifted, Values: []MixValue{},
	}
	if m.Values == nil {
		for s, at := range []**int64{&out.BaseMedian, &out.NewMedian} {
			if m.N[s] > 0 {
				*at = &m.Median[s]
			}
		}
	}
	out.MoreValues = int64(max(0, len(m.Values)-most))
	for _, v := range m.Values[:min(len(m.Values), most)] {
		out.Values = append(out.Values, MixValue{v.Label, v.Share[0], v.Share[1]})
	}
	return out
}

// mostValues is how many values of a property a document holds; the rest are counted.
const mostValues = 20
