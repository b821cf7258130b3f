package serving

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Result is what [Of] found.
type Result struct {
	FromNS, ToNS int64 // the window of the capture
	Requests     int64 // that have a part in it, unfinished ones too
	// Whole is the capture as one window, and Windows the grid from its start. There are no
	// windows when they would be too many: a warning says so.
	Whole   Window
	Windows []Window
	// Blocks are parts of the time of one length, the last one maybe shorter.
	Blocks []Block
	// Stretches are those that Engine.Over is of.
	Stretches []Stretch
	// Executing is how many requests engines had on the GPU at a time while they had any: of
	// all engines, the time of each for itself.
	Executing Level
	// Output and Input are the definitions that all completed requests with a count support:
	// by emission, or else by completion. They are of the whole capture and never change
	// between windows.
	Output, Input Definition
	Engines       []Engine // by their numbers
	// Unplaced are requests and intervals of no engine.
	Unplaced Unplaced
	// Skew is over the engines whose busy time is known.
	Skew little.Skew
	// Arrivals are those of all requests in buckets of 100 ms.
	Arrivals little.Dispersion
	Table    Table
	Context  Context // as far as requests tell
	Refused  Refused
	Warnings []stat.Warning
}

// Unplaced is what no engine is known for.
type Unplaced struct {
	Requests int64
	InFlight stat.Sum // request-ns
	Spent    ByWhat
}

// TooManyWindows is the id of the warning that there are no windows.
const TooManyWindows = "too-many-windows"

// reader takes in a capture.
type reader struct {
	Result
	declared Kinds // by the caller
	recorded Kinds // with those that the capture has
	options  Options
	partial  []string // the reasons, each once
	open     stat.Sum // from the starts of unfinished requests of no engine on, request-ns
	sites    map[int]*site
	paces    []paces  // by place in Engines
	system   timeline // requests and waits for a place of all engines
	whole    *grid
	grid     *grid
	blocks   held
	together holder
	starts   []int64
	brief    bool // for a context alone

	durations, first, output, input []int64 // of completed requests
	noTimes, noFirst                bool    // of completed requests with a count
}

// Of measures a capture and asks what holds it up.
func Of(c Capture, opt Options) Result {
	declared := opt.Recorded & Everything
	r := &reader{declared: declared, recorded: declared, options: opt, partial: reasons(opt.Partial), sites: map[int]*site{}}
	r.window(&c)
	length := opt.WindowNS
	if length <= 0 {
		length = defaultWindow
	}
	r.whole, r.grid = newGrid(r.FromNS, r.ToNS, 0, true), newGrid(r.FromNS, r.ToNS, length, false)
	if len(r.grid.windows) == 0 && r.ToNS > r.FromNS {
		r.Warnings = append(r.Warnings, stat.Warning{ID: TooManyWindows, Text: fmt.Sprintf(
			"more than %d windows of %d ns: ask for longer ones", mostWindows, length)})
	}
	r.blocks.grid = newGrid(r.FromNS, r.ToNS, opt.BlockNS, false)
	r.blocks.rates = nil
	r.Stretches = Stretches(r.FromNS, r.ToNS, length, opt.Stretches...)
	r.takeRequests(&c)
	r.takeIntervals(c.Intervals)
	r.takeSamples(c.Slots, func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }, func(s *site, x Sample) { s.slots = append(s.slots, x) })
	r.takeSamples(c.KV, func(v float64) bool { return v >= 0 && v <= 1 }, func(s *site, x Sample) { s.kv = append(s.kv, x) })
	r.takeStints(c.Stints, c.StintsOf)
	r.takePreemptions(c.Preemptions)
	r.measure()
	return r.Result
}

// reasons returns those that say something, each once.
func reasons(list []string) (out []string) {
	for _, text := range list {
		if text != "" {
			out = appendNew(out, text)
		}
	}
	return out
}

// usable reports whether a request has times, and counts why not.
func (r *reader) usable(q *Request, count bool) bool {
	var why *int64
	switch {
	case !inReach(q.StartNS) || q.EndNS != Unknown && !inReach(q.EndNS):
		why = &r.Refused.RequestTimes
	case q.EndNS != Unknown && q.EndNS < q.StartNS:
		why = &r.Refused.RequestsReversed
	default:
		return true
	}
	if count {
		*why++
	}
	return false
}

// whyNot returns the counter of the reason why an interval cannot be used, nil when it can.
func (r *reader) whyNot(iv *Interval) *int64 {
	switch {
	case iv.What > BackOff:
		return &r.Refused.IntervalKinds
	case !inReach(iv.FromNS) || !inReach(iv.ToNS):
		return &r.Refused.IntervalTimes
	case iv.ToNS < iv.FromNS:
		return &r.Refused.IntervalsReversed
	case iv.ToNS == iv.FromNS:
		return &r.Refused.IntervalsEmpty
	}
	return nil
}

