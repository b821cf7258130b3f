package change

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Column is one property of the requests' workload on both sides.
type Column struct {
	Name string
	// Numeric columns hold numbers, others the index of a label. Missing is a value of both.
	Numeric bool
	Rows    [2][]int64 // base, new
	Labels  []string

	bounds []int64 // of the tenths, once they were asked for
	cut    bool
}

// bins is into how many parts numbers are put: tenths of both sides together.
const bins = 10

// leastExpected is the count that each value of a property needs on average on either
// side; rarer ones are tested as one.
const leastExpected = 5

// Shift compares how a property is distributed on both sides.
type Shift struct {
	Column     string
	N          [2]int64 // requests that have it
	Divergence float64  // Jensen-Shannon, in bits: 0 for the same mix to 1 for nothing in common
	Test       stat.Test
	Adjusted   float64 // chance, adjusted for all properties; requests taken as independent
	// Unseen says that one side records nothing of it: there is nothing to compare.
	Unseen bool
	// Few says that the sides have so few requests that no value of it can be compared.
	Few     bool
	Shifted bool
	Median  [2]int64     // of a numeric column, of the requests that have it
	Values  []ValueShare // of a column of labels: all values, the most moved first
}

// ValueShare is the share of one label among the requests that have any.
type ValueShare struct {
	Label string
	Share [2]float64
}

// Shifts compares every column. A mix has shifted when its divergence is above the
// rule's and chance does not explain it.
func Shifts(columns []Column, rule Rule) []Shift {
	out := make([]Shift, len(columns))
	var tested []*Shift
	var chance []float64
	for i := range columns {
		out[i] = columns[i].shift()
		if out[i].Adjusted = 1; !out[i].Unseen {
			tested, chance = append(tested, &out[i]), append(chance, out[i].Test.P)
		}
	}
	for i, a := range stat.BenjaminiHochberg(chance) {
		tested[i].Adjusted = a
		tested[i].Shifted = tested[i].Divergence > rule.MinDivergence && a <= rule.FalseDiscovery
	}
	return out
}

func (c *Column) shift() Shift {
	s := Shift{Column: c.Name, Test: stat.Test{P: 1}}
	var counts [sides][]int64
	values := len(c.Labels)
	var bounds []int64
	if c.Numeric {
		bounds = c.tenths()
		values = len(bounds) + 1
	}
	for side, rows := range c.Rows {
		counts[side] = make([]int64, values)
		var seen []int64
		for _, v := range rows {
			if v == Missing {
				continue
			}
			s.N[side]++
			if c.Numeric {
				seen, v = append(seen, v), int64(bin(bounds, v))
			}
			counts[side][v]++
		}
		if c.Numeric && len(seen) > 0 {
			slices.Sort(seen)
			s.Median[side] = stat.NearestRank(seen, stat.P50)
		}
	}
	if s.Unseen = s.N[Base] == 0 || s.N[New] == 0; s.Unseen {
		return s
	}
	if !c.Numeric {
		for v, label := range c.Labels {
			share := [2]float64{float64(counts[Base][v]) / float64(s.N[Base]), float64(counts[New][v]) / float64(s.N[New])}
			s.Values = append(s.Values, ValueShare{label, share})
		}
		slices.SortStableFunc(s.Values, func(a, b ValueShare) int {
			return compareDown(math.Abs(a.Share[New]-a.Share[Base]), math.Abs(b.Share[New]-b.Share[Base]))
		})
	}
	grouped, values := group(counts, s.N)
	s.Few = len(grouped[Base]) < min(2, values)
	var shares [sides][]float64
	for side := range sides {
		for _, n := range grouped[side] {
			shares[side] = append(shares[side], float64(n))
		}
	}
	if s.Divergence = stat.JensenShannon(shares[Base], shares[New]); len(grouped[Base]) > 1 {
		s.Test = stat.GTest([][]int64{grouped[Base], grouped[New]})
	}
	return s
}

func compareDown(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// group puts values together that are too rare for the test, behind the others. It
// returns how many different values there were.
func group(counts [sides][]int64, n [2]int64) (out [sides][]int64, values int) {
	var rare [sides]int64
	total := float64(n[Base] + n[New])
	for v := range counts[Base] {
		both := counts[Base][v] + counts[New][v]
		if both == 0 {
			continue
		}
		values++
		if float64(both)*float64(min(n[Base], n[New]))/total < leastExpected {
			rare[Base], rare[New] = rare[Base]+counts[Base][v], rare[New]+counts[New][v]
			continue
		}
		out[Base], out[New] = append(out[Base], counts[Base][v]), append(out[New], counts[New][v])
	}
	if rare[Base]+rare[New] > 0 {
		out[Base], out[New] = append(out[Base], rare[Base]), append(out[New], rare[New])
	}
	return out, values
}

// tenths returns the bounds of the bins of a numeric column: percentiles of both sides
// together, each once.
func (c *Column) tenths() []int64 {
	if !c.cut {
		c.bounds, c.cut = c.tenthsOf(), true
	}
	return c.bounds
}

func (c *Column) tenthsOf() []int64 {
	all := make([]int64, 0, len(c.Rows[Base])+len(c.Rows[New]))
	for _, rows := range c.Rows {
		for _, v := range rows {
			if v != Missing {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	var bounds []int64
	for k := range int64(bins - 1) {
		if at := stat.NearestRank(all, stat.Prob{Num: k + 1, Den: bins}); at < all[len(all)-1] {
			bounds = append(bounds, at)
		}
	}
	return slices.Compact(bounds)
}

// bin returns the number of bounds below v.
func bin(bounds []int64, v int64) int {
	at, _ := slices.BinarySearch(bounds, v)
	return at
}
