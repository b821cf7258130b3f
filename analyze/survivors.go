package analyze

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// Survivorship is the id of the warning that requests which were left out took, as far as
// is known, longer than those that were used: the tail is then understated.
const Survivorship = "survivorship"

// survivorsSure is the confidence of the bound of the share that must lie beyond the limit,
// and survivorsMatter how many must, of the used requests there, to move the tail.
const (
	survivorsSure   = 0.99
	survivorsMatter = 0.05
)

// leftLong counts requests that were left out for one reason, by how long they took or had
// been running.
type leftLong struct {
	n       int64 // with a known duration or age
	long    int64 // longer than the limit
	longest int64 // ns
}

// survivors warns of requests that are not in a population though they were slow: those
// still running at the end of the recording, by their age, and those of which a part is
// missing, that failed or that were given up, by their duration. The limit is the p99 of the
// durations that were used, or the longest where there are too few for it.
//
// A request that still runs for longer than the limit will be in the tail whenever it ends,
// so each is told of. Of the others as many as chance makes lie beyond the limit: they are
// told of if the lower bound of their share exceeds that, and if they are many beside the
// used requests beyond the limit.
func survivors(set *table.Set, d Percentiles, opt Options) (out []stat.Warning) {
	if d.N == 0 {
		return nil
	}
	opt = opt.on(set)
	limit, name, beyond := d.Slowest.NS, "the slowest", 1/float64(d.N+1)
	usual := stat.P99
	if i := slices.IndexFunc(d.Quantiles, func(q Percentile) bool { return q.P == usual && q.Known }); i >= 0 {
		limit, name, beyond = d.Quantiles[i].Value, usual.String(), 1-usual.Float()
	}
	req := &set.Requests
	last := lastInstants(set)
	kinds := []string{critical.Unfinished.String(), critical.Incomplete.String(), ExcludedError, ExcludedAborted}
	counts := make([]leftLong, len(kinds))
	for i := range req.Len() {
		why, left := exclusion(set, i, opt)
		k := slices.Index(kinds, why.Kind)
		if !left || k < 0 {
			continue
		}
		took := req.Duration[i]
		switch {
		case k == 0:
			if req.Clock[i] == table.ClockNone {
				continue // nothing says since when
			}
			took = last[timebaseOf(set, i)] - req.Start[i]
		case !timed(req, i):
			continue
		}
		c := &counts[k]
		c.n++
		c.longest = max(c.longest, took)
		if took > limit {
			c.long++
		}
	}
	for k, c := range counts {
		text := ""
		switch {
		case c.long == 0:
			continue
		case k == 0:
			text = fmt.Sprintf("%s still running, or lost the end, when the recording stopped, %s for longer than %s of those that were used (%s), the oldest for at least %s",
				were(c.n), ofThem(c.long, c.n), name, roughly(limit), roughly(c.longest))
		case stat.ClopperPearsonLower(c.long, c.n, survivorsSure) <= beyond, float64(c.long) < float64(d.N)*beyond*survivorsMatter:
			continue
		default:
			text = fmt.Sprintf("%s left out as %s, %s took longer than %s of those that were used (%s), the longest %s",
				were(c.n), kinds[k], ofThem(c.long, c.n), name, roughly(limit), roughly(c.longest))
		}
		out = append(out, stat.Warning{ID: Survivorship, Text: text + ": the tail is understated"})
	}
	return out
}

// lastInstants returns the last end or start of a request by timebase: the recording is
// known to have run until then.
func lastInstants(set *table.Set) map[timebase]int64 {
	last := map[timebase]int64{}
	for i := range set.Requests.Len() {
		base := timebaseOf(set, i)
		at := max(set.Requests.Start[i], set.Requests.End[i])
		if known, ok := last[base]; !ok || at > known {
			last[base] = at
		}
	}
	return last
}

func were(n int64) string {
	if n == 1 {
		return "1 request was"
	}
	return plural(n, "request") + " were"
}

func ofThem(part, n int64) string {
	switch {
	case n == 1:
		return "and"
	case part == n:
		return "all of them"
	}
	return fmt.Sprintf("%d of them", part)
}

// roughly writes a time, cut to one decimal below ten, in a unit of which there are at least two.
func roughly(ns int64) string {
	units := []struct {
		ns   int64
		name string
	}{{86_400_000_000_000, "days"}, {3_600_000_000_000, "h"}, {60_000_000_000, "min"}, {1_000_000_000, "s"}, {1_000_000, "ms"}, {1000, "µs"}}
	for _, u := range units {
		whole, tenths := ns/u.ns, ns%u.ns/(u.ns/10)
		switch {
		case whole >= 2 && whole < 10 && tenths > 0:
			return fmt.Sprintf("%d.%d %s", whole, tenths, u.name)
		case whole >= 2:
			return fmt.Sprintf("%d %s", whole, u.name)
		}
	}
	return fmt.Sprintf("%d ns", ns)
}
