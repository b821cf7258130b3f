package attribution

import "github.com/tailpath/tailpath/analyze/stat"

// ladder holds ranked requests by block of time. At every rung, some thousand requests
// apart, it knows how many requests of every block lie below, and the sums of their
// columns. What a resample of blocks has up to some rank then costs one rung and the
// requests up to the next instead of all requests, and is the same: sums are exact.
type ladder struct {
	blocks int
	step   int       // requests from rung to rung
	block  []int32   // block of the request at rank i+1
	column [][]int64 // column[k][i] belongs to the request at rank i+1
	// count[r*blocks+b] is how many of the first r*step requests are of block b, and
	// sum[(r*blocks+b)*len(column)+k] what column k of them adds up to.
	count []int32
	sum   []stat.Sum
}

// maxRungs bounds the memory of a ladder.
const maxRungs = 4096

// minStep is a number of requests that is walked faster than a rung is found.
const minStep = 32

// newLadder builds the ladder of ranked requests.
func newLadder(block []int32, blocks int, column ...[]int64) *ladder {
	n, k := len(block), len(column)
	l := &ladder{blocks: blocks, step: max(minStep, (n+maxRungs-1)/maxRungs), block: block, column: column}
	rungs := n/l.step + 1
	l.count, l.sum = make([]int32, rungs*blocks), make([]stat.Sum, rungs*blocks*k)
	count, sum := make([]int32, blocks), make([]stat.Sum, blocks*k)
	for r := range rungs {
		copy(l.count[r*blocks:], count)
		copy(l.sum[r*blocks*k:], sum)
		for i := r * l.step; i < min(n, (r+1)*l.step); i++ {
			b := int(block[i])
			count[b]++
			for j := range column {
				sum[b*k+j].Add(column[j][i])
			}
		}
	}
	return l
}

// place is a rank of a resample: it is held by copies of the request at rank item+1,
// of which take are at or below the rank.
type place struct {
	item int
	take int64
}

// find returns the place of a rank, from 1, in the resample that has times[b] copies
// of block b. A rank above all of them is the last one, and there is no place at rank 0.
func (l *ladder) find(times []int32, rank int64) place {
	below := func(r int) (sum int64) {
		for b, c := range l.count[r*l.blocks : (r+1)*l.blocks] {
			sum += int64(c) * int64(times[b])
		}
		return sum
	}
	if rank <= 0 {
		return place{item: -1}
	}
	low, high := 0, len(l.count)/max(1, l.blocks) // below(low) < rank <= below(high)
	under := int64(0)
	for high-low > 1 {
		mid := low + (high-low)/2
		if n := below(mid); n < rank {
			low, under = mid, n
		} else {
			high = mid
		}
	}
	at := place{item: -1}
	for i := low * l.step; i < len(l.block); i++ {
		t := int64(times[l.block[i]])
		if t == 0 {
			continue
		}
		if at = (place{i, min(t, rank-under)}); under+t >= rank {
			break
		}
		under += t
	}
	return at
}

// upTo adds up the columns of a resample up to and with a place.
func (l *ladder) upTo(times []int32, at place, sum []stat.Sum) {
	clear(sum)
	if at.item < 0 {
		return
	}
	k := len(l.column)
	r := at.item / l.step
	rung := l.sum[r*l.blocks*k : (r+1)*l.blocks*k]
	for b, t := range times[:l.blocks] {
		if t == 0 {
			continue
		}
		for j := range sum {
			sum[j] = sum[j].Plus(rung[b*k+j].Times(int64(t)))
		}
	}
	for i := r * l.step; i <= at.item; i++ {
		t := int64(times[l.block[i]])
		if i == at.item {
			t = at.take
		}
		if t == 0 {
			continue
		}
		for j := range sum {
			sum[j] = sum[j].Plus(stat.SumOf(l.column[j][i]).Times(t))
		}
	}
}
