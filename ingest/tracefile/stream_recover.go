package tracefile

import "bytes"

// recover moves from a fault at pos to the next place where reading can go on: an
// element, an object with a container, or an object at the start of a line. What an
// object is shows from the object itself, so those that elements are made of are passed
// over. It returns false when there is none.
func (w *walker) recover() bool {
	for {
		at := bytes.IndexByte(w.buf[w.pos:], '{')
		if at < 0 {
			w.pos = max(w.pos, len(w.buf)-1) // so that a line feed before a brace is seen
			if w.pos < len(w.buf) && w.buf[w.pos] == '{' {
				w.pos++
			}
			if !w.more() {
				w.pos = len(w.buf)
				return false
			}
			continue
		}
		at += w.pos
		lineStart := w.offset(at) == 0 || at > 0 && w.buf[at-1] == '\n'
		w.pos = at
		if key, ok := w.candidate(lineStart && len(w.frames) == 0); ok {
			w.resume(key)
			return true
		}
		w.pos++
	}
}

// candidate says whether reading can go on at the object at pos, and by which container
// if it is not an element. Anything may be one that is on a line of its own.
//
// Bytes are looked at again and again when objects in objects are tried, so that is
// stopped when it has cost more than several times the stream so far.
func (w *walker) candidate(line bool) (key string, ok bool) {
	if w.spent > 4*maxElement+8*w.offset(w.pos) && !line {
		return "", false
	}
	w.scan.reset(true)
	i := w.pos
	defer func() { w.spent += int64(i - w.pos) }()
	for {
		var state scanState
		i, state = w.scan.run(w.buf, i, w.eof)
		switch state {
		case scanDone:
			return "", line || w.shape.is(w.buf[w.pos:i])
		case scanKey:
			if contains(w.shape.containers, w.scan.key) {
				key := string(w.scan.key)
				if i, state = w.opens(i); state == scanDone {
					return key, true
				}
			}
		case scanBroken:
			return "", false
		case scanMore:
			moved, more := w.refill(w.pos)
			if w.pos, i = w.pos-moved, i-moved; !more {
				w.full = false
				return "", line
			}
		}
	}
}

// resume gives up the frames that the object at pos cannot stand in. An element stands
// in the innermost array. An object with a container stands beside the one with the same
// container, or is a document.
func (w *walker) resume(key string) {
	keep := 0
	for n, f := range w.frames {
		if key != "" && f.key == key && f.bracket == '{' {
			keep = n
			break
		}
		if key == "" && f.bracket == '[' {
			keep = n + 1
		}
	}
	w.unwind(keep)
	w.loose = w.loose || keep == 0
}

func contains(names []string, name []byte) bool {
	for _, n := range names {
		if string(name) == n {
			return true
		}
	}
	return false
}

// drop passes over the value of the member whose name ends at byte i, of an element that
// begins at pos and is held. When the value is not in memory as a whole, 0 is put in its
// place and no more than a buffer of it is held at a time. It returns where the scanner
// of the element goes on. What is wrong with the value is for that one to find.
func (w *walker) drop(i int) int {
	from := -1 // where the value begins
	forgot := false
	var k scanner
	for j := i; ; {
		for ; from < 0 && j < len(w.buf); j++ {
			if c := w.buf[j]; charClass[c] != isBlank && c != ':' {
				from = j
				break
			}
		}
		state := scanMore
		if from >= 0 {
			j, state = k.run(w.buf, j, w.eof)
		}
		if state == scanDone && forgot {
			w.buf[from] = '0'
			for b := from + 1; b < j; b++ {
				w.buf[b] = ' '
			}
		}
		if state != scanMore {
			return i
		}
		if from >= 0 && j > from+1 && !w.eof {
			forgot = true
			w.forget(from+1, j)
			j = from + 1
		}
		moved, ok := w.refill(w.pos)
		w.pos, i, j = w.pos-moved, i-moved, j-moved
		if from >= 0 {
			from -= moved
		}
		if !ok {
			return i
		}
	}
}
