package change

import (
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// leastRate is the difference of two shares that counts: a tenth of a per cent.
const leastRate = 0.001

// Events are the requests of one side of which some have a property.
type Events struct {
	Hit   []bool
	Start []int64 // ns; nil when nothing says so
}

// Rate compares the share of requests that have a property. Outcome is Slower for a
// larger share in New, Faster for a smaller one.
type Rate struct {
	Name       string
	Count, Of  [2]int64
	Difference stat.Estimate // of the shares, New - Base
	Chance     float64       // Fisher's exact test, or the blocks, whichever is larger
	Adjusted   float64
	Outcome    Outcome
	predicts   bool
}

// Share returns the share on a side, 0 without requests.
func (r *Rate) Share(side int) float64 {
	if r.Of[side] == 0 {
		return 0
	}
	return float64(r.Count[side]) / float64(r.Of[side])
}

// RateOf compares two shares. Requests are taken as independent by Fisher's test and in
// blocks of time by the interval; both must say that the shares differ.
func RateOf(name string, base, new Events, o Options) *Rate {
	o = o.filled()
	r := &Rate{Name: name, predicts: o.Blocks.Refused == ""}
	events := [sides]Events{base, new}
	for s, e := range events {
		r.Of[s] = int64(len(e.Hit))
		for _, hit := range e.Hit {
			if hit {
				r.Count[s]++
			}
		}
	}
	value := r.Share(New) - r.Share(Base)
	r.Difference = stat.Estimate{Value: value, N: min(r.Of[Base], r.Of[New]), Method: MethodExact}
	r.Chance = 1
	if r.Of[Base] == 0 || r.Of[New] == 0 {
		return r
	}
	r.Chance = fisher(r.Count, r.Of)
	if !o.Blocks.Known() || base.Start == nil || new.Start == nil {
		r.predicts = false
		r.Difference.Warnings = []stat.Warning{{ID: NoInterval, Text: "no interval: nothing says when requests started"}}
		return r
	}
	var hits, all [sides][]float64
	var marks [sides]uint64
	for s, e := range events {
		block := o.Blocks.of(s, e.Start)
		hits[s], all[s] = make([]float64, o.Blocks.N[s]), make([]float64, o.Blocks.N[s])
		values := make([]int64, len(block))
		for i, b := range block {
			all[s][b]++
			if e.Hit[i] {
				hits[s][b]++
				values[i] = 1
			}
		}
		marks[s] = mark(o.Blocks.N[s], block, values)
	}
	var series [sides][]float64
	for s, e := range events {
		step, n := o.Blocks.steps(s, e.Start)
		all := make([]float64, n)
		series[s] = make([]float64, n)
		for i, k := range step {
			if all[k]++; e.Hit[i] {
				series[s][k]++
			}
		}
		for k := range all {
			series[s][k] /= all[k]
		}
	}
	wider := o.Blocks.carried(series)
	d := newDraws(&o.Blocks, o.Seed, marks)
	m := d.scratch()
	resamples := make([]float64, o.Replicates)
	for i := range resamples {
		d.draw(i, m)
		var share [sides]float64
		for s := range sides {
			var k, n float64
			for b, times := range m.times[s] {
				k += float64(times * hits[s][b])
				n += float64(times * all[s][b])
			}
			share[s] = k / n // not a number when nothing was drawn: it is left out
		}
		resamples[i] = share[New] - share[Base]
	}
	e, chance := interval(resamples, value, r.Difference.N, min(o.Blocks.N[Base], o.Blocks.N[New]), wider)
	r.Difference, r.Chance = e, max(r.Chance, chance)
	return r
}

// fisher is the exact test of two shares; from 1,000,000 requests on, and when ten are
// expected everywhere, the test of ratios of likelihoods, which then says the same.
func fisher(count, of [2]int64) float64 {
	miss := [2]int64{of[Base] - count[Base], of[New] - count[New]}
	total := float64(of[Base] + of[New])
	least := math.Inf(1)
	for s := range sides {
		for _, column := range []int64{count[Base] + count[New], miss[Base] + miss[New]} {
			least = min(least, float64(of[s])*float64(column)/total)
		}
	}
	if total >= 1e6 && least >= enough {
		return stat.GTest([][]int64{{count[Base], miss[Base]}, {count[New], miss[New]}}).P
	}
	return stat.FisherTwoSided(count[Base], miss[Base], count[New], miss[New]).P
}

func (r *Rate) judge(adjusted float64, rule Rule) {
	r.Adjusted, r.Outcome = adjusted, Same
	d := r.Difference
	switch {
	case r.Of[Base] < enough || r.Of[New] < enough:
		r.Outcome = TooFew
	case math.Abs(d.Value) < leastRate || adjusted > rule.FalseDiscovery:
	case !r.predicts:
		r.Outcome = Describes
	case d.HasBounds && d.Bounds.Low > 0:
		r.Outcome = Slower
	case d.HasBounds && d.Bounds.High < 0:
		r.Outcome = Faster
	}
}
