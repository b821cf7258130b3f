package filter

import (
	"slices"
	"strings"
)

// requirements are the names of the quantities that requirements are about, in the order of help.
var requirements = names(N, Incomplete, Errors, Unattributed, Residual, Lost, Excluded, Joined, Clock, Sampling)

// requiredOf shows how the rest of a requirement is written.
var requiredOf = map[Quantity]string{
	N: ">= 1000", Incomplete: "< 2%", Errors: "< 5%", Unattributed: "< 5%", Residual: "< 10%", Lost: "< 1%", Excluded: "< 1%",
	Joined: "> 90%", Clock: "< 5ms", Sampling: "!= suspected",
}

// better are the quantities of which more is better; of the others that have a size, less is.
var better = []Quantity{N, Joined}

func names(list ...Quantity) (out []string) {
	for _, q := range list {
		out = append(out, string(q))
	}
	return out
}

// ParseRequirement reads a condition of --require, which says what must hold of the data for
// anything to be judged by them, such as unattributed < 5%. It is written as one of --fail-on is,
// about the quantities that tell how far the data can be trusted. One that asks for data that are
// worse than its limit is an error: it is what somebody writes who has --fail-on in mind.
func ParseRequirement(text string, v Vocabulary) (Condition, error) {
	return parseCondition(text, v, true)
}

// Requirements returns the names of the quantities that a requirement may be about.
func Requirements() []string { return slices.Clone(requirements) }

// flag returns the flag that the condition is of.
func (p *conditionParser) flag() string {
	if p.required {
		return "--require"
	}
	return "--fail-on"
}

// quantities shows how each quantity is written.
func (p *conditionParser) quantities() string {
	if p.required {
		return strings.Join(requirements, ", ")
	}
	return quantities
}

// elsewhere says that a quantity is one for the other flag; nil when it is not.
func (p *conditionParser) elsewhere(name string, at place) error {
	q := Quantity(name)
	_, isPercentile := percentile(name)
	judged := isPercentile || slices.Contains([]Quantity{Share, Verdict, Rate, Goodput, Capacity}, q)
	shared := slices.Contains([]Quantity{N, Incomplete, Errors, Unattributed}, q)
	switch {
	case p.required && judged:
		return p.fault(at, name+" does not tell how good the data are", "--fail-on judges it; --require takes "+p.quantities())
	case !p.required && !shared && slices.Contains(requirements, name):
		return p.fault(at, name+" tells how good the data are, and is for --require", "write --require '"+name+" "+requiredOf[q]+"'")
	}
	return nil
}

// wayOf refuses the operator of a requirement that asks for worse data than its limit.
func (p *conditionParser) wayOf(at place) error {
	more := p.c.Op == Greater || p.c.Op == GreaterEqual
	if !p.required || !p.c.Op.order() || more == slices.Contains(better, p.c.Quantity) {
		return nil
	}
	return p.fault(at, "this asks for worse data than the limit", "--require says what must hold, such as "+p.example())
}
