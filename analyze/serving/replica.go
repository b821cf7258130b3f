package serving

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/tailpath/tailpath/analyze/stat"
)

// A replica can be slower than the others and look no busier: with as many requests of its
// own, each of which takes longer, it is busy for as much of the time. What tells is how long
// the device needs for the same piece of work. The median of that at one engine, with its
// interval, is set against the median of those at its replicas.
//
// It also takes longer where more requests share the device, or longer prompts are computed
// beside: a replica that is sent more, or runs in the busy hours alone, looks slow and is not.
// So requests are also compared at like load, and their tokens are set beside each other.

// Stint is the work of one request at an engine.
type Stint struct {
	Engine         int
	FromNS, ToNS   int64 // when it was on the device, from first to last
	NS             int64 // time on the device for Per pieces of work
	Per            int64 // pieces: output tokens, or 1 for the request as a whole
	Prompt, Output int64 // tokens that were computed for it; Unknown if not told
}

// Spread is how some times are spread. Percentiles that take more values are not known.
type Spread struct {
	Of       string // what takes the time; "" without any
	N        int64
	P50, P99 stat.Quantile // ns
}

// spreadOf returns the spread of some times, which it puts in order.
func spreadOf(of string, ns []int64) Spread {
	if len(ns) == 0 {
		return Spread{}
	}
	slices.Sort(ns)
	return Spread{Of: of, N: int64(len(ns)), P50: stat.QuantileOf(ns, stat.P50), P99: stat.QuantileOf(ns, stat.P99)}
}

// pace is what one stint is compared by.
type pace struct {
	each   int64   // ns of one piece of work
	beside float64 // mean number on the device meanwhile, with itself
}

// paces are the stints at an engine.
type paces struct {
	stints         []Stint
	each           []int64  // ns of one piece of work, of every stint, in order of size
	prompt, output stat.Sum // tokens
	told           bool     // they are of all stints
	loads          []pace   // of the stints that tell when they were, in order of what was beside
}

// takeStints gives stints to engines. One of no engine, of no work or of no time says nothing.
func (r *reader) takeStints(list []Stint, of string) {
	for _, x := range list {
		if s := r.site(x.Engine); s != nil && x.NS > 0 && x.Per > 0 {
			s.work = of
			s.paces.stints = append(s.paces.stints, x)
		}
	}
}

// besideUnit is how finely numbers of requests beside a stint are told apart: stamps of its
// start and its end are not exact.
const besideUnit = 1. / 16

// pace makes what stints at the engine are compared by. Its intervals must be in order of time.
func (s *site) pace() {
	p := &s.paces
	p.told = true
	inFlight := s.integral(int(GPU))
	for _, x := range p.stints {
		each := max(1, x.NS/x.Per)
		p.each = append(p.each, each)
		if p.told = p.told && x.Prompt >= 0 && x.Output >= 0; p.told {
			p.prompt.Add(x.Prompt)
			p.output.Add(x.Output)
		}
		if !inReach(x.FromNS) || !inReach(x.ToNS) || x.ToNS <= x.FromNS {
			continue
		}
		beside := (inFlight(x.ToNS) - inFlight(x.FromNS)) / float64(x.ToNS-x.FromNS)
		p.loads = append(p.loads, pace{each, besideUnit * math.Round(beside/besideUnit)})
	}
	p.stints = nil
	slices.SortFunc(p.loads, func(a, b pace) int {
		return cmp.Or(cmp.Compare(a.beside, b.beside), cmp.Compare(a.each, b.each))
	})
	s.Service = spreadOf(s.work, p.each)
}

// integral returns the integral, from long ago to an instant, of how many intervals of a kind
// hold one: interval-ns. The intervals must be in order of time.
func (t *timeline) integral(kind int) func(at int64) float64 {
	origin := int64(0)
	if len(t.starts[kind]) > 0 {
		origin = t.starts[kind][0]
	}
	since := func(edges []int64) func(at int64) float64 {
		sums := make([]float64, len(edges)+1)
		for i, x := range edges {
			sums[i+1] = sums[i] + float64(x-origin)
		}
		return func(at int64) float64 {
			n := sort.Search(len(edges), func(i int) bool { return edges[i] > at })
			return float64(n)*float64(at-origin) - sums[n]
		}
	}
	begun, ended := since(t.starts[kind]), since(t.ends[kind])
	return func(at int64) float64 { return begun(at) - ended(at) }
}

