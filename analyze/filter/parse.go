package filter

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse reads an expression. It checks its form: whether fields exist and values fit them
// is for [Expr.Check] to say.
func Parse(text string) (*Expr, error) {
	p := &parser{scanner: scanner{text: text}}
	if p.space(); p.end() {
		return nil, p.fault(place{0, len(text)}, "the filter is empty", "write a field, an operator and a value, such as model=llama3")
	}
	root, err := p.either()
	if err != nil {
		return nil, err
	}
	if p.space(); !p.end() {
		return nil, p.fault(p.here(), "there is no parenthesis that this one closes", "leave it out, or open one before")
	}
	return &Expr{text: text, root: root}, nil
}

// deepest is how deep parentheses and negations may be nested.
const deepest = 100

type parser struct {
	scanner
	depth int
}

// either reads parts with OR between them.
func (p *parser) either() (node, error) {
	var parts or
	for {
		part, err := p.both()
		if err != nil {
			return nil, err
		}
		if inner, same := part.(or); same {
			parts = append(parts, inner...)
		} else {
			parts = append(parts, part)
		}
		if !p.keyword("OR") {
			break
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return parts, nil
}

// both reads parts with AND or nothing between them.
func (p *parser) both() (node, error) {
	var parts and
	for {
		part, err := p.negation()
		if err != nil {
			return nil, err
		}
		if inner, same := part.(and); same {
			parts = append(parts, inner...)
		} else {
			parts = append(parts, part)
		}
		if p.keyword("AND") {
			continue
		}
		if p.space(); p.end() || p.at(")") || p.peekKeyword("OR") {
			break
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return parts, nil
}

// negation reads a comparison or a group, with any number of negations before it.
func (p *parser) negation() (node, error) {
	p.space()
	if p.depth++; p.depth > deepest {
		return nil, p.fault(p.here(), "the filter is nested too deep", "at most 100 parentheses and negations may hold each other")
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("-"), p.keyword("NOT"):
		inner, err := p.negation()
		if err != nil {
			return nil, err
		}
		return not{inner}, nil
	case p.at("("):
		open := p.here()
		p.pos++
		inner, err := p.either()
		if err != nil {
			return nil, err
		}
		if p.space(); !p.take(")") {
			return nil, p.fault(open, "this parenthesis is not closed", "write ) where it ends")
		}
		return inner, nil
	}
	return p.comparison()
}

// comparison reads a field, an operator and what it is compared with.
func (p *parser) comparison() (node, error) {
	c := &comparison{}
	if err := p.field(c); err != nil {
		return nil, err
	}
	p.space()
	start := p.pos
	for _, op := range []Op{NotEqual, LessEqual, GreaterEqual, Equal, Less, Greater, Match} {
		if p.take(string(op)) {
			c.op = op
			break
		}
	}
	c.opAt = place{start, p.pos}
	if c.op == "" {
		return nil, p.noOperator(c)
	}
	if err := p.oddOperator(c); err != nil {
		return nil, err
	}
	p.space()
	if c.op != Match && p.at("(") {
		return c, p.list(c)
	}
	v, err := p.value(c.op == Match, false)
	if err != nil {
		return nil, err
	}
	if p.at("(") && !v.Quoted {
		p.run(func(r rune) bool { return !unicode.IsSpace(r) })
		at := place{v.at.start, p.pos}
		return nil, p.fault(at, "a value with parentheses needs quotes", `write "`+p.text[at.start:at.end]+`"`)
	}
	c.values = []Value{v}
	return c, p.pattern(c)
}

// pattern reads the pattern of a comparison, if it has one.
func (p *parser) pattern(c *comparison) error {
	if c.op != Match {
		return nil
	}
	v := c.values[0]
	expression, is := slashed(v.Text)
	if !is {
		if !strings.Contains(v.Text, "*") {
			bare := v.String()
			return p.fault(v.at, "the pattern has no * and no slashes around it",
				"write "+c.field+"="+bare+" for this text alone, "+c.field+"~*"+v.Text+"* for all that have it in them, /"+v.Text+"/ for a regular expression")
		}
		parts := strings.Split(v.Text, "*")
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(part)
		}
		expression = `(?s)\A` + strings.Join(parts, ".*") + `\z`
	}
	var err error
	if c.matches, err = regexp.Compile(expression); err != nil {
		what := err.Error()
		var wrong *syntax.Error
		if errors.As(err, &wrong) {
			what = string(wrong.Code) + " in " + wrong.Expr
		}
		return p.fault(v.at, "the regular expression is wrong: "+what, "the syntax is that of RE2; a pattern without slashes knows * alone")
	}
	return nil
}

// slashed returns what is between the slashes of a regular expression.
func slashed(text string) (string, bool) {
	if len(text) < 2 || text[0] != '/' || text[len(text)-1] != '/' {
		return "", false
	}
	return text[1 : len(text)-1], true
}

// field reads the name of a field.
func (p *parser) field(c *comparison) error {
	if p.end() {
		return p.fault(p.here(), "a comparison is missing", "write a field, an operator and a value, such as model=llama3")
	}
	if p.at(`"`) {
		v, err := p.quote()
		c.field, c.quoted, c.at = v.Text, true, v.at
		if err == nil && c.field == "" {
			err = p.fault(c.at, "the name of the field is empty", "")
		}
		return err
	}
	start := p.pos
	p.run(func(r rune) bool { return !unicode.IsSpace(r) && !strings.ContainsRune(`()=!<>~",`, r) })
	c.field, c.at = p.text[start:p.pos], place{start, p.pos}
	switch alone := p.end() || !strings.ContainsRune("=!<>~", rune(p.text[p.pos])); {
	case c.field == "":
		return p.noField()
	case alone && (c.field == "AND" || c.field == "OR"):
		return p.fault(c.at, "there is no comparison before "+c.field, "write one on each side of it, or quote the word if it is a field")
	}
	return nil
}

// noField says why there is no field here.
func (p *parser) noField() error {
	switch {
	case p.at("!"):
		return p.fault(p.here(), "! alone is no operator", "write - or NOT before what shall not hold, or != to compare")
	case p.at(","):
		return p.fault(p.here(), "a comma joins nothing", "write AND or OR; a list goes into parentheses: model=(a b)")
	case p.at(")"):
		return p.fault(p.here(), "a comparison is missing before the parenthesis", "write a field, an operator and a value, such as model=llama3")
	}
	return p.fault(p.here(), "the name of a field is missing before the operator", "write it first, such as model=llama3")
}

// noOperator says what is wrong with a field that nothing compares.
func (p *parser) noOperator(c *comparison) error {
	hint := "write an operator and a value behind it: " + c.field + "=VALUE"
	if key, value, is := strings.Cut(c.field, ":"); is && !c.quoted && value != "" {
		hint = "write " + key + "=" + value
	}
	switch word := strings.ToUpper(c.field); {
	case word == "AND" || word == "OR" || word == "NOT":
		hint = "write " + word + " in capitals"
	case c.field == "&" || c.field == "&&":
		hint = "write AND"
	case c.field == "|" || c.field == "||":
		hint = "write OR"
	case p.at("!"):
		return p.fault(p.here(), "! alone is no operator", "write != for unlike")
	}
	return p.fault(c.at, "nothing says what "+c.field+" is compared with", hint)
}

// oddOperator says what is wrong with operators of other languages.
func (p *parser) oddOperator(c *comparison) error {
	for _, odd := range []struct {
		op         Op
		more, hint string
	}{
		{Equal, "=", "write one ="}, {Equal, "~", "write ~ alone"}, {Equal, ">", "write >="}, {Equal, "<", "write <="},
		{Less, ">", "write !="}, {NotEqual, "=", "write !="},
	} {
		if c.op == odd.op && p.take(odd.more) {
			return p.fault(place{c.opAt.start, p.pos}, string(c.op)+odd.more+" is no operator", odd.hint)
		}
	}
	return nil
}

// list reads values in parentheses.
func (p *parser) list(c *comparison) error {
	values, err := p.values()
	c.values, c.list = values, true
	if err == nil && c.op.order() {
		err = p.fault(c.opAt, "a list has no order", "write = or != before a list")
	}
	return err
}

// scanner reads words of a text.
type scanner struct {
	text string
	pos  int
}

func (s *scanner) fault(at place, what, hint string) error {
	return &Error{Text: s.text, Start: at.start, End: at.end, What: what, Hint: hint}
}

func (s *scanner) end() bool           { return s.pos >= len(s.text) }
func (s *scanner) at(word string) bool { return strings.HasPrefix(s.text[s.pos:], word) }

// here is the place of the next character.
func (s *scanner) here() place {
	_, n := utf8.DecodeRuneInString(s.text[s.pos:])
	return place{s.pos, s.pos + n}
}

// take skips a word if it comes next.
func (s *scanner) take(word string) bool {
	if !s.at(word) {
		return false
	}
	s.pos += len(word)
	return true
}

// run skips the characters that hold.
func (s *scanner) run(holds func(rune) bool) {
	for !s.end() {
		r, n := utf8.DecodeRuneInString(s.text[s.pos:])
		if !holds(r) {
			return
		}
		s.pos += n
	}
}

func (s *scanner) space() { s.run(unicode.IsSpace) }

// peekKeyword reports whether a word in capitals comes next and stands for itself: as
// AND=1 it would be a field.
func (s *scanner) peekKeyword(word string) bool {
	if !s.at(word) {
		return false
	}
	rest := s.text[s.pos+len(word):]
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r) || strings.ContainsRune(`()-"`, r)
}

// keyword skips a word in capitals if it comes next.
func (s *scanner) keyword(word string) bool {
	if s.space(); !s.peekKeyword(word) {
		return false
	}
	s.pos += len(word)
	return true
}

// values reads values in parentheses, with spaces or commas between them.
func (s *scanner) values() ([]Value, error) {
	open := s.here()
	s.pos++
	var values []Value
	for {
		s.run(func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
		switch {
		case s.end():
			return nil, s.fault(open, "this list is not closed", "write ) where it ends")
		case s.take(")"):
			if len(values) == 0 {
				return nil, s.fault(place{open.start, s.pos}, "the list is empty", "write values into it, or none for no value")
			}
			return values, nil
		}
		v, err := s.value(false, true)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
}

// value reads one value. A word ends at a space or a parenthesis, one of a list also at a
// comma. Parentheses that close again belong to a pattern.
func (s *scanner) value(pattern, list bool) (Value, error) {
	if s.at(`"`) || s.at("'") {
		return s.quote()
	}
	if !list && !s.end() && strings.ContainsRune("=~<>", rune(s.text[s.pos])) {
		return Value{}, s.fault(s.here(), "a second operator stands where the value is expected", "leave one out; a value that begins so needs quotes")
	}
	start, depth := s.pos, 0
	s.run(func(r rune) bool {
		switch {
		case r == '(':
			depth++
			return pattern
		case r == ')':
			depth--
			return pattern && depth >= 0
		}
		return !unicode.IsSpace(r) && !(list && r == ',')
	})
	v := Value{Text: s.text[start:s.pos], at: place{start, s.pos}}
	if v.Text == "" {
		if !s.end() {
			return v, s.fault(s.here(), "a value is missing before the parenthesis", `write it, or none for no value, or "" for an empty text`)
		}
		return v, s.fault(s.here(), "a value is missing at the end", `write it, or none for no value`)
	}
	return v, nil
}

// quote reads a value in quotes.
func (s *scanner) quote() (Value, error) {
	start, mark := s.pos, s.text[s.pos]
	var text strings.Builder
	for i := s.pos + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == mark:
			s.pos = i + 1
			return Value{Text: text.String(), Quoted: true, at: place{start, s.pos}}, nil
		case c == '\\' && i+1 < len(s.text) && (s.text[i+1] == mark || s.text[i+1] == '\\'):
			i++
			text.WriteByte(s.text[i])
		default:
			text.WriteByte(c)
		}
	}
	return Value{}, s.fault(place{start, start + 1}, "this quote is not closed", "write "+string(mark)+" where the text ends")
}
