package plant

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// The number of requests of a reference sample. Of correlated kinds it takes more, as
// neighbours tell the same. Of what a sampler keeps many are drawn for one.
const (
	referenceAlone      = 400_000
	referenceCorrelated = 600_000
	referenceKept       = 300_000
)

// MostRequests is the largest size of captures that something can be known of: a sample
// holds ten of them.
const MostRequests = referenceKept / leastCaptures

const leastCaptures = 10

// mostCaptures is how many captures of one size a reference is cut into at most.
const mostCaptures = 100

// referenceSeed is no seed that captures are drawn with, which count from 1.
const referenceSeed = 0

// Known holds what is true of one kind.
type Known map[known]Truth

type known struct {
	n int
	q stat.Prob
}

// At returns the truth about captures of n requests at a percentile, which is one of p90,
// p95 and p99. It panics when Know was not asked for n.
func (k Known) At(n int, q stat.Prob) Truth {
	t, ok := k[known{n, q}]
	if !ok {
		panic("plant: nothing is known about captures of this size at this percentile")
	}
	return t
}

// percentiles are those that truths are known at.
var percentiles = []stat.Prob{stat.P90, stat.P95, stat.P99}

// Know computes what is true of a kind, and of its captures of the given sizes, from one
// large sample of the same model, drawn from a stream of its own.
func Know(k Kind, sizes ...int) Known {
	requests := referenceAlone
	switch {
	case k.Correlated && !k.whole:
		requests = referenceCorrelated
	case k.Kept:
		requests = referenceKept
	}
	return know(k, referenceSeed, requests, sizes)
}

func know(k Kind, seed uint64, requests int, sizes []int) Known {
	out := Known{}
	if !k.whole {
		s := newSample(requests)
		k.draw(sourceOf(seed, k.Name, "reference"), requests, s.add)
		s.into(out, sizes)
		return out
	}
	for _, n := range sizes {
		s := newSample(requests)
		r := sourceOf(seed, k.Name, "reference")
		for range max(1, requests/n) {
			k.draw(r, n, s.add)
		}
		s.into(out, []int{n})
	}
	return out
}

// sample is the requests of a reference in order of start, by column.
type sample struct {
	value    []int64 // ns
	stages   [][table.StageCount]int64
	prefill  []int64
	incident []int32
}

func newSample(n int) *sample {
	return &sample{
		value: make([]int64, 0, n), stages: make([][table.StageCount]int64, 0, n),
		prefill: make([]int64, 0, n), incident: make([]int32, 0, n),
	}
}

func (s *sample) add(q *Request) {
	s.value = append(s.value, q.DurationNS())
	s.stages = append(s.stages, q.StagesNS)
	s.prefill = append(s.prefill, q.PrefillNS)
	s.incident = append(s.incident, q.Incident)
}

// A key is a value in ns and the place of its request: what is ordered fits a word.
const (
	placeBits = 21
	mostNS    = 1<<(64-placeBits) - 1 // 2 h 26 min; what takes longer counts as that when ranked
)

// ranked orders the requests from one place to another by their value, equal ones by their
// place. It returns keys in the memory that it is given.
func (s *sample) ranked(from, to int, keys []uint64) []uint64 {
	keys = keys[:0]
	for i := from; i < to; i++ {
		keys = append(keys, uint64(min(s.value[i], mostNS))<<placeBits|uint64(i))
	}
	slices.Sort(keys)
	return keys
}

// place is that of the request of a key.
func place(key uint64) int { return int(key & (1<<placeBits - 1)) }

// excess is the mean of the tail less the mean of the body: all, and by stage, in ns.
type excess struct {
	total, prefill float64
	stages         [table.StageCount]float64
	tail, hidden   float64 // means of the tail: all, and unattributed
}

// excess splits ranked requests at a percentile. The body is the ranks above 40 % and up to
// 60 %.
func (s *sample) excess(ranked []uint64, q stat.Prob) excess {
	n := len(ranked)
	var e excess
	add := func(keys []uint64, sign float64) {
		w := sign / float64(len(keys))
		for _, key := range keys {
			i := place(key)
			e.total += w * float64(s.value[i])
			e.prefill += w * float64(s.prefill[i])
			for k, ns := range s.stages[i] {
				e.stages[k] += w * float64(ns)
			}
		}
	}
	tail := ranked[n-tailOf(n, q):]
	add(tail, 1)
	e.tail, e.hidden = e.total, e.stages[stage.Unattributed]
	add(ranked[n*2/5:max(n*3/5, n*2/5+1)], -1)
	return e
}

