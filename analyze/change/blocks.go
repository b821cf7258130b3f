package change

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// The sides of a comparison.
const (
	Base = iota
	New
	sides
)

// The kinds of block.
const (
	Days      = "days"      // the same weekdays of both sides are drawn together
	HalfDays  = "half days" // from midnight and from noon, UTC
	Stretches = "stretches" // equal parts of each capture
	NoBlocks  = "no blocks" // nothing says when requests started
)

const (
	hour = int64(3_600_000_000_000) // ns
	day  = 24 * hour
	week = 7 * day
	// monday is a Monday 00:00 UTC, in ns from the Unix epoch.
	monday = 4 * day
	// stretches is how many equal parts a short capture is cut into.
	stretches = 30
	// fewest is the number of blocks below which nothing can be resampled.
	fewest = 4
)

// Blocks are the stretches of time that are drawn as wholes when intervals are made, so
// that requests that waited for each other stay together. Both sides have their own, or
// share them by weekday and hour.
type Blocks struct {
	Kind     string
	N        [sides]int   // blocks that have requests
	LengthNS [sides]int64 // ns
	// Paired says that block k of one side is drawn with block k of the other: what repeats
	// every week is then no noise.
	Paired bool
	// Refused says in words why there is no interval, or why it describes these captures
	// and predicts nothing; empty when it predicts.
	Refused string

	origin [sides]int64
	cycle  int64          // blocks after which they repeat; 0 for never
	index  [sides][]int32 // by position in time less first: the number of the block, -1 for none
	first  [sides]int64
}

// Known reports whether there are blocks to resample.
func (b *Blocks) Known() bool {
	return b.Kind != NoBlocks && b.Kind != "" && min(b.N[Base], b.N[New]) >= fewest
}

// why says why nothing can be resampled.
func (b *Blocks) why() string {
	if b.Refused != "" {
		return b.Refused
	}
	return "nothing says when requests started"
}

// Clock says what the starts of a side are measured on, as far as it matters here.
type Clock struct {
	Starts []int64 // of all its requests, in ns; empty when they are not on one clock
	Wall   bool    // the clock tells the time of day
	// HoldNS is how long requests wait that wait long, in ns: those that are closer in time
	// may have waited for each other, so no block is shorter.
	HoldNS int64
}

// Cut cuts both sides into blocks: days when both have the same weekdays all week
// round, half days when there are ten on either side, else each into 30 stretches, or
// fewer when one would be shorter than a long wait.
func Cut(base, new Clock, rule Rule) Blocks {
	clocks := [sides]Clock{base, new}
	if len(base.Starts) == 0 || len(new.Starts) == 0 {
		return Blocks{Kind: NoBlocks, Refused: "nothing says when the requests of " + which(len(base.Starts) == 0, len(new.Starts) == 0) + " started"}
	}
	var span [sides]int64
	for s, c := range clocks {
		span[s] = slices.Max(c.Starts) - slices.Min(c.Starts)
	}
	if shorter := min(span[Base], span[New]); base.Wall && new.Wall && shorter > 0 {
		for weeks := (shorter + day/2) / week; weeks > 0; weeks-- {
			if b := calendar(Days, clocks, day, 7*weeks); b.Paired {
				return b
			}
		}
		if b := calendar(HalfDays, clocks, day/2, 0); int64(min(b.N[Base], b.N[New])) >= rule.MinBlocks {
			if paired := calendar(HalfDays, clocks, day/2, 14); paired.Paired && paired.N == b.N {
				return paired
			}
			return b
		}
	}
	b := Blocks{Kind: Stretches}
	for s, c := range clocks {
		b.origin[s] = slices.Min(c.Starts)
		b.LengthNS[s] = max(1, span[s]/stretches+1, c.HoldNS)
		b.count(s, c.Starts)
	}
	if few := min(b.N[Base], b.N[New]); int64(few) < rule.MinBlocks {
		b.Refused = fmt.Sprintf("a side has %s of time that requests cannot have waited across, and a prediction takes %d", plural(few, "stretch", "stretches"), rule.MinBlocks)
	}
	return b
}

