package table

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// readValues is how many levels are read at once.
const readValues = 8 << 10

// decode appends the n rows of a row group to the column.
func (r *columnReader) decode(in []file.ColumnChunkReader, n int) error {
	f, c := r.field, r.column
	symbols := &symbolReader{symbols: r.symbols}
	l := leafReader{n: n, nullable: f.Nullable}
	switch vals := c.slice().(type) {
	case *[]int64:
		return readFlat(l, vals, c.(plain[int64]).absent, in[0].(*file.Int64ColumnChunkReader).ReadBatch, same)
	case *[]int32:
		return readFlat(l, vals, 0, in[0].(*file.Int32ColumnChunkReader).ReadBatch, same)
	case *[]float64:
		return readFlat(l, vals, c.(plain[float64]).absent, in[0].(*file.Float64ColumnChunkReader).ReadBatch, same)
	case *[]bool:
		return readFlat(l, vals, false, in[0].(*file.BooleanColumnChunkReader).ReadBatch, same)
	case *[]TraceID:
		return readFlat(l, vals, TraceID{}, in[0].(*file.FixedLenByteArrayColumnChunkReader).ReadBatch,
			func(b parquet.FixedLenByteArray) (TraceID, error) { return TraceID(b), nil })
	case *[]SpanID:
		return readFlat(l, vals, SpanID{}, in[0].(*file.FixedLenByteArrayColumnChunkReader).ReadBatch,
			func(b parquet.FixedLenByteArray) (SpanID, error) { return SpanID(b), nil })
	case *[]string:
		return readFlat(l, vals, "", in[0].(*file.ByteArrayColumnChunkReader).ReadBatch,
			func(b parquet.ByteArray) (string, error) { return strings.Clone(unescapeText(stringOf(b))), nil })
	case *[]Sym:
		return readFlat(l, vals, 0, in[0].(*file.ByteArrayColumnChunkReader).ReadBatch, symbols.symbol)
	case *[]uint8:
		words := wordReader{names: f.Names}
		return readFlat(l, vals, 0, in[0].(*file.ByteArrayColumnChunkReader).ReadBatch, words.value)
	case *Attrs:
		return r.attrs(vals, in, n)
	}
	panic(fmt.Sprintf("column %s: unknown type %d", f.Name, f.Type))
}

// batchReader is ReadBatch of a column chunk reader.
type batchReader[P any] func(batch int64, values []P, def, rep []int16) (levels int64, read int, err error)

// leafReader says what a leaf of a column that is no Map is to hold.
type leafReader struct {
	n        int
	nullable bool
}

func same[T any](v T) (T, error) { return v, nil }

// readFlat appends n rows of a leaf, converted from Parquet's P to T.
func readFlat[P, T any](l leafReader, into *[]T, absent T, read batchReader[P], convert func(P) (T, error)) error {
	values := make([]P, min(l.n, readValues))
	var def []int16
	if l.nullable {
		def = make([]int16, len(values))
	}
	for left := l.n; left > 0; {
		levels, count, err := read(int64(min(left, readValues)), values, def, nil)
		if err != nil {
			return err
		}
		if levels == 0 {
			return fmt.Errorf("%d values are missing", left)
		}
		k := 0
		for i := range int(levels) {
			if l.nullable && def[i] == 0 {
				*into = append(*into, absent)
				continue
			}
			if k == count {
				return errors.New("fewer values than rows")
			}
			v, err := convert(values[k])
			if err != nil {
				return err
			}
			*into = append(*into, v)
			k++
		}
		if k != count {
			return errors.New("more values than rows")
		}
		left -= int(levels)
	}
	return nil
}

// symbolReader interns the strings of a leaf. Strings of a dictionary are read as
// slices of one page, so most are known by where they lie.
type symbolReader struct {
	symbols *Symbols
	seen    [1 << 10]struct {
		at *byte
		n  int
		id Sym
	}
}

func (r *symbolReader) symbol(b parquet.ByteArray) (Sym, error) {
	if len(b) == 0 {
		return 0, nil
	}
	at := unsafe.SliceData(b)
	place := &r.seen[(uintptr(unsafe.Pointer(at))>>2)%uintptr(len(r.seen))]
	if place.at != at || place.n != len(b) {
		place.at, place.n, place.id = at, len(b), r.symbols.Intern(unescapeText(stringOf(b)))
	}
	return place.id, nil
}

// wordReader reads the values of an Enum from their words.
type wordReader struct {
	names []string
	word  parquet.ByteArray // the last one
	is    uint8             // its value
}

func (r *wordReader) value(b parquet.ByteArray) (uint8, error) {
	if r.word == nil || string(b) != string(r.word) {
		v, ok := enumValue(r.names, string(b))
		if !ok {
			return 0, fmt.Errorf("%q is none of %v", b, r.names)
		}
		r.word, r.is = b, v
	}
	return r.is, nil
}

