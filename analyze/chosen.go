package analyze

import "github.com/tailpath/tailpath/ingest/table"

// Chosen returns the rows of the requests table that the options choose, ascending, with an
// account of the rest. It is the choice of every analysis with these options.
func Chosen(set *table.Set, opt Options) ([]int32, Population) { return population(set, opt) }
