package table

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// builder turns rows into Arrow arrays. Numbers, ids and the text of attributes are
// not copied: the arrays borrow the slices of the set, which must not change while
// they live. What is made anew (bitmaps, codes, dictionaries, spelled text) comes
// from mem and goes back to it when the last array is released.
type builder struct {
	mem     memory.Allocator
	symbols *Symbols
}

// record returns rows lo to hi of a table as one record. dicts holds a dictionary
// for every column that has one.
func (b builder) record(schema *arrow.Schema, t *Rows, dicts []*dictionary, lo, hi int) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, len(t.cols))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, f := range t.schema.Fields {
		data, err := b.array(f, t.cols[i], dicts[i], lo, hi)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
		cols = append(cols, array.MakeFromData(data))
		data.Release()
	}
	return array.NewRecord(schema, cols, int64(hi-lo)), nil
}

// array returns rows lo to hi of a column.
func (b builder) array(f Field, c column, d *dictionary, lo, hi int) (*array.Data, error) {
	typ := arrowType(f, true)
	valid, nulls := b.validity(f, c, lo, hi)
	defer release(valid)
	fixed := func(values []byte) *array.Data {
		return array.NewData(typ, hi-lo, []*memory.Buffer{valid, memory.NewBufferBytes(values)}, nil, nulls, 0)
	}
	switch vals := c.slice().(type) {
	case *[]int64:
		return fixed(view((*vals)[lo:hi])), nil
	case *[]int32:
		return fixed(view((*vals)[lo:hi])), nil
	case *[]float64:
		return fixed(view((*vals)[lo:hi])), nil
	case *[]TraceID:
		return fixed(view((*vals)[lo:hi])), nil
	case *[]SpanID:
		return fixed(view((*vals)[lo:hi])), nil
	case *[]bool:
		return b.bools(typ, (*vals)[lo:hi]), nil
	case *[]uint8:
		return array.NewDataWithDictionary(typ, hi-lo, []*memory.Buffer{nil, memory.NewBufferBytes((*vals)[lo:hi])}, 0, 0, d.data()), nil
	case *[]Sym:
		codes := b.buffer(4 * (hi - lo))
		defer codes.Release()
		d.encode(castTo[int32](codes.Bytes()), (*vals)[lo:hi])
		return array.NewDataWithDictionary(typ, hi-lo, []*memory.Buffer{valid, codes}, nulls, 0, d.data()), nil
	case *[]string:
		return b.texts((*vals)[lo:hi], valid, nulls)
	case *Attrs:
		return b.attrs(vals, d, lo, hi)
	}
	panic(fmt.Sprintf("column %s: unknown type %d", f.Name, f.Type))
}

// buffer returns n zero bytes from the allocator.
func (b builder) buffer(n int) *memory.Buffer {
	buf := memory.NewResizableBuffer(b.mem)
	buf.Resize(n)
	clear(buf.Bytes())
	return buf
}

// validity returns the bitmap of the rows of a column that hold a value, or nil
// when all do.
func (b builder) validity(f Field, c column, lo, hi int) (*memory.Buffer, int) {
	if !f.Nullable {
		return nil, 0
	}
	absent := absence(c)
	nulls := 0
	for i := lo; i < hi; i++ {
		if absent(i) {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	buf := b.buffer(int(bitutil.BytesForBits(int64(hi - lo))))
	for i := lo; i < hi; i++ {
		if !absent(i) {
			bitutil.SetBit(buf.Bytes(), i-lo)
		}
	}
	return buf, nulls
}

// absence returns a function that says which rows of a nullable column hold no value.
func absence(c column) func(row int) bool {
	switch vals := c.slice().(type) {
	case *[]int64:
		return func(i int) bool { return (*vals)[i] == Missing }
	case *[]float64:
		return func(i int) bool { return math.IsNaN((*vals)[i]) }
	case *[]Sym:
		return func(i int) bool { return (*vals)[i] == 0 }
	case *[]string:
		return func(i int) bool { return (*vals)[i] == "" }
	case *[]TraceID:
		return func(i int) bool { return (*vals)[i] == TraceID{} }
	case *[]SpanID:
		return func(i int) bool { return (*vals)[i] == SpanID{} }
	}
	panic(fmt.Sprintf("a nullable column of %T has no absent value", c.slice()))
}

func (b builder) bools(typ arrow.DataType, vals []bool) *array.Data {
	bits := b.buffer(int(bitutil.BytesForBits(int64(len(vals)))))
	defer bits.Release()
	for i, v := range vals {
		if v {
			bitutil.SetBit(bits.Bytes(), i)
		}
	}
	return array.NewData(typ, len(vals), []*memory.Buffer{nil, bits}, nil, 0, 0)
}

func (b builder) texts(vals []string, valid *memory.Buffer, nulls int) (*array.Data, error) {
	total := 0
	for _, v := range vals {
		total += len(escapeText(v))
	}
	if total > math.MaxInt32 {
		return nil, fmt.Errorf("%d bytes of text in %d rows: an Arrow batch holds 2 GiB", total, len(vals))
	}
	offsets, text := b.buffer(4*(len(vals)+1)), b.buffer(total)
	defer offsets.Release()
	defer text.Release()
	ends, at := castTo[int32](offsets.Bytes()), 0
	for i, v := range vals {
		at += copy(text.Bytes()[at:], escapeText(v))
		ends[i+1] = int32(at)
	}
	return array.NewData(arrow.BinaryTypes.String, len(vals), []*memory.Buffer{valid, offsets, text}, nil, nulls, 0), nil
}

// dictionary maps the symbols of some column to the codes of an Arrow dictionary.
type dictionary struct {
	values *array.String
	code   []int32 // by symbol
	bytes  int     // of all strings
}

// newDictionary makes the dictionary of the used symbols, in their order.
func (b builder) newDictionary(used []bool) (*dictionary, error) {
	texts := make([]string, 0, 16)
	d := &dictionary{code: make([]int32, len(used))}
	for id, u := range used {
		if u {
			d.code[id] = int32(len(texts))
			texts = append(texts, b.symbols.text[id])
		}
	}
	data, err := b.texts(texts, nil, 0)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	d.values = array.NewStringData(data)
	d.bytes = len(d.values.ValueBytes())
	return d, nil
}

// names makes the dictionary of the words of an Enum, whose code is its value.
func (b builder) names(words []string) (*dictionary, error) {
	data, err := b.texts(words, nil, 0)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return &dictionary{values: array.NewStringData(data)}, nil
}

func (d *dictionary) data() *array.Data { return d.values.Data().(*array.Data) }

func (d *dictionary) encode(codes []int32, vals []Sym) {
	for i, v := range vals {
		codes[i] = d.code[v]
	}
}

func (d *dictionary) release() {
	if d != nil {
		d.values.Release()
	}
}

func release(buf *memory.Buffer) {
	if buf != nil {
		buf.Release()
	}
}

// view borrows the memory of vals as bytes.
func view[T any](vals []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vals))), len(vals)*int(unsafe.Sizeof(t)))
}

// castTo borrows bytes as values of T. They must be aligned for T, as the memory of
// an allocator is, and a whole number of values.
func castTo[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}
