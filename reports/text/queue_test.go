package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

// disturbQueue puts names from an attacker and numbers from chance into a queue section.
func disturbQueue(t *rapid.T, q *reports.Queue, name func(label string, p *string)) {
	for i := range q.Where {
		w := &q.Where[i]
		name("key", &w.Key)
		name("where", &w.Words)
		for k := range w.Places {
			name("place", &w.Places[k].Value)
			share := rapid.Float64Range(-10, 10).Draw(t, "share")
			if w.Places[k].Share = &share; rapid.Bool().Draw(t, "few") {
				w.Places[k].P95NS = nil
			}
		}
	}
	name("work", &q.Work.Words)
	name("little", &q.Little.Words)
	name("when", &q.When.Words)
	for i := range q.Candidates {
		name("candidate", &q.Candidates[i].Name)
		name("speaks", &q.Candidates[i].Speaks)
	}
	for i := range q.When.Incidents {
		in := &q.When.Incidents[i]
		in.OnsetNS, in.RecoveryNS = rapid.Int64Range(0, 1<<62).Draw(t, "onset"), rapid.Int64Range(0, 1<<62).Draw(t, "recovery")
		in.Hit = rapid.Int64Range(0, 1<<62).Draw(t, "hit")
		if rapid.Bool().Draw(t, "nothing before") {
			in.Before.Rate, in.Before.InFlight, in.Arrivals = nil, nil, nil
		}
	}
	if w := q.WhatIf; w != nil {
		name("what if", &w.Words)
	}
}

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
		in.Depth, in.Waited = int64(1000+i), float64((i*5)%8)
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
