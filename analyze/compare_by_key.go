package analyze

import (
	"math"
	"strconv"
	"time"

	"github.com/tailpath/tailpath/analyze/filter"
)

// KeyBands is a key whose values are put into bands.
type KeyBands struct {
	Key    string
	Values int64 // different ones, on both sides together
}

// Compared reports whether a field is what a comparison compares: a time or a rate of the request, or
// of a stage of it. Groups by it would be chosen by their outcome, and each change would look smaller
// than it is.
func Compared(name string) bool {
	b, is := builtFields[name]
	return is && (b.measure || b.unit == unitTime && kindOf(name) != filter.Date)
}

// mostNumbers is how many different values a number has before they are put into bands: each
// would be a group of few requests, which tells nothing.
const mostNumbers = 20

// keyColumn is a key on both sides.
type keyColumn struct {
	name   string
	fields [2]Field
	has    [2]bool // some request has a value
	whole  bool    // all values are whole numbers
	bands  *KeyBands
	lows   map[string]string // of bands, by their names, the least value in decimal
}

// keyColumns looks the keys up on both sides.
func keyColumns(sides [2]sideOf, keys []filter.Key) []*keyColumn {
	var all [2]*Fields
	for s, x := range sides {
		all[s] = NewFields(x.set)
	}
	var out []*keyColumn
	for _, key := range keys {
		c := &keyColumn{name: key.Name, fields: [2]Field{all[0].Field(key.Name), all[1].Field(key.Name)}}
		seen := map[string]bool{}
		number := c.mayBand(key)
		c.whole = number
		for s, x := range sides {
		rows:
			for row := range x.set.Requests.Len() {
				if !x.opt.kept.holds(row) {
					continue
				}
				text, ok := c.fields[s].Text(int32(row))
				ok = ok && text != ""
				c.has[s] = c.has[s] || ok
				if ok && number {
					v, is := c.fields[s].Number(int32(row))
					number, c.whole = is, c.whole && v == math.Trunc(v)
					seen[text] = true
				}
				if c.has[s] && !number {
					break rows
				}
			}
		}
		if number && len(seen) > mostNumbers {
			c.bands, c.lows = &KeyBands{key.Name, int64(len(seen))}, map[string]string{}
		}
		out = append(out, c)
	}
	return out
}

// text returns the value of a request, or the band of it; empty for none.
func (c *keyColumn) text(side int, row int32) string {
	if c.bands == nil {
		text, _ := c.fields[side].Text(row)
		return text
	}
	v, ok := c.fields[side].Number(row)
	if !ok {
		return ""
	}
	low, name := bandOf(v, c.scale())
	c.lows[name] = decimals(low)
	return name
}

// order returns what a value is sorted by.
func (c *keyColumn) order(value string) string {
	if low, is := c.lows[value]; is {
		return low
	}
	return value
}

// mayBand reports whether values of the key can be numbers that are put into bands: those of an
// attribute if all of them are. A key in the order of text, or of a list, is taken as names.
func (c *keyColumn) mayBand(key filter.Key) bool {
	named := key.Order == filter.Listed || key.Order == filter.Alpha
	return !named && kindOf(key.Name) != filter.Date && (c.fields[0].built == nil || c.fields[0].Numeric())
}

// scale is how the bounds of the bands of a key are written.
type scale uint8

const (
	scaleWhole    scale = iota // as the first and the last whole number
	scaleFraction              // from the first number, up to another that is in the next band
	scaleTime                  // the same, of ns
)

func (c *keyColumn) scale() scale {
	switch b := c.fields[0].built; {
	case b != nil && b.unit == unitTime:
		return scaleTime
	case b != nil && b.exact != nil || !c.whole:
		return scaleFraction
	}
	return scaleWhole
}

// bandOf returns the band of a number and its least value. Bands begin at 1, 2 and 5 times the
// powers of ten, so that they are the same in every capture; 0 is one for itself, and those below it
// are as those above, turned round.
func bandOf(v float64, of scale) (low float64, name string) {
	if v == 0 {
		return 0, "0"
	}
	from, to := bandAround(math.Abs(v))
	switch {
	case of == scaleWhole && to-1 <= from:
		to = from
	case of == scaleWhole:
		to--
	}
	if v < 0 {
		from, to = -to, -from
	}
	switch {
	case from == to:
		return from, decimals(from)
	case of == scaleTime:
		return from, time.Duration(from).String() + " to " + time.Duration(to).String()
	case of == scaleWhole && v > 0:
		return from, decimals(from) + "-" + decimals(to)
	}
	return from, decimals(from) + " to " + decimals(to)
}

// bandAround returns the bounds of the band of a number above 0, of which the upper one is in the
// next.
func bandAround(v float64) (low, high float64) {
	for power := int(math.Floor(math.Log10(v))) + 1; ; power-- { // the logarithm may be rounded either way
		for _, step := range [][2]float64{{5, 10}, {2, 5}, {1, 2}} {
			if low := timesTen(step[0], power); v >= low {
				return low, timesTen(step[1], power)
			}
		}
	}
}

// timesTen is a number times a power of ten, as it is written in decimal.
func timesTen(v float64, power int) float64 {
	out, _ := strconv.ParseFloat(decimals(v)+"e"+strconv.Itoa(power), 64) // what is too large is infinite
	return out
}

// decimals writes a number without an exponent, unless it is a very large or a very small one.
func decimals(v float64) string {
	if size := math.Abs(v); size >= 1e15 || size < 1e-6 && size > 0 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
