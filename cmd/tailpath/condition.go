package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/reports"
)

// filterFault is the fault of a flag whose value is wrong in the language of filters: with
// the value, and carets below what is wrong.
func filterFault(flag string, err error) error {
	var wrong *filter.Error
	if !errors.As(err, &wrong) {
		return err
	}
	f := &fault{code: exitFailed, where: flag, what: wrong.What, hint: wrong.Hint, cause: err}
	text, carets := wrong.Excerpt()
	f.excerpt = []string{text, carets}
	return f
}

// parseWhere reads each --where, as far as that can be done before the input is read.
func (p *program) parseWhere() error {
	for _, text := range p.flags.where[len(p.wheres):] {
		e, err := filter.Parse(text)
		if err == nil {
			err = e.Check(analyze.BuiltFilterFields(), true)
		}
		if err != nil {
			return filterFault("--where", err)
		}
		p.wheres = append(p.wheres, e)
	}
	return nil
}

// checkWhere says which field of a filter no request has.
func (p *program) checkWhere(l *loaded) error {
	if len(p.wheres) == 0 || l.set.Requests.Len() == 0 {
		return nil
	}
	var fields []filter.Field // found only when one is no built-in field
	for _, e := range p.wheres {
		if e.Check(analyze.BuiltFilterFields(), false) == nil {
			continue
		}
		if fields == nil {
			fields = analyze.NewFields(l.set).FilterFields()
		}
		if err := e.Check(fields, false); err != nil {
			return filterFault("--where", err)
		}
	}
	return nil
}

// where returns the filter of all --where, nil without one.
func (p *program) where() *filter.Expr {
	if len(p.wheres) == 0 {
		return nil
	}
	return filter.And(p.wheres...)
}

// The most fields of a filter whose values are named where nothing matches, and the most
// values of each.
const (
	fieldsNamed = 3
	valuesNamed = 5
)

// occurring says what the fields of a filter hold in the requests that were read.
func occurring(l *loaded, e *filter.Expr) string {
	f := analyze.NewFields(l.set)
	var parts []string
	for _, name := range e.Fields()[:min(fieldsNamed, len(e.Fields()))] {
		parts = append(parts, name+" is "+valuesOf(f, name))
	}
	return plainUnits(strings.Join(parts, "; "))
}

// plainUnits writes microseconds as filters take them, for streams that may not be UTF-8.
func plainUnits(text string) string { return strings.ReplaceAll(text, "µs", "us") }

// identifiers are the built-in fields whose values tell one request, or who asked for it.
var identifiers = []string{"trace_id", "request_id"}

// valuesOf writes what a field holds: the range of numbers, the commonest texts with the
// number of requests. Of attributes and identifiers it only counts the values: they may be
// those of people, and stand in a message that goes into logs of CI.
func valuesOf(f *analyze.Fields, name string) string {
	v := f.Values(name, valuesNamed)
	i := slices.IndexFunc(analyze.Built(), func(b analyze.BuiltField) bool { return b.Name == name })
	var texts []string
	switch {
	case v.N == 0:
		return "none in all " + count(int(v.Missing), "request")
	case i < 0 || slices.Contains(identifiers, name):
		texts = append(texts, fmt.Sprintf("%s in %s", count(int(v.Distinct), "value"), count(int(v.N), "request")))
	case name == "start":
		texts = append(texts, reports.TimeMilli(int64(v.Low))+" to "+reports.TimeMilli(int64(v.High)))
	case v.Numbers && i >= 0 && analyze.Built()[i].Unit == "ns":
		texts = append(texts, reports.Duration(int64(v.Low))+" to "+reports.Duration(int64(v.High)))
	case v.Numbers && v.Distinct > valuesNamed:
		texts = append(texts, reports.Number(v.Low)+" to "+reports.Number(v.High))
	default:
		for _, c := range v.Texts {
			texts = append(texts, fmt.Sprintf("%s (%s)", shortened(c.Name), reports.Integer(c.N)))
		}
		if more := v.Distinct - int64(len(v.Texts)); more > 0 {
			texts = append(texts, count(int(more), "other value"))
		}
	}
	if v.Missing > 0 {
		texts = append(texts, fmt.Sprintf("none (%s)", reports.Integer(v.Missing)))
	}
	return strings.Join(texts, ", ")
}

// longestValue is the length in characters from which a value is cut.
const longestValue = 48

func shortened(text string) string {
	if runes := []rune(text); len(runes) > longestValue {
		return string(runes[:longestValue]) + "..."
	}
	return text
}

// failOn reads each --fail-on. Without a baseline no condition may want one.
func (p *program) failOn(baseline bool) ([]filter.Condition, error) {
	var out []filter.Condition
	for _, text := range p.flags.failOn {
		c, err := filter.ParseCondition(text, analyze.ConditionWords())
		if err == nil && c.Relative && !baseline {
			err = c.WithoutBaseline()
		}
		if err != nil {
			return nil, filterFault("--fail-on", err)
		}
		out = append(out, c)
	}
	return out, nil
}

// judgeBoth judges conditions of a comparison: changes by it, others of the new side.
func judgeBoth(c *analyze.Comparison, new *loaded, conditions []filter.Condition, choice analyze.Options) []analyze.Judgement {
	var s *analyze.Summary
	out := make([]analyze.Judgement, len(conditions))
	for i, condition := range conditions {
		if condition.Relative {
			out[i] = analyze.JudgeChange(c, condition)
			continue
		}
		if s == nil {
			of := analyze.Summarize(new.set, choice)
			s = &of
		}
		out[i] = analyze.Judge(new.set, s, conditions[i:i+1], choice)[0]
	}
	return out
}

// gated returns how a run ends that had conditions to judge: a condition that is true
// counts most, then whatever else is wrong, then what could not be judged.
func gated(conditions []reports.Condition, otherwise error) error {
	var failed, unclear []string
	for _, c := range conditions {
		switch {
		case c.Passed == nil:
			unclear = append(unclear, fmt.Sprintf("%s (%s)", c.Condition, c.Why))
		case !*c.Passed:
			found := c.Found()
			if interval := c.Interval(); interval != "" {
				found += ", " + interval
			}
			failed = append(failed, fmt.Sprintf("%s (found %s, n = %s)", c.Condition, found, reports.Integer(c.N)))
		}
	}
	switch {
	case len(failed) > 0:
		return &fault{code: exitTrue, label: "failed", what: plainUnits(strings.Join(failed, "; "))}
	case otherwise != nil:
		return otherwise
	case len(unclear) > 0:
		return nothing("--fail-on", "cannot judge "+strings.Join(unclear, "; "), "more requests narrow the bounds; tailpath help filters says when a condition is judged")
	}
	return nil
}

// completeFilter offers the beginnings of filters, keys and conditions to a shell.
func completeFilter(flag string) ([]string, cobra.ShellCompDirective) {
	var words []string
	switch flag {
	case "where", "by":
		operator := map[string]string{"where": "="}[flag]
		for _, b := range analyze.Built() {
			words = append(words, b.Name+operator+"\t"+b.Doc)
		}
	default:
		v := analyze.ConditionWords()
		for _, m := range v.Metrics {
			words = append(words, "p99("+m+")\tpercentile")
		}
		for _, s := range v.Stages {
			words = append(words, "share("+s+")\tof what slow requests take longer")
		}
		words = append(words, "verdict(queue)", "unattributed", "incomplete", "errors", "n")
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
