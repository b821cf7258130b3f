package match

import (
	"fmt"
	"strings"
)

// maxFields is how many fields a record may declare.
const maxFields = 128

// node is a place in a record that paths lead through: an object, an array or a call.
type node struct {
	members []member
	buckets [64][]uint16 // of members, by the hash of their keys
}

// member is what a node is asked for under one key, or under one index in decimal.
type member struct {
	key    string
	leaves []leaf
	child  *node // nil: no path leads further
}

// leaf is a field that ends here. Of several places for one field, that with the
// higher rank wins: a dot may separate two keys or be part of one, and the fewer keys
// there are, the higher the rank.
type leaf struct {
	field int
	rank  uint8
}

// fieldSet is the declared fields of a record, in a form to walk it by.
type fieldSet struct {
	root   *node
	fields []Field
	slots  []int
	best   []uint8 // the highest rank of each field
	absent absentTexts
}

func newFieldSet(fields []Field, slots *Slots, absent []string) (*fieldSet, error) {
	if len(fields) == 0 {
		return nil, &SyntaxError{Message: "expected at least one field"}
	}
	if len(fields) > maxFields {
		return nil, &SyntaxError{Message: fmt.Sprintf("expected at most %d fields, found %d", maxFields, len(fields))}
	}
	s := &fieldSet{root: &node{}, fields: fields, absent: newAbsent(absent)}
	seen := map[string]bool{}
	for i, f := range fields {
		if !validName(f.Name) || f.Name == "_" {
			return nil, &SyntaxError{Message: fmt.Sprintf("expected the name of a field, found %q", f.Name)}
		}
		if seen[f.Name] {
			return nil, &SyntaxError{Message: fmt.Sprintf("field %s: the name is taken", f.Name)}
		}
		seen[f.Name] = true
		parts, err := splitPath(f.Path)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		s.slots = append(s.slots, slots.Slot(f.Name))
		s.best = append(s.best, 0)
		s.add(s.root, parts, i, 0)
	}
	return s, nil
}

// pathPart is one part of a path between dots. whole says that it stood in quotes and
// is a key of its own.
type pathPart struct {
	key   string
	whole bool
}

// maxParts of a path bounds in how many ways it can be read.
const maxPathParts = 8

func splitPath(path string) (parts []pathPart, err error) {
	for rest := path; ; {
		var p pathPart
		if strings.HasPrefix(rest, `"`) {
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, &SyntaxError{Message: fmt.Sprintf("path %q: expected a quote that closes the key", path)}
			}
			p = pathPart{key: rest[1 : end+1], whole: true}
			rest = rest[end+2:]
		} else {
			end := strings.IndexByte(rest, '.')
			if end < 0 {
				end = len(rest)
			}
			p = pathPart{key: rest[:end]}
			rest = rest[end:]
		}
		if p.key == "" {
			return nil, &SyntaxError{Message: fmt.Sprintf("path %q: expected a key, found nothing", path)}
		}
		if parts = append(parts, p); len(parts) > maxPathParts {
			return nil, &SyntaxError{Message: fmt.Sprintf("path %q: expected at most %d keys", path, maxPathParts)}
		}
		if rest == "" {
			return parts, nil
		}
		if rest[0] != '.' {
			return nil, &SyntaxError{Message: fmt.Sprintf("path %q: expected a dot behind the quotes", path)}
		}
		rest = rest[1:]
	}
}

// add lets the path lead to the field in every way it can be read; depth keys lead to n.
func (s *fieldSet) add(n *node, parts []pathPart, field, depth int) {
	key := ""
	for k, p := range parts {
		if k > 0 {
			if p.whole || parts[k-1].whole {
				return
			}
			key += "."
		}
		key += p.key
		m := n.at(key)
		if k == len(parts)-1 {
			rank := uint8(2*maxPathParts - depth)
			m.leaves = append(m.leaves, leaf{field, rank})
			s.best[field] = max(s.best[field], rank)
			return
		}
		if m.child == nil {
			m.child = &node{}
		}
		s.add(m.child, parts[k+1:], field, depth+1)
	}
}

// at returns the member of a key, and makes it if there is none.
func (n *node) at(key string) *member {
	if m := n.find([]byte(key)); m != nil {
		return m
	}
	h := hashKey([]byte(key))
	n.buckets[h] = append(n.buckets[h], uint16(len(n.members)))
	n.members = append(n.members, member{key: key})
	return &n.members[len(n.members)-1]
}

// find returns what is asked for under key, or nil.
func (n *node) find(key []byte) *member {
	if len(key) == 0 {
		return nil
	}
	for _, i := range n.buckets[hashKey(key)] {
		if m := &n.members[i]; m.key == string(key) {
			return m
		}
	}
	return nil
}

// hashKey tells most keys of one record apart by their length and three of their bytes.
func hashKey(key []byte) uint32 {
	n := len(key)
	h := uint32(n)*7 ^ uint32(key[0])*31 ^ uint32(key[n-1])*13 ^ uint32(key[n/2])*61
	return (h ^ h>>6) & 63
}

// walk is the state of reading one record by a fieldSet.
type walk struct {
	*fieldSet
	text  []byte
	into  []Value
	ranks [maxFields]uint8 // of the values found so far, 0 for none
	left  int              // fields for which a better value may still be found
	open  bool             // a string was met that is never closed
	found bool             // any
}

// begin starts a walk.
func (s *fieldSet) begin(w *walk, text []byte, into []Value) {
	w.fieldSet, w.text, w.into, w.left = s, text, into, len(s.fields)
}

// slot returns the value to set for a leaf, or nil if a better place was found before.
func (w *walk) slot(l leaf) *Value {
	if w.ranks[l.field] >= l.rank {
		return nil
	}
	w.ranks[l.field] = l.rank
	w.found = true
	if l.rank == w.best[l.field] {
		w.left--
	}
	v := &w.into[w.slots[l.field]]
	v.reset()
	return v
}

// scalar sets the leaves of m to an unquoted text. none says that it stands for no
// value, double that a number in it is the shortest text of a double.
func (w *walk) scalar(m *member, text []byte, none, double bool) {
	for _, l := range m.leaves {
		v := w.slot(l)
		switch {
		case v == nil:
		case none:
			v.Text = text
		default:
			read(w.fields[l.field].Type, text, v, double, w.absent)
		}
	}
}

// str sets the leaves of m to the text between quotes.
func (w *walk) str(m *member, inner []byte, escaped bool, how escapes) {
	for _, l := range m.leaves {
		v := w.slot(l)
		if v == nil {
			continue
		}
		v.Flags = Quoted
		if escaped {
			own := v.keep()
			own.text = unescape(own.text[:0], inner, how)
			read(w.fields[l.field].Type, own.text, v, false, w.absent)
		} else {
			read(w.fields[l.field].Type, inner, v, false, w.absent)
		}
	}
}

// index returns the member of an index of an array, or nil.
func (n *node) index(i int) *member {
	if i > 9999 {
		return nil
	}
	var digits [4]byte
	at := len(digits)
	for {
		at--
		digits[at] = byte('0' + i%10)
		if i /= 10; i == 0 {
			return n.find(digits[at:])
		}
	}
}
