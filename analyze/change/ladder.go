package change

import "github.com/tailpath/tailpath/analyze/stat"

// ladder finds ranks and sums in resamples of the blocks of one side without sorting or
// going through all rows: on every rung it knows how much each block holds of the rows
// below. The rows between two rungs are walked.
type ladder struct {
	value  []int64
	parts  [][]int64
	block  []int32
	weight []float64 // nil: each row weighs 1
	blocks int
	step   int       // rows from rung to rung
	rungs  int       // the last rung is above all rows
	count  []float64 // [rung*blocks+b]: weight of block b below the rung
	sums   []float64 // [(rung*len(parts)+k)*blocks+b]: ns of part k
}

const (
	leastStep = 64
	// mostCells bounds the memory of a ladder, in numbers.
	mostCells = 1 << 22
)

func newLadder(value []int64, parts [][]int64, block []int32, weight []float64, blocks int) *ladder {
	l := &ladder{value: value, parts: parts, block: block, weight: weight, blocks: blocks}
	n, wide := len(value), blocks*(len(parts)+1)
	l.step = max(leastStep, n/4096, n*wide/mostCells)
	l.rungs = (n + l.step - 1) / l.step
	l.count = make([]float64, (l.rungs+1)*blocks)
	l.sums = make([]float64, (l.rungs+1)*blocks*len(parts))
	for r := range l.rungs {
		copy(l.count[(r+1)*blocks:], l.count[r*blocks:(r+1)*blocks])
		into := l.count[(r+1)*blocks : (r+2)*blocks]
		size := blocks * len(parts)
		copy(l.sums[(r+1)*size:], l.sums[r*size:(r+1)*size])
		sums := l.sums[(r+1)*size : (r+2)*size]
		for i := r * l.step; i < min(n, (r+1)*l.step); i++ {
			b := int(block[i])
			into[b] += l.of(i)
			for k := range parts {
				sums[k*blocks+b] += float64(parts[k][i])
			}
		}
	}
	return l
}

func (l *ladder) of(i int) float64 {
	if l.weight == nil {
		return 1
	}
	return l.weight[i]
}

// times returns how much row i weighs in a resample.
func (l *ladder) times(m []float64, i int) float64 { return float64(m[l.block[i]] * l.of(i)) }

// below returns the weight of the resample below a rung.
func (l *ladder) below(m []float64, rung int) (sum float64) {
	for b, c := range l.count[rung*l.blocks : (rung+1)*l.blocks] {
		sum += float64(m[b] * c)
	}
	return sum
}

func (l *ladder) total(m []float64) float64 { return l.below(m, l.rungs) }

// at returns the first row at which the cumulated weight of the resample reaches goal,
// the weight before it, and the rung that it is above. goal is above 0 and at most the
// total.
func (l *ladder) at(m []float64, goal float64) (row int, before float64, rung int) {
	low, high := 0, l.rungs // below(low) < goal; low is the last such rung in the end
	for high-low > 1 {
		if mid := (low + high) / 2; l.below(m, mid) < goal {
			low = mid
		} else {
			high = mid
		}
	}
	before = l.below(m, low)
	last := -1
	for i := low * l.step; i < len(l.value); i++ {
		w := l.times(m, i)
		if w == 0 {
			continue
		}
		if last = i; before+w >= goal {
			return i, before, low
		}
		before += w
	}
	// Rounding of weights may leave the goal just out of reach: the last row that weighs
	// anything is it.
	if last >= 0 {
		before -= l.times(m, last)
	}
	return max(last, 0), before, low
}

// quantile returns the nearest-rank percentile p of a resample, 0 for an empty one.
func (l *ladder) quantile(m []float64, p stat.Prob) float64 {
	total := l.total(m)
	if total <= 0 {
		return 0
	}
	goal := float64(total * p.Float())
	if l.weight == nil {
		goal = float64(max(1, p.Rank(int64(total))))
	}
	row, _, _ := l.at(m, goal)
	return float64(l.value[row])
}

