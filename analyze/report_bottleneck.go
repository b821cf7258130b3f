package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Bottleneck is a stage, or a sub-label of one, in which some requests spend more than the
// median of all. The excess of a request is what it spends more; all is of the requests in
// scope. Times are in ns.
type Bottleneck struct {
	Stage    stage.Stage
	Detail   string       // sub-label; empty for time without one, and of unattributed
	Scope    []ScopeField // where most of the excess is; empty for all requests
	MedianNS int64        // of all requests
	// Hit are the requests, as few as hold 90 % of the excess, of Of in scope: half of all requests
	// lie above any median, by however little.
	Hit, Of int64
	// Excess is that in scope, and Slow the part of it that slow requests have.
	Excess, Slow stat.Sum
	Everywhere   stat.Sum // in scope or not
	// From and To are the starts of the first and the last request of the shortest time whose
	// requests hold 90 % of the excess; Timed says that there is one.
	From, To int64
	Timed    bool
	// GainNS is what the percentile Q of all requests would be shorter by if none in scope had
	// an excess, and if a request gets shorter by no more than its drag where that is known:
	// arithmetic, no forecast.
	GainNS int64
	// Typical, Far and Worst are, by excess, the median of the requests that were hit, the one at
	// p99 and the one with most; the value is the duration.
	Typical, Far, Worst Exemplar
}

// ScopeField limits a bottleneck to values of a field.
type ScopeField struct {
	Field  string
	Values []string // in byte order
}

// mostDetails is how many sub-labels of a stage are told apart; the rest is one, otherDetails.
const (
	mostDetails  = 8
	otherDetails = "other"
)

// mostExcess is the part of an excess that its window is of, and the requests that it hit.
var mostExcess = stat.P90

// pathPart is a stage or a sub-label of one, and how long requests spent in it.
type pathPart struct {
	stage  stage.Stage
	detail string
	rest   bool // what no other part of the stage has
}

// pathParts divides the time of ranked requests by stage and sub-label. Each nanosecond is in one
// part.
type pathParts struct {
	set    *table.Set
	rows   []int32
	at     []int32 // place in rows, by row of the requests table; -1 for none
	list   []pathPart
	ofPart []int16 // by segment; -1 for none of those with a name
}

// newPathParts finds the parts of the time of requests.
func newPathParts(set *table.Set, rows []int32) *pathParts {
	p := &pathParts{set: set, rows: rows, at: make([]int32, set.Requests.Len()), ofPart: make([]int16, set.Segments.Len())}
	for i := range p.at {
		p.at[i] = -1
	}
	for i, row := range rows {
		p.at[row] = int32(i)
	}
	type key struct {
		stage uint8
		name  table.Sym
	}
	seg := &set.Segments
	sums := map[key]*stat.Sum{}
	for i := range seg.Len() {
		if k := (key{seg.Stage[i], seg.Detail[i]}); p.named(i) {
			if sums[k] == nil {
				sums[k] = &stat.Sum{}
			}
			sums[k].Add(seg.Duration[i])
		}
	}
	number := map[key]int16{}
	for _, s := range stage.All() {
		var found []key
		for k := range sums {
			if k.stage == uint8(s) {
				found = append(found, k)
			}
		}
		text := func(k key) string { return set.Symbols.Text(k.name) }
		slices.SortFunc(found, func(a, b key) int {
			return cmp.Or(sums[b].Int().Cmp(sums[a].Int()), cmp.Compare(text(a), text(b)))
		})
		p.list = append(p.list, pathPart{stage: s, rest: true})
		for i, k := range found {
			name := text(k)
			if i >= mostDetails {
				name = otherDetails
			}
			at := slices.IndexFunc(p.list, func(q pathPart) bool { return q.stage == s && !q.rest && q.detail == name })
			if at < 0 {
				at = len(p.list)
				p.list = append(p.list, pathPart{stage: s, detail: name})
			}
			number[k] = int16(at)
		}
	}
	for i := range p.ofPart {
		p.ofPart[i] = -1
		if p.named(i) {
			p.ofPart[i] = number[key{seg.Stage[i], seg.Detail[i]}]
		}
	}
	return p
}

// named reports whether a segment is of a request in use and of a part with a name. Why
// nothing is known of unattributed time makes no parts of it.
func (p *pathParts) named(i int) bool {
	seg := &p.set.Segments
	row := seg.RequestRow[i]
	return critical.Target(seg.Target[i]) == critical.End && row >= 0 && int(row) < len(p.at) && p.at[row] >= 0 &&
		int(seg.Stage[i]) < StageCount && stage.Stage(seg.Stage[i]) != stage.Unattributed && p.set.Symbols.Text(seg.Detail[i]) != ""
}