// slower is how one engine's pace compares with that of its replicas.
type slower struct {
	Engine         int
	N              int64  // stints at it
	Others         int64  // and at the others
	Ratio          bounds // of the medians of the time for one piece of work
	Like           bounds // the same of stints with as many requests beside
	Prompt, Output bounds // of the mean tokens of a stint
	Excess         bounds // share of its requests' time that it takes more than the others would
	compared       bool
}

// unbounded stands for a median that nothing bounds from above.
const unbounded = math.MaxInt64

// medianOf bounds the median of values in order of size: too few bound nothing.
func medianOf(values []int64) (low, high int64) {
	if q := stat.QuantileOf(values, stat.P50); q.HasLow && q.HasHigh {
		return q.Low, q.High
	}
	return 0, unbounded
}

// over bounds the quotient of two numbers of which bounds are known.
func over(lowA, highA, lowB, highB int64) bounds {
	if lowB <= 0 || highA == unbounded || highB == unbounded {
		return bounds{undefined: true}
	}
	return bounds{low: float64(lowA) / float64(highB), high: float64(highA) / float64(lowB)}
}

// leastOver returns what the pace of a is at least over that of b at like load, 0 if that is not
// known: of the stints of a with at most so many beside, and those of b with no fewer. The number
// is the one that leaves most on both sides.
func leastOver(a, b []pace) float64 {
	best, own, others := 0, 0, 0
	for i := range a {
		if i+1 < len(a) && a[i+1].beside == a[i].beside {
			continue
		}
		from := sort.Search(len(b), func(k int) bool { return b[k].beside >= a[i].beside })
		if least := min(i+1, len(b)-from); least > best {
			best, own, others = least, i+1, from
		}
	}
	values := func(list []pace) []int64 {
		out := make([]int64, len(list))
		for i, p := range list {
			out[i] = p.each
		}
		slices.Sort(out)
		return out
	}
	low, _ := medianOf(values(a[:own]))
	_, high := medianOf(values(b[others:]))
	if high == unbounded {
		return 0
	}
	return float64(low) / float64(high)
}

// slower compares every engine with all others that have stints, and returns what was found
// of each in the order of the engines.
func (r *reader) slower() []slower {
	out := make([]slower, len(r.Engines))
	var at []int
	var low, high []int64
	all := int64(0)
	for i := range r.paces {
		if each := r.paces[i].each; len(each) > 0 {
			l, h := medianOf(each)
			at, low, high, all = append(at, i), append(low, l), append(high, h), all+int64(len(each))
		}
	}
	for k, i := range at {
		if len(at) < 2 {
			break
		}
		e, n := &r.Engines[i], int64(len(r.paces[i].each))
		s := slower{Engine: e.ID, N: n, Others: all - n, compared: true, Ratio: over(low[k], high[k], besides(low, k), besides(high, k))}
		if s.Ratio.undefined || s.Ratio.high >= slowerBy { // or else no more is asked
			r.atLikeLoad(&s, at, i)
			s.Excess = excess(s.Like, e)
		}
		out[i] = s
	}
	return out
}

// besides returns the median of all but one: of two in the middle the greater.
func besides[T cmp.Ordered](list []T, k int) T {
	others := slices.Delete(slices.Clone(list), k, k+1)
	slices.Sort(others)
	return others[len(others)/2]
}

