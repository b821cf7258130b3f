package html

import (
	"strings"

	"github.com/tailpath/tailpath/reports/chart"
)

// colour is a colour of the page, as a custom property with a value for each theme.
type colour struct{ name, light, dark string }

// tokens are the colours that the style and the charts use. Texts are written in ink, ink-soft,
// accent and warn, on ground and panel.
var tokens = []colour{
	{"ground", chart.GroundLight, chart.GroundDark},
	{"panel", "#f4f6f8", "#1d2228"},    // behind what is set apart
	{"ink", "#1c2128", "#e4e8ec"},      // text
	{"ink-soft", "#566069", "#a2acb7"}, // text of second rank
	{"rule", "#dde2e7", "#333a42"},     // lines that only guide the eye
	{"edge", "#7d8791", "#76818c"},     // outlines of controls and fields
	{"accent", "#0b5cad", "#7db8f5"},   // links, focus
	{"warn", "#8f4a00", "#f0ae5c"},     // what to know before reading on
	{"stage-unattributed", "#566069", "#a2acb7"},
}

// declarations writes the tokens of a theme.
func declarations(dark bool) string {
	var b strings.Builder
	for _, t := range tokens {
		value := t.light
		if dark {
			value = t.dark
		}
		b.WriteString("--" + t.name + ":" + value + ";")
	}
	return b.String()
}

// themes writes the rules that declare the tokens: light, dark where the system asks for it or
// the reader chose it, and light on paper whatever was chosen. The stages have one colour each.
func themes() string {
	var stages strings.Builder
	for _, s := range chart.Palette() {
		stages.WriteString("--stage-" + s.Stage + ":" + s.Colour + ";")
	}
	light, dark := "color-scheme:light;"+declarations(false), "color-scheme:dark;"+declarations(true)
	return ":root{" + light + stages.String() + "}\n" +
		"@media (prefers-color-scheme:dark){:root:not([data-theme=light]){" + dark + "}}\n" +
		":root[data-theme=dark]{" + dark + "}\n" +
		"@media print{:root,:root:not([data-theme=light]),:root[data-theme=dark]{" + light + "}}\n"
}
