package plant

import "testing"

// TestEvents holds: events are numbered as they begin, a kind without events has none, and
// every burst of a hundred requests is counted. A capture without one is what it is in many.
func TestEvents(t *testing.T) {
	for _, k := range Kinds() {
		last := int32(0)
		k.Each(1, 3000, func(q *Request) {
			if q.Event == 0 {
				return
			}
			if !k.Eventful || q.Event < last {
				t.Fatalf("%s: event %d after %d", k.Name, q.Event, last)
			}
			last = q.Event
		})
		if !k.Correlated && k.Eventful {
			t.Errorf("%s is independent and has events", k.Name)
		}
	}
	for _, c := range []struct {
		kind        string
		n           int
		least, most int // of 20 captures, those without an event
		events      int // of the first capture; 0 for any number
	}{{"many-incidents", 3000, 0, 0, 30}, {"one-incident", 1000, 0, 0, 1}, {"restarts", 1000, 1, 8, 0}, {"bursts-below", 12000, 0, 0, 0}, {"queue-80", 400, 20, 20, 0}} {
		k, err := Lookup(c.kind)
		if err != nil {
			t.Fatal(err)
		}
		without := 0
		for seed := uint64(1); seed <= 20; seed++ {
			got := k.Draw(seed, c.n).Events
			if got == 0 {
				without++
			}
			if seed == 1 && c.events > 0 && (got < c.events || got > c.events+1) {
				t.Errorf("%s has %d events, want %d", c.kind, got, c.events)
			}
		}
		if without < c.least || without > c.most {
			t.Errorf("%s: %d of 20 captures of %d have no event", c.kind, without, c.n)
		}
	}
}
