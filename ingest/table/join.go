package table

// Join puts the rows of sets behind each other, in order, and renumbers what refers to rows: it
// comes to what Append of one after the other does. It returns the first set, or an empty one for
// none. The others have no rows afterwards: each column is copied once, however many sets there
// are, and given up then, so no more is held twice than a column.
func Join(sets []*Set) *Set {
	if len(sets) == 0 {
		return NewSet()
	}
	s, others := sets[0], sets[1:]
	renamed := make([][]Sym, len(others))
	from := make([][]*Rows, len(others))
	base := make([]map[string]int, len(others)) // by table: where the rows of the set begin
	end := map[string]int{}
	for _, t := range s.Tables() {
		end[t.schema.Name] = t.Len()
	}
	for k, other := range others {
		renamed[k], from[k] = s.Symbols.internAll(other.Symbols), other.Tables()
		base[k] = map[string]int{}
		for _, t := range from[k] {
			base[k][t.schema.Name] = end[t.schema.Name]
			end[t.schema.Name] += t.Len()
		}
	}
	for i, t := range s.Tables() {
		for c, to := range t.cols {
			parts := make([]column, len(others))
			for k := range others {
				parts[k] = from[k][i].cols[c]
			}
			to.makeRoomFor(parts)
			for k, part := range parts {
				to.appendFrom(part, renamed[k])
				part.release()
			}
		}
		t.refs(func(table string, rows []int32) {
			for k := range others {
				first, last := base[k][t.schema.Name], len(rows)
				if k+1 < len(others) {
					last = base[k+1][t.schema.Name]
				}
				for row := first; row < last; row++ {
					rows[row] += int32(base[k][table])
				}
			}
		})
		t.room = t.Len()
		for k := range others {
			from[k][i].room = 0
		}
	}
	return s
}

// internAll interns the strings of other and returns the symbol of each.
func (s *Symbols) internAll(other *Symbols) []Sym {
	renamed := make([]Sym, other.Len())
	for id, text := range other.text {
		renamed[id] = s.Intern(text)
	}
	return renamed
}

func (c *plain[T]) makeRoomFor(others []column) {
	rows := 0
	for _, other := range others {
		rows += other.size()
	}
	*c.vals = roomFor(*c.vals, rows)
}

func (c *plain[T]) release() { *c.vals = nil }

func (c *mapped) makeRoomFor(others []column) {
	rows, items, text := 0, 0, 0
	for _, other := range others {
		a := other.(*mapped).attrs
		rows, items, text = rows+len(a.ends), items+len(a.items), text+len(a.text)
	}
	a := c.attrs
	a.ends, a.items, a.text = roomFor(a.ends, rows), roomFor(a.items, items), roomFor(a.text, text)
}

func (c *mapped) release() { *c.attrs = Attrs{} }

// roomFor makes room for n more values behind a list, and for no others.
func roomFor[T any](list []T, n int) []T {
	if cap(list)-len(list) >= n {
		return list
	}
	return append(make([]T, 0, len(list)+n), list...)
}
