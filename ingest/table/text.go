package table

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Files hold text as UTF-8, as Arrow and Parquet ask of their strings. Recorded text
// is bytes of any kind, so a byte that is not part of valid UTF-8 is written as
// U+FFFD, an x and its two hexadecimal digits, which readers of the file see as
// "caf\uFFFDxE9", and read back as the byte. Text that happens to hold that very
// spelling has its own U+FFFD spelled so. Valid text is written as it is.

const byteEscape = "\uFFFDx"

// needsEscape says whether text differs from its spelling in a file.
func needsEscape(text string) bool {
	return !utf8.ValidString(text) || strings.Contains(text, byteEscape)
}

// escapeText returns the spelling of text in a file. Different texts have different
// spellings.
func escapeText(text string) string {
	if !needsEscape(text) {
		return text
	}
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && (n == 1 || escapeAt(text[i:])) {
			for k := range n {
				out.WriteString(byteEscape)
				out.WriteByte(hex[text[i+k]>>4])
				out.WriteByte(hex[text[i+k]&15])
			}
		} else {
			out.WriteString(text[i : i+n])
		}
		i += n
	}
	return out.String()
}

// unescapeText returns the text that a file spells so.
func unescapeText(spelled string) string {
	at := strings.Index(spelled, byteEscape)
	if at < 0 {
		return spelled
	}
	out := make([]byte, 0, len(spelled))
	for ; at >= 0; at = strings.Index(spelled, byteEscape) {
		out = append(out, spelled[:at]...)
		spelled = spelled[at:]
		if !escapeAt(spelled) {
			out = append(out, byteEscape...)
			spelled = spelled[len(byteEscape):]
			continue
		}
		digits := spelled[len(byteEscape):]
		out = append(out, hexDigit(digits[0])<<4|hexDigit(digits[1]))
		spelled = digits[2:]
	}
	return string(append(out, spelled...))
}

// escapeAt says whether text begins with the spelling of a byte.
func escapeAt(text string) bool {
	return strings.HasPrefix(text, byteEscape) && len(text) >= len(byteEscape)+2 &&
		hexDigit(text[len(byteEscape)]) < 16 && hexDigit(text[len(byteEscape)+1]) < 16
}

// hexDigit returns the value of an upper-case hexadecimal digit, or 16.
func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 16
}

// spellValue returns the text of a textual attribute value as files hold it. Bytes
// are base64, as in OTLP JSON.
func spellValue(typ ValueType, text []byte) string {
	if typ == ValueBytes {
		return base64.StdEncoding.EncodeToString(text)
	}
	return escapeText(stringOf(text))
}

// appendValue appends to arena the text of a value that a file spells so.
func appendValue(arena []byte, typ ValueType, spelled string) ([]byte, error) {
	if typ != ValueBytes {
		return append(arena, unescapeText(spelled)...), nil
	}
	arena, err := base64.StdEncoding.Strict().AppendDecode(arena, bytesOf(spelled))
	if err != nil {
		return arena, fmt.Errorf("bytes value is not base64: %w", err)
	}
	return arena, nil
}

// stringOf borrows b as a string; b must not change while the string is in use.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf borrows the bytes of s, which must not be changed. It is never nil, which
// Parquet statistics would take for absence.
func bytesOf(s string) []byte {
	if s == "" {
		return []byte{}
	}
	return unsafe.Slice(unsafe.StringData(s), len(s))
}
