package table

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func canonical(s *Set) *Set {
	c := NewSet()
	c.Append(s)
	c.Canonicalize()
	return c
}

func TestCanonicalizeKeepsTheRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(8).Draw(t, "set")
		c := canonical(s)
		for i, table := range s.Tables() {
			got := c.Tables()[i].Len()
			if got != table.Len() && !table.schema.Merged || got > table.Len() {
				t.Fatalf("table %s had %d rows and has %d", table.schema.Name, table.Len(), got)
			}
		}
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		again := canonical(c)
		if d := identity(c, again); d != "" {
			t.Fatalf("a canonical set changes: %s", d)
		}
	})
}

func TestCanonicalizeForgetsTheOrderOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(8).Draw(t, "set")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 2))
		if d := identity(canonical(s), canonical(part(rnd, s, everything))); d != "" {
			t.Fatal(d)
		}
	})
}

// TestCanonicalizeForgetsWhoReadWhat splits the rows over sets and appends these in
// any order: by worker, by file, by chunk, the result is one.
func TestCanonicalizeForgetsWhoReadWhat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(8).Draw(t, "set")
		s.Requests.truncate(0) // made from a whole set only
		s.Segments.truncate(0)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "split"), 2))
		n := rapid.IntRange(1, 4).Draw(t, "parts")
		owner := map[string][]int{}
		for _, table := range s.Tables() {
			for range table.Len() {
				owner[table.schema.Name] = append(owner[table.schema.Name], rnd.IntN(n))
			}
		}
		joined := NewSet()
		for _, p := range rnd.Perm(n) {
			joined.Append(part(rnd, s, func(table string, row int) bool { return owner[table][row] == p }))
		}
		if d := identity(canonical(s), canonical(joined)); d != "" {
			t.Fatal(d)
		}
	})
}

// TestCanonicalizeOrdersSpansRecordedTwice gives equal spans different events.
func TestCanonicalizeOrdersSpansRecordedTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSet()
		s.Scopes.Grow()
		spans := rapid.IntRange(1, 4).Draw(t, "spans")
		for range spans {
			s.Spans.Grow()
		}
		for range rapid.IntRange(0, 8).Draw(t, "events") {
			i := s.SpanEvents.Grow()
			s.SpanEvents.SpanRow[i] = int32(rapid.IntRange(0, spans-1).Draw(t, "span"))
			s.SpanEvents.Name[i] = s.Symbols.Intern(rapid.SampledFrom([]string{"QUEUED", "SCHEDULED"}).Draw(t, "name"))
		}
		for range rapid.IntRange(0, 3).Draw(t, "links") {
			i := s.SpanLinks.Grow()
			s.SpanLinks.SpanRow[i] = int32(rapid.IntRange(0, spans-1).Draw(t, "span"))
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 2))
		if d := identity(canonical(s), canonical(part(rnd, s, everything))); d != "" {
			t.Fatal(d)
		}
	})
}

func TestCanonicalizeOrdersByKeyAndFollowsRows(t *testing.T) {
	s := NewSet()
	scope := func(service string) int32 {
		i := s.Scopes.Grow()
		s.Scopes.Service[i] = s.Symbols.Intern(service)
		return int32(i)
	}
	s.Symbols.Intern("never used")
	for _, sp := range []struct {
		trace      byte
		start, end int64
		service    string
	}{{2, 5, 9, "vllm"}, {1, 7, 9, "nginx"}, {1, -7, 9, "vllm"}, {1, 7, 8, "vllm"}} {
		i := s.Spans.Grow()
		s.Spans.TraceID[i] = TraceID{15: sp.trace}
		s.Spans.Start[i], s.Spans.End[i] = sp.start, sp.end
		s.Spans.ScopeRow[i] = scope(sp.service)
		for _, name := range []string{"b", "a"} {
			e := s.SpanEvents.Grow()
			s.SpanEvents.SpanRow[e], s.SpanEvents.Time[e] = int32(i), sp.start
			s.SpanEvents.Name[e] = s.Symbols.Intern(name)
		}
	}
	s.Canonicalize()
	if got, want := s.Symbols.text, []string{"", "a", "b", "nginx", "vllm"}; !slices.Equal(got, want) {
		t.Errorf("symbols are %q, not %q", got, want)
	}
	if s.Scopes.Len() != 2 {
		t.Errorf("%d scopes of 2 services", s.Scopes.Len())
	}
	if want := []int64{-7, 7, 7, 5}; !slices.Equal(s.Spans.Start, want) {
		t.Errorf("spans start at %v, not %v", s.Spans.Start, want)
	}
	for i, want := range []string{"vllm", "vllm", "nginx", "vllm"} {
		if got := s.Symbols.Text(s.Scopes.Service[s.Spans.ScopeRow[i]]); got != want {
			t.Errorf("span %d is of service %q, not %q", i, got, want)
		}
	}
	for e, span := range s.SpanEvents.SpanRow {
		if int(span) != e/2 || s.SpanEvents.Time[e] != s.Spans.Start[span] {
			t.Errorf("event %d at %d is of span %d, which starts at %d", e, s.SpanEvents.Time[e], span, s.Spans.Start[span])
		}
		if got, want := s.Symbols.Text(s.SpanEvents.Name[e]), []string{"b", "a"}[e%2]; got != want {
			t.Errorf("event %d is %q, not %q", e, got, want)
		}
	}
}

