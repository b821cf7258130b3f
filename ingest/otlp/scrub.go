package otlp

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/discretion"
	"github.com/tailpath/tailpath/ingest/table"
)

// canonical walks over the text that canon.go writes, which has no blanks and one order
// of members.
type canonical struct {
	text []byte
	at   int
	bad  bool // the text is not of that form
}

// take takes a piece of text if it is next.
func (c *canonical) take(piece string) bool {
	if !bytes.HasPrefix(c.text[c.at:], []byte(piece)) {
		return false
	}
	c.at += len(piece)
	return true
}

func (c *canonical) must(piece string) {
	c.bad = c.bad || !c.take(piece)
}

// str takes a string and returns it between its quotes.
func (c *canonical) str() []byte {
	if c.must(`"`); c.bad {
		return nil
	}
	start := c.at
	for ; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case '\\':
			c.at++
		case '"':
			c.at++
			return c.text[start : c.at-1]
		}
	}
	c.bad = true
	return nil
}

// skip passes over an object.
func (c *canonical) skip() {
	depth := 0
	for c.at < len(c.text) && !c.bad {
		switch c.text[c.at] {
		case '"':
			c.str()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if c.at++; depth <= 0 {
			return
		}
	}
	c.bad = true
}

// unescape resolves the escapes of a string that appendString wrote.
func unescape(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	p := parser{window: window{buf: append(append([]byte{'"'}, text...), '"'), eof: true}}
	plain, ok := p.str()
	if !ok {
		return text
	}
	return plain
}

// textUnder returns the string under the first of the keys that a key-value list has
// one under.
func textUnder(list table.Value, keys ...string) ([]byte, bool) {
	best, found := len(keys), []byte(nil)
	c := canonical{text: list.Text}
	c.must(`{"values":[`)
	for !c.bad && c.take(`{"key":`) {
		key := unescape(c.str())
		c.must(`,"value":`)
		from := c.at
		if c.take(`{"stringValue":`) {
			text := c.str()
			for i, k := range keys[:best] {
				if string(key) == k {
					best, found = i, text
				}
			}
		}
		c.at = from
		c.skip()
		c.must(`}`)
		c.take(`,`)
	}
	return unescape(found), best < len(keys) && !c.bad
}

// scrubber copies an array or list without the values of keys that hold text.
type scrubber struct {
	canonical
	l   *withholder
	out []byte
}

// copied takes a piece of text that must be next and copies it.
func (s *scrubber) copied(piece string) {
	s.must(piece)
	s.out = append(s.out, piece...)
}

// list copies the list that stands under path, whose keys are separated by NUL.
func (s *scrubber) list(path string, keyed bool) {
	s.copied(`{"values":[`)
	for first := true; !s.bad && !s.take(`]`); first = false {
		if !first {
			s.copied(`,`)
		}
		if !keyed {
			s.value(path, false)
			continue
		}
		s.must(`{"key":`)
		key := s.str()
		s.must(`,"value":`)
		s.out = append(append(append(s.out, `{"key":"`...), key...), `","value":`...)
		under := path + "\x00" + string(unescape(key))
		s.value(under, s.l.isSecret(under))
		s.copied(`}`)
	}
	s.out = append(s.out, `]}`...)
	s.must(`}`)
}

// value copies the value that stands under path, or a note in its place.
func (s *scrubber) value(path string, secret bool) {
	from := s.at
	switch {
	case s.take(`{"arrayValue":`):
		if !secret {
			s.out = append(s.out, `{"arrayValue":`...)
			s.list(path, false)
			s.copied(`}`)
			return
		}
	case s.take(`{"kvlistValue":`):
		if !secret {
			s.out = append(s.out, `{"kvlistValue":`...)
			s.list(path, true)
			s.copied(`}`)
			return
		}
	case s.take(`{"stringValue":`):
		text := unescape(s.str())
		if secret = secret || mayQuote(text) && discretion.Quotes(text, s.l.isSecret); secret && len(text) > 0 {
			s.leave(path, len(text))
			s.must(`}`)
			return
		}
		s.must(`}`)
		s.out = append(s.out, s.text[from:s.at]...)
		return
	case secret && bytes.HasPrefix(s.text[s.at:], []byte(`{"bytesValue":`)):
	default:
		s.skip()
		s.out = append(s.out, s.text[from:s.at]...)
		return
	}
	s.at = from
	s.skip()
	s.leave(path, s.at-from)
}

func (s *scrubber) leave(path string, n int) {
	s.l.note(string(bytes.ReplaceAll([]byte(path), []byte{0}, []byte{'.'})))
	s.out = append(discretion.LeftOut(append(s.out, `{"stringValue":"`...), n), `"}`...)
}
