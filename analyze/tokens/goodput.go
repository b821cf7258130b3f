package tokens

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Term is one condition of an objective: the measure is at most LimitNS, or below it when
// Below is true, as the objective was written.
type Term struct {
	Metric  string // id of a definition, for the report
	LimitNS float64
	Below   bool
}

// meets reports whether a value keeps the term.
func (t Term) meets(v float64) bool { return v < t.LimitNS || v == t.LimitNS && !t.Below }

// Served is one request that an objective is asked of.
type Served struct {
	Values []Value // in the order of the terms
	Failed bool    // it ended in an error or was aborted: it is never good
}

// Rule says what becomes of a request that lacks a term.
type Rule string

// The rules. They differ in nothing but requests that lack a term.
const (
	// RuleApart lists it apart: it is neither good nor counted against the objective.
	RuleApart Rule = "ineligible-apart"
	// RuleVLLM takes the time per output token of a request of fewer than two tokens for
	// 0, as the bench script of vLLM does: it keeps every limit. What is missing for
	// another reason it lists apart.
	RuleVLLM Rule = "vllm"
	// RuleAIPerf takes it for not good.
	RuleAIPerf Rule = "aiperf"
)

// Marginal is how often one term alone was kept.
type Marginal struct {
	Term
	Good, Eligible int64 // Eligible have the term, or pass for having it under the rule
	Attainment     float64
}

// Goodput says how many requests met an objective.
type Goodput struct {
	Rule Rule
	N    int64 // all requests: Eligible, Ineligible and Failed add up to it
	// Good met all terms jointly, each in one and the same request. Marginal shares are of
	// the terms by themselves: together they say less.
	Good, Eligible int64
	Failed         int64 // listed beside, since dropping what is late makes the rest look good
	Ineligible     []Undefined
	// Attainment is Good over Eligible, in Bounds with 95 % confidence (Clopper-Pearson);
	// 0 and [0, 1] when none is eligible.
	Attainment float64
	Bounds     stat.Bounds
	Marginals  []Marginal // in the order of the terms
	WindowNS   int64
	// PerSecond is good requests a second of the window, 0 for no window.
	PerSecond float64
}

// Judge counts the requests that meet every term of an objective within a window of time.
// Requests that failed are counted under every rule as what they are, and are not eligible.
func Judge(terms []Term, served []Served, windowNS int64, rule Rule) Goodput {
	g := Goodput{Rule: rule, N: int64(len(served)), WindowNS: windowNS, Bounds: stat.Bounds{Low: 0, High: 1}}
	for _, t := range terms {
		g.Marginals = append(g.Marginals, Marginal{Term: t})
	}
	missing := map[string]int64{}
	for _, s := range served {
		if s.Failed {
			g.Failed++
			continue
		}
		good, lacks := true, ""
		for i, t := range terms {
			v, m := value(s, i), &g.Marginals[i]
			if !v.Defined() {
				switch {
				case rule == RuleVLLM && v.Undefined == OneToken:
					v = Value{}
				case rule == RuleAIPerf:
					m.Eligible++
					good = false
					continue
				default:
					if lacks == "" {
						lacks = fmt.Sprintf("%s: %s", t.Metric, v.Undefined)
					}
					continue
				}
			}
			m.Eligible++
			if t.meets(v.V) {
				m.Good++
			} else {
				good = false
			}
		}
		if lacks != "" {
			missing[lacks]++
			continue
		}
		g.Eligible++
		if good {
			g.Good++
		}
	}
	g.Ineligible = listed(missing)
	if g.Eligible > 0 {
		g.Attainment = float64(g.Good) / float64(g.Eligible)
		g.Bounds = stat.ClopperPearson(g.Good, g.Eligible, stat.Confidence)
	}
	for i := range g.Marginals {
		if m := &g.Marginals[i]; m.Eligible > 0 {
			m.Attainment = float64(m.Good) / float64(m.Eligible)
		}
	}
	if windowNS > 0 {
		g.PerSecond = float64(g.Good) * 1e9 / float64(windowNS)
	}
	return g
}

func value(s Served, i int) Value {
	if i >= len(s.Values) {
		return Value{Undefined: "not measured"}
	}
	return s.Values[i]
}

// Outcome says whether an objective is met, as far as the requests can tell.
type Outcome string

// The outcomes.
const (
	Pass         Outcome = "pass"
	Fail         Outcome = "fail"
	Inconclusive Outcome = "inconclusive"
)

// Outcome compares the attainment with a target: it passes when the one-sided lower bound
// of the attainment with 95 % confidence reaches the target, fails when the upper bound
// stays below it, and is inconclusive between. (Clopper-Pearson; the mathematics of
// MLPerf's early stopping.)
func (g Goodput) Outcome(target stat.Prob) Outcome {
	switch {
	case g.Eligible == 0:
		return Inconclusive
	case stat.ClopperPearsonLower(g.Good, g.Eligible, stat.Confidence) >= target.Float():
		return Pass
	case stat.ClopperPearsonUpper(g.Good, g.Eligible, stat.Confidence) < target.Float():
		return Fail
	}
	return Inconclusive
}
