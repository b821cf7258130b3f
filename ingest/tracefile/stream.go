package tracefile

import "github.com/tailpath/tailpath/ingest/table"

// A shape says where the elements of a format lie in its JSON. An element is an object
// without any of the containers, wherever it stands: alone, on a line, in an array, in
// an array of arrays, or in a container.
type shape struct {
	containers []string // members whose object or array holds elements
	kept       []string // members of the objects around them that the handler gets
	dropped    []string // members of elements that are never held in memory; their value becomes 0
	is         func(raw []byte) bool
}

// A handler takes what a walker finds, in the order in which it stands.
type handler interface {
	// open begins an object that has a container.
	open(at table.Place)
	// member is a kept member of the object begun last that has not ended.
	member(name string, raw []byte, at table.Place)
	// element is one element, whose brackets are right. raw is good until element
	// returns. It reports whether the element is one of the format, well made or not.
	element(raw []byte, at table.Place) bool
	// close ends the object begun last; whole is false when its end was not found.
	close(whole bool)
	// end says that a document has ended, or has broken off.
	end(whole bool)
}

// A grouper is a handler of elements that belong together when they stand in one array.
type grouper interface {
	// array says that an array begins, on its own or in another one, as it does where a
	// writer went on behind an array that was never closed.
	array()
	// finish says that the stream has ended.
	finish()
}

// A walker reads JSON of any size and hands out its elements one by one: one document,
// several with or without anything between, one a line. What is broken or cut costs the
// element it is in, and reading goes on at the next one.
type walker struct {
	window
	d      *Decoder
	h      handler
	shape  *shape
	pos    int
	frames []frame
	scan   scanner
	raw    bool         // the document that is being read has something of the format
	loose  bool         // brackets of a document that broke may follow
	fresh  bool         // nothing was read so far
	cut    *table.Place // of the value that the stream ends in
	start  int          // where that begins in buf, if it is held
	spent  int64        // bytes that were looked at more than once, to go on behind faults
}

// frame is an array or an object with containers that is being read.
type frame struct {
	bracket byte
	key     string // of an object: the container that made it one
	full    bool   // of an array: a value stands before, and no comma behind it
	at      table.Place
}

// walk reads the stream to its end.
func (w *walker) walk() {
	w.begin()
	for w.step() {
		w.fresh = false
	}
	if len(w.frames) > 0 {
		w.cut = &w.frames[0].at
	}
	if w.cut != nil && w.err == nil {
		w.d.issue(CutLast, *w.cut, "the input ends inside a document")
	}
	w.unwind(0)
}

func (w *walker) begin() { w.line, w.fresh, w.limit = 1, true, maxElement }

// place returns where buf[at] stands.
func (w *walker) place(at int) table.Place {
	return table.Place{Source: w.d.source, Offset: w.offset(at), Line: w.lineOf(at)}
}

// peek passes over blanks and returns the byte behind them; 0 at the end of the stream.
func (w *walker) peek() byte {
	for {
		for ; w.pos < len(w.buf); w.pos++ {
			if charClass[w.buf[w.pos]] != isBlank {
				return w.buf[w.pos]
			}
		}
		if !w.more() {
			return 0
		}
	}
}

// more reads more behind what is in memory, giving up what stands before pos.
func (w *walker) more() bool {
	moved, ok := w.refill(w.pos)
	w.pos -= moved
	return ok
}

// step reads the next token or element. It returns false at the end of the stream.
func (w *walker) step() bool {
	if len(w.frames) == 0 {
		return w.top()
	}
	c := w.peek()
	if c == 0 && w.pos >= len(w.buf) {
		return false
	}
	f := &w.frames[len(w.frames)-1]
	switch {
	case c == ',':
		f.full = false
		w.pos++
	case c == f.bracket+2:
		w.pos++
		w.pop(true)
	case f.bracket == '{' && c == '"':
		return w.member()
	case f.bracket == '[' && (charClass[c] == isOpen || !f.full && (charClass[c] == isQuote || charClass[c] == isBare)):
		f.full = true
		return w.value("")
	default:
		return w.broken(w.pos, "the brackets do not match")
	}
	return true
}

