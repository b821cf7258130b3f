package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// Requirements writes what became of requirements, see [analyze.Require]: one passed when the data
// are as it asks for. side is base or new where two sets are read, and empty elsewhere.
func Requirements(judgements []analyze.Judgement, side string) []Condition {
	out := Conditions(judgements)
	for i := range out {
		out[i].Side = side
	}
	return out
}

// Missed says in words what a requirement asks for and what there is instead; empty when it is met.
func (c Condition) Missed() string {
	of := ""
	if c.Side != "" {
		of = " in " + c.Side
	}
	switch {
	case c.Passed == nil:
		return fmt.Sprintf("--require asks for %s, which cannot be told%s: %s", c.Condition, of, c.Why)
	case !*c.Passed:
		return fmt.Sprintf("--require asks for %s, and it is %s%s", c.Condition, c.Found(), of)
	}
	return ""
}

// Missed says of each requirement of the document that is not met what it asks for, see
// [Condition.Missed].
func (d Document) Missed() (out []string) {
	for _, c := range d.Requirements {
		if text := c.Missed(); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// mostReasons is how many reasons a headline gives for not judging.
const mostReasons = 3

// Withheld returns the document of data that are not what was asked for, and that nothing is judged
// by therefore: it says so first, and leaves each condition open, with the first reason. The figures
// stay as they are. Without a reason nothing changes.
func (d Document) Withheld(reasons ...string) Document {
	if len(reasons) == 0 {
		return d
	}
	d.Headline = fmt.Sprintf("cannot judge: %s; but for that: %s", firstOf(reasons, mostReasons), d.Headline)
	why := "not judged: " + firstOf(reasons, 1)
	d.Conditions = slices.Clone(d.Conditions)
	for i := range d.Conditions {
		d.Conditions[i].Passed, d.Conditions[i].Why = nil, why
	}
	return d
}

// firstOf writes the first of some reasons, and how many more there are.
func firstOf(reasons []string, most int) string {
	text := strings.Join(reasons[:min(len(reasons), most)], "; ")
	if more := len(reasons) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
