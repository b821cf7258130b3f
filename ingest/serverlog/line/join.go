package line

import (
	"bytes"
)

// unended is a record whose last part was not met yet.
type unended struct {
	gather
	at     Line   // its first part; Text is empty
	names  []byte // the memory of the names in at
	docker bool
	parts  []part // of a Docker record, which may be several records
	mixed  bool   // parts no longer says where they end, because text was compacted
}

// part is where a part of a record ends in the text, and where it stands.
type part struct {
	end  int
	at   Line // Line, Offset and Time alone
	long bool // as long as Docker lets a part be
}

// maxUnended is how many records may be without their last part at once. Beyond it
// the oldest is given out as it is.
const maxUnended = 64

// dockerPart is the length at which Docker cuts a record, in bytes.
const dockerPart = 16 << 10

// maxBareParts is how many short Docker records without a newline may come before one
// with a newline, until it is plain that there will be none.
const maxBareParts = 8

// join adds a part to the record it belongs to: that of the same stream of the same
// container. If it is the last one, l becomes the whole record and join returns true.
func (r *Reader) join(l *Line, more, docker bool) bool {
	i := r.find(l, docker)
	switch {
	case i < 0 && !more:
		return true
	case i < 0:
		r.extend(r.open(l, docker), l)
		return false
	}
	r.extend(r.joint[i], l)
	if !more {
		r.takeOut(i, l)
	}
	return !more
}

// joinDocker is join for a record of Docker's own file, which ends where a newline is.
// Docker leaves it out behind parts of 16 KiB and at the end of a container; tools that
// copy the file may leave it out everywhere, which shows after a few records.
func (r *Reader) joinDocker(l *Line, newline bool) bool {
	long := len(l.Text) >= dockerPart
	r.dockerEnds = r.dockerEnds || newline
	if i := r.find(l, true); i >= 0 && !r.joint[i].last().long && r.startsRecord(l.Text) {
		r.flush(i) // the container ended, and was started again
	}
	if r.join(l, !newline && (long || !r.dockerBare), true) {
		return true
	}
	if u := r.joint[r.find(l, true)]; !r.dockerEnds && len(u.parts) == maxBareParts && u.bare() {
		r.dockerBare = true
		for i := 0; i < len(r.joint); {
			if !r.joint[i].bare() {
				i++
				continue
			}
			r.flush(i)
		}
	}
	return false
}

// recycle frees the records that were given out, and gives out the oldest of those
// that wait for their last part as long as they hold more bytes than a record may.
func (r *Reader) recycle() {
	for _, u := range r.spent {
		u.reset()
	}
	r.idle = append(r.idle, r.spent...)
	r.spent = r.spent[:0]
	for r.held > r.opt.MaxWhole {
		r.flush(0)
	}
}

// open begins a record with its first part, l.
func (r *Reader) open(l *Line, isDocker bool) *unended {
	if len(r.joint) == maxUnended {
		r.flush(0)
	}
	u := &unended{}
	if n := len(r.idle); n > 0 {
		u, r.idle = r.idle[n-1], r.idle[:n-1]
	}
	u.names = append(append(append(u.names[:0], l.Host...), l.Service...), l.Unit...)
	h, s := len(l.Host), len(l.Host)+len(l.Service)
	u.at, u.docker, u.parts = *l, isDocker, u.parts[:0]
	u.mixed = false
	u.at.Text, u.at.Host, u.at.Service, u.at.Unit = nil, u.names[:h:h], u.names[h:s:s], u.names[s:]
	r.joint = append(r.joint, u)
	return u
}

// find returns the place of the record in joint that l may be a part of, or -1.
func (r *Reader) find(l *Line, isDocker bool) int {
	for i, u := range r.joint {
		if u.at.Stream == l.Stream && u.docker == isDocker && bytes.Equal(u.at.Service, l.Service) &&
			bytes.Equal(u.at.Unit, l.Unit) && bytes.Equal(u.at.Host, l.Host) {
			return i
		}
	}
	return -1
}

// extend appends a part to a record.
func (r *Reader) extend(u *unended, l *Line) {
	if u.limit > 0 {
		r.stats.Joined++
	}
	before := len(u.text)
	u.add(r, l.Text)
	r.held += len(u.text) - before
	u.mixed = u.mixed || len(u.text) != before+len(l.Text)
	u.limit = max(u.limit, r.opt.MaxLine) // an empty part is a part
	u.at.Cut = u.at.Cut || l.Cut || u.lost > 0
	if u.docker {
		u.parts = append(u.parts, part{len(u.text), Line{Line: l.Line, Offset: l.Offset, Time: l.Time}, len(l.Text) >= dockerPart})
	}
}

// takeOut makes l the record at place i of joint. Its memory stays until the next
// physical line.
func (r *Reader) takeOut(i int, l *Line) *unended {
	u := r.joint[i]
	r.joint = append(r.joint[:i], r.joint[i+1:]...)
	r.spent = append(r.spent, u)
	r.held -= len(u.text)
	*l = u.at
	l.Text = u.text
	if u.lost > 0 {
		l.Text = trimTorn(l.Text)
		r.count(TooLong, l.Line, l.Offset, "parts")
	}
	return u
}

// flush gives out the record at place i of joint, whose last part is not there.
func (r *Reader) flush(i int) {
	var l Line
	u := r.takeOut(i, &l)
	r.nth = 0
	defer func() { r.nth = 0 }()
	s := state{dirty: true, hasCR: true}
	if !u.docker || u.last().long {
		l.Cut = true
		r.count(PartialLost, l.Line, l.Offset, "")
	}
	if r.dockerEnds || !u.bare() {
		r.unwrap(&l, maxDepth-1, s)
		return
	}
	if len(u.parts) > 1 {
		r.count(Unended, l.Line, l.Offset, "")
	}
	from := 0
	for n, p := range u.parts {
		piece := l
		piece.Text, piece.Line, piece.Offset, piece.Time = u.text[from:p.end:p.end], p.at.Line, p.at.Offset, p.at.Time
		if n > 0 {
			r.stats.Joined--
		}
		from, r.nth = p.end, 0
		r.unwrap(&piece, maxDepth-1, s)
	}
}

// last is the last part of a Docker record.
func (u *unended) last() part { return u.parts[len(u.parts)-1] }

// bare reports whether each part of u may be a record of its own: none is as long as
// one that Docker cut.
func (u *unended) bare() bool {
	for _, p := range u.parts {
		if p.long {
			return false
		}
	}
	return u.docker && !u.mixed
}

// flushFirst gives out the oldest record whose last part is not there. It returns
// false if there is none.
func (r *Reader) flushFirst() bool {
	if len(r.joint) == 0 {
		return false
	}
	r.flush(0)
	return true
}
