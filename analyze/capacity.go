package analyze

import (
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// Capacity is the answer to "how much does this system carry, and what holds it up?" for
// one set of requests.
type Capacity struct {
	Population Population
	System     System
	Objectives []Objective // in the order in which they were given
	// Alternatives are figures of the system by the definitions of Options.Define.
	Alternatives []Alternative
	// Measures are those of requests by the same; nil when none of them is.
	Measures *Measures
	Warnings []stat.Warning
}

// CapacityOptions are what a capacity is asked for, beside the options of any analysis.
type CapacityOptions struct {
	Objectives []filter.Objective
	// WindowNS is the length of the windows in which objectives are judged against rates; 0
	// for 60 s.
	WindowNS int64
	// GPUs is how many GPUs served the requests; 0 for unknown.
	GPUs int64
}

// CapacityOf answers for the requests of a set, with Options.Engines for what the engines did
// meanwhile.
func CapacityOf(set *table.Set, opt Options, ask CapacityOptions) Capacity {
	opt = opt.filled().on(set)
	rows, population := population(set, opt)
	c := Capacity{Population: population}
	c.System = systemOf(set, opt, ask)
	c.Objectives = objectives(set, rows, population, opt, ask)
	for i := range c.Objectives {
		o := &c.Objectives[i].Capacity
		o.Warnings = append(o.Warnings, ofRates(outsideCaveats(c.System.Outside))...)
	}
	c.Measures = measuresOf(set, rows, population.Sampling, opt)
	c.Alternatives = alternatives(set, rows, opt, ask, &c)
	return c
}
