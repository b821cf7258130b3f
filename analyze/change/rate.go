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
	// Value is how long each request took in ns, Missing where nothing says so. It tells how
	// long noise lasts, which rare events hide. nil when it is not known.
	Value []int64
}

// Rate compares the share of requests that have a property. Outcome is Slower for a
// larger share in New, Faster for a smaller one.
type Rate struct {
	Name       string
	Count, Of  [2]int64
	Difference stat.Estimate // of the shares, New - Base
	// Chance is that of Fisher's exact test, or of the blocks, whichever is larger; of the former
	// alone where the blocks tell nothing, and then a difference predicts nothing.
	Chance   float64
	Adjusted float64
	Outcome  Outcome
	predicts bool
}

// Share returns the share on a side, 0 without requests.
func (r *Rate) Share(side int) float64 {
	if r.Of[side] == 0 {
		return 0
	}
	return float64(r.Count[side]) / float64(r.Of[side])
}

// RateOf compares two shares. Requests are taken as independent by Fisher's test and in
// blocks of time by the interval; both must say that the shares differ. The interval is
// widened by how long noise of the share itself lasts, or noise of the latency of the same
// requests if that lasts longer: what slows requests for a day makes them fail for a day.
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
	if hits := r.Count[Base] + r.Count[New]; hits == 0 || hits == r.Of[Base]+r.Of[New] {
		r.Difference = without(r.Difference, AllAlike, "all requests of both sides are alike in it, and so are all resamples: nothing tells how sure it is")
		return r
	}
	if !o.Blocks.Known() || base.Start == nil || new.Start == nil {
		r.predicts = false
		r.Difference = without(r.Difference, NoBlocksToDraw, o.Blocks.why())
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
	wider := carriedRate(events, &o.Blocks)
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
	if r.Difference = e; !e.HasBounds { // the blocks say nothing: neither that it is chance
		r.predicts = false
		return r
	}
	r.Chance = max(r.Chance, chance)
	return r
}

// carriedRate returns the factor by which intervals of a share are wider because noise
// carries over between blocks.
func carriedRate(events [sides]Events, b *Blocks) float64 {
	var share, latency [sides][]float64
	for s, e := range events {
		step, n := b.steps(s, e.Start)
		share[s] = means(step, n, func(i int) float64 {
			if e.Hit[i] {
				return 1
			}
			return 0
		})
		latency[s] = means(step, n, func(i int) float64 {
			if i >= len(e.Value) || e.Value[i] <= 0 { // Missing among them
				return math.NaN()
			}
			return math.Log(float64(e.Value[i])) // in which no single request is much
		})
	}
	return b.carriedRare(share, latency)
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
		r.Outcome, r.Difference = TooFew, few(r.Difference)
	case math.Abs(d.Value) < leastRate || adjusted > rule.FalseDiscovery:
	case !r.predicts:
		r.Outcome = Describes
	case d.HasBounds && d.Bounds.Low > 0:
		r.Outcome = Slower
	case d.HasBounds && d.Bounds.High < 0:
		r.Outcome = Faster
	}
}
