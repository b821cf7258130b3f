package ingest

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// utf16Order tells from the first bytes of a stream whether it is text in UTF-16, and
// in which order: by its byte order mark, or by every second byte being NUL, as of
// ASCII, with hardly any other.
func utf16Order(head []byte) (order unicode.Endianness, is bool) {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return unicode.LittleEndian, true
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return unicode.BigEndian, true
	}
	head = head[:min(len(head), 256)&^1]
	var at [2]int // NULs at even and odd offsets
	for i, c := range head {
		if c == 0 {
			at[i&1]++
		}
	}
	half := len(head) / 2
	switch {
	case half < 4:
		return unicode.BigEndian, false
	case at[1] > half*4/5 && at[0] <= half/20:
		return unicode.LittleEndian, true
	case at[0] > half*4/5 && at[1] <= half/20:
		return unicode.BigEndian, true
	}
	return unicode.BigEndian, false
}

// fromUTF16 turns UTF-16 into UTF-8; what is no character becomes U+FFFD. Lines stay
// lines, and offsets are those of the UTF-8.
func fromUTF16(r io.Reader, order unicode.Endianness) io.Reader {
	return unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(r)
}
