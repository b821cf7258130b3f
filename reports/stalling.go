package reports

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/analyze"
)

// Stalling says why the gaps between tokens are long. Without instants of tokens requests
// is 0.
type Stalling struct {
	Requests   int64      `json:"requests"`  // with five gaps or more
	Undefined  []Count    `json:"undefined"` // they and requests add up to the population
	Chunked    int64      `json:"chunked"`   // of requests, with instants for fewer than nine in ten output tokens
	Gaps       int64      `json:"gaps"`
	DecodeNS   int64      `json:"decode_ns"` // sum of the gaps
	Definition Definition `json:"definition"`
	// Percentiles are those of all gaps, pooled; their bounds resample blocks of time.
	Percentiles []Percentile `json:"percentiles"`
	Stalls      int64        `json:"stalls"`
	Hit         int64        `json:"hit"`       // requests with a stall
	Groups      int64        `json:"groups"`    // stalls that are near in time are one
	ExcessNS    int64        `json:"excess_ns"` // what stalls take beyond the median of their request
	OfDecode    float64      `json:"of_decode"` // share of the excess of decode_ns
	// Parts divide the excess by what held the token, and add up to it; every cause has one.
	Parts   []StallPart   `json:"parts"`
	Engines []StallEngine `json:"engines"` // those with gaps
	Verdict StallVerdict  `json:"verdict"`
	Blocks  int           `json:"blocks"`  // of groups that were resampled; 0 without intervals
	Refused string        `json:"refused"` // why there is no interval; empty when there is
}

// StallPart is what one cause has of the excess.
type StallPart struct {
	Cause  string  `json:"cause"`
	NS     int64   `json:"excess_ns"`
	Stalls int64   `json:"stalls"` // of which it has a part
	Share  *Figure `json:"share"`  // null without an excess
	First  float64 `json:"first"`  // share of the resamples in which it is the largest that is told
}

// StallEngine says whether the stalls at one engine go with prefills of others. Figures are
// null when they are of nothing or infinite.
type StallEngine struct {
	Engine           string   `json:"engine"`
	Streams          int64    `json:"streams"` // requests' stays at it
	Gaps             int64    `json:"gaps"`
	Stalls           int64    `json:"stalls"`
	StallsOverlapped int64    `json:"stalls_overlapped"` // others prefilled for half of it or more
	Others           int64    `json:"others"`            // gaps that are no stalls
	OthersOverlapped int64    `json:"others_overlapped"`
	Lift             *float64 `json:"lift"`
	Odds             *float64 `json:"odds_ratio"`
	Fisher           float64  `json:"fisher_p"`          // one-sided, gap by gap; too small where stalls come together
	Chance           float64  `json:"shift_p"`           // with the prefills shifted in time
	Adjusted         float64  `json:"shift_q"`           // that over all engines, after Benjamini and Hochberg
	OverlappedNS     *int64   `json:"gap_overlapped_ns"` // mean, rounded, as is the next; null without such gaps
	ClearNS          *int64   `json:"gap_clear_ns"`
	ExcessNS         int64    `json:"excess_ns"`
	PrefillNS        int64    `json:"prefill_ns"`            // of the excess
	Dose             *Figure  `json:"ns_per_1000_tokens"`    // that a gap is longer for 1000 prompt tokens of others; null for fewer than 20 gaps
	DoseN            int64    `json:"gaps_of_known_prompts"` // beside prefills
}

// StallVerdict says what makes token gaps long, by the stated rule.
type StallVerdict struct {
	Sentence      string    `json:"sentence"`
	Kind          string    `json:"kind"`
	Reason        string    `json:"reason"`
	Rule          string    `json:"rule"`
	Cause         string    `json:"cause,omitempty"`
	Share         *float64  `json:"share"`
	RunnerUp      string    `json:"runner_up,omitempty"`
	RunnerUpShare *float64  `json:"runner_up_share"`
	Untold        float64   `json:"untold"`         // share of the excess
	Need          int64     `json:"need"`           // requests with instants of tokens that it takes; 0 for enough
	ShareInterval *Figure   `json:"share_interval"` // bounds only if they predict
	Predicts      bool      `json:"predicts"`
	First         float64   `json:"first"`
	Needs         string    `json:"needs"` // what the cause lacks to dominate, where it leads
	Caveats       []Warning `json:"caveats"`
}

// gapDefinition says what a gap between tokens is here.
var gapDefinition = Definition{"itl", "pooled_by_token", "time between successive instants of tokens of one request, as they are recorded; pooled over requests"}

func stalling(s analyze.Stalling) Stalling {
	out := Stalling{
		Requests: s.Requests, Undefined: []Count{}, Chunked: s.Chunked, Gaps: s.Gaps, DecodeNS: s.DecodeNS.MeanRounded(1), Definition: gapDefinition,
		Percentiles: []Percentile{}, Stalls: s.Stalls, Hit: s.Hit, Groups: s.Groups, ExcessNS: s.ExcessNS.MeanRounded(1), OfDecode: s.Verdict.OfDecode,
		Engines: []StallEngine{}, Blocks: s.Blocks, Refused: s.Refused,
	}
	for _, u := range s.Undefined {
		out.Undefined = append(out.Undefined, Count{u.Reason, u.N})
	}
	for _, q := range s.Quantiles {
		e := Percentile{P: q.P.String(), N: q.N, Method: q.Method, Coverage: q.Coverage, Need: q.Need, Warnings: warnings(q.Warnings)}
		if q.Known {
			e.ValueNS = &q.Value
		}
		if q.HasLow {
			e.LowNS = &q.Low
		}
		if q.HasHigh {
			e.HighNS = &q.High
		}
		out.Percentiles = append(out.Percentiles, e)
	}
	for _, p := range s.Parts {
		part := StallPart{Cause: p.Cause.String(), NS: p.NS.MeanRounded(1), Stalls: p.Stalls, First: p.First}
		if s.ExcessNS.Sign() > 0 {
			share := estimate(p.Share)
			part.Share = &share
		}
		out.Parts = append(out.Parts, part)
	}
	for i := range s.Engines {
		out.Engines = append(out.Engines, stallEngine(&s.Engines[i]))
	}
	out.Verdict = stallVerdict(s.Verdict)
	out.Verdict.Sentence = out.stallSentence()
	return out
}

