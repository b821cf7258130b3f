package serving

import "testing"

func kvOf(t Table) Row { return t.Rows[3] }

// TestPreemptions: one request in ten that is preempted shows a memory that is full, whoever
// is in the queue; fewer do not, and what may be either leaves it open.
func TestPreemptions(t *testing.T) {
	for _, c := range []struct {
		name string
		list []Preemptions
		want Speaks
		n    int // figures
		// queued is true where somebody waited in the queue, if only for an instant. Where
		// nobody did, what may have been preempted held nobody up.
		queued bool
	}{
		{"nothing tells", nil, Against, 1, false},
		{"none", []Preemptions{{0, 0, 0}}, Against, 2, false},
		{"one of ten", []Preemptions{{0, 1, 1}}, For, 2, false},
		{"one at most", []Preemptions{{0, 0, 1}}, Silent, 2, true},
		{"one at most, and nobody waited", []Preemptions{{0, 0, 1}}, Against, 2, false},
		{"high is never below low", []Preemptions{{0, 2, 0}}, For, 2, false},
		{"below nothing", []Preemptions{{0, -5, -1}}, Against, 2, false},
		{"of no engine", []Preemptions{{NoEngine, 9, 9}}, Against, 1, false},
		{"in two parts", []Preemptions{{0, 1, 1}, {0, 1, 3}}, For, 2, false},
	} {
		x := abreast(10, train(1, Queue, GPU))
		x.Preemptions = c.list
		n := c.n
		if c.queued {
			at := x.Requests[0].StartNS
			x.Intervals = append(x.Intervals, Interval{at, at + 1, 0, Queue})
			n++ // how full the KV cache was meanwhile is asked, too
		}
		r := Of(x, Options{Recorded: Everything})
		for _, table := range []Table{r.Table, r.Engines[0].Table} {
			row := kvOf(table)
			if row.Speaks != c.want || len(row.Figures) != n {
				t.Errorf("%s: %+v", c.name, row)
			}
			if v := table.Verdict; c.want == For && (v.Signature != KVFull || v.Text != meansPreempted) {
				t.Errorf("%s: %+v", c.name, v)
			}
			if v := table.Verdict; c.want == Silent && (v.Kind != CannotSay || v.Missing[0] != missPreemptions) {
				t.Errorf("%s: %+v", c.name, v)
			}
		}
	}
	if f := kvOf(Of(Capture{Requests: abreast(4, train(1, Queue, GPU)).Requests, Preemptions: []Preemptions{{0, 1, 3}}}, Options{}).Table).Figures[1]; f.Low != .25 || f.High != .75 || f.N != 4 || f.Sign != 1 {
		t.Errorf("%+v", f)
	}
}

// TestBackOff: two requests of 4 s, of which one backs off for 3 s. It is in flight all the
// time, and neither waits nor runs meanwhile; its engine has work for as long as the other is
// there.
func TestBackOff(t *testing.T) {
	c := Capture{
		Requests:  []Request{plain(0, 4*second, 0), plain(0, 2*second, 0)},
		Intervals: []Interval{{0, second, 0, Queue}, {second, 4 * second, 0, BackOff}, {0, 2 * second, 0, GPU}},
		Slots:     []Sample{{0, 0, 1}},
	}
	r := Of(c, Options{Recorded: Everything})
	w := r.Whole
	if w.InFlight.Mean() != 1.5 || w.Waiting.Mean() != .25 || w.Running.Mean() != .5 || w.Running.Peak != 1 {
		t.Errorf("in flight %v, waiting %v, running %v", w.InFlight, w.Waiting, w.Running)
	}
	e := r.Engines[0]
	if e.PresentNS != 2*second || e.UnseenNS != 0 || e.BackingOff.Over(e.InFlight.Integral) != .5 || e.SlotsFullNS != second || e.WaitingNS != second {
		t.Errorf("%+v", e)
	}
	for what, s := range e.Spent {
		if want := map[What]float64{GPU: 2, Queue: 1}[What(what)]; s.Over(e.BackingOff)*3 != want {
			t.Errorf("%v of %s", s.Int(), What(what))
		}
	}
	// Who backs off shares nothing: over 2 s with work, 3 request-s were there.
	if f := r.Table.Rows[0].Figures[1]; f.Low != 1.5 || f.High != 1.5 {
		t.Errorf("%+v", f)
	}
	if r.Refused.IntervalKinds != 0 || BackOff.String() != "back-off" {
		t.Errorf("%+v", r.Refused)
	}
	// Without it the request would have run.
	c.Intervals = append(c.Intervals[:1:1], c.Intervals[2])
	if w := Of(c, Options{Recorded: Everything}).Whole; w.Running.Mean() != 1.25 {
		t.Errorf("running %v", w.Running)
	}
}

// TestBackOffIsSaid: where nothing fits, and clients spent a tenth of the time between
// attempts, the verdict says so.
func TestBackOffIsSaid(t *testing.T) {
	var c Capture
	for i := range int64(4) {
		at := i * second
		c.Requests = append(c.Requests, plain(at, at+4*second, 0))
		c.Intervals = append(c.Intervals, Interval{at, at + 3*second, 0, GPU}, Interval{at + 3*second, at + 4*second, 0, BackOff})
	}
	if v := Of(c, Options{Recorded: Everything}).Table.Verdict; v.Kind != NoneFits || v.Text != "no signature fits: the GPU is busy for 86 % of the time; clients wait for 25 % of the requests' time before they try again" {
		t.Errorf("%+v", v)
	}
}
