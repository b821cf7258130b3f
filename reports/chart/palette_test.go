package chart_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports/chart"
)

// rgb is a colour in linear light.
type rgb [3]float64

// linear undoes the transfer curve of sRGB, as IEC 61966-2-1 gives it.
func linear(t *testing.T, hex string) rgb {
	t.Helper()
	var part [3]int
	if n, err := fmt.Sscanf(hex, "#%02x%02x%02x", &part[0], &part[1], &part[2]); err != nil || n != 3 || len(hex) != 7 {
		t.Fatalf("%q is not #rrggbb: %v", hex, err)
	}
	var c rgb
	for i, v := range part {
		s := float64(v) / 255
		if s <= 0.04045 {
			c[i] = s / 12.92
		} else {
			c[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return c
}

// contrast is the contrast ratio of WCAG 2.2, 1 to 21.
func contrast(a, b rgb) float64 {
	luminance := func(c rgb) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// oklab is a colour in the space of Björn Ottosson (2020), in which equal distances look alike.
func oklab(c rgb) [3]float64 {
	l := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	m := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	s := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// visions are the matrices at severity 1 of Machado, Oliveira and Fernandes, "A physiologically
// based model for simulation of color vision deficiency" (IEEE TVCG 15(6), 2009), which work on
// linear light.
var visions = []struct {
	name string
	m    [9]float64
}{
	{"full", [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}},
	{"protan", [9]float64{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998}},
	{"deutan", [9]float64{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881}},
	{"tritan", [9]float64{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}},
}

// seen is a colour as one of the visions has it.
func seen(c rgb, m [9]float64) rgb {
	var out rgb
	for i := range out {
		out[i] = min(1, max(0, m[3*i]*c[0]+m[3*i+1]*c[1]+m[3*i+2]*c[2]))
	}
	return out
}

const (
	leastContrast = 3    // WCAG 2.2, 1.4.11 of graphical objects
	leastDistance = 0.12 // Okabe and Ito's six hues have 0.076 at their closest
)

func TestPaletteStandsOutFromBothGrounds(t *testing.T) {
	for _, ground := range []string{chart.GroundLight, chart.GroundDark} {
		for _, s := range chart.Palette() {
			if got := contrast(linear(t, s.Colour), linear(t, ground)); got < leastContrast {
				t.Errorf("%s %s has a contrast of %.2f with %s, less than %d", s.Stage, s.Colour, got, ground, leastContrast)
			}
		}
	}
}

func TestPaletteIsToldApartByAllVisions(t *testing.T) {
	all := chart.Palette()
	for _, v := range visions {
		for i, a := range all {
			for _, b := range all[:i] {
				got := distance(oklab(seen(linear(t, a.Colour), v.m)), oklab(seen(linear(t, b.Colour), v.m)))
				if got < leastDistance {
					t.Errorf("%s vision: %s and %s are %.4f apart, less than %.2f", v.name, a.Stage, b.Stage, got, leastDistance)
				}
			}
		}
	}
}

// The measures themselves are checked with published figures, so that a mistake in them does
// not let a bad palette pass.
func TestColourMeasures(t *testing.T) {
	if got := contrast(linear(t, "#ffffff"), linear(t, "#000000")); math.Abs(got-21) > 1e-9 {
		t.Errorf("black on white has a contrast of %v, not 21", got)
	}
	if got := contrast(linear(t, "#777777"), linear(t, "#ffffff")); math.Abs(got-4.48) > 0.005 {
		t.Errorf("#777777 on white has a contrast of %v, not 4.48", got)
	}
	red := oklab(linear(t, "#ff0000"))
	for i, want := range []float64{0.628, 0.2249, 0.1258} {
		if math.Abs(red[i]-want) > 0.0005 {
			t.Errorf("part %d of red in OKLab is %v, not %v", i, red[i], want)
		}
	}
	// Greys look the same to everybody.
	for _, v := range visions {
		grey := linear(t, "#808080")
		if got := distance(oklab(grey), oklab(seen(grey, v.m))); got > 0.001 {
			t.Errorf("%s vision moves grey by %v", v.name, got)
		}
	}
	// Reddish purple and grey of Okabe and Ito are the known pair that deutan vision confuses.
	a, b := oklab(seen(linear(t, "#cc79a7"), visions[2].m)), oklab(seen(linear(t, "#999999"), visions[2].m))
	if got := distance(a, b); got > 0.05 {
		t.Errorf("reddish purple and grey are %.3f apart for deutan vision", got)
	}
}

func TestPaletteHasEachStageButTheUnattributed(t *testing.T) {
	var names []string
	for _, s := range chart.Palette() {
		names = append(names, s.Stage)
	}
	if want := table.StageNames[:table.StageCount-1]; !slices.Equal(names, want) {
		t.Errorf("the palette has %q, not %q", names, want)
	}
}