func stallEngine(e *analyze.EngineStalling) StallEngine {
	out := StallEngine{
		Engine: e.Name, Streams: e.Streams, Gaps: e.Gaps, Stalls: e.Stalls, StallsOverlapped: e.StallsOverlapped, Others: e.Calm, OthersOverlapped: e.CalmOverlapped,
		Lift: orNull(e.Lift()), Odds: orNull(e.OddsRatio()), Fisher: e.Fisher.P, Chance: e.Chance, Adjusted: e.Adjusted,
		OverlappedNS: wholeOrNull(e.OverlappedNS), ClearNS: wholeOrNull(e.ClearNS), ExcessNS: e.ExcessNS.MeanRounded(1), PrefillNS: e.PrefillNS.MeanRounded(1), DoseN: e.Dose.N,
	}
	if !math.IsNaN(e.Dose.Value) {
		dose := estimate(e.Dose)
		out.Dose = &dose
	}
	return out
}

// orNull returns a number, nil for what is none.
func orNull(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// wholeOrNull returns a number rounded to the nearest whole one, nil for what is none or is
// beyond an int64.
func wholeOrNull(v float64) *int64 {
	n := math.Round(v)
	if math.IsNaN(n) || math.Abs(n) >= math.MaxInt64 {
		return nil
	}
	whole := int64(n)
	return &whole
}

func stallVerdict(v analyze.StallVerdict) StallVerdict {
	out := StallVerdict{
		Kind: string(v.Kind), Reason: v.Reason, Rule: v.Rule.String(), Untold: v.Untold, Need: v.Need, Predicts: v.Predicts, First: v.First,
		Needs: v.Needs, Caveats: warnings(v.Caveats),
	}
	if v.HasShares {
		share := estimate(v.Interval)
		out.Cause, out.RunnerUp, out.Share, out.RunnerUpShare, out.ShareInterval = v.Cause.String(), v.RunnerUp.String(), &v.Share, &v.RunnerUpShare, &share
	}
	return out
}

// stallWords say what a cause of stalls is.
var stallWords = map[string]string{
	"prefill":   "the prefill of other prompts",
	"preempted": "preemption",
	"engine":    "the engine halting as a whole",
	"alone":     "what concerns one request alone (network, detokeniser, slow reader)",
	"untold":    "what cannot be told",
}

// StallPercents writes the shares of the parts in per cent, so that they add up to 100.0;
// nil without an excess.
func (s Stalling) StallPercents() []string {
	shares := make([]float64, len(s.Parts))
	for i, p := range s.Parts {
		if p.Share == nil {
			return nil
		}
		shares[i] = p.Share.Value
	}
	return Percents(shares)
}

// percentOf returns the written share of a cause.
func (s Stalling) percentOf(cause string) string {
	percents := s.StallPercents()
	for i, p := range s.Parts {
		if p.Cause == cause && percents != nil {
			return percents[i] + " %"
		}
	}
	return "?"
}

// stallSentence words the verdict.
func (s Stalling) stallSentence() string {
	const about = "makes token gaps long"
	v := s.Verdict
	share := s.percentOf(v.Cause)
	if f := v.ShareInterval; f != nil && f.Low != nil && f.High != nil {
		low, high := PercentRange(*f.Low, *f.High)
		share += fmt.Sprintf(" (95 %%: %s to %s)", low, high)
	}
	n := fmt.Sprintf("n = %s of %s", plural(s.Stalls, "stall"), plural(s.Hit, "request"))
	excess := fmt.Sprintf("of the %s (%s %% of the time of decoding) that stalls take beyond the median gap", Duration(s.ExcessNS), Percent(s.OfDecode))
	switch analyze.Kind(v.Kind) {
	case analyze.KindDominates:
		return fmt.Sprintf("%s dominates what %s: %s %s (%s)", stallWords[v.Cause], about, share, excess, n)
	case analyze.KindLeads:
		return fmt.Sprintf("%s takes the largest part of what %s: %s %s (%s)", stallWords[v.Cause], about, share, excess, n)
	case analyze.KindUnclear:
		return fmt.Sprintf("cannot say what %s: %s has %s %s, and %s (%s)", about, stallWords[v.Cause], share, excess, v.Reason, n)
	case analyze.KindMixed:
		return fmt.Sprintf("no single cause %s: %s has %s and %s %s %s (%s)", about, stallWords[v.Cause], s.percentOf(v.Cause), stallWords[v.RunnerUp], s.percentOf(v.RunnerUp), excess, n)
	case analyze.KindUnattributed:
		return fmt.Sprintf("cannot say what %s: %s %% %s is untold, for want of others to compare with or since only some of them stalled (%s)", about, Percent(v.Untold), excess, n)
	case analyze.KindNone:
		return fmt.Sprintf("tokens come evenly: stalls take %s %% of the time of decoding (n = %s of %s)", Percent(s.OfDecode), plural(s.Gaps, "gap"), plural(s.Requests, "request"))
	}
	return fmt.Sprintf("cannot say what %s: %s", about, v.Reason)
}
