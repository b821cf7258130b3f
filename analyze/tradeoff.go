package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Tradeoff sets the time to the first token against the gaps between tokens, window by window.
// A prefill that is scheduled at once brings a first token soon and holds the tokens of
// others; one that is put off does the reverse.
type Tradeoff struct {
	WindowNS int64
	// Metric is what is set against the TTFT: itl, the gaps between tokens, icl where an
	// instant may be of several, or tpot, the time per token of whole requests, where no
	// instants of tokens are recorded. Substituted says why it is not the gaps.
	Metric, Substituted string
	// Prefill says how prompt tokens are put into windows: "prefill" spreads them evenly over
	// the prefills, and "first-token" counts them where the first token came. It is empty, and
	// NoPrefill says why, where they are unknown.
	Prefill, NoPrefill string
	Windows            int64 // whole windows, and of them those with both percentiles
	Measured           int64
	Points             []TradeoffPoint // all whole windows, in order of time
	// Correlations are those of the prefill rate with either, and of the two with each other.
	Correlations []TradeoffCorrelation
	// Judged is how many windows follow one right before with both percentiles in both. Moves
	// are those in which one got better and the other worse: Better of the TTFT, Worse of it.
	// Listed has the largest at most, in order of time.
	Judged        int64
	Better, Worse int64
	Listed        []TradeoffMove
	Rule          string
	Why           string // why there is nothing; empty when there is
}

// TradeoffPoint is one window. Percentiles are unknown where they are of too few.
type TradeoffPoint struct {
	FromNS, ToNS int64
	PrefillRate  float64       // prompt tokens a second
	TTFT         stat.Quantile // P95 of the requests that arrive in it
	Gap          stat.Quantile // P95 of the gaps that end in it, each token counting once
}

// TradeoffCorrelation is how far two of them go together over the windows.
type TradeoffCorrelation struct {
	Of, With string
	stat.Correlation
}

// TradeoffMove is a window in which the one got better and the other worse than in the window
// before.
type TradeoffMove struct {
	FromNS                int64
	TTFTBetter            bool
	TTFT, Gap             [2]int64 // P95 before and in it, ns
	PrefillRate           [2]float64
	TTFTN, GapN           [2]int64
	ChanceTTFT, ChanceGap float64 // P of each difference
	Adjusted              float64 // of both, over all windows that were judged
	size                  float64
}

// What the trade-off goes by.
const (
	tradeWindow   = int64(60_000_000_000)
	tradeBlocks   = 12  // of a window, for what follows each other is alike
	tradeChange   = 1.1 // the least change of a percentile, as a factor
	tradeChance   = 0.05
	tradeUsual    = 3 // by how many times both must exceed what they change by from window to window
	tradeListed   = 10
	leastPrompted = 0.9 // of the requests with a first token, those that tell their prompts

	metricICL       = "icl"
	prefillRate     = "prefill_tokens"
	prefillSpread   = "prefill"
	prefillAtTokens = "first-token"
)

func tradeRule() string {
	return fmt.Sprintf("both P95 change by a factor of %g or more, one up and one down, from one window to the next, each by more than %d times what it usually does (1.48 times the median change, on a log scale), and the shares beyond the middle of both differ with P < %g each, by twelfths of a window and over all windows (Benjamini-Hochberg)",
		tradeChange, tradeUsual, tradeChance)
}

// tradeValue is a value in ns with the instant that says which window it is of.
type tradeValue struct{ at, ns int64 }

// tradeInput is what the windows are filled with.
type tradeInput struct {
	listed                 int // how many windows are listed at most, where that is more than tradeListed
	fromNS, toNS, windowNS int64
	ttft, gaps             []tradeValue
	prefill                []float64 // tokens by window; nil for unknown
}

// tradeoff measures the trade-off over the time of a result.
func (c *captured) tradeoff(r *serving.Result, windowNS int64) Tradeoff {
	t := Tradeoff{WindowNS: max(tradeWindow, windowNS), Rule: tradeRule()}
	in := tradeInput{fromNS: r.FromNS, toNS: r.ToNS, windowNS: t.WindowNS, listed: c.opt.MostListed(tradeListed)}
	t.Windows = in.windows()
	for _, row := range c.rows {
		if ns := c.set.Requests.TTFT[row]; ns >= 0 {
			in.ttft = append(in.ttft, tradeValue{c.set.Requests.Start[row], ns})
		}
	}
	if len(in.ttft) == 0 {
		t.Why = "no request tells when its first token came"
		return t
	}
	in.gaps, t.Metric = c.gapsAt()
	if len(in.gaps) == 0 {
		t.Substituted = noInstants
		in.gaps, t.Metric = c.tpotAt(), "tpot"
	}
	if len(in.gaps) == 0 {
		t.Metric = ""
		t.Why = "neither instants of tokens nor the time per token of a request are recorded"
		return t
	}
	in.prefill, t.Prefill, t.NoPrefill = c.prefillIn(&in)
	t.measure(&in)
	return t
}

