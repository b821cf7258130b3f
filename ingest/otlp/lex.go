package otlp

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// fault says why a piece of JSON could not be read.
type fault uint8

const (
	noFault   fault = iota
	moreFault       // the text in memory ends first
	badSyntax       // this is no JSON
	badValue        // this is JSON, but not what the field may hold
	tooLarge        // it may not be held in memory
)

// parser reads JSON tokens from the text in memory. A method that fails returns
// false and leaves the reason in fault and what; the first reason stays.
//
// It is lenient: a comma may stand before a closing bracket and strings may hold
// control characters. Two of those are refused all the same, the line feed and NUL,
// because they are how a line that was cut off shows itself.
//
// Texts that it returns lie in the window or in arena and text, and are good until
// the next begin or refill.
type parser struct {
	window
	fault    fault
	what     string // what is wrong, without any value
	tok      int    // start of the string or bare token that was read last
	depth    int    // nesting of attribute values
	scalarAt int    // where the scalar of the value read last stands; 0 if it is not known
	arena    []byte // strings whose escapes had to be resolved
	text     []byte // OTLP JSON of array and key-value values

	repaired  int // values kept in another form than theirs
	leftOut   int // values that could not be kept in any
	foreign   int // ids not in hex
	imprecise int // times with the digits of a double
	unknown   int // enum values that OTLP does not have
}

// begin forgets what was read before the byte at pos.
func (p *parser) begin(pos int) {
	p.pos, p.tok = pos, pos
	p.fault, p.what = noFault, ""
	p.depth = 0
	p.arena, p.text = p.arena[:0], p.text[:0]
	p.repaired, p.leftOut, p.foreign, p.imprecise, p.unknown = 0, 0, 0, 0, 0
}

func (p *parser) fail(f fault, what string) bool {
	if p.fault == noFault {
		p.fault, p.what = f, what
	}
	return false
}

func (p *parser) short() bool { return p.fail(moreFault, "the input ends too early") }

// peek skips blanks and returns the next byte without taking it; 0 when there is none.
func (p *parser) peek() byte {
	if p.pos < len(p.buf) && p.buf[p.pos] > ' ' {
		return p.buf[p.pos]
	}
	return p.peekBehindBlanks()
}

func (p *parser) peekBehindBlanks() byte {
	buf, i := p.buf, p.pos
	for i < len(buf) {
		switch buf[i] {
		case ' ':
			if i+8 <= len(buf) && binary.LittleEndian.Uint64(buf[i:]) == eightBlanks {
				i += 8
				continue
			}
			i++
		case '\t', '\r', '\n':
			i++
		default:
			p.pos = i
			return buf[i]
		}
	}
	p.pos = i
	p.short()
	return 0
}

const eightBlanks = 0x2020202020202020

// member takes the name of the next member of an object and its colon. It returns
// false at the end of the object, too, with no fault.
func (p *parser) member(first bool) ([]byte, bool) {
	c := p.peek()
	if !first && c == ',' {
		p.pos++
		if c = p.peek(); c == ',' {
			return nil, p.fail(badSyntax, "a member of an object is missing")
		}
	} else if !first && c != '}' {
		return nil, p.fail(badSyntax, "a comma or closing brace is missing")
	}
	switch c {
	case '}':
		p.pos++
		return nil, false
	case '"':
	default:
		return nil, p.fail(badSyntax, "the name of a member is missing")
	}
	key, ok := p.str()
	if !ok {
		return nil, false
	}
	if p.peek() != ':' {
		return nil, p.fail(badSyntax, "a colon is missing")
	}
	p.pos++
	return key, true
}

// element moves to the next element of an array. It returns false at the end of the
// array, too, with no fault.
func (p *parser) element(first bool) bool {
	c := p.peek()
	if !first && c == ',' {
		p.pos++
		if c = p.peek(); c == ',' {
			return p.fail(badSyntax, "an element of an array is missing")
		}
	} else if !first && c != ']' {
		return p.fail(badSyntax, "a comma or closing bracket is missing")
	}
	if c == ']' {
		p.pos++
		return false
	}
	return p.fault == noFault
}

// opens takes the opening bracket of an object or array. It returns false without a
// fault when the value is null.
func (p *parser) opens(bracket byte, what string) bool {
	switch p.peek() {
	case bracket:
		p.pos++
		return true
	case 'n':
		p.null()
		return false
	}
	p.tok = p.pos
	return p.fail(badValue, what)
}

// null takes the word null, or fails.
func (p *parser) null() bool {
	word, ok := p.bare()
	if !ok {
		return false
	}
	if string(word) != "null" {
		return p.fail(badSyntax, "a bare word is no value")
	}
	return true
}