// sumsTo writes the sums of the parts, and behind them of the values, over the first
// goal requests of a resample. It is for ladders without weights.
func (l *ladder) sumsTo(m []float64, goal float64, out []float64) {
	clear(out)
	if goal <= 0 {
		return
	}
	row, before, rung := l.at(m, goal)
	for k := range l.parts {
		at := (rung*len(l.parts) + k) * l.blocks
		for b, s := range l.sums[at : at+l.blocks] {
			out[k] += float64(m[b] * s)
		}
		part := l.parts[k]
		for i := rung * l.step; i < row; i++ {
			out[k] += float64(m[l.block[i]] * float64(part[i]))
		}
		out[k] += float64((goal - before) * float64(part[row]))
	}
	for k := range l.parts {
		out[len(l.parts)] += out[k]
	}
}

// curve is the cumulated Harrell-Davis weights of a side, by rank.
type curve struct {
	n     float64
	first float64   // ranks below it weigh nothing
	cum   []float64 // cum[i]: weight of the ranks below first+i
}

// leastCum is the weight at either end that is given to the rank next to it.
const leastCum = 1e-7

func newCurve(n int64, p stat.Prob) (c curve, w stat.Weights) {
	w = stat.HarrellDavis(n, p)
	c = curve{n: float64(n), first: float64(w.First - 1), cum: []float64{0}}
	var sum float64
	for _, x := range w.W {
		sum += x
		if sum < leastCum {
			c.first++
			continue
		}
		c.cum = append(c.cum, min(1, sum))
		if sum > 1-leastCum {
			break
		}
	}
	c.cum[len(c.cum)-1] = 1
	return c, w
}

// upTo returns the weight of the share x of the lowest requests.
func (c curve) upTo(x float64) float64 {
	at := float64(x*c.n) - c.first
	switch i := int(at); {
	case at <= 0:
		return 0
	case i >= len(c.cum)-1:
		return 1
	default:
		return c.cum[i] + float64((at-float64(i))*(c.cum[i+1]-c.cum[i]))
	}
}

// around writes the times of the parts, and behind them their sum, of a request at the
// percentile of the curve in a resample.
func (l *ladder) around(m []float64, c curve, out []float64) {
	clear(out)
	total := l.total(m)
	if total <= 0 {
		return
	}
	row, before, _ := l.at(m, max(1, float64(total*c.first/c.n)))
	last := c.upTo(before / total)
	// Row by row what each weighs, then part by part what that makes: columns are read in
	// stretches that fit a cache.
	var gain [256]float64
	for row < len(l.value) && last < 1 {
		n := 0
		for ; n < len(gain) && row+n < len(l.value) && last < 1; n++ {
			gain[n] = 0
			if w := l.times(m, row+n); w != 0 {
				before += w
				upto := c.upTo(before / total)
				gain[n], last = upto-last, upto
			}
		}
		for k := 0; k < len(l.parts); k += 2 {
			if k+1 == len(l.parts) {
				out[k] = weighed(out[k], gain[:n], l.parts[k][row:row+n])
				continue
			}
			out[k], out[k+1] = weighedPair(out[k], out[k+1], gain[:n], l.parts[k][row:row+n], l.parts[k+1][row:row+n])
		}
		row += n
	}
	for k := range l.parts {
		out[len(l.parts)] += out[k]
	}
}

// weighed returns a sum with the values of a part added as they are weighed.
func weighed(sum float64, weight []float64, part []int64) float64 {
	part = part[:len(weight)]
	for i, w := range weight {
		sum += float64(w * float64(part[i]))
	}
	return sum
}

// weighedPair is weighed for two parts, which a processor adds at once.
func weighedPair(a, b float64, weight []float64, partA, partB []int64) (float64, float64) {
	partA, partB = partA[:len(weight)], partB[:len(weight)]
	for i, w := range weight {
		a += float64(w * float64(partA[i]))
		b += float64(w * float64(partB[i]))
	}
	return a, b
}
