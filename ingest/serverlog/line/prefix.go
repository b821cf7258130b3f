package line

import "bytes"

// peel takes the outermost wrapper off l.
func (r *Reader) peel(l *Line) verdict {
	if len(l.Text) > 0 && l.Text[0] == '{' {
		return r.peelEnvelope(l)
	}
	return r.peelPrefix(l)
}

// peelPrefix takes a wrapper off l that stands before the text. It does not change text.
func (r *Reader) peelPrefix(l *Line) verdict {
	t := l.Text
	if len(t) < 4 {
		return bare
	}
	switch c := t[0]; {
	case isDigit(c):
		if v := r.peelStamp(l); v != bare {
			return v
		}
		if v := peelNumber(l); v != bare {
			return v
		}
		return peelCompose(l)
	case c == '[':
		return peelPod(l)
	case c == '<':
		return peelSyslog(l)
	case c >= 'A' && c <= 'Z':
		if v := peelDate(l); v != bare {
			return v
		}
		return peelCompose(l)
	case c >= 'a' && c <= 'z':
		if v := peelCompose(l); v != bare {
			return v
		}
		return r.peelStern(l)
	}
	return bare
}

// peelStamp takes off what begins with a time of RFC 3339: the prefix of a container
// runtime, of a syslog file or journalctl, or the time that kubectl and docker put
// before a line on demand.
func (r *Reader) peelStamp(l *Line) verdict {
	s := parseStamp(l.Text)
	if s.size == 0 || s.size+1 >= len(l.Text) || l.Text[s.size] != ' ' {
		return bare
	}
	rest := l.Text[s.size+1:]
	if v := peelContainer(l, rest, s.ns); v != bare {
		return v
	}
	if host, tag, pid, msg := hostAndTag(rest); pid && len(host) > 0 {
		l.Host, l.Unit, l.Text, l.Time = host, tag, msg, s.ns
		return wrapped
	}
	if !r.isWrapper(s, l.Text, rest) {
		return bare
	}
	l.Text, l.Time = rest, s.ns
	return wrapped
}

// isWrapper reports whether a time before rest was put there by another than the server.
// Servers too begin their lines with such a time, so what follows must begin as a
// record of its own. kubectl and docker write the time of the container runtime,
// with 9 digits, as servers hardly do; once a line has shown them to be a wrapper, all
// such times are.
func (r *Reader) isWrapper(s stamp, text, rest []byte) bool {
	const nineDigits = 16 * 9
	if s.form >= nineDigits && s.form == r.stampForm {
		return true
	}
	if !looksRecord(rest) && (!r.beginsAt(rest) || r.beginsAt(text)) {
		return false
	}
	if s.form >= nineDigits {
		r.stampForm = s.form
	}
	return true
}

// peelContainer takes off the rest of the prefix of a container runtime: the stream and
// the tags, of which the first is P for a part of a record and F for its last part.
func peelContainer(l *Line, rest []byte, ns int64) verdict {
	const stream = len("stdout ")
	if len(rest) < stream+1 || rest[0] != 's' {
		return bare
	}
	var id uint8
	switch string(rest[:stream]) {
	case "stdout ":
		id = Stdout
	case "stderr ":
		id = Stderr
	default:
		return bare
	}
	v := final
	switch rest[stream] {
	case 'P':
		v = partial
	case 'F':
	default:
		return bare
	}
	rest = rest[stream+1:]
	for len(rest) > 0 && (rest[0] == ':' || isNameByte(rest[0])) {
		rest = rest[1:] // further tags
	}
	if len(rest) > 0 {
		if rest[0] != ' ' {
			return bare
		}
		rest = rest[1:]
	}
	l.Text, l.Time, l.Stream = rest, ns, id
	return v
}

// peelPod takes off "[pod/name/container] ", as kubectl logs --prefix writes it.
func peelPod(l *Line) verdict {
	rest, ok := bytes.CutPrefix(l.Text, []byte("[pod/"))
	if !ok {
		return bare
	}
	end := bytes.IndexByte(rest, ']')
	if end <= 0 || end > maxName || end+1 < len(rest) && rest[end+1] != ' ' {
		return bare
	}
	pod, container, _ := bytes.Cut(rest[:end], []byte("/"))
	if !isName(pod) || len(container) > 0 && !isName(container) {
		return bare
	}
	l.Unit, l.Service, l.Text = pod, container, rest[min(end+2, len(rest)):]
	return wrapped
}

// maxName is how long the name of a host, container or program may be, in bytes.
const maxName = 253

// isName reports whether text may be the name of a container, pod or host.
func isName(text []byte) bool {
	if len(text) == 0 || len(text) > maxName {
		return false
	}
	for _, c := range text {
		if !isNameByte(c) {
			return false
		}
	}
	return true
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || isDigit(c) || c == '-' || c == '_' || c == '.' || c >= 'A' && c <= 'Z'
}

// peelCompose takes off "name-1  | ", as docker compose writes it, or "name.1.id@host | "
// of docker service logs. A name has a small letter, so that levels, numbers and
// addresses before a bar are none.
func peelCompose(l *Line) verdict {
	t := l.Text
	at, end, small := -1, 0, false
	for ; end < len(t) && end <= maxName; end++ {
		c := t[end]
		if c == '@' && at < 0 {
			at = end
		} else if !isNameByte(c) {
			break
		}
		small = small || c >= 'a' && c <= 'z'
	}
	i := end
	for i < len(t) && t[i] == ' ' {
		i++
	}
	if !small || i == end || i == len(t) || t[i] != '|' || i+1 < len(t) && t[i+1] != ' ' {
		return bare
	}
	l.Service, l.Text = t[:end], t[min(i+2, len(t)):]
	if at >= 0 {
		l.Service, l.Host = t[:at], t[at+1:end]
	}
	return wrapped
}

// podSuffix are the characters of the random part of a pod's name.
const podSuffix = "bcdfghjklmnpqrstvwxz2456789"

// peelStern takes off "pod container ", as stern writes it, if the first word ends as
// the name of a pod does, in five random characters, and a record follows.
func (r *Reader) peelStern(l *Line) verdict {
	pod, rest, _ := bytes.Cut(l.Text[:min(len(l.Text), 2*maxName)], []byte(" "))
	if len(pod) < 8 || pod[len(pod)-6] != '-' || len(bytes.Trim(pod[len(pod)-5:], podSuffix)) > 0 || !isName(pod) {
		return bare
	}
	container, _, ok := bytes.Cut(rest, []byte(" "))
	if !ok || !isName(container) {
		return bare
	}
	rest = l.Text[len(pod)+len(container)+2:]
	if !r.startsRecord(rest) {
		return bare
	}
	l.Unit, l.Service, l.Text = pod, container, rest
	return wrapped
}
