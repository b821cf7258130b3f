package reports

import (
	"math/big"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
)

// ForAll is the attribution of a tail for all requests, kept or not, by sampling weights.
type ForAll struct {
	Q       string `json:"q"`
	Refused string `json:"refused"` // why there are no shares; empty when there are
	Need    string `json:"need"`    // what it takes; empty when nothing is missing
	// Leading has the largest excess of the named stages; empty without an excess. Leads says
	// that it has and leads by what the rule of the verdict wants.
	Leading  string        `json:"leading"`
	Leads    bool          `json:"leads"`
	Predicts bool          `json:"predicts"` // the bounds hold for captures like this one
	Tail     WeightedGroup `json:"tail"`
	Body     WeightedGroup `json:"body"`
	// Excess is null where shares are refused, and Stages is then empty.
	Excess *Figure         `json:"excess_ns"`
	Blocks *Blocks         `json:"blocks"`
	Stages []WeightedStage `json:"stages"` // every stage, in path order
}

// WeightedGroup is the requests between two ranks by weight. One at a border counts with
// the part of its weight that lies within.
type WeightedGroup struct {
	N         int64   `json:"n"`           // kept traces
	Weight    float64 `json:"weight"`      // requests that they stand for
	Effective float64 `json:"effective_n"` // traces of equal weight that they are worth
	MeanNS    int64   `json:"mean_ns"`     // 0 where shares are refused
}

// WeightedStage is one stage of it. The shares add up to 1, and so do the rest to what the
// groups and the excess have.
type WeightedStage struct {
	Stage  string  `json:"stage"`
	TailNS int64   `json:"tail_ns"`
	BodyNS int64   `json:"body_ns"`
	Excess Figure  `json:"excess_ns"`
	Share  Figure  `json:"share"`
	First  float64 `json:"first"` // share of the resamples in which it has the largest excess
}

// LoadForAll is the load of all requests, kept or not, by sampling weights. The rate and
// the concurrency are null when the window is shorter than ten mean durations.
type LoadForAll struct {
	Requests        float64  `json:"requests"`
	Effective       float64  `json:"effective_n"`
	ArrivalRate     *float64 `json:"arrivals_per_s"`
	ConcurrencyMean *float64 `json:"concurrency_mean"`
}

func loadForAll(l analyze.Load) *LoadForAll {
	if l.ForAll == nil {
		return nil
	}
	f := *l.ForAll
	out := &LoadForAll{Requests: f.Requests, Effective: f.Effective}
	if l.Rated() {
		out.ArrivalRate, out.ConcurrencyMean = &f.ArrivalRate, &f.InFlight
	}
	return out
}

func forAll(f *analyze.ForAll) *ForAll {
	if f == nil {
		return nil
	}
	group := func(g attribution.WeightedGroup) WeightedGroup {
		return WeightedGroup{g.N, g.Weight, g.Effective, rounded(g.MeanNS)}
	}
	out := &ForAll{Q: f.Q.String(), Refused: f.Refused, Need: f.Need, Tail: group(f.Tail), Body: group(f.Body), Stages: []WeightedStage{}}
	w := f.Attribution
	if w == nil {
		return out
	}
	out.Tail, out.Body, out.Predicts, out.Leads = group(w.Tail), group(w.Body), f.Predicts, f.Leads
	if f.HasShares {
		out.Leading = f.Leading.String()
	}
	figure := func(e stat.Estimate) Figure {
		e.HasBounds = e.HasBounds && f.Predicts
		return estimate(e)
	}
	excess := figure(w.Excess)
	out.Excess = &excess
	b := blocks(w.Blocks)
	out.Blocks = &b
	means := func(of func(attribution.WeightedPart) float64, whole int64) []int64 {
		parts := make([]*big.Rat, len(w.Parts))
		for k, p := range w.Parts {
			parts[k] = rational(of(p))
		}
		return stat.RoundParts(parts, whole)
	}
	slow := means(func(p attribution.WeightedPart) float64 { return p.Tail }, out.Tail.MeanNS)
	usual := means(func(p attribution.WeightedPart) float64 { return p.Body }, out.Body.MeanNS)
	for k, name := range analyze.StageNames() {
		p := w.Parts[k]
		s := WeightedStage{Stage: name, TailNS: slow[k], BodyNS: usual[k], Excess: figure(p.Excess), Share: figure(p.Share)}
		if f.Predicts {
			s.First = p.First
		}
		out.Stages = append(out.Stages, s)
	}
	return out
}

// AsTail returns the two groups as those of a tail, for what writes tails. There are no
// shares without an excess.
func (f *ForAll) AsTail() Tail {
	t := Tail{
		Q: f.Q, Enough: f.Refused == "", Tail: Mix{N: f.Tail.N, MeanNS: f.Tail.MeanNS}, Body: Mix{N: f.Body.N, MeanNS: f.Body.MeanNS},
		ExcessNS: f.Tail.MeanNS - f.Body.MeanNS, Details: []ExcessShare{},
	}
	for i := range f.Stages {
		s := &f.Stages[i]
		e := ExcessShare{Stage: s.Stage, TailNS: s.TailNS, BodyNS: s.BodyNS, ExcessNS: s.TailNS - s.BodyNS}
		if f.Leading != "" {
			e.Share = &s.Share.Value
		}
		t.Stages = append(t.Stages, e)
	}
	return t
}

// AsStages returns the shares of the stages with their bounds, as an attribution has them.
func (f *ForAll) AsStages() []AttributedStage {
	out := make([]AttributedStage, len(f.Stages))
	for i, s := range f.Stages {
		out[i] = AttributedStage{Stage: s.Stage, Share: s.Share, Excess: s.Excess, First: s.First}
	}
	return out
}
