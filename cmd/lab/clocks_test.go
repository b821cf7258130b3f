package main

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
)

// wrongClocks are the incidents in which hosts show other times than they should.
var wrongClocks = []string{"skewed-clocks", "drifting-clocks", "wrong-clock"}

// TestClockOffsets checks what is found of the hosts' clocks against what they were set
// to: the true difference is within the error that is stated, at every call.
func TestClockOffsets(t *testing.T) {
	for _, name := range wrongClocks {
		sc, err := simulate.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []sources{fromTraces, fromAll} {
			capture, err := simulate.Run(sc, 1, simulate.Options{Requests: 300})
			if err != nil {
				t.Fatal(err)
			}
			f, err := readBack(capture, from, gatewayOf(sc), "", critical.Options{})
			if err != nil {
				t.Fatal(err)
			}
			checked := 0
			for i := range capture.Truth {
				q := &capture.Truth[i]
				for _, pair := range [][2]string{{q.ClientHost, q.GatewayHost}, {q.GatewayHost, q.ServerHost}, {q.ClientHost, q.ServerHost}} {
					shown := capture.Shown(pair[0], q.StartNS)
					truth := capture.Shown(pair[1], q.StartNS) - shown
					offset, bound, known := f.clocks.Between(pair[0], pair[1], shown)
					if !known {
						continue
					}
					checked++
					if off := truth - offset; off > bound || -off > bound {
						t.Fatalf("%s from %s: the clock of %s is %d ns ahead of that of %s, found %d ± %d", name, from, pair[1], truth, pair[0], offset, bound)
					}
				}
			}
			if checked < 2*len(capture.Truth) {
				t.Errorf("%s from %s: %d offsets are known of %d requests", name, from, checked, len(capture.Truth))
			}
		}
	}
}

// TestAdjustedClocks reads the same incidents with all that a host recorded moved by its
// offset: no request gets lost, and every stage stays within the stated error.
func TestAdjustedClocks(t *testing.T) {
	if raceEnabled {
		t.Skip("reads 12 captures")
	}
	for _, name := range wrongClocks {
		sc, err := simulate.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, sv := range []simulate.Server{simulate.VLLM, simulate.SGLang} {
			capture, err := simulate.Run(sc, 1, simulate.Options{Server: sv, Requests: 300})
			if err != nil {
				t.Fatal(err)
			}
			for _, from := range []sources{fromTraces, fromAll} {
				f, err := readBack(capture, from, gatewayOf(sc), "", critical.Options{Clock: critical.Adjust})
				if err != nil {
					t.Fatal(err)
				}
				s := score{Scenario: name, Server: string(sv), Sources: from, Gateway: gatewayOf(sc), Worst: "-"}
				s.compare(capture, f)
				if s.Missing > 0 || s.Twice > 0 || s.Within != s.Requests {
					t.Errorf("not recovered: %+v", s)
				}
			}
		}
	}
}

// TestZoneOfALog reads the log of an engine that writes in its own zone as if it were in
// UTC: the shift is found from the requests it shares with other sources, to the half hour.
func TestZoneOfALog(t *testing.T) {
	sc, err := simulate.Lookup("local-time-log")
	if err != nil {
		t.Fatal(err)
	}
	for _, sv := range []simulate.Server{simulate.VLLM, simulate.VLLMV0} {
		capture, err := simulate.Run(sc, 1, simulate.Options{Server: sv, Requests: 300})
		if err != nil {
			t.Fatal(err)
		}
		f, err := readBack(capture, fromAll, gatewayOf(sc), "", critical.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, c := range f.clocks.Clocks() {
			want := int64(0)
			if strings.HasSuffix(c.Clock, ".vllm.log") {
				want = int64(capture.Zone["gpu-a-01"])
				found++
			}
			if c.Zone != want {
				t.Errorf("%s: %s is %d ns of zone ahead of %s, want %d", sv, c.Clock, c.Zone, c.Reference, want)
			}
		}
		if found != 1 {
			t.Errorf("%s: %d clocks of the engine's log", sv, found)
		}
	}
}
