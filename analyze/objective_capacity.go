package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
)

// ElsewhereRequests is the id of the warning that some requests are on other clocks.
const ElsewhereRequests = "elsewhere"

// capacity tells which rate was carried within a term. each is what became of it in the
// requests that are asked.
func (a *asking) capacity(t filter.ObjectiveTerm, each []limited) ObjectiveCapacity {
	out := ObjectiveCapacity{Refused: a.noRate, All: a.lengths}
	none := capacity.Of(nil, capacity.Options{Target: stat.Prob(t.P), WindowNS: a.ask.WindowNS}) // has the default length of a window
	out.Target, out.WindowNS = none.Target, none.WindowNS
	if out.Refused == "" {
		out.Refused = a.chancy(out.WindowNS)
	}
	if out.Refused != "" {
		out.refuse()
		return out
	}
	out.Result = a.carried(each, stat.Prob(t.P))
	if a.perRequest != 1 {
		a.scale(&out.Result)
	}
	a.warn(&out.Result)
	if pooledGaps(t) {
		out.Warnings = append(out.Warnings, ownGapsWarning(t))
	}
	if bin := cmp.Or(out.FailBin+1, out.PassBin+1) - 1; bin >= 0 {
		out.Mix = a.mix(a.arrivedIn(&out.Result, bin))
	}
	if a.ask.GPUs > 0 {
		out.PerGPU, out.TokensPerGPU = out.Rate/float64(a.ask.GPUs), out.TokenRate/float64(a.ask.GPUs)
	}
	return out
}

// refuse makes an answer of why there is none.
func (c *ObjectiveCapacity) refuse() {
	c.Kind, c.Text, c.PassBin, c.FailBin = capacity.CannotSay, c.Refused, -1, -1
}

// carried asks for the rate. Where doubtful requests may be good or bad, a bin passes only
// with all of them bad, and fails only with all of them good.
func (a *asking) carried(each []limited, target stat.Prob) capacity.Result {
	o := capacity.Options{Target: target, WindowNS: a.ask.WindowNS, Seed: a.opt.Seed, Workers: a.opt.Workers}
	doubtful := false
	of := func(good func(m limited) bool) capacity.Result {
		for i := range a.requests {
			r := &a.requests[i]
			m := each[a.places[i]]
			r.Good, r.Eligible = m.why == 0 && good(m), m.why == 0
			doubtful = doubtful || r.Eligible && m.sure != m.might
		}
		return capacity.Of(a.requests, o)
	}
	recorded := of(func(m limited) bool { return m.good })
	if !doubtful {
		return recorded
	}
	return agreed(recorded, of(func(m limited) bool { return m.sure }), of(func(m limited) bool { return m.might }))
}

// agreed makes one answer of three about the same windows: with doubtful requests as they were
// recorded, all bad, and all good. What passes with all of them bad passes, and what fails with
// all of them good fails.
func agreed(recorded, worst, best capacity.Result) capacity.Result {
	out := recorded
	out.Bins = slices.Clone(recorded.Bins)
	for i := range out.Bins {
		b := &out.Bins[i]
		b.Lower, b.Upper = worst.Bins[i].Lower, best.Bins[i].Upper
		switch {
		case b.Verdict == capacity.Thin:
		case worst.Bins[i].Verdict == capacity.Passes:
			b.Verdict = capacity.Passes
		case best.Bins[i].Verdict == capacity.Fails:
			b.Verdict = capacity.Fails
		default:
			b.Verdict = capacity.Doubtful
		}
	}
	out.Answer, out.Warnings = worst.Answer, slices.Clone(best.Warnings)
	out.Fail, out.FailBin = best.Fail, best.FailBin
	switch {
	case out.Kind == capacity.Reached && out.FailBin < 0:
		// No rate fails for sure, so that the limit may be higher.
		out.Kind, out.Method, out.Estimate = capacity.NotReached, capacity.MethodBins, 0
		rate := min(out.Rate, out.Pass)
		out.TokenRate *= rate / out.Rate
		out.Rate = rate
		out.Text = notReachedText(&out)
	case out.Kind == capacity.Reached:
		out.Text = reachedText(&out)
	case out.Why == capacity.LowestFails && best.Why != capacity.LowestFails:
		out.Why, out.Text = capacity.Undecided, "no rate passes for sure, and none fails: too many durations lie as near the limit as the resolution of their records"
	}
	out.Warnings = append(out.Warnings, stat.Warning{ID: CoarseTimes, Text: "durations lie as near the limit as the resolution of their records: a rate passes only with all of those bad, and fails only with all of them good"})
	return out
}