// window fixes the window.
func (r *reader) window(c *Capture) {
	if c.ToNS > c.FromNS {
		if inReach(c.FromNS) && inReach(c.ToNS) {
			r.FromNS, r.ToNS = c.FromNS, c.ToNS
			return
		}
		r.Refused.Windows++
	}
	from, to := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range c.Requests {
		q := &c.Requests[i]
		if !r.usable(q, false) {
			continue
		}
		from, to = min(from, q.StartNS), max(to, q.seenUntil(nil))
	}
	for i := range c.Emissions {
		if e := &c.Emissions[i]; r.canBe(c, e) {
			to = max(to, c.Requests[e.Request].seenUntil(c.Emissions[i:i+1]))
		}
	}
	if from > to {
		for i := range c.Intervals {
			if iv := &c.Intervals[i]; r.whyNot(iv) == nil {
				from, to = min(from, iv.FromNS), max(to, iv.ToNS)
			}
		}
	}
	if from < to {
		r.FromNS, r.ToNS = from, to
	}
}

// site returns the engine of a number, nil for none, and for any where engines are not asked.
func (r *reader) site(id int) *site {
	if id < 0 || r.brief {
		return nil
	}
	s := r.sites[id]
	if s == nil {
		s = &site{Engine: Engine{ID: id}}
		r.sites[id] = s
	}
	return s
}

// canBe reports whether an emission is of a request that can be used, at a time of it.
func (r *reader) canBe(c *Capture, e *Emission) bool {
	if e.Request < 0 || e.Request >= len(c.Requests) || e.Tokens <= 0 {
		return false
	}
	q := &c.Requests[e.Request]
	return r.usable(q, false) && q.holds(e.AtNS)
}

// emissions returns those that can be, of each request together and in order of time.
func (r *reader) emissions(c *Capture) []Emission {
	use := make([]Emission, 0, len(c.Emissions))
	for _, e := range c.Emissions {
		if !r.canBe(c, &e) {
			r.Refused.Emissions++
			continue
		}
		use = append(use, e)
	}
	slices.SortFunc(use, func(a, b Emission) int {
		return cmp.Or(cmp.Compare(a.Request, b.Request), cmp.Compare(a.AtNS, b.AtNS), cmp.Compare(a.Tokens, b.Tokens))
	})
	return use
}

// known makes counts and the first token unknown that cannot be.
func (r *reader) known(q *Request) {
	for _, n := range [...]*int64{&q.InputTokens, &q.OutputTokens} {
		if *n < 0 {
			if *n != Unknown {
				r.Refused.TokenCounts++
			}
			*n = Unknown
		}
	}
	if at := q.FirstTokenNS; at != Unknown && !q.holds(at) {
		r.Refused.FirstTokens++
		q.FirstTokenNS = Unknown
	}
}

// told reports whether a request's emissions say when its tokens came, and completes it from
// them.
func (r *reader) told(q *Request, emitted []Emission) ([]Emission, bool) {
	if len(emitted) == 0 {
		if q.OutputTokens == 1 && q.FirstTokenNS != Unknown {
			return []Emission{{AtNS: q.FirstTokenNS, Tokens: 1}}, true
		}
		return nil, q.OutputTokens == 0
	}
	var sum stat.Sum
	for _, e := range emitted {
		sum.Add(e.Tokens)
	}
	if q.OutputTokens != Unknown && sum != stat.SumOf(q.OutputTokens) {
		r.Refused.EmittedOther++
		return emitted, false
	}
	if q.FirstTokenNS == Unknown {
		q.FirstTokenNS = emitted[0].AtNS
	}
	return emitted, true
}

// eachRequest calls f for the requests that can be used, with what each gave.
func (r *reader) eachRequest(c *Capture, f func(q *Request, emitted []Emission)) {
	emissions := r.emissions(c)
	for i := range c.Requests {
		q := c.Requests[i]
		var emitted []Emission
		for k := range emissions {
			if emissions[k].Request != i {
				break
			}
			emitted = emissions[:k+1]
		}
		emissions = emissions[len(emitted):]
		if !r.usable(&q, true) {
			continue
		}
		f(&q, emitted)
	}
}

func (r *reader) takeRequests(c *Capture) {
	r.eachRequest(c, r.takeRequest)
	r.whole.close()
	r.grid.close()
	r.define()
}

// define finds the definitions that all requests support.
func (r *reader) define() {
	r.Output, r.Input = TokensEmitted, TokensEmitted
	if r.noTimes || len(r.output) == 0 {
		r.Output = TokensOfCompleted
	}
	if r.noFirst || len(r.input) == 0 {
		r.Input = TokensOfCompleted
	}
}