// incidents counts what makes a stage slow in the tail of a capture.
func (s *sample) incidents(ranked []uint64, q stat.Prob, of stage.Stage) int {
	n := len(ranked)
	var usual float64
	body := ranked[n*2/5 : max(n*3/5, n*2/5+1)]
	for _, key := range body {
		usual += float64(s.stages[place(key)][of]) / float64(len(body))
	}
	tail := ranked[n-tailOf(n, q):]
	excess, incident := make([]float64, len(tail)), make([]int32, len(tail))
	for i, key := range tail {
		excess[i], incident[i] = float64(s.stages[place(key)][of])-usual, s.incident[place(key)]
	}
	return fewest(excess, incident)
}

// fewest is the least number of incidents that have nine tenths of all that is positive. What
// belongs to no incident is one by itself.
func fewest(excess []float64, incident []int32) int {
	var alone []float64
	sums := map[int32]float64{}
	for i, x := range excess {
		if incident[i] == 0 {
			alone = append(alone, x)
		} else {
			sums[incident[i]] += x
		}
	}
	for _, x := range sums {
		alone = append(alone, x)
	}
	slices.Sort(alone)
	slices.Reverse(alone)
	var all, most float64
	for _, x := range alone {
		all += max(x, 0)
	}
	for i, x := range alone {
		if most += max(x, 0); most >= 0.9*all {
			return i + 1
		}
	}
	return 0
}

// into computes the truths about captures of the given sizes.
func (s *sample) into(out Known, sizes []int) {
	keys := make([]uint64, 0, len(s.value))
	keys = s.ranked(0, len(s.value), keys)
	var whole [3]Truth
	for i, q := range percentiles {
		e := s.excess(keys, q)
		t := Truth{Q: q, Reference: len(s.value), Prefill: e.prefill / e.total, Excess: e.total / e.tail, Unattributed: e.hidden / e.tail}
		for k, ns := range e.stages {
			t.Shares[k] = ns / e.total
		}
		t.Top, t.RunnerUp = rank(&t.Shares)
		whole[i] = t
	}
	for _, n := range sizes {
		truths := whole
		for i := range truths {
			truths[i].N = n
		}
		s.captures(n, keys, truths[:])
		for _, t := range truths {
			t.Open = t.open()
			out[known{n, t.Q}] = t
		}
	}
}

// captures cuts the sample into captures of n requests, and fills in what they show.
func (s *sample) captures(n int, keys []uint64, truths []Truth) {
	count := min(mostCaptures, len(s.value)/n)
	type sums struct {
		lead      moments
		shares    [table.StageCount]moments
		incidents float64
	}
	all := make([]sums, len(truths))
	for c := range count {
		ranked := s.ranked(c*n, (c+1)*n, keys)
		for i := range truths {
			t, sum := &truths[i], &all[i]
			e := s.excess(ranked, t.Q)
			if e.total <= 0 {
				continue // of a few requests that are alike
			}
			sum.lead.add((e.stages[t.Top] - e.stages[t.RunnerUp]) / e.total)
			for k, ns := range e.stages {
				sum.shares[k].add(ns / e.total)
			}
			sum.incidents += float64(s.incidents(ranked, t.Q, t.Top))
		}
	}
	for i := range truths {
		t, sum := &truths[i], &all[i]
		t.LeadError = sum.lead.deviation()
		for k := range sum.shares {
			t.ShareErrors[k] = sum.shares[k].deviation()
		}
		t.Incidents = sum.incidents / max(1, sum.lead.n)
	}
}

// moments are those of some numbers.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+float64(x*x) }

func (m *moments) mean() float64 { return m.sum / max(1, m.n) }

// deviation is the standard deviation, 0 of a single number.
func (m *moments) deviation() float64 {
	return math.Sqrt(max(0, m.squares-float64(m.n*m.mean()*m.mean())) / max(1, m.n-1))
}
