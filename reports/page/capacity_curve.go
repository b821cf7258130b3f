package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// curve writes throughput and latency against what is in flight, and where it stops growing.
func (b *builder) curve(c *reports.Curve) {
	b.section("throughput-"+slug(c.Of), "throughput by requests in flight: "+c.Of)
	if c.Reason != "" {
		b.hanging(Plain, "  ", "cannot be told: "+c.Reason)
	}
	from, to := c.PointsShown(b.most(rowsOf))
	if from < to {
		b.points(c, from, to)
	}
	if c.Reason != "" {
		return
	}
	b.labelled("knee", kneeWords(c.Knee, c.Of))
	b.labelled("power point", kneeWords(c.Power, c.Of))
	if c.AtLeast {
		b.hanging(Dim, "  ", fmt.Sprintf("every throughput is a lower bound: %s of %s have a number of what came", reports.Integer(c.Told), plural(c.Answered, "request")))
	}
	if list := reasonWords(c.LeftOut); list != "" {
		b.hanging(Dim, "  ", "windows left out: "+list)
	}
	if c.Unsteady+c.Overloaded > 0 {
		b.hanging(Dim, "  ", fmt.Sprintf("of the windows in the points arrivals and completions differ by more than a tenth in %s, and more came than was worked off in %s",
			reports.Integer(c.Unsteady), reports.Integer(c.Overloaded)))
	}
}

// points writes some points of a curve.
func (b *builder) points(c *reports.Curve, from, to int) {
	var values []int64
	need := int64(0)
	for _, x := range c.Points[from:to] {
		for _, v := range []*int64{x.MeanNS, x.P99NS} {
			if v != nil {
				values = append(values, *v)
			}
		}
		if x.P99NS == nil {
			need = max(need, x.P99Need)
		}
	}
	u := reports.CommonUnit(values...)
	g := Table{Columns: []Column{{Head: "in flight"}, {Head: "windows"}, {Head: c.Of + "/s"}, {Head: "n"}, {Head: "mean " + u.Name}, {Head: "p99"}}}
	for _, x := range c.Points[from:to] {
		g.Rows = append(g.Rows, []string{
			reports.Number(x.InFlight), reports.Integer(x.Windows), reports.Number(x.Throughput), reports.Integer(x.N), formatted(u, x.MeanNS), formatted(u, x.P99NS),
		})
	}
	b.table(g)
	for _, r := range []struct {
		n    int
		text string
	}{{from, "fewer"}, {len(c.Points) - to, "more"}} {
		if r.n > 0 {
			b.hanging(Dim, "  ", fmt.Sprintf("and %s with %s in flight", plural(int64(r.n), "point"), r.text))
		}
	}
	if need > 0 {
		b.hanging(Dim, "  ", fmt.Sprintf("%s: a p99 needs %s requests", absent, reports.Integer(need)))
	}
}

// mixedEngines is the id of the warning that numbers of other engines make no curve of one.
const mixedEngines = "mixed-engines"

// notReached begins the texts that say why a knee was not reached.
const notReached = "not reached: "

// kneeWords says where a rule has throughput stop growing.
func kneeWords(k reports.Knee, of string) string {
	name := fmt.Sprintf("(%s, n = %s)", k.Name(), plural(k.Points, "point"))
	text := "not reached"
	switch {
	case k.Reached && k.InFlight != nil && k.Throughput != nil:
		text = fmt.Sprintf("%s in flight, %s %s/s", reports.Number(*k.InFlight), reports.Number(*k.Throughput), of)
	case slices.ContainsFunc(k.Warnings, func(w reports.Warning) bool { return w.ID == mixedEngines }):
		text = "none"
	case k.Most != nil:
		text += fmt.Sprintf(": most in flight seen %s", reports.Number(*k.Most))
	}
	text += " " + name
	if k.Reached && k.Slope != nil && k.Beyond != nil {
		text += fmt.Sprintf(": for each more in flight %s/s before it and %s/s beyond", reports.Number(*k.Slope), reports.Number(*k.Beyond))
	}
	for _, w := range k.Warnings {
		text += "; " + strings.TrimPrefix(w.Text, notReached) + " (" + w.ID + ")"
	}
	return text
}
