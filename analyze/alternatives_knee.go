package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/stat"
)

// meansOfWindows is why a knee has no interval.
const meansOfWindows = "its points are means of windows, which no rule bounds"

// knees takes the knees of every curve of the system by a rule.
func (a *alternates) knees(d Definition, refused string) (out []Alternative) {
	if refused != "" {
		return []Alternative{{Undefined: refused}}
	}
	for i := range a.capacity.System.Curves {
		c := &a.capacity.System.Curves[i]
		why := c.Reason
		for _, w := range c.Knee.Warnings {
			if w.ID == MixedEngines {
				why = w.Text
			}
		}
		if why != "" {
			out = append(out, Alternative{Of: c.Of, Undefined: why})
			continue
		}
		out = append(out, kneeBy(d.ID, curve.Of(c.fitted()), c.Of)...)
	}
	if out == nil {
		out = []Alternative{{Undefined: "there are no curves"}}
	}
	return out
}

// Knees takes the knees of a curve by the rules with some ids, and by the own one: of is what
// throughput counts. It is what a capacity does with the curves of a set, for points that come
// from elsewhere, such as a sweep of a load generator.
func Knees(points []curve.Point, of string, ids []string) (out []Alternative) {
	c := curve.Of(points)
	for _, d := range wantedOf(ids) {
		if d.Metric != ofKnee {
			continue
		}
		for _, x := range kneeBy(d.ID, c, of) {
			x.Definition = d
			out = append(out, x)
		}
	}
	return out
}

// Unsaturated is the id of the warning that a rule gives a knee of a curve that has none by the
// gate of the own one.
const Unsaturated = "unsaturated"

// kneeBy returns what a rule says of a curve: where its knee is, and the throughput there.
func kneeBy(id string, c curve.Curve, of string) []Alternative {
	var k curve.Knee
	words := ""
	switch id {
	case defStick:
		k = c.Stick.Knee
		if c.Stick.Reached {
			words = fmt.Sprintf("for each more in flight %.4g/s before it and %.4g/s beyond", c.Stick.Slope, c.Stick.Beyond)
		}
	case defPower:
		k = c.Power
	case defKneedle:
		k = c.Kneedle
	case defPlateau:
		k = c.Plateau
	case defUSL:
		k = c.USL.Knee
		if c.USL.Fitted {
			words = fmt.Sprintf("lambda %.4g/s, sigma %.4g, kappa %.4g; the law is off by %.4g/s (root mean square)", c.USL.Lambda, c.USL.Sigma, c.USL.Kappa, c.USL.RMS)
		}
	}
	x := Alternative{
		Of: of, Figure: figureInFlight, Unit: unitRequests, Counts: countsPoints, Unbounded: meansOfWindows, Words: words,
		Estimate: stat.Estimate{Value: k.InFlight, N: int64(k.Points), Method: k.Method, Warnings: slices.Clone(k.Warnings)},
	}
	if !k.Reached {
		x.Undefined = notReachedBy(k, c)
		x.Value, x.Unbounded = 0, ""
		return []Alternative{x}
	}
	if (id == defKneedle || id == defPlateau) && !c.Stick.Reached {
		x.Warnings = append(x.Warnings, stat.Warning{ID: Unsaturated, Text: "throughput was never seen to stop growing, and the rule gives a knee all the same"})
	}
	rate := x
	rate.Figure, rate.Unit, rate.Value, rate.Words, rate.Warnings = figureThroughput, of+"/s", k.Throughput, "", nil
	return []Alternative{x, rate}
}

// notReachedBy says that a rule gives no knee.
func notReachedBy(k curve.Knee, c curve.Curve) string {
	text := "not reached"
	if c.MaxInFlight > 0 {
		text += fmt.Sprintf(": most in flight seen %.4g", c.MaxInFlight)
	}
	var why []string
	for _, w := range k.Warnings {
		if w.ID != curve.LeftOut {
			why = append(why, strings.TrimPrefix(w.Text, "not reached: "))
		}
	}
	if why != nil {
		text += "; " + strings.Join(why, "; ")
	}
	return text
}
