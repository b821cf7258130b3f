package match

import (
	"bytes"
	"encoding/binary"
)

// retry is a stretch that may end further on, if what stands behind it does not match.
type retry struct {
	i     int // place of the stretch in its ops; noRetry if there is none
	at    int // where it begins
	from  int // where the next literal behind it may be
	until int // and where that must have ended
	tries int
}

const noRetry = -1

// run matches ops from text[at] on and returns where they end. With mustEnd, nothing
// but blanks may stand behind. into may be nil.
//
// A stretch ends at the first place where its segment matches. What stands before it is
// not tried again for the sake of what stands behind that.
func (m *PatternMatcher) run(ops []op, text []byte, at int, into []Value, mustEnd bool) (end int, ok bool) {
	back := retry{i: noRetry}
	for i := 0; ; {
		ok = true
		if i == len(ops) {
			if !mustEnd || blankFrom(text, at) {
				return at, true
			}
			ok = false
		} else {
			o := &ops[i]
			i++
			// Every second element is a short literal.
			if o.code == opLiteral && len(o.lit) <= 8 && at+8 <= len(text) && binary.LittleEndian.Uint64(text[at:])&o.mask == o.word {
				at += len(o.lit)
				continue
			}
			switch o.code {
			case opLiteral:
				switch {
				case o.stands(text, at):
					at += len(o.lit)
				case mustEnd && i == len(ops) && len(o.short) < len(o.lit) && bytes.HasPrefix(text[at:], o.short):
					at += len(o.short)
				default:
					ok = false
				}
			case opNumber:
				at, ok = m.number(o, text, at, into)
			case opHole:
				at, ok = m.hole(o, text, at, into)
			case opToken:
				if mustEnd && o.tail && int(o.seg) == i+1 {
					at, ok = m.stretch(ops, i-1, text, at, into, true)
					i = int(o.seg)
				} else if limit := blankAt(text, at); limit > at && ops[i].stands(text, limit) {
					m.capture(o, text[at:limit], into)
					at = limit + len(ops[i].lit)
					i++
				} else {
					ok = false
				}
				back.i = noRetry
			case opSearch:
				if mustEnd && o.tail && int(o.seg) == i+1 {
					at, ok = m.stretch(ops, i-1, text, at, into, true)
					i, back.i = int(o.seg), noRetry
					break
				}
				back = retry{i: i - 1, at: at, from: at, until: len(text)}
				if o.typ == TypeToken {
					back.from, back.until = at+1, min(len(text), blankAt(text, at)+len(o.lit))
				}
				i, at, ok = m.next(ops, &back, text, into)
			case opStretch:
				at, ok = m.stretch(ops, i-1, text, at, into, mustEnd && o.tail)
				i, back.i = int(o.seg), noRetry
			case opBlanks:
				for at < len(text) && isBlank(text[at]) {
					at++
				}
			case opGroup:
				if o.may == nil || at < len(text) && o.may[text[at]] {
					at = m.group(o, text, at, into)
				}
			}
		}
		for !ok {
			if back.i == noRetry {
				return at, false
			}
			undo(ops[back.i].slots, into)
			i, at, ok = m.next(ops, &back, text, into)
		}
	}
}

// next ends a stretch at the next place where the literal behind it is found, and
// returns what to go on with and where.
func (m *PatternMatcher) next(ops []op, back *retry, text []byte, into []Value) (i, at int, ok bool) {
	o := &ops[back.i]
	i = back.i + 1
	lit := o.lit
	n := -1
	if back.from <= back.until && !(o.costly && back.tries == maxTries) {
		n = find(text[back.from:back.until], lit, int(o.rare))
	}
	if n < 0 {
		back.i = noRetry
		return i, back.at, false
	}
	place := back.from + n
	back.from = place + 1
	back.tries++
	taken := text[back.at:place]
	if ops[i].code == opLiteral {
		i++
		place += len(lit)
	} else { // {~} stands before the literal
		taken = bytes.TrimRight(taken, " \t")
	}
	m.capture(o, taken, into)
	return i, place, true
}

// find is bytes.Index by way of the byte lit[rare]. Literals begin with blanks, which are
// everywhere.
func find(text, lit []byte, rare int) int {
	for from := rare; from < len(text); {
		n := bytes.IndexByte(text[from:], lit[rare])
		if n < 0 {
			return -1
		}
		place := from + n - rare
		if len(lit) == 1 || bytes.HasPrefix(text[place:], lit) {
			return place
		}
		from += n + 1
	}
	return -1
}

// rarest returns the place of the byte of a literal that is likely to be the rarest in a log.
func rarest(lit []byte) uint8 {
	rank := func(c byte) int {
		switch {
		case isBlank(c):
			return 0
		case c-'0' <= 9 || c >= 'a' && c <= 'z':
			return 1
		case isWord(c) || c == '"' || c == ':' || c == '.' || c == '-' || c == '/' || c == '_':
			return 2
		}
		return 3
	}
	best := 0
	for i, c := range lit[:min(len(lit), 256)] {
		if rank(c) > rank(lit[best]) {
			best = i
		}
	}
	return uint8(best)
}