// scale makes rates those of all requests, of which every kept one stands for the same
// number. Counts stay those of kept ones.
func (a *asking) scale(r *capacity.Result) {
	by := a.perRequest
	for _, rate := range []*float64{&r.Rate, &r.TokenRate, &r.Estimate, &r.Pass, &r.Fail} {
		*rate *= by
	}
	for i := range r.Windows {
		r.Windows[i].Rate *= by
	}
	for i := range r.Bins {
		b := &r.Bins[i]
		b.Low, b.High, b.Rate, b.TokenRate = b.Low*by, b.High*by, b.Rate*by, b.TokenRate*by
	}
	switch {
	case r.Kind == capacity.Reached:
		r.Text = reachedText(r)
	case r.Kind == capacity.NotReached:
		r.Text = notReachedText(r)
	case r.Why == capacity.LowestFails:
		r.Text = rateText(r.Fail) + ", the lowest rate that was held, already fail: the capacity is less"
	case r.Why == capacity.Undecided:
		r.Text = "no rate passes, and the lowest could pass or fail"
		if r.NeedRequests > 0 {
			r.Text += fmt.Sprintf(": about %d kept requests at one rate would pass", r.NeedRequests)
		}
	}
	for i, w := range r.Warnings {
		switch w.ID {
		case capacity.NotMonotone:
			r.Warnings[i].Text = "a higher rate passes than one that fails: something else than the rate makes requests miss"
		case capacity.NoLowLoad:
			r.Warnings[i].Text = "the lowest rates that were seen are no low load: backlogs smaller than usual there pass unseen"
		}
	}
	r.Warnings = append(r.Warnings, stat.Warning{ID: UniformWeights, Text: fmt.Sprintf(
		"every trace stands for %.4g requests: rates are those of the kept traces times that, and counts are of kept traces", by)})
}

func rateText(rate float64) string { return fmt.Sprintf("%.4g requests a second", rate) }

func reachedText(r *capacity.Result) string {
	return fmt.Sprintf("%s: %.4g pass and %.4g fail", rateText(r.Rate), r.Pass, r.Fail)
}

func notReachedText(r *capacity.Result) string {
	text := fmt.Sprintf("at least %s: the limit was not reached", rateText(r.Rate))
	if above := len(r.Bins) - 1; above > r.PassBin {
		text += fmt.Sprintf("; rates up to %.4g were seen, and it cannot be told whether they fail", r.Bins[above].High)
	}
	return text
}

// warn says what the rates leave out.
func (a *asking) warn(r *capacity.Result) {
	if a.elsewhere > 0 {
		r.Warnings = append(r.Warnings, stat.Warning{ID: ElsewhereRequests, Text: fmt.Sprintf(
			"left out of the rates: %s of other clocks, as nothing says when they came among these", plural(a.elsewhere, "request"))})
	}
	switch known, of := a.outputs.known, a.outputs.of; {
	case r.Kind == capacity.CannotSay || known == of:
	case known == 0:
		r.Warnings = append(r.Warnings, stat.Warning{ID: PartialTokens, Text: "no request recorded its output tokens: their rate is not known"})
	default:
		r.Warnings = append(r.Warnings, stat.Warning{ID: PartialTokens, Text: fmt.Sprintf(
			"%d of %s recorded their output tokens: the rate of tokens is a lower bound", known, plural(of, "request"))})
	}
}

// arrivedIn says which of the requests arrived in the windows of a bin.
func (a *asking) arrivedIn(r *capacity.Result, bin int) []bool {
	var kept []*capacity.Window
	for i := range r.Windows {
		if w := &r.Windows[i]; w.LeftOut == capacity.Kept {
			kept = append(kept, w)
		}
	}
	// Bins divide the windows by arrivals, so that their numbers of windows say which they are.
	slices.SortStableFunc(kept, func(a, b *capacity.Window) int { return cmp.Compare(a.Arrivals, b.Arrivals) })
	before := 0
	for _, b := range r.Bins[:bin] {
		before += b.Windows
	}
	starts := map[int64]bool{}
	for _, w := range kept[before : before+r.Bins[bin].Windows] {
		starts[w.StartNS] = true
	}
	in := make([]bool, len(a.requests))
	for i, q := range a.requests {
		in[i] = starts[windowOf(q.StartNS, r.WindowNS)]
	}
	return in
}

// windowOf returns the start of the window of an instant, as package capacity has it.
func windowOf(at, window int64) int64 {
	n := at / window
	if at%window < 0 {
		n--
	}
	if n < math.MinInt64/window {
		return math.MinInt64
	}
	return n * window
}

// mix returns how long some of the requests of the load are.
func (a *asking) mix(in []bool) LengthMix {
	lengths := func(column []int64) (l Lengths) {
		var values []int64
		for i, row := range a.loadRows {
			if n := column[row]; in[i] && n >= 0 {
				values = append(values, n)
			}
		}
		slices.Sort(values)
		return Lengths{int64(len(values)), stat.QuantileOf(values, stat.P50), stat.QuantileOf(values, stat.P95)}
	}
	return LengthMix{lengths(a.set.Requests.PromptTokens), lengths(a.set.Requests.OutputTokens)}
}
