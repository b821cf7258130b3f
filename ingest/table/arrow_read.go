package table

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// unpacker appends Arrow records to the rows of a set. It copies all it takes, so
// a record may be released as soon as it is read.
type unpacker struct {
	symbols *Symbols
	codes   map[arrow.ArrayData][]Sym // symbols of the dictionaries seen in this record
}

// record appends a record whose schema has been checked.
func (u *unpacker) record(t *Rows, rec arrow.Record) error {
	u.codes = map[arrow.ArrayData][]Sym{}
	for i, f := range t.schema.Fields {
		if err := u.column(f, t.cols[i], rec.Column(i)); err != nil {
			return fmt.Errorf("column %s: %w", f.Name, err)
		}
	}
	return nil
}

func (u *unpacker) column(f Field, c column, arr arrow.Array) error {
	if !f.Nullable && arr.NullN() > 0 {
		return errors.New("absent values where none may be")
	}
	switch vals := c.slice().(type) {
	case *[]int64:
		if f.Type == Timestamp {
			*vals = appendFixed(*vals, castTo[int64](view(arr.(*array.Timestamp).TimestampValues())), arr, c.(*plain[int64]).absent)
		} else {
			*vals = appendFixed(*vals, arr.(*array.Int64).Int64Values(), arr, c.(*plain[int64]).absent)
		}
	case *[]int32:
		*vals = appendFixed(*vals, arr.(*array.Int32).Int32Values(), arr, 0)
	case *[]float64:
		*vals = appendFixed(*vals, arr.(*array.Float64).Float64Values(), arr, c.(*plain[float64]).absent)
	case *[]TraceID:
		*vals = appendIDs(*vals, arr.(*array.FixedSizeBinary))
	case *[]SpanID:
		*vals = appendIDs(*vals, arr.(*array.FixedSizeBinary))
	case *[]bool:
		b := arr.(*array.Boolean)
		for i := range b.Len() {
			*vals = append(*vals, b.Value(i))
		}
	case *[]uint8:
		return u.enum(f, vals, arr.(*array.Dictionary))
	case *[]Sym:
		return u.syms(vals, arr.(*array.Dictionary))
	case *[]string:
		s := arr.(*array.String)
		for i := range s.Len() {
			if s.IsNull(i) {
				*vals = append(*vals, "")
			} else {
				*vals = append(*vals, strings.Clone(unescapeText(s.Value(i))))
			}
		}
	case *Attrs:
		return u.attrs(vals, arr.(*array.Map))
	}
	return nil
}

func appendFixed[T any](vals, from []T, arr arrow.Array, absent T) []T {
	n := len(vals)
	vals = append(vals, from...)
	if arr.NullN() > 0 {
		for i := range from {
			if arr.IsNull(i) {
				vals[n+i] = absent
			}
		}
	}
	return vals
}

func appendIDs[T TraceID | SpanID](vals []T, arr *array.FixedSizeBinary) []T {
	for i := range arr.Len() {
		var id T
		if !arr.IsNull(i) {
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&id)), len(id)), arr.Value(i))
		}
		vals = append(vals, id)
	}
	return vals
}

// enum appends values that are spelled as words.
func (u *unpacker) enum(f Field, vals *[]uint8, arr *array.Dictionary) error {
	values, err := enumCodes(f.Names, arr.Dictionary().(*array.String))
	if err != nil {
		return err
	}
	for i := range arr.Len() {
		code := arr.GetValueIndex(i)
		if code >= len(values) {
			return fmt.Errorf("row %d: code %d is not in the dictionary", i, code)
		}
		*vals = append(*vals, values[code])
	}
	return nil
}

// enumCodes returns the value of every word of a dictionary.
func enumCodes(names []string, words *array.String) ([]uint8, error) {
	values := make([]uint8, words.Len())
	for code := range values {
		v, ok := enumValue(names, words.Value(code))
		if !ok {
			return nil, fmt.Errorf("%q is none of %v", words.Value(code), names)
		}
		values[code] = v
	}
	return values, nil
}

func enumValue(names []string, word string) (uint8, bool) {
	for v, name := range names {
		if name == word {
			return uint8(v), true
		}
	}
	return 0, false
}

// dictionary returns the symbols of the codes of a dictionary array.
func (u *unpacker) dictionary(arr *array.Dictionary) []Sym {
	words := arr.Dictionary().(*array.String)
	syms, ok := u.codes[words.Data()]
	if !ok {
		syms = make([]Sym, words.Len())
		for code := range syms {
			syms[code] = u.symbols.Intern(unescapeText(words.Value(code)))
		}
		u.codes[words.Data()] = syms
	}
	return syms
}

func (u *unpacker) syms(vals *[]Sym, arr *array.Dictionary) error {
	syms := u.dictionary(arr)
	codes := arr.Indices().(*array.Int32).Int32Values()
	nulls := arr.NullN() > 0
	for i, code := range codes {
		switch {
		case nulls && arr.IsNull(i):
			*vals = append(*vals, 0)
		case code < 0 || int(code) >= len(syms):
			return fmt.Errorf("row %d: code %d is not in the dictionary", i, code)
		default:
			*vals = append(*vals, syms[code])
		}
	}
	return nil
}

// attrs appends rows of attributes.
func (u *unpacker) attrs(a *Attrs, arr *array.Map) error {
	keys := arr.Keys().(*array.Dictionary)
	value := arr.Items().(*array.Struct)
	types := value.Field(0).(*array.Dictionary)
	text, ints, doubles := value.Field(1).(*array.String), value.Field(2).(*array.Int64), value.Field(3).(*array.Float64)
	typs, err := enumCodes(ValueTypeNames, types.Dictionary().(*array.String))
	if err != nil {
		return err
	}
	if keys.NullN() > 0 || value.NullN() > 0 || types.NullN() > 0 {
		return errors.New("absent keys, values or types of attributes")
	}
	var syms []Sym
	if err := u.syms(&syms, keys); err != nil {
		return err
	}
	base := len(a.items)
	for i := range arr.Len() {
		lo, hi := arr.ValueOffsets(i)
		if lo != int64(len(a.items)-base) || hi < lo || hi > int64(len(syms)) {
			return fmt.Errorf("row %d: attributes %d to %d do not follow the row before", i, lo, hi)
		}
		for k := int(lo); k < int(hi); k++ {
			code := types.GetValueIndex(k)
			if code >= len(typs) {
				return fmt.Errorf("row %d: value type %d is not in the dictionary", i, code)
			}
			item := newAttr(syms[k], ValueType(typs[code]))
			switch item.typ() {
			case ValueString, ValueBytes, ValueArray, ValueKvlist:
				if text.IsNull(k) {
					return fmt.Errorf("row %d: a %s without text", i, ValueTypeNames[item.typ()])
				}
				at := len(a.text)
				if a.text, err = appendValue(a.text, item.typ(), text.Value(k)); err != nil {
					return fmt.Errorf("row %d: %w", i, err)
				}
				item.word, item.size = uint64(at), uint32(len(a.text)-at)
			case ValueBool, ValueInt:
				if ints.IsNull(k) {
					return fmt.Errorf("row %d: a %s without a number", i, ValueTypeNames[item.typ()])
				}
				item.word = numberWord(item.typ(), ints.Value(k))
			case ValueDouble:
				if doubles.IsNull(k) {
					return fmt.Errorf("row %d: a double without a number", i)
				}
				item.word = math.Float64bits(doubles.Value(k))
			}
			a.items = append(a.items, item)
		}
		a.growRow()
	}
	return nil
}
