package table

import (
	"math"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// sets draws sets of up to rows rows a table, in which every column takes every kind
// of value it can: absent ones, the extremes, awkward text, attributes of all types
// with duplicate keys.
func sets(rows int) *rapid.Generator[*Set] {
	return rapid.Custom(func(t *rapid.T) *Set {
		f := &filler{
			rnd:   rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)),
			words: append(rapid.SliceOfN(awkwardText(), 1, 12).Draw(t, "words"), "queue", "gpu", "vllm"),
		}
		s := NewSet()
		for _, table := range s.Tables() {
			f.fill(s, table, rapid.IntRange(0, rows).Draw(t, table.schema.Name))
		}
		return s
	})
}

// filler fills tables from their schemas.
type filler struct {
	rnd   *rand.Rand
	words []string
}

func (f *filler) word() string { return f.words[f.rnd.IntN(len(f.words))] }

func (f *filler) integer() int64 {
	switch f.rnd.IntN(6) {
	case 0:
		return 0
	case 1:
		return math.MaxInt64
	case 2:
		return math.MinInt64 // Missing where that is allowed
	case 3:
		return -1
	case 4:
		return int64(f.rnd.Uint64())
	}
	return 1764428645_000000000 + int64(f.rnd.IntN(4))
}

func (f *filler) float() float64 {
	return []float64{0, math.Copysign(0, -1), 1.5, math.Inf(1), math.Inf(-1), math.NaN(),
		math.Float64frombits(0x7ff8dead0000beef), math.Float64frombits(0xfff8000000000001), math.SmallestNonzeroFloat64, f.rnd.NormFloat64()}[f.rnd.IntN(10)]
}

func (f *filler) value() Value {
	switch typ := ValueType(f.rnd.IntN(len(ValueTypeNames))); typ {
	case ValueEmpty:
		return Value{}
	case ValueBool:
		return BoolValue(f.rnd.IntN(2) == 1)
	case ValueInt:
		return IntValue(f.integer())
	case ValueDouble:
		return DoubleValue(f.float())
	default:
		return Value{Type: typ, Text: []byte(f.word())}
	}
}

func (f *filler) id() byte { return byte(f.rnd.IntN(3)) }

// fill appends n rows. Tables that are referred to must be filled before.
func (f *filler) fill(s *Set, table *Rows, n int) {
	for _, field := range table.schema.Fields {
		if to, ok := s.Table(field.Refs); ok && to.Len() == 0 {
			n = 0 // there is no row to refer to
		}
	}
	for range n {
		row := table.Grow()
		for k, field := range table.schema.Fields {
			f.set(s, table, table.cols[k], field, row)
		}
	}
}

func (f *filler) set(s *Set, table *Rows, c column, field Field, row int) {
	switch vals := c.slice().(type) {
	case *[]int64:
		(*vals)[row] = f.integer()
	case *[]int32:
		if to, ok := s.Table(field.Refs); ok {
			(*vals)[row] = int32(f.rnd.IntN(to.Len()))
		} else {
			(*vals)[row] = int32(f.rnd.Uint32())
		}
	case *[]float64:
		if (*vals)[row] = f.float(); field.Nullable && math.IsNaN((*vals)[row]) {
			(*vals)[row] = math.NaN()
		}
	case *[]bool:
		(*vals)[row] = f.rnd.IntN(2) == 1
	case *[]uint8:
		(*vals)[row] = uint8(f.rnd.IntN(len(field.Names)))
	case *[]Sym:
		(*vals)[row] = s.Symbols.Intern(f.word())
	case *[]string:
		(*vals)[row] = f.word()
	case *[]TraceID:
		(*vals)[row] = TraceID{0: f.id(), 15: f.id()}
	case *[]SpanID:
		(*vals)[row] = SpanID{7: f.id()}
	case *Attrs:
		for range f.rnd.IntN(4) {
			vals.Add(s.Symbols.Intern(f.word()), f.value())
		}
	}
}
