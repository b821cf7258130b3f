package main

import (
	"fmt"
	"strings"
)

// capacityText is the table of simulated days as it is kept as a golden file, with its limits
// and every miss by name.
func capacityText(rows []capacityScore) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-14s %-9s %5s %5s %5s %8s %12s %11s %8s %8s %8s %6s %5s %6s\n",
		"system", "load", "hours", "peak", "days", "reached", "not reached", "cannot say", "lowest", "highest", "mean", "under", "over", "false")
	for _, r := range rows {
		fmt.Fprintf(&out, "%-14s %-9s %5g %5d %5d %8s %12s %11s %8s %8s %8s %6d %5d %6s\n",
			r.System, r.Load, r.Hours, r.Peak, r.Days, count(r.Reached), count(r.NotReached), count(r.CannotSay),
			r.share(r.Low), r.share(r.High), r.share(r.Mean), r.Under, r.Over, r.ofUnreached(r.False))
	}
	fmt.Fprintf(&out, "\npeak: in percent of the true capacity; lowest, highest, mean: rates that are said to be carried, as shares of it\n"+
		"under: rates said to be the limit, and below %g of it; over: rates above %g; false: limits said to be reached at a peak of at most %d %%\n",
		leastRate, mostRate, mostUnreached)
	out.WriteString("\n" + capacityLimits(rows))
	named := false
	for _, r := range rows {
		if len(r.Misses) == 0 {
			continue
		}
		if !named {
			out.WriteString("\nmisses, by seed:\n")
			named = true
		}
		fmt.Fprintf(&out, "%s, %s, %g h, peak at %d %%: %s\n", r.System, r.Load, r.Hours, r.Peak, strings.Join(r.Misses, "; "))
	}
	return out.String()
}

// share is a rate as a share of the capacity, and a dash where no day has one.
func (r *capacityScore) share(v float64) string {
	if r.CannotSay == r.Days {
		return "-"
	}
	return fmt.Sprintf("%.4f", v)
}

// ofUnreached is a count that only days have on which the limit was not reached.
func (r *capacityScore) ofUnreached(n int) string {
	if r.Peak > mostUnreached {
		return "-"
	}
	return fmt.Sprint(n)
}

// capacityTotals adds up rows of whole days or of short captures.
type capacityTotals struct {
	unreached, claimed int // days of a peak up to mostUnreached, and those that claim a limit
	sure, seen         int // days of a peak of sureReached, and those that see the limit
	under              int // of those that see it
	over               int // of those of that peak
	days, overAny      int // all days, and those with a rate above mostRate
	lowest, highest    *capacityScore
}

func (t *capacityTotals) add(r *capacityScore) {
	t.days += r.Days
	t.overAny += r.Over
	if r.Peak <= mostUnreached {
		t.unreached += r.Days
		t.claimed += r.False
	}
	if r.Peak == sureReached {
		t.sure += r.Days
		t.seen += r.Reached
		t.under += r.Under
		t.over += r.Over
		if rated := r.Reached+r.NotReached > 0; rated && (t.lowest == nil || r.Low < t.lowest.Low) {
			t.lowest = r
		}
		if t.highest == nil || r.High > t.highest.High {
			t.highest = r
		}
	}
}

// totalCapacity adds up the rows of whole days, or of short captures.
func totalCapacity(rows []capacityScore, whole bool) (t capacityTotals) {
	for i := range rows {
		if rows[i].whole() == whole {
			t.add(&rows[i])
		}
	}
	return t
}

// capacityLimits holds the figures of all rows against their limits, a line a limit.
func capacityLimits(rows []capacityScore) string {
	var out strings.Builder
	line := func(what, limit, whole, short string) {
		fmt.Fprintf(&out, "%-36s %-14s %-52s %s\n", what, limit, whole, short)
	}
	of := func(n, all int) string { return fmt.Sprintf("%s (%d of %d)", percent(n, all), n, all) }
	between := func(t capacityTotals) string {
		if t.lowest == nil {
			return "-"
		}
		return fmt.Sprintf("%.4f of %s to %.4f of %s", t.lowest.Low, t.lowest.System, t.highest.High, t.highest.System)
	}
	whole, short := totalCapacity(rows, true), totalCapacity(rows, false)
	line("limit", "", "whole days", "short captures")
	line(fmt.Sprintf("false saturation, peak up to %d %%", mostUnreached), "<= 2 %", of(whole.claimed, whole.unreached), of(short.claimed, short.unreached))
	line(fmt.Sprintf("reached, peak at %d %%", sureReached), "all whole days", of(whole.seen, whole.sure), of(short.seen, short.sure))
	line(fmt.Sprintf("rates, peak at %d %%", sureReached), fmt.Sprintf("%g to %g", leastRate, mostRate), between(whole), between(short))
	line("  under, of those reached", "none", of(whole.under, whole.seen), of(short.under, short.seen))
	line("  over", "none", of(whole.over, whole.sure), of(short.over, short.sure))
	line("over, at any peak", "", of(whole.overAny, whole.days), of(short.overAny, short.days))
	return out.String()
}
