package table

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

const (
	dictionaryBytes = 1 << 20   // a larger dictionary saves nothing
	writeValues     = 4 << 10   // values handed over at once
	writeBytes      = 1 << 20   // text handed over at once, about a page
	largestText     = 1<<30 - 1 // a page must stay below 2 GiB
)

// encoders returns a job for every leaf of rows lo to hi of a column.
func (p *parquetWriter) encoders(f Field, c column, lo, hi int) []func(*chunk) error {
	if f.Type == Map {
		return p.attrsEncoders(f, c.slice().(*Attrs), lo, hi)
	}
	return []func(*chunk) error{func(out *chunk) error {
		levels := flatLevels(f, c, lo, hi)
		switch vals := c.slice().(type) {
		case *[]Sym:
			return p.dictionary(out, levels, usedIn(c, p.set.Symbols.Len(), lo, hi, f.Nullable), func(i int) Sym { return (*vals)[lo+i] })
		case *[]uint8:
			return p.words(out, levels, f.Names, func(i int) uint8 { return (*vals)[lo+i] })
		}
		if err := out.open(p.plain); err != nil {
			return err
		}
		if err := encodeFlat(out.writer, levels, c, lo, hi); err != nil {
			return err
		}
		return flush(out.writer)
	}}
}

// levels are the definition and repetition levels of a leaf, one each for every
// value and every absence; nil where they are always 0.
type levels struct {
	def, rep []int16
	max      int16 // definition level of a value
	n        int   // values and absences
}

// flatLevels returns the levels of rows lo to hi of a column that is no Map.
func flatLevels(f Field, c column, lo, hi int) levels {
	l := levels{n: hi - lo}
	if !f.Nullable {
		return l
	}
	l.max = 1
	l.def = make([]int16, hi-lo)
	absent := absence(c)
	for i := range l.def {
		if !absent(lo + i) {
			l.def[i] = 1
		}
	}
	return l
}

func (l levels) is(i int) bool { return l.def == nil || l.def[i] == l.max }

// batches calls write with the values of the leaf and their levels, some at a time.
// weight says how many bytes a value takes beyond a few.
func batches[T any](l levels, at func(i int) T, weight func(T) int, write func(values []T, def, rep []int16) (int64, error)) error {
	values := make([]T, 0, min(l.n, writeValues))
	for i := 0; i < l.n; {
		start, bytes := i, 0
		values = values[:0]
		for ; i < l.n && i-start < writeValues && bytes < writeBytes; i++ {
			if l.is(i) {
				v := at(i)
				values = append(values, v)
				bytes += weight(v)
			}
		}
		if bytes > largestText {
			return fmt.Errorf("a text of about %d bytes: texts of 1 GiB and more are not written to Parquet", bytes)
		}
		var def, rep []int16
		if l.def != nil {
			def = l.def[start:i]
		}
		if l.rep != nil {
			rep = l.rep[start:i]
		}
		if n, err := write(values, def, rep); err != nil {
			return err
		} else if n != int64(len(values)) {
			return fmt.Errorf("%d of %d values were taken", n, len(values))
		}
	}
	return nil
}

func weightless[T any](T) int { return 0 }

func textBytes(b parquet.ByteArray) int { return len(b) }

func encodeFlat(w file.ColumnChunkWriter, l levels, c column, lo, hi int) error {
	switch vals := c.slice().(type) {
	case *[]int64:
		return batches(l, func(i int) int64 { return (*vals)[lo+i] }, weightless, w.(*file.Int64ColumnChunkWriter).WriteBatch)
	case *[]int32:
		return batches(l, func(i int) int32 { return (*vals)[lo+i] }, weightless, w.(*file.Int32ColumnChunkWriter).WriteBatch)
	case *[]float64:
		return batches(l, func(i int) float64 { return (*vals)[lo+i] }, weightless, w.(*file.Float64ColumnChunkWriter).WriteBatch)
	case *[]bool:
		return batches(l, func(i int) bool { return (*vals)[lo+i] }, weightless, w.(*file.BooleanColumnChunkWriter).WriteBatch)
	case *[]string:
		return batches(l, func(i int) parquet.ByteArray { return bytesOf(escapeText((*vals)[lo+i])) }, textBytes, w.(*file.ByteArrayColumnChunkWriter).WriteBatch)
	case *[]TraceID:
		return batches(l, func(i int) parquet.FixedLenByteArray { return (*vals)[lo+i][:] }, weightless, w.(*file.FixedLenByteArrayColumnChunkWriter).WriteBatch)
	case *[]SpanID:
		return batches(l, func(i int) parquet.FixedLenByteArray { return (*vals)[lo+i][:] }, weightless, w.(*file.FixedLenByteArrayColumnChunkWriter).WriteBatch)
	}
	panic(fmt.Sprintf("no Parquet encoding for %T", c.slice()))
}

