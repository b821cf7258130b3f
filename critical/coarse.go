package critical

import "github.com/tailpath/tailpath/ingest/table"

// timeSteps are the steps in ns that a clock coarser than it claims may have, the coarsest
// first.
var timeSteps = [...]int64{1_000_000_000, 100_000_000, 10_000_000, 1_000_000}

// stepSpans is how many spans of one scope must lie on a step to show that its clock has
// it, and stepStarts how many different starts they must have: of fewer it may be chance.
const (
	stepSpans  = 20
	stepStarts = 3
)

// stepsOf returns, for every scope, the coarsest step that all starts and ends of its spans
// are multiples of, in ns; 0 for a scope of finer times, or of too few.
//
// A span that began and ended within one step has no length, and yet it is no fault: it
// took less than the step.
func stepsOf(set *table.Set) []int64 {
	spans := &set.Spans
	type seen struct {
		spans  int
		starts [stepStarts]int64 // different ones
		n      int
		fine   bool
	}
	scopes := make([]seen, set.Scopes.Len())
	steps := make([]int64, len(scopes))
	for k := range steps {
		steps[k] = timeSteps[0]
	}
	for row := range spans.Len() {
		k := spans.ScopeRow[row]
		if k < 0 || int(k) >= len(scopes) || scopes[k].fine || spans.Start[row] == 0 {
			continue
		}
		s := &scopes[k]
		at := spans.Start[row]
		for steps[k] > 0 && (at%steps[k] != 0 || spans.End[row]%steps[k] != 0) {
			steps[k] = finer(steps[k])
		}
		if s.fine = steps[k] == 0; s.fine {
			continue
		}
		s.spans++
		known := false
		for i := range s.n {
			known = known || s.starts[i] == at
		}
		if !known && s.n < stepStarts {
			s.starts[s.n] = at
			s.n++
		}
	}
	for k := range steps {
		if scopes[k].spans < stepSpans || scopes[k].n < stepStarts {
			steps[k] = 0
		}
	}
	return steps
}

// finer returns the next of the steps, or 0 behind the last.
func finer(step int64) int64 {
	for i, s := range timeSteps[:len(timeSteps)-1] {
		if s == step {
			return timeSteps[i+1]
		}
	}
	return 0
}

// stepOf returns the step in ns of the times that a span was recorded with, by what its
// record says of them or by what all of its scope show; 0 for one as fine as its clock.
func stepOf(set *table.Set, steps []int64, row int32) int64 {
	step := set.Spans.LengthError[row]
	if k := set.Spans.ScopeRow[row]; k >= 0 && int(k) < len(steps) && set.Spans.Origin[row] == table.OriginSpan {
		step = max(step, steps[k])
	}
	return step
}

func (w *worker) stepOf(row int32) int64  { return stepOf(w.set, w.steps, row) }
func (b *Builder) stepOf(row int32) int64 { return stepOf(b.set, b.steps, row) }
