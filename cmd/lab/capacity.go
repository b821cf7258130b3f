package main

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/cmd/lab/plant"
)

// capacityDays is how many days of a system, load and peak are scored unless told otherwise.
const capacityDays = 6

// The lines that a capacity is held to, as shares of the true one.
const (
	leastRate = 0.97 // of a rate that is said to be the limit, at a peak of 110 %
	mostRate  = 1.01 // of any rate: the system does not carry more
	// mostUnreached is the highest peak, in percent of the capacity, at which the limit was not
	// reached, so that it is false to say that it was.
	mostUnreached = 95
	// sureReached is the peak, in percent of the capacity, at which the limit must be seen.
	sureReached = 110
)

// capacityScore is what is said of days of one system whose peak is a share of its capacity.
type capacityScore struct {
	System string  `json:"system"`
	Load   string  `json:"load"`
	Hours  float64 `json:"hours"`        // of a day
	Peak   int     `json:"peak_percent"` // of the capacity
	Days   int     `json:"days"`

	Reached    int `json:"reached"`
	NotReached int `json:"not_reached"`
	CannotSay  int `json:"cannot_say"`
	// Low, High and Mean are of the rates that are said to be carried, as shares of the capacity;
	// 0 when every day cannot say.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Mean float64 `json:"mean"`
	// Under counts rates that are said to be the limit and are below leastRate of it; Over
	// those above mostRate, limit or not.
	Under int `json:"under"`
	Over  int `json:"over"`
	// False counts days of a peak up to mostUnreached that say that the limit was reached.
	False int `json:"false_saturation"`
	// Misses name, by seed, the days that claim a limit falsely, miss one at a peak of sureReached
	// or more, or have a rate above mostRate, and the whole ones below leastRate.
	Misses []string `json:"misses,omitempty"`
}

// whole reports whether the days are whole, and not short captures.
func (r *capacityScore) whole() bool { return r.Hours >= 24 }

// capacityCase is what a row of the score is of.
type capacityCase struct {
	system plant.System
	load   plant.Load
	hours  float64
	peak   int // percent
}

// cost is how many requests a day has, at most.
func (c capacityCase) cost() float64 { return c.hours * float64(c.peak) * c.system.Capacity }

// capacityCases lists the whole days, and then the short captures, of the system with the
// given name, of all for an empty one.
func capacityCases(name string) (cases []capacityCase) {
	systems := plant.Systems()
	for i, s := range systems {
		loads := []plant.Load{plant.OnePeak}
		if i%2 == 0 { // the form of the day is told by two of them
			loads = append(loads, plant.TwoPeaks)
		}
		for _, l := range loads {
			for _, peak := range []int{50, 80, 95, 100, 110, 125} {
				cases = append(cases, capacityCase{s, l, 24, peak})
			}
		}
	}
	for _, s := range systems {
		for _, hours := range []float64{1, 2} {
			for _, peak := range []int{95, 110} {
				cases = append(cases, capacityCase{s, plant.OnePeak, hours, peak})
			}
		}
	}
	return slices.DeleteFunc(cases, func(c capacityCase) bool { return name != "" && c.system.Name != name })
}

// scoreCapacity scores cases, several days at once; which, changes nothing.
func scoreCapacity(cases []capacityCase, days int) []capacityScore {
	type day struct{ of, seed int }
	answers := make([][]capacity.Answer, len(cases))
	var work []day
	for i := range cases {
		answers[i] = make([]capacity.Answer, days)
		for seed := range days {
			work = append(work, day{i, seed})
		}
	}
	slices.SortStableFunc(work, func(a, b day) int { return cmp.Compare(cases[b.of].cost(), cases[a.of].cost()) })
	var all sync.WaitGroup
	next := make(chan day)
	for range min(runtime.GOMAXPROCS(0), len(work)) {
		all.Go(func() {
			var room []capacity.Request
			for d := range next {
				c := cases[d.of]
				day := plant.Day{Seed: uint64(d.seed) + 1, Peak: float64(c.peak) / 100, Hours: c.hours, Load: c.load}
				room = requestsOf(c.system, day, room)
				answers[d.of][d.seed] = capacity.Of(room, capacity.Options{Target: c.system.Target}).Answer
			}
		})
	}
	for _, d := range work {
		next <- d
	}
	close(next)
	all.Wait()
	rows := make([]capacityScore, len(cases))
	for i, c := range cases {
		rows[i] = holdCapacity(c, answers[i])
	}
	return rows
}

// capacityOf is the capacity of a system as a day of it shows. It asks for it from plain
// values, since tables of millions of requests take many times as long to make and to read;
// TestCapacityThroughTables holds that [analyze.CapacityOf] says the same of tables.
func capacityOf(s plant.System, d plant.Day) capacity.Answer {
	return capacity.Of(requestsOf(s, d, nil), capacity.Options{Target: s.Target}).Answer
}

// requestsOf returns the requests of a day, in the memory of those of another day where that
// is enough: a day can have millions.
func requestsOf(s plant.System, d plant.Day, room []capacity.Request) []capacity.Request {
	requests := slices.Grow(room[:0], s.Most(d))
	s.Each(d, func(q *plant.Request) {
		took := q.DurationNS()
		requests = append(requests, capacity.Request{StartNS: q.StartNS, EndNS: q.StartNS + took, Good: s.Meets(took), Eligible: true, Tokens: q.Tokens})
	})
	return requests
}

// holdCapacity holds what is said of days, by seed, against the capacity.
func holdCapacity(c capacityCase, answers []capacity.Answer) capacityScore {
	row := capacityScore{System: c.system.Name, Load: c.load.Name, Hours: c.hours, Peak: c.peak, Days: len(answers), Low: math.Inf(1)}
	rated := 0
	for i, a := range answers {
		share := a.Rate / c.system.Capacity
		miss := func(format string, args ...any) {
			row.Misses = append(row.Misses, fmt.Sprintf("seed %d ", i+1)+fmt.Sprintf(format, args...))
		}
		switch a.Kind {
		case capacity.Reached:
			row.Reached++
			if c.peak <= mostUnreached {
				row.False++
				miss("%.4f, false saturation", share)
			}
			if share < leastRate {
				row.Under++
				if row.whole() { // short captures see less, and are counted
					miss("%.4f, below", share)
				}
			}
		case capacity.NotReached:
			row.NotReached++
		default:
			row.CannotSay++
		}
		if a.Kind != capacity.Reached && c.peak >= sureReached {
			miss("%s", a.Kind)
		}
		if a.Kind == capacity.CannotSay {
			continue
		}
		if share > mostRate {
			row.Over++
			miss("%.4f, above", share)
		}
		rated++
		row.Low, row.High, row.Mean = min(row.Low, share), max(row.High, share), row.Mean+share
	}
	if rated == 0 {
		row.Low = 0
	} else {
		row.Mean /= float64(rated)
	}
	return row
}
