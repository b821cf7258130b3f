package match

import (
	"fmt"
	"regexp"
)

// RegexMatcher reads fields by a regular expression. It is a Matcher.
type RegexMatcher struct {
	expr   *regexp.Regexp
	groups []int // of the expression
	types  []Type
	slots  []int
	absent absentTexts
}

// Regex compiles a matcher by a regular expression in the syntax of RE2. Its named
// groups are the fields; types gives their types, text for those it does not name. It
// allocates for every text, and is slower than the other matchers by far.
func Regex(expr string, types map[string]Type, slots *Slots, absent []string) (*RegexMatcher, error) {
	e, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("regular expression: %w", err)
	}
	m := &RegexMatcher{expr: e, absent: newAbsent(absent)}
	known := map[string]bool{}
	for i, name := range e.SubexpNames() {
		if name == "" {
			continue
		}
		if known[name] {
			return nil, &SyntaxError{Message: fmt.Sprintf("regular expression: two groups are named %s", name)}
		}
		known[name] = true
		m.groups = append(m.groups, i)
		m.types = append(m.types, types[name])
		m.slots = append(m.slots, slots.Slot(name))
	}
	for name := range types {
		if !known[name] {
			// The least of them, so that the message does not depend on the order of a map.
			for other := range types {
				if !known[other] && other < name {
					name = other
				}
			}
			return nil, &SyntaxError{Message: fmt.Sprintf("types: there is no group named %s in the regular expression", name)}
		}
	}
	return m, nil
}

// Match reports whether the expression matches text.
func (m *RegexMatcher) Match(text []byte, into []Value) bool {
	found := m.expr.FindSubmatchIndex(text)
	if found == nil {
		return false
	}
	for i, group := range m.groups {
		if start, end := found[2*group], found[2*group+1]; start >= 0 {
			v := &into[m.slots[i]]
			v.reset()
			read(m.types[i], text[start:end], v, false, m.absent)
		}
	}
	return true
}
