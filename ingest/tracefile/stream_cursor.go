package tracefile

import (
	"unicode/utf16"
	"unicode/utf8"
)

// A cursor reads the values of an element in one pass. The scanner has seen to the
// structure of the element, so a comma or a colon is no more than a blank here. What it
// returns is good as long as the element is, and until the next reset.
type cursor struct {
	buf   []byte
	pos   int
	arena []byte // strings whose escapes had to be resolved
}

func (c *cursor) reset(raw []byte) { c.buf, c.pos, c.arena = raw, 0, c.arena[:0] }

// peek passes over blanks, commas and colons and returns the byte behind them.
func (c *cursor) peek() byte {
	for ; c.pos < len(c.buf); c.pos++ {
		switch charClass[c.buf[c.pos]] {
		case isBlank, isComma, isColon:
		default:
			return c.buf[c.pos]
		}
	}
	return 0
}

// enter takes an opening bracket. It passes over any other value and returns false.
func (c *cursor) enter(bracket byte) bool {
	if c.peek() == bracket {
		c.pos++
		return true
	}
	c.skip()
	return false
}

// member takes the name of the next member; ok is false behind the last one.
func (c *cursor) member() (name []byte, ok bool) {
	if c.peek() != '"' {
		c.pos = min(c.pos+1, len(c.buf))
		return nil, false
	}
	return c.str(), true
}

// item moves to the next value of an array; it returns false behind the last one.
func (c *cursor) item() bool {
	if b := c.peek(); b != ']' && b != 0 {
		return true
	}
	c.pos = min(c.pos+1, len(c.buf))
	return false
}

// str takes a string, of which the byte at pos is the opening quote.
func (c *cursor) str() []byte {
	from := c.pos + 1
	i := special(c.buf, from)
	if i < len(c.buf) && c.buf[i] == '"' {
		c.pos = i + 1
		return c.buf[from:i:i]
	}
	return c.escaped(from, i)
}

// escaped is str for a string with escapes or control characters, from byte i on. An
// escape that is none stands for itself.
func (c *cursor) escaped(from, i int) []byte {
	mark := len(c.arena)
	for ; i < len(c.buf) && c.buf[i] != '"'; i = special(c.buf, i) {
		if c.buf[i] != '\\' {
			i++
			continue
		}
		c.arena = append(c.arena, c.buf[from:i]...)
		i += c.escape(i)
		from = i
	}
	i = min(i, len(c.buf))
	c.arena = append(c.arena, c.buf[min(from, i):i]...)
	c.pos = min(i+1, len(c.buf))
	return c.arena[mark:len(c.arena):len(c.arena)]
}

// escape resolves the escape at byte i into arena and returns its length.
func (c *cursor) escape(i int) int {
	if i+1 >= len(c.buf) {
		return 1
	}
	if plain := escapes[c.buf[i+1]]; plain != 0 {
		c.arena = append(c.arena, plain)
		return 2
	}
	r := c.hex4(i)
	if r < 0 {
		c.arena = append(c.arena, c.buf[i:i+2]...)
		return 2
	}
	if !utf16.IsSurrogate(r) {
		c.arena = utf8.AppendRune(c.arena, r)
		return 6
	}
	if both := utf16.DecodeRune(r, c.hex4(i+6)); both != utf8.RuneError {
		c.arena = utf8.AppendRune(c.arena, both)
		return 12
	}
	c.arena = utf8.AppendRune(c.arena, utf8.RuneError)
	return 6
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hex4 returns the four hex digits of an escape \u at byte i, -1 if there is none.
func (c *cursor) hex4(i int) rune {
	if i+6 > len(c.buf) || c.buf[i] != '\\' || c.buf[i+1] != 'u' {
		return -1
	}
	var r rune
	for _, b := range c.buf[i+2 : i+6] {
		d := hexDigit[b]
		if d > 15 {
			return -1
		}
		r = r<<4 | rune(d)
	}
	return r
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

// bare takes a number or a word.
func (c *cursor) bare() []byte {
	from := c.pos
	for c.pos < len(c.buf) && charClass[c.buf[c.pos]] == isBare {
		c.pos++
	}
	if c.pos == from { // no scanner lets this through
		c.pos = min(c.pos+1, len(c.buf))
	}
	return c.buf[from:c.pos]
}

// scalar takes a string, number or word as text; quoted tells a string. Of an object or
// array it takes the JSON text, with ok false. null is nil.
func (c *cursor) scalar() (text []byte, quoted, ok bool) {
	switch c.peek() {
	case '"':
		return c.str(), true, true
	case '{', '[':
		return c.skip(), false, false
	}
	if text = c.bare(); string(text) == "null" {
		return nil, false, true
	}
	return text, false, true
}

// skip passes over a value and returns its JSON text.
func (c *cursor) skip() []byte {
	c.peek()
	from, depth := c.pos, 0
	for c.pos < len(c.buf) {
		switch charClass[c.buf[c.pos]] {
		case isQuote:
			c.pass()
		case isOpen:
			depth++
			c.pos++
		case isClose:
			if depth == 0 {
				return c.buf[from:c.pos]
			}
			depth--
			c.pos++
		case isBare:
			c.bare()
		default:
			c.pos++
			continue
		}
		if depth == 0 {
			return c.buf[from:c.pos]
		}
	}
	return c.buf[from:c.pos]
}

// pass passes over a string without resolving its escapes.
func (c *cursor) pass() {
	i := special(c.buf, c.pos+1)
	for i < len(c.buf) && c.buf[i] != '"' {
		if c.buf[i] == '\\' {
			i++
		}
		i = special(c.buf, min(i+1, len(c.buf)))
	}
	c.pos = min(i+1, len(c.buf))
}