// top reads what stands outside of any document.
func (w *walker) top() bool {
	c := w.peek()
	for len(w.buf)-w.pos < 3 && !w.eof {
		w.more()
	}
	if w.pos >= len(w.buf) {
		return false
	}
	switch {
	case c == '{' || c == '[':
		w.raw = false
		return w.value("")
	case c == 0, c == 0x1e: // a file that was preallocated; a record separator
		w.pos++
	case c == 0xef && w.pos+2 < len(w.buf) && w.buf[w.pos+1] == 0xbb && w.buf[w.pos+2] == 0xbf:
		w.pos += 3
	case w.loose && (c == ',' || c == ']' || c == '}'):
		w.pos++
	case w.fresh:
		w.d.issue(CutFirst, w.place(w.pos), "the input begins inside a document")
		return w.recover()
	default:
		return w.broken(w.pos, "text stands where a document is due")
	}
	return true
}

// value reads a value that stands in an array, in a container, or alone.
func (w *walker) value(key string) bool {
	switch w.buf[w.pos] {
	case '{':
		return w.object()
	case '[':
		if len(w.frames) >= maxDepth {
			return w.broken(w.pos, "arrays are nested too deep")
		}
		w.push('[', key)
		if g, ok := w.h.(grouper); ok {
			g.array()
		}
		return true
	}
	null := w.buf[w.pos] == 'n'
	at := w.place(w.pos)
	if state := w.pass(); state != scanDone {
		return w.faulty(state, at)
	}
	if !null {
		w.d.unused(at, "a value in an array is no object")
	}
	w.ended(true)
	return true
}

func (w *walker) push(bracket byte, key string) {
	w.frames = append(w.frames, frame{bracket: bracket, key: key, at: w.place(w.pos)})
	w.pos++
}

// pop ends the innermost array or object.
func (w *walker) pop(whole bool) {
	f := w.frames[len(w.frames)-1]
	w.frames = w.frames[:len(w.frames)-1]
	if f.bracket == '{' {
		w.h.close(whole)
	}
	w.ended(whole)
}

// unwind gives up all but n frames, whose ends were not found.
func (w *walker) unwind(n int) {
	for len(w.frames) > n {
		w.pop(false)
	}
}

// ended notes the end of a document, if that is what has ended.
func (w *walker) ended(whole bool) {
	if len(w.frames) > 0 {
		return
	}
	if w.raw {
		w.d.stats.Documents++
		w.raw = false
	}
	w.h.end(whole)
}

// object reads the object at pos: an element as a whole, of any other its beginning.
func (w *walker) object() bool {
	at := w.place(w.pos)
	w.scan.reset(true)
	for i := w.pos; ; {
		var state scanState
		i, state = w.scan.run(w.buf, i, w.eof)
		switch state {
		case scanDone:
			raw := w.buf[w.pos:i]
			w.pos = i
			if w.h.element(raw, at) {
				w.raw = true
			} else {
				w.d.unused(at, "an object is none of the format")
			}
			w.ended(true)
			return true
		case scanKey:
			if contains(w.shape.dropped, w.scan.key) {
				i = w.drop(i)
			} else if contains(w.shape.containers, w.scan.key) {
				key := string(w.scan.key)
				if i, state = w.opens(i); state == scanDone {
					w.push('{', key)
					w.raw = true
					w.h.open(at)
					return true
				}
			}
		case scanBroken:
			w.badElement(at, "its brackets do not match, or a string in it does not end")
			w.pos = w.doubtful(i)
			return w.recover()
		case scanMore:
			moved, ok := w.refill(w.pos)
			w.scan.last -= moved
			if w.pos, i = w.pos-moved, i-moved; !ok {
				return w.unfinished(i, at, true)
			}
		}
	}
}

// unfinished goes on behind a value that begins at pos and is larger than may be held,
// or with which the stream ends. The scanner is at byte i of it.
func (w *walker) unfinished(i int, at table.Place, element bool) bool {
	w.start, w.pos = w.pos, i
	if !w.full {
		w.cut = &at
		return false
	}
	w.full, w.scan.keys = false, false
	if state := w.goOn(); state != scanDone {
		return w.faulty(state, at)
	}
	if !element {
		w.d.badDocument(at, "a member is larger than 64 MiB")
		return true
	}
	w.badElement(at, "it is larger than 64 MiB")
	w.ended(true)
	return true
}