// group matches an optional group and returns where it ends, which is at if it is not
// there. A group that is not there sets nothing.
func (m *PatternMatcher) group(o *op, text []byte, at int, into []Value) (end int) {
	first := into
	if o.shared {
		first = nil
	}
	stop, ok := m.run(o.group, text, at, first, false)
	switch {
	case !ok:
		undo(o.slots, first)
		return at
	case o.shared && into != nil:
		m.run(o.group, text, at, into, false)
	}
	return stop
}

// undo takes back what a group has set that is not there after all.
func undo(slots []int, into []Value) {
	if into == nil {
		return
	}
	for _, slot := range slots {
		if v := &into[slot]; v.Text != nil || v.Flags != 0 {
			v.reset()
		}
	}
}

// prepare makes a literal fit for comparing.
func (o *op) prepare() {
	var word, mask [8]byte
	for i := range min(len(o.lit), 8) {
		word[i], mask[i] = o.lit[i], 0xff
	}
	o.word, o.mask = binary.LittleEndian.Uint64(word[:]), binary.LittleEndian.Uint64(mask[:])
}

// stands reports whether a literal stands at text[at].
func (o *op) stands(text []byte, at int) bool {
	if at+8 <= len(text) {
		if binary.LittleEndian.Uint64(text[at:])&o.mask != o.word {
			return false
		}
		return len(o.lit) <= 8 || bytes.HasPrefix(text[at+8:], o.lit[8:])
	}
	return bytes.HasPrefix(text[at:], o.lit)
}

// value returns the value that a hole sets, without what it held; nil if it sets none.
func (o *op) value(into []Value) *Value {
	if into == nil || o.slot < 0 {
		return nil
	}
	v := &into[o.slot]
	if v.Text != nil || v.Flags != 0 {
		v.reset()
	}
	return v
}

// number reads a number. Most are whole and short.
func (m *PatternMatcher) number(o *op, text []byte, at int, into []Value) (end int, ok bool) {
	n := uint64(0)
	end = at
	for end < len(text) && text[end]-'0' <= 9 && end-at < 15 {
		n = n*10 + uint64(text[end]-'0')
		end++
	}
	if end == at || end < len(text) && numeric[text[end]] || n > maxFactors[o.power] {
		v := o.value(into)
		end, out := scanNumber(o.typ, text, at, v, false)
		return m.settled(v, out, text, at, end)
	}
	v := o.value(into)
	if v == nil {
		return end, true
	}
	v.Text = text[at:end]
	if m.absent.has(v.Text) {
		return end, true
	}
	switch o.typ {
	case TypeInt:
		v.Kind, v.Int, v.Float = Int, int64(n), float64(n)
	case TypeFloat:
		v.Kind, v.Float = Float, float64(n)
	default:
		unit := int64(powersOf10[o.power])
		v.Kind, v.Int, v.Res = Duration, int64(n)*unit, unit
	}
	return end, true
}

// numeric are the bytes with which a number may go on behind digits.
var numeric = [256]bool{'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'.': true, 'e': true, 'E': true}

// hole reads a typed hole that is no number.
func (m *PatternMatcher) hole(o *op, text []byte, at int, into []Value) (end int, ok bool) {
	v := o.value(into)
	if o.typ != typeWords {
		end, out := scan(o.typ, text, at, v, false)
		return m.settled(v, out, text, at, end)
	}
	for _, w := range o.words {
		if at < len(text) && text[at] == w[0] && bytes.HasPrefix(text[at:], w) {
			if v != nil {
				v.Text, v.Kind = text[at:at+len(w)], Text
			}
			return m.settled(v, good, text, at, at+len(w))
		}
	}
	return m.settled(v, failed, text, at, at)
}

// settled ends the reading of a hole from at to end: what it may not be may be a text
// that stands for no value, and what it is may be one.
func (m *PatternMatcher) settled(v *Value, out outcome, text []byte, at, end int) (int, bool) {
	if out == failed {
		end, ok := m.absent.at(text, at)
		if ok && v != nil {
			v.reset()
			v.Text = text[at:end]
		}
		return end, ok
	}
	if v != nil && out == good && m.absent.has(v.Text) {
		v.settle(noValue)
	}
	return end, true
}

// capture sets the slot of a stretch to text.
func (m *PatternMatcher) capture(o *op, text []byte, into []Value) {
	v := o.value(into)
	if v == nil {
		return
	}
	v.Text = text
	if len(text) > 0 && !m.absent.has(text) {
		v.Kind = Text
	}
}

// blankFrom reports whether nothing but blanks stands from text[at] on.
func blankFrom(text []byte, at int) bool {
	for ; at < len(text); at++ {
		if !isBlank(text[at]) {
			return false
		}
	}
	return true
}
