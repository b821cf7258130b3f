package analyze

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
)

// daily are the requests of several captures, one behind another with a time between them.
func daily(apart int64, captures ...[]given) (out []given) {
	at := int64(0)
	for _, capture := range captures {
		end := at
		for _, r := range capture {
			r.id, r.start = uint64(len(out)+1), r.start+at
			end = max(end, r.start)
			out = append(out, r)
		}
		at = end + apart
	}
	return out
}

// TestSilenceIsNoTime has a planted surge in the last of four short captures, a day apart: it is
// the incident that it is in its capture alone, and without it there is none.
func TestSilenceIsNoTime(t *testing.T) {
	const s = 1000 * ms
	found, alarms := 0, 0
	for seed := range uint64(20) {
		var calm [][]given
		for day := range uint64(3) {
			calm = append(calm, line{seed: 100*seed + day, n: 800, servers: 8, service: s, load: .6}.requests())
		}
		last := line{seed: seed, n: 1000, servers: 8, service: s, load: .6}
		quiet := last.requests()
		last.surge = surgeBetween(60*s, 100*s, 2.5)
		alone := whenIn(tables(last.requests()))
		together := daily(86_400*s, append(slices.Clone(calm), last.requests())...)
		set := tables(together)
		w := whenIn(set)
		if l := load(set, Options{}.filled()); l.Silence.Gaps != 3 || l.Silence.NS < 3*86_000*s {
			t.Fatalf("seed %d: %+v", seed, l.Silence)
		}
		if len(alone.Incidents) == 1 && len(w.Incidents) == 1 {
			in, want := w.Incidents[0], alone.Incidents[0]
			shift := together[len(together)-1].start - last.requests()[999].start
			// What is quiet is told from all four, so its ends are not quite the same.
			if in.Depth != want.Depth || in.Peak-shift != want.Peak || in.Hit < want.Hit*9/10 || in.Hit > want.Hit*11/10 || in.Onset-shift < want.Onset-5*s || in.Onset-shift > want.Onset+5*s {
				t.Errorf("seed %d: an incident of %d from %d, alone of %d from %d", seed, in.Hit, in.Onset-shift, want.Hit, want.Onset)
			}
			found++
		}
		if w := whenIn(tables(daily(86_400*s, append(calm, quiet)...))); len(w.Incidents) > 0 {
			alarms++
		}
	}
	if found < 19 || alarms > 1 {
		t.Errorf("the incident was found in %d of 20, and there was one in %d of 20 without", found, alarms)
	}
}

// TestSilenceIsFoundBetweenCaptures compares gaps with how far requests are apart.
func TestSilenceIsFoundBetweenCaptures(t *testing.T) {
	const s = 1000 * ms
	spell := func(n int, apart, length int64) (out []given) {
		for i := range n {
			out = append(out, given{start: int64(i) * apart, times: times(stage.GPU, int(length))})
		}
		return out
	}
	for _, c := range []struct {
		name     string
		requests []given
		gaps     int64
	}{
		{"one capture", spell(500, s, s), 0},
		{"two, an hour apart", daily(3600*s, spell(500, s, s), spell(500, s, s)), 1},
		{"two, some minutes apart", daily(900*s, spell(500, s, s), spell(500, s, s)), 0},
		{"dense ones, some minutes apart", daily(120*s, spell(500, 10*ms, s), spell(500, 10*ms, s), spell(500, 10*ms, s)), 2},
		{"dense ones, less than a minute apart", daily(50*s, spell(500, 10*ms, ms), spell(500, 10*ms, ms)), 0},
		{"one request is in flight all the while", append(daily(3600*s, spell(500, s, s), spell(500, s, s)), given{start: 100 * s, times: times(stage.GPU, int(5000*s))}), 0},
		{"a request a minute", daily(40_000*s, spell(300, 60*s, s), spell(300, 60*s, s)), 0},
		{"too few to tell", daily(3600*s, spell(9, s, s), spell(9, s, s)), 0},
		{"nothing", nil, 0},
	} {
		for i := range c.requests {
			c.requests[i].id = uint64(i + 1)
		}
		if l := load(tables(c.requests), Options{}.filled()); l.Silence.Gaps != c.gaps {
			t.Errorf("%s: %d gaps, want %d", c.name, l.Silence.Gaps, c.gaps)
		}
	}
}

// TestSilencesAreEmpty: in no silence is a request in flight, and the clock without them keeps
// the order of all instants and loses just their length.
func TestSilencesAreEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var intervals []Interval
		at := int64(0)
		for range rapid.IntRange(0, 120).Draw(t, "requests") {
			at += rapid.SampledFrom([]int64{0, 1, 1000, 1_000_000, 90_000_000_000, 1 << 50}).Draw(t, "apart")
			intervals = append(intervals, Interval{at, at + rapid.Int64Range(0, 100_000_000_000).Draw(t, "length")})
		}
		w := waiting{silent: silencesIn(intervals)}
		var starts []int64
		for _, iv := range intervals {
			starts = append(starts, iv.Start)
			for _, gap := range w.silent {
				if iv.Start < gap.End && iv.End > gap.Start {
					t.Fatalf("%v is in flight in the silence %v", iv, gap)
				}
			}
		}
		recorded := w.recorded(starts)
		if !slices.IsSorted(recorded) {
			t.Fatalf("out of order: %v", recorded)
		}
		if n := len(starts); n > 0 && (starts[n-1]-starts[0])-(recorded[n-1]-recorded[0]) != silenceOf(w.silent).NS {
			t.Fatalf("%d ns became %d without %+v", starts[n-1]-starts[0], recorded[n-1]-recorded[0], w.silent)
		}
	})
}
