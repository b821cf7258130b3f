package format

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// condition is one entry of when.
type condition struct {
	slot    int
	present bool // "*" is one of the texts
	absent  bool // "!*" is one of them
	not     [][]byte
	exact   [][]byte
	prefix  [][]byte
	within  [][]byte
	without [][]byte // what the text may not begin with
}

// some reports whether a text must be one of those that c lists.
func (c *condition) some() bool { return len(c.exact)+len(c.prefix)+len(c.within) > 0 }

func (c *condition) holds(values []match.Value) bool {
	v := &values[c.slot]
	if v.Kind == match.None {
		return !c.present && !c.some()
	}
	if c.absent {
		return false
	}
	for _, t := range c.not {
		if bytes.Equal(t, v.Text) {
			return false
		}
	}
	for _, t := range c.without {
		if bytes.HasPrefix(v.Text, t) {
			return false
		}
	}
	if c.present || !c.some() {
		return true
	}
	for _, t := range c.exact {
		if bytes.Equal(t, v.Text) {
			return true
		}
	}
	for _, t := range c.prefix {
		if bytes.HasPrefix(v.Text, t) {
			return true
		}
	}
	for _, t := range c.within {
		if bytes.Contains(v.Text, t) {
			return true
		}
	}
	return false
}

// hold reports whether all of some conditions hold.
func hold(all []condition, values []match.Value) bool {
	for i := range all {
		if !all[i].holds(values) {
			return false
		}
	}
	return true
}

// wants reports whether the condition needs a value.
func (c *condition) wants() bool { return c.present || c.some() }

// newCondition compiles the texts of one field: "*" is any text, "!*" none at all, "!x"
// anything but x, "!x*" what does not begin with x, "x*" what begins with x, "*x*" what
// holds x, and anything else is that text.
func newCondition(slot int, texts []string) condition {
	c := condition{slot: slot}
	for _, t := range texts {
		switch {
		case t == "*":
			c.present = true
		case t == "!*":
			c.absent = true
		case len(t) > 2 && t[0] == '!' && t[len(t)-1] == '*':
			c.without = append(c.without, []byte(t[1:len(t)-1]))
		case len(t) > 1 && t[0] == '!':
			c.not = append(c.not, []byte(t[1:]))
		case len(t) > 2 && t[0] == '*' && t[len(t)-1] == '*':
			c.within = append(c.within, []byte(t[1:len(t)-1]))
		case len(t) > 1 && t[len(t)-1] == '*':
			c.prefix = append(c.prefix, []byte(t[:len(t)-1]))
		default:
			c.exact = append(c.exact, []byte(t))
		}
	}
	return c
}
