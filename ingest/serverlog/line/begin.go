package line

import "bytes"

// startsRecord reports whether text begins as a record does.
func (r *Reader) startsRecord(text []byte) bool {
	return looksRecord(text) || r.beginsAt(text)
}

// looksRecord reports whether text begins in a way that records of servers do and that
// is no part of a record behind a time: with a time of its own, or with a level or a
// name in a form that comes before one.
func looksRecord(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	switch c := text[0]; {
	case c == '{':
		return looksObject(text)
	case c == '[':
		return isDigit(text[1]) || bytes.HasPrefix(text, []byte("[GIN]")) || bytes.HasPrefix(text, []byte("[pod/"))
	case c == '(':
		return bytes.Contains(text[:min(len(text), 80)], []byte(" pid="))
	case isDigit(c):
		return looksDate(text) || looksAccess(text)
	case c >= 'A' && c <= 'Z':
		return looksKlog(text) || looksLevel(text)
	case c >= 'a' && c <= 'z':
		for _, start := range []string{"time=", "ts=", "level=", "slot ", "srv "} {
			if len(text) > len(start) && string(text[:len(start)]) == start {
				return true
			}
		}
	}
	return looksAccess(text)
}

// looksDate reports whether text begins with a date, as 2026-08-20 or 2026/08/20.
func looksDate(text []byte) bool {
	return len(text) >= 10 && (text[4] == '-' || text[4] == '/') && text[7] == text[4] &&
		number(text[:4]) >= 0 && number(text[5:7]) >= 0 && number(text[8:10]) >= 0
}

// looksAccess reports whether text has the time of an access log, [20/Aug/2026:12:, soon.
func looksAccess(text []byte) bool {
	head := text[:min(len(text), 256)]
	for {
		i := bytes.IndexByte(head, '[')
		if i < 0 || len(head) < i+13 {
			return false
		}
		head = head[i+1:]
		if head[2] == '/' && head[6] == '/' && head[11] == ':' && isDigit(head[0]) && isDigit(head[1]) && listed(months, head[3:6]) {
			return true
		}
	}
}

// looksKlog reports whether text begins as I0820 12: does, with a letter for the level.
func looksKlog(text []byte) bool {
	return len(text) >= 8 && bytes.IndexByte([]byte("IWEFD"), text[0]) >= 0 && number(text[1:5]) >= 0 && text[5] == ' ' && number(text[6:8]) >= 0
}

// looksLevel reports whether text begins with a level and a colon, or a level and a
// date or time.
func looksLevel(text []byte) bool {
	n := 0
	for n < len(text) && n < 10 && text[n] >= 'A' && text[n] <= 'Z' {
		n++
	}
	switch string(text[:n]) {
	case "TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL":
	default:
		return false
	}
	rest := text[n:]
	if len(rest) > 1 && rest[0] == ':' {
		return rest[1] == ' '
	}
	if len(rest) == 0 || rest[0] != ' ' {
		return false
	}
	rest = bytes.TrimLeft(rest, " ")
	return looksDate(rest) || len(rest) >= 5 && (rest[2] == '-' || rest[2] == ':') && number(rest[:2]) >= 0 && number(rest[3:5]) >= 0
}