// dictionary encodes symbols by the dictionary of those that occur, or as plain text
// when that would be larger than it is worth.
func (p *parquetWriter) dictionary(out *chunk, l levels, used []bool, at func(i int) Sym) error {
	b := builder{mem: p.mem, symbols: p.set.Symbols}
	d, err := b.newDictionary(used)
	if err != nil {
		return err
	}
	defer d.release()
	if d.bytes > dictionaryBytes {
		if err := out.open(p.plain); err != nil {
			return err
		}
		text := func(i int) parquet.ByteArray { return bytesOf(d.values.Value(int(d.code[at(i)]))) }
		if err := batches(l, text, textBytes, out.writer.(*file.ByteArrayColumnChunkWriter).WriteBatch); err != nil {
			return err
		}
		return flush(out.writer)
	}
	return p.coded32(out, l, d, func(i int) int32 { return d.code[at(i)] })
}

// words encodes values that stand for words.
func (p *parquetWriter) words(out *chunk, l levels, names []string, at func(i int) uint8) error {
	d, err := builder{mem: p.mem}.names(names)
	if err != nil {
		return err
	}
	defer d.release()
	return p.coded32(out, l, d, func(i int) int32 { return int32(at(i)) })
}

// coded32 encodes a leaf by a dictionary, given the code of every value. The
// dictionary and the codes go to the encoder as they are, without hashing a string.
func (p *parquetWriter) coded32(out *chunk, l levels, d *dictionary, code func(i int) int32) error {
	if err := out.open(p.coded); err != nil {
		return err
	}
	encoder, ok := out.writer.CurrentEncoder().(interface{ PutDictionary(arrow.Array) error })
	if !ok {
		return fmt.Errorf("the encoder %T takes no dictionary", out.writer.CurrentEncoder())
	}
	if err := encoder.PutDictionary(d.values); err != nil {
		return err
	}

	// Codes are spaced: the slot of an absent row is there and not valid. Rows of
	// a Map without attributes have no slot.
	b := builder{mem: p.mem}
	spaced := 0
	for i := range l.n {
		if l.rep == nil || l.def[i] >= keyLevel {
			spaced++
		}
	}
	codes := b.buffer(4 * spaced)
	defer codes.Release()
	bits := b.buffer(int(bitutil.BytesForBits(int64(spaced))))
	defer bits.Release()
	slot, nulls := 0, 0
	for i := range l.n {
		switch {
		case l.is(i):
			castTo[int32](codes.Bytes())[slot] = code(i)
			bitutil.SetBit(bits.Bytes(), slot)
			slot++
		case l.rep == nil:
			nulls++
			slot++
		}
	}
	data := array.NewData(arrow.PrimitiveTypes.Int32, spaced, []*memory.Buffer{bits, codes}, nil, nulls, 0)
	defer data.Release()
	indices := array.NewInt32Data(data)
	defer indices.Release()

	if stats, ok := out.writer.PageStatistics().(*metadata.ByteArrayStatistics); ok && stats != nil {
		values := make([]parquet.ByteArray, 0, d.values.Len())
		seen := d.occurring(indices)
		for k := range d.values.Len() {
			if seen[k] {
				values = append(values, bytesOf(d.values.Value(k)))
			}
		}
		stats.Update(values, int64(nulls))
		stats.IncNumValues(int64(spaced - nulls - len(values)))
		stats.IncDistinct(int64(len(values)))
	}
	if err := out.writer.WriteDictIndices(indices, l.def, l.rep); err != nil {
		return err
	}
	return out.writer.(interface{ FlushCurrentPage() error }).FlushCurrentPage()
}

// occurring marks the codes that occur among indices.
func (d *dictionary) occurring(indices *array.Int32) []bool {
	seen := make([]bool, d.values.Len())
	for i, code := range indices.Int32Values() {
		if indices.IsValid(i) {
			seen[code] = true
		}
	}
	return seen
}

