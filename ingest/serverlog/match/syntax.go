package match

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// SyntaxError is a fault in a pattern, path or list of fields.
type SyntaxError struct {
	Column  int    // of the pattern, in characters, from 1; 0 if it is not a pattern's
	Message string // what is wrong, and what was expected
}

// Error says where the fault is and what was expected.
func (e *SyntaxError) Error() string {
	if e.Column == 0 {
		return e.Message
	}
	return fmt.Sprintf("column %d: %s", e.Column, e.Message)
}

// maxGroups is how deep optional groups may stand in each other.
const maxGroups = 4

// compiler reads a pattern.
type compiler struct {
	spec  string
	pos   int
	slots *Slots
	depth int            // of optional groups
	seen  map[string]int // names that stand outside of groups, or in the group at hand
}

func (c *compiler) fail(at int, format string, args ...any) error {
	return &SyntaxError{Column: c.column(at), Message: fmt.Sprintf(format, args...)}
}

// column is the place of the byte at, in characters from 1.
func (c *compiler) column(at int) int { return utf8.RuneCountInString(c.spec[:at]) + 1 }

// sequence reads elements up to the end of the pattern, or of the group in which it
// stands. rest says that {...} stood at the end.
func (c *compiler) sequence() (ops []op, rest bool, err error) {
	var lit []byte
	start := c.pos
	flush := func() {
		if len(lit) > 0 {
			o := op{code: opLiteral, lit: lit, more: &more{short: bytes.TrimRight(lit, " \t"), column: start}}
			o.prepare()
			ops = append(ops, o)
			lit = nil
		}
	}
	for c.pos < len(c.spec) {
		tail := c.spec[c.pos:]
		switch {
		case strings.HasPrefix(tail, "?}") && c.depth > 0:
			flush()
			return ops, false, nil
		case strings.HasPrefix(tail, "{{"), strings.HasPrefix(tail, "}}"):
			if len(lit) == 0 {
				start = c.pos
			}
			lit = append(lit, tail[0])
			c.pos += 2
		case tail[0] == '}':
			return nil, false, c.fail(c.pos, "a } closes nothing; write }} for the character")
		case tail[0] == '{':
			flush()
			if strings.HasPrefix(tail, "{...}") {
				if c.depth > 0 {
					return nil, false, c.fail(c.pos, "{...} may not stand in an optional group")
				}
				c.pos += len("{...}")
				if c.pos < len(c.spec) {
					return nil, false, c.fail(c.pos, "expected the end behind {...}")
				}
				return ops, true, nil
			}
			o, err := c.element()
			if err != nil {
				return nil, false, err
			}
			ops = append(ops, o)
		default:
			if len(lit) == 0 {
				start = c.pos
			}
			lit = append(lit, tail[0])
			c.pos++
		}
	}
	flush()
	return ops, false, nil
}

// element reads a hole, {~}, or an optional group.
func (c *compiler) element() (op, error) {
	at := c.pos
	if strings.HasPrefix(c.spec[at:], "{?") {
		return c.group()
	}
	if strings.HasPrefix(c.spec[at:], "{~}") {
		c.pos += len("{~}")
		return op{code: opBlanks, more: &more{column: at}}, nil
	}
	end := strings.IndexByte(c.spec[at:], '}')
	if end < 0 {
		return op{}, c.fail(at, "expected a } that closes this hole")
	}
	body := c.spec[at+1 : at+end]
	name, typeName, typed := strings.Cut(body, ":")
	if !validName(name) {
		return op{}, c.fail(at+1, "expected the name of a field, _, ~, ? or ..., found %q", name)
	}
	o := op{code: opHole, slot: noSlot, more: &more{name: name, column: at}}
	if words, ok := strings.CutPrefix(typeName, "("); ok {
		words, closed := strings.CutSuffix(words, ")")
		if !closed {
			return op{}, c.fail(at+end, "expected a ) that closes the words")
		}
		o.typ = typeWords
		for _, w := range strings.Split(words, "|") {
			if w == "" {
				return op{}, c.fail(at+1+len(name)+1, "expected words with | between them, found an empty one")
			}
			o.words = append(o.words, []byte(w))
		}
		sort.SliceStable(o.words, func(i, j int) bool { return len(o.words[i]) > len(o.words[j]) })
	} else if typed {
		t, err := ParseType(typeName)
		if err != nil || typeName == "" {
			return op{}, c.fail(at+1+len(name)+1, "%s", typeError(err))
		}
		o.typ = t
		if t == TypeInt || t == TypeFloat || t >= TypeS && t <= TypeNS {
			o.code, o.power = opNumber, uint8(unitPower(t))
		}
	}
	if o.typ.stretches() {
		o.code = opStretch
	}
	if name != "_" {
		if before, ok := c.seen[name]; ok {
			return op{}, c.fail(at+1, "the field %s stands at column %d already", name, c.column(before))
		}
		c.seen[name] = at + 1
		o.slot = int32(c.slots.Slot(name))
	}
	c.pos = at + end + 1
	return o, nil
}

