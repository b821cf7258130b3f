package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func labelsOf(ticks []tick) string {
	var out []string
	for _, k := range ticks {
		label := k.label
		if k.under != "" {
			label += "/" + k.under
		}
		out = append(out, label)
	}
	return strings.Join(out, ", ")
}

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		u      Unit
		want   string
	}{
		{0, 6.4 * s, 5, Nanos, "0, 2 s, 4 s, 6 s, 8 s"},
		{0, 1.3 * s, 4, Nanos, "0, 0.5 s, 1.0 s, 1.5 s"},
		{0, 90 * ms, 5, Nanos, "0, 20 ms, 40 ms, 60 ms, 80 ms, 100 ms"},
		{0, 25 * 60 * s, 5, Nanos, "0, 5 min, 10 min, 15 min, 20 min, 25 min"},
		{0, 90 * 60 * s, 4, Nanos, "0, 30 min, 60 min, 90 min"},
		{0, 30 * 3600 * s, 5, Nanos, "0, 6 h, 12 h, 18 h, 24 h, 30 h"},
		{0, 1, 5, Share, "0, 20 %, 40 %, 60 %, 80 %, 100 %"},
		{-0.2, 0.5, 4, Share, "-20 %, 0, 20 %, 40 %, 60 %"},
		{0, 33, 4, PerS, "0, 10 /s, 20 /s, 30 /s, 40 /s"},
		{0, 0.3, 4, PerS, "0.0 /s, 0.1 /s, 0.2 /s, 0.3 /s"},
		{0, 20000, 4, Plain, "0, 5,000, 10,000, 15,000, 20,000"},
		{0, 4e6, 4, Plain, "0, 1 M, 2 M, 3 M, 4 M"},
		{0, 1e18, 2, Plain, "0, 5e17, 1e18"},
		{0, 0, 4, Plain, "0.0, 0.5, 1.0"},
		{7, 7, 4, Plain, "0, 2, 4, 6, 8"},
	} {
		_, _, ticks := linearTicks(c.lo, c.hi, c.n, c.u)
		want := strings.NewReplacer("0.0 /s", "0", "0.0,", "0,").Replace(c.want)
		if got := labelsOf(ticks); got != want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, got, want)
		}
	}
}

func TestLogarithmicTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		u      Unit
		want   string
	}{
		{90 * ms, 9 * s, 8, Nanos, "100 ms, 200 ms, 500 ms, 1 s, 2 s, 5 s"},
		{90 * ms, 9 * s, 4, Nanos, "100 ms, 500 ms, 1 s, 5 s"},
		{90 * ms, 9 * s, 3, Nanos, "100 ms, 1 s"},
		{1e3, 9 * s, 4, Nanos, "1 µs, 100 µs, 10 ms, 1 s"},
		{20 * s, 3 * 3600 * s, 12, Nanos, "20 s, 50 s, 1 min, 2 min, 5 min, 10 min, 20 min, 30 min, 1 h, 2 h"},
		{0.0005, 1, 5, Share, "0.1 %, 1 %, 10 %, 100 %"},
		{1.1 * s, 1.3 * s, 4, Nanos, "1.10 s, 1.15 s, 1.20 s, 1.25 s, 1.30 s"},
		{3, 40000, 6, Plain, "10, 100, 1,000, 10,000"},
	} {
		if got := labelsOf(logTicks(c.lo, c.hi, c.n, c.u)); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

func TestInstantsAreRoundInUTC(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{monday + 13*hour, monday + 15*hour, 4, "13:00/Mon 16 Nov 2026 UTC, 13:30, 14:00, 14:30, 15:00"},
		{monday + 20*hour, monday + 30*hour, 4, "21:00/Mon 16 Nov 2026 UTC, 00:00/Tue 17 Nov, 03:00, 06:00"},
		{monday, monday + 7*24*hour, 7, "Mon 16 Nov/2026 UTC, Tue 17 Nov, Wed 18 Nov, Thu 19 Nov, Fri 20 Nov, Sat 21 Nov, Sun 22 Nov, Mon 23 Nov"},
		{monday + 24*hour, monday + 60*24*hour, 5, "Mon 23 Nov/2026 UTC, Mon 7 Dec, Mon 21 Dec, Mon 4 Jan/2027"},
		{monday, monday + 30e9, 3, "00:00:00/Mon 16 Nov 2026 UTC, 00:00:10, 00:00:20, 00:00:30"},
		{monday, monday + 3e9/4, 3, "00:00:00.000/Mon 16 Nov 2026 UTC, 00:00:00.500"},
	} {
		if got := labelsOf(timeTicks(c.lo, c.hi, c.n)); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// TestTicksAreInOrderAndTellApart holds for any axis.
func TestTicksAreInOrderAndTellApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e12, 1e12).Draw(t, "lo")
		if rapid.Bool().Draw(t, "zero") {
			lo = 0
		}
		span := math.Pow(10, rapid.Float64Range(-6, 14).Draw(t, "span"))
		if span < math.Abs(lo)*1e-6 {
			span = math.Abs(lo) * 1e-6 // closer numbers are told apart by their titles
		}
		n, u := rapid.IntRange(1, 12).Draw(t, "n"), Unit(rapid.IntRange(0, 3).Draw(t, "unit"))
		check := func(ticks []tick, most int) {
			if len(ticks) > most {
				t.Errorf("%d ticks, at most %d are wanted", len(ticks), most)
			}
			for i, k := range ticks[:max(0, len(ticks)-1)] {
				if next := ticks[i+1]; next.at <= k.at || next.label == k.label {
					t.Errorf("%v %q is followed by %v %q", k.at, k.label, next.at, next.label)
				}
			}
		}
		from, to, ticks := linearTicks(lo, lo+span, n, u)
		check(ticks, n+2)
		if slack := span*1e-6 + 2*least; from > lo+slack || to < lo+span-slack {
			t.Errorf("from %v to %v does not hold %v to %v", from, to, lo, lo+span)
		}
		low := math.Abs(lo) + 1e-3
		check(logTicks(low, low+span, n, u), n+3)
	})
}

