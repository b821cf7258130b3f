package plant

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Kind is a model of requests.
type Kind struct {
	Name string
	// About says in a few words what makes its slow requests slow.
	About string
	// Correlated says that requests depend on each other.
	Correlated bool
	// Eventful says that the model has events: times in which something is other than usual. A
	// capture can hold none of them, and nothing in it then tells that there are any.
	Eventful bool
	// Kept says that its captures are what a sampler kept that prefers slow requests. What
	// is true is then true among kept requests.
	Kept bool
	// Sizes are the numbers of requests that captures are drawn with.
	Sizes []int
	// PerSecond is the mean rate of arrivals, and Busy the mean share of its time that a
	// server works, 0 where none is modelled.
	PerSecond, Busy float64
	// Servers take requests one at a time, each; 0 where none is modelled.
	Servers int

	// whole says that the model is of captures as a whole: what is in one depends on its
	// size. Otherwise a capture is a piece of one endless stream.
	whole bool
	draw  func(r source, n int, see func(*Request))
}

// Kinds lists all kinds, the independent ones first.
func Kinds() []Kind {
	kinds := independentKinds()
	return append(kinds, correlatedKinds()...)
}

// Lookup returns the kind with the given name.
func Lookup(name string) (Kind, error) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("no kind of planted tail is called %q", name)
}

// Each draws a capture of n requests and shows them in order of their start. What see is
// given is overwritten afterwards.
func (k Kind) Each(seed uint64, n int, see func(*Request)) {
	k.draw(sourceOf(seed, k.Name, "capture"), n, see)
}

// Capture is a drawn capture.
type Capture struct {
	Set *table.Set // requests, and segments of their paths to the end
	// incident is what made a request slow with others, by row; 0 for nothing.
	incident []int32
	// Events is how many events of the model some request of the capture started in.
	Events int
}

// Draw draws a capture of n requests.
func (k Kind) Draw(seed uint64, n int) Capture {
	w := newWriter(sourceOf(seed, k.Name, "ids"))
	w.set.Requests.MakeRoom(n)
	w.set.Segments.MakeRoom(n * (table.StageCount + 1)) // gpu has two
	incident := make([]int32, 0, n)
	events, last := 0, int32(0)
	k.Each(seed, n, func(q *Request) {
		w.add(q)
		incident = append(incident, q.Incident)
		if q.Event > last { // events are numbered as they begin
			events, last = events+1, q.Event
		}
	})
	return Capture{w.set, incident, events}
}

// Incidents is the fewest incidents that have nine tenths of the excess of a stage in the
// requests of a capture at and above a percentile.
func (c Capture) Incidents(of stage.Stage, q stat.Prob) int {
	req := &c.Set.Requests
	s := sample{value: req.Duration, stages: make([][table.StageCount]int64, req.Len()), incident: c.incident}
	for k, times := range req.Stage {
		for i, ns := range times {
			s.stages[i][k] = ns
		}
	}
	return s.incidents(s.ranked(0, req.Len(), nil), q, of)
}