// attrs appends n rows of a Map column. The keys make the rows and the items; every
// other leaf then fills in its part of the items.
func (r *columnReader) attrs(a *Attrs, in []file.ColumnChunkReader, n int) error {
	base, rows := len(a.items), 0
	symbols := &symbolReader{symbols: r.symbols}
	if err := readNested(in[leafKey].(*file.ByteArrayColumnChunkReader).ReadBatch, keyLevel, func(first bool, def int16, v parquet.ByteArray) error {
		if first {
			a.growRow()
			rows++
		} else if rows == 0 {
			return errors.New("attributes before the first row")
		}
		if def == keyLevel {
			id, err := symbols.symbol(v)
			if err != nil {
				return err
			}
			a.items = append(a.items, newAttr(id, 0))
			a.ends[len(a.ends)-1].item++
		}
		return nil
	}); err != nil {
		return fmt.Errorf("key: %w", err)
	}
	items := a.items[base:]
	words := wordReader{names: ValueTypeNames}
	if err := readPart(items, in[leafType].(*file.ByteArrayColumnChunkReader).ReadBatch, keyLevel, n, nil, func(it *attr, v parquet.ByteArray) error {
		typ, err := words.value(v)
		*it = newAttr(it.key(), ValueType(typ))
		return err
	}); err != nil {
		return fmt.Errorf("type: %w", err)
	}
	if err := readPart(items, in[leafStr].(*file.ByteArrayColumnChunkReader).ReadBatch, keyLevel+1, n, ValueType.textual, func(it *attr, v parquet.ByteArray) (err error) {
		at := len(a.text)
		a.text, err = appendValue(a.text, it.typ(), stringOf(v))
		it.word, it.size = uint64(at), uint32(len(a.text)-at)
		return err
	}); err != nil {
		return fmt.Errorf("str: %w", err)
	}
	isInt := func(t ValueType) bool { return t == ValueInt || t == ValueBool }
	if err := readPart(items, in[leafInt].(*file.Int64ColumnChunkReader).ReadBatch, keyLevel+1, n, isInt, func(it *attr, v int64) error {
		it.word = numberWord(it.typ(), v)
		return nil
	}); err != nil {
		return fmt.Errorf("int: %w", err)
	}
	isDouble := func(t ValueType) bool { return t == ValueDouble }
	if err := readPart(items, in[leafDouble].(*file.Float64ColumnChunkReader).ReadBatch, keyLevel+1, n, isDouble, func(it *attr, v float64) error {
		it.word = math.Float64bits(v)
		return nil
	}); err != nil {
		return fmt.Errorf("double: %w", err)
	}
	a.placeText(n)
	return nil
}

// placeText sets where the text of the last n rows ends, once it has been read.
func (a *Attrs) placeText(n int) {
	for i := len(a.ends) - n; i < len(a.ends); i++ {
		end := a.begin(i).text
		for _, it := range a.items[a.begin(i).item:a.ends[i].item] {
			end += int64(it.size)
		}
		a.ends[i].text = end
	}
}

// readNested calls each with every level of a leaf: whether a row begins there, its
// definition level, and the value if that is max.
func readNested[P any](read batchReader[P], max int16, each func(first bool, def int16, v P) error) error {
	values, def, rep := make([]P, readValues), make([]int16, readValues), make([]int16, readValues)
	for {
		levels, count, err := read(readValues, values, def, rep)
		if err != nil || levels == 0 {
			return err
		}
		k := 0
		for i := range int(levels) {
			var v P
			if def[i] == max {
				if k == count {
					return errors.New("fewer values than levels")
				}
				v = values[k]
				k++
			}
			if err := each(rep[i] == 0, def[i], v); err != nil {
				return err
			}
		}
		if k != count {
			return errors.New("more values than levels")
		}
	}
}

// readPart reads one part of the values of items. The items whose type has it, and
// no others, must have a value; a part with no types named is one that all have.
func readPart[P any](items []attr, read batchReader[P], max int16, n int, has func(ValueType) bool, set func(*attr, P) error) error {
	k, rows := 0, 0
	err := readNested(read, max, func(first bool, def int16, v P) error {
		if first {
			rows++
		}
		if def < keyLevel {
			return nil
		}
		if k == len(items) {
			return errors.New("more attributes than keys")
		}
		it := &items[k]
		k++
		if has != nil && has(it.typ()) != (def == max) {
			return fmt.Errorf("attribute %d is %s", k-1, ValueTypeNames[it.typ()])
		}
		if def == max {
			return set(it, v)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case k != len(items):
		return fmt.Errorf("%d of %d attributes", k, len(items))
	case rows != n:
		return fmt.Errorf("%d of %d rows", rows, n)
	}
	return nil
}
