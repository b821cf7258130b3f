package analyze

import (
	"fmt"
	"slices"
	"strings"
)

// Definition is one of the ways in which tools take a figure of the same name. Figures by
// different ones are never mixed: each is printed with its id.
type Definition struct {
	ID     string
	Metric string   // what it is one reading of
	Text   string   // the formula, in words
	Own    bool     // the reading that is used where no other is asked for
	Tools  []string // who uses it, and under which name if another
}

// Definitions returns every way, those of one metric together and the own one of each first:
// measures of a request, gaps between tokens, percentiles, and then those of the system.
func Definitions() []Definition {
	return slices.Concat(requestDefinitions(), systemDefinitions())
}

// DefinitionNamed returns the definition with an id; the error lists those there are.
func DefinitionNamed(id string) (Definition, error) {
	var ids []string
	for _, d := range Definitions() {
		if d.ID == id {
			return d, nil
		}
		ids = append(ids, d.ID)
	}
	return Definition{}, fmt.Errorf("there is no definition %q; there are %s", id, strings.Join(ids, ", "))
}
