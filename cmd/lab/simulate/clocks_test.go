package simulate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"
)

// bounds are a span's timestamps and its host.
type bounds struct {
	host       string
	start, end int64
}

// spanBounds are the bounds of every span of a capture, by its identifier.
func spanBounds(c *Capture) map[[8]byte]bounds {
	out := make(map[[8]byte]bounds)
	for _, sv := range c.Services {
		for _, batch := range sv.Batches {
			eachSpan(batch, func(rs ptrace.ResourceSpans, sp ptrace.Span) {
				host, _ := rs.Resource().Attributes().Get("host.name")
				out[sp.SpanID()] = bounds{host.Str(), start(sp), end(sp)}
			})
		}
	}
	return out
}

// TestClocksChangeNothingButWhatIsShown runs the same incident with true clocks: the
// truth must be the same, and every span must show its host's clock.
func TestClocksChangeNothingButWhatIsShown(t *testing.T) {
	for _, name := range []string{"skewed-clocks", "drifting-clocks", "wrong-clock", "local-time-log"} {
		sc := lookup(t, name)
		for _, server := range Servers() {
			wrong := mustRun(t, sc, 4, Options{Server: server, Requests: 150})
			clocks := sc.Clocks
			sc.Clocks = nil
			right := mustRun(t, sc, 4, Options{Server: server, Requests: 150})
			sc.Clocks = clocks
			for i := range wrong.Truth {
				x, y := wrong.Truth[i], right.Truth[i]
				x.ErrorNS, x.TTFTErrorNS = y.ErrorNS, y.TTFTErrorNS
				if diff := cmp.Diff(y, x); diff != "" {
					t.Fatalf("%s on %s: the truth depends on clocks:\n%s", name, server, diff)
				}
			}
			if diff := cmp.Diff(right.Visits, wrong.Visits); diff != "" {
				t.Fatalf("%s on %s: the visits depend on clocks:\n%s", name, server, diff)
			}
			shown, truth := spanBounds(wrong), spanBounds(right)
			if len(shown) != len(truth) || len(shown) == 0 {
				t.Fatalf("%s on %s: %d spans, with true clocks %d", name, server, len(shown), len(truth))
			}
			moved := 0
			for id, is := range shown {
				was := truth[id]
				// Of the server, what is shown is rounded again.
				if off := abs(is.start - wrong.Shown(was.host, was.start)); off > 2*wallStampNS {
					t.Fatalf("%s on %s: a span on %s begins %d ns off its clock", name, server, was.host, off)
				}
				if off := abs(is.end - wrong.Shown(was.host, was.end)); off > 2*wallStampNS {
					t.Fatalf("%s on %s: a span on %s ends %d ns off its clock", name, server, was.host, off)
				}
				if is.start != was.start {
					moved++
				}
			}
			if (moved > 0) != (name != "local-time-log") {
				t.Errorf("%s on %s: %d spans show another time", name, server, moved)
			}
		}
	}
}

// TestHostClock checks that a clock starts at its offset, gains what it drifts, and
// never goes back.
func TestHostClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := HostClock{OffsetNS: rapid.Int64Range(-1<<45, 1<<45).Draw(t, "offset"), DriftPPB: rapid.Int64Range(-500_000, 500_000).Draw(t, "drift")}
		if got := h.shown(epochNS); got != epochNS+h.OffsetNS {
			t.Fatalf("%d ns off at the beginning", got-epochNS)
		}
		hour := epochNS + 3600*s
		if got := h.shown(hour) - hour - h.OffsetNS; got != 3600*h.DriftPPB {
			t.Fatalf("gains %d ns in an hour at %d ns a second", got, h.DriftPPB)
		}
		a := epochNS + rapid.Int64Range(0, 1<<50).Draw(t, "a")
		b := a + rapid.Int64Range(1, 1<<40).Draw(t, "after")
		if h.shown(b) < h.shown(a) || abs(h.shown(b)-h.shown(a)-(b-a)) > (b-a)/1000+2 {
			t.Fatalf("%d ns pass as %d", b-a, h.shown(b)-h.shown(a))
		}
	})
}

// TestDeclaredClocksAreWhatTheScenariosSay pins what is planted.
func TestDeclaredClocksAreWhatTheScenariosSay(t *testing.T) {
	hosts := func(name string) hostClocks { return lookup(t, name).Clocks }
	seen := make(map[int64]bool)
	for _, h := range hosts("skewed-clocks") {
		if size := abs(h.OffsetNS); size < 2*ms || size > 400*ms || h.DriftPPB != 0 || seen[h.OffsetNS] {
			t.Errorf("skewed-clocks: %+v", h)
		}
		seen[h.OffsetNS] = true
	}
	if got := hosts("wrong-clock").of(serverHost).OffsetNS; abs(got) < 3600*s || got%(1800*s) == 0 {
		t.Errorf("wrong-clock: off by %d ns", got)
	}
	if got := hosts("drifting-clocks").of(serverHost).DriftPPB; got != 50_000 {
		t.Errorf("drifting-clocks: drift of %d ns a second", got)
	}
	c := mustRun(t, lookup(t, "local-time-log"), 1, Options{Requests: 5})
	if diff := cmp.Diff(map[string]int64{serverHost: 19_800 * s}, c.Zone); diff != "" {
		t.Error(diff)
	}
	if zone := mustRun(t, lookup(t, "wrong-clock"), 1, Options{Requests: 5}).Zone; zone != nil {
		t.Errorf("wrong-clock: zones %v", zone)
	}
}