// badElement counts an object of which it cannot be told what it is: as an element where
// elements are due, and as a document outside of any.
func (w *walker) badElement(at table.Place, what string) {
	if len(w.frames) == 0 {
		w.d.badDocument(at, what)
		return
	}
	w.d.bad(at, what)
}

// broken counts a fault of a document at byte i and goes on behind it.
func (w *walker) broken(i int, what string) bool {
	w.d.badDocument(w.place(i), what)
	w.pos = i
	return w.recover()
}

// opens tells whether the member whose name ends at byte i has an object or array: the
// state is scanDone if so. The object around it begins at pos.
func (w *walker) opens(i int) (int, scanState) {
	for j := i; ; {
		for ; j < len(w.buf); j++ {
			switch c := w.buf[j]; {
			case c == '{', c == '[':
				return i, scanDone
			case charClass[c] != isBlank && c != ':':
				return i, scanKey
			}
		}
		moved, ok := w.refill(w.pos)
		if w.pos, i, j = w.pos-moved, i-moved, j-moved; !ok {
			return i, scanMore
		}
	}
}

// member reads the member at pos of an object that has containers.
func (w *walker) member() bool {
	name, ok := w.name()
	if !ok {
		if w.eof && w.pos >= len(w.buf) {
			return false
		}
		return w.broken(w.pos, "the name of a member is broken")
	}
	if c := w.peek(); c == 0 && w.pos >= len(w.buf) {
		return false
	} else if c != ':' {
		return w.broken(w.pos, "a colon is missing")
	}
	w.pos++
	c := w.peek()
	if c == 0 && w.pos >= len(w.buf) {
		return false
	}
	if (c == '{' || c == '[') && contains(w.shape.containers, name) {
		return w.value(string(name))
	}
	place := w.place(w.pos)
	if !contains(w.shape.kept, name) {
		if state := w.pass(); state != scanDone {
			return w.faulty(state, place)
		}
		return true
	}
	raw, end, state := w.hold()
	switch state {
	case scanDone:
		w.h.member(string(name), raw, place)
		w.pos = end
		return true
	case scanMore:
		return w.unfinished(end, place, false)
	}
	return w.broken(w.doubtful(end), "a member of a document is broken")
}

// name takes the name at pos, escapes as they are. It is good for a peek or two.
func (w *walker) name() ([]byte, bool) {
	end, state := w.scan.str(w.buf, w.pos+1)
	for state == scanMore {
		if !w.more() {
			w.pos = len(w.buf)
			return nil, false
		}
		end, state = w.scan.str(w.buf, w.pos+1)
	}
	if state != scanDone {
		w.pos = end
		return nil, false
	}
	name := append([]byte(nil), w.buf[w.pos+1:end-1]...)
	w.pos = end
	return name, true
}

// hold reads the value at pos as a whole, which ends at end.
func (w *walker) hold() (raw []byte, end int, state scanState) {
	w.scan.reset(false)
	for end = w.pos; ; {
		if end, state = w.scan.run(w.buf, end, w.eof); state != scanMore {
			return w.buf[w.pos:end], end, state
		}
		moved, ok := w.refill(w.pos)
		w.scan.last -= moved
		if w.pos, end = w.pos-moved, end-moved; !ok {
			return nil, end, state
		}
	}
}

// pass passes over the value at pos, holding none of it.
func (w *walker) pass() scanState {
	w.scan.reset(false)
	return w.goOn()
}

// goOn lets the scanner finish the value that it is in, holding none of it.
func (w *walker) goOn() (state scanState) {
	for {
		if w.pos, state = w.scan.run(w.buf, w.pos, w.eof); state != scanMore {
			return state
		}
		moved, ok := w.refill(w.pos)
		w.pos -= moved
		if w.scan.last -= moved; !ok {
			return state
		}
	}
}

// doubtful returns from where on the text before a fault at byte i cannot be trusted: a
// string that does not end takes what follows for its own, up to the next quote.
func (w *walker) doubtful(i int) int {
	if w.scan.last > 0 && w.scan.last < i {
		return w.scan.last
	}
	return i
}

// faulty goes on behind a value that could not be passed over.
func (w *walker) faulty(state scanState, at table.Place) bool {
	if state == scanMore {
		w.cut = &at
		return false
	}
	w.d.badDocument(at, "a value is never closed")
	w.pos = w.doubtful(w.pos)
	return w.recover()
}
