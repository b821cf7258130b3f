package engine

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
	leastShare     = 0.05 // of the time in which somebody waited
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
	all, waits := make([]int64, most+1), make([]int64, most+1)
	reached, visits := make([]int64, most+2), make([]int64, most+1)
	memory := l.reads.find(metricKV)
	before := int32(0)
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
		if s.counts[waiting][i] == 0 || s.counts[preempted][i] > 0 || s.counts[prefilling][i] > 0 {
			return
		}
		if k, ok := memory.inForce(s.at[i]); ok && memory.value[k] >= fullMemory {
			return
		}
		waits[n] += length
	})
	var waited, ran int64
	for n, ns := range waits {
		waited, ran = waited+ns, ran+int64(n)*all[n]
	}
	mean := float64(ran) / float64(max(len(l.units()), 1))
	value, atLeast := most, all[most]
	for n := most - 1; n > 0; n-- {
		next := atLeast + all[n]
		while := float64(atLeast) / float64(max(reached[n+1], 1))
		if float64(atLeast) > mostAbove*float64(next) || while*max(brief, briefer*float64(n)) > mean {
			break // what lies above it is more than misplacement
		}
		value, atLeast = n, next
	}
	l.held = int64(value)
	var plateau, count int64
	for n := value; n <= most; n++ {
		plateau, count = plateau+waits[n], count+visits[n]
	}
	share := float64(plateau) / float64(max(waited, 1))
	if value == 1 && most > 1 && !l.batching {
		return // it takes one at a time for another reason, such as long prompts
	}
	if plateau > 0 && share >= leastShare && count >= leastVisits && plateau >= leastRatio*waits[value-1] {
		l.level = SlotLimit{int64(value), Intervals, share, plateau, count}
	}
}
