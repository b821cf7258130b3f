package line

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// peelSyslog takes off the header of a syslog message, of RFC 5424 or RFC 3164.
func peelSyslog(l *Line) verdict {
	t := l.Text
	end := bytes.IndexByte(t[:min(len(t), len("<191>"))], '>')
	if end < 2 || uint(number(t[1:end])) > 191 {
		return bare
	}
	rest := t[end+1:]
	if len(rest) > 2 && rest[0] == '1' && rest[1] == ' ' {
		return peelSyslog5424(l, rest[2:])
	}
	inner := *l
	inner.Text = rest
	if peelDate(&inner) == wrapped {
		*l = inner
		return wrapped
	}
	if s := parseStamp(rest); s.size > 0 && s.size < len(rest) && rest[s.size] == ' ' {
		rest, inner.Time = rest[s.size+1:], s.ns
	}
	host, tag, _, msg := hostAndTag(rest)
	if tag == nil {
		return bare
	}
	named(&inner, host, tag)
	inner.Text = msg
	*l = inner
	return wrapped
}

// named sets what a wrapper names, and leaves what it does not.
func named(l *Line, host, unit []byte) {
	if len(host) > 0 {
		l.Host = host
	}
	if len(unit) > 0 {
		l.Unit = unit
	}
}

// peelSyslog5424 takes off TIMESTAMP HOSTNAME APP-NAME PROCID MSGID STRUCTURED-DATA, and
// the byte order mark of the message. "-" stands for nothing.
func peelSyslog5424(l *Line, rest []byte) verdict {
	var fields [5][]byte
	for i := range fields {
		var ok bool
		if fields[i], rest, ok = bytes.Cut(rest, []byte(" ")); !ok || len(fields[i]) == 0 {
			return bare
		}
		if string(fields[i]) == "-" {
			fields[i] = nil
		}
	}
	s := parseStamp(fields[0])
	if s.size != len(fields[0]) {
		return bare
	}
	if len(rest) > 0 && rest[0] == '-' {
		rest = rest[1:]
	} else {
		for len(rest) > 0 && rest[0] == '[' {
			if rest = structuredEnd(rest); rest == nil {
				return bare
			}
		}
	}
	if len(rest) > 0 && rest[0] != ' ' {
		return bare
	}
	if s.size > 0 {
		l.Time = s.ns
	}
	named(l, fields[1], fields[2])
	l.Text = bytes.TrimPrefix(rest[min(1, len(rest)):], bom)
	return wrapped
}

// structuredEnd returns what stands behind the element of structured data that text
// begins with, or nil if that has no end.
func structuredEnd(text []byte) []byte {
	quoted := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return text[i+1:]
		}
	}
	return nil
}

// months begin the lines of a syslog file, weekdays those of journalctl -o short-full.
const (
	months   = "JanFebMarAprMayJunJulAugSepOctNovDec"
	weekdays = "MonTueWedThuFriSatSun"
)

// peelDate takes off "Aug 20 12:00:00 host unit[pid]: " and its forms: with a fraction,
// with an RFC 3339 date behind the weekday, and without a host, as HAProxy sends it. Only
// a time in UTC with a year is one on the time line; the others are passed over.
func peelDate(l *Line) verdict {
	t := l.Text
	if len(t) < len("Aug 20 12:00:00 u: ") || t[3] != ' ' {
		return bare
	}
	rest, ns := []byte(nil), int64(table.Missing)
	switch {
	case listed(months, t[:3]):
		if t[6] != ' ' || !isDigit(t[5]) || t[4] != ' ' && !isDigit(t[4]) {
			return bare
		}
		rest = clockEnd(t[7:])
	case listed(weekdays, t[:3]):
		// The date is read as RFC 3339, to which it lacks the T and the zone.
		const date = len("2026-08-20 12:00:00")
		if len(t) < 4+date || t[14] != ' ' {
			return bare
		}
		end := clockEnd(t[15:])
		if end == nil {
			return bare
		}
		zone, after, _ := bytes.Cut(end, []byte(" "))
		if len(zone) == 0 || len(zone) > 6 {
			return bare
		}
		if string(zone) == "UTC" {
			ns = utc(t[4 : len(t)-len(end)-1])
		}
		rest = after
	default:
		return bare
	}
	if rest == nil {
		return bare
	}
	host, tag, _, msg := hostAndTag(rest)
	if tag == nil {
		return bare
	}
	named(l, host, tag)
	if l.Text = msg; ns != table.Missing {
		l.Time = ns
	}
	return wrapped
}

