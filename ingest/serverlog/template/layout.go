package template

import (
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
)

// Every log that is read here comes from a program that escapes what stands between
// quotes, or is read between fixed texts; so a pattern of its literal texts and typed
// holes finds every field.

// piece is a stretch of a format string: a literal text, or a variable.
type piece struct {
	offset  int    // of the piece in the format string
	literal string // empty for a variable
	name    string // of the variable, as an error names it
	field   field
	quoted  bool   // the program puts quotes around the value
	blank   bool   // the value may be empty
	request bool   // method, path and protocol in one
	headers bool   // HAProxy's captured headers in braces, or nothing at all
	key     string // of the value, where the program writes a JSON object
	early   bool   // a plus sign may stand before the value: the line was written early
}

// field is what a variable gives.
type field struct {
	name   string // "" for one that is read over
	typ    string
	sample string // a value, for the example
}

// layout builds a pattern and its example from pieces.
type layout struct {
	text    string // the whole format string
	pattern strings.Builder
	example strings.Builder
	fields  map[string]bool
	open    string // the variable whose hole has no end of its own, and nothing behind it yet
}

// methods are the words by which a request line is known.
const methods = "(GET|POST|PUT|DELETE|HEAD|OPTIONS|PATCH|CONNECT|TRACE|PROPFIND)"

// build compiles pieces to a pattern.
func build(text string, pieces []piece) (*layout, error) {
	pieces = merge(pieces)
	l := &layout{text: text, fields: map[string]bool{}}
	for i, p := range pieces {
		if p.literal != "" {
			if i > 0 && pieces[i-1].headers && strings.HasPrefix(p.literal, " ") {
				p.literal = p.literal[1:]
			}
			if i == len(pieces)-2 && pieces[i+1].headers {
				p.literal = strings.TrimSuffix(p.literal, " ")
			}
			if p.literal != "" {
				l.literal(p.literal)
			}
			continue
		}
		last := i == len(pieces)-1
		next := byte(0)
		if !last && pieces[i+1].literal != "" {
			next = pieces[i+1].literal[0]
		}
		if err := l.variable(p, next, last); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *layout) literal(text string) {
	l.pattern.WriteString(strings.NewReplacer("{", "{{", "}", "}}").Replace(text))
	l.example.WriteString(text)
	l.open = ""
}

func (l *layout) variable(p piece, next byte, last bool) error {
	switch {
	case p.headers:
		l.open = ""
		switch {
		case next == ' ':
			l.pattern.WriteString("{?{{{_}}} ?}")
		case last:
			l.pattern.WriteString("{? {{{_}}}?}")
		default:
			l.pattern.WriteString("{?{{{_}}}?}")
		}
		return nil
	case p.quoted && p.request:
		l.pattern.WriteByte('"')
		l.example.WriteByte('"')
		if last {
			// Long lines are cut, and then the closing quote is missing.
			l.pattern.WriteString("{?{method:" + methods + "} {route:token} ?}{...}")
			l.example.WriteString(`POST /v1/chat/completions HTTP/1.1"`)
			l.fields["method"], l.fields["route"] = true, true
			return nil
		}
		if err := l.request(p); err != nil {
			return err
		}
		l.literal(`"`)
		return nil
	case p.request:
		return l.request(p)
	case p.quoted && p.field.typ == "text":
		hole := "{_:quoted}"
		if p.field.name != "" && !l.fields[p.field.name] {
			hole = "{" + p.field.name + ":quoted}"
			l.fields[p.field.name] = true
		}
		l.pattern.WriteString(hole)
		l.example.WriteString(`"` + p.field.sample + `"`)
		l.open = ""
		return nil
	case p.quoted:
		l.literal(`"`)
		if err := l.hole(p); err != nil {
			return err
		}
		l.literal(`"`)
		return nil
	}
	return l.hole(p)
}

// request reads a request line, or whatever a client sent in its place.
func (l *layout) request(p piece) error {
	if l.open != "" {
		return l.ambiguous(p)
	}
	method, route := "method", "route"
	if l.fields[method] {
		method = "_"
	}
	if l.fields[route] {
		route = "_"
	}
	l.pattern.WriteString("{?{" + method + ":" + methods + "} {" + route + ":token} ?}{_}")
	l.example.WriteString("POST /v1/chat/completions HTTP/1.1")
	l.fields["method"], l.fields["route"] = true, true
	l.open = p.name
	return nil
}

func (l *layout) hole(p piece) error {
	stretches := p.field.typ == "text" || p.field.typ == "token"
	if l.open != "" {
		return l.ambiguous(p)
	}
	name := p.field.name
	if name == "" || l.fields[name] {
		name = "_"
	}
	hole := "{" + name + ":" + p.field.typ + "}"
	if p.field.typ == "text" {
		hole = "{" + name + "}"
	}
	if p.blank && !stretches {
		hole = "{?" + hole + "?}"
	}
	if p.early {
		sign := "logasap"
		if l.fields[sign] {
			sign = "_"
		}
		hole = "{?{" + sign + ":(+)}?}" + hole
		l.fields["logasap"] = true
	}
	l.pattern.WriteString(hole)
	l.example.WriteString(p.field.sample)
	if p.field.name != "" {
		l.fields[p.field.name] = true
	}
	if stretches {
		l.open = p.name
	}
	return nil
}

func (l *layout) ambiguous(p piece) error {
	return faultAt(l.text, p.offset, "%s follows %s with nothing between them, so that nobody can tell where one ends", p.name, l.open)
}

// join merges the two variables of an address, with a colon between them, into one.
func join(pieces []piece, host, port string, to field) []piece {
	var out []piece
	for i := 0; i < len(pieces); i++ {
		if i+2 < len(pieces) && !pieces[i].quoted && pieces[i].name == host && pieces[i+1].literal == ":" && pieces[i+2].name == port {
			p := pieces[i]
			p.field = to
			out = append(out, p)
			i += 2
			continue
		}
		out = append(out, pieces[i])
	}
	return out
}

// merge makes one piece of texts that follow each other with nothing between them, as
// nobody can tell where one ends. Together they are the route if one of them is, with
// the host before it or the query behind it; else they say nothing.
func merge(pieces []piece) []piece {
	stretches := func(p piece) bool {
		return p.literal == "" && !p.quoted && !p.request && !p.headers && (p.field.typ == "text" || p.field.typ == "token")
	}
	var out []piece
	for _, p := range pieces {
		if len(out) == 0 || !stretches(p) || !stretches(out[len(out)-1]) {
			out = append(out, p)
			continue
		}
		before := &out[len(out)-1]
		const route = "route"
		f := field{typ: "text", sample: "x"}
		switch {
		case before.field.name == route:
			f = before.field
		case p.field.name == route && !strings.HasPrefix(before.field.sample, "/"):
			f = field{route, "text", "llm.example" + p.field.sample}
		}
		before.field, before.name = f, before.name+p.name
	}
	return out
}

// keep returns those of names that the layout holds.
func keep(fields map[string]bool, names ...string) format.Names {
	var kept format.Names
	for _, n := range names {
		if fields[n] {
			kept = append(kept, n)
		}
	}
	return kept
}
