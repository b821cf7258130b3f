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
// be finer. Requests that began and ended within one step are of these, and last 0; where
// no more than that shows the step, the warning is of them alone.
func wholeSteps(set *table.Set, rows []int32) []stat.Warning {
	what, n, step := wholeStep(set, rows)
	if step == 0 {
		return withinStep(set, rows)
	}
	return []stat.Warning{stepWarning(what, n, step)}
}

// withinStep warns of requests that began and ended within one step of their clock, which
// their records do not tell.
func withinStep(set *table.Set, rows []int32) []stat.Warning {
	n, widest := 0, int64(0)
	for _, row := range rows {
		length, _ := claimed(set, row)
		if step := set.Requests.DurationError[row]; length < step {
			n, widest = n+1, max(widest, step)
		}
	}
	if n == 0 {
		return nil
	}
	return []stat.Warning{{ID: WholeSeconds, Text: fmt.Sprintf(
		"%d of %s began and ended within the same %s, the step of their clock, although their records claim to be finer: they took less than that, and count as 0",
		n, plural(int64(len(rows)), "request"), inUnit(widest))}}
}

// wholeStep returns what lies on whole steps, how many there are and the step in ns, which
// is 0 where nothing does.
func wholeStep(set *table.Set, rows []int32) (what string, n int, step int64) {
	req := &set.Requests
	var durations, starts, ends []int64
	for _, row := range rows {
		if req.Duration[row] < 0 {
			continue
		}
		length, instant := claimed(set, row)
		if length < timeSteps[len(timeSteps)-1] {
			durations = append(durations, req.Duration[row])
		}
		if instant < timeSteps[len(timeSteps)-1] && req.Clock[row] != table.ClockNone {
			starts, ends = append(starts, req.Start[row]), append(ends, req.End[row])
		}
	}
	if len(durations) < stepRequests {
		return "", 0, 0
	}
	limit := medianOf(durations) / 100
	if step := stepOf(durations); step > limit {
		return "durations", len(durations), step
	}
	if len(starts) < stepInstants {
		return "", 0, 0
	}
	// A start that is cut to whole seconds makes the duration longer, an end shorter.
	for _, side := range []struct {
		what string
		at   []int64
	}{{"starts", starts}, {"ends", ends}} {
		if step := stepOf(side.at); step > limit {
			return side.what, len(side.at), step
		}
	}
	return "", 0, 0
}

// claimed returns how far off the duration and the instants of a request may be by what the
// record of its root claims. Of one without length the table says more than that: the step
// that all of its clock's times show.
func claimed(set *table.Set, row int32) (length, instant int64) {
	req := &set.Requests
	length, instant = req.DurationError[row], req.Resolution[row]
	if root := req.RootRow[row]; req.Duration[row] == 0 && root >= 0 && int(root) < set.Spans.Len() {
		return set.Spans.LengthError[root], set.Spans.Error[root]
	}
	return length, instant
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
