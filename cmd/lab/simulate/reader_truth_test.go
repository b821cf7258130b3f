package simulate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestPerfectReaderFindsTheTruth reads the exported files as a stranger would and
// requires that it is off by no more than the truth admits. What no span shows, it
// finds without a stage; beyond that, what it calls unattributed may be anything that
// the bounds allow.
func TestPerfectReaderFindsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkReader(t, drawRun(t, 60)) })
}

// TestPerfectReaderReadsAttempts reads what short runs hardly reach: retries, hedges,
// what is given up and what is preempted.
func TestPerfectReaderReadsAttempts(t *testing.T) {
	for _, name := range []string{"retry-storm", "hedging", "aborted", "preemption"} {
		sc := lookup(t, name)
		for _, server := range serversOf(sc) {
			checkReader(t, mustRun(t, sc, 3, Options{Server: server, Requests: 350}))
		}
	}
}

func checkReader(t rapid.TB, c *Capture) {
	spans := readSpans(t, c)
	for _, x := range c.Truth {
		r := read(t, spans[x.TraceID], c.Header.Server)
		until := r.until[len(r.until)-1]
		if r.from != c.Shown(x.ClientHost, x.StartNS) || until != c.Shown(x.ClientHost, x.EndNS) {
			t.Fatalf("bounds are %d to %d, truth %d to %d", r.from, until, x.StartNS, x.EndNS)
		}
		got := r.sums(math.MaxInt64)
		loose := abs(got[StageUnattributed] - x.HiddenNS.Sum())
		for i, ns := range x.StagesNS {
			want := ns - x.HiddenNS[i]
			if diff := abs(got[i] - want); i != StageUnattributed && diff > x.ErrorNS[i] {
				t.Fatalf("request %s: %s on %s: reads %d ns, truth %d ns, admitted error %d ns",
					x.TraceID, StageNames[i], c.Header.Server, got[i], want, x.ErrorNS[i])
			}
		}
		if most := max(x.ErrorNS[StageScheduling], x.ErrorNS[StageNetwork]); loose > most {
			t.Fatalf("%d ns more or less without a stage than nobody shows, admitted are %d", loose, most)
		}
		if x.TTFTStagesNS == nil {
			continue
		}
		early := r.sums(r.shown)
		for i, ns := range x.TTFTStagesNS {
			if want := ns - x.TTFTBeyondNS[i] - x.TTFTHiddenNS[i]; i != StageUnattributed && abs(early[i]-want) > x.TTFTErrorNS[i] {
				t.Fatalf("request %s: first token, %s on %s: reads %d ns, truth %d ns, admitted error %d ns",
					x.TraceID, StageNames[i], c.Header.Server, early[i], want, x.TTFTErrorNS[i])
			}
		}
	}
}

func abs(x int64) int64 { return max(x, -x) }
