package chart

import (
	"math"
	"time"
)

const day = 24 * time.Hour

// timeSteps are the steps of an axis of instants from a second on. Below, they are powers of ten
// with their twos and fives; above, multiples of four weeks.
var timeSteps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	day, 2 * day, 7 * day, 14 * day, 28 * day,
}

// timeStep returns a round step of at least so many ns.
func timeStep(v float64) time.Duration {
	if v < float64(time.Second) {
		return time.Duration(max(1, round125(max(v, 1))))
	}
	for _, s := range timeSteps {
		if float64(s) >= v {
			return s
		}
	}
	return 28 * day * time.Duration(math.Ceil(v/float64(28*day)))
}

// timeTicks returns the round instants from lo to hi, in ns since the epoch, with at most n
// steps. The date is told at the first, and again wherever it has changed; weeks begin on Monday.
func timeTicks(lo, hi float64, n int) []tick {
	if !inTime(lo) || !inTime(hi) {
		return nil
	}
	step := int64(timeStep((hi - lo) / float64(max(n, 1))))
	offset := int64(0)
	if step >= int64(7*day) {
		offset = int64(4 * day) // the first Monday after the epoch
	}
	first := math.Ceil((lo - float64(offset)) / float64(step))
	var ticks []tick
	before := ""
	for i := range n + 2 {
		at := (int64(first)+int64(i))*step + offset
		if float64(at) > hi || float64(at) < lo {
			break
		}
		t := time.Unix(0, at).UTC()
		label, under := "15:04", "Mon 2 Jan"
		switch {
		case step >= int64(day):
			label, under = "Mon 2 Jan", "2006"
		case step < int64(time.Millisecond):
			label = "15:04:05.000000"
		case step < int64(time.Second):
			label = "15:04:05.000"
		case step < int64(time.Minute):
			label = "15:04:05"
		}
		date := t.Format(under)
		k := tick{at: float64(at), label: t.Format(label)}
		if date != before {
			k.under = date
			if before == "" {
				k.under = date + " UTC"
				if step < int64(day) {
					k.under = t.Format("Mon 2 Jan 2006") + " UTC"
				}
			}
		}
		before = date
		ticks = append(ticks, k)
	}
	return ticks
}
