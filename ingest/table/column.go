package table

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"strings"
)

// Missing is the absent value of a nullable integer or timestamp column.
const Missing = math.MinInt64

// TraceID and SpanID are the identifiers of OpenTelemetry.
type (
	TraceID [16]byte
	SpanID  [8]byte
)

// column is one column of one table, whatever its type.
type column interface {
	size() int
	truncate(n int)                                      // keep the first n rows
	permute(perm []int32)                                // new row i is old row perm[i]
	compare(i, j int) int                                // total order of two rows
	keys(dst []rowKey, slot int) (words int, whole bool) // see rowKey
	appendFrom(src column, renamed []Sym)                // src is the same column of another set
	rename(from int, renamed []Sym)                      // renumber symbols of the rows from there on
	reserve(rows int)                                    // make room for more rows
	makeRoomFor(others []column)                         // for the rows of the same column of other sets, and no more
	release()                                            // give up all rows
	trim()                                               // give the room back
	mark(used []bool)                                    // mark the symbols that occur
	slice() any                                          // pointer to the Go slice or *Attrs
	footprint() int64                                    // bytes that its values and their text take
}

// rowKey holds the first words of a row's sort key, so that most comparisons touch
// no column. Words compare as unsigned numbers in the order of the column.
type rowKey struct {
	word [3]uint64
	row  int32
}

// plain is a column of values that hold no symbols.
type plain[T any] struct {
	vals *[]T
	*kind[T]
	absent T // that of the kind, at hand for each row that is appended
}

// kind is what columns have in common whose values are of one type and order.
type kind[T any] struct {
	absent T
	order  func(a, b T) int
	words  []func(T) uint64 // leading words of a value's sort key
	whole  bool             // equal words mean equal values
}

func (c *plain[T]) size() int            { return len(*c.vals) }
func (c *plain[T]) truncate(n int)       { *c.vals = (*c.vals)[:n] }
func (c *plain[T]) compare(i, j int) int { return c.order((*c.vals)[i], (*c.vals)[j]) }
func (c *plain[T]) rename(int, []Sym)    {}
func (c *plain[T]) reserve(rows int)     { *c.vals = roomFor(*c.vals, rows) }
func (c *plain[T]) trim()                { *c.vals = trimmed(*c.vals) }
func (c *plain[T]) mark([]bool)          {}
func (c *plain[T]) slice() any           { return c.vals }

func (c *plain[T]) permute(perm []int32) {
	out := make([]T, len(perm))
	for i, from := range perm {
		out[i] = (*c.vals)[from]
	}
	*c.vals = out
}

func (c *plain[T]) appendFrom(src column, _ []Sym) {
	*c.vals = append(*c.vals, *src.(*plain[T]).vals...)
}

func (c *plain[T]) keys(dst []rowKey, slot int) (int, bool) {
	n := min(len(c.words), len(rowKey{}.word)-slot)
	for k, word := range c.words[:n] {
		for i, v := range *c.vals {
			dst[i].word[slot+k] = word(v)
		}
	}
	return n, c.whole && n == len(c.words)
}

// symbolic is a column of symbols.
type symbolic struct{ plain[Sym] }

func (c *symbolic) rename(from int, renamed []Sym) {
	vals := (*c.vals)[from:]
	for i, id := range vals {
		vals[i] = renamed[id]
	}
}

func (c *symbolic) mark(used []bool) {
	for _, id := range *c.vals {
		used[id] = true
	}
}

func (c *symbolic) appendFrom(src column, renamed []Sym) {
	for _, id := range *src.(*symbolic).vals {
		*c.vals = append(*c.vals, renamed[id])
	}
}

// mapped is a column of attribute lists.
type mapped struct{ attrs *Attrs }

func (c *mapped) size() int                       { return c.attrs.Len() }
func (c *mapped) truncate(n int)                  { c.attrs.truncate(n) }
func (c *mapped) compare(i, j int) int            { return c.attrs.compare(i, j) }
func (c *mapped) keys([]rowKey, int) (int, bool)  { return 0, false }
func (c *mapped) rename(from int, re []Sym)       { c.attrs.rename(from, re) }
func (c *mapped) reserve(rows int)                { c.attrs.reserve(rows) }
func (c *mapped) trim()                           { c.attrs.trim() }
func (c *mapped) mark(used []bool)                { c.attrs.mark(used) }
func (c *mapped) permute(perm []int32)            { c.attrs.permute(perm) }
func (c *mapped) slice() any                      { return c.attrs }
func (c *mapped) appendFrom(src column, re []Sym) { c.attrs.appendFrom(src.(*mapped).attrs, re) }

func signed[T int32 | int64](v T) uint64 { return uint64(int64(v)) ^ 1<<63 }

// floatWord orders floating-point numbers totally by their bits: the negative NaNs,
// the numbers with -0 before +0, the positive NaNs.
func floatWord(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func boolWord(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func textWord(v string) uint64 {
	var b [8]byte
	copy(b[:], v)
	return binary.BigEndian.Uint64(b[:])
}

// wholly is a kind whose one word says everything about a value.
func wholly[T any](absent T, word func(T) uint64) kind[T] {
	return kind[T]{
		absent: absent, words: []func(T) uint64{word}, whole: true,
		order: func(a, b T) int { return cmp.Compare(word(a), word(b)) },
	}
}

func wholeInt64s(absent int64) kind[int64] {
	k := wholly(absent, signed[int64])
	k.order = cmp.Compare[int64]
	return k
}

// The kinds of columns.
var (
	int64s           = wholeInt64s(0)
	nullableInt64s   = wholeInt64s(Missing)
	int32s           = wholly(0, signed[int32])
	float64s         = wholly(0, floatWord)
	nullableFloat64s = wholly(math.NaN(), floatWord)
	bools            = wholly(false, boolWord)
	enums            = wholly(0, func(v uint8) uint64 { return uint64(v) })
	syms             = wholly(0, func(v Sym) uint64 { return uint64(v) })
	texts            = kind[string]{order: strings.Compare, words: []func(string) uint64{textWord}}
	traceIDs         = kind[TraceID]{
		order: func(a, b TraceID) int { return bytes.Compare(a[:], b[:]) },
		words: []func(TraceID) uint64{
			func(v TraceID) uint64 { return binary.BigEndian.Uint64(v[:8]) },
			func(v TraceID) uint64 { return binary.BigEndian.Uint64(v[8:]) },
		},
		whole: true,
	}
	spanIDs = wholly(SpanID{}, func(v SpanID) uint64 { return binary.BigEndian.Uint64(v[:]) })
)
