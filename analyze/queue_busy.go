package analyze

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Busy compares requests that came in busy times with those that came in quiet ones: do they
// wait more for the same work, or is each more work?
type Busy struct {
	Known bool // false when nothing says when requests came, or there are too few of either
	// Need is how many requests of either it takes; 0 when nothing says when requests came.
	Need int64
	// ByIncident says that busy is inside incidents. Without any, the busy tenth of the
	// requests came when most were in flight, the quiet half when fewest were.
	ByIncident  bool
	Quiet, Busy BusyGroup
	// RiseNS is by how much the mean duration is higher in busy times, and QueueNS the part of
	// it in the queue stage: the rest is the requests' own time. ns.
	RiseNS, QueueNS int64
	// Own compares the own times of both groups: its Effect is the probability that one in
	// busy times takes longer.
	Own  stat.Test
	Kind BusyKind
}

// BusyGroup is the requests of busy or of quiet times.
type BusyGroup struct {
	N        int64
	P50, P99 stat.Quantile // of the duration
	Own      stat.Quantile // median of the duration less the queue stage
	duration stat.Sum
	queue    stat.Sum
	own      []int64
}

// BusyKind says in which way busy times are slow.
type BusyKind string

// The kinds of busy times. Work is two thirds or more of the rise in own time, contention
// two thirds or more in the queue.
const (
	BusyAlike      BusyKind = "alike"      // no slower, by less than a twentieth or by what chance does to own time
	BusyContention BusyKind = "contention" // the same work waits longer
	BusyWork       BusyKind = "work"       // each request is more work, or slower work
	BusyBoth       BusyKind = "both"
)

// busyOf compares the ranked rows of a population.
func busyOf(set *table.Set, w *waiting, when When, rows []int32, minimum int64) Busy {
	if len(w.rows) == 0 {
		return Busy{}
	}
	on := make([]bool, set.Requests.Len())
	for _, row := range w.rows {
		on[row] = true
	}
	kept := make([]int32, 0, len(rows))
	for _, row := range rows {
		if on[row] {
			kept = append(kept, row)
		}
	}
	var quiet, busy []int32
	b := Busy{ByIncident: len(when.Incidents) > 0, Need: minimum}
	if b.ByIncident {
		for _, row := range kept {
			if when.at(set.Requests.Start[row]) >= 0 {
				busy = append(busy, row)
			} else {
				quiet = append(quiet, row)
			}
		}
	} else {
		quiet, busy = byInFlight(set, w, kept)
	}
	if int64(min(len(quiet), len(busy))) < minimum {
		b.Quiet.N, b.Busy.N = int64(len(quiet)), int64(len(busy))
		return b
	}
	b.Known = true
	b.Quiet, b.Busy = busyGroup(set, quiet), busyGroup(set, busy)
	b.Own = stat.MannWhitney(b.Quiet.own, b.Busy.own)
	rise := new(big.Rat).Sub(b.Busy.duration.Mean(b.Busy.N), b.Quiet.duration.Mean(b.Quiet.N))
	queue := new(big.Rat).Sub(b.Busy.queue.Mean(b.Busy.N), b.Quiet.queue.Mean(b.Quiet.N))
	b.RiseNS, b.QueueNS = stat.RoundRat(rise), stat.RoundRat(queue)
	b.Kind = busyKind(rise, queue, b.Quiet.duration.Mean(b.Quiet.N))
	// A rise in own time that chance makes is none.
	if b.Kind == BusyWork && !(b.Own.P < CauseAlpha) {
		b.Kind = BusyAlike
	}
	b.Quiet.own, b.Busy.own = nil, nil
	return b
}

func busyKind(rise, queue, quiet *big.Rat) BusyKind {
	least := new(big.Rat).Mul(quiet, big.NewRat(1, 20))
	if rise.Sign() <= 0 || rise.Cmp(least) < 0 {
		return BusyAlike
	}
	share := new(big.Rat).Quo(queue, rise)
	switch {
	case share.Cmp(big.NewRat(2, 3)) >= 0:
		return BusyContention
	case share.Cmp(big.NewRat(1, 3)) <= 0:
		return BusyWork
	}
	return BusyBoth
}

// byInFlight returns the half of the rows that came when fewest were in flight, and the
// tenth that came when most were.
func byInFlight(set *table.Set, w *waiting, rows []int32) (quiet, busy []int32) {
	present := make(map[int32]int, len(rows))
	for _, row := range rows {
		at := set.Requests.Start[row]
		present[row] = w.arrivals.before(at) - w.ends.before(at+1)
	}
	ranked := slices.Clone(rows)
	slices.SortStableFunc(ranked, func(a, b int32) int {
		return cmp.Or(cmp.Compare(present[a], present[b]), cmp.Compare(set.Requests.Start[a], set.Requests.Start[b]))
	})
	return ranked[:len(ranked)/2], ranked[len(ranked)-len(ranked)/10:]
}

// busyGroup sums up some rows.
func busyGroup(set *table.Set, rows []int32) BusyGroup {
	g := BusyGroup{N: int64(len(rows)), own: make([]int64, len(rows))}
	durations := make([]int64, len(rows))
	for i, row := range rows {
		d, q := set.Requests.Duration[row], set.Requests.Stage[stage.Queue][row]
		durations[i], g.own[i] = d, d-q
		g.duration.Add(d)
		g.queue.Add(q)
	}
	slices.Sort(durations)
	slices.Sort(g.own)
	g.P50, g.P99, g.Own = stat.QuantileOf(durations, stat.P50), stat.QuantileOf(durations, stat.P99), stat.QuantileOf(g.own, stat.P50)
	return g
}
