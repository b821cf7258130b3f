package table

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
)

// ValueType is the type of an attribute value.
type ValueType uint8

// The attribute value types of OpenTelemetry. Arrays and key-value lists are kept
// as OTLP JSON text of the value, which loses nothing.
const (
	ValueEmpty ValueType = iota
	ValueString
	ValueBool
	ValueInt
	ValueDouble
	ValueBytes
	ValueArray
	ValueKvlist
)

// ValueTypeNames are the value types by number, as the files spell them.
var ValueTypeNames = []string{"empty", "string", "bool", "int", "double", "bytes", "array", "kvlist"}

// textual says whether a value of the type lives in Value.Text.
func (t ValueType) textual() bool {
	return t == ValueString || t == ValueBytes || t == ValueArray || t == ValueKvlist
}

// Value is one attribute value. Its text is borrowed from the column it came from
// and must not be changed.
type Value struct {
	Type ValueType
	Bits uint64 // int64, bool as 0 or 1, or the bits of a float64
	Text []byte // string, bytes, or the OTLP JSON of an array or kvlist
}

// StringValue makes a string value.
func StringValue(s string) Value { return Value{Type: ValueString, Text: []byte(s)} }

// BoolValue makes a boolean value.
func BoolValue(b bool) Value {
	if b {
		return Value{Type: ValueBool, Bits: 1}
	}
	return Value{Type: ValueBool}
}

// IntValue makes an integer value.
func IntValue(i int64) Value { return Value{Type: ValueInt, Bits: uint64(i)} }

// DoubleValue makes a floating-point value; NaN and the infinities are kept.
func DoubleValue(f float64) Value { return Value{Type: ValueDouble, Bits: math.Float64bits(f)} }

// Int returns the integer of an int value.
func (v Value) Int() int64 { return int64(v.Bits) }

// Double returns the number of a double value.
func (v Value) Double() float64 { return math.Float64frombits(v.Bits) }

// Bool returns the truth of a bool value.
func (v Value) Bool() bool { return v.Bits != 0 }

// Attr is one attribute: a key and its value.
type Attr struct {
	Key   Sym
	Value Value
}

// attr is an Attr of 16 bytes, whose text lies in the arena of its column. There
// are a dozen to a span, so their size decides how much memory a run takes.
type attr struct {
	word uint64 // bits of the value, or where its text begins in the arena
	size uint32 // bytes of text
	tag  uint32 // key in the low symBits bits, type above
}

func newAttr(key Sym, typ ValueType) attr { return attr{tag: uint32(key) | uint32(typ)<<symBits} }

func (a attr) key() Sym       { return Sym(a.tag & (1<<symBits - 1)) }
func (a attr) typ() ValueType { return ValueType(a.tag >> symBits) }

// Attrs is a column of attribute lists. All entries lie in one slice and all text
// in one arena, so a column of a million rows is three allocations. Duplicate keys
// and the recorded order are kept. Rows, entries and text always lie in the same
// order without gaps.
type Attrs struct {
	ends  []attrsEnd // of every row; it begins where the row before ends
	items []attr
	text  []byte
}

// attrsEnd is where a row ends among the items and in the text of its column.
type attrsEnd struct{ item, text int64 }

// Len returns the number of rows.
func (a *Attrs) Len() int { return len(a.ends) }

// Items returns the number of entries over all rows.
func (a *Attrs) Items() int { return len(a.items) }

// Add appends one entry to the last row, which Grow of the table made. It copies
// the text. What a value's type has no use for (text of a number, bits of a text)
// is not kept. Text must be smaller than 4 GiB.
func (a *Attrs) Add(key Sym, v Value) {
	item := newAttr(key, v.Type)
	switch v.Type {
	case ValueEmpty:
	case ValueBool, ValueInt, ValueDouble:
		item.word = numberWord(v.Type, int64(v.Bits))
	case ValueString, ValueBytes, ValueArray, ValueKvlist:
		if uint64(len(v.Text)) > math.MaxUint32 {
			panic(fmt.Sprintf("attribute text of %d bytes is larger than 4 GiB", len(v.Text)))
		}
		item.word, item.size = uint64(len(a.text)), uint32(len(v.Text))
		a.text = append(a.text, v.Text...)
	default:
		panic(fmt.Sprintf("attribute value of unknown type %d", v.Type))
	}
	a.items = append(a.items, item)
	a.ends[len(a.ends)-1] = a.end()
}

// numberWord returns the word of an item that holds a number: a bool is 0 or 1.
func numberWord(typ ValueType, v int64) uint64 {
	if typ == ValueBool && v != 0 {
		return 1
	}
	return uint64(v)
}

// Count returns the number of entries in row i.
func (a *Attrs) Count(i int) int {
	lo, hi := a.span(i)
	return int(hi - lo)
}

// At returns entry j of row i.
func (a *Attrs) At(i, j int) Attr {
	lo, _ := a.span(i)
	return a.item(lo + int64(j))
}

