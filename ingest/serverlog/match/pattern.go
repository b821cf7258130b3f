package match

import (
	"bytes"
	"sync"
)

// opCode says what an element of a pattern is.
type opCode uint8

const (
	opLiteral opCode = iota
	opNumber         // a hole of a type that scanNumber reads
	opHole           // another typed hole with an end of its own
	opToken          // a token with a literal behind it that begins with a blank
	opSearch         // another hole that ends where one literal, the only one, is found
	opStretch        // a hole that ends where what follows it is found
	opBlanks
	opGroup
)

const (
	noSlot = -1
	// maxAnchors is how many literals may end one stretch.
	maxAnchors = 4
	// maxTries is at how many places a stretch is ended if what follows it is costly.
	maxTries = 32
)

// op is one element of a pattern. What is looked at most is one line of a cache.
type op struct {
	code   opCode
	typ    Type
	power  uint8 // of ten of ns, if the type is that of a duration in one unit
	tail   bool  // of a stretch: its segment is the last
	costly bool  // of a stretch: trying its segment may take as long as the text
	rare   uint8 // of opSearch: place of the byte by which lit is searched for
	slot   int32
	seg    int32  // of a stretch: ops[i+1:seg], its segment, stand between it and the next
	word   uint64 // the first 8 bytes of lit
	mask   uint64 // for comparing a text with them
	lit    []byte // of opSearch: the literal where it ends
	*more
}

// more is what is looked at less.
type more struct {
	name   string
	column int
	short  []byte   // lit without the blanks at its end
	words  [][]byte // of typeWords, the longest first

	// Of a group.
	group  []op
	may    *[256]bool // bytes with which its text may begin; nil if it may be empty
	slots  []int      // those that it sets; of a stretch: those of the groups in its segment
	shared bool       // some of them may be set from elsewhere as well

	// Of a stretch.
	anchors [][]byte // literals with which the segment may begin
	atEnd   bool     // all of the segment is optional
	until   [][]byte // if atEnd: what may stand behind the group that the stretch ends
	open    bool     // if until is set: the end of the text may stand there as well
}

// stretches reports whether o is a hole that ends where what follows it is found.
func (o *op) stretches() bool { return o.code == opToken || o.code == opSearch || o.code == opStretch }

// sets reports whether o sets a slot.
func (o *op) sets() bool {
	return o.code != opLiteral && o.code != opBlanks && o.code != opGroup && o.slot >= 0
}

// PatternMatcher matches a text against a pattern. It is a Matcher.
type PatternMatcher struct {
	ops    []op
	rest   bool // {...} stands at the end
	absent absentTexts
	first  [256]bool
	must   []byte
	nears  func() []near
}

// Pattern compiles a pattern. Its names get places in slots; absent are the texts that
// stand for no value. rest says that {...} stands at its end. An error is a
// *SyntaxError.
func Pattern(spec string, slots *Slots, absent []string) (m *PatternMatcher, rest bool, err error) {
	c := &compiler{spec: spec, slots: slots, seen: map[string]int{}}
	taken := slots.Len()
	ops, rest, err := c.sequence()
	if err == nil {
		noteSlots(ops, taken)
		err = c.link(ops, true, rest, follow{open: !rest})
	}
	if err == nil && len(ops) == 0 {
		err = c.fail(0, "expected a pattern, found nothing")
	}
	if err != nil {
		return nil, false, err
	}
	m = &PatternMatcher{ops: ops, rest: rest, absent: newAbsent(absent)}
	m.must = longestLiteral(ops)
	m.open()
	m.openGroups(ops)
	m.nears = sync.OnceValue(func() []near { return c.nears(ops, rest) }) // most are never needed
	return m, rest, nil
}

// Match reports whether text is as the pattern says, from its start to its end. Blanks
// at the end of the text change nothing, unless the pattern ignores the rest.
func (m *PatternMatcher) Match(text []byte, into []Value) bool {
	if n := len(text); !m.rest && n > 0 && isBlank(text[n-1]) {
		if text = m.ended(m.ops, text); text == nil {
			return false
		}
	}
	_, ok := m.run(m.ops, text, 0, into, !m.rest)
	return ok
}

// blanksKept is how many blanks at the end of a text a literal may ask for that only
// optional groups stand behind.
const blanksKept = 2

// ended returns text with as few of the blanks at its end as it takes to match, nil if
// it does not. An optional group could take them for the blanks that it looks for, so
// that more of them would make another text.
func (m *PatternMatcher) ended(ops []op, text []byte) []byte {
	n := len(text)
	for n > 0 && isBlank(text[n-1]) {
		n--
	}
	for end := n; end <= min(n+blanksKept, len(text)); end++ {
		if _, ok := m.run(ops, text[:end], 0, nil, true); ok {
			return text[:end]
		}
	}
	return nil
}

