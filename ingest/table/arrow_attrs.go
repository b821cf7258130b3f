package table

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// attrs returns rows lo to hi of a column of attributes.
func (b builder) attrs(a *Attrs, keys *dictionary, lo, hi int) (*array.Data, error) {
	first, last := a.begin(lo).item, a.begin(hi).item
	n := int(last - first)
	if last-first > math.MaxInt32 {
		return nil, fmt.Errorf("%d attributes in %d rows: an Arrow batch holds 2^31", n, hi-lo)
	}
	items := a.items[first:last]

	codes := b.buffer(4 * n)
	defer codes.Release()
	for k, it := range items {
		castTo[int32](codes.Bytes())[k] = keys.code[it.key()]
	}
	key := array.NewDataWithDictionary(symbolCoded, n, []*memory.Buffer{nil, codes}, 0, 0, keys.data())
	defer key.Release()

	value, err := b.values(a, items)
	if err != nil {
		return nil, err
	}
	defer value.Release()

	entries := array.NewData(attrsCoded.Elem(), n, []*memory.Buffer{nil}, []arrow.ArrayData{key, value}, 0, 0)
	defer entries.Release()
	offsets := b.buffer(4 * (hi - lo + 1))
	defer offsets.Release()
	for i := lo; i < hi; i++ {
		castTo[int32](offsets.Bytes())[i-lo+1] = int32(a.ends[i].item - first)
	}
	return array.NewData(attrsCoded, hi-lo, []*memory.Buffer{nil, offsets}, []arrow.ArrayData{entries}, 0, 0), nil
}

// values returns the values of items as an array of structs.
func (b builder) values(a *Attrs, items []attr) (*array.Data, error) {
	n := len(items)
	words, err := b.names(ValueTypeNames)
	if err != nil {
		return nil, err
	}
	defer words.release()
	types := b.buffer(n)
	defer types.Release()
	bitmap := func() *memory.Buffer { return b.buffer(int(bitutil.BytesForBits(int64(n)))) }
	isText, isInt, isDouble := bitmap(), bitmap(), bitmap()
	ints, doubles := b.buffer(8*n), b.buffer(8*n)
	for _, buf := range []*memory.Buffer{isText, isInt, isDouble, ints, doubles} {
		defer buf.Release()
	}
	var count [3]int
	for k, it := range items {
		types.Bytes()[k] = uint8(it.typ())
		switch it.typ() {
		case ValueString, ValueBytes, ValueArray, ValueKvlist:
			bitutil.SetBit(isText.Bytes(), k)
			count[0]++
		case ValueBool, ValueInt:
			bitutil.SetBit(isInt.Bytes(), k)
			castTo[uint64](ints.Bytes())[k] = it.word
			count[1]++
		case ValueDouble:
			bitutil.SetBit(isDouble.Bytes(), k)
			castTo[uint64](doubles.Bytes())[k] = it.word
			count[2]++
		}
	}
	offsets, text, err := b.spelled(a, items)
	if err != nil {
		return nil, err
	}
	defer offsets.Release()
	defer text.Release()
	children := []arrow.ArrayData{
		array.NewDataWithDictionary(enumCoded, n, []*memory.Buffer{nil, types}, 0, 0, words.data()),
		array.NewData(arrow.BinaryTypes.String, n, []*memory.Buffer{isText, offsets, text}, nil, n-count[0], 0),
		array.NewData(arrow.PrimitiveTypes.Int64, n, []*memory.Buffer{isInt, ints}, nil, n-count[1], 0),
		array.NewData(arrow.PrimitiveTypes.Float64, n, []*memory.Buffer{isDouble, doubles}, nil, n-count[2], 0),
	}
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	return array.NewData(valueCoded, n, []*memory.Buffer{nil}, children, 0, 0), nil
}

// spelled returns the texts of items as files hold them. The arena itself serves
// when it is spelled as it is.
func (b builder) spelled(a *Attrs, items []attr) (offsets, text *memory.Buffer, err error) {
	offsets = b.buffer(4 * (len(items) + 1))
	ends := castTo[int32](offsets.Bytes())
	if lo, hi, clean := a.clean(items); clean && hi-lo <= math.MaxInt32 {
		for k, it := range items {
			ends[k+1] = ends[k] + int32(it.size)
		}
		return offsets, memory.NewBufferBytes(a.text[lo:hi:hi]), nil
	}
	total := 0
	for _, it := range items {
		if it.typ().textual() {
			total += len(spellValue(it.typ(), a.textOf(it)))
		}
	}
	if total > math.MaxInt32 {
		offsets.Release()
		return nil, nil, fmt.Errorf("%d bytes of attribute text in %d attributes: an Arrow batch holds 2 GiB", total, len(items))
	}
	text = b.buffer(total)
	at := 0
	for k, it := range items {
		if it.typ().textual() {
			at += copy(text.Bytes()[at:], spellValue(it.typ(), a.textOf(it)))
		}
		ends[k+1] = int32(at)
	}
	return offsets, text, nil
}

// clean returns where the text of items lies in the arena and whether every piece
// of it is spelled in files as it is. The whole is looked at at once: it is clean if
// it is valid UTF-8 without an escape, and no piece begins within a character.
func (a *Attrs) clean(items []attr) (lo, hi int64, ok bool) {
	begun := false
	ok = true
	for _, it := range items {
		if !it.typ().textual() {
			continue
		}
		if !begun {
			lo, begun = int64(it.word), true
		}
		hi = int64(it.word) + int64(it.size)
		ok = ok && it.typ() != ValueBytes && (it.size == 0 || utf8.RuneStart(a.text[it.word]))
	}
	return lo, hi, ok && !needsEscape(stringOf(a.text[lo:hi]))
}