func (r *reader) takeRequest(q *Request, emitted []Emission) {
	if q.EndNS == Unknown {
		r.Refused.Unfinished++
	}
	if q.seenUntil(emitted) <= r.FromNS || q.StartNS >= r.ToNS {
		r.Refused.RequestsOutside++
		return
	}
	r.Requests++
	r.known(q)
	emitted, told := r.told(q, emitted)
	last := q.EndNS
	if told && len(emitted) > 0 {
		last = emitted[len(emitted)-1].AtNS
	}
	r.whole.book(q, emitted, told, last)
	r.grid.book(q, emitted, told, last)
	r.blocks.book(q, emitted, told, last)
	s := r.site(q.Engine)
	r.starts = append(r.starts, q.StartNS)
	if s != nil {
		s.arrivals = append(s.arrivals, q.StartNS)
		s.Requests++
	} else {
		r.Unplaced.Requests++
	}
	if q.EndNS == Unknown {
		if s == nil {
			r.open.Add(r.ToNS - max(q.StartNS, r.FromNS))
		}
		return
	}
	if _, in := r.whole.at(q.lastNS()); in {
		r.shape(q, told)
		if s != nil {
			s.durations = append(s.durations, q.EndNS-q.StartNS)
		}
	}
	from, to := max(q.StartNS, r.FromNS), min(q.EndNS, r.ToNS)
	if from >= to {
		return
	}
	r.system.add(present, from, to)
	if s != nil {
		s.add(present, from, to)
	} else {
		r.Unplaced.InFlight.Add(to - from)
	}
}

// shape gathers what a completed request was like.
func (r *reader) shape(q *Request, told bool) {
	r.durations = append(r.durations, q.EndNS-q.StartNS)
	if q.FirstTokenNS != Unknown {
		r.first = append(r.first, q.FirstTokenNS-q.StartNS)
	}
	if q.OutputTokens != Unknown {
		r.output = append(r.output, q.OutputTokens)
		r.noTimes = r.noTimes || !told
	}
	if q.InputTokens != Unknown {
		r.input = append(r.input, q.InputTokens)
		r.noFirst = r.noFirst || q.FirstTokenNS == Unknown
	}
}

func (r *reader) takeIntervals(list []Interval) {
	for i := range list {
		iv := &list[i]
		if why := r.whyNot(iv); why != nil {
			*why++
			continue
		}
		if iv.What != BackOff {
			r.recorded |= 1 << iv.What
		}
		s := r.site(iv.Engine)
		if s != nil && iv.What == GPU {
			s.gpu = true
		}
		from, to := max(iv.FromNS, r.FromNS), min(iv.ToNS, r.ToNS)
		if from >= to {
			r.Refused.IntervalsOutside++
			continue
		}
		if iv.What == Gateway || iv.What == Queue || iv.What == BackOff {
			r.system.add(int(iv.What), from, to)
		}
		if s != nil {
			s.add(int(iv.What), from, to)
		} else if iv.What != BackOff {
			r.Unplaced.Spent[iv.What].Add(to - from)
		}
	}
}

func (r *reader) takeSamples(list []Sample, can func(float64) bool, put func(*site, Sample)) {
	for _, x := range list {
		if s := r.site(x.Engine); s == nil || !inReach(x.AtNS) || !can(x.Value) {
			r.Refused.Samples++
		} else {
			put(s, x)
		}
	}
}

// measure steps through the time of the whole and of every engine.
func (r *reader) measure() {
	whole, grid := levels{grid: r.whole}, levels{grid: r.grid}
	r.system.walk(r.FromNS, r.ToNS, func(from, to int64, n *counts) {
		whole.piece(from, to, n)
		grid.piece(from, to, n)
		r.blocks.piece(from, to, n)
	})
	r.Blocks = r.blocks.blocks
	if len(r.whole.windows) > 0 {
		r.Whole = r.whole.windows[0]
	}
	r.Windows = r.grid.windows
	if (r.ToNS-r.FromNS)/Bucket <= MostBuckets {
		r.Arrivals = little.DispersionOf(little.Arrivals(r.starts, r.FromNS, r.ToNS, Bucket))
	}
	ids := make([]int, 0, len(r.sites))
	for id := range r.sites {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		s := r.sites[id]
		s.measure(r.FromNS, r.ToNS, r.Stretches, &r.together)
		s.GPUKnown = s.gpu || r.declared.Has(GPU) || s.PresentNS == 0
		r.Engines, r.paces = append(r.Engines, s.Engine), append(r.paces, s.paces)
		r.sites[id] = nil // its edges are not needed any more
	}
	r.Executing = r.together.done()
	r.context()
	r.decide()
}