// MatchHead is Match for a pattern of what stands at the start of text; end is where
// the rest begins.
func (m *PatternMatcher) MatchHead(text []byte, into []Value) (end int, ok bool) {
	return m.run(m.ops, text, 0, into, false)
}

// First tells with which bytes a text that matches may begin. The caller must not
// change it.
func (m *PatternMatcher) First() *[256]bool { return &m.first }

// Prefix is the literal with which every text that matches begins; it may be empty.
func (m *PatternMatcher) Prefix() []byte {
	if m.ops[0].code == opLiteral {
		return m.finalLiteral(0)
	}
	return nil
}

// Must is the longest literal that every text that matches holds; it may be empty.
func (m *PatternMatcher) Must() []byte { return m.must }

// finalLiteral is the literal ops[i], without the blanks at the end of the pattern,
// which a text need not have.
func (m *PatternMatcher) finalLiteral(i int) []byte {
	if i == len(m.ops)-1 {
		return m.ops[i].short
	}
	return m.ops[i].lit
}

// stretch reads the stretch ops[i] and its segment.
func (m *PatternMatcher) stretch(ops []op, i int, text []byte, at int, into []Value, mustEnd bool) (end int, ok bool) {
	o := &ops[i]
	seg := ops[i+1 : o.seg]
	first, limit := at, len(text) // the hole may end in text[first:limit+1]
	if o.typ == TypeToken {
		first, limit = at+1, blankAt(text, at)
		if limit < first {
			return at, false
		}
	}
	if len(o.until) > 0 {
		nearest := -1
		for _, lit := range o.until {
			if n := index(text[first:], lit); n >= 0 && (nearest < 0 || n < nearest) {
				nearest = n
			}
		}
		if nearest >= 0 {
			limit = min(limit, first+nearest)
		} else if !o.open {
			return at, false
		}
	}
	if mustEnd && len(o.anchors) == 1 && !o.atEnd && len(seg) == 1 { // a literal
		end = len(text)
		for end > at && isBlank(text[end-1]) {
			end--
		}
		place := end - len(seg[0].short)
		if place < first || place > limit {
			return at, false
		}
		if stop, ok := m.run(seg, text, place, nil, true); ok {
			m.capture(o, text[at:place], into)
			return stop, true
		}
		return at, false
	}
	return m.stretchBefore(o, seg, text, at, first, limit, into, mustEnd)
}

// stretchBefore is stretch for a segment that may begin with several literals, or
// with none.
func (m *PatternMatcher) stretchBefore(o *op, seg []op, text []byte, at, first, limit int, into []Value, mustEnd bool) (end int, ok bool) {
	var places [maxAnchors]int
	for k := range o.anchors {
		places[k] = first - 1
	}
	for tries := 0; !(o.costly && tries == maxTries); tries++ {
		place := limit + 1
		for k, lit := range o.anchors {
			if from := max(first, 0); places[k] < from {
				places[k] = limit + 1
				if n := index(text[min(from, len(text)):], lit); n >= 0 {
					places[k] = from + n
				}
			}
			place = min(place, places[k])
		}
		if place > limit {
			break
		}
		if end, ok = m.segment(o, seg, text, place, into, mustEnd); ok {
			m.capture(o, hole(o, seg, text[at:place]), into)
			return end, true
		}
		first = place + 1
	}
	if !o.atEnd {
		return at, false
	}
	for limit > at && isBlank(text[limit-1]) {
		limit--
	}
	if end, ok = m.segment(o, seg, text, limit, into, mustEnd); ok {
		m.capture(o, text[at:limit], into)
	}
	return end, ok
}

// hole is what a stretch takes of the text before its segment.
func hole(o *op, seg []op, text []byte) []byte {
	if len(seg) > 0 && seg[0].code == opBlanks {
		return bytes.TrimRight(text, " \t")
	}
	return text
}

// segment matches the segment of the stretch o at text[at].
func (m *PatternMatcher) segment(o *op, seg []op, text []byte, at int, into []Value, mustEnd bool) (end int, ok bool) {
	if o.shared && into != nil {
		if end, ok = m.run(seg, text, at, nil, mustEnd); !ok {
			return end, false
		}
	}
	if end, ok = m.run(seg, text, at, into, mustEnd); !ok {
		undo(o.slots, into)
	}
	return end, ok
}

// index is bytes.Index, which for one byte is slower than IndexByte.
func index(text, lit []byte) int {
	if len(lit) == 1 {
		return bytes.IndexByte(text, lit[0])
	}
	return bytes.Index(text, lit)
}
