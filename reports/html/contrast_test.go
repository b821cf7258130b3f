package html

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports/chart"
)

// luminance is the relative luminance of WCAG 2.2 of a colour #rrggbb.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var part [3]int
	if n, err := fmt.Sscanf(hex, "#%02x%02x%02x", &part[0], &part[1], &part[2]); err != nil || n != 3 || len(hex) != 7 {
		t.Fatalf("%q is not #rrggbb: %v", hex, err)
	}
	sum := 0.0
	for i, weight := range [3]float64{0.2126, 0.7152, 0.0722} {
		c := float64(part[i]) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// contrast is the contrast ratio of WCAG 2.2, 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// theme returns the tokens of a theme by name.
func theme(t *testing.T, dark bool) map[string]string {
	t.Helper()
	values := map[string]string{}
	for _, declaration := range strings.Split(strings.TrimSuffix(declarations(dark), ";"), ";") {
		name, value, found := strings.Cut(declaration, ":")
		if !found {
			t.Fatal("no declaration: ", declaration)
		}
		values[strings.TrimPrefix(name, "--")] = value
	}
	for _, s := range chart.Palette() {
		values["stage-"+s.Stage] = s.Colour
	}
	return values
}

func TestContrastInBothThemes(t *testing.T) {
	const text, mark = 4.5, 3
	for name, dark := range map[string]bool{"light": false, "dark": true} {
		values := theme(t, dark)
		least := func(front, ground string, want float64) {
			t.Helper()
			if got := contrast(t, values[front], values[ground]); got < want {
				t.Errorf("%s theme: %s on %s has a contrast of %.2f, less than %.1f", name, front, ground, got, want)
			}
		}
		for _, ground := range []string{"ground", "panel"} {
			for _, front := range []string{"ink", "ink-soft", "accent", "warn"} {
				least(front, ground, text)
			}
			least("edge", ground, mark)
		}
		for token := range values {
			if strings.HasPrefix(token, "stage-") {
				least(token, "ground", mark)
			}
		}
		// Lines that guide the eye say nothing, but they are there to be seen.
		least("rule", "ground", 1.2)
	}
}

func TestEveryTokenOfTheStyleIsDeclared(t *testing.T) {
	declared := map[string]bool{}
	style := stylesheet()
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+):`).FindAllStringSubmatch(style, -1) {
		declared[m[1]] = true
	}
	used := regexp.MustCompile(`var\(--([a-z0-9-]+)`).FindAllStringSubmatch(style, -1)
	if len(used) < 20 {
		t.Fatalf("only %d tokens are used", len(used))
	}
	for _, m := range used {
		if !declared[m[1]] {
			t.Errorf("--%s is used and not declared", m[1])
		}
	}
}

func TestStyleNamesNoColourOfItsOwn(t *testing.T) {
	if colour := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|rgb\(|hsl\(`).FindString(pageCSS); colour != "" {
		t.Errorf("page.css has %s, which has no other for the other theme: use a token", colour)
	}
}

func TestPaperIsLight(t *testing.T) {
	rules := themes()
	i := strings.LastIndex(rules, "@media print{")
	if i < 0 || !strings.Contains(rules[i:], declarations(false)) || strings.Contains(rules[i:], declarations(true)) {
		t.Error("print does not end with the light theme")
	}
	// Each way in which a theme comes to be dark is outdone by a selector as specific, later on.
	for _, selector := range []string{":root:not([data-theme=light])", ":root[data-theme=dark]"} {
		if strings.Count(rules, selector) < 2 || !strings.Contains(rules[i:], selector) {
			t.Errorf("print does not outdo %s", selector)
		}
	}
}
