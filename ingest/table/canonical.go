package table

import (
	"cmp"
	"slices"
)

// Canonicalize drops the symbols that nothing uses and numbers the others in byte
// order, merges equal scopes, orders every table by its key and then by all its
// columns, and renumbers what refers to rows. Events and links keep the order they
// were recorded in within their span. Sets of equal content become equal to the
// byte, whatever order the content was read in, and a canonical set stays as it is.
//
// Symbols and row numbers from before are void afterwards. It panics when the set
// is not valid (see Validate).
func (s *Set) Canonicalize() {
	if err := s.Validate(); err != nil {
		panic("canonicalize: " + err.Error())
	}
	s.compactSymbols()
	where := map[string][]int32{} // by table: the new number of every old row
	for _, t := range s.Tables() {
		t.refs(func(table string, rows []int32) {
			if to := where[table]; len(to) > 0 {
				for i, row := range rows {
					rows[i] = to[row]
				}
			}
		})
		switch {
		case t.schema.Recorded:
			where[t.schema.Name] = t.order(false, nil)
		case t.schema.Merged:
			where[t.schema.Name] = t.merge(t.order(true, nil))
		default:
			where[t.schema.Name] = t.order(true, s.belongings(t))
		}
	}
}

// compactSymbols renumbers the symbols of the set, see Symbols.compact.
func (s *Set) compactSymbols() {
	used := make([]bool, s.Symbols.Len())
	for _, t := range s.Tables() {
		for _, c := range t.cols {
			c.mark(used)
		}
	}
	renamed := s.Symbols.compact(used)
	for _, t := range s.Tables() {
		t.rename(renamed)
	}
}

// order sorts the rows by key, if all is set by every other column too, and at last
// by tie; rows that are equal in all of it keep their order. It returns the new
// number of every old row.
func (r *Rows) order(all bool, tie func(i, j int) int) (where []int32) {
	rest, keys := r.rowKeys(all)
	slices.SortFunc(keys, func(a, b rowKey) int {
		for k, w := range a.word {
			if w != b.word[k] {
				return cmp.Compare(w, b.word[k])
			}
		}
		i, j := int(a.row), int(b.row)
		for _, c := range rest {
			if d := c.compare(i, j); d != 0 {
				return d
			}
		}
		if tie != nil {
			if d := tie(i, j); d != 0 {
				return d
			}
		}
		return cmp.Compare(i, j)
	})
	perm := make([]int32, len(keys))
	where = make([]int32, len(keys))
	sorted := true
	for to, key := range keys {
		perm[to], where[key.row] = key.row, int32(to)
		sorted = sorted && key.row == int32(to)
	}
	if sorted {
		r.Trim()
	} else {
		r.permute(perm)
	}
	return where
}

// rowKeys makes the sort keys of all rows and returns with them the columns that
// the keys do not decide: first the rest of the key, then, if all is set, the others.
func (r *Rows) rowKeys(all bool) (rest []column, keys []rowKey) {
	keys = make([]rowKey, r.Len())
	for i := range keys {
		keys[i].row = int32(i)
	}
	slot, fits := 0, true
	decided := make([]bool, len(r.cols))
	for _, name := range r.schema.Key {
		i := slices.IndexFunc(r.schema.Fields, func(f Field) bool { return f.Name == name })
		c := r.cols[i]
		if fits {
			n, whole := c.keys(keys, slot)
			slot += n
			fits = whole
		}
		if !fits {
			rest = append(rest, c)
		}
		decided[i] = true
	}
	if all {
		for i, c := range r.cols {
			if !decided[i] {
				rest = append(rest, c)
			}
		}
	}
	return rest, keys
}

// merge keeps the first of equal rows that stand together and returns where with
// the merged numbers.
func (r *Rows) merge(where []int32) []int32 {
	keep := make([]int32, 0, r.Len())
	merged := make([]int32, r.Len())
	for i := range r.Len() {
		if i == 0 || !r.Same(i-1, i) {
			keep = append(keep, int32(i))
		}
		merged[i] = int32(len(keep) - 1)
	}
	if len(keep) < r.Len() {
		r.permute(keep)
	}
	for i, row := range where {
		where[i] = merged[row]
	}
	return where
}

// belongings returns an order of the rows of t by what belongs to them in the
// Recorded tables, for rows that are themselves equal: a span that was recorded
// twice, once with its events and once without, has a first and a second all the same.
func (s *Set) belongings(t *Rows) func(i, j int) int {
	type owned struct {
		rows  *Rows
		owner int     // the column that names the owner
		first []int32 // owned rows of row i are list[first[i]:first[i+1]]
		list  []int32
	}
	var all []owned
	for _, child := range s.Tables() {
		if !child.schema.Recorded || child.Len() == 0 || t.Len() == 0 {
			continue
		}
		owner := slices.IndexFunc(child.schema.Fields, func(f Field) bool { return f.Name == child.schema.Key[0] })
		if child.schema.Fields[owner].Refs != t.schema.Name {
			continue
		}
		o := owned{rows: child, owner: owner, first: make([]int32, t.Len()+1), list: make([]int32, child.Len())}
		owners := *child.cols[owner].slice().(*[]int32)
		for _, row := range owners {
			o.first[row+1]++
		}
		for i := range t.Len() {
			o.first[i+1] += o.first[i]
		}
		next := slices.Clone(o.first)
		for k, row := range owners {
			o.list[next[row]] = int32(k)
			next[row]++
		}
		all = append(all, o)
	}
	return func(i, j int) int {
		for _, o := range all {
			a, b := o.list[o.first[i]:o.first[i+1]], o.list[o.first[j]:o.first[j+1]]
			if d := slices.CompareFunc(a, b, func(x, y int32) int {
				for k, c := range o.rows.cols {
					if d := c.compare(int(x), int(y)); d != 0 && k != o.owner {
						return d
					}
				}
				return 0
			}); d != 0 {
				return d
			}
		}
		return 0
	}
}
