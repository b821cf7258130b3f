package analyze

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Peers is the population that single requests are compared with. Make it once and
// explain many requests against it.
type Peers struct {
	ranked []int32
	set    *table.Set
	body   int64
	median [StageCount]int64
	middle Exemplar
	during Interval
	words  bool
	define []Definition
	// measures takes the measures of single requests.
	measures func() *measured
}

// Standing is where one request stands among its peers.
type Standing struct {
	Peers int64 // requests compared with
	// InPopulation is false for a request that the population leaves out: its rank is
	// then the one it would have.
	InPopulation bool
	Rank         int64 // 1 for the fastest; equals by trace id
	Faster       int64 // peers that took strictly less time
	Ties         int64 // other peers that took exactly as long
	KeptTraces   bool  // peers are among kept traces
	// Body counts the requests between 40 % and 60 %, whose stage medians the request
	// is compared with. HasBody is false when they are too few for a median.
	Body    int64
	HasBody bool
	Stages  [StageCount]StageDifference
	Middle  Exemplar // the median request, to compare with; zero without peers
	Alike   Alike
	During  Interval // from the first start of the peers to their last end, by the wall clock; zero when none has a date
}

// StageDifference compares a stage of one request with the median of that stage
// over the body. Medians of stages do not add up to a median request.
type StageDifference struct{ NS, MedianNS int64 }

// Queued reports whether the request exceeds the medians of usual requests by more in the queue
// than in all other stages together; false where there are no medians.
func (s Standing) Queued() bool {
	if !s.HasBody {
		return false
	}
	queue, others := int64(0), int64(0)
	for k, d := range s.Stages {
		if excess := d.NS - d.MedianNS; stage.Stage(k) == stage.Queue {
			queue = excess
		} else {
			others += max(0, excess)
		}
	}
	return queue > others
}

// NewPeers ranks the population that opt selects.
func NewPeers(set *table.Set, opt Options) *Peers {
	opt = opt.filled()
	rows, population := population(set, opt)
	rank(set, rows, set.Requests.Duration)
	p := &Peers{ranked: rows, set: set, words: population.Sampling.Biased(), define: opt.defined()}
	p.measures = sync.OnceValue(func() *measured { return newMeasured(set) })
	n := int64(len(rows))
	if n == 0 {
		return p
	}
	middle := rows[stat.P50.Rank(n)-1]
	p.middle = exemplar(set, middle, set.Requests.Duration[middle])
	p.during = extentOf(set, rows)
	first, last := bodyRanks(n)
	if p.body = max(0, last-first+1); p.body == 0 {
		return p
	}
	values := make([]int64, p.body)
	for k := range p.median {
		for i := range values {
			values[i] = set.Requests.Stage[k][rows[first-1+int64(i)]]
		}
		slices.Sort(values)
		p.median[k] = stat.NearestRank(values, stat.P50)
	}
	return p
}

// extentOf returns the time from the first start to the last end of requests with a date; zero
// without any.
func extentOf(set *table.Set, rows []int32) (t Interval) {
	r, dated := &set.Requests, false
	for _, row := range rows {
		switch {
		case r.Clock[row] != table.ClockWall:
		case !dated:
			dated, t = true, Interval{Start: r.Start[row], End: r.End[row]}
		default:
			t.Start, t.End = min(t.Start, r.Start[row]), max(t.End, r.End[row])
		}
	}
	return t
}

// Slowest returns the n slowest requests of the population, the slowest first.
func (p *Peers) Slowest(n int) []Exemplar {
	var out []Exemplar
	for i := len(p.ranked) - 1; i >= 0 && len(out) < n; i-- {
		row := p.ranked[i]
		out = append(out, exemplar(p.set, row, p.set.Requests.Duration[row]))
	}
	return out
}

// count returns how many peers have a duration in ns that is below a limit.
func (p *Peers) count(below func(ns int64) bool) int64 {
	return int64(sort.Search(len(p.ranked), func(i int) bool { return !below(p.set.Requests.Duration[p.ranked[i]]) }))
}

// standing places a request among the peers by (duration, trace id, root span id).
func (p *Peers) standing(set *table.Set, req *critical.Request) Standing {
	s := Standing{Peers: int64(len(p.ranked)), Body: p.body, KeptTraces: p.words, Middle: p.middle, During: p.during}
	var root table.SpanID
	if len(req.Spans) > 0 {
		root = req.Spans[0].ID
	}
	duration, t := req.End-req.Start, &set.Requests
	at := sort.Search(len(p.ranked), func(i int) bool {
		row := p.ranked[i]
		return cmp.Or(cmp.Compare(t.Duration[row], duration), bytes.Compare(t.TraceID[row][:], req.TraceID[:]),
			bytes.Compare(t.RootSpanID[row][:], root[:])) >= 0
	})
	s.Rank = int64(at) + 1
	if at < len(p.ranked) {
		row := p.ranked[at]
		s.InPopulation = t.TraceID[row] == req.TraceID && t.RootSpanID[row] == root
	}
	s.Faster = p.count(func(ns int64) bool { return ns < duration })
	s.Ties = p.count(func(ns int64) bool { return ns <= duration }) - s.Faster
	if s.InPopulation {
		s.Ties--
	}
	s.HasBody = p.body >= stat.Minimum(stat.P50).OneSided
	for k, ns := range req.EndPath.Stages() {
		s.Stages[k] = StageDifference{NS: ns, MedianNS: p.median[k]}
	}
	return s
}
