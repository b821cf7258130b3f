package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// identity says how two sets differ in memory, down to the numbers of their symbols
// and the arenas of their attributes, or returns "" if they do not.
func identity(a, b *Set) string {
	if !slices.Equal(a.Symbols.text, b.Symbols.text) {
		return fmt.Sprintf("symbols %q against %q", a.Symbols.text, b.Symbols.text)
	}
	for _, s := range []*Set{a, b} {
		for id, text := range s.Symbols.text {
			if got, ok := s.Symbols.Lookup(text); !ok || got != Sym(id) {
				return fmt.Sprintf("%q is symbol %d and is looked up as %d", text, id, got)
			}
		}
	}
	if d := Difference(a, b); d != "" {
		return d
	}
	theirs := b.Tables()
	for i, t := range a.Tables() {
		for k, f := range t.schema.Fields {
			if !sameMemory(t.cols[k].slice(), theirs[i].cols[k].slice()) {
				return fmt.Sprintf("table %s: column %s is equal and not identical", t.schema.Name, f.Name)
			}
		}
	}
	return ""
}

func sameMemory(a, b any) bool {
	switch x := a.(type) {
	case *[]Sym:
		return slices.Equal(*x, *b.(*[]Sym))
	case *[]float64:
		return slices.EqualFunc(*x, *b.(*[]float64), func(p, q float64) bool { return math.Float64bits(p) == math.Float64bits(q) })
	case *Attrs:
		y := b.(*Attrs)
		return slices.Equal(x.ends, y.ends) && slices.Equal(x.items, y.items) && slices.Equal(x.text, y.text)
	}
	return true // compared by Difference, value by value
}

// part returns a copy of the rows of s that keep chooses, shuffled, with the rows
// that they refer to and that refer to them. Rows of Recorded tables keep the order
// they have within their owner. keep is asked about rows that refer to no others but
// scopes.
func part(rnd *rand.Rand, s *Set, keep func(table string, row int) bool) *Set {
	out := NewSet()
	for _, w := range rnd.Perm(s.Symbols.Len()) { // symbols come in another order
		out.Symbols.Intern(s.Symbols.text[w])
	}
	out.Append(s)
	where := map[string][]int32{}
	for _, t := range out.Tables() {
		kept := make([]int32, 0, t.Len())
		for row := range t.Len() {
			ok := true
			root := true
			t.refs(func(table string, rows []int32) {
				root = root && table == "scopes"
				if table != "scopes" {
					ok = ok && where[table][rows[row]] >= 0
				}
			})
			if ok && (!root || t.schema.Name == "scopes" || keep(t.schema.Name, row)) {
				kept = append(kept, int32(row))
			}
		}
		shuffle(rnd, t, kept)
		to := make([]int32, t.Len())
		for i := range to {
			to[i] = -1
		}
		for i, row := range kept {
			to[row] = int32(i)
		}
		t.permute(kept)
		t.refs(func(table string, rows []int32) {
			for i, row := range rows {
				rows[i] = where[table][row]
			}
		})
		where[t.schema.Name] = to
	}
	return out
}

// shuffle reorders rows, but not those of one owner among themselves where the
// order is recorded.
func shuffle(rnd *rand.Rand, t *Rows, rows []int32) {
	rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	if !t.schema.Recorded {
		return
	}
	owner := *t.cols[0].slice().(*[]int32)
	places := map[int32][]int{}
	for i, row := range rows {
		places[owner[row]] = append(places[owner[row]], i)
	}
	sorted := slices.Sorted(slices.Values(rows))
	for _, row := range sorted {
		o := owner[row]
		rows[places[o][0]] = row
		places[o] = places[o][1:]
	}
}

func everything(string, int) bool { return true }
