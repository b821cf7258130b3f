package serving

// ContextOf is the Context of what [Of] finds, but for the number of replicas, for a fraction
// of the work: it lays no windows, asks no engine and decides nothing.
func ContextOf(c Capture, opt Options) Context {
	r := &reader{recorded: opt.Recorded & Everything, options: opt, partial: reasons(opt.Partial), brief: true}
	r.window(&c)
	r.whole = newGrid(r.FromNS, r.ToNS, 0, true)
	for _, list := range []*[]int64{&r.durations, &r.first, &r.output, &r.input, &r.system.starts[present], &r.system.ends[present]} {
		*list = make([]int64, 0, len(c.Requests))
	}
	r.eachRequest(&c, r.briefly)
	r.define()
	r.takeIntervals(c.Intervals)
	whole := levels{grid: r.whole}
	r.system.walk(r.FromNS, r.ToNS, func(from, to int64, n *counts) { whole.piece(from, to, n) })
	if len(r.whole.windows) > 0 {
		r.Whole = r.whole.windows[0]
	}
	r.context()
	return r.Context
}

// briefly takes in as much of a request as a context tells.
func (r *reader) briefly(q *Request, emitted []Emission) {
	if q.seenUntil(emitted) <= r.FromNS || q.StartNS >= r.ToNS {
		return
	}
	r.known(q)
	_, told := r.told(q, emitted)
	if i, in := r.whole.at(q.StartNS); in {
		r.whole.windows[i].Arrivals++
	}
	if q.EndNS == Unknown {
		return
	}
	if _, in := r.whole.at(q.lastNS()); in {
		r.shape(q, told)
	}
	if from, to := max(q.StartNS, r.FromNS), min(q.EndNS, r.ToNS); from < to {
		r.system.add(present, from, to)
	}
}
