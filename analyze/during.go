package analyze

import (
	"fmt"
	"math"
	"time"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// The ends of an Interval that is open: from the beginning, and to the end.
const (
	OpenStart int64 = math.MinInt64
	OpenEnd   int64 = math.MaxInt64
)

// Words says the bounds of a time in which requests start, in words; empty when it is open at
// both ends.
func (i Interval) Words() string {
	at := func(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.999Z") }
	switch from, to := i.Start != OpenStart, i.End != OpenEnd; {
	case from && to:
		return fmt.Sprintf("from %s up to %s", at(i.Start), at(i.End))
	case from:
		return "from " + at(i.Start) + " on"
	case to:
		return "before " + at(i.End)
	}
	return ""
}

// during leaves out what does not start in a time, and tells what of it was there all the same.
func (k *kept) during(in Interval) {
	req := &k.set.Requests
	k.why[isUndated] = Exclusion{Kind: ExcludedUndated, Reason: "its start is no date, which a time is chosen by"}
	k.why[isOutside] = Exclusion{Kind: ExcludedOutside, Reason: "does not start " + in.Words()}
	k.chosen, k.alone = true, in
	for row := range k.rows {
		from, to := req.Start[row], req.End[row]
		class := critical.Class(req.Class[row])
		ended := (class == critical.Complete || class == critical.Incomplete) && to >= from && from != table.Missing
		switch {
		case req.Clock[row] != table.ClockWall || from == table.Missing:
			k.rows[row] = isUndated
			if ended {
				k.undated.add(to - from)
			}
		case from < in.Start || from >= in.End:
			k.rows[row] = isOutside
			if ended && from < in.Start && to > in.Start {
				k.carried.add(min(to, in.End) - in.Start)
				k.alone.Start = max(k.alone.Start, to)
			}
		}
	}
}

func (m *missed) add(ns int64) {
	m.n++
	m.ns.Add(max(0, ns))
}

// only returns the time in which the requests that are kept were the only ones: all of it
// without a choice by time.
func (k *kept) only() Interval {
	if k.chosen {
		return k.alone
	}
	return Interval{OpenStart, OpenEnd}
}

// together returns the parts of some times in which the requests that are kept were the only
// ones: an engine or a log that tells of all cannot be asked for those that start in a time.
func (c *captured) together(times []stayAt) []stayAt {
	only := c.opt.kept.only()
	return bothCover(times, []stayAt{{only.Start, only.End}})
}
