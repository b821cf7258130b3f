package analyze

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// ClosedLoop is the id of the warning that requests were sent one for each that ended.
const ClosedLoop = "closed-loop"

// The measures of a closed loop.
const (
	loopRequests = 50                   // requests that there must be, and four for each in flight
	loopReply    = int64(5 * 1_000_000) // a client's next request follows within so many ns
	loopCovered  = 0.8                  // part of the time that may lie within loopReply of an end
	loopFlat     = 0.8                  // part of the time in which the number in flight is the same
	loopFollow   = 0.5                  // part of the arrivals that follow an end beyond chance
	loopSure     = 0.9999               // confidence of that part
)

// closedLoop warns of a load generator that sends a request when another has ended. Two
// signs must agree:
//
//   - The number in flight is flat: within a tenth of its 95 % level, in whole requests,
//     during most of the time, the first and the last requests aside.
//   - Arrivals follow ends: of them, the part that comes within 5 ms of an end, less what
//     comes there by chance, is more than half. Chance is the part of the time that lies
//     within that reach of an end; the reach is shortened until that is 80 % at most. The
//     part is its exact lower bound.
//
// Independent arrivals do not know when another request ends, however many there are. The
// requests are those of a Load.
func closedLoop(starts, ends []int64) []stat.Warning {
	n := len(starts)
	if n < loopRequests {
		return nil
	}
	starts, ends = slices.Clone(starts), slices.Clone(ends)
	stat.Sort(starts)
	stat.Sort(ends)
	level, ok := flatLevel(starts, ends)
	if !ok {
		return nil
	}
	arrivals := starts[level:] // the first of each client follow nothing
	from, to := starts[0], ends[n-1]
	reach, covered := loopReply, 0.0
	for ; reach > 0; reach /= 2 {
		if covered = loopCoverage(ends, reach, from, starts[n-1]); covered <= loopCovered {
			break
		}
	}
	if reach == 0 || to <= from {
		return nil
	}
	var follow int64
	for _, at := range arrivals {
		last := sort.Search(n, func(i int) bool { return ends[i] > at }) - 1
		if last >= 0 && at-ends[last] < reach {
			follow++
		}
	}
	low := stat.ClopperPearsonLower(follow, int64(len(arrivals)), loopSure)
	if (low-covered)/(1-covered) <= loopFollow {
		return nil
	}
	return []stat.Warning{{ID: ClosedLoop, Text: fmt.Sprintf(
		"closed-loop load: about %d in flight all the time, and %d of %d requests came within %s after another ended, where chance puts %.0f %%: a slow system is asked less, so percentiles under-state overload; do not extrapolate to an offered rate",
		level, follow, len(arrivals), inUnit(reach), 100*covered)}}
}

// flatLevel returns the number in flight, if it is flat and there are requests enough. Both
// lists are sorted.
func flatLevel(starts, ends []int64) (level int, flat bool) {
	n := len(starts)
	all := sweepSorted(starts, ends, starts[0], ends[n-1])
	level = int(all.Quantile(stat.P95))
	if level < 1 || 4*level > n || n < loopRequests {
		return 0, false
	}
	from, to := starts[level-1], ends[n-level]
	if to <= from {
		return 0, false
	}
	within := sweepSorted(starts, ends, from, to)
	var same int64
	for k, ns := range within.At {
		if d := k - level; max(d, -d) <= level/10 {
			same += ns
		}
	}
	return level, float64(same) >= loopFlat*float64(to-from)
}

// sweepSorted is Sweep of sorted starts and ends, of which no end comes before its start.
func sweepSorted(starts, ends []int64, from, to int64) Concurrency {
	c := Concurrency{From: from, To: to, At: []int64{0}}
	at, now, s, e := from, 0, 0, 0
	for s < len(starts) || e < len(ends) {
		instant := int64(math.MaxInt64)
		if s < len(starts) {
			instant = starts[s]
		}
		if e < len(ends) {
			instant = min(instant, ends[e])
		}
		if hold := min(instant, to); hold > at {
			for now >= len(c.At) {
				c.At = append(c.At, 0)
			}
			c.At[now] += hold - at
			at = hold
		}
		for e < len(ends) && ends[e] == instant {
			now--
			e++
		}
		for s < len(starts) && starts[s] == instant {
			now++
			s++
		}
		now = max(0, now) // a request of no length ends before it starts here
	}
	return c
}

// loopCoverage returns the part of [from, to) that lies less than reach after one of some
// sorted instants.
func loopCoverage(at []int64, reach, from, to int64) float64 {
	if to <= from {
		return 1
	}
	var sum int64
	free := from
	for _, t := range at {
		start, end := max(t, free), min(t+reach, to)
		if end > start {
			sum += end - start
			free = end
		}
	}
	return float64(sum) / float64(to-from)
}

// artefacts warns of what the way of measuring made: load from a closed loop, and times
// that are coarser than they claim to be. rows are those of a population.
func artefacts(set *table.Set, rows []int32) []stat.Warning {
	req := &set.Requests
	var starts, ends []int64
	list := make([]int, len(rows))
	for i, row := range rows {
		list[i] = int(row)
	}
	base := commonBase(set, list)
	for _, row := range rows {
		if base.clock != table.ClockNone && timebaseOf(set, int(row)) == base {
			starts, ends = append(starts, req.Start[row]), append(ends, req.End[row])
		}
	}
	return slices.Concat(closedLoop(starts, ends), wholeSteps(set, rows))
}
