package filter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// objectiveWord stands for an objective in a condition.
const objectiveWord = "slo"

// objectiveName returns how a condition names an objective: slo for the first, slo:2 for the
// second, slo:e2e for the one that limits e2e and nothing else.
func objectiveName(name string) string {
	if name == "" {
		return objectiveWord
	}
	return objectiveWord + ":" + name
}

// OfObjective says that the condition is about an objective.
func (c Condition) OfObjective() bool {
	return c.Quantity == Rate || c.Quantity == Goodput || c.Quantity == Capacity
}

// objective reads the name of an objective, the only argument of what is at a place.
func (p *conditionParser) objective(quantity string, at place, a []argument) error {
	hint := "write " + quantity + "(slo) for the first --slo, " + quantity + "(slo:2) for the second, or " + quantity + "(slo:e2e) for the one that limits e2e alone"
	if len(a) != 1 {
		return p.fault(at, quantity+" wants one objective", hint)
	}
	word, name, named := strings.Cut(a[0].text, ":")
	switch rest := strings.Trim(name, "0123456789"); {
	case a[0].text == "":
		return p.fault(place{a[0].at.start, max(a[0].at.end, p.pos)}, "an objective is missing", hint)
	case word != objectiveWord:
		return p.fault(a[0].at, a[0].text+" is no objective", hint)
	case !named:
		return nil
	case name == "" || slices.Contains(strings.Split(name, "+"), "") || strings.ContainsAny(name, ":%/"):
		return p.fault(a[0].at, "this names no objective", hint)
	case rest == "" && strings.Trim(name, "0") == "":
		return p.fault(a[0].at, "there is no objective 0", "they are counted from 1, in the order of --slo")
	}
	p.c.Objective = name
	return nil
}

// ObjectiveIn returns the place among some objectives of the one that the condition names: by
// its number from 1, or by all the metrics that it limits, with + between them; the first
// where nothing names one. It is an error when there is none, or when several may be meant.
func (c Condition) ObjectiveIn(list []Objective) (int, error) {
	fault := func(what, hint string) error {
		return &Error{Text: c.text, Start: c.left.start, End: c.left.end, What: what, Hint: hint}
	}
	if len(list) == 0 {
		return 0, fault(objectiveName(c.Objective)+" is no objective: there is none", "give one, such as --slo 'p99(e2e) < 2s'")
	}
	if c.Objective == "" {
		return 0, nil
	}
	if n, err := strconv.Atoi(c.Objective); err == nil || strings.Trim(c.Objective, "0123456789") == "" {
		if err != nil || n < 1 || n > len(list) {
			return 0, fault(objectiveName(c.Objective)+" is no objective", listed(list))
		}
		return n - 1, nil
	}
	wanted := strings.Split(c.Objective, "+")
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	var found []int
	for i, o := range list {
		if slices.Equal(o.metrics(), wanted) {
			found = append(found, i)
		}
	}
	alone := strings.Join(wanted, " and ")
	switch len(found) {
	case 0:
		return 0, fault("no objective limits "+alone+", and nothing else", listed(list))
	case 1:
		return found[0], nil
	}
	return 0, fault(fmt.Sprintf("%d objectives limit %s, and nothing else", len(found), alone), listed(list))
}

// metrics returns what an objective limits, each once and in order.
func (o Objective) metrics() []string {
	var out []string
	for _, t := range o.Terms {
		for _, l := range t.Limits {
			out = append(out, l.Metric)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// listed says by which number each objective is named.
func listed(list []Objective) string {
	var words []string
	for i, o := range list[:min(len(list), mostShown)] {
		words = append(words, fmt.Sprintf("%s:%d is %s", objectiveWord, i+1, o.String()))
	}
	return strings.Join(words, "; ")
}

// NotHere is the error of a condition about a quantity that a command cannot compute, with what
// can.
func (c Condition) NotHere(what, hint string) error {
	return &Error{Text: c.text, Start: c.left.start, End: c.left.end, What: what, Hint: hint}
}
