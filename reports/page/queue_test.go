package page

import (
	"strings"
	"testing"
)

// TestQueueShowsFiveIncidents counts the others.
func TestQueueShowsFiveIncidents(t *testing.T) {
	d := fixed(t)["queue"]
	if len(d.Queue.When.Incidents) == 0 {
		t.Fatal("the document has no incident")
	}
	one := d.Queue.When.Incidents[0]
	d.Queue.When.Incidents = nil
	for i := range 8 {
		in := one
		in.No, in.Depth, in.Waited = int64(i+1), int64(1000+i), float64((i*5)%8)
		d.Queue.When.Incidents = append(d.Queue.When.Incidents, in)
	}
	got := render(t, d, Options{})
	if n := strings.Count(got, "      peak "); n != incidentsShown || !strings.Contains(got, "and 3 incidents in which less was waited") {
		t.Errorf("%d incidents are shown:\n%s", n, got)
	}
	// Waited is 0, 5, 2, 7, 4, 1, 6, 3: the five largest stay in order of time.
	last := -1
	for _, depth := range []string{"1,001", "1,003", "1,004", "1,006", "1,007"} {
		at := strings.Index(got, "with "+depth+" waiting")
		if at <= last {
			t.Errorf("the incident with %s waiting is at %d, after %d", depth, at, last)
		}
		last = at
	}
}
