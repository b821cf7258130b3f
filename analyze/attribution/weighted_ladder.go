package attribution

import "github.com/tailpath/tailpath/analyze/stat"

// massLadder is a ladder of weighted requests: at every rung it knows, by block of time,
// the weight of the requests below and the sums of their columns by weight.
type massLadder struct {
	blocks int
	step   int
	block  []int32
	weight []float64
	column [][]int64
	mass   []float64 // mass[r*blocks+b]
	sum    []float64 // sum[(r*blocks+b)*len(column)+k]
}

// newMassLadder builds the ladder of ranked requests.
func newMassLadder(block []int32, blocks int, weight []float64, column ...[]int64) *massLadder {
	n, k := len(block), len(column)
	l := &massLadder{blocks: blocks, step: max(minStep, (n+maxRungs-1)/maxRungs), block: block, weight: weight, column: column}
	rungs := n/l.step + 1
	l.mass, l.sum = make([]float64, rungs*blocks), make([]float64, rungs*blocks*k)
	mass, sum := make([]float64, blocks), make([]float64, blocks*k)
	for r := range rungs {
		copy(l.mass[r*blocks:], mass)
		copy(l.sum[r*blocks*k:], sum)
		for i := r * l.step; i < min(n, (r+1)*l.step); i++ {
			b := int(block[i])
			mass[b] += weight[i]
			for j := range column {
				sum[b*k+j] += float64(weight[i] * float64(column[j][i]))
			}
		}
	}
	return l
}

// below returns the weight under a rung in the resample that has times[b] copies of block b.
func (l *massLadder) below(times []int32, rung int) (mass float64) {
	for b, m := range l.mass[rung*l.blocks : (rung+1)*l.blocks] {
		mass += float64(m * float64(times[b]))
	}
	return mass
}

// upTo adds up the columns of a resample, by weight, up to a rank by weight. The request
// at the rank counts with the part of its weight that lies below. It returns the weight
// that was there: goal, or less if all is less.
func (l *massLadder) upTo(times []int32, goal float64, sum []float64) (mass float64) {
	clear(sum)
	k := len(l.column)
	low, high := 0, len(l.mass)/l.blocks
	for high-low > 1 {
		if mid := low + (high-low)/2; l.below(times, mid) <= goal {
			low = mid
		} else {
			high = mid
		}
	}
	mass = l.below(times, low)
	rung := l.sum[low*l.blocks*k : (low+1)*l.blocks*k]
	for b, t := range times[:l.blocks] {
		for j := range sum {
			sum[j] += float64(float64(t) * rung[b*k+j])
		}
	}
	for i := low * l.step; i < len(l.block) && mass < goal; i++ {
		w := min(float64(l.weight[i]*float64(times[l.block[i]])), goal-mass)
		if w <= 0 {
			continue
		}
		mass += w
		for j := range sum {
			sum[j] += float64(w * float64(l.column[j][i]))
		}
	}
	return mass
}

// all returns the weight of a resample.
func (l *massLadder) all(times []int32) (mass float64) {
	last := len(l.mass)/l.blocks - 1
	mass = l.below(times, last)
	for i := last * l.step; i < len(l.block); i++ {
		mass += float64(l.weight[i] * float64(times[l.block[i]]))
	}
	return mass
}

// excess returns, of every column, the weighted mean of the tail of a resample less that
// of its body.
func (l *massLadder) excess(times []int32, q stat.Prob) []float64 {
	k := len(l.column)
	sums := make([]float64, 4*k)
	weight := l.all(times)
	at := func(i int, share float64) ([]float64, float64) {
		sum := sums[i*k : (i+1)*k]
		return sum, l.upTo(times, float64(weight*share), sum)
	}
	all, allMass := at(0, 1)
	rest, restMass := at(1, q.Float())
	high, highMass := at(2, bodyTo.Float())
	low, lowMass := at(3, bodyFrom.Float())
	d := make([]float64, k)
	for j := range d {
		if mass := allMass - restMass; mass > 0 {
			d[j] = (all[j] - rest[j]) / mass
		}
		if mass := highMass - lowMass; mass > 0 {
			d[j] -= (high[j] - low[j]) / mass
		}
	}
	return d
}