// times returns how long each request spent in a part, in ns, by place. What a stage took
// besides its other parts is never below 0.
func (p *pathParts) times(k int) []int64 {
	part, seg := p.list[k], &p.set.Segments
	out := make([]int64, len(p.rows))
	if part.rest {
		copy(out, gather(p.set.Requests.Stage[part.stage], p.rows))
	}
	for i, of := range p.ofPart {
		if of < 0 {
			continue
		}
		at := p.at[seg.RequestRow[i]]
		switch {
		case int(of) == k:
			out[at] += seg.Duration[i]
		case part.rest && p.list[of].stage == part.stage:
			out[at] = max(0, out[at]-seg.Duration[i])
		}
	}
	return out
}

// find returns the part of a stage and a sub-label; -1 for none.
func (p *pathParts) find(s stage.Stage, detail string) int {
	return slices.IndexFunc(p.list, func(q pathPart) bool { return q.stage == s && q.detail == detail })
}

// overMedian turns times into what they exceed their median by, and returns that.
func overMedian(times []int64) (median int64) {
	if len(times) == 0 {
		return 0
	}
	median = stat.SelectRank(slices.Clone(times), stat.P50)
	for i, t := range times {
		times[i] = max(0, t-median)
	}
	return median
}

// bottlenecks finds all of them.
func (r *Report) bottlenecks(w *waiting) {
	if r.N == 0 {
		return
	}
	b := newScoping(r, w)
	for k := range b.parts.list {
		over := b.parts.times(k)
		median := overMedian(over)
		all := stat.SumOf(over...)
		if all.Sign() == 0 {
			continue
		}
		r.Total, r.SlowTotal = r.Total.Plus(all), r.SlowTotal.Plus(stat.SumOf(over[r.N-r.TailN:]...))
		one := Bottleneck{Stage: b.parts.list[k].stage, Detail: b.parts.list[k].detail, MedianNS: median, Everywhere: all}
		b.fill(&one, over)
		r.Bottlenecks = append(r.Bottlenecks, one)
	}
	slices.SortStableFunc(r.Bottlenecks, func(a, b Bottleneck) int {
		return cmp.Or(b.Slow.Int().Cmp(a.Slow.Int()), b.Everywhere.Int().Cmp(a.Everywhere.Int()), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Detail, b.Detail))
	})
}

// Share is the part that the bottleneck, in scope, has of the excess of all.
func (r *Report) Share(b Bottleneck) float64 { return b.Excess.Over(r.Total) }

// SlowShare is the part that the bottleneck, in scope, has of the excess of the slow requests; 0
// when they have none.
func (r *Report) SlowShare(b Bottleneck) float64 {
	if r.SlowTotal.Sign() == 0 {
		return 0
	}
	return b.Slow.Over(r.SlowTotal)
}

// Excess is what requests spent in a stage, or a sub-label of one, beyond a median.
type Excess struct {
	// Known is false when no request of the report has any time in the stage, or the sub-label:
	// whether it is not recorded or took none is not known.
	Known bool
	Of    int64 // requests in scope
	Sum   stat.Sum
	Mean  stat.Estimate // of a request, ns; resampled in blocks of time where there are enough
}

// ExcessIn takes the excess of the requests in scope over the median of all requests, or over a time
// in ns if that is less. Scope and time may be those of a bottleneck of another report: a stage that
// takes longer in all requests than it did has an excess over the median of then alone.
func (r *Report) ExcessIn(stageName, detail string, scope []ScopeField, mostNS int64) Excess {
	s, err := stage.Parse(stageName)
	if err != nil || r.N == 0 {
		return Excess{}
	}
	p := newPathParts(r.set, r.rows)
	var e Excess
	k := p.find(s, detail)
	if k < 0 {
		return e
	}
	over := p.times(k)
	if e.Known = slices.ContainsFunc(over, func(ns int64) bool { return ns > 0 }); !e.Known {
		return e
	}
	middle := min(mostNS, stat.SelectRank(slices.Clone(over), stat.P50))
	for i, ns := range over {
		over[i] = max(0, ns-middle)
	}
	in := newScoping(r, nil).within(scope)
	blocks := blocksOf(r.set, r.rows)
	mean := blocks.mean()
	for i, row := range r.rows {
		if in(int32(i)) {
			e.Of++
			e.Sum.Add(over[i])
			mean.add(row, float64(over[i]), 1)
		}
	}
	e.Mean = mean.estimate(r.opt)
	return e
}
