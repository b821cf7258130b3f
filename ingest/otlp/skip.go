package otlp

import "bytes"

// skipState says how far a skipper came.
type skipState uint8

const (
	skipMore   skipState = iota // the text in memory ends first
	skipDone                    // the value is behind
	skipBroken                  // the value is never closed: a document begins inside it, or a string ends with the line
)

// skipper passes over one JSON value of any size without looking at what it holds. It
// keeps what it needs to know between two pieces of text.
type skipper struct {
	depth    int
	inString bool
	started  bool
	careful  bool // the value is known to be bad: a brace at the start of a line ends it, as does a document anywhere
}

// run goes on from byte i and returns where it stopped.
func (k *skipper) run(buf []byte, i int, eof bool) (int, skipState) {
	for i < len(buf) {
		if k.inString {
			var state skipState
			if i, state = k.inside(buf, i, eof); state != skipDone {
				return i, state
			}
			if k.depth == 0 {
				return i, skipDone
			}
			continue
		}
		switch c := buf[i]; c {
		case '"':
			k.inString, k.started = true, true
		case '{', '[':
			lineStart := i > 0 && buf[i-1] == '\n'
			if c == '{' && k.careful && lineStart && k.depth > 0 {
				return i, skipBroken
			}
			if c == '{' && (k.careful || lineStart) {
				if !eof && len(buf)-i < longestSignature {
					return i, skipMore
				}
				if beginsDocument(buf[i:]) {
					return i, skipBroken
				}
			}
			k.depth++
			k.started = true
		case '}', ']':
			if k.depth == 0 {
				return i, k.scalarEnd()
			}
			if k.depth--; k.depth == 0 {
				return i + 1, skipDone
			}
		case ',':
			if k.depth == 0 {
				return i, k.scalarEnd()
			}
		case ' ', '\t', '\r', '\n', ':':
			if k.depth == 0 && k.started {
				return i, skipDone
			}
		case 0:
			return i, skipBroken
		default:
			k.started = true
		}
		i++
	}
	return i, skipMore
}

func (k *skipper) scalarEnd() skipState {
	if k.started {
		return skipDone
	}
	return skipBroken
}

// inside goes on inside a string.
func (k *skipper) inside(buf []byte, i int, eof bool) (int, skipState) {
	for {
		i = special(buf, i)
		if i >= len(buf) {
			return i, skipMore
		}
		switch buf[i] {
		case '"':
			k.inString = false
			return i + 1, skipDone
		case '\\':
			if i+1 >= len(buf) {
				if eof {
					return len(buf), skipMore
				}
				return i, skipMore
			}
			if buf[i+1] == '\n' {
				return i + 1, skipBroken
			}
			i += 2
		case '\n', 0:
			return i, skipBroken
		default:
			i++
		}
	}
}

// skip passes over the value at pos, all of which must be in memory.
func (p *parser) skip() bool {
	p.peek()
	var k skipper
	at, state := k.run(p.buf, p.pos, p.eof)
	switch state {
	case skipDone:
		p.pos = at
		return true
	case skipMore:
		if p.eof && k.depth == 0 && !k.inString && k.started {
			p.pos = at
			return true
		}
		return p.short()
	}
	p.tok = at
	return p.fail(badSyntax, "a value is never closed")
}

// passMember passes over the value of a member that is not known. A member that only
// documents have shows that the line was cut off in front of the object around it.
func (p *parser) passMember(name []byte) bool {
	if p.isDocument(name) {
		return false
	}
	return p.skip()
}

// isDocument fails, and returns true, when the member that was just named begins a
// document.
func (p *parser) isDocument(name []byte) bool {
	open := bytes.LastIndexByte(p.buf[:p.tok], '{')
	switch {
	case len(name) >= len("resourceLogs") && isSignature(name):
	case string(name) == "batches" && p.peek() == '[' && open >= 0 && beginsDocument(p.buf[open:]):
	default:
		return false
	}
	if open >= 0 {
		p.tok = open
	}
	p.fail(badSyntax, "a document begins inside another")
	return true
}

func isSignature(name []byte) bool {
	for _, s := range signatures {
		if string(name) == string(s[1:len(s)-1]) {
			return true
		}
	}
	return false
}

// A document of OTLP JSON begins with one of these names. The quote of the name cannot
// stand behind a brace inside a string, so a match is a document wherever it is found.
var signatures = [][]byte{
	[]byte(`"resourceSpans"`), []byte(`"resource_spans"`), []byte(`"resourceLogs"`), []byte(`"resource_logs"`),
	[]byte(`"resourceMetrics"`), []byte(`"resource_metrics"`),
}

// tempoName begins the answers of Tempo. As a name it is so common that it tells a
// document only with an array behind it.
var tempoName = []byte(`"batches"`)

// longestSignature is how far a brace may stand before its name, plus the name.
const longestSignature = 128

// beginsDocument reports whether text, which begins with a brace, begins a document.
func beginsDocument(text []byte) bool {
	text = bytes.TrimLeft(text[1:min(len(text), longestSignature)], " \t\r\n")
	for _, name := range signatures {
		if bytes.HasPrefix(text, name) {
			return true
		}
	}
	if !bytes.HasPrefix(text, tempoName) {
		return false
	}
	text = bytes.TrimLeft(text[len(tempoName):], " \t\r\n")
	if len(text) == 0 || text[0] != ':' {
		return false
	}
	text = bytes.TrimLeft(text[1:], " \t\r\n")
	return len(text) > 0 && text[0] == '['
}
