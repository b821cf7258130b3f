package engine_test

import (
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
)

// TestPlantedAborts: of every server, requests that their client gave up, and no others, are
// aborted. Attempts that were given up for another one make no request aborted.
func TestPlantedAborts(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine reads many captures")
	}
	for _, x := range []struct {
		scenario string
		server   simulate.Server
		from     []sources
	}{
		{"aborted", simulate.VLLM, []sources{fromTraces, fromAll, fromLogs}},
		{"aborted", simulate.VLLMV0, []sources{fromTraces, fromAll, fromLogs}},
		{"aborted", simulate.SGLang, []sources{fromTraces, fromAll}},
		{"aborted", simulate.TGI, []sources{fromTraces, fromAll}},
		{"aborted", simulate.Triton, []sources{fromTraces, fromAll}},
		{"hedging", simulate.VLLMV0, []sources{fromTraces, fromAll, fromLogs}},
		{"hedging", simulate.TGI, []sources{fromTraces, fromAll}},
		{"retry-storm", simulate.VLLMV0, []sources{fromTraces, fromAll, fromLogs}},
	} {
		sc, err := simulate.Lookup(x.scenario)
		if err != nil {
			t.Fatal(err)
		}
		sc.Requests = 700
		c := run(t, sc, x.server)
		for _, from := range x.from {
			l := loadFrom(t, c, from)
			found := 0
			for row, i := range l.truth {
				if i < 0 || critical.Class(l.set.Requests.Class[row]) != critical.Complete {
					continue
				}
				want := c.Truth[i].Aborted
				if !from.traces && c.Truth[i].Status == 200 {
					want = false // the logs do not tell of a client that left while the answer was on its way
				}
				if got := l.set.Requests.Aborted[row]; got != want {
					t.Errorf("%s, %s, %+v: %s is aborted: %t, in truth %t, status %d", x.scenario, x.server, from, c.Truth[i].TraceID, got, want, c.Truth[i].Status)
				} else if got {
					found++
				}
			}
			if (found >= 10) != (x.scenario == "aborted") {
				t.Errorf("%s, %s, %+v: %d are aborted", x.scenario, x.server, from, found)
			}
		}
	}
}
