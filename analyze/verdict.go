package analyze

import (
	"fmt"
	"math/big"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// Kind is the outcome of the verdict's rule.
type Kind string

// The kinds of verdict, in the order in which the rule decides.
const (
	KindTooFew       Kind = "too_few"      // not enough slow requests to say
	KindNone         Kind = "none"         // slow requests are hardly slower than usual ones
	KindUnattributed Kind = "unattributed" // too much of the tail's time is unaccounted for
	KindLargest      Kind = "largest"      // one stage is clearly the largest part of the excess
	KindMixed        Kind = "mixed"        // no stage stands out
)

// Rule is the rule of the verdict. Its parts are tried in the order of the fields,
// and the first that fails gives the kind. Every comparison is exact.
//
// The rule describes the requests at hand. It says nothing about the next ones: for
// that the share would need an interval over time, which it does not have.
type Rule struct {
	MinTail         int64     // tail requests needed; else too_few
	MinExcess       stat.Prob // excess needed, of the tail's mean duration; else none
	MaxUnattributed stat.Prob // unattributed must stay below this share of the tail's time, and below the largest stage's share of the excess; else unattributed
	MinShare        stat.Prob // share of the excess the largest stage needs; else mixed
	MinLead         stat.Prob // lead over the next stage it needs, in shares of the excess; else mixed
	MinClusters     int64     // below this many groups of slow requests the verdict carries FewIncidents
}

// DefaultRule returns the rule as it is documented.
func DefaultRule() Rule {
	return Rule{
		MinTail: 20, MinExcess: stat.Prob{Num: 1, Den: 20}, MaxUnattributed: stat.Prob{Num: 1, Den: 5},
		MinShare: stat.Prob{Num: 2, Den: 5}, MinLead: stat.Prob{Num: 1, Den: 10}, MinClusters: 10,
	}
}

// String states the rule in words.
func (r Rule) String() string {
	return fmt.Sprintf("n >= %d; excess >= %s %% of the slow mean; unattributed < %s %% of the slow time and < the largest share; share >= %s %% and >= %s points ahead of the next",
		r.MinTail, r.MinExcess.Percent(), r.MaxUnattributed.Percent(), r.MinShare.Percent(), r.MinLead.Percent())
}

// The ids of a verdict's caveats.
const (
	FewIncidents = "few-incidents"
	KeptTraces   = "kept-traces"
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
}

// verdict applies the rule to a tail.
func verdict(t Tail, s Sampling, r Rule) Verdict {
	v := Verdict{
		Rule: r, TailNS: t.Tail.MeanNS(), BodyNS: t.Body.MeanNS(), ExcessNS: stat.RoundRat(t.Total()),
		Unattributed: t.Tail.Share(int(stage.Unattributed)),
	}
	if s.Biased() {
		v.Caveats = append(v.Caveats, stat.Warning{ID: KeptTraces, Text: "traces were not all kept alike: this holds among kept traces"})
	}
	if t.Enough && t.Clusters < r.MinClusters {
		text := fmt.Sprintf("the slow requests overlap in time and form %s: this describes them; it does not predict", plural(t.Clusters, "group"))
		if t.Undated {
			text = "nothing says when the slow requests ran, so they may be one incident: this describes them; it does not predict"
		}
		v.Caveats = append(v.Caveats, stat.Warning{ID: FewIncidents, Text: text})
	}
	v.Kind, v.Reason = v.decide(t)
	return v
}

func (v *Verdict) decide(t Tail) (Kind, string) {
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
	}
	return KindLargest, fmt.Sprintf("%s has at least %s %% of the excess and leads by at least %s points", v.Stage, v.Rule.MinShare.Percent(), v.Rule.MinLead.Percent())
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