func typeError(err error) string {
	if err == nil {
		return "expected a type behind the colon"
	}
	return err.Error()
}

// group reads {? ... ?}. A name may stand in several groups.
func (c *compiler) group() (op, error) {
	at := c.pos
	if c.depth == maxGroups {
		return op{}, c.fail(at, "optional groups may stand in each other %d deep at most", maxGroups)
	}
	c.pos += len("{?")
	c.depth++
	outside := c.seen
	c.seen = make(map[string]int, len(outside))
	for name, column := range outside {
		c.seen[name] = column
	}
	ops, _, err := c.sequence()
	if err != nil {
		return op{}, err
	}
	if !strings.HasPrefix(c.spec[c.pos:], "?}") {
		return op{}, c.fail(at, "expected a ?} that closes this group")
	}
	c.pos += len("?}")
	c.depth--
	c.seen = outside
	if len(ops) == 0 {
		return op{}, c.fail(at, "expected something in the optional group")
	}
	if first := ops[0]; first.code != opLiteral && first.code != opNumber && first.code != opHole && first.typ != TypeToken {
		return op{}, c.fail(first.column, "an optional group must begin with a literal or a hole of another type than text")
	}
	return op{code: opGroup, more: &more{group: ops, column: at}}, nil
}

// validName reports whether name may name a field.
func validName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isWord(c) && c != '_' && (i == 0 || c-'0' > 9) {
			return false
		}
	}
	return name != ""
}

// follow is what may stand behind a sequence of elements: one of the literals or, if
// open is set, the end of the text.
type follow struct {
	lits [][]byte
	open bool
}

// link tells every stretch of ops what stands behind it. last says that ops reach the
// end of the pattern, rest that the rest of the text is ignored there; behind is what
// follows them.
func (c *compiler) link(ops []op, last, rest bool, behind follow) error {
	for i := range ops {
		o := &ops[i]
		if o.code == opGroup {
			if err := c.link(o.group, last && i == len(ops)-1, rest, followOf(ops, i, behind)); err != nil {
				return err
			}
		}
		if o.code == opBlanks && i+1 < len(ops) && ops[i+1].code == opLiteral && isBlank(ops[i+1].lit[0]) {
			return c.fail(ops[i+1].column, "expected something else than a blank behind {~}, which takes all of them")
		}
		if !o.stretches() {
			continue
		}
		if err := c.linkStretch(ops, i, last, rest, behind); err != nil {
			return err
		}
	}
	return nil
}

// followOf is what may stand behind ops[i], if behind follows ops as a whole. It is
// empty if that is no literal.
func followOf(ops []op, i int, behind follow) (f follow) {
	for _, next := range ops[i+1:] {
		switch {
		case next.code == opLiteral:
			f.lits = append(f.lits, next.lit)
			f.open = behind.open && len(next.short) == 0
			return f
		case next.code == opBlanks:
			// It may take nothing, so that what stands behind it counts.
		case next.code == opGroup && next.group[0].code == opLiteral:
			f.lits = append(f.lits, next.group[0].lit)
		default:
			return follow{}
		}
	}
	return follow{lits: append(f.lits, behind.lits...), open: behind.open}
}

