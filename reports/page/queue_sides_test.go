package page

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

// drawAttribution makes another view of a drawn tail.
func drawAttribution(t *rapid.T, tail reports.Tail) *reports.Attribution {
	a := &reports.Attribution{Q: "p99", N: 4000, TailN: 41, MedianNS: rapid.Int64Range(0, 1<<40).Draw(t, "median")}
	a.QuantileNS = a.MedianNS
	left, spread := a.TailN, 1.0
	for i, s := range tail.Stages {
		x := reports.AttributedStage{Stage: s.Stage, MovedNS: rapid.Int64Range(-1<<38, 1<<40).Draw(t, "moved"), ShapleyNS: rapid.Int64Range(-1<<38, 1<<40).Draw(t, "split")}
		if s.Share != nil {
			x.Share.Value = *s.Share
		}
		x.Largest, x.Covariance = rapid.Int64Range(0, left).Draw(t, "largest"), rapid.Float64Range(-.5, .5).Draw(t, "spread")
		if rapid.Bool().Draw(t, "small") {
			x.MovedNS, x.Largest, x.Covariance = x.MovedNS>>30, 0, x.Covariance/1000
		}
		if i == len(tail.Stages)-1 {
			x.Covariance = spread
		}
		left, spread = left-x.Largest, spread-x.Covariance
		x.Gain.Value = float64(rapid.Int64Range(0, 1<<40).Draw(t, "gain"))
		x.GainBounded.Value = rapid.SampledFrom([]float64{1, 1, .5, 0}).Draw(t, "drag") * x.Gain.Value
		a.QuantileNS, a.GainAllNS = a.QuantileNS+x.MovedNS, a.GainAllNS+x.ShapleyNS
		a.Stages = append(a.Stages, x)
	}
	return a
}

// TestSidesAddUp: as written, every column that is divided adds up to its total, though stages
// with hardly anything share a row; none of these has a large side, above or below 0.
func TestSidesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tail := drawTail(t)
		a := drawAttribution(t, tail)
		side := newSideTable(a, tail)
		side.verbose, side.bounds = rapid.Bool().Draw(t, "verbose"), rapid.Bool().Draw(t, "bounds")
		g := side.grid()
		shown := map[string]bool{}
		var sums [4]int64
		for _, row := range g.Rows[:len(g.Rows)-1] {
			shown[row[0]] = true
			for i, cell := range row[1:4] {
				sums[i] += tenthsIn(t, cell)
			}
			n, of, _ := strings.Cut(row[4], " of ")
			if of != "41" {
				t.Fatalf("largest in %q", row[4])
			}
			sums[3] += tenthsIn(t, n+".0") / 10
		}
		total := g.Rows[len(g.Rows)-1]
		counted := a.Exceeding()
		want := [4]int64{1000, 1000, 1000, counted}
		if tail.ExcessNS <= 0 {
			want[0] = 0
		}
		if a.QuantileNS <= a.MedianNS {
			want[1] = 0
		}
		if sums != want || total[0] != "total" || total[3] != "100.0" || total[4] != fmt.Sprintf("%d of 41", counted) {
			t.Fatalf("columns add up to %v, not %v, with the total %v:\n%v", sums, want, total, g.Rows)
		}
		none := fmt.Sprintf("largest in counts no stage for %d of the 41 slow requests: ", 41-counted)
		if strings.Contains(strings.Join(side.notes(), "\n"), none) != (counted < 41) || strings.Contains(strings.Join(side.notes(), "\n"), "counts no stage") != (counted < 41) {
			t.Fatalf("%d are counted, and the notes are %q", counted, side.notes())
		}
		for k, s := range a.Stages {
			part := 0.0
			if rise := a.QuantileNS - a.MedianNS; rise > 0 {
				part = float64(s.MovedNS) / float64(rise)
			}
			if large := max(s.Share.Value, -s.Share.Value, part, -part, s.Covariance, -s.Covariance) >= leastSide; large && !shown[s.Stage] {
				t.Fatalf("%s has %g, %g and %g and no row", s.Stage, s.Share.Value, part, s.Covariance)
			}
			if shown[s.Stage] && side.verbose && side.split[k] == 0 && s.ShapleyNS > side.unit.NS {
				t.Fatalf("%d ns of a split are written as 0", s.ShapleyNS)
			}
		}
		var split int64
		for _, steps := range side.split {
			split += steps
		}
		if split != side.unit.Steps(a.GainAllNS) {
			t.Fatalf("the split adds up to %d steps of %d", split, side.unit.Steps(a.GainAllNS))
		}
	})
}

// tenthsIn reads a share with one decimal; 0 of one that is not told.
func tenthsIn(t *rapid.T, cell string) (tenths int64) {
	if cell == absent {
		return 0
	}
	digits, sign := cell, int64(1)
	if digits[0] == '-' {
		digits, sign = digits[1:], -1
	}
	for _, c := range digits {
		if c >= '0' && c <= '9' {
			tenths = 10*tenths + int64(c-'0')
		} else if c != '.' {
			t.Fatalf("%q is no share", cell)
		}
	}
	return sign * tenths
}

// sidesOf renders the table of other sides of a document.
func sidesOf(t *testing.T, q *reports.Queue, verbose bool) string {
	t.Helper()
	p := newBuilder(Options{Verbose: verbose})
	p.sides(q)
	return textOf(p)
}

