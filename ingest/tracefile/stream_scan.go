package tracefile

import (
	"encoding/binary"
	"math/bits"
)

// scanState says how far a scanner came.
type scanState uint8

const (
	scanMore   scanState = iota // the text in memory ends first
	scanDone                    // the value is behind
	scanKey                     // a member of the outermost object was named
	scanBroken                  // this is no JSON
)

// want is what may stand next.
type want uint8

const (
	wantValue want = iota // behind a colon, or behind a comma of an array
	wantKey               // in an object
	wantColon
	wantComma // behind a value, or its closing bracket
)

// maxDepth is how deep values may be nested.
const maxDepth = 512

// A scanner finds the end of one JSON value and looks at nothing but its structure. It
// keeps what it needs between two pieces of text. A comma may stand before a closing
// bracket and strings may hold control characters but for the line feed and NUL, because
// those are how a line that was cut off shows itself.
type scanner struct {
	stack    []byte // open brackets
	want     want
	inString bool
	keys     bool   // stop at the names of members of the outermost object
	last     int    // where the last string begins, in the text of the last run
	key      []byte // the name stopped at, without quotes, escapes as they are
}

func (k *scanner) reset(keys bool) {
	*k = scanner{stack: k.stack[:0], keys: keys}
}

// run goes on from byte i and returns where it stopped: behind the value, behind the
// closing quote of a name, at the byte that breaks the value, or where it wants to go on
// once there is more.
func (k *scanner) run(buf []byte, i int, eof bool) (int, scanState) {
	if k.inString {
		var state scanState
		if i, state = k.str(buf, i); state != scanDone {
			return i, state
		}
		k.inString = false
		if k.want = k.want.afterString(); len(k.stack) == 0 {
			return i, scanDone
		}
	}
	// What is asked for at every byte is at hand here, and with the scanner again afterwards.
	stack, next := k.stack, k.want
	state := scanMore
scan:
	for i < len(buf) {
		c := buf[i]
		switch charClass[c] {
		case isBlank:
			i++
			continue
		case isQuote:
			if next > wantKey {
				state = scanBroken
				break scan
			}
			k.last = i
			end, ended := k.str(buf, i+1)
			if ended == scanBroken {
				i, state = end, ended
				break scan
			}
			naming := next == wantKey && k.keys && len(stack) == 1
			if ended == scanMore {
				if !naming { // a name is handed out whole
					k.inString = true
					i = end
				}
				break scan
			}
			next = next.afterString()
			if naming {
				k.key = buf[i+1 : end-1]
				i, state = end, scanKey
				break scan
			}
			if i = end; len(stack) == 0 {
				state = scanDone
				break scan
			}
		case isOpen:
			if next != wantValue || len(stack) >= maxDepth {
				state = scanBroken
				break scan
			}
			stack = append(stack, c)
			if c == '{' {
				next = wantKey
			}
			i++
		case isClose:
			n := len(stack)
			// '{' and '}' differ by 2, as '[' and ']' do.
			if n == 0 || stack[n-1]+2 != c || next == wantColon || c == '}' && next == wantValue {
				state = scanBroken
				break scan
			}
			stack = stack[:n-1]
			next = wantComma
			if i++; n == 1 {
				state = scanDone
				break scan
			}
		case isComma:
			if next != wantComma {
				state = scanBroken
				break scan
			}
			next = wantValue
			if stack[len(stack)-1] == '{' {
				next = wantKey
			}
			i++
		case isColon:
			if next != wantColon {
				state = scanBroken
				break scan
			}
			next = wantValue
			i++
		case isBare:
			if next != wantValue {
				state = scanBroken
				break scan
			}
			end := i + 1
			for end < len(buf) && charClass[buf[end]] == isBare {
				end++
			}
			if end == len(buf) && !eof {
				break scan
			}
			next = wantComma
			if i = end; len(stack) == 0 {
				state = scanDone
				break scan
			}
		default:
			state = scanBroken
			break scan
		}
	}
	k.stack, k.want = stack, next
	return i, state
}

// afterString returns what may stand behind a string, where w might.
func (w want) afterString() want {
	if w == wantKey {
		return wantColon
	}
	return wantComma
}

// str goes on inside a string and returns where it stopped; scanDone says behind its
// closing quote.
func (k *scanner) str(buf []byte, i int) (int, scanState) {
	for {
		i = special(buf, i)
		if i >= len(buf) {
			return i, scanMore
		}
		switch buf[i] {
		case '"':
			return i + 1, scanDone
		case '\\':
			if i+1 >= len(buf) {
				return i, scanMore
			}
			if buf[i+1] == '\n' {
				return i + 1, scanBroken
			}
			i += 2
		case '\n', 0:
			return i, scanBroken
		default:
			i++
		}
	}
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

// Classes of bytes outside strings.
const (
	isOther uint8 = iota
	isBlank
	isQuote
	isOpen
	isClose
	isComma
	isColon
	isBare // numbers and words, NaN and -Infinity among them
)

var charClass = func() (class [256]uint8) {
	for _, c := range []byte(" \t\r\n") {
		class[c] = isBlank
	}
	for c := '0'; c <= '9'; c++ {
		class[c] = isBare
	}
	for c := 'a'; c <= 'z'; c++ {
		class[c], class[c-'a'+'A'] = isBare, isBare
	}
	for _, c := range []byte("+-._") {
		class[c] = isBare
	}
	class['"'], class[','], class[':'] = isQuote, isComma, isColon
	class['{'], class['['], class['}'], class[']'] = isOpen, isOpen, isClose, isClose
	return class
}()
