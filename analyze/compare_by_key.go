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
		number := c.fields[0].Numeric() && kindOf(key.Name) != filter.Date && key.Order != filter.Listed
		for s, x := range sides {
		rows:
			for row := range x.set.Requests.Len() {
				if !x.opt.kept.holds(row) {
					continue
				}
				text, ok := c.fields[s].Text(int32(row))
				c.has[s] = c.has[s] || ok && text != ""
				switch {
				case ok && number:
					seen[text] = true
				case c.has[s] && !number:
					break rows
				}
			}
		}
		if len(seen) > mostNumbers {
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
	low, name := bandOf(v, c.fields[side].built)
	c.lows[name] = strconv.FormatFloat(low, 'f', -1, 64)
	return name
}

// order returns what a value is sorted by.
func (c *keyColumn) order(value string) string {
	if low, is := c.lows[value]; is {
		return low
	}
	return value
}

// bandOf returns the band of a number and its least value. Bands begin at 1, 2 and 5 times the
// powers of ten, so that they are the same in every capture.
func bandOf(v float64, of *builtField) (low float64, name string) {
	if v <= 0 {
		return 0, "0"
	}
	for power := int(math.Log10(v)) + 1; ; power-- { // the logarithm may be rounded either way
		for _, step := range [][2]float64{{5, 10}, {2, 5}, {1, 2}} {
			low, high := step[0]*math.Pow10(power), step[1]*math.Pow10(power)
			switch {
			case v < low:
				continue
			case of.unit == "ns":
				return low, time.Duration(low).String() + " to " + time.Duration(high).String()
			case of.exact != nil:
				return low, decimals(low) + " to " + decimals(high)
			case high-1 <= low:
				return low, decimals(low)
			}
			return low, decimals(low) + "-" + decimals(high-1)
		}
	}
}

func decimals(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
