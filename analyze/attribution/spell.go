package attribution

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tailpath/tailpath/analyze/stat"
)

// What an interval needs to predict. The figures are from simulation: see the package
// comment.
const (
	leastTail      = 20 // requests in the tail
	leastIncidents = 12 // of equal size
	leastWorth     = 15 // independent requests that the tail is worth
)

// Spells are looked for at these lengths: so many equal parts of the requests in the
// order of time. Each divides the one before by two.
var scales = []int{80, 40, 20, 10}

// surely is the probability with which independent requests look like spells at one
// scale of one mark.
const surely = 0.002

// relevantWait is how long a wait is, of the excess, if waits matter.
const relevantWait = .25

// spells tells requests that come independently from those that come in spells. A part
// that waxes and wanes but makes no request slow, moves no share and is no long wait does
// no harm.
type spells struct {
	a *run
	// marks[m] is what is summed over time: for a row, a number with mean 0.
	marks []func(row int) float64
}

// newSpells marks the requests above the median, the upper quarter, the upper tenth and
// the tail, waits that matter, and the influence of every request on the share of the
// part that is first.
func (a *run) newSpells() spells {
	n := len(a.Value)
	s := spells{a: a}
	above := func(first int) {
		share := float64(n-first) / float64(n)
		s.marks = append(s.marks, func(row int) float64 {
			if row >= first {
				return 1 - share
			}
			return -share
		})
	}
	above(n / 2)
	above(n - n/4)
	above(n - n/10)
	above(int(a.g.tail) - 1)
	if waited := a.longWaits(); waited != nil {
		s.marks = append(s.marks, func(row int) float64 { return waited[row] })
	}
	if influence := a.influence(); influence != nil {
		s.marks = append(s.marks, func(row int) float64 { return influence[row] })
	}
	return s
}

// growth returns by how much sums over spells of time vary more than if the requests
// came in no order, at the scale and mark where that is most. It is 1 if nowhere is more
// than chance makes of requests without order.
func (s spells) growth(inTime []keyed) float64 {
	n, finest := len(inTime), scales[0]
	sums := make([][]float64, len(s.marks))
	squares := make([]float64, len(s.marks))
	for m := range sums {
		sums[m] = make([]float64, finest)
	}
	for i, k := range inTime {
		at := i * finest / n
		for m, mark := range s.marks {
			x := mark(int(k.row))
			sums[m][at] += x
			squares[m] += float64(x * x)
		}
	}
	growth := 1.0
	for _, scale := range scales {
		// With requests in no order, the squares of the sums add up to the squares of all
		// requests, less one scale-th as the sums add up to 0; they vary like chi squared.
		limit := distuv.ChiSquared{K: float64(scale - 1)}.Quantile(1 - surely)
		for m, sum := range sums {
			for len(sum) > scale {
				for i := range len(sum) / 2 {
					sum[i] = sum[2*i] + sum[2*i+1]
				}
				sum = sum[:len(sum)/2]
			}
			sums[m] = sum
			if scale > n/4 || squares[m] == 0 {
				continue
			}
			var total float64
			for _, x := range sum {
				total += float64(x * x)
			}
			if v := total / squares[m] * float64(scale); v > limit {
				growth = max(growth, v/float64(scale-1))
			}
		}
	}
	return growth
}

// longWaits returns how much longer than the mean every request waited, in ns, if waits
// are long enough to make requests slow: if the longest is relevantWait of the excess.
// Requests that wait together can be slow together, even if in this capture they hardly
// were. It returns nil if waits are short.
func (a *run) longWaits() []float64 {
	var longest int64
	var all stat.Sum
	for _, w := range a.Waited {
		longest = max(longest, w)
		all.Add(w)
	}
	if longest == 0 || float64(longest) < relevantWait*a.r.Excess.Value {
		return nil
	}
	mean := all.Float() / float64(len(a.Waited))
	out := make([]float64, len(a.Waited))
	for i, w := range a.Waited {
		out[i] = float64(w) - mean
	}
	return out
}