// windows returns the number of whole windows.
func (in *tradeInput) windows() int64 {
	if in.toNS <= in.fromNS || in.windowNS <= 0 {
		return 0
	}
	return (in.toNS - in.fromNS) / in.windowNS
}

// tradeWindowed is the values of a window, and their blocks.
type tradeWindowed struct {
	sorted []int64
	blocks [tradeBlocks][]int64
}

// measure fills the windows and compares them.
func (t *Tradeoff) measure(in *tradeInput) {
	n := int(in.windows())
	ttft, gaps := in.fill(in.ttft, n), in.fill(in.gaps, n)
	measured := make([]bool, n)
	for w := range n {
		p := TradeoffPoint{FromNS: in.fromNS + int64(w)*in.windowNS, ToNS: in.fromNS + int64(w+1)*in.windowNS, PrefillRate: math.NaN()}
		if in.prefill != nil {
			p.PrefillRate = in.prefill[w] / (float64(in.windowNS) / 1e9)
		}
		p.TTFT, p.Gap = stat.QuantileOf(ttft[w].sorted, stat.P95), stat.QuantileOf(gaps[w].sorted, stat.P95)
		if measured[w] = p.TTFT.Known && p.Gap.Known; measured[w] {
			t.Measured++
		}
		t.Points = append(t.Points, p)
	}
	if t.Measured < stat.LeastPairs {
		t.Why = fmt.Sprintf("%d of %d windows of %s have enough requests and tokens for a P95 of both: it takes %d", t.Measured, n, inUnit(t.WindowNS), stat.LeastPairs)
		return
	}
	t.correlate()
	t.compare(ttft, gaps, measured, in.listed)
}

// fill puts values into windows.
func (in *tradeInput) fill(values []tradeValue, n int) []tradeWindowed {
	out := make([]tradeWindowed, n)
	for _, v := range values {
		if v.at < in.fromNS || v.at >= in.toNS {
			continue
		}
		after := v.at - in.fromNS
		w := int(after / in.windowNS)
		if w >= n {
			continue
		}
		b := min(tradeBlocks-1, int(float64(after-int64(w)*in.windowNS)/float64(in.windowNS)*tradeBlocks))
		out[w].sorted = append(out[w].sorted, v.ns)
		out[w].blocks[b] = append(out[w].blocks[b], v.ns)
	}
	for w := range out {
		slices.Sort(out[w].sorted)
	}
	return out
}

// correlate sets the windows' figures against each other.
func (t *Tradeoff) correlate() {
	var rate, ttft, gap []float64
	for i := range t.Points {
		if p := &t.Points[i]; p.TTFT.Known && p.Gap.Known {
			rate, ttft, gap = append(rate, p.PrefillRate), append(ttft, float64(p.TTFT.Value)), append(gap, float64(p.Gap.Value))
		}
	}
	if t.Prefill != "" {
		t.Correlations = append(t.Correlations,
			TradeoffCorrelation{prefillRate, t.Metric, stat.Spearman(rate, gap)}, TradeoffCorrelation{prefillRate, "ttft", stat.Spearman(rate, ttft)})
	}
	t.Correlations = append(t.Correlations, TradeoffCorrelation{"ttft", t.Metric, stat.Spearman(ttft, gap)})
}

