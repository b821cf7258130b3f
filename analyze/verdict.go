package analyze

import (
	"fmt"
	"math/big"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// Kind is the outcome of the verdict's rule.
type Kind string

// The kinds of verdict, in the order in which the rule decides. The first two and
// KindUnclear are ways to say that it cannot be said.
const (
	KindTooFew       Kind = "too_few"      // not enough slow requests to say
	KindNone         Kind = "none"         // slow requests are hardly slower than usual ones
	KindUnattributed Kind = "unattributed" // too much of the tail's time is unaccounted for
	KindMixed        Kind = "mixed"        // no stage stands out
	KindUnclear      Kind = "unclear"      // a stage stands out, and chance may have chosen it
	KindLeads        Kind = "leads"        // one stage is clearly the largest part of the excess
	KindDominates    Kind = "dominates"    // it has more than half, and will have it again
)

// CannotSay reports whether a verdict of this kind names no answer, for want of data.
func (k Kind) CannotSay() bool { return k == KindTooFew || k == KindUnattributed || k == KindUnclear }

// Rule is the rule of the verdict. Its parts are tried in the order of the fields,
// and the first that fails gives the kind. Comparisons of sums are exact.
//
// Up to MinLead it describes the requests at hand, and that is all that can be said of a
// capture without an interval: "leads" is then about these requests alone. Where there is
// one, "leads" also needs MinFirst of the resamples to agree. "Dominates" predicts: it
// needs an interval that does.
type Rule struct {
	MinTail         int64     // tail requests needed; else too_few
	MinExcess       stat.Prob // excess needed, of the tail's mean duration; else none
	MaxUnattributed stat.Prob // unattributed must stay below this share of the tail's time, and below the largest stage's share of the excess; else unattributed
	MinShare        stat.Prob // share of the excess the largest stage needs; else mixed
	MinLead         stat.Prob // lead over the next stage it needs, in shares of the excess; else mixed
	MinFirst        stat.Prob // share of the resamples in which it must be the largest; else unclear
	MinClusters     int64     // incidents, slow requests that overlap in time, it needs to dominate; with fewer the verdict carries FewIncidents
	MinBound        stat.Prob // what the lower bound of its share must exceed to dominate
}

// DefaultRule returns the rule as it is documented.
func DefaultRule() Rule {
	return Rule{
		MinTail: 20, MinExcess: stat.Prob{Num: 1, Den: 20}, MaxUnattributed: stat.Prob{Num: 1, Den: 5},
		MinShare: stat.Prob{Num: 2, Den: 5}, MinLead: stat.Prob{Num: 1, Den: 10}, MinFirst: stat.P95, MinClusters: 10,
		MinBound: stat.P50,
	}
}

// String states the rule in words.
func (r Rule) String() string {
	return fmt.Sprintf("n >= %d; excess >= %s %% of the slow mean; unattributed < %s %% of the slow time and < the largest share; "+
		"leads: share >= %s %%, >= %s points ahead of the next and the largest in >= %s %% of the resamples; "+
		"dominates: also >= %d incidents, an excess >= %s %% of the percentile, lower bound of the share > %s %%, "+
		"lower bound of what the percentile would gain > 0, and the largest at the percentile itself",
		r.MinTail, r.MinExcess.Percent(), r.MaxUnattributed.Percent(), r.MinShare.Percent(), r.MinLead.Percent(), r.MinFirst.Percent(),
		r.MinClusters, r.MinExcess.Percent(), r.MinBound.Percent())
}

// The ids of a verdict's caveats.
const (
	FewIncidents = "few-incidents"
	KeptTraces   = "kept-traces"
	TwoKinds     = "two-kinds-of-slow"
	NoInterval   = "no-interval"
	OtherKinds   = "other-kinds"
)

// Verdict answers which stage makes slow requests slow, by a stated rule.
type Verdict struct {
	Kind   Kind
	Rule   Rule
	Reason string // which part of the rule decided, with the figures

	// Stage has the largest excess of all stages but unattributed, RunnerUp the next.
	// They and the shares are set when the tail has an excess.
	Stage, RunnerUp          stage.Stage
	Share, RunnerUpShare     float64 // of the excess
	Queue                    float64 // share of the queue, wherever it ranks
	HasShares                bool
	ExcessNS, TailNS, BodyNS int64 // means, rounded
	Unattributed             float64
	Caveats                  []stat.Warning

	// Interval is the share of Stage and QueueInterval that of the queue, with bounds where
	// the capture has them. Predicts says that the bounds hold for captures like this one;
	// else they are absent, and the shares are exact for these requests only.
	Interval, QueueInterval stat.Estimate
	Predicts                bool
	// First is how often Stage had the largest excess of all resamples; 0 without resamples.
	First float64
	// Needs says what it would take to dominate where the rule stopped at leads; empty
	// otherwise.
	Needs string
}

// verdict applies the rule to a tail and its attribution, which is nil for a tail that is
// too small for one.
func verdict(l Latency, s Sampling, r Rule) Verdict {
	t, a := l.Tail, l.Attribution
	v := Verdict{
		Rule: r, TailNS: t.Tail.MeanNS(), BodyNS: t.Body.MeanNS(), ExcessNS: stat.RoundRat(t.Total()),
		Unattributed: t.Tail.Share(int(stage.Unattributed)),
	}
	caveat := func(id, text string) { v.Caveats = append(v.Caveats, stat.Warning{ID: id, Text: text}) }
	if s.Biased() {
		caveat(KeptTraces, "traces were not all kept alike: this holds among kept traces")
	}
	switch {
	case !t.Enough:
	case t.Undated:
		caveat(FewIncidents, "nothing says when the slow requests ran, so they may be one incident: this describes them; it does not predict")
	case t.Clusters < r.MinClusters:
		caveat(FewIncidents, fmt.Sprintf("the slow requests overlap in time and form %s: this describes them; it does not predict", plural(t.Clusters, "incident")))
	case a != nil && a.Blocks.Refused != "":
		caveat(NoInterval, a.Blocks.Refused)
	}
	v.Kind, v.Reason = v.decide(t, a)
	if (v.Kind == KindLeads || v.Kind == KindDominates) && a != nil {
		if text := v.twoKinds(t, a); text != "" {
			caveat(TwoKinds, text)
		}
	}
	v.Caveats = append(v.Caveats, l.ForAll.caveats(v)...)
	if text := otherKinds(l.Strata, v); text != "" {
		caveat(OtherKinds, text)
	}
	return v
}

// manyOthers is the share of an excess from which on it matters that slow requests are of
// other kinds than usual ones.
const manyOthers = 0.25

// otherKinds says which part of an excess comes of slow requests being of other kinds than
// usual ones, by the field of which most does; empty if it is little.
func otherKinds(list []Strata, v Verdict) string {
	var most Strata
	for _, s := range list {
		if s.Share > most.Share {
			most = s
		}
	}
	if most.Share < manyOthers || !v.HasShares {
		return ""
	}
	of := most.Field + " " + most.Most
	if most.Field == shape {
		of = most.Most + " spans"
	}
	text := fmt.Sprintf("%.0f %% of the excess is that slow requests are of other kinds than usual ones: those with %s are %d of %d slow ones and %d of %d usual ones",
		100*most.Share, of, most.MostTailN, most.TailN, most.MostBodyN, most.BodyN)
	if most.HasStage && most.Stage != v.Stage {
		text += fmt.Sprintf("; within one kind %s has most of what is left", most.Stage)
	}
	return text
}

// firstMoved returns the stage, or unattributed, that has most of the difference between
// the percentile and the median. A tie goes to the given stage; without a stage that is
// longer at the percentile it returns false.
func firstMoved(a *attribution.Result, tie stage.Stage) (stage.Stage, bool) {
	best := tie
	for _, s := range stage.All() {
		if a.Parts[s].Moved > a.Parts[best].Moved {
			best = s
		}
	}
	return best, a.Parts[best].Moved > 0
}

// twoKinds says that another stage than the verdict's, or none known, has most of the
// excess at the percentile itself; empty if not.
func (v *Verdict) twoKinds(t Tail, a *attribution.Result) string {
	top, moved := firstMoved(a, v.Stage)
	if !moved || top == v.Stage || a.Quantile <= a.Median {
		return ""
	}
	at := fmt.Sprintf("of the excess at %s itself %s has most", t.Q, top)
	if top == stage.Unattributed {
		at = fmt.Sprintf("of the excess at %s itself most is unattributed", t.Q)
	}
	return fmt.Sprintf("there are two kinds of slow requests: %s has most of the mean excess, and %s", v.Stage, at)
}

func (v *Verdict) decide(t Tail, a *attribution.Result) (Kind, string) {
	if !t.Enough {
		return KindTooFew, fmt.Sprintf("the slowest tenth has %s, the rule wants %d: it takes %d requests in all", plural(t.Tail.N, "request"), v.Rule.MinTail, t.Need)
	}
	total := t.Total()
	tailMean := t.Tail.Total.Mean(t.Tail.N)
	if total.Sign() <= 0 || total.Cmp(part(v.Rule.MinExcess, tailMean)) < 0 {
		return KindNone, fmt.Sprintf("the excess is below %s %% of the tail's mean", v.Rule.MinExcess.Percent())
	}
	excess := t.Excess()
	v.rank(excess, total)
	v.resampled(t, a)
	unattributed := t.Tail.Times[stage.Unattributed].Mean(t.Tail.N)
	of := new(big.Rat).Quo(unattributed, tailMean)
	largest := excess[v.Stage]
	switch {
	case of.Cmp(fraction(v.Rule.MaxUnattributed)) >= 0:
		return KindUnattributed, fmt.Sprintf("unattributed is %.1f %% of the tail's time, the limit is %s %%", 100*v.Unattributed, v.Rule.MaxUnattributed.Percent())
	case new(big.Rat).Mul(of, total).Cmp(largest) >= 0:
		return KindUnattributed, fmt.Sprintf("unattributed is %.1f %% of the tail's time, more than the largest stage has of the excess", 100*v.Unattributed)
	case excess[stage.Unattributed].Cmp(largest) >= 0:
		return KindUnattributed, "unattributed has the largest excess"
	}
	lead := new(big.Rat).Sub(largest, excess[v.RunnerUp])
	switch {
	case largest.Cmp(part(v.Rule.MinShare, total)) < 0:
		return KindMixed, fmt.Sprintf("no stage has %s %% of the excess", v.Rule.MinShare.Percent())
	case lead.Cmp(part(v.Rule.MinLead, total)) < 0:
		return KindMixed, fmt.Sprintf("the two largest stages are within %s points", v.Rule.MinLead.Percent())
	case v.Predicts && v.First < v.Rule.MinFirst.Float():
		return KindUnclear, fmt.Sprintf("%s is the largest in %.0f %% of %d resamples, the rule wants %s %%", v.Stage, 100*v.First, a.Blocks.Replicates, v.Rule.MinFirst.Percent())
	}
	if v.Needs = v.misses(t, a, largest); v.Needs == "" {
		return KindDominates, fmt.Sprintf("%s has more than %s %% of the excess even at the lower bound, in %s", v.Stage, v.Rule.MinBound.Percent(), plural(t.Clusters, "incident"))
	}
	return KindLeads, fmt.Sprintf("%s has at least %s %% of the excess and leads by at least %s points", v.Stage, v.Rule.MinShare.Percent(), v.Rule.MinLead.Percent())
}

// resampled takes over what the resamples say of the largest stage and of the queue.
func (v *Verdict) resampled(t Tail, a *attribution.Result) {
	if a == nil {
		return
	}
	v.Interval, v.QueueInterval, v.First = a.Parts[v.Stage].Share, a.Parts[stage.Queue].Share, a.Parts[v.Stage].First
	v.Predicts = v.Interval.HasBounds && a.Blocks.Refused == "" && t.Clusters >= v.Rule.MinClusters
	if !v.Predicts {
		v.Interval.HasBounds, v.QueueInterval.HasBounds, v.First = false, false, 0
	}
}

// misses returns what the leading stage misses to dominate; empty for nothing.
func (v *Verdict) misses(t Tail, a *attribution.Result, excess *big.Rat) string {
	bound := v.Rule.MinBound.Float()
	switch {
	case a == nil || t.Undated:
		return "times that say when the slow requests ran"
	case t.Clusters < v.Rule.MinClusters:
		return fmt.Sprintf("%d incidents, slow requests that do not overlap in time; there are %d", v.Rule.MinClusters, t.Clusters)
	case !v.Predicts && a.Blocks.Need != "":
		return a.Blocks.Need
	case !v.Predicts:
		return "an interval: " + a.Blocks.Refused
	case v.Interval.Bounds.Low <= bound:
		return fmt.Sprintf("a share whose lower bound exceeds %s %%; it is %.1f %%", v.Rule.MinBound.Percent(), 100*v.Interval.Bounds.Low)
	}
	ns, _ := excess.Float64()
	gain := a.Parts[v.Stage].GainBounded
	switch top, moved := firstMoved(a, v.Stage); {
	case ns < v.Rule.MinExcess.Float()*a.Quantile:
		return fmt.Sprintf("an excess of %s %% of %s", v.Rule.MinExcess.Percent(), t.Q)
	case !moved:
		return fmt.Sprintf("to be longer at %s itself too; there no stage is longer than at the median", t.Q)
	case top != v.Stage:
		return fmt.Sprintf("the largest part at %s itself too; there it is %s", t.Q, top)
	case gain.Value <= 0 || !gain.HasBounds || gain.Bounds.Low <= 0:
		return fmt.Sprintf("a gain of %s if %s stayed at its median that is surely above 0", t.Q, v.Stage)
	}
	return ""
}

// rank finds the two largest excesses of named stages. Equal ones keep path order,
// except that the queue comes before others: it is what is asked about.
func (v *Verdict) rank(excess [StageCount]*big.Rat, total *big.Rat) {
	order := []stage.Stage{stage.Queue}
	for _, s := range stage.All() {
		if s != stage.Queue && s != stage.Unattributed {
			order = append(order, s)
		}
	}
	first, second := order[0], order[1]
	if excess[second].Cmp(excess[first]) > 0 {
		first, second = second, first
	}
	for _, s := range order[2:] {
		switch {
		case excess[s].Cmp(excess[first]) > 0:
			first, second = s, first
		case excess[s].Cmp(excess[second]) > 0:
			second = s
		}
	}
	share := func(s stage.Stage) float64 {
		f, _ := new(big.Rat).Quo(excess[s], total).Float64()
		return f
	}
	v.Stage, v.RunnerUp, v.HasShares = first, second, true
	v.Share, v.RunnerUpShare, v.Queue = share(first), share(second), share(stage.Queue)
}

func fraction(p stat.Prob) *big.Rat { return big.NewRat(p.Num, p.Den) }

func part(p stat.Prob, of *big.Rat) *big.Rat { return new(big.Rat).Mul(fraction(p), of) }

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
