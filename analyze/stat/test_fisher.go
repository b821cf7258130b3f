package stat

// FisherGreater tests the table
//
//	a b
//	c d
//
// for a being larger than by chance: P is the probability of a or more in the first cell,
// given the sums of rows and columns. It is exact for any size, down to 1e-300, which
// becomes 0. Statistic is the odds ratio a*d / (b*c), and Effect Cramer's V. Half a count is
// added to every cell for the odds ratio if one is 0, so that it is finite, and a warning
// says so. Counts below 0 are taken as 0.
//
// Probabilities are taken relative to the most probable table, as for the binomial law,
// and not from logarithms of factorials: of a million requests those lose seven digits.
func FisherGreater(a, b, c, d int64) Test {
	return fisher(a, b, c, d, MethodFisherGreater)
}

// FisherTwoSided is FisherGreater for a being larger or smaller than by chance: P adds up
// the probabilities of all tables that are no more probable than this one.
func FisherTwoSided(a, b, c, d int64) Test {
	return fisher(a, b, c, d, MethodFisher)
}

// sameProbability is the relative difference up to which two tables are equally probable:
// well above the error of a probability.
const sameProbability = 1e-9

func fisher(a, b, c, d int64, method string) Test {
	a, b, c, d = max(0, a), max(0, b), max(0, c), max(0, d)
	pearson := ChiSquared([][]int64{{a, b}, {c, d}})
	t := Test{Method: method, N1: a + b, N2: c + d, P: 1, Effect: pearson.Effect, Statistic: 1}
	if pearson.DF == 0 { // a row or a column is empty
		t.Warnings = pearson.Warnings
		return t
	}
	half := 0.0
	if min(a, b, c, d) == 0 {
		half = .5
		t.Warnings = []Warning{{ZeroCell, "a cell of the table is 0: the odds ratio has half a count added to every cell"}}
	}
	t.Statistic = (float64(a) + half) / (float64(b) + half) * ((float64(d) + half) / (float64(c) + half))
	law := newHypergeometric(a+b, c+d, a+c)
	if method == MethodFisherGreater {
		t.P = law.atLeast(a)
	} else {
		t.P = law.noMoreProbable(a)
	}
	return t
}

// hypergeometric is the law of how many of drawn items are of the first kind, if they are
// drawn from two kinds without putting back.
type hypergeometric struct {
	first  int64     // items of the first kind that weight[0] is for
	weight []float64 // probabilities; outside they are below vanishing times that of the mode
}

// vanishing is the ratio to the mode's probability at which the tails are cut: just before
// floating-point numbers lose digits. There are few terms before: some 40 standard deviations.
const vanishing = 1e-300

func newHypergeometric(firstKind, secondKind, drawn int64) hypergeometric {
	low, high := max(0, drawn-secondKind), min(drawn, firstKind)
	q, _ := mulAddDiv(uint64(firstKind)+1, uint64(drawn)+1, 0, uint64(firstKind+secondKind)+2)
	mode := min(max(int64(q), low), high)
	// up is P(x+1) / P(x).
	up := func(x int64) float64 {
		return float64(firstKind-x) / float64(x+1) * (float64(drawn-x) / float64(secondKind-drawn+x+1))
	}
	var below, above []float64
	for x, w := mode, 1.0; x > low; x-- {
		if w /= up(x - 1); w < vanishing {
			break
		}
		below = append(below, w)
	}
	for x, w := mode, 1.0; x < high; x++ {
		if w *= up(x); w < vanishing {
			break
		}
		above = append(above, w)
	}
	h := hypergeometric{first: mode - int64(len(below)), weight: make([]float64, 0, len(below)+1+len(above))}
	for i := len(below) - 1; i >= 0; i-- {
		h.weight = append(h.weight, below[i])
	}
	h.weight = append(append(h.weight, 1), above...)
	// Each side is summed from its small end, which keeps the error of the total small.
	var left, right float64
	for i := len(below) - 1; i >= 0; i-- {
		left += below[i]
	}
	for i := len(above) - 1; i >= 0; i-- {
		right += above[i]
	}
	total := left + right + 1
	for i := range h.weight {
		h.weight[i] /= total
	}
	return h
}

// atLeast returns the probability of x or more.
func (h hypergeometric) atLeast(x int64) float64 {
	var sum float64
	for i := len(h.weight) - 1; i >= 0 && h.first+int64(i) >= x; i-- {
		sum += h.weight[i]
	}
	return min(sum, 1)
}

// noMoreProbable returns the probability of all that is no more probable than x.
func (h hypergeometric) noMoreProbable(x int64) float64 {
	i := x - h.first
	if i < 0 || i >= int64(len(h.weight)) {
		return 0
	}
	limit := h.weight[i] * (1 + sameProbability)
	// Weights rise to the mode and fall from there: the two tails meet in the middle, and
	// each is summed from its small end.
	var low, high float64
	from, to := 0, len(h.weight)-1
	for ; from <= to && h.weight[from] <= limit; from++ {
		low += h.weight[from]
	}
	for ; to >= from && h.weight[to] <= limit; to-- {
		high += h.weight[to]
	}
	return min(low+high, 1)
}
