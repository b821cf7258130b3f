package reports

import (
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze"
)

// MatchBottlenecks gives each bottleneck that was there in the latest of the times before the id
// that it had, and counts for how many in a row it was. It is the same one with the same id, or
// of the same stage and sub-label with a scope that overlaps: that shares a field with a shared
// value, or one of which is all requests. No two take the same id.
func MatchBottlenecks(now []Bottleneck, before []Before) []Bottleneck {
	out := slices.Clone(now)
	if len(before) == 0 {
		return out
	}
	last := before[len(before)-1].Bottlenecks
	taken, found := make([]bool, len(last)), make([]bool, len(out))
	take := func(same func(a, b Bottleneck) bool) {
		for i := range out {
			if found[i] {
				continue
			}
			k := slices.IndexFunc(last, func(b Bottleneck) bool { return same(out[i], b) })
			for ; k >= 0 && k < len(last); k++ {
				if taken[k] || !same(out[i], last[k]) {
					continue
				}
				taken[k], found[i] = true, true
				out[i].ID, out[i].Weeks = last[k].ID, max(1, last[k].Weeks)+1
				if out[i].Since = last[k].Since; out[i].Since == "" {
					out[i].Since = before[len(before)-1].Name
				}
				break
			}
		}
	}
	take(func(a, b Bottleneck) bool { return a.ID == b.ID })
	take(func(a, b Bottleneck) bool {
		return a.Stage == b.Stage && a.Detail == b.Detail && overlap(a.Scope, b.Scope)
	})
	return out
}

// overlap reports whether two scopes may have requests in common.
func overlap(a, b []ScopeField) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	for _, x := range a {
		for _, y := range b {
			if x.Field == y.Field && slices.ContainsFunc(x.Values, func(v string) bool { return slices.Contains(y.Values, v) }) {
				return true
			}
		}
	}
	return false
}

// restarted counts anew what was there before a gap: the last of the times before is a week, and
// not the one before that of the report.
func restarted(list []Bottleneck, a analyze.Report, before []Before) {
	if a.Week == nil || len(before) == 0 {
		return
	}
	name := before[len(before)-1].Name
	if _, err := analyze.ParseWeek(name, a.Week.Zone); err != nil || name == a.Week.Before(1).Name {
		return
	}
	for i := range list {
		list[i].Weeks, list[i].Since = 1, a.Week.Name
	}
}

// The states of an open item.
const (
	itemGone    = "gone"
	itemSame    = "same"
	itemWorse   = "worse"
	itemBetter  = "better"
	itemUnknown = "unknown"
)

// goneBelow is the part of an excess that counts as gone, and sameWithin by how much one may
// differ that counts as the same. leastItem is the part of the mean duration of a request that a
// difference must have: a stage that hardly matters is no worse for taking three times as long.
const (
	goneBelow  = 0.1
	sameWithin = 0.25
	leastItem  = 0.01
)

// meanDuration returns that of all requests, in seconds.
func meanDuration(a analyze.Report) float64 {
	for _, d := range a.Distributions {
		if d.Metric == "duration" && d.N > 0 {
			return d.Sum.Float() / float64(d.N) / 1e9
		}
	}
	return 0
}

// openItems says what became of the bottlenecks of the last time.
func openItems(a analyze.Report, last, now Before) []OpenItem {
	out := []OpenItem{}
	for _, b := range last.Bottlenecks {
		out = append(out, openItem(a, b, last, now))
	}
	return out
}

func openItem(a analyze.Report, b Bottleneck, last, now Before) OpenItem {
	out := OpenItem{ID: b.ID, Words: b.Words, State: itemUnknown, Before: b.Excess}
	var scope []analyze.ScopeField
	for _, f := range b.Scope {
		scope = append(scope, analyze.ScopeField{Field: f.Field, Values: f.Values})
	}
	e := a.ExcessIn(b.Stage, b.Detail, scope, b.MedianNS)
	switch {
	case !last.Complete:
		out.Why = last.Name + " is incomplete"
	case !now.Complete:
		out.Why = now.Name + " is incomplete"
	case !e.Known:
		out.Why = "no request has any time in " + b.Name() + ": it took none, or it is not recorded now"
	case e.Of == 0:
		out.Why = "no request is " + scopeOf(b.Scope)
	case b.Of <= 0 || !(b.Excess > 0):
		out.Why = "nothing is known of what it was"
	}
	if out.Why != "" {
		return out
	}
	was, is := b.Excess/float64(b.Of), e.Sum.Float()/1e9/float64(e.Of)
	total := e.Sum.Float() / 1e9
	low, high := is, is
	if e.Mean.HasBounds {
		low, high = e.Mean.Bounds.Low/1e9, e.Mean.Bounds.High/1e9
	}
	switch ratio := is / was; {
	case ratio < goneBelow:
		out.State = itemGone
	case ratio >= 1-sameWithin && ratio <= 1+sameWithin, low <= was*(1+sameWithin) && high >= was*(1-sameWithin),
		math.Abs(is-was) < leastItem*meanDuration(a):
		out.State, out.Now = itemSame, &total
	case ratio > 1:
		out.State, out.Now = itemWorse, &total
	default:
		out.State, out.Now = itemBetter, &total
	}
	out.Why = fmt.Sprintf("%s a request now, %s before", seconds(is), seconds(was))
	return out
}

// seconds writes a time given in seconds.
func seconds(s float64) string { return Duration(nanoseconds(s)) }

// nanoseconds turns seconds into whole ns, as far as they fit.
func nanoseconds(s float64) int64 {
	const most = 9e9 // seconds that fit, with room to spare
	return int64(min(max(s, -most), most) * 1e9)
}
