package analyze

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// WholeSeconds is the id of the warning that times are coarser than their records claim.
const WholeSeconds = "whole-seconds"

// timeSteps are the resolutions in ns that clocks and loggers have, the coarsest first.
var timeSteps = []int64{1_000_000_000, 100_000_000, 10_000_000, 1_000_000}

// stepRequests is how many durations must lie on a step: by chance one in a thousand does, of
// the finest step and times to the microsecond. Of starts and ends it takes more, as some
// clients send by the clock.
const (
	stepRequests = 20
	stepInstants = 100
)

// wholeSteps warns of durations, or of starts and ends, that all lie on whole steps of time
// which are more than a hundredth of the median duration, in requests whose records claim to
// be finer.
func wholeSteps(set *table.Set, rows []int32) []stat.Warning {
	req := &set.Requests
	var durations, starts, ends []int64
	for _, row := range rows {
		if req.Duration[row] <= 0 {
			continue
		}
		if claimed := req.DurationError[row]; claimed < timeSteps[len(timeSteps)-1] {
			durations = append(durations, req.Duration[row])
		}
		if claimed := req.Resolution[row]; claimed < timeSteps[len(timeSteps)-1] && req.Clock[row] != table.ClockNone {
			starts, ends = append(starts, req.Start[row]), append(ends, req.End[row])
		}
	}
	if len(durations) < stepRequests {
		return nil
	}
	limit := medianOf(durations) / 100
	if step := stepOf(durations); step > limit {
		return []stat.Warning{stepWarning("durations", len(durations), step)}
	}
	if len(starts) < stepInstants {
		return nil
	}
	// A start that is cut to whole seconds makes the duration longer, an end shorter.
	for _, side := range []struct {
		what string
		at   []int64
	}{{"starts", starts}, {"ends", ends}} {
		if step := stepOf(side.at); step > limit {
			return []stat.Warning{stepWarning(side.what, len(side.at), step)}
		}
	}
	return nil
}

func stepWarning(what string, n int, step int64) stat.Warning {
	return stat.Warning{ID: WholeSeconds, Text: fmt.Sprintf(
		"the %s of all %d requests are whole steps of %s although their records claim to be finer: durations may be off by as much, and the order within a step is not known",
		what, n, inUnit(step))}
}

// stepOf returns the coarsest step that all times are multiples of, 0 for none. Fewer than
// three different values show none: they may be few by nature.
func stepOf(times []int64) int64 {
	different := map[int64]bool{}
	for _, t := range times {
		if different[t] = true; len(different) >= 3 {
			break
		}
	}
	if len(different) < 3 {
		return 0
	}
	for _, step := range timeSteps {
		whole := true
		for _, t := range times {
			if whole = t%step == 0; !whole {
				break
			}
		}
		if whole {
			return step
		}
	}
	return 0
}
