package capacity

import (
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Verdict is what the windows of a bin say of its rates.
type Verdict string

// The verdicts.
const (
	Passes   Verdict = "passes" // the lower bound of attainment reaches the target
	Fails    Verdict = "fails"  // the upper bound is below it
	Doubtful Verdict = "doubtful"
	Thin     Verdict = "thin" // too few windows or requests, or too few in a window, to be asked
)

// Bin is the windows whose rates lie between two.
type Bin struct {
	Low, High      float64 // requests a second: at least Low, below High but in the highest bin
	Rate           float64 // mean of its windows, requests a second
	TokenRate      float64 // mean of its windows, output tokens a second
	Windows        int
	Requests       int64 // that arrived in them
	Good, Eligible int64
	Attainment     float64 // Good over Eligible, 0 when none is eligible
	// Lower and Upper bound the attainment, each with 95 % confidence: 0 and 1 when the bin
	// is thin.
	Lower, Upper float64
	Verdict      Verdict

	tokens float64
	of     []*Window
}

// boundShare is the confidence of both bounds together: each is beyond with 5 %.
const boundShare = 0.90

// leastArrivals is how many requests a window of a bin has at least, on average: with fewer a
// single one is more than the width of a bin, and which bin a window falls in says what
// chance did in it and not what the load was.
const leastArrivals = 40

// joinedCells is how many cells of the least width may be joined for want of windows.
const joinedCells = 4

// cells puts kept windows into cells of a share of the highest rate, and joins cells from the
// top down until a bin has enough windows and eligible requests, or is as wide as is
// allowed. It returns the bins from the lowest rate to the highest.
func cells(windows []Window, width float64, leastWindows int, leastEligible int64, windowNS int64) []Bin {
	var top int64
	for i := range windows {
		if windows[i].LeftOut == Kept {
			top = max(top, windows[i].Arrivals)
		}
	}
	if top == 0 {
		return nil
	}
	n := int(math.Ceil(1/width - 1e-9))
	grid := make([][]*Window, n)
	for i := range windows {
		if w := &windows[i]; w.LeftOut == Kept {
			c := min(n-1, int(float64(w.Arrivals)/float64(float64(top)*width)))
			grid[c] = append(grid[c], w)
		}
	}
	edge := func(cell int) float64 {
		return min(1, float64(cell)*width) * float64(top) * 1e9 / float64(windowNS)
	}
	var bins []Bin
	b, high := Bin{}, 0
	flush := func(cell int) {
		if b.Windows > 0 {
			b.Low, b.High = edge(cell), edge(high)
			b.close(windowNS)
			if b.Windows < leastWindows || b.Eligible < leastEligible || b.Requests < leastArrivals*int64(b.Windows) {
				b.Verdict = Thin
			}
			bins = append(bins, b)
		}
		b = Bin{}
	}
	for cell := n - 1; cell >= 0; cell-- {
		if b.Windows == 0 {
			if len(grid[cell]) == 0 {
				continue
			}
			high = cell + 1
		}
		for _, w := range grid[cell] {
			b.add(w)
		}
		if b.Windows >= leastWindows && b.Eligible >= leastEligible || high-cell == joinedCells {
			flush(cell)
		}
	}
	flush(0)
	for i, j := 0, len(bins)-1; i < j; i, j = i+1, j-1 {
		bins[i], bins[j] = bins[j], bins[i]
	}
	return bins
}

func (b *Bin) add(w *Window) {
	b.of = append(b.of, w)
	b.Windows++
	b.Requests += w.Arrivals
	b.Good += w.Good
	b.Eligible += w.Eligible
	b.tokens += w.Tokens
}

// close computes the means.
func (b *Bin) close(windowNS int64) {
	seconds := float64(b.Windows) * (float64(windowNS) / 1e9)
	b.Rate, b.TokenRate = float64(b.Requests)/seconds, b.tokens/seconds
	if b.Eligible > 0 {
		b.Attainment = float64(b.Good) / float64(b.Eligible)
	}
	b.Lower, b.Upper = 0, 1
}

// bound sets the bounds and the verdict: by resampling windows, which keeps together what
// shared a queue, and by the binomial law, which knows what the requests that are too few to
// hold a bad one can hide. The wider bound counts.
func (b *Bin) bound(target float64, o Options) {
	if b.Verdict == Thin {
		return
	}
	values := resample(b.of, o, func(count []int32) float64 {
		var good, eligible int64
		for i, c := range count {
			good += int64(c) * b.of[i].Good
			eligible += int64(c) * b.of[i].Eligible
		}
		if eligible == 0 {
			return math.NaN()
		}
		return float64(good) / float64(eligible)
	})
	resampled := stat.PercentileBounds(values, stat.ExpandedConfidence(len(b.of), boundShare))
	b.Lower, b.Upper = stat.ClopperPearsonLower(b.Good, b.Eligible, stat.Confidence), stat.ClopperPearsonUpper(b.Good, b.Eligible, stat.Confidence)
	if !math.IsNaN(resampled.Low) {
		b.Lower, b.Upper = min(b.Lower, resampled.Low), max(b.Upper, resampled.High)
	}
	switch {
	case b.Lower >= target:
		b.Verdict = Passes
	case b.Upper < target:
		b.Verdict = Fails
	default:
		b.Verdict = Doubtful
	}
}
