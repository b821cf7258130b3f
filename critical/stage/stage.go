package stage

import (
	"fmt"

	"github.com/tailpath/tailpath/ingest/table"
)

// Stage is one of the eight parts of a request's time, in path order.
type Stage uint8

// The stages. See doc.go for what belongs to each.
const (
	Network Stage = iota
	Gateway
	Queue
	Scheduling
	GPU
	Transfer
	Application
	Unattributed
)

// Count is the number of stages.
const Count = table.StageCount

// All lists the stages in path order.
func All() []Stage {
	all := make([]Stage, Count)
	for i := range all {
		all[i] = Stage(i)
	}
	return all
}

// String returns the stage's name.
func (s Stage) String() string {
	if int(s) >= Count {
		return fmt.Sprintf("stage(%d)", uint8(s))
	}
	return table.StageNames[s]
}

// Parse returns the stage with the given name.
func Parse(name string) (Stage, error) {
	for i, n := range table.StageNames {
		if n == name {
			return Stage(i), nil
		}
	}
	return 0, fmt.Errorf("unknown stage %q (one of %v)", name, table.StageNames)
}
