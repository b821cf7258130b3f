package table

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// decode appends the n rows of a row group to the column.
func (r *columnReader) decode(in []*leafPages, n int) error {
	f, c := r.field, r.column
	symbol := func(text []byte) (Sym, error) { return r.symbols.Intern(unescapeText(stringOf(text))), nil }
	switch vals := c.slice().(type) {
	case *[]int64:
		return readFlat(in[0], vals, c.(*plain[int64]).absent, int64Values)
	case *[]int32:
		return readFlat(in[0], vals, 0, int32Values)
	case *[]float64:
		return readFlat(in[0], vals, c.(*plain[float64]).absent, doubleValues)
	case *[]bool:
		return readFlat(in[0], vals, false, boolValues)
	case *[]TraceID:
		return readFlat(in[0], vals, TraceID{}, traceValues)
	case *[]SpanID:
		return readFlat(in[0], vals, SpanID{}, spanValues)
	case *[]string:
		return readFlat(in[0], vals, "", textValues(func(text []byte) (string, error) {
			return strings.Clone(unescapeText(stringOf(text))), nil
		}))
	case *[]Sym:
		return readFlat(in[0], vals, 0, textValues(symbol))
	case *[]uint8:
		return readFlat(in[0], vals, 0, textValues(wordOf(f.Names)))
	case *Attrs:
		return readAttrs(vals, in, n, symbol)
	}
	panic(fmt.Sprintf("column %s: unknown type %d", f.Name, f.Type))
}

// wordOf converts the words of an Enum to its values.
func wordOf(names []string) func(text []byte) (uint8, error) {
	return func(text []byte) (uint8, error) {
		v, ok := enumValue(names, stringOf(text))
		if !ok {
			return 0, fmt.Errorf("%q is none of %v", text, names)
		}
		return v, nil
	}
}

// readFlat appends the values of a leaf of a column that is no Map.
func readFlat[T any](l *leafPages, into *[]T, absent T, decode valueDecoder[T]) error {
	return readLeaf(l, decode, func(_, def []uint32, values []T) error {
		if def == nil || len(values) == len(def) {
			*into = append(*into, values...)
			return nil
		}
		for _, d := range def {
			if d == 0 {
				*into = append(*into, absent)
			} else {
				*into = append(*into, values[0])
				values = values[1:]
			}
		}
		return nil
	})
}

// readAttrs appends n rows of a Map column. The keys make the rows and the items;
// every other leaf then fills in its part of the items.
func readAttrs(a *Attrs, in []*leafPages, n int, symbol func([]byte) (Sym, error)) error {
	base, rows := len(a.items), 0
	err := readLeaf(in[leafKey], textValues(symbol), func(rep, def []uint32, keys []Sym) error {
		for i, d := range def {
			if rep[i] == 0 {
				a.growRow()
				rows++
			} else if rows == 0 || d == 0 {
				return errors.New("an attribute that belongs to no row")
			}
			if d == keyLevel {
				a.items = append(a.items, newAttr(keys[0], 0))
				a.ends[len(a.ends)-1].item++
				keys = keys[1:]
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("key: %w", err)
	}
	if rows != n {
		return fmt.Errorf("key: %d of %d rows", rows, n)
	}
	items := a.items[base:]
	all := func(ValueType) bool { return true }
	if err := readPart(items, in[leafType], textValues(wordOf(ValueTypeNames)), n, all, func(it *attr, typ uint8) error {
		*it = newAttr(it.key(), ValueType(typ))
		return nil
	}); err != nil {
		return fmt.Errorf("type: %w", err)
	}
	raw := func(text []byte) ([]byte, error) { return text, nil }
	if err := readPart(items, in[leafStr], textValues(raw), n, ValueType.textual, func(it *attr, text []byte) (err error) {
		at := len(a.text)
		a.text, err = appendValue(a.text, it.typ(), stringOf(text))
		it.word, it.size = uint64(at), uint32(len(a.text)-at)
		return err
	}); err != nil {
		return fmt.Errorf("str: %w", err)
	}
	isInt := func(t ValueType) bool { return t == ValueInt || t == ValueBool }
	if err := readPart(items, in[leafInt], int64Values, n, isInt, func(it *attr, v int64) error {
		it.word = numberWord(it.typ(), v)
		return nil
	}); err != nil {
		return fmt.Errorf("int: %w", err)
	}
	isDouble := func(t ValueType) bool { return t == ValueDouble }
	if err := readPart(items, in[leafDouble], doubleValues, n, isDouble, func(it *attr, v float64) error {
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

// readPart reads the part of the values of items that some types have. The items of
// these types, and no others, must have a value.
func readPart[T any](items []attr, l *leafPages, decode valueDecoder[T], n int, has func(ValueType) bool, set func(*attr, T) error) error {
	k, rows := 0, 0
	err := readLeaf(l, decode, func(rep, def []uint32, values []T) error {
		for i, d := range def {
			if rep[i] == 0 {
				rows++
			}
			if d < keyLevel {
				continue
			}
			if k == len(items) {
				return errors.New("more attributes than keys")
			}
			it := &items[k]
			k++
			there := d == uint32(l.maxDef)
			if has(it.typ()) != there {
				return fmt.Errorf("attribute %d is %s, and its value elsewhere", k-1, ValueTypeNames[it.typ()])
			}
			if there {
				if err := set(it, values[0]); err != nil {
					return err
				}
				values = values[1:]
			}
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
