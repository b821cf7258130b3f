package otlp

import "encoding/base64"

// readID reads an id of len(id) bytes, 16 for a trace and 8 for a span. OTLP writes
// hex of exactly that length. Beside it are read, and reported as foreign:
//
//   - hex with 0x before it, and shorter hex, which lost or never had its leading zeros
//     (a trace id of 64 bits);
//   - base64 of the bytes, as protobuf's own JSON mapping writes bytes;
//   - base64 of the hex text, as opentelemetry-swift did;
//   - hex of what a base64 decoder makes of the hex text, half as long again.
//
// Base64 without padding may happen to have hex digits alone. It is taken for base64
// when its letters are of both cases, which no writer of hex mixes, and else for hex.
//
// The empty text is the zero id. ok is false when the text is none of these.
func readID(id []byte, text []byte) (foreign, ok bool) {
	if len(text) == 2*len(id) && fillHex(id, text) {
		return false, true
	}
	clear(id)
	if len(text) == 0 {
		return false, true
	}
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && isHex(text[2:]) {
		text = text[2:]
	}
	if isHex(text) && !(len(text) == base64.RawStdEncoding.EncodedLen(len(id)) && mixedCase(text)) {
		return true, readForeignHex(id, text)
	}
	var room [48]byte
	raw, ok := decodeBase64(room[:0], text)
	if !ok {
		return false, false
	}
	switch {
	case len(raw) == 2*len(id) && isHex(raw), len(id) == 16 && len(raw) == 16 && isHex(raw):
		return true, readForeignHex(id, raw)
	case len(raw) == len(id), len(id) == 16 && len(raw) == 8:
		copy(id[len(id)-len(raw):], raw)
		return true, true
	}
	return false, false
}

func readForeignHex(id []byte, text []byte) bool {
	if len(text) == 3*len(id) {
		var raw [24]byte
		fillHex(raw[:len(text)/2], text)
		var hex [32]byte
		base64.StdEncoding.Encode(hex[:2*len(id)], raw[:len(text)/2])
		return fillHex(id, hex[:2*len(id)])
	}
	if len(text) > 2*len(id) {
		return false
	}
	var padded [32]byte
	for i := range padded {
		padded[i] = '0'
	}
	copy(padded[2*len(id)-len(text):], text)
	return fillHex(id, padded[:2*len(id)])
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

func isHex(text []byte) bool {
	for _, c := range text {
		if hexDigit[c] > 15 {
			return false
		}
	}
	return true
}

func mixedCase(hex []byte) bool {
	var upper, lower bool
	for _, c := range hex {
		upper = upper || 'A' <= c && c <= 'F'
		lower = lower || 'a' <= c && c <= 'f'
	}
	return upper && lower
}

// decodeBase64 decodes the standard or the URL alphabet, padded or not.
func decodeBase64(to, text []byte) ([]byte, bool) {
	for len(text) > 0 && text[len(text)-1] == '=' {
		text = text[:len(text)-1]
	}
	for _, enc := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if out, err := enc.AppendDecode(to, text); err == nil {
			return out, true
		}
	}
	return nil, false
}
