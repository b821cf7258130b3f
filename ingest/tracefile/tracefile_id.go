package tracefile

import (
	"encoding/base64"
	"hash/fnv"
)

// readID reads an id of len(id) bytes, 16 for a trace and 8 for a span, in hex. A trace
// id may have 64 bits as well. What is not hex of full length is foreign:
//
//   - hex without its leading zeros, or with 0x;
//   - a span id of 128 bits, of which the low 64 are kept;
//   - padded base64 of the bytes, as protobuf's JSON writes them;
//   - any other text, of which the id is a hash, so that equal texts are equal ids.
//
// ok is false when the text is empty.
func readID(id []byte, text []byte) (foreign, ok bool) {
	if len(text) == 2*len(id) && fillHex(id, text) {
		return false, true
	}
	clear(id)
	if len(text) == 0 {
		return false, false
	}
	if len(id) == 16 && len(text) == 16 && fillHex(id[8:], text) {
		return false, true
	}
	clear(id)
	hex := text
	if len(hex) > 2 && hex[0] == '0' && hex[1]|0x20 == 'x' {
		hex = hex[2:]
	}
	if n := len(hex); n <= 2*len(id) {
		var padded [32]byte
		for i := range padded {
			padded[i] = '0'
		}
		copy(padded[2*len(id)-n:], hex)
		if fillHex(id, padded[:2*len(id)]) {
			return true, true
		}
	}
	if len(hex) == 32 && len(id) == 8 {
		var wide [16]byte
		if fillHex(wide[:], hex) {
			copy(id, wide[8:])
			return true, true
		}
	}
	if text[len(text)-1] == '=' {
		var room [32]byte
		raw, err := base64.StdEncoding.AppendDecode(room[:0], text[:min(len(text), 32)])
		if err == nil && (len(raw) == len(id) || len(raw) == 8) {
			copy(id[len(id)-len(raw):], raw)
			return true, true
		}
	}
	clear(id)
	h := fnv.New128a()
	h.Write(text)
	var sum [16]byte
	copy(id, h.Sum(sum[:0]))
	return true, true
}

// fillHex decodes 2*len(id) hex digits of any case into id.
func fillHex(id []byte, text []byte) bool {
	var wrong byte
	for i := range id {
		hi, lo := hexDigit[text[2*i]], hexDigit[text[2*i+1]]
		wrong |= hi | lo
		id[i] = hi<<4 | lo&15
	}
	return wrong < 16
}
