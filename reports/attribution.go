package reports

import (
	"math/big"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Attribution sees a tail from several sides. Each stage's figures add up over the stages
// to the figure of the whole that is named with them.
type Attribution struct {
	Q      string `json:"q"`
	N      int64  `json:"n"`
	TailN  int64  `json:"tail_n"`
	BodyN  int64  `json:"body_n"`
	Blocks Blocks `json:"blocks"`
	// Excess is the mean of the tail less that of the body.
	Excess Figure `json:"excess_ns"`
	// QuantileNS and MedianNS are Harrell-Davis estimates of the percentile and of the median:
	// at_quantile_ns of the stages adds up to the one, moved_ns to the difference.
	QuantileNS int64 `json:"quantile_ns"`
	MedianNS   int64 `json:"median_ns"`
	// GainAllNS is what the percentile would fall by if no stage of a request took longer than
	// its median: shapley_ns of the stages adds up to it.
	GainAllNS int64             `json:"gain_all_ns"`
	Stages    []AttributedStage `json:"stages"` // every stage, in path order
}

// Blocks says how intervals were made, and whether they predict.
type Blocks struct {
	N          int    `json:"n"`          // blocks of time that were resampled; 0 without intervals
	LengthNS   int64  `json:"length_ns"`  // mean length of a block
	Replicates int    `json:"replicates"` // how often they were resampled
	Clusters   int64  `json:"clusters"`   // slow requests that overlap in time are one
	Refused    string `json:"refused"`    // why there is no interval that predicts; empty when there is
	Need       string `json:"need"`       // what would do; empty when nothing is missing
}

// Figure is a value in its own unit with its bounds. Bounds are null when it has none.
type Figure struct {
	Value  float64  `json:"value"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	N      int64    `json:"n"`
	Method string   `json:"method"`
	// NoInterval is the id of the reason why a figure of a comparison has no bounds.
	NoInterval string `json:"no_interval,omitempty"`
}

// AttributedStage is one stage of an attribution.
type AttributedStage struct {
	Stage  string `json:"stage"`
	Excess Figure `json:"excess_ns"` // tail less body
	Share  Figure `json:"share"`     // of the excess
	// First is how often, of all resamples, it had the largest excess.
	First float64 `json:"first"`
	// AtQuantileNS is its time in a request at the percentile itself, MovedNS how much of that
	// is above the median.
	AtQuantileNS int64 `json:"at_quantile_ns"`
	MovedNS      int64 `json:"moved_ns"`
	// Covariance is its share of the variance of all requests; RankCovariance of that of ranks.
	Covariance     float64 `json:"covariance"`
	RankCovariance float64 `json:"rank_covariance"`
	// Gain is what the percentile would fall by if the stage never took longer than its median;
	// GainBounded if no request gets shorter by more than the stage's drag. Arithmetic on these
	// requests, no forecast.
	Gain        Figure `json:"gain_ns"`
	GainBounded Figure `json:"gain_bounded_ns"`
	ShapleyNS   int64  `json:"shapley_ns"`
	// Largest counts the slow requests in which it exceeds its median by most; those in
	// which no stage exceeds its median count for none.
	Largest int64 `json:"largest_in"`
}

// Strata splits the excess of a tail by kinds of request: within_ns and between_ns add up to
// excess_ns.
type Strata struct {
	Field     string  `json:"field"`
	Kinds     int64   `json:"kinds"`
	TailN     int64   `json:"tail_n"`
	BodyN     int64   `json:"body_n"`
	ExcessNS  int64   `json:"excess_ns"`
	WithinNS  int64   `json:"within_ns"`  // what requests are slower by than usual ones of their kind
	BetweenNS int64   `json:"between_ns"` // what comes of slow requests being of other kinds
	Between   float64 `json:"between"`    // its share of the excess
	// Stage has most of within_ns; empty when nothing is slower within its kind.
	Stage       string  `json:"stage"`
	WithinShare float64 `json:"within_share"` // of within_ns
	// Most is the kind that adds most to between_ns.
	Most      string `json:"most"`
	MostTailN int64  `json:"most_tail_n"`
	MostBodyN int64  `json:"most_body_n"`
}

func stratified(list []analyze.Strata) []Strata {
	out := []Strata{}
	for _, s := range list {
		e := Strata{
			Field: s.Field, Kinds: s.N, TailN: s.TailN, BodyN: s.BodyN, ExcessNS: s.Excess, WithinNS: s.Within, BetweenNS: s.Between,
			Between: s.Share, WithinShare: s.WithinShare, Most: s.Most, MostTailN: s.MostTailN, MostBodyN: s.MostBodyN,
		}
		if s.HasStage {
			e.Stage = s.Stage.String()
		}
		out = append(out, e)
	}
	return out
}

func attributed(a *attribution.Result) *Attribution {
	if a == nil {
		return nil
	}
	out := &Attribution{
		Q: a.Q.String(), N: a.N, TailN: a.TailN, BodyN: a.BodyN, Excess: estimate(a.Excess), GainAllNS: a.GainAll,
		Blocks:     blocks(a.Blocks),
		QuantileNS: rounded(a.Quantile), MedianNS: rounded(a.Median),
	}
	at := partsNS(a, func(p attribution.Part) float64 { return p.AtQuantile }, out.QuantileNS)
	moved := partsNS(a, func(p attribution.Part) float64 { return p.Moved }, out.QuantileNS-out.MedianNS)
	shapley := partsNS(a, func(p attribution.Part) float64 { return p.Shapley }, a.GainAll)
	for k, name := range analyze.StageNames() {
		p := a.Parts[k]
		out.Stages = append(out.Stages, AttributedStage{
			Stage: name, Excess: estimate(p.Excess), Share: estimate(p.Share), First: p.First, AtQuantileNS: at[k], MovedNS: moved[k],
			Covariance: p.Covariance, RankCovariance: p.RankCovariance, Gain: estimate(p.Gain), GainBounded: estimate(p.GainBounded),
			ShapleyNS: shapley[k], Largest: p.Largest,
		})
	}
	return out
}

func blocks(b attribution.Blocks) Blocks {
	return Blocks{N: b.N, LengthNS: b.LengthNS, Replicates: b.Replicates, Clusters: b.Clusters, Refused: b.Refused, Need: b.Need}
}

// partsNS rounds a figure of every part so that they add up to the whole.
func partsNS(a *attribution.Result, of func(attribution.Part) float64, whole int64) []int64 {
	parts := make([]*big.Rat, len(a.Parts))
	for k, p := range a.Parts {
		parts[k] = rational(of(p))
	}
	return stat.RoundParts(parts, whole)
}

func rounded(ns float64) int64 { return stat.RoundRat(rational(ns)) }

func estimate(e stat.Estimate) Figure {
	out := Figure{Value: e.Value, N: e.N, Method: e.Method}
	if e.HasBounds {
		out.Low, out.High = &e.Bounds.Low, &e.Bounds.High
	}
	return out
}
