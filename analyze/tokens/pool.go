package tokens

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Pool gathers many requests: their gaps by token, and their times per output token by
// request. The zero value is empty. The order of requests changes no result. It keeps 16
// bytes for every run of equal gaps, and is not for use by several goroutines at once.
type Pool struct {
	runs   []Run
	sorted bool
	sum    stat.Sum
	n      int64
	// decode sums the time from the first token to the last of the requests with a time
	// per output token, by the number of tokens after the first.
	decode    map[int64]stat.Sum
	requests  int64
	undefined map[string]int64
}

// Add adds a request.
func (p *Pool) Add(s *Stream) {
	for _, r := range s.Runs() {
		p.runs = append(p.runs, r)
		p.sum = p.sum.Plus(times(r.GapNS, r.N))
		p.n += r.N
	}
	p.sorted = false
	t := s.Times()
	if v := t.TPOT(); !v.Defined() {
		if p.undefined == nil {
			p.undefined = map[string]int64{}
		}
		p.undefined[v.Undefined]++
		return
	}
	if p.decode == nil {
		p.decode = map[int64]stat.Sum{}
	}
	sum := p.decode[t.Tokens-1]
	sum.Add(t.LastTokenNS - t.FirstTokenNS)
	p.decode[t.Tokens-1] = sum
	p.requests++
}

// times returns v times n as a sum.
func times(v, n int64) stat.Sum {
	sum, power := stat.Sum{}, stat.SumOf(v)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			sum = sum.Plus(power)
		}
		power = power.Plus(power)
	}
	return sum
}

// Gaps returns the number of gaps.
func (p *Pool) Gaps() int64 { return p.n }

// SumNS returns the sum of the gaps in ns.
func (p *Pool) SumNS() stat.Sum { return p.sum }

// ITLMeanNS returns the mean gap over all tokens in ns, 0 without any: a request weighs
// as much as it has gaps. [itl]
func (p *Pool) ITLMeanNS() float64 {
	if p.n == 0 {
		return 0
	}
	return p.sum.Over(stat.SumOf(p.n))
}

// ITLQuantile returns the percentile of the gaps over all tokens in ns by nearest rank,
// and the number of gaps it stands on. Its value is 0 when there are none; whether there
// are enough is for [stat.Minimum] to say. Gaps of one request depend on each other, so an
// interval of order statistics would be too narrow. [itl]
func (p *Pool) ITLQuantile(at stat.Prob) (gapNS, n int64) {
	if p.n == 0 {
		return 0, 0
	}
	if !p.sorted {
		slices.SortFunc(p.runs, func(a, b Run) int { return cmp.Compare(a.GapNS, b.GapNS) })
		p.sorted = true
	}
	rank, seen := max(1, at.Rank(p.n)), int64(0)
	for _, r := range p.runs {
		if seen += r.N; seen >= rank {
			return r.GapNS, p.n
		}
	}
	return p.runs[len(p.runs)-1].GapNS, p.n
}

// TPOTMeanNS returns the mean time per output token over the requests that have one, in
// ns, and their number: every request weighs the same. [tpot]
func (p *Pool) TPOTMeanNS() (mean float64, n int64) {
	if p.requests == 0 {
		return 0, 0
	}
	var after []int64
	for k := range p.decode {
		after = append(after, k)
	}
	slices.Sort(after)
	sum := 0.0
	for _, k := range after {
		sum += p.decode[k].Float() / float64(k)
	}
	return sum / float64(p.requests), p.requests
}

// Undefined counts the requests without a time per output token, by reason.
type Undefined struct {
	Reason string
	N      int64
}

// Undefined returns the requests without a time per output token, most frequent reason
// first. They and the number of [Pool.TPOTMeanNS] add up to the requests added.
func (p *Pool) Undefined() []Undefined { return listed(p.undefined) }

func listed(by map[string]int64) []Undefined {
	var out []Undefined
	for reason, n := range by {
		out = append(out, Undefined{reason, n})
	}
	slices.SortFunc(out, func(a, b Undefined) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Reason, b.Reason)) })
	return out
}
