package table

import (
	"slices"
	"strings"
)

// Sym stands for a string of one Symbols. Sym 0 is the empty string and, in a
// nullable column, absence.
type Sym uint32

// symBits bounds a Sym, which leaves three bits beside it for a ValueType.
const symBits = 29

// Symbols interns the strings of every dictionary column of one Set, so that a
// string is stored once and equal strings are equal numbers.
//
// The zero value is not ready for use; NewSymbols makes one. A Symbols holds up to
// 2^29 strings and is not safe for concurrent use.
type Symbols struct {
	ids  map[string]Sym
	text []string
}

// NewSymbols returns a Symbols that holds the empty string alone.
func NewSymbols() *Symbols {
	return &Symbols{ids: map[string]Sym{"": 0}, text: []string{""}}
}

// Intern returns the symbol of text, adding it if it is new.
func (s *Symbols) Intern(text string) Sym {
	if id, ok := s.ids[text]; ok {
		return id
	}
	return s.add(strings.Clone(text))
}

// InternBytes is Intern without an allocation for text that is already known.
func (s *Symbols) InternBytes(text []byte) Sym {
	if id, ok := s.ids[string(text)]; ok {
		return id
	}
	return s.add(string(text))
}

func (s *Symbols) add(text string) Sym {
	id := Sym(len(s.text))
	if id >= 1<<symBits {
		panic("more than 2^29 symbols")
	}
	s.text = append(s.text, text)
	s.ids[text] = id
	return id
}

// Lookup returns the symbol of text if it is known.
func (s *Symbols) Lookup(text string) (Sym, bool) {
	id, ok := s.ids[text]
	return id, ok
}

// Text returns the string that id stands for.
func (s *Symbols) Text(id Sym) string { return s.text[id] }

// Len returns the number of symbols, the empty string included.
func (s *Symbols) Len() int { return len(s.text) }

// compact drops the symbols that are not used, numbers the others in byte order,
// and returns the new symbol of every old one. Equal sets of strings then have
// equal numbers, whatever order they came in. The empty string stays symbol 0.
func (s *Symbols) compact(used []bool) []Sym {
	order := make([]Sym, 0, len(s.text))
	for id := range s.text {
		if id == 0 || used[id] {
			order = append(order, Sym(id))
		}
	}
	slices.SortFunc(order, func(a, b Sym) int { return strings.Compare(s.text[a], s.text[b]) })
	renamed := make([]Sym, len(s.text))
	text := make([]string, len(order))
	ids := make(map[string]Sym, len(order))
	for to, from := range order {
		renamed[from] = Sym(to)
		text[to] = s.text[from]
		ids[text[to]] = Sym(to)
	}
	s.text, s.ids = text, ids
	return renamed
}
