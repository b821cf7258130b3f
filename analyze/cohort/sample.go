package cohort

import "math"

// Sample is the requests of a comparison by column: slow ones and the rest.
type Sample struct {
	// Slow says of each request whether it is one of the slow ones.
	Slow []bool
	// Start is when each request started, in ns; nil when nothing says so.
	Start []int64
	// Clock numbers the clock of each Start: times of different clocks are never set against
	// each other, and a negative number says that the request has no time. nil means that
	// all are on one clock.
	Clock []int32
	// Columns is the number of attributes, and Column returns one of them. It is called once
	// for each, maybe from several goroutines, so that not all columns need to be in memory.
	Columns int
	Column  func(i int) Column
}

// Column is one attribute of every request: categories, or numbers.
type Column struct {
	Name string
	// Codes[i] is the index in Names of the category of request i, negative when it has none.
	Codes []int32
	Names []string
	// Numbers[i] is the number of request i, not finite when it has none. A column with
	// Numbers has no Codes.
	Numbers []float64
	// LeftOut says why the attribute must not be tested; empty when it may be. Codes and
	// Numbers are then not read.
	LeftOut string
}

// Options fix a comparison. The zero value of a field is its default.
type Options struct {
	// FDR is the rate of false discoveries that Benjamini and Hochberg's rule keeps to, over
	// all attributes tested: 0.05.
	FDR float64
	// MinSupport is how many slow requests a value needs: 5.
	MinSupport int64
	// MinLift is how many times as large the value's share of the slow requests must be as
	// its share of the rest: 1.5.
	MinLift float64
	// MinDifference is how much larger it must be at least: 0.10.
	MinDifference float64
	// Workers is how many attributes are examined at once; it changes no result. 1 when 0.
	Workers int
}

func (o Options) filled() Options {
	if o.FDR == 0 {
		o.FDR = 0.05
	}
	if o.MinSupport == 0 {
		o.MinSupport = 5
	}
	if o.MinLift == 0 {
		o.MinLift = 1.5
	}
	if o.MinDifference == 0 {
		o.MinDifference = 0.10
	}
	o.Workers = max(1, o.Workers)
	return o
}

// sizes counts slow requests and the rest.
func (s *Sample) sizes() (slow, rest int64) {
	for _, is := range s.Slow {
		if is {
			slow++
		}
	}
	return slow, int64(len(s.Slow)) - slow
}

// least returns how many requests must have a value, slow or not, for it to be able to
// pass the gates, whichever requests are slow. What falls short of it is left out before
// anything is tested, which costs no discovery: it does not depend on who is slow.
func (o Options) least(slow, rest int64) int64 {
	return max(o.MinSupport, int64(math.Ceil(o.MinDifference*float64(min(slow, rest)))))
}
