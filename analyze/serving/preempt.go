package serving

import "github.com/tailpath/tailpath/analyze/stat"

// An engine preempts a request when its KV cache has no room for the tokens that those which
// run get next: the request gives its memory up and waits to be computed again. So
// preemptions show that the memory is the limit even where nobody new is in the queue, and
// where an engine does not tell such a wait from decoding.

// Preemptions are those of the requests of one engine, at least and at most. An engine of
// which there are none here is one that does not preempt, or of which it is not asked.
type Preemptions struct {
	Engine    int
	Low, High int64
}

// Preempted are the preemptions of an engine, or of several. They are asked for where anything
// tells of them, or could.
type Preempted struct {
	Asked     bool
	Low, High stat.Sum
}

func (p *Preempted) plus(o Preempted) {
	p.Asked, p.Low, p.High = p.Asked || o.Asked, p.Low.Plus(o.Low), p.High.Plus(o.High)
}

// takePreemptions gives preemptions to engines.
func (r *reader) takePreemptions(list []Preemptions) {
	for _, x := range list {
		if s := r.site(x.Engine); s != nil {
			s.Preempted.plus(Preempted{true, stat.SumOf(max(0, x.Low)), stat.SumOf(max(0, x.Low, x.High))})
		}
	}
}

const missPreemptions = "how often requests were preempted"

// preemptRow asks whether requests are preempted often enough to matter.
func (v *evidence) preemptRow() Row {
	r := newRow(KVFull)
	of := bounds{undefined: true}
	if v.requests > 0 {
		n := stat.SumOf(v.requests)
		of = bounds{low: v.preempted.Low.Over(n), high: v.preempted.High.Over(n)}
		if queued, _ := v.ofTime(Queue); !queued.undefined && queued.high <= 0 {
			// Who is preempted waits in front of the queue and holds up who comes next. Where
			// nobody ever waited, none mattered but those that are told.
			of.high = of.low
		}
	}
	r.atLeast("preemptions_per_request", of, material, v.requests, OfRequests, missPreemptions)
	return r.done()
}
