package attribution

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// judge says whether the intervals predict, by the rules of Of with weights for counts: a
// tail of requests of which one stands for half is worth two.
func (a *weighing) judge(inTime []keyed) {
	incidents, even := a.incidents(inTime, func(row int32) float64 { return a.weights.tail[row] })
	effective := a.w.Tail.Effective
	a.w.Blocks.judge(verdictOf{
		tail: effective, slow: fmt.Sprintf("slow requests, worth %.0f of equal weight,", math.Floor(effective)), incidents: incidents, even: even,
		worth: effective / spells{marks: a.marks()}.growth(inTime),
	})
}

// marks are what spells are looked for in: the weight above the levels of newSpells, waits
// that matter and the influence on the leading share. Each adds up to 0.
func (a *weighing) marks() (marks []func(row int) float64) {
	mark := func(values []float64) {
		var sum float64
		for _, v := range values {
			sum += v
		}
		share := sum / a.all
		marks = append(marks, func(row int) float64 { return values[row] - float64(a.weight[row]*share) })
	}
	for _, share := range []float64{.5, .75, .9} {
		mark(a.above(share))
	}
	mark(a.weights.tail)
	var longest int64
	for _, w := range a.Waited {
		longest = max(longest, w)
	}
	if longest > 0 && float64(longest) >= relevantWait*a.w.Excess.Value {
		waited := make([]float64, len(a.Waited))
		for i, w := range a.Waited {
			waited[i] = float64(a.weight[i] * float64(w))
		}
		mark(waited)
	}
	if influence := a.influence(); influence != nil {
		mark(influence)
	}
	return marks
}

// influence returns what the weight of every request adds to the share of the part that
// is first, but for a constant: as in Of, with means of the requests around the borders
// for the times there. It returns nil without an excess.
func (a *weighing) influence() []float64 {
	excess := make([]float64, len(a.Parts))
	for k, p := range a.w.Parts {
		excess[k] = p.Excess.Value
	}
	first, all := a.isFirst(excess), a.w.Excess.Value
	if first < 0 || all <= 0 || a.w.Body.N == 0 {
		return nil
	}
	inTail, inBody := 1-a.opt.Q.Float(), bodyTo.Float()-bodyFrom.Float()
	beyond := a.above(bodyTo.Float())
	around := func(q stat.Prob) []float64 {
		p := q.Float()
		reach := min(math.Sqrt(float64(p*(1-p))/weightedGroup(a.weight, a.all).Effective), p, 1-p)
		near := a.above(p - reach)
		for i, w := range a.above(p + reach) {
			near[i] = max(0, near[i]-w)
		}
		return near
	}
	atTail, atLow, atHigh := around(a.opt.Q), around(bodyFrom), around(bodyTo)
	out := make([]float64, len(a.Value))
	add := func(column []int64, factor float64) {
		tail, low, high := weightedMean(column, atTail), weightedMean(column, atLow), weightedMean(column, atHigh)
		for i, x := range column {
			v := float64(a.weights.tail[i]*(float64(x)-tail)) / inTail
			v -= float64(a.weights.body[i]*(float64(x)-low)) / inBody
			v -= float64(beyond[i]*(high-low)) / inBody
			out[i] += float64(factor * v)
		}
	}
	add(a.Parts[first], 1/all)
	add(a.Value, -a.w.Parts[first].Share.Value/all)
	return out
}

// weightedMean returns the mean of a column by weight, 0 without weight.
func weightedMean(column []int64, weight []float64) float64 {
	var sum, of float64
	for i, w := range weight {
		if w > 0 {
			sum += float64(w * float64(column[i]))
			of += w
		}
	}
	if of == 0 {
		return 0
	}
	return sum / of
}