// compare finds the windows in which one got better and the other worse than right before, and
// lists at most so many, or the usual number if that is more.
func (t *Tradeoff) compare(ttft, gaps []tradeWindowed, measured []bool, most int) {
	var moves []TradeoffMove
	var chance []float64
	var changes [2][]float64
	for w := 1; w < len(t.Points); w++ {
		if !measured[w-1] || !measured[w] {
			continue
		}
		a, b := &t.Points[w-1], &t.Points[w]
		m := TradeoffMove{
			FromNS: b.FromNS, TTFT: [2]int64{a.TTFT.Value, b.TTFT.Value}, Gap: [2]int64{a.Gap.Value, b.Gap.Value},
			PrefillRate: [2]float64{a.PrefillRate, b.PrefillRate}, TTFTN: [2]int64{a.TTFT.N, b.TTFT.N}, GapN: [2]int64{a.Gap.N, b.Gap.N},
		}
		var risen [2]float64
		m.ChanceTTFT, risen[0] = beyondBoth(&ttft[w-1], &ttft[w], m.TTFT)
		m.ChanceGap, risen[1] = beyondBoth(&gaps[w-1], &gaps[w], m.Gap)
		m.TTFTBetter = m.TTFT[1] < m.TTFT[0]
		first, second := changeOf(m.TTFT), changeOf(m.Gap)
		m.size = min(math.Abs(first), math.Abs(second))
		changes[0], changes[1] = append(changes[0], math.Abs(first)), append(changes[1], math.Abs(second))
		// Both must have changed, so the one that chance explains better counts.
		p := max(m.ChanceTTFT, m.ChanceGap)
		if first*second >= 0 || first*risen[0] <= 0 || second*risen[1] <= 0 {
			p = 1
		}
		moves, chance = append(moves, m), append(chance, p)
	}
	t.Judged = int64(len(moves))
	// Loads that wander over minutes move both by more than chance does within a window, and
	// each its own way: such moves are the usual ones.
	usual := [2]float64{usualChange(changes[0]), usualChange(changes[1])}
	var found []TradeoffMove
	for i, q := range stat.BenjaminiHochberg(chance) {
		moves[i].Adjusted = q
		if q >= tradeChance || moves[i].size < math.Log(tradeChange) || changes[0][i] <= tradeUsual*usual[0] || changes[1][i] <= tradeUsual*usual[1] {
			continue
		}
		if moves[i].TTFTBetter {
			t.Better++
		} else {
			t.Worse++
		}
		found = append(found, moves[i])
	}
	slices.SortStableFunc(found, func(a, b TradeoffMove) int { return cmp.Compare(b.size, a.size) })
	found = found[:min(len(found), max(tradeListed, most))]
	slices.SortFunc(found, func(a, b TradeoffMove) int { return cmp.Compare(a.FromNS, b.FromNS) })
	t.Listed = found
}

// usualChange is the standard deviation of changes of which these are the sizes, by their
// median: a few that are large leave it as it is.
func usualChange(sizes []float64) float64 {
	if len(sizes) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(sizes))
	return 1.4826 * (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// changeOf returns the change of a percentile on a log scale.
func changeOf(p [2]int64) float64 {
	return math.Log(float64(max(1, p[1]))) - math.Log(float64(max(1, p[0])))
}

// beyondBoth tests whether the shares of the values of two windows that lie beyond the middle
// of their P95 (the geometric mean) differ: by Student's t, with the variances of a ratio of
// sums over the blocks of each window, since what follows each other is alike. It returns P,
// two-sided, and by how much the share rose.
func beyondBoth(a, b *tradeWindowed, p95 [2]int64) (p, risen float64) {
	limit := int64(math.Sqrt(float64(max(0, p95[0])) * float64(max(0, p95[1]))))
	share := func(w *tradeWindowed) (share, variance, blocks float64) {
		var beyond, n [tradeBlocks]float64
		var all float64
		for k, values := range w.blocks {
			n[k] = float64(len(values))
			for _, v := range values {
				if v > limit {
					beyond[k]++
				}
			}
			if share += beyond[k]; n[k] > 0 {
				blocks++
			}
			all += n[k]
		}
		share /= all
		for k := range n {
			d := beyond[k] - float64(share*n[k])
			variance += float64(d * d)
		}
		if blocks > 1 {
			variance *= blocks / (blocks - 1) / (all * all)
		}
		return share, variance, blocks
	}
	shareA, varA, blocksA := share(a)
	shareB, varB, blocksB := share(b)
	risen = shareB - shareA
	df := min(blocksA, blocksB) - 1
	switch {
	case df < 2 || risen == 0:
		return 1, risen
	case !(varA+varB > 0):
		// All of one and none of the other: of all ways to deal the blocks, two are as extreme.
		n, _ := math.Lgamma(blocksA + blocksB + 1)
		x, _ := math.Lgamma(blocksA + 1)
		y, _ := math.Lgamma(blocksB + 1)
		return min(1, 2*math.Exp(x+y-n)), risen
	}
	return stat.StudentTwoSided(risen/math.Sqrt(varA+varB), df), risen
}