// bare takes a number or a bare word.
func (p *parser) bare() ([]byte, bool) {
	p.tok = p.pos
	i := p.pos
	for ; i < len(p.buf); i++ {
		if !bareByte[p.buf[i]] {
			if i == p.pos {
				return nil, p.fail(badSyntax, "a value is missing")
			}
			word := p.buf[p.pos:i]
			p.pos = i
			return word, true
		}
	}
	if p.eof && i > p.pos {
		word := p.buf[p.pos:i]
		p.pos = i
		return word, true
	}
	return nil, p.short()
}

var bareByte = func() (is [256]bool) {
	for c := '0'; c <= '9'; c++ {
		is[c] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		is[c], is[c-'a'+'A'] = true, true
	}
	is['+'], is['-'], is['.'], is['_'] = true, true, true, true
	return is
}()

// str takes a string, of which the byte at pos is the opening quote.
func (p *parser) str() ([]byte, bool) {
	p.tok = p.pos
	start := p.pos + 1
	i := special(p.buf, start)
	if i < len(p.buf) && p.buf[i] == '"' {
		p.pos = i + 1
		return p.buf[start:i], true
	}
	return p.strSlow(start, i)
}

// special returns the first quote, backslash or control character from i on, or the
// end of buf. Eight bytes are looked at together; the lowest marked one is exact.
func special(buf []byte, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(buf); i += 8 {
		w := binary.LittleEndian.Uint64(buf[i:])
		quote := w ^ ones*'"'
		slash := w ^ ones*'\\'
		mark := ((w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & high
		if mark != 0 {
			return i + bits.TrailingZeros64(mark)>>3
		}
	}
	for ; i < len(buf); i++ {
		if c := buf[i]; c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return i
}

// strSlow goes on behind str at byte i of a string that holds escapes or control
// characters.
func (p *parser) strSlow(start, i int) ([]byte, bool) {
	mark := len(p.arena)
	for from := start; ; i = special(p.buf, i) {
		if i >= len(p.buf) {
			return nil, p.short()
		}
		switch c := p.buf[i]; c {
		case '"':
			p.pos = i + 1
			if mark == len(p.arena) {
				return p.buf[from:i], true
			}
			p.arena = append(p.arena, p.buf[from:i]...)
			return p.arena[mark:len(p.arena):len(p.arena)], true
		case '\\':
			p.arena = append(p.arena, p.buf[from:i]...)
			n := p.escape(i)
			if n == 0 {
				return nil, false
			}
			i += n
			from = i
		case '\n':
			return nil, p.fail(badSyntax, "a string ends with the line")
		case 0:
			return nil, p.fail(badSyntax, "a string holds NUL")
		default:
			i++
		}
	}
}

// escape resolves the escape at byte i into arena and returns its length, 0 on failure.
func (p *parser) escape(i int) int {
	if i+1 >= len(p.buf) {
		p.short()
		return 0
	}
	c := p.buf[i+1]
	if plain := escapes[c]; plain != 0 {
		p.arena = append(p.arena, plain)
		return 2
	}
	if c != 'u' {
		p.fail(badSyntax, "a string holds an unknown escape")
		return 0
	}
	r, ok := p.hex4(i + 2)
	if !ok {
		return 0
	}
	if !utf16.IsSurrogate(r) {
		p.arena = utf8.AppendRune(p.arena, r)
		return 6
	}
	if i+7 < len(p.buf) && (p.buf[i+6] != '\\' || p.buf[i+7] != 'u') {
		p.arena = utf8.AppendRune(p.arena, utf8.RuneError)
		return 6
	}
	low, ok := p.hex4(i + 8)
	if !ok {
		return 0
	}
	both := utf16.DecodeRune(r, low)
	if both == utf8.RuneError {
		p.arena = utf8.AppendRune(p.arena, utf8.RuneError)
		return 6
	}
	p.arena = utf8.AppendRune(p.arena, both)
	return 12
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) hex4(i int) (rune, bool) {
	if i+4 > len(p.buf) {
		return 0, p.short()
	}
	var r rune
	for _, c := range p.buf[i : i+4] {
		d := hexDigit[c]
		if d > 15 {
			return 0, p.fail(badSyntax, "a string holds a broken \\u escape")
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// hexDigit is the value of a hex digit, 0xff for any other byte.
var hexDigit = func() (value [256]byte) {
	for c := range value {
		value[c] = 0xff
	}
	for i := range byte(10) {
		value['0'+i] = i
	}
	for i := range byte(6) {
		value['a'+i], value['A'+i] = 10+i, 10+i
	}
	return value
}()