// flush compresses what a chunk without a dictionary holds, while it runs beside others.
func flush(w file.ColumnChunkWriter) error {
	return w.(interface{ FlushBufferedDataPages() error }).FlushBufferedDataPages()
}

// attrsEncoders returns the jobs of the leaves of a Map column, in their order.
func (p *parquetWriter) attrsEncoders(f Field, a *Attrs, lo, hi int) []func(*chunk) error {
	first, last := a.begin(lo).item, a.begin(hi).item
	items := a.items[first:last]
	entry := mapLevels(a, lo, hi)
	used := func() []bool { return usedIn(&mapped{a}, p.set.Symbols.Len(), lo, hi, false) }

	// item returns the attribute of a level: levels and attributes run in step but
	// for the rows without any. Values are asked for in order.
	inOrder := func() func(i int) attr {
		k, level := -1, -1
		return func(i int) attr {
			for ; level < i; level++ {
				if entry.def[level+1] == keyLevel {
					k++
				}
			}
			return items[k]
		}
	}
	part := func(has func(ValueType) bool, encode func(w file.ColumnChunkWriter, l levels, item func(int) attr) error) func(*chunk) error {
		return func(out *chunk) error {
			if err := out.open(p.plain); err != nil {
				return err
			}
			if err := encode(out.writer, partLevels(entry, items, has), inOrder()); err != nil {
				return err
			}
			return flush(out.writer)
		}
	}
	jobs := make([]func(*chunk) error, mapLeaves)
	jobs[leafKey] = func(out *chunk) error {
		item := inOrder()
		return p.dictionary(out, entry, used(), func(i int) Sym { return item(i).key() })
	}
	jobs[leafType] = func(out *chunk) error {
		item := inOrder()
		return p.words(out, entry, ValueTypeNames, func(i int) uint8 { return uint8(item(i).typ()) })
	}
	jobs[leafStr] = part(ValueType.textual, func(w file.ColumnChunkWriter, l levels, item func(int) attr) error {
		return batches(l, func(i int) parquet.ByteArray {
			it := item(i)
			return bytesOf(spellValue(it.typ(), a.textOf(it)))
		}, textBytes, w.(*file.ByteArrayColumnChunkWriter).WriteBatch)
	})
	jobs[leafInt] = part(func(t ValueType) bool { return t == ValueInt || t == ValueBool }, func(w file.ColumnChunkWriter, l levels, item func(int) attr) error {
		return batches(l, func(i int) int64 { return int64(item(i).word) }, weightless, w.(*file.Int64ColumnChunkWriter).WriteBatch)
	})
	jobs[leafDouble] = part(func(t ValueType) bool { return t == ValueDouble }, func(w file.ColumnChunkWriter, l levels, item func(int) attr) error {
		return batches(l, func(i int) float64 { return math.Float64frombits(item(i).word) }, weightless, w.(*file.Float64ColumnChunkWriter).WriteBatch)
	})
	return jobs
}

// mapLevels returns the levels of the keys of rows lo to hi: the first attribute of a
// row has repetition level 0, the others 1; a row without attributes is one level of
// definition 0.
func mapLevels(a *Attrs, lo, hi int) levels {
	n := int(a.begin(hi).item-a.begin(lo).item) + hi - lo
	l := levels{def: make([]int16, 0, n), rep: make([]int16, 0, n), max: keyLevel}
	for i := lo; i < hi; i++ {
		count := a.Count(i)
		if count == 0 {
			l.def, l.rep = append(l.def, 0), append(l.rep, 0)
		}
		for j := range count {
			l.def, l.rep = append(l.def, keyLevel), append(l.rep, int16(min(j, 1)))
		}
	}
	l.n = len(l.def)
	return l
}

// partLevels returns the levels of a part of the values that some types have.
func partLevels(entry levels, items []attr, has func(ValueType) bool) levels {
	l := levels{def: make([]int16, entry.n), rep: entry.rep, max: keyLevel + 1, n: entry.n}
	k := 0
	for i, def := range entry.def {
		if def < keyLevel {
			continue
		}
		l.def[i] = keyLevel
		if has(items[k].typ()) {
			l.def[i]++
		}
		k++
	}
	return l
}