// influence returns what every request adds to the share of the part that is first: the
// first term of the share's expansion in the weights of the requests. Where a group
// begins or ends, requests come in and go out as others are added, each with the mean
// time of requests of that rank. It returns nil without an excess.
func (a *run) influence() []float64 {
	excess := make([]float64, len(a.Parts))
	for k, p := range a.r.Parts {
		excess[k] = p.Excess.Value
	}
	first, all := a.isFirst(excess), a.r.Excess.Value
	if first < 0 || all <= 0 || a.g.bodyN() == 0 {
		return nil
	}
	n := int64(len(a.Value))
	size := float64(n)
	inTail, inBody := float64(a.g.tailN(n))/size, float64(a.g.bodyN())/size
	at, from, to := stat.HarrellDavis(n, a.opt.Q), stat.HarrellDavis(n, bodyFrom), stat.HarrellDavis(n, bodyTo)
	out := make([]float64, n)
	add := func(column []int64, factor float64) {
		tail, low, high := at.Of(column), from.Of(column), to.Of(column)
		for i, x := range column {
			var v float64
			rank := int64(i) + 1
			if rank >= a.g.tail {
				v += (float64(x) - tail) / inTail
			}
			switch {
			case rank > a.g.last:
				v -= (high - low) / inBody
			case rank >= a.g.first:
				v -= (float64(x) - low) / inBody
			}
			out[i] += float64(factor * v)
		}
	}
	add(a.Parts[first], 1/all)
	add(a.Value, -a.r.Parts[first].Share.Value/all)
	var mean float64
	for _, v := range out {
		mean += v
	}
	mean /= size
	for i := range out {
		out[i] -= mean
	}
	return out
}

// incidents returns how many incidents the tail forms, and how many of equal size would
// be worth as much: n^2 / (sum of squared sizes). Slow requests that start within the
// longest wait among them are one incident. tail tells what every request counts for in
// the tail, 0 outside.
func (s *Sample) incidents(inTime []keyed, tail func(row int32) float64) (count int64, worth float64) {
	var gap int64
	if s.Waited != nil {
		for row, w := range s.Waited {
			if tail(int32(row)) > 0 {
				gap = max(gap, w)
			}
		}
	}
	var all, squares, size float64
	var last keyed
	for _, k := range inTime {
		w := tail(k.row)
		if w == 0 {
			continue
		}
		if count == 0 || k.since(last) > uint64(gap) {
			count++
			squares += float64(size * size)
			size = 0
		}
		size += w
		all += w
		last = k
	}
	squares += float64(size * size)
	if squares == 0 {
		return count, 0
	}
	return count, float64(all*all) / squares
}

// judge says whether the intervals predict, and what is missing if not.
func (a *run) judge(inTime []keyed) {
	first := a.g.tail - 1
	incidents, even := a.incidents(inTime, func(row int32) float64 {
		if int64(row) < first {
			return 0
		}
		return 1
	})
	tail := float64(a.r.TailN)
	a.r.Blocks.judge(verdictOf{
		tail: tail, slow: counted(a.r.TailN, "slow request"), incidents: incidents, even: even, worth: tail / a.newSpells().growth(inTime),
	})
}

// verdictOf is what intervals are judged by.
type verdictOf struct {
	tail        float64 // slow requests, or what they are worth in requests of equal weight
	slow        string  // the same in words
	incidents   int64
	even, worth float64 // incidents of equal size, and independent requests, that are worth as much
}

// judge says whether intervals predict, and what is missing if not.
func (b *Blocks) judge(v verdictOf) {
	b.Clusters, b.Worth = v.incidents, min(v.even, v.worth)
	const describes = ": this describes them; it does not predict"
	switch {
	case v.tail < leastTail:
		b.Refused = v.slow + " are too few to predict others"
		b.Need = fmt.Sprintf("%d slow requests", leastTail)
	case v.even < leastIncidents && v.incidents < leastIncidents:
		b.Refused = "the slow requests overlap in time and form " + counted(v.incidents, "incident") + describes
		b.Need = fmt.Sprintf("%d incidents that do not overlap in time", leastIncidents)
	case v.even < leastIncidents:
		b.Refused = fmt.Sprintf("a few of the %d incidents hold most slow requests", v.incidents) + describes
		b.Need = fmt.Sprintf("incidents of about equal size, or about %.0f times the time", math.Ceil(leastIncidents/v.even))
	case v.worth < leastWorth:
		b.Refused = fmt.Sprintf("slowness comes in spells, and the %s are worth fewer than %d independent ones", v.slow, leastWorth) + describes
		b.Need = fmt.Sprintf("about %.0f times the time, so that the spells recur", math.Ceil(leastWorth/v.worth))
	}
}

// counted writes a number of things.
func counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
