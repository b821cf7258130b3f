package line

import (
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// bom is the byte order mark in UTF-8. It may stand before any line, because files
// are put behind each other.
var bom = []byte("\xef\xbb\xbf")

// headSize is how much of an input tells its encoding, in bytes.
const headSize = 4 << 10

// encoding is how the characters of an input are written.
type encoding uint8

const (
	utf8Text encoding = iota
	utf16Little
	utf16Big
)

// sniffEncoding tells UTF-16 by its byte order mark, or, without one, by every other
// byte being NUL: in seven of ten pairs on the one side, and in one of ten at most on the other.
func sniffEncoding(head []byte) encoding {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return utf16Little
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return utf16Big
	}
	var pairs, first, second int // NUL is the first or the second byte of the pair
	for i := 0; i+1 < len(head); i += 2 {
		switch a, b := head[i] == 0, head[i+1] == 0; {
		case a && b:
			continue // a run of NUL bytes tells nothing
		case a:
			first++
		case b:
			second++
		}
		pairs++
	}
	const few = 10
	switch {
	case pairs < 2:
		return utf8Text
	case 10*second >= 7*pairs && few*first <= pairs:
		return utf16Little
	case 10*first >= 7*pairs && few*second <= pairs:
		return utf16Big
	}
	return utf8Text
}

// lastNewline returns the end of the last newline in head, or 0.
func (e encoding) lastNewline(head []byte) int {
	if e == utf8Text {
		return bytes.LastIndexByte(head, '\n') + 1
	}
	lo, hi := 0, 1
	if e == utf16Big {
		lo, hi = 1, 0
	}
	for i := len(head)&^1 - 2; i >= 0; i -= 2 {
		if head[i+lo] == '\n' && head[i+hi] == 0 {
			return i + 2
		}
	}
	return 0
}

// units returns how many 16-bit units the characters of text take in UTF-16. Text
// that was made by a utf16Reader, cut anywhere, adds up to what was read.
func units(text []byte) int64 {
	var n int64
	for _, b := range text {
		switch {
		case b >= 0xf0:
			n += 2
		case b < 0x80 || b >= 0xc0:
			n++
		}
	}
	return n
}

// utf16Reader reads UTF-16 as UTF-8. Half a surrogate pair, and an odd byte at the
// end, come out as U+FFFD.
type utf16Reader struct {
	src   io.Reader
	big   bool
	raw   []byte // read, not yet turned
	out   []byte // turned, not yet given out
	space []byte // the memory of out
	odd   bool   // the input ends with half a unit
	ended bool
	err   error // why it ended, nil at its end
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.ended && len(u.raw) == 0 {
			if u.err != nil {
				return 0, u.err
			}
			return 0, io.EOF
		}
		u.turn()
		if len(u.out) > 0 || u.ended {
			continue
		}
		n := len(u.raw)
		u.raw = append(u.raw, make([]byte, 32<<10)...)
		m, err := u.src.Read(u.raw[n:])
		u.raw = u.raw[:n+m]
		if err != nil {
			u.ended = true
			if err != io.EOF {
				u.err = err
			}
		}
		if m == 0 && err == nil {
			return 0, nil
		}
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// turn turns what is read into UTF-8, but for a unit or pair that is not complete.
func (u *utf16Reader) turn() {
	out, i := u.space[:0], 0
	for i+1 < len(u.raw) {
		c := u.unit(i)
		step := 2
		if utf16.IsSurrogate(c) {
			if c < 0xdc00 && i+3 >= len(u.raw) && !u.ended {
				break
			}
			if c < 0xdc00 && i+3 < len(u.raw) && u.unit(i+2)&^0x3ff == 0xdc00 {
				c, step = utf16.DecodeRune(c, u.unit(i+2)), 4
			} else {
				c = utf8.RuneError
			}
		}
		out = utf8.AppendRune(out, c)
		i += step
	}
	if u.ended && i < len(u.raw) {
		out, i, u.odd = utf8.AppendRune(out, utf8.RuneError), len(u.raw), true
	}
	u.space, u.out = out, out
	u.raw = u.raw[:copy(u.raw, u.raw[i:])]
}

func (u *utf16Reader) unit(i int) rune {
	if u.big {
		return rune(u.raw[i])<<8 | rune(u.raw[i+1])
	}
	return rune(u.raw[i+1])<<8 | rune(u.raw[i])
}
