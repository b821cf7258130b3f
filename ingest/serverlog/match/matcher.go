package match

import (
	"bytes"
	"sort"
)

// Matcher reads the fields of one record from its text.
//
// A Matcher has no state of its own and may be used from several goroutines at once,
// each with its own values.
type Matcher interface {
	// Match sets the values of the slots that it captures and leaves the others as they
	// are. It returns false if the text is no such record; values may have been set
	// all the same, and the caller resets them. Of text it keeps nothing but what the
	// values hold.
	Match(text []byte, into []Value) bool
}

// Field is one field of a record in JSON, logfmt or Python.
type Field struct {
	Name string // of the slot
	Path string // where it stands in the record
	Type Type
}

// absentTexts are the texts that stand for no value, the longest first.
type absentTexts [][]byte

func newAbsent(texts []string) absentTexts {
	var a absentTexts
	for _, t := range texts {
		if t != "" {
			a = append(a, []byte(t))
		}
	}
	sort.SliceStable(a, func(i, j int) bool { return len(a[i]) > len(a[j]) })
	return a
}

// has reports whether text stands for no value.
func (a absentTexts) has(text []byte) bool {
	for _, t := range a {
		if len(t) == len(text) && t[0] == text[0] && bytes.Equal(t, text) {
			return true
		}
	}
	return false
}

// at returns the end of the longest absent text that begins at text[at].
func (a absentTexts) at(text []byte, at int) (end int, ok bool) {
	for _, t := range a {
		if bytes.HasPrefix(text[at:], t) {
			return at + len(t), true
		}
	}
	return 0, false
}