// TestSidesTellTheBoundedGain: the gain is what parallel branches allow; what it would be
// without them has a column of its own where they differ. The split of what all stages gain is
// there when asked for, and without it the sum of the gains is said not to be theirs.
func TestSidesTellTheBoundedGain(t *testing.T) {
	q := fixed(t)["queue"].Queue
	a := q.Summary.Duration.Attribution
	a.GainAllNS = 0
	for k := range a.Stages {
		s := &a.Stages[k]
		s.Gain.Value, s.ShapleyNS = 0, 0
		if s.Stage == "queue" {
			s.Gain.Value, s.ShapleyNS, a.GainAllNS = 2_187e6, 2_159e6, 2_159_000_000
		}
		s.GainBounded = s.Gain
	}
	if got := sidesOf(t, q, false); strings.Contains(got, "parallel") || strings.Contains(got, "unbounded") || !strings.Contains(got, "all stages at once would gain 2.16 s (-v ") {
		t.Errorf("in series:\n%s", got)
	}
	for k := range a.Stages {
		if a.Stages[k].Stage == "queue" {
			a.Stages[k].GainBounded.Value = 372e6
		}
	}
	for _, verbose := range []bool{false, true} {
		got := sidesOf(t, q, verbose)
		var row []string
		for _, line := range strings.Split(got, "\n") {
			if fields := strings.Fields(line); len(fields) > 0 && fields[0] == "queue" {
				row = fields
			}
		}
		want := "372 2187"
		if verbose {
			want += " 2159"
		}
		if text := strings.Join(row, " "); !strings.HasSuffix(text, want) {
			t.Errorf("%q ends in %q", text, want)
		}
		if strings.Contains(got, "split: what all stages at once would gain, without the bound of parallel branches, 2.16 s, divided among them") != verbose ||
			!strings.Contains(got, "no shorter than its parallel branches allow") || !strings.Contains(got, "arithmetic, no forecast") {
			t.Errorf("notes:\n%s", got)
		}
	}
}

// TestSidesSayThatTheCountDiffers: in the queue's document and in the summary.
func TestSidesSayThatTheCountDiffers(t *testing.T) {
	const words = "the count names another stage than the share: gpu exceeds by most in "
	docs := fixed(t)
	for _, name := range []string{"queue", "summary"} {
		d := docs[name]
		s := d.Summary
		if s == nil {
			s = &d.Queue.Summary
		}
		a := s.Duration.Attribution
		if strings.Contains(render(t, d, Options{}), words) {
			t.Errorf("%s: the count agrees", name)
		}
		for k := range a.Stages {
			a.Stages[k].Largest = map[string]int64{"gpu": a.TailN - 2, "queue": 2}[a.Stages[k].Stage]
		}
		if got := render(t, d, Options{}); !strings.Contains(got, words) {
			t.Errorf("%s does not say it:\n%s", name, got)
		}
	}
}

// TestAShareIsWrittenOnce: the headline, the table of the queue's share and the other sides
// have one figure for one share, though it lies between two tenths.
func TestAShareIsWrittenOnce(t *testing.T) {
	q := fixed(t)["queue"].Queue
	rapid.Check(t, func(t *rapid.T) {
		s := &q.Summary
		tail, a := &s.Duration.Tail, s.Duration.Attribution
		rest := 1.0
		for k := range tail.Stages {
			share := rapid.Float64Range(0, rest).Draw(t, "share")
			if k == len(tail.Stages)-1 {
				share = rest
			}
			rest -= share
			tail.Stages[k].Share, a.Stages[k].Share.Value = &share, share
			if tail.Stages[k].Stage == "queue" {
				s.Verdict.QueueShare = &share
			}
		}
		p := newBuilder(Options{})
		p.queueShares(q)
		p.sides(q)
		want := tail.ExcessPercent("queue")
		for _, head := range []string{"excess", "queue"} {
			found := false
			for _, line := range strings.Split(textOf(p), "\n") {
				if fields := strings.Fields(line); len(fields) > 1 && fields[0] == head && fields[1] != "at" {
					found = found || fields[1] == want
				}
			}
			if !found {
				t.Fatalf("the row of %s has no %s:\n%s", head, want, textOf(p))
			}
		}
	})
}

// TestRefusedSharesOfPlaces: a dash in every row, and the reason once.
func TestRefusedSharesOfPlaces(t *testing.T) {
	q := fixed(t)["queue_routed"].Queue
	for i := range q.Where {
		w := &q.Where[i]
		w.NoShares, w.NoneShare = "nothing to divide", nil
		for k := range w.Places {
			w.Places[k].Share, w.Places[k].P95NS = nil, nil
		}
		if w.Others != nil {
			w.Others.Share = nil
		}
	}
	p := newBuilder(Options{})
	p.where(q.Where)
	tables := 0
	for _, w := range q.Where {
		if w.Kind != "single" && w.Kind != "few" {
			tables++
		}
	}
	got := textOf(p)
	if n := strings.Count(got, "no shares of the excess: nothing to divide"); tables == 0 || n != tables {
		t.Errorf("the reason is told %d times, of %d tables:\n%s", n, tables, got)
	}
	if strings.Count(got, "too few requests for a percentile of the queue: p95 needs 59") != tables || strings.Contains(got, " 0.0  ") {
		t.Errorf("dashes:\n%s", got)
	}
}
