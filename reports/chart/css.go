package chart

import "strings"

// The steps of the heat map's ramp, from the rarest to the most frequent. One hue; the rarest is
// the nearest to the ground of its theme, and each step is further from it than the one before.
var (
	heatLight = [heatSteps]string{"#d3e3f4", "#b4cfea", "#93b9df", "#719fd1", "#5186c0", "#386caa", "#234f8b", "#11346a"}
	heatDark  = [heatSteps]string{"#1e3047", "#223e5e", "#284f78", "#326494", "#447db1", "#6299cb", "#8db9e2", "#c2ddf5"}
)

// heatSteps is how many steps the ramp has.
const heatSteps = 8

// What got worse is amber and what got better is blue, which are told apart whatever colours
// somebody sees; both are dark or light enough for text.
const (
	worseLight, betterLight = "#9a4f00", "#0b62b8"
	worseDark, betterDark   = "#f0a53a", "#6db3f7"
)

// CSS returns the rules of the classes that drawings use, for the style sheet of the page that
// holds them. They stand on custom properties that the page declares: --ink, --ink-soft,
// --ground, --rule, --accent, --warn and a --stage- for each stage. Those that only drawings
// need (--heat-0 to --heat-7, --worse, --better) are declared here: for a light and a dark
// theme, which follow prefers-color-scheme unless the root has a data-theme, and light in print.
func CSS() string {
	var b strings.Builder
	light, dark := ownTokens(heatLight, worseLight, betterLight), ownTokens(heatDark, worseDark, betterDark)
	b.WriteString(":root{" + light + "}\n")
	b.WriteString("@media (prefers-color-scheme:dark){:root:not([data-theme=light]){" + dark + "}}\n")
	b.WriteString(":root[data-theme=dark]{" + dark + "}\n")
	b.WriteString("@media print{:root,:root[data-theme],:root:not([data-theme=light]){" + light + "}}\n")
	b.WriteString("@media (forced-colors:active){:root,:root:not([data-theme=light]),:root[data-theme=dark]{--worse:CanvasText;--better:CanvasText}}\n")
	b.WriteString(`.chart{display:block;max-width:none;background:var(--ground);forced-color-adjust:none}
.chart text{font:13px/1.2 system-ui,-apple-system,"Segoe UI",sans-serif;font-variant-numeric:tabular-nums;fill:var(--ink);paint-order:stroke;stroke:var(--ground);stroke-width:3px;stroke-linejoin:round}
.chart .small{font-size:12px}
.chart .bold{font-weight:600}
.chart line,.chart path{stroke-width:1;fill:none}
.chart .thick{stroke-width:2}
.chart .dash{stroke-dasharray:6 3}
.chart .dots{stroke-dasharray:2 3}
.chart .dashdots{stroke-dasharray:7 3 2 3}
.chart .hit{fill:transparent;stroke:none}
.chart .halo{stroke:var(--ground);stroke-width:4;stroke-linejoin:round}
.chart .band{fill:var(--accent);fill-opacity:.14}
.chart .bars{fill:var(--ink-soft);fill-opacity:.75}
.chart .hatch{stroke:var(--stage-unattributed,var(--ink-soft));stroke-width:1}
.chart .derived{stroke:none}
.chart .outline{fill:var(--ground);stroke:var(--ink-soft);stroke-width:1}
`)
	fill := func(class, token string) { b.WriteString(".chart ." + class + "{fill:var(--" + token + ")}\n") }
	line := func(class, token string) { b.WriteString(".chart .l-" + class + "{stroke:var(--" + token + ")}\n") }
	for _, c := range [...][2]string{{"ink", "ink"}, {"soft", "ink-soft"}, {"ground", "ground"}, {"rule", "rule"}, {"accent", "accent"}, {"warn", "warn"}, {"worse", "worse"}, {"better", "better"}} {
		fill(c[0], c[1])
		line(c[0], c[1])
	}
	for _, s := range stages {
		fill("s-"+s, "stage-"+s)
		line(s, "stage-"+s)
	}
	b.WriteString(".chart .l-unattributed{stroke:var(--stage-unattributed,var(--ink-soft))}\n")
	b.WriteString(".chart .hollow{fill:var(--ground);stroke-width:1.5}\n")
	for i := range heatSteps {
		fill(heatClass(i), heatToken(i))
	}
	b.WriteString("@media print{.chart{max-width:100%;height:auto;print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n")
	return b.String()
}

// ownTokens declares the custom properties of a theme that only drawings need.
func ownTokens(heat [heatSteps]string, worse, better string) string {
	var b strings.Builder
	for i, colour := range heat {
		b.WriteString("--" + heatToken(i) + ":" + colour + ";")
	}
	b.WriteString("--worse:" + worse + ";--better:" + better)
	return b.String()
}