// Get returns the last value of key in row i, the one that OpenTelemetry lets win.
func (a *Attrs) Get(i int, key Sym) (Value, bool) {
	lo, hi := a.span(i)
	for k := hi - 1; k >= lo; k-- {
		if a.items[k].key() == key {
			return a.item(k).Value, true
		}
	}
	return Value{}, false
}

// span returns the entries of row i as a range of items.
func (a *Attrs) span(i int) (lo, hi int64) {
	return a.begin(i).item, a.ends[i].item
}

// begin returns where row i begins; i may be the number of rows.
func (a *Attrs) begin(i int) attrsEnd {
	if i == 0 {
		return attrsEnd{}
	}
	return a.ends[i-1]
}

// end returns where a row ends that holds all that has been added.
func (a *Attrs) end() attrsEnd { return attrsEnd{int64(len(a.items)), int64(len(a.text))} }

func (a *Attrs) item(k int64) Attr {
	it := a.items[k]
	v := Value{Type: it.typ()}
	if v.Type.textual() {
		v.Text = a.textOf(it)
	} else {
		v.Bits = it.word
	}
	return Attr{Key: it.key(), Value: v}
}

// textOf returns the text of an item with no room to append.
func (a *Attrs) textOf(it attr) []byte {
	end := it.word + uint64(it.size)
	return a.text[it.word:end:end]
}

// reserve makes room for more rows that are about like those there are.
func (a *Attrs) reserve(rows int) {
	if n := len(a.ends); n > 0 {
		share := float64(rows) / float64(n) * 17 / 16
		a.items = reserveShare(a.items, share)
		a.text = reserveShare(a.text, share)
	}
	a.ends = roomFor(a.ends, rows)
}

// reserveShare makes room for a share of a list: for no more than as much again if that
// is a lot, since a few rows may be much larger than all others.
func reserveShare[T any](list []T, share float64) []T {
	const notMuch = 1 << 20
	return slices.Grow(list, int(min(float64(len(list))*share, float64(max(len(list), notMuch)))))
}

// trim gives back the room for more rows.
func (a *Attrs) trim() {
	a.ends, a.items, a.text = trimmed(a.ends), trimmed(a.items), trimmed(a.text)
}

// trimmed returns a list without the room behind it, where that is worth a copy.
func trimmed[T any](list []T) []T {
	const worth = 16 // the room is more than one part in so many of the list
	if cap(list)-len(list) <= len(list)/worth {
		return list
	}
	return slices.Clone(list)
}

func (a *Attrs) growRow() {
	a.ends = append(a.ends, a.end())
}

// truncate keeps the first n rows. Entries beyond them are dropped with their text,
// even those that no row has claimed yet.
func (a *Attrs) truncate(n int) {
	a.ends = a.ends[:n]
	end := a.begin(n)
	a.items, a.text = a.items[:end.item], a.text[:end.text]
}

// rename renumbers the keys of the rows from there on.
func (a *Attrs) rename(from int, renamed []Sym) {
	items := a.items[a.begin(from).item:]
	for k, it := range items {
		items[k].tag = newAttr(renamed[it.key()], it.typ()).tag
	}
}

func (a *Attrs) mark(used []bool) {
	for _, it := range a.items {
		used[it.key()] = true
	}
}

// permute orders the rows as perm says: new row i is old row perm[i]. Text moves
// with its row, so equal columns have equal arenas and are written front to back.
func (a *Attrs) permute(perm []int32) {
	ends := make([]attrsEnd, len(perm))
	items := make([]attr, 0, len(a.items))
	text := make([]byte, 0, len(a.text))
	for i, from := range perm {
		lo, hi := a.span(int(from))
		for _, it := range a.items[lo:hi] {
			if it.typ().textual() {
				t := a.textOf(it)
				it.word = uint64(len(text))
				text = append(text, t...)
			}
			items = append(items, it)
		}
		ends[i] = attrsEnd{int64(len(items)), int64(len(text))}
	}
	a.ends, a.items, a.text = ends, items, text
}

// appendFrom copies every row of b, with its keys renamed.
func (a *Attrs) appendFrom(b *Attrs, renamed []Sym) {
	base := a.end()
	a.text = append(a.text, b.text...)
	for _, it := range b.items {
		if it.typ().textual() {
			it.word += uint64(base.text)
		}
		it.tag = newAttr(renamed[it.key()], it.typ()).tag
		a.items = append(a.items, it)
	}
	for _, end := range b.ends {
		a.ends = append(a.ends, attrsEnd{base.item + end.item, base.text + end.text})
	}
}

// compare orders two rows entry by entry.
func (a *Attrs) compare(i, j int) int {
	li, hi := a.span(i)
	lj, hj := a.span(j)
	for ; li < hi && lj < hj; li, lj = li+1, lj+1 {
		x, y := a.item(li), a.item(lj)
		if c := cmp.Or(cmp.Compare(x.Key, y.Key), cmp.Compare(x.Value.Type, y.Value.Type),
			cmp.Compare(x.Value.Bits, y.Value.Bits), bytes.Compare(x.Value.Text, y.Value.Text)); c != 0 {
			return c
		}
	}
	return cmp.Compare(hi-li, hj-lj)
}
