package serverlog

import "bytes"

// appendTraceID appends a trace id in the form of W3C, 32 lower-case hexadecimal digits,
// or nothing if text is none. It is read from such an id itself, with dashes as in a UUID
// or with 64 bits, from a traceparent, from a B3 header, and from the Root of X-Ray.
func appendTraceID(dst, text []byte) []byte {
	n := len(dst)
	if id := plainTraceID(text); id != nil {
		if dst = appendHex(dst, id); len(dst) > n && !zeros(dst[n:]) {
			return dst
		}
		dst = dst[:n]
	}
	text = bytes.TrimSpace(text)
	if i := bytes.Index(text, []byte("Root=")); i >= 0 {
		text = text[i+len("Root="):]
		if end := bytes.IndexByte(text, ';'); end >= 0 {
			text = text[:end]
		}
	}
	switch parts := bytes.SplitN(text, []byte("-"), 6); {
	case len(parts) == 1:
		dst = appendHex(dst, text)
	case len(parts) == 4 && len(parts[0]) == 2 && len(parts[1]) == 32, // traceparent
		len(parts) == 3 && len(parts[1]) == 8 && len(parts[2]) == 24, // Root
		len(parts) == 5 && len(parts[0]) == 8 && len(parts[4]) == 12: // UUID
		if len(parts) == 4 {
			dst = appendHex(dst, parts[1])
			break
		}
		if len(parts) == 3 {
			parts = parts[1:]
		}
		for _, p := range parts {
			dst = appendHex(dst, p)
		}
	case len(parts) >= 2 && (len(parts[0]) == 32 || len(parts[0]) == 16) && len(parts[1]) == 16: // B3
		dst = appendHex(dst, parts[0])
	}
	id := dst[n:]
	if len(id) == 16 {
		dst = append(dst, id...) // the digits stand in the last half already
		copy(dst[n:], "0000000000000000")
	}
	id = dst[n:]
	if len(id) != 32 || zeros(id) {
		return dst[:n]
	}
	return dst
}

// appendParentID appends the span id of the caller, which a traceparent or a B3 header
// gives beside the trace id, or nothing if text is neither.
func appendParentID(dst, text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) < 33 {
		return dst
	}
	parts := bytes.SplitN(text, []byte("-"), 5)
	switch {
	case len(parts) == 4 && len(parts[0]) == 2 && len(parts[1]) == 32: // traceparent
		return appendSpanID(dst, parts[2])
	case len(parts) >= 2 && (len(parts[0]) == 32 || len(parts[0]) == 16) && len(parts[1]) == 16: // B3
		return appendSpanID(dst, parts[1])
	}
	return dst
}

// plainTraceID returns the digits in a text that is as long as a trace id or a
// traceparent, as most are; nil if it is neither.
func plainTraceID(text []byte) []byte {
	switch {
	case len(text) == 32:
		return text
	case len(text) == 55 && text[2] == '-' && text[35] == '-' && text[52] == '-' && bytes.Count(text, []byte("-")) == 3:
		return text[3:35]
	}
	return nil
}

// zeros reports whether an id is empty.
func zeros(id []byte) bool {
	for _, c := range id {
		if c != '0' {
			return false
		}
	}
	return true
}

// appendHex appends hexadecimal digits in lower case, or nothing if text has others.
func appendHex(dst, text []byte) []byte {
	n := len(dst)
	dst = append(dst, text...)
	for i, c := range dst[n:] {
		switch {
		case c-'0' <= 9 || c-'a' < 6:
		case c-'A' < 6:
			dst[n+i] = c | 0x20
		default:
			return dst[:n]
		}
	}
	return dst
}

// appendSpanID appends a span id, 16 lower-case hexadecimal digits, or nothing.
func appendSpanID(dst, text []byte) []byte {
	n := len(dst)
	dst = appendHex(dst, bytes.TrimSpace(text))
	if id := dst[n:]; len(id) != 16 || zeros(id) {
		return dst[:n]
	}
	return dst
}
