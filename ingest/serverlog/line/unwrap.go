package line

import "bytes"

// maxDepth is how many wrappers are taken off one another.
const maxDepth = 4

// verdict is what a wrapper says of the text in it.
type verdict uint8

const (
	bare    verdict = iota // there is no wrapper
	wrapped                // there was one
	partial                // there was one, and more of the record is to come
	final                  // there was one, around a whole record or its last part
	docker                 // there was one of Docker's, around a text that ends with a newline if it ends
)

// state is what is known of a text that is being unwrapped.
type state struct {
	dirty bool // it may hold escape sequences or NUL bytes
	hasCR bool // it may hold carriage returns
	joins bool // it may be a part of a record
}

// unwrap takes the wrappers off l and gives out what is in them.
func (r *Reader) unwrap(l *Line, depth int, s state) {
	for depth > 0 {
		at, object := l.Line, looksObject(l.Text)
		v := r.peel(l)
		if v == bare {
			if !s.dirty {
				break
			}
			// The wrapper may stand behind the colour of a container's name.
			l.Text, s.dirty = clean(l.Text), false
			continue
		}
		depth--
		r.stats.Wrapped++
		newline := object && bytes.HasSuffix(l.Text, newlineText)
		if object {
			// JSON hides what a terminal or a line would end with.
			s.dirty, s.hasCR = true, true
			l.Text = bytes.TrimSuffix(l.Text, newlineText)
		}
		switch v {
		case partial, final:
			if s.joins && !r.join(l, v == partial, false) {
				return
			}
		case docker:
			if s.joins && !r.joinDocker(l, newline) {
				return
			}
		}
		if l.Line != at {
			s.dirty, s.hasCR = true, true // parts before may have what this line has not
		}
		if object && bytes.IndexByte(l.Text, '\n') >= 0 {
			r.lines(l, depth, s)
			return
		}
	}
	if s.dirty {
		l.Text = clean(l.Text)
	}
	if s.hasCR && bytes.IndexByte(l.Text, '\r') >= 0 {
		r.repaint(l, depth)
		return
	}
	r.split(l)
}

var newlineText = []byte("\n")

// lines gives out a text of several lines.
func (r *Reader) lines(l *Line, depth int, s state) {
	s.joins = false
	whole := *l
	for rest, more := l.Text, true; more; {
		*l = whole
		l.Text, rest, more = bytes.Cut(rest, newlineText)
		r.unwrap(l, depth, s)
	}
}

// repaint gives out what is seen of a text after its carriage returns: what stands
// behind the last one that has text behind it. Records before it are given out too,
// because they were not drawn by the progress bar that overwrites them.
func (r *Reader) repaint(l *Line, depth int) {
	text := bytes.TrimRight(l.Text, "\r")
	for {
		i := bytes.LastIndexByte(text, '\r')
		if i < 0 || !blank(text[i+1:]) {
			break
		}
		text = bytes.TrimRight(text[:i], "\r")
	}
	if len(text) == 0 {
		r.push(l, text)
	}
	whole := *l
	for len(text) > 0 {
		segment, rest, more := bytes.Cut(text, []byte("\r"))
		from := 0
		if more && !blank(segment) {
			if from = -1; r.opt.Begins != nil {
				from, _ = r.begins(segment, 0)
			}
		}
		switch {
		case from < 0:
			r.stats.Overwritten++
		case !more || !blank(segment):
			*l = whole
			l.Text = segment[from:]
			r.unwrap(l, depth, state{})
		}
		text = rest
	}
}

// split gives out the records of a text one by one.
func (r *Reader) split(l *Line) {
	text := l.Text
	for {
		end := r.recordEnd(text)
		if end == len(text) {
			r.push(l, text)
			return
		}
		if !blank(text[:end]) {
			r.push(l, text[:end])
		}
		text = text[end:]
		if next := bytes.TrimLeft(text, " \t"); looksObject(next) {
			text = next
		}
	}
}

// recordEnd returns where the record that begins with text ends: at its end, at the
// beginning of the next one, or, if it begins with a JSON object, behind that.
func (r *Reader) recordEnd(text []byte) int {
	if looksObject(text) {
		if r.opt.Begins == nil && text[len(text)-1] == '}' && !bytes.Contains(text, []byte("}{")) {
			return len(text)
		}
		end := skipValue(text, 0)
		if end < 0 {
			return len(text)
		}
		if looksObject(bytes.TrimLeft(text[end:], " \t")) {
			return end
		}
		return r.nextRecord(text, end)
	}
	return r.nextRecord(text, 0)
}

// nextRecord returns the first place behind the beginning of text, and not before
// from, at which a record begins, or the end of text.
func (r *Reader) nextRecord(text []byte, from int) int {
	if r.opt.Begins == nil {
		return len(text)
	}
	at, end := r.begins(text, from)
	if at == 0 {
		at, _ = r.begins(text, end)
	}
	if at < 0 {
		return len(text)
	}
	return at
}

// begins calls Begins and holds it to its promise.
func (r *Reader) begins(text []byte, from int) (at, end int) {
	if from >= len(text) {
		return -1, -1
	}
	if at, end = r.opt.Begins(text, from); at < from || end <= at || end > len(text) {
		return -1, -1
	}
	return at, end
}

// beginsAt reports whether a record begins at the beginning of text.
func (r *Reader) beginsAt(text []byte) bool {
	if r.opt.Begins == nil {
		return false
	}
	at, _ := r.begins(text, 0)
	return at == 0
}

// blank reports whether text shows nothing.
func blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
