package filter

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Order is how the values of a key are sorted.
type Order uint8

// The orders. Values that an order does not rank come last, in the order of text.
const (
	Natural Order = iota // numbers by size, then text
	Num                  // numbers by size, even if the field is text
	Alpha                // text, byte by byte
	Listed               // as a list says
)

// Key is one field to group or sort by.
type Key struct {
	Name  string
	Order Order
	List  []string // of Listed

	quoted bool
	values []Value
	at     place
}

// Keys are fields to group or sort by, the first first.
type Keys struct {
	List []Key
	text string
}

// ParseKeys reads keys such as model,route or model@(small large),batch@num.
func ParseKeys(text string) (Keys, error) {
	s := &scanner{text: text}
	keys := Keys{text: text}
	for {
		k, err := s.key()
		if err != nil {
			return Keys{}, err
		}
		for _, before := range keys.List {
			if before.Name == k.Name {
				return Keys{}, s.fault(k.at, k.Name+" is named twice", "leave one out")
			}
		}
		keys.List = append(keys.List, k)
		if s.space(); s.end() {
			return keys, nil
		}
		if !s.take(",") {
			return Keys{}, s.fault(s.here(), "a comma is missing between two keys", "write "+k.Name+",NEXT")
		}
	}
}

// key reads one key with its order.
func (s *scanner) key() (k Key, err error) {
	if s.space(); s.at(`"`) {
		v, err := s.quote()
		if err != nil {
			return k, err
		}
		k.Name, k.quoted, k.at = v.Text, true, v.at
	} else {
		start := s.pos
		s.run(func(r rune) bool { return !unicode.IsSpace(r) && !strings.ContainsRune(`()",@`, r) })
		k.Name, k.at = s.text[start:s.pos], place{start, s.pos}
	}
	if k.Name == "" {
		return k, s.fault(place{k.at.start, s.here().end}, "the name of a field is missing", "write fields with commas between them, such as model,route")
	}
	if s.space(); !s.take("@") {
		return k, nil
	}
	s.space()
	start := s.pos
	if s.at("(") {
		k.Order = Listed
		if k.values, err = s.values(); err != nil {
			return k, err
		}
		for _, v := range k.values {
			if slices.Contains(k.List, v.Text) {
				return k, s.fault(v.at, v.Text+" is listed twice", "leave one out")
			}
			k.List = append(k.List, v.Text)
		}
		return k, nil
	}
	s.run(func(r rune) bool { return unicode.IsLetter(r) })
	switch word := s.text[start:s.pos]; word {
	case "num":
		k.Order = Num
	case "alpha":
		k.Order = Alpha
	default:
		at := place{start, max(s.pos, min(s.here().end, len(s.text)))}
		return k, s.fault(at, "there is no such order", "write "+k.Name+"@num, "+k.Name+"@alpha or "+k.Name+"@(first second)")
	}
	return k, nil
}

// String returns the keys in their plain form, which parses to the same keys.
func (k Keys) String() string {
	texts := make([]string, len(k.List))
	for i, key := range k.List {
		texts[i] = key.String()
	}
	return strings.Join(texts, ",")
}

// String returns the key with its order.
func (k Key) String() string {
	name := k.Name
	if k.quoted {
		name = Value{Text: k.Name, Quoted: true}.String()
	}
	switch k.Order {
	case Num:
		return name + "@num"
	case Alpha:
		return name + "@alpha"
	case Listed:
		return name + "@" + listString(k.values)
	}
	return name
}

// Check says which of the keys is no field.
func (k Keys) Check(fields []Field) error {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	for _, key := range k.List {
		if !slices.Contains(names, key.Name) {
			return unknownField(k.text, key.at, key.Name, names)
		}
	}
	return nil
}

// Compare orders two groups by their values, one a key. An empty value is none, and comes
// last.
func (k Keys) Compare(a, b []string) int {
	for i, key := range k.List {
		if c := key.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// Compare orders two values of the key. An empty value is none, and comes last.
func (k Key) Compare(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(truth(a == ""), truth(b == ""))
	}
	if k.Order == Listed {
		if c := cmp.Compare(k.listed(a), k.listed(b)); c != 0 {
			return c
		}
	}
	if k.Order != Alpha {
		x, isX := decimal(a)
		y, isY := decimal(b)
		if c := cmp.Or(cmp.Compare(truth(!isX), truth(!isY)), cmp.Compare(x, y)); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// listed is the place of a value in the list; what is not there comes behind.
func (k Key) listed(value string) int {
	if i := slices.Index(k.List, value); i >= 0 {
		return i
	}
	return len(k.List)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
