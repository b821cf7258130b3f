package table

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestAttrsKeepWhatIsAdded checks a column against the plain list of what was added.
func TestAttrsKeepWhatIsAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &filler{rnd: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), words: []string{"", "a", "bb", "\xff"}}
		var a Attrs
		var want [][]Attr
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			a.growRow()
			want = append(want, nil)
			for range f.rnd.IntN(5) {
				at := Attr{Key: Sym(f.rnd.IntN(3)), Value: f.value()}
				a.Add(at.Key, at.Value)
				want[len(want)-1] = append(want[len(want)-1], at)
			}
		}
		perm := rapid.Permutation(rows(len(want))).Draw(t, "perm")
		a.permute(perm)
		permuted := make([][]Attr, len(want))
		for i, from := range perm {
			permuted[i] = want[from]
		}
		keep := rapid.IntRange(0, len(want)).Draw(t, "keep")
		a.truncate(keep)
		permuted = permuted[:keep]

		items := 0
		for i, list := range permuted {
			items += len(list)
			if a.Count(i) != len(list) {
				t.Fatalf("row %d has %d entries, not %d", i, a.Count(i), len(list))
			}
			last := map[Sym]Value{}
			for j, at := range list {
				if got := a.At(i, j); !equalAttr(got, at) {
					t.Fatalf("row %d entry %d is %v, not %v", i, j, got, at)
				}
				last[at.Key] = at.Value
			}
			for key := range Sym(4) {
				got, ok := a.Get(i, key)
				if v, there := last[key]; ok != there || !equalAttr(Attr{key, got}, Attr{key, v}) {
					t.Fatalf("row %d key %d is %v %v, not %v %v", i, key, got, ok, v, there)
				}
			}
		}
		if a.Len() != keep || a.Items() != items {
			t.Fatalf("%d rows and %d entries, not %d and %d", a.Len(), a.Items(), keep, items)
		}
	})
}

func rows(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

func equalAttr(a, b Attr) bool {
	return a.Key == b.Key && a.Value.Type == b.Value.Type && a.Value.Bits == b.Value.Bits && bytes.Equal(a.Value.Text, b.Value.Text)
}

func TestAttrsDropWhatATypeHasNoUseFor(t *testing.T) {
	var a Attrs
	a.growRow()
	for _, v := range []Value{
		{Type: ValueEmpty, Bits: 7, Text: []byte("x")}, {Type: ValueInt, Bits: 7, Text: []byte("x")},
		{Type: ValueString, Bits: 7, Text: []byte("x")}, {Type: ValueBool, Bits: 7},
	} {
		a.Add(1, v)
	}
	for j, want := range []Value{{}, IntValue(7), StringValue("x"), BoolValue(true)} {
		if got := a.At(0, j); !equalAttr(got, Attr{1, want}) {
			t.Errorf("entry %d is %v, not %v", j, got.Value, want)
		}
	}
}

func TestAttrsTextCannotGrowIntoItsNeighbour(t *testing.T) {
	var a Attrs
	a.growRow()
	a.Add(1, StringValue("left"))
	a.Add(2, StringValue("right"))
	_ = append(a.At(0, 0).Value.Text, "XXXXX"...)
	if got := string(a.At(0, 1).Value.Text); got != "right" {
		t.Errorf("the neighbour is %q", got)
	}
}

func TestAttrsRefuseUnknownTypes(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a value of type 8 is taken")
		}
	}()
	var a Attrs
	a.growRow()
	a.Add(1, Value{Type: 8})
}

func TestValues(t *testing.T) {
	if v := IntValue(math.MinInt64); v.Int() != math.MinInt64 {
		t.Error(v)
	}
	if v := DoubleValue(math.Copysign(0, -1)); math.Float64bits(v.Double()) != 1<<63 {
		t.Error(v)
	}
	if !BoolValue(true).Bool() || BoolValue(false).Bool() {
		t.Error("booleans are not what they were")
	}
}

func TestSymbolsAreTheirStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSymbols()
		want := map[string]Sym{"": 0}
		for _, text := range rapid.SliceOf(awkwardText()).Draw(t, "texts") {
			_, known := s.Lookup(text)
			id := s.InternBytes([]byte(text))
			if had, ok := want[text]; ok != known || ok && had != id {
				t.Fatalf("%q is symbol %d and was %d", text, id, had)
			}
			want[text] = id
			if s.Intern(text) != id || s.Text(id) != text {
				t.Fatalf("symbol %d is %q, not %q", id, s.Text(id), text)
			}
		}
		if s.Len() != len(want) {
			t.Fatalf("%d symbols for %d strings", s.Len(), len(want))
		}
	})
}

func TestInternDoesNotKeepItsArgument(t *testing.T) {
	s := NewSymbols()
	b := []byte("model")
	id := s.InternBytes(b)
	clear(b)
	if s.Text(id) != "model" {
		t.Errorf("the symbol changed to %q", s.Text(id))
	}
	if n := testing.AllocsPerRun(100, func() { s.InternBytes([]byte("model")) }); n > 0 {
		t.Errorf("a known string takes %v allocations", n)
	}
}