// utc reads "2026-08-20 12:00:00", with a fraction or without, as a time in UTC.
func utc(text []byte) int64 {
	var buf [40]byte
	spelt := append(append(buf[:0], text[:min(len(text), 30)]...), 'Z')
	spelt[10] = 'T'
	if s := parseStamp(spelt); s.size == len(spelt) {
		return s.ns
	}
	return table.Missing
}

// listed reports whether word is one of the words of three letters in list.
func listed(list string, word []byte) bool {
	for i := 0; i < len(list); i += 3 {
		if list[i:i+3] == string(word) {
			return true
		}
	}
	return false
}

// clockEnd returns what stands behind "12:00:00 ", which may have a fraction, that text
// begins with, or nil if it does not.
func clockEnd(text []byte) []byte {
	if len(text) < len("12:00:00 ") || text[2] != ':' || text[5] != ':' ||
		number(text[:2]) < 0 || number(text[3:5]) < 0 || number(text[6:8]) < 0 {
		return nil
	}
	i := len("12:00:00")
	if text[i] == '.' {
		for i++; i < len(text) && isDigit(text[i]); i++ {
		}
	}
	if i == len(text) || text[i] != ' ' {
		return nil
	}
	return text[i+1:]
}

// hostAndTag reads "host unit[pid]: " or "unit[pid]: ", the process id being optional, and
// returns what follows. The tag is nil if text begins with neither.
func hostAndTag(text []byte) (host, tag []byte, pid bool, msg []byte) {
	first, rest, ok := bytes.Cut(text, []byte(" "))
	if tag, pid = trimTag(first); tag != nil {
		return nil, tag, pid, rest
	}
	if !ok || !isHost(first) {
		return nil, nil, false, nil
	}
	second, rest, _ := bytes.Cut(rest, []byte(" "))
	if tag, pid = trimTag(second); tag == nil {
		return nil, nil, false, nil
	}
	return first, tag, pid, rest
}

// isHost reports whether text may be a host: a name or an address.
func isHost(text []byte) bool {
	for _, c := range text {
		if !isNameByte(c) && c != ':' {
			return false
		}
	}
	return len(text) > 0 && len(text) <= maxName
}

// trimTag returns the name in "unit[pid]:" or "unit:", or nil if word is neither.
func trimTag(word []byte) (tag []byte, pid bool) {
	if len(word) < 2 || len(word) > maxName || word[len(word)-1] != ':' {
		return nil, false
	}
	tag = word[:len(word)-1]
	if open := bytes.LastIndexByte(tag, '['); open > 0 && tag[len(tag)-1] == ']' && number(tag[open+1:len(tag)-1]) >= 0 && open+2 < len(tag) {
		return tag[:open], true
	}
	if bytes.ContainsAny(tag, "[]\"{}=") {
		return nil, false
	}
	return tag, false
}

// peelNumber takes off "1787227200.123456 host unit[pid]: ", as journalctl -o short-unix
// writes it, and the length before a syslog message that came over TCP.
func peelNumber(l *Line) verdict {
	word, rest, ok := bytes.Cut(l.Text[:min(len(l.Text), 32)], []byte(" "))
	if !ok || len(rest) == 0 {
		return bare
	}
	rest = l.Text[len(word)+1:]
	if rest[0] == '<' && number(word) > 0 {
		inner := *l
		inner.Text = rest
		if peelSyslog(&inner) == wrapped {
			*l = inner
			return wrapped
		}
		return bare
	}
	seconds, fraction, _ := bytes.Cut(word, []byte("."))
	if len(seconds) != 10 || number(seconds) < 0 || len(fraction) == 0 || number(fraction) < 0 {
		return bare
	}
	host, tag, pid, msg := hostAndTag(rest)
	if !pid || len(host) == 0 {
		return bare
	}
	named(l, host, tag)
	l.Text, l.Time = msg, parseDecimal(word, 1)
	return wrapped
}
