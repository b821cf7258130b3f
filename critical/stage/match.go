package stage

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tailpath/tailpath/ingest/table"
)

// Matcher finds the rule of every span of one set. It remembers what it has found,
// so it belongs to one goroutine; the set must not change meanwhile.
type Matcher struct {
	rules  *Rules
	set    *table.Set
	events []int32 // events of span row i are events[i] to events[i+1]
	keys   map[string]table.Sym
	kinds  map[kindKey][]*Rule
}

// kindKey is what most rules look at; spans that agree on it share a short list of
// candidates.
type kindKey struct {
	scopeRow int32
	name     table.Sym
	kind     uint8
	peer     Peer
	origin   uint8
}

// EventIndex returns, for a canonical set, where the events of every span begin:
// those of span row i are rows index[i] to index[i+1] of the span_events table.
func EventIndex(set *table.Set) []int32 {
	index := make([]int32, set.Spans.Len()+1)
	for _, row := range set.SpanEvents.SpanRow {
		index[row+1]++
	}
	for i := 1; i < len(index); i++ {
		index[i] += index[i-1]
	}
	return index
}

// NewMatcher returns a matcher for a canonical set; events is its EventIndex.
func NewMatcher(rules *Rules, set *table.Set, events []int32) *Matcher {
	m := &Matcher{rules: rules, set: set, events: events, keys: map[string]table.Sym{}, kinds: map[kindKey][]*Rule{}}
	for _, rule := range rules.list {
		for _, a := range rule.match.attributes {
			m.keys[a.key], _ = set.Symbols.Lookup(a.key)
		}
	}
	return m
}

// fallback is the rule of a span that no rule matches. The built-in rules end with
// one that matches everything, so it serves only rule lists without it.
var fallback = &Rule{ID: "none", Doc: "no rule matched", Stage: Unattributed, Detail: "no rule"}

// Rule returns the first rule that matches a span.
func (m *Matcher) Rule(row int32, peer Peer) *Rule {
	spans := &m.set.Spans
	key := kindKey{spans.ScopeRow[row], spans.Name[row], spans.Kind[row], peer, spans.Origin[row]}
	candidates, ok := m.kinds[key]
	if !ok {
		candidates = m.candidates(key)
		m.kinds[key] = candidates
	}
	for _, rule := range candidates {
		if m.holds(rule, row) {
			return rule
		}
	}
	return fallback
}

// candidates returns the rules whose conditions on the key hold, up to the first
// that has no others.
func (m *Matcher) candidates(key kindKey) []*Rule {
	scopes, text := &m.set.Scopes, m.set.Symbols.Text
	var list []*Rule
	for _, rule := range m.rules.list {
		c := &rule.match
		if !anyMatches(c.service, text(scopes.Service[key.scopeRow])) ||
			!anyMatches(c.scope, text(scopes.Scope[key.scopeRow])) ||
			!anyMatches(c.name, text(key.name)) ||
			c.kinds != nil && !slices.Contains(c.kinds, key.kind) ||
			c.peers != nil && !slices.Contains(c.peers, key.peer) ||
			c.origins != nil && !slices.Contains(c.origins, key.origin) {
			continue
		}
		list = append(list, rule)
		if c.attributes == nil && c.event == nil {
			break
		}
	}
	return list
}

// holds reports whether the conditions beyond the key hold.
func (m *Matcher) holds(rule *Rule, row int32) bool {
	for _, a := range rule.match.attributes {
		value, ok := m.set.Spans.Attributes.Get(int(row), m.keys[a.key])
		if !ok || m.keys[a.key] == 0 || !anyMatches(a.patterns, ValueText(value)) {
			return false
		}
	}
	if rule.match.event == nil {
		return true
	}
	for e := m.events[row]; e < m.events[row+1]; e++ {
		if anyMatches(rule.match.event, m.set.Symbols.Text(m.set.SpanEvents.Name[e])) {
			return true
		}
	}
	return false
}

// Detail returns the detail that a rule gives to a span.
func (m *Matcher) Detail(rule *Rule, row int32) string {
	scopes, text := &m.set.Scopes, m.set.Symbols.Text
	scopeRow := m.set.Spans.ScopeRow[row]
	switch rule.Detail {
	case "$service":
		return text(scopes.Service[scopeRow])
	case "$scope":
		return text(scopes.Scope[scopeRow])
	case "$name":
		return text(m.set.Spans.Name[row])
	}
	if rule.attribute != "" {
		if key, ok := m.set.Symbols.Lookup(rule.attribute); ok {
			value, _ := m.set.Spans.Attributes.Get(int(row), key)
			return ValueText(value)
		}
		return ""
	}
	return rule.Detail
}

// ValueText returns an attribute value as patterns see it.
func ValueText(v table.Value) string {
	switch v.Type {
	case table.ValueBool:
		return strconv.FormatBool(v.Bool())
	case table.ValueInt:
		return strconv.FormatInt(v.Int(), 10)
	case table.ValueDouble:
		return fmt.Sprint(v.Double())
	}
	return string(v.Text)
}
