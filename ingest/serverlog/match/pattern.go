package match

import "bytes"

// opCode says what an element of a pattern is.
type opCode uint8

const (
	opLiteral opCode = iota
	opHole           // a typed hole with an end of its own
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

// op is one element of a pattern.
type op struct {
	code   opCode
	typ    Type
	number bool // the type is one that scanNumber reads
	slot   int
	name   string
	column int
	lit    []byte
	short  []byte   // lit without the blanks at its end
	words  [][]byte // of typeWords, the longest first
	group  []op

	// Of a stretch: ops[i+1:seg], its segment, stand between it and the next stretch.
	seg     int
	anchors [][]byte // literals with which the segment may begin
	tail    bool     // the segment is the last
	atEnd   bool     // all of the segment is optional
	until   [][]byte // if atEnd: what may stand behind the group that the stretch ends
	open    bool     // if until is set: the end of the text may stand there as well
	groups  bool     // there are groups in the segment
	costly  bool     // trying the segment may take as long as the text
}

// PatternMatcher matches a text against a pattern. It is a Matcher.
type PatternMatcher struct {
	ops    []op
	rest   bool // {...} stands at the end
	absent absentTexts
	first  [256]bool
	must   []byte
	nears  []near
}

// Pattern compiles a pattern. Its names get places in slots; absent are the texts that
// stand for no value. rest says that {...} stands at its end. An error is a
// *SyntaxError.
func Pattern(spec string, slots *Slots, absent []string) (m *PatternMatcher, rest bool, err error) {
	c := &compiler{spec: spec, slots: slots, seen: map[string]int{}}
	ops, rest, err := c.sequence()
	if err == nil {
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
	m.nears = c.nears(ops, rest)
	return m, rest, nil
}

// Match reports whether text is as the pattern says, from its start to its end.
func (m *PatternMatcher) Match(text []byte, into []Value) bool {
	_, ok := m.run(m.ops, text, 0, into, !m.rest)
	return ok
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

// run matches ops from text[at] on and returns where they end. With mustEnd, nothing
// but blanks may stand behind. into may be nil.
func (m *PatternMatcher) run(ops []op, text []byte, at int, into []Value, mustEnd bool) (end int, ok bool) {
	for i := 0; i < len(ops); i++ {
		switch o := &ops[i]; o.code {
		case opLiteral:
			if n := len(o.lit); len(text)-at >= n && text[at] == o.lit[0] && (n == 1 || string(text[at:at+n]) == string(o.lit)) {
				at += n
				continue
			}
			if !mustEnd || i < len(ops)-1 || len(o.short) == len(o.lit) || !bytes.HasPrefix(text[at:], o.short) {
				return at, false
			}
			at += len(o.short)
		case opHole:
			if at, ok = m.hole(o, text, at, into); !ok {
				return at, false
			}
		case opStretch:
			if at, ok = m.stretch(ops, i, text, at, into, mustEnd && o.tail); !ok {
				return at, false
			}
			i = o.seg - 1
		case opBlanks:
			for at < len(text) && isBlank(text[at]) {
				at++
			}
		case opGroup:
			// The first run sets nothing, so that a group that is left out leaves nothing.
			stop, ok := m.run(o.group, text, at, nil, false)
			if ok && into != nil {
				m.run(o.group, text, at, into, false)
			}
			if ok {
				at = stop
			}
		}
	}
	if mustEnd {
		for i := at; i < len(text); i++ {
			if !isBlank(text[i]) {
				return at, false
			}
		}
	}
	return at, true
}

// hole reads a typed hole.
func (m *PatternMatcher) hole(o *op, text []byte, at int, into []Value) (end int, ok bool) {
	var v *Value
	if into != nil && o.slot >= 0 {
		if v = &into[o.slot]; v.Text != nil || v.Flags != 0 {
			v.reset()
		}
	}
	var out outcome
	if o.typ == typeWords {
		for _, w := range o.words {
			if bytes.HasPrefix(text[at:], w) {
				end, out = at+len(w), good
				if v != nil {
					v.Text, v.Kind = text[at:end], Text
				}
				break
			}
		}
	} else if o.number {
		end, out = scanNumber(o.typ, text, at, v, false)
	} else {
		end, out = scan(o.typ, text, at, v, false)
	}
	if out == failed {
		if end, ok = m.absent.at(text, at); ok && v != nil {
			v.reset()
			v.Text = text[at:end]
		}
		return end, ok
	}
	if v != nil && out == good && len(m.absent) > 0 && m.absent.has(v.Text) {
		v.settle(noValue)
	}
	return end, true
}

// capture sets the slot of a stretch to text.
func (m *PatternMatcher) capture(o *op, text []byte, into []Value) {
	if into == nil || o.slot < 0 {
		return
	}
	v := &into[o.slot]
	if v.Text != nil || v.Flags != 0 {
		v.reset()
	}
	v.Text = text
	if len(text) > 0 && !m.absent.has(text) {
		v.Kind = Text
	}
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
	if len(o.anchors) == 1 && !o.atEnd {
		lit := o.anchors[0]
		if mustEnd && len(seg) == 1 { // a literal
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
		behind := seg // without the literal, if it is the first
		if seg[0].code == opLiteral {
			behind = seg[1:]
		}
		window := text[:min(len(text), limit+len(lit))]
		for from, tries := first, 0; from <= len(window); tries++ {
			n := index(window[from:], lit)
			if n < 0 || o.costly && tries == maxTries {
				return at, false
			}
			place := from + n
			if len(seg) == 1 {
				m.capture(o, text[at:place], into)
				return place + len(lit), true
			}
			after := place
			if seg[0].code == opLiteral {
				after += len(lit)
			}
			if end, ok = m.segment(o, behind, text, after, into, mustEnd); ok {
				m.capture(o, hole(o, seg, text[at:place]), into)
				return end, true
			}
			from = place + 1
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

// segment matches the segment of the stretch o at text[at]. If there are groups in it,
// it is tried first without setting anything: another try may leave them out.
func (m *PatternMatcher) segment(o *op, seg []op, text []byte, at int, into []Value, mustEnd bool) (end int, ok bool) {
	if o.groups && into != nil {
		if end, ok = m.run(seg, text, at, nil, mustEnd); !ok {
			return end, false
		}
	}
	return m.run(seg, text, at, into, mustEnd)
}

// index is bytes.Index, which for one byte is slower than IndexByte.
func index(text, lit []byte) int {
	if len(lit) == 1 {
		return bytes.IndexByte(text, lit[0])
	}
	return bytes.Index(text, lit)
}
