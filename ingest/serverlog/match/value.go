package match

import "bytes"

// Kind says what a Value holds.
type Kind uint8

// The kinds of values. A slot that nothing was captured for, or whose text stands for
// no value, is of kind None.
const (
	None Kind = iota
	Text
	Int
	Float
	Duration
	Instant
	List
)

var kindNames = [...]string{"none", "text", "integer", "number", "duration", "instant", "list"}

// String names the kind in words for messages.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Flags say what is known about a Value beyond its kind.
type Flags uint8

const (
	// NoYear: the instant was written without a year. Int is its civil time in the year
	// 2000, which has a 29 February.
	NoYear Flags = 1 << iota
	// NoZone: the instant was written without a zone. Int is its civil time as if it
	// were UTC.
	NoZone
	// Steady: the instant counts from an unknown origin, such as the start of a process.
	Steady
	// Quoted: the text stood between quotes.
	Quoted
	// Bad: there was a text, and it is no value of the declared type. The kind is None.
	Bad
)

// Value is what was captured for one slot.
//
// Text is the text as it was written, and lies in the matched line; a quoted text with
// escapes is held without them, in memory of the slot. Either is good until the next
// match into the same slot: see Clone. A Value of kind None may have a Text: that of an
// absent value, such as "-", or of a bad one.
type Value struct {
	Kind  Kind
	Flags Flags
	Text  []byte
	Int   int64   // Int: the number; Duration: ns; Instant: ns since the epoch, see Flags
	Float float64 // Float: the number; Int: the number as a float
	Res   int64   // Duration, Instant: what one unit of the last digit is worth, in ns, at least 1
	List  []Item  // List: the items in their order
	own   *own
}

// Item is one element of a list. Kind, Text, Int, Float and Res are those of a Value.
type Item struct {
	Kind  Kind
	Text  []byte
	Int   int64
	Float float64
	Res   int64
	Group int // how many " : " stand before it
}

// own is memory that stays with a slot from one match to the next.
type own struct {
	date dateCache
	text []byte
}

// keep returns the memory of the slot.
func (v *Value) keep() *own {
	if v.own == nil {
		v.own = new(own)
	}
	return v.own
}

// Present reports whether there is a value.
func (v *Value) Present() bool { return v.Kind != None }

// reset makes v hold nothing, and keeps its memory.
func (v *Value) reset() {
	v.Kind, v.Flags, v.Text, v.Int, v.Float, v.Res, v.List = None, 0, nil, 0, 0, 0, v.List[:0]
}

// Clone returns a copy of v that shares no memory with the line or the slot.
func (v *Value) Clone() Value {
	c, _ := v.CloneTo(make([]byte, 0, len(v.Text)))
	return c
}

// CloneTo is Clone with the text of the copy in arena, whose end it returns as append
// does. Copies that are made together so take one piece of memory.
func (v *Value) CloneTo(arena []byte) (c Value, end []byte) {
	c = *v
	c.own = nil
	if v.Text != nil {
		n := len(arena)
		arena = append(arena, v.Text...)
		c.Text = arena[n:len(arena):len(arena)]
	}
	c.List = append([]Item(nil), v.List...)
	for i := range c.List {
		c.List[i].Text = bytes.Clone(c.List[i].Text)
	}
	return c, arena
}

// Reset makes all values hold nothing. It keeps their memory, so that matching into
// them again allocates nothing.
func Reset(values []Value) {
	for i := range values {
		if v := &values[i]; v.Kind != None || v.Text != nil || v.Flags != 0 {
			v.reset()
		}
	}
}
