package engine

import "slices"

// Basis is what a statement rests on.
type Basis uint8

// The bases.
const (
	NoBasis   Basis = iota
	Readings        // the engine's own readings
	Intervals       // the times of the requests
	Record          // the record of the wait names it
)

// String returns the name of a basis.
func (b Basis) String() string {
	return [...]string{"none", "readings", "intervals", "record"}[min(b, Record)]
}

// SlotLimit is the most that runs at once at an engine, as far as it was reached while
// others waited. Where batches run it counts batches, so instances of the model.
type SlotLimit struct {
	Value int64   // requests, or batches; 0 when it is not known
	Basis Basis   // Readings or Intervals
	Share float64 // of the time, or of the readings, in which somebody waited
	NS    int64   // time at it while others waited; 0 for readings
	// Visits counts how often it was filled up again while others still waited, or the
	// readings at it.
	Visits int64
}

// What a plateau must have; doc.go tells why.
const (
	leastShare     = 0.25 // of the time in which it ran and somebody waited
	leastVisits    = 5
	leastRatio     = 2    // of the time at it to that at the level below
	mostAbove      = 0.25 // of the time at it and above, and only for short whiles:
	brief          = 50   // as often they go into the mean time that one runs, and
	briefer        = 2    // as often into the time after which one of those that run ends
	leastReadings  = 3
	leastReadShare = 0.2 // of the readings in which somebody waited
)

// fullMemory is the share of the KV cache in use from which on memory counts as full.
const fullMemory = 0.9

// tightMemory is the share from which on memory may be too full for another request.
const tightMemory = 0.8

// learn finds the highest level that was held and, if it shows one, the limit in the
// engine's own times.
func (l *timeline) learn() {
	s := &l.steps
	most := int32(0)
	for _, n := range s.counts[unit] {
		most = max(most, n)
	}
	if most == 0 {
		return
	}
	all, waits, unsure := make([]int64, most+1), make([]int64, most+1), make([]int64, most+1)
	reached, visits := make([]int64, most+2), make([]int64, most+1)
	memory := l.reads.find(metricKV)
	before := int32(0)
	var kept, prompts int64 // time in which somebody waited, and in which somebody prefilled too
	s.each(func(i int, length int64) {
		n := s.counts[unit][i]
		all[n] += length
		for k := before + 1; k <= n; k++ {
			reached[k]++
		}
		before = n
		if s.starts[i] > 0 && i > 0 && s.counts[waiting][i-1] > 0 {
			visits[n]++
		}
		if s.counts[waiting][i] > 0 {
			if kept += length; s.counts[prefilling][i] > 0 {
				prompts += length
			}
		}
		if n == 0 || s.counts[waiting][i] == 0 || s.counts[preempted][i] > 0 || s.counts[prefilling][i] > 0 {
			return
		}
		if memory.near(s.at[i], tightMemory) {
			return
		}
		if s.counts[absent][i] > 0 {
			unsure[n] += length // so many ran, or more
		} else {
			waits[n] += length
		}
	})
	l.delay = l.longestFilling()
	var waited, ran int64
	for n, ns := range waits {
		waited, ran = waited+ns, ran+int64(n)*all[n]
	}
	mean := float64(ran) / float64(max(len(l.units()), 1))
	value, atLeast := most, all[most]
	for n := most - 1; n > 0; n-- {
		next := atLeast + all[n]
		while := float64(atLeast) / float64(max(reached[n+1], 1))
		if all[n] == 0 || while*max(brief, briefer*float64(n)) > mean {
			break // what lies above it is more than misplacement, which lifts by one and one
		}
		if float64(atLeast) <= mostAbove*float64(next) {
			value = n
		}
		atLeast = next
	}
	l.held = int64(value)
	l.single = value == 1 && !l.batching && float64(prompts) >= steadyPrefill*float64(kept)
	var plateau, count int64
	for n := value; n <= most; n++ {
		plateau, count = plateau+waits[n]+unsure[n], count+visits[n]
		waited += unsure[n]
	}
	share := float64(plateau) / float64(max(waited, 1))
	if value == 1 && most > 1 && !l.batching {
		return // it takes one at a time for another reason, such as long prompts
	}
	if plateau > 0 && share >= leastShare && count >= leastVisits && plateau >= leastRatio*waits[value-1] {
		l.level = SlotLimit{int64(value), Intervals, share, plateau, count}
	}
}

// longestFilling returns for how long batches fill, in ns: a stretch of time in which
// somebody waits and an instance is free is that of one batch, and nine in ten of them are
// no longer. An engine that stands still has stretches too, but fewer.
func (l *timeline) longestFilling() int64 {
	if !l.batching {
		return 0
	}
	s := &l.steps
	var stretches []int64
	now := int64(0)
	full := slices.Max(s.counts[unit])
	s.each(func(i int, length int64) {
		if s.counts[waiting][i] > 0 && s.counts[unit][i] < full {
			now += length
			return
		}
		if now > 0 {
			stretches = append(stretches, now)
		}
		now = 0
	})
	if now > 0 {
		stretches = append(stretches, now)
	}
	if len(stretches) == 0 {
		return 0
	}
	slices.Sort(stretches)
	return stretches[(len(stretches)-1)*9/10]
}