func TestManyEventsOfASpanStayInOrder(t *testing.T) {
	s := NewSet()
	s.Scopes.Grow()
	for i := range 100 {
		s.Spans.Grow()
		s.Spans.Start[i] = int64(100 - i)
	}
	for i := range 5000 {
		s.SpanEvents.Grow()
		s.SpanEvents.SpanRow[i], s.SpanEvents.Time[i] = int32(i*37%100), int64(i*7919%5000)
	}
	want := make([][]int64, 101) // by start of the span
	for i, row := range s.SpanEvents.SpanRow {
		want[s.Spans.Start[row]] = append(want[s.Spans.Start[row]], s.SpanEvents.Time[i])
	}
	s.Canonicalize()
	got := make([][]int64, 101)
	for i, row := range s.SpanEvents.SpanRow {
		got[s.Spans.Start[row]] = append(got[s.Spans.Start[row]], s.SpanEvents.Time[i])
	}
	for start := range want {
		if !slices.Equal(got[start], want[start]) {
			t.Fatalf("the events of the span that starts at %d are out of order", start)
		}
	}
}

// TestColumnsOrderAsTheirWords checks that the words of sort keys and the comparison
// of columns agree, and that numbers are in the order of numbers.
func TestColumnsOrderAsTheirWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(6).Draw(t, "set")
		for _, table := range s.Tables() {
			for k, c := range table.cols {
				keys := make([]rowKey, table.Len())
				_, whole := c.keys(keys, 0)
				for i := range keys {
					for j := range keys {
						byWords, byColumn := slices.Compare(keys[i].word[:], keys[j].word[:]), c.compare(i, j)
						if byWords != byColumn && (whole || byWords != 0) {
							t.Fatalf("%s: %s against %s is %d by words and %d by column", table.schema.Fields[k].Name,
								cell(s, c, table.schema.Fields[k], i), cell(s, c, table.schema.Fields[k], j), byWords, byColumn)
						}
						if v, ok := c.slice().(*[]float64); ok && (*v)[i] < (*v)[j] && byColumn >= 0 {
							t.Fatalf("%v does not come before %v", (*v)[i], (*v)[j])
						}
					}
				}
			}
		}
	})
}

func TestCanonicalizePanicsOnRowsThatAreNotThere(t *testing.T) {
	defer func() {
		if got, want := recover(), "canonicalize: table spans: column scope_row: row 0: the scopes table has no row 3"; got != want {
			t.Errorf("panic is %v, not %q", got, want)
		}
	}()
	s := NewSet()
	s.Scopes.Grow()
	s.Spans.Grow()
	s.Spans.ScopeRow[0] = 3
	s.Canonicalize()
}

func TestValidateNamesTheFault(t *testing.T) {
	for want, spoil := range map[string]func(s *Set){
		"table spans: column end_ns: 0 values for 1 rows":                                 func(s *Set) { s.Spans.End = nil },
		"table spans: column kind: row 0: value 9 has no name":                            func(s *Set) { s.Spans.Kind[0] = 9 },
		"table spans: column model: row 0: symbol 7 is not one of this set":               func(s *Set) { s.Spans.Model[0] = 7 },
		"table spans: column scope_row: row 0: the scopes table has no row -1":            func(s *Set) { s.Spans.ScopeRow[0] = -1 },
		"table scopes: column scope_attributes: entry 0: symbol 9 is not one of this set": func(s *Set) { s.Scopes.ScopeAttributes.Add(9, BoolValue(true)) },
	} {
		s := NewSet()
		s.Scopes.Grow()
		s.Spans.Grow()
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(s)
		if err := s.Validate(); err == nil || err.Error() != want {
			t.Errorf("error is %v, not %q", err, want)
		}
		if s.Spans.End != nil {
			if err := WriteParquet(&failingWriter{}, s, &s.Spans.Rows); err == nil {
				t.Errorf("a set is written where %s", want)
			}
		}
	}
}

func TestAppendLeavesItsSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := sets(4).Draw(t, "a"), sets(4).Draw(t, "b")
		before := NewSet()
		before.Append(b)
		both := NewSet()
		both.Append(a)
		both.Append(b)
		if d := Difference(b, before); d != "" {
			t.Fatal(d)
		}
		// The rows of b are the last rows of both; take those of a away.
		for i, table := range both.Tables() {
			n := a.Tables()[i].Len()
			rest := make([]int32, table.Len()-n)
			for k := range rest {
				rest[k] = int32(n + k)
			}
			table.refs(func(to string, rows []int32) {
				base, _ := a.Table(to)
				for k := range rows {
					rows[k] -= int32(base.Len())
				}
			})
			table.permute(rest)
		}
		if d := Difference(b, both); d != "" {
			t.Fatal(d)
		}
	})
}