func which(base, new bool) string {
	switch {
	case base && new:
		return "either side"
	case base:
		return "base"
	}
	return "new"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// calendar cuts both sides by the clock on the wall. They are paired when they repeat
// after cycle blocks and have requests in the same ones; days in all.
func calendar(kind string, clocks [sides]Clock, length, cycle int64) Blocks {
	b := Blocks{Kind: kind, cycle: cycle}
	for s, c := range clocks {
		b.origin[s], b.LengthNS[s] = monday, length
		b.count(s, c.Starts)
	}
	b.Paired = cycle > 0 && slices.Equal(b.index[Base], b.index[New]) && (kind != Days || int64(b.N[Base]) == cycle)
	return b
}

// count numbers the blocks of a side that have requests.
func (b *Blocks) count(s int, starts []int64) {
	if b.cycle > 0 {
		b.first[s], b.index[s] = 0, make([]int32, b.cycle)
	} else {
		b.first[s] = b.position(s, slices.Min(starts))
		b.index[s] = make([]int32, b.position(s, slices.Max(starts))-b.first[s]+1)
	}
	for _, at := range starts {
		b.index[s][b.position(s, at)-b.first[s]] = 1
	}
	for i, seen := range b.index[s] {
		b.index[s][i] = -1
		if seen == 1 {
			b.index[s][i] = int32(b.N[s])
			b.N[s]++
		}
	}
}

func (b *Blocks) position(s int, at int64) int64 {
	k := (at - b.origin[s]) / b.LengthNS[s]
	if (at-b.origin[s])%b.LengthNS[s] < 0 {
		k--
	}
	if b.cycle > 0 {
		k %= b.cycle
		if k < 0 {
			k += b.cycle
		}
	}
	return k
}

// of returns the block of every start of a side. A start between blocks, or outside all of
// them, belongs to the block before it, or else to the first.
func (b *Blocks) of(s int, starts []int64) []int32 {
	out := make([]int32, len(starts))
	for i, at := range starts {
		k := b.within(s, at)
		for k > 0 && b.index[s][k] < 0 {
			k--
		}
		out[i] = max(0, b.index[s][k])
	}
	return out
}

// within returns the position of an instant among those of the side.
func (b *Blocks) within(s int, at int64) int64 {
	return min(max(0, b.position(s, at)-b.first[s]), int64(len(b.index[s])-1))
}

// draws gives the multiplicities of the blocks of both sides, replicate by replicate.
// The stream of a side belongs to what it holds, not to its place: swapping the sides
// swaps the draws, and equal sides have equal ones.
type draws struct {
	blocks *Blocks
	seed   [sides]uint64
}

func newDraws(b *Blocks, seed uint64, marks [sides]uint64) draws {
	d := draws{blocks: b}
	for s := range d.seed {
		d.seed[s] = seed ^ marks[s]
		if b.Paired {
			d.seed[s] = seed ^ (marks[Base] + marks[New])
		}
	}
	return d
}

// multiplicities is the scratch space of one worker.
type multiplicities struct {
	count []int32
	times [sides][]float64
}

func (d draws) scratch() *multiplicities {
	n := max(d.blocks.N[Base], d.blocks.N[New])
	return &multiplicities{make([]int32, n), [sides][]float64{make([]float64, d.blocks.N[Base]), make([]float64, d.blocks.N[New])}}
}

func (d draws) draw(replicate int, m *multiplicities) {
	for s, n := range d.blocks.N {
		stat.Draw(d.seed[s], replicate, n, m.count)
		for b, c := range m.count[:n] {
			m.times[s][b] = float64(c)
		}
	}
}

// mark is a number that stands for what the blocks of a side hold: how many rows, and
// the sum of their values.
func mark(blocks int, block []int32, value []int64) uint64 {
	rows, sums := make([]uint64, blocks), make([]uint64, blocks)
	for i, b := range block {
		rows[b]++
		sums[b] += uint64(value[i])
	}
	const prime = 1099511628211 // of FNV-1a
	hash := uint64(14695981039346656037)
	for b := range rows {
		hash = (hash ^ rows[b]) * prime
		hash = (hash ^ sums[b]) * prime
	}
	return hash
}
