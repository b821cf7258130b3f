package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/reports"
)

// filterFault is the fault of a flag whose value is wrong in the language of filters: with
// the value, and carets below what is wrong.
func filterFault(flag string, err error) error {
	var wrong *filter.Error
	if !errors.As(err, &wrong) {
		return err
	}
	f := &fault{code: exitFailed, where: flag, what: shortened(wrong.What, longestQuoted), hint: shortened(wrong.Hint, longestQuoted), cause: err}
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

// checkWhere says which field of a filter no request has, in any of the parts that a command
// works on.
func (p *program) checkWhere(parts ...*loaded) error {
	parts = slices.DeleteFunc(slices.Clone(parts), func(l *loaded) bool { return l.set.Requests.Len() == 0 })
	if len(p.wheres) == 0 || len(parts) == 0 {
		return nil
	}
	var fields []filter.Field // found only when one is no built-in field
	for _, e := range p.wheres {
		if e.Check(analyze.BuiltFilterFields(), false) == nil {
			continue
		}
		if fields == nil {
			for _, l := range parts {
				fields = append(fields, analyze.NewFields(l.set).FilterFields()...)
			}
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
	var parts, counted []string
	for _, name := range e.Fields()[:min(fieldsNamed, len(e.Fields()))] {
		field := shortened(name, longestValue)
		if near := nearestValue(f, e, name); near != "" {
			parts = append(parts, "did you mean "+shortened(near, longestValue)+"?")
		}
		parts = append(parts, field+" is "+valuesOf(f, name)+";")
		if !tells(name) && f.Values(name, 0).N > 0 {
			counted = append(counted, name)
		}
	}
	// A key that cannot be written as it is would need quotes of two kinds.
	if keys := strings.Join(counted, ","); keys != "" && len(keys) <= longestValue && reports.Quote(keys) == keys {
		parts = append(parts, "tailpath queue --by "+keys+" lists values;")
	}
	return plainUnits(strings.TrimSuffix(strings.Join(parts, " "), ";"))
}

// nearestValue returns the value of a field that is most like one that a filter asks for and
// that no request has; empty when none is, and where values are not told.
func nearestValue(f *analyze.Fields, e *filter.Expr, name string) string {
	wanted := e.Equals(name)
	if !tells(name) || len(wanted) == 0 {
		return ""
	}
	all := f.Values(name, math.MaxInt).Texts
	if len(all) <= valuesNamed && !slices.ContainsFunc(all, func(c analyze.Count) bool { return strings.EqualFold(c.Name, wanted[0]) }) {
		return "" // all of them are listed
	}
	values := make([]string, len(all))
	for i, c := range all {
		values[i] = c.Name
	}
	for _, value := range wanted {
		if !slices.Contains(values, value) {
			return nearest(value, values)
		}
	}
	return ""
}

// tells reports whether a field is one whose values may stand in a message: not those of
// attributes and identifiers, which may be those of people.
func tells(name string) bool {
	return slices.ContainsFunc(analyze.Built(), func(b analyze.BuiltField) bool { return b.Name == name }) && !slices.Contains(identifiers, name)
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
	case !tells(name):
		texts = append(texts, fmt.Sprintf("%s in %s", count(int(v.Distinct), "value"), count(int(v.N), "request")))
	case name == "start":
		texts = append(texts, reports.TimeMilli(int64(v.Low))+" to "+reports.TimeMilli(int64(v.High)))
	case v.Numbers && i >= 0 && analyze.Built()[i].Unit == "ns":
		texts = append(texts, reports.Duration(int64(v.Low))+" to "+reports.Duration(int64(v.High)))
	case v.Numbers && v.Distinct > valuesNamed:
		texts = append(texts, reports.Number(v.Low)+" to "+reports.Number(v.High))
	default:
		for _, c := range v.Texts {
			texts = append(texts, fmt.Sprintf("%s (%s)", shortened(c.Name, longestValue), reports.Integer(c.N)))
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

// The lengths in characters from which a value, and an expression or what is said of it, are
// cut in a message.
const (
	longestValue  = 48
	longestQuoted = 240
)

// shortened cuts the middle out of a text that is longer than some length in characters.
func shortened(text string, longest int) string {
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	tail := longest / 4
	return string(runes[:longest-tail]) + "..." + string(runes[len(runes)-tail:])
}

// failOn reads each --fail-on of a command. Where that has no baseline no condition may want
// one, and one about an objective wants one of those that were given.
func (p *program) failOn(of command, objectives []filter.Objective) ([]filter.Condition, error) {
	var out []filter.Condition
	for _, text := range p.flags.failOn {
		c, err := filter.ParseCondition(text, analyze.ConditionWords())
		if err == nil && c.Relative && !slices.Contains(of.flags, "min-change") && !slices.Contains(of.flags, "baseline") {
			err = c.WithoutBaseline()
		}
		if metrics := analyze.ChangeMetrics(); err == nil && c.Relative && !slices.Contains(metrics, c.Metric) {
			err = c.NotHere("changes of "+c.Metric+" are not compared", "a change is of "+strings.Join(metrics, ", ")+"; give "+c.Metric+" a limit of its own, such as "+c.Observed()+" > 50ms")
		}
		if err == nil && c.OfObjective() {
			err = askable(of, c, objectives)
		}
		if err != nil {
			return nil, filterFault("--fail-on", err)
		}
		out = append(out, c)
	}
	return out, nil
}

// askable says why the command cannot judge a condition about an objective; nil when it can.
func askable(of command, c filter.Condition, objectives []filter.Objective) error {
	if c.Quantity == filter.Capacity && !slices.Contains(of.flags, "window") {
		return c.NotHere("only tailpath capacity tells the rate that is carried within an objective", "run tailpath capacity with the same --slo and --fail-on")
	}
	_, err := c.ObjectiveIn(objectives)
	return err
}

// judgeCarried judges conditions of a capacity: what was carried by it, others by its requests.
func judgeCarried(c *analyze.Capacity, l *loaded, conditions []filter.Condition, choice analyze.Options) []analyze.Judgement {
	var s *analyze.Summary
	out := make([]analyze.Judgement, len(conditions))
	for i, condition := range conditions {
		if condition.Quantity == filter.Capacity {
			out[i] = analyze.JudgeCapacity(c, condition)
			continue
		}
		if s == nil {
			of := analyze.Summarize(l.set, choice)
			of.Objectives = c.Objectives
			s = &of
		}
		out[i] = analyze.Judge(l.set, s, conditions[i:i+1], choice)[0]
	}
	return out
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
			choice.Engines = new.builder.Engines()
			of := analyze.Summarize(new.set, choice)
			s = &of
		}
		out[i] = analyze.Judge(new.set, s, conditions[i:i+1], choice)[0]
	}
	return out
}

// gated returns how a run ends that had conditions to judge: a condition that is true
// counts most, then whatever else is wrong, then what --require asks for and the data are not,
// then what could not be judged. Of data that are not as was asked no condition is true, see
// reports.Document.Withheld.
func gated(doc reports.Document, otherwise error) error {
	var failed, unclear []string
	for _, c := range doc.Conditions {
		switch {
		case c.Passed == nil:
			unclear = append(unclear, fmt.Sprintf("%s (%s)", c.Condition, c.Why))
		case !*c.Passed:
			found := c.Found()
			if interval := c.Interval(); interval != "" {
				found += ", " + interval
			}
			found += ", n = " + reports.Integer(c.N)
			if c.Why != "" {
				found += "; " + c.Why
			}
			failed = append(failed, fmt.Sprintf("%s (found %s)", c.Condition, found))
		}
	}
	switch {
	case len(failed) > 0:
		return &fault{code: exitTrue, label: "failed", what: plainUnits(strings.Join(failed, "; "))}
	case otherwise != nil:
		return otherwise
	case doc.Missed() != nil:
		return unlikeRequired(doc)
	case len(unclear) > 0:
		return nothing("--fail-on", "cannot judge "+strings.Join(unclear, "; "), "the reason says what would decide it, mostly more requests over more time; tailpath help filters says when a condition is judged")
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
	case "require":
		words = append(words, filter.Requirements()...)
	default:
		v := analyze.ConditionWords()
		for _, m := range v.Metrics {
			words = append(words, "p99("+m+")\tpercentile")
		}
		for _, s := range v.Stages {
			words = append(words, "share("+s+")\tof what slow requests take longer")
		}
		words = append(words, "verdict(queue)", "unattributed", "incomplete", "errors", "n", "rate(slo)\tthat meet the objective", "goodput(slo)", "capacity(slo)")
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// parseMinShare reads --min-share.
func (p *program) parseMinShare() error {
	text := p.flags.minShare
	if text == "" {
		return nil
	}
	share, ok := filter.ParsePercent(strings.TrimSuffix(text, "%"))
	if !ok || share.Num == 0 {
		return usage("--min-share "+text, "is no percentage above 0 and up to 100", "such as --min-share 60%: tailpath help verdict has the rule")
	}
	p.rule = analyze.DefaultRule()
	p.rule.MinShare = stat.Prob{Num: share.Num, Den: share.Den}
	return nil
}

// parseBands reads --bands.
func (p *program) parseBands() (err error) {
	if p.flags.bands == "" {
		return nil
	}
	if p.bands, err = analyze.ParseBands(p.flags.bands); err != nil {
		return filterFault("--bands", err)
	}
	return nil
}