func TestNumbersAreWrittenWithThreeDigits(t *testing.T) {
	for _, c := range []struct {
		v    float64
		u    Unit
		want string
	}{
		{6.412 * s, Nanos, "6.41 s"}, {0, Nanos, "0 s"}, {999.6 * ms, Nanos, "1.00 s"}, {1e9, Nanos, "1 s"}, {12.34 * ms, Nanos, "12.3 ms"},
		{999 * s, Nanos, "16.6 min"}, {90 * s, Nanos, "90 s"}, {-45 * ms, Nanos, "-45 ms"}, {3, Nanos, "3 ns"}, {100 * 3600 * s, Nanos, "100 h"},
		{0.764, Share, "76.4 %"}, {1, Share, "100 %"}, {0.0004, Share, "0.0400 %"}, {12, PerS, "12 /s"}, {1234567, Plain, "1,234,567"}, {-1234.5, Plain, "-1,234"},
		{9.999, Plain, "10.0"}, {99.96, Plain, "100"}, {1e18, Plain, "1e18"}, {1.234e-7, Plain, "1.23e-7"}, {math.NaN(), Share, "no number"}, {math.Inf(-1), Nanos, "no number"},
		{monday, UnixTime, "2026-11-16 00:00 UTC"}, {monday + 1.25*s, UnixTime, "2026-11-16 00:00:01.250 UTC"}, {1e30, UnixTime, "1e30"},
	} {
		if got := value(c.v, c.u); got != c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
	}
}

func TestCutTextsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, room := hostile(t), rapid.Float64Range(0, 300).Draw(t, "room")
		got := fit(text, room, fontSize)
		if w := textWidth(got, fontSize); w > room+1e-6 {
			t.Errorf("%q is %v wide in %v", got, w, room)
		}
		if whole := clean(text); got != whole && got != "" && !strings.HasPrefix(whole, strings.TrimSuffix(got, "…")) {
			t.Errorf("%q is no beginning of %q", got, whole)
		}
		for _, line := range wrap(text, room, fontSize) {
			if w := textWidth(line, fontSize); w > room+1e-6 {
				t.Errorf("the line %q is %v wide in %v", line, w, room)
			}
		}
	})
}

func TestLabelsAreMovedApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		labels := make([]label, n)
		for i := range labels {
			labels[i] = label{at: rapid.Float64Range(50, 650).Draw(t, "at"), text: hostile(t)}
		}
		rows, left := arrange(labels, "small", 40, 660)
		ends := make([]float64, rows)
		for _, l := range labels {
			if l.row < 0 {
				left--
				continue
			}
			half := widthOf("small", l.text) / 2
			if l.x-half < 40-1e-6 || l.x+half > 660+1e-6 || l.x-half < ends[l.row]-1e-6 {
				t.Errorf("the label at %v lies over another or outside", l.x)
			}
			ends[l.row] = l.x + half
		}
		if left != 0 {
			t.Errorf("%d labels are not accounted for", left)
		}
	})
}

