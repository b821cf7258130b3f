package chart

import (
	"math"
	"strings"
	"testing"
)

// TestRankedMakesRoomForLongLabels: a label that is no longer than the room for it is there in
// full, and a longer one is cut while its mark still tells all of it.
func TestRankedMakesRoomForLongLabels(t *testing.T) {
	draw := func(label string) (string, float64) {
		svg := Ranked{Unit: Share, Ranks: []Rank{{Label: label, Value: 0.5, Low: math.NaN(), High: math.NaN()}}}.SVG("a", "title")
		return svg, titled(t, svg, label+": 50 %")[0].number(t, "x")
	}
	_, short := draw("queue")
	svg, long := draw("gen_ai.usage.prompt_tokens >= 807")
	wants(t, svg, "gen_ai.usage.prompt_tokens >= 807")
	if short != rankedLeft || long <= short || long > rankedWide {
		t.Errorf("bars begin at %v and %v", short, long)
	}
	if _, x := draw(strings.Repeat("very ", 40) + "long"); x != rankedWide {
		t.Errorf("bars of a label without end begin at %v", x)
	}
}
