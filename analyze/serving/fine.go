package serving

import "github.com/tailpath/tailpath/analyze/stat"

// Bucket is the length of the buckets in which bursts are looked for, ns.
const Bucket = 100_000_000

// Fine is how busy an engine was in buckets of 100 ms: whole ones from the start of the
// capture.
type Fine struct {
	Buckets int64
	// Full buckets are busy for 90 % of their time or more; Idle ones never.
	Full, Idle int64
	// Tenths[i] counts buckets that were busy for i tenths and less than i+1; the last one
	// those that were busy all the time. They add up to Buckets.
	Tenths [11]int64
	// BusyNS is the busy time in the buckets, FullNS that in full ones.
	BusyNS, FullNS int64
}

// FullShare returns the share of buckets that are full, 0 without buckets.
func (f Fine) FullShare() float64 { return stat.SumOf(f.Full).Over(stat.SumOf(f.Buckets)) }

// buckets counts busy pieces of time that come in order and do not overlap.
type buckets struct {
	Fine
	from, to int64 // of the whole buckets
	current  int64
	busy     int64 // ns of the current bucket
}

func newBuckets(from, to int64) buckets {
	n := (to - from) / Bucket
	return buckets{Fine: Fine{Buckets: n}, from: from, to: from + n*Bucket}
}

// add books a busy piece.
func (b *buckets) add(from, to int64) {
	to = min(to, b.to)
	for from < to {
		if k := (from - b.from) / Bucket; k != b.current {
			b.settle(1)
			b.current = k
		}
		start := b.from + b.current*Bucket
		if until := min(to, start+Bucket); b.busy > 0 || until-from < Bucket {
			b.busy += until - from
			from = until
			continue
		}
		// Whole buckets at once.
		n := (to - from) / Bucket
		b.busy = Bucket
		b.settle(n)
		from += n * Bucket
	}
}

// settle books n buckets that were busy like the current one.
func (b *buckets) settle(n int64) {
	if b.busy == 0 {
		return
	}
	b.Tenths[b.busy*10/Bucket] += n
	b.BusyNS += n * b.busy
	if b.busy*10 >= 9*Bucket {
		b.Full += n
		b.FullNS += n * b.busy
	}
	b.busy = 0
}

// done returns the figures.
func (b *buckets) done() Fine {
	b.settle(1)
	busy := int64(0)
	for _, n := range b.Tenths {
		busy += n
	}
	b.Idle = b.Buckets - busy
	b.Tenths[0] += b.Idle
	return b.Fine
}