func TestLabelsStayWhereTheyHaveRoom(t *testing.T) {
	got, ok := spread([]float64{10, 100, 104}, []float64{20, 20, 20}, 0, 200, 4)
	if !ok || got[0] != 10 || got[1] != 100 || got[2] != 124 {
		t.Errorf("%v %v", got, ok)
	}
	if _, ok := spread([]float64{10, 10, 10}, []float64{20, 20, 20}, 0, 60, 4); ok {
		t.Error("three labels of 20 have no room in 60 with gaps")
	}
}

// lightness is how light a colour looks: the relative luminance of WCAG 2.
func lightness(t *testing.T, hex string) float64 {
	t.Helper()
	var sum float64
	for i, weight := range [...]float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func against(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := lightness(t, a), lightness(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestColoursOfDrawingsCanBeRead(t *testing.T) {
	for _, c := range [][2]string{{worseLight, GroundLight}, {betterLight, GroundLight}, {worseDark, GroundDark}, {betterDark, GroundDark}} {
		if got := against(t, c[0], c[1]); got < 4.5 {
			t.Errorf("%s on %s has a contrast of %.2f, text needs 4.5", c[0], c[1], got)
		}
	}
	for _, c := range []struct {
		ground string
		ramp   [heatSteps]string
	}{{GroundLight, heatLight}, {GroundDark, heatDark}} {
		last := 1.0
		for _, colour := range c.ramp {
			got := against(t, colour, c.ground)
			if got < last*1.15 {
				t.Errorf("%s differs from the ground by %.2f after %.2f: no step", colour, got, last)
			}
			last = got
		}
	}
}

// Texts are in ink, or in a colour that is told from the ground as well, and what they lie on is
// cut out around them: tools cannot tell the contrast of a text over a drawing.
func TestTextsAreInkOnGround(t *testing.T) {
	readable := []string{"small", "bold", "soft", "worse", "better", "warn"}
	for name, d := range examples() {
		texts := 0
		for _, e := range elements(t, d.SVG("fig", "a title")) {
			if e.name != "text" {
				continue
			}
			texts++
			for class := range strings.FieldsSeq(e.class) {
				if !slices.Contains(readable, class) {
					t.Errorf("%s: a text has the class %s", name, class)
				}
			}
		}
		if texts == 0 {
			t.Errorf("%s has no text", name)
		}
	}
	if rule := "fill:var(--ink);paint-order:stroke;stroke:var(--ground);stroke-width:3px"; !strings.Contains(CSS(), rule) {
		t.Error("texts are not cut out of what they lie on")
	}
}

// The name of a panel stands clear of the labels of the axis below it and of the one above.
func TestNamesOfPanelsAreClearOfLabels(t *testing.T) {
	const line = 14.0
	names := 0
	for name, d := range examples() {
		if name != "panels" && name != "tail" && name != "knee" && name != "tokens" {
			continue
		}
		all := elements(t, d.SVG("fig", "a title"))
		for _, e := range all {
			if e.name != "text" || !e.is("bold") || !e.is("small") || e.number(t, "x") != 0 {
				continue
			}
			names++
			for _, label := range all {
				if label.name == "text" && label.attributes["text-anchor"] == atEnd && math.Abs(label.number(t, "y")-e.number(t, "y")) < line {
					t.Errorf("%s: the name at y = %s touches the label at y = %s", name, e.attributes["y"], label.attributes["y"])
				}
			}
		}
	}
	if names < 6 {
		t.Errorf("only %d names were found", names)
	}
}

func TestStyleSheetNamesOnlyTokensThatThereAre(t *testing.T) {
	css := CSS()
	known := map[string]bool{"ink": true, "ink-soft": true, "ground": true, "rule": true, "accent": true, "warn": true, "worse": true, "better": true, "stage-unattributed": true}
	for _, s := range Palette() {
		known["stage-"+s.Stage] = true
	}
	for i := range heatSteps {
		known[heatToken(i)] = true
	}
	for part := range strings.SplitSeq(css, "var(--") {
		if name, _, ok := strings.Cut(part, ")"); ok && part != css[:min(len(part), len(css))] {
			name, _, _ = strings.Cut(name, ",")
			if !known[name] {
				t.Errorf("--%s is declared by nobody", name)
			}
		}
	}
	if strings.Count(css, "{") != strings.Count(css, "}") {
		t.Error("a rule does not end")
	}
}