// atLikeLoad compares an engine with each of the others, and takes the median of what it finds,
// which one other that is unlike the rest does not move.
func (r *reader) atLikeLoad(s *slower, at []int, own int) {
	p := &r.paces[own]
	var least, most, prompt, output []float64
	told := p.told
	for _, i := range at {
		if i == own {
			continue
		}
		o := &r.paces[i]
		told = told && o.told
		least = append(least, leastOver(p.loads, o.loads))
		if back := leastOver(o.loads, p.loads); back > 0 {
			most = append(most, 1/back)
		} else {
			most = append(most, math.Inf(1))
		}
		n := stat.SumOf(int64(len(p.each)))
		mean := func(own, other stat.Sum) float64 {
			return own.Over(n) / max(1, other.Over(stat.SumOf(int64(len(o.each)))))
		}
		prompt, output = append(prompt, mean(p.prompt, o.prompt)), append(output, mean(p.output, o.output))
	}
	// Of two in the middle that which says less.
	lower := func(list []float64) float64 { slices.Sort(list); return list[(len(list)-1)/2] }
	upper := func(list []float64) float64 { slices.Sort(list); return list[len(list)/2] }
	s.Like = bounds{low: lower(least), high: upper(most)}
	if s.Like.low <= 0 || math.IsInf(s.Like.high, 1) {
		s.Like = bounds{undefined: true}
	}
	s.Prompt, s.Output = bounds{undefined: true}, bounds{undefined: true}
	if told {
		s.Prompt, s.Output = exactly(upper(prompt)), exactly(upper(output))
	}
}

// excess is the share of the time of an engine's requests that they are on the device for
// longer than at one that is as fast as the others.
func excess(ratio bounds, e *Engine) bounds {
	if ratio.undefined || e.InFlight.Integral.Sign() <= 0 {
		return bounds{undefined: true}
	}
	of := min(1, e.Spent[GPU].Over(e.InFlight.Integral))
	more := func(ratio float64) float64 { return max(0, 1-1/max(ratio, 1)) * of }
	return bounds{low: more(ratio.low), high: more(ratio.high)}
}

// slowest returns the engine of which it is most certain that it is slow: one that is, or else
// one that may be, by how much it is at least.
func slowest(list []slower) (best slower) {
	says := map[Speaks]int{Against: 0, Silent: 1, For: 2}
	for _, s := range list {
		if c := cmp.Or(cmp.Compare(says[s.row().Speaks], says[best.row().Speaks]), cmp.Compare(s.Ratio.low, best.Ratio.low)); s.compared && (!best.compared || c > 0) {
			best = s
		}
	}
	return best
}

// The gates of a replica that is slower.
const (
	slowerBy = 1.5  // its median over that of the others
	alike    = 1.25 // the mean tokens of its requests over that of theirs
)

const (
	missStints = "enough times on the device at every replica"
	missLike   = "enough times on the device at every replica with as many requests beside"
	missTokens = "how many tokens the requests had at every replica"
	missAlike  = "requests with as many tokens at every replica"
)

// row asks whether the engine is slower than its replicas for the same work, if it has some.
func (s *slower) row() Row {
	r := newRow(ReplicaSkew)
	n := s.N + s.Others
	r.atLeast("service_time_over_others", s.Ratio, slowerBy, n, OfRequests, missStints)
	if r.done().Speaks == Against {
		return r.done()
	}
	r.atLeast("service_time_over_others_at_like_load", s.Like, slowerBy, n, OfRequests, missLike)
	if r.done().Speaks == Against {
		return r.done()
	}
	r.noMore("prompt_tokens_over_others", s.Prompt, n)
	r.noMore("output_tokens_over_others", s.Output, n)
	r.atLeast("excess_share_of_its_request_time", s.Excess, material, s.N, OfRequests, missLike)
	return r.done()
}

// noMore adds a figure of tokens. More than at the others speak for nothing: they would take
// longer for a piece of work at any device, and do not show that this one is not slow.
func (r *Row) noMore(name string, of bounds, n int64) {
	missing := missAlike
	if of.undefined {
		missing = missTokens
	}
	r.figure(Figure{Name: name, Gate: alike, Below: true, N: n, Of: OfRequests}, of, of.high < alike, false, []string{missing})
}

// slowRow asks whether one replica is slower than the others for the same work.
func (v *evidence) slowRow(replicas bounds, missing []string) Row {
	r := newRow(ReplicaSkew)
	r.atLeast("replicas", replicas, 2, v.engines, OfReplicas, missing...)
	r.Figures = append(r.Figures, v.slower.row().Figures...)
	return r.done()
}
