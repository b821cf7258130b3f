package change

import "math"

// A property of few requests, such as having failed, hides how long its noise lasts: of
// the correlation from one step of time to the next, chance leaves little where a step
// holds one event or none. What is left of it over many steps together is no less, and
// chance averages out. So it is looked for there, and in latencies, which every request
// has. And what shows nowhere but would matter most, noise that lasts about as long as a
// block, is taken at its estimate, whether it stands out or not.

// carriedRare is carried for the share of requests that have a rare property. lasting are
// figures of all requests in the same steps.
func (b *Blocks) carriedRare(series [sides][]float64, lasting ...[sides][]float64) float64 {
	return b.widest(series, lasting, func(own []float64, others [][]float64, per, blocks int) float64 {
		phi := max(memory(own), memoryFar(own))
		for _, l := range others {
			phi = max(phi, memory(l))
		}
		if phi == 0 {
			return factorAt(own, math.Exp(-1/float64(per)), per, blocks)
		}
		return factorOf(own, phi, per, blocks)
	})
}

// farLags is over how many steps correlations are added up when nothing says how long noise
// lasts.
const farLags = 12

// farStands is how many of its own errors a sum of correlations is above 0 before it is
// believed. It is fewer than for memory: to take chance for noise that lasts makes an
// interval somewhat too wide, the reverse is a false alarm.
const farStands = 2.5

// memoryFar is memory by sums of correlations over 6, 12 and 24 steps: of two halves of
// them, the far one is phi to the number of its steps as large. It returns the largest
// phi of those sums that stand out, 0 when none does.
func memoryFar(series []float64) (phi float64) {
	n := float64(len(series))
	for _, half := range []int{3, 6, 12} {
		r := correlations(series, 2*half)
		if r == nil {
			break
		}
		if near, far := halves(r, 0); near+far < farStands*math.Sqrt(2*float64(half)/n) {
			continue
		}
		var at, whole float64
		for range 8 {
			near, far := halves(r, whole)
			if near <= 0 || far <= 0 {
				at = 0
				break
			}
			at = min(mostCarried, math.Pow(far/near, 1/float64(half)))
			whole = meanVariance(min(1, near/powers(at, half)), at, len(series))
		}
		phi = max(phi, at)
	}
	return phi
}

// halves returns the sums of the nearer and the farther half of correlations, with V(n)
// put back as by unbiased.
func halves(r []float64, whole float64) (near, far float64) {
	half := (len(r) - 1) / 2
	for k := 1; k <= half; k++ {
		near += r[k]*(1-whole) + whole
		far += r[half+k]*(1-whole) + whole
	}
	return near, far
}

// powers returns phi + phi^2 + ... up to a power.
func powers(phi float64, upto int) (sum float64) {
	power := 1.0
	for range upto {
		power *= phi
		sum += power
	}
	return sum
}

// factorAt is factorOf with how large the lasting noise is at its estimate, from the sum of
// the correlations over farLags steps.
func factorAt(series []float64, phi float64, per, blocks int) float64 {
	r := correlations(series, farLags)
	if r == nil {
		return 1
	}
	n := per * blocks
	var a, whole float64
	for range 8 {
		near, far := halves(r, whole)
		a = min(1, max(0, (near+far)/powers(phi, farLags)))
		whole = meanVariance(a, phi, n)
	}
	return tooNarrow(whole, meanVariance(a, phi, per), blocks)
}