// linkStretch tells the stretch ops[i] what stands behind it.
func (c *compiler) linkStretch(ops []op, i int, last, rest bool, behind follow) error {
	o := &ops[i]
	seg := i + 1
	for seg < len(ops) && !ops[seg].stretches() {
		seg++
	}
	o.seg, o.tail = int32(seg), seg == len(ops)
	o.code, o.anchors, o.atEnd, o.costly, o.slots, o.shared = opStretch, nil, true, false, nil, false
	for j := i + 1; j < seg && o.atEnd; j++ {
		switch next := &ops[j]; next.code {
		case opBlanks:
			if j > i+1 {
				return c.fail(next.column, "{~} may not stand behind an optional group here")
			}
		case opLiteral:
			o.anchors = append(o.anchors, next.lit)
			o.atEnd = false
		case opGroup:
			if next.group[0].code != opLiteral {
				return c.fail(next.group[0].column, "expected a literal: the group stands behind the hole %s, which ends where a literal is found", o.name)
			}
			o.anchors = append(o.anchors, next.group[0].lit)
		default:
			return c.fail(next.column, "expected a literal between the hole %s, which ends where a literal is found, and this one", o.name)
		}
	}
	for _, next := range ops[i+1 : seg] {
		if next.code == opGroup {
			o.slots = append(o.slots, next.slots...)
			o.shared = o.shared || next.shared
		}
		o.costly = o.costly || next.costs()
	}
	switch {
	case len(o.anchors) > maxAnchors:
		return c.fail(o.column, "expected at most %d optional groups behind the hole %s", maxAnchors-1, o.name)
	case o.atEnd && !o.tail:
		return c.fail(ops[seg].column, "expected a literal between the holes %s and %s", o.name, ops[seg].name)
	case o.atEnd && len(behind.lits) == 0 && !behind.open && (o.typ == TypeText || !(last && rest)):
		return c.fail(o.column, "expected a literal behind the hole %s, which ends where a literal is found; the type token ends at a blank", o.name)
	}
	switch {
	case o.atEnd:
		o.until, o.open = behind.lits, behind.open
	case len(o.anchors) > 1 || o.shared:
	case o.typ == TypeToken && isBlank(o.anchors[0][0]):
		o.code = opToken
	default:
		o.code, o.lit, o.rare = opSearch, o.anchors[0], rarest(o.anchors[0])
	}
	return nil
}

// noteSlots tells every group of ops which slots it sets. Slots below taken may hold a
// value before the pattern is tried.
func noteSlots(ops []op, taken int) {
	times := map[int32]int{}
	var count func(ops []op)
	count = func(ops []op) {
		for i := range ops {
			if ops[i].sets() {
				times[ops[i].slot]++
			}
			count(ops[i].group)
		}
	}
	count(ops)
	var note func(ops []op) (slots []int, shared bool)
	note = func(ops []op) (slots []int, shared bool) {
		for i := range ops {
			o := &ops[i]
			if o.code == opGroup {
				o.slots, o.shared = note(o.group)
				slots, shared = append(slots, o.slots...), shared || o.shared
			} else if o.sets() {
				slots, shared = append(slots, int(o.slot)), shared || times[o.slot] > 1 || int(o.slot) < taken
			}
		}
		return slots, shared
	}
	note(ops)
}

// costs reports whether reading the element may take long at every place of a text.
func (o *op) costs() bool {
	if o.code == opGroup {
		for i := range o.group {
			if o.group[i].stretches() || o.group[i].costs() {
				return true
			}
		}
	}
	return o.code == opHole && (o.typ == TypeQuoted || o.typ == TypePython || o.typ&listOf != 0)
}
