package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// kneeFigure draws throughput and latency against what is in flight, on a page that has the table.
func (b *builder) kneeFigure(c reports.Capacity) { b.silently(kneeOf(&c)) }

// loadFigure shows what the system carried against how much was in it.
func loadFigure(d reports.Document) chartOf { return kneeOf(d.Capacity) }

// kneeOf draws the curve of requests, or the first that there is.
func kneeOf(c *reports.Capacity) chartOf {
	const none = "no chart of throughput against what is in flight: "
	if c == nil {
		return chartOf{missing: none + "the report holds no capacity"}
	}
	if c.System.Refused != "" {
		return chartOf{missing: none + c.System.Refused}
	}
	var curve *reports.Curve
	why := "no requests with times are recorded"
	for i := range c.System.Curves {
		x := &c.System.Curves[i]
		switch {
		case len(x.Points) > 0 && (curve == nil || x.Of == "requests" && curve.Of != "requests"):
			curve = x
		case x.Reason != "" && x.Of == "requests":
			why = x.Reason
		}
	}
	if curve == nil {
		return chartOf{missing: none + why}
	}
	if len(curve.Points) == 1 {
		p := curve.Points[0]
		return chartOf{missing: none + fmt.Sprintf("only one load was seen, %s in flight on average: %s %s/s (n = %s)", reports.Number(p.InFlight), reports.Number(p.Throughput), curve.Of, reports.Integer(p.N))}
	}
	knee, table := chart.Knee{XLabel: "requests in flight"}, kneeTable(curve)
	throughput := chart.Dots{Label: curve.Of + "/s"}
	latency := []chart.Dots{{Label: "mean"}, {Label: "p50"}, {Label: "p99"}}
	for _, p := range curve.Points {
		throughput.Dots = append(throughput.Dots, chart.Dot{X: p.InFlight, Y: p.Throughput, Low: math.NaN(), High: math.NaN(), N: p.N})
		for i, v := range []*int64{p.MeanNS, p.P50NS, p.P99NS} {
			if v != nil {
				latency[i].Dots = append(latency[i].Dots, chart.Dot{X: p.InFlight, Y: float64(*v), Low: math.NaN(), High: math.NaN(), N: p.N})
			}
		}
	}
	knee.Panels = []chart.Against{{Label: curve.Of + "/s", Unit: chart.PerS, Of: []chart.Dots{throughput}}}
	var known []chart.Dots
	for _, x := range latency {
		if len(x.Dots) > 0 {
			known = append(known, x)
		}
	}
	if known != nil {
		knee.Panels = append(knee.Panels, chart.Against{Label: "duration", Unit: chart.Nanos, Log: true, Of: known})
	}
	answer := kneeAnswer(curve)
	if k := curve.Knee; k.Reached && k.InFlight != nil {
		knee.At = []chart.Mark{{Label: "knee", Value: *k.InFlight, Low: math.NaN(), High: math.NaN()}}
	} else {
		knee.Note = "knee not reached"
	}
	out := chartOf{figure: Figure{ID: "figure-knee", Answer: answer, Drawing: knee}, tables: []Table{table}}
	if curve.Reason != "" {
		out.remarks = append(out.remarks, "a knee cannot be told: "+curve.Reason)
	}
	for _, w := range curve.Knee.Warnings {
		w.Text = strings.TrimPrefix(w.Text, notReached) // the answer says so
		out.remarks = append(out.remarks, withID(w))
	}
	return out
}

// kneeAnswer says up to where throughput grows.
func kneeAnswer(c *reports.Curve) string {
	k := c.Knee
	if k.Reached && k.InFlight != nil && k.Throughput != nil {
		text := fmt.Sprintf("throughput grows up to %s in flight, %s %s/s", reports.Number(*k.InFlight), reports.Number(*k.Throughput), c.Of)
		if k.Slope != nil && k.Beyond != nil {
			text += fmt.Sprintf(": for each more in flight %s/s before it and %s/s beyond", reports.Number(*k.Slope), reports.Number(*k.Beyond))
		}
		return text + fmt.Sprintf(" (%s, n = %s)", k.Name(), plural(k.Points, "point"))
	}
	most := c.Points[len(c.Points)-1]
	return fmt.Sprintf("no knee was reached: with the most that was in flight, %s on average, it did %s %s/s (n = %s)",
		reports.Number(most.InFlight), reports.Number(most.Throughput), c.Of, reports.Integer(most.N))
}

// kneeTable writes the points of a curve.
func kneeTable(c *reports.Curve) Table {
	var values []int64
	for _, p := range c.Points {
		for _, v := range []*int64{p.MeanNS, p.P50NS, p.P99NS} {
			if v != nil {
				values = append(values, *v)
			}
		}
	}
	u := reports.CommonUnit(values...)
	t := Table{ID: "throughput-by-in-flight", Caption: "throughput and duration by how many requests are in flight", Columns: []Column{
		{Head: "in flight"}, {Head: "windows"}, {Head: c.Of + "/s"}, {Head: "n"}, {Head: "mean " + u.Name}, {Head: "p50 " + u.Name}, {Head: "p99 " + u.Name},
	}}
	for _, p := range c.Points {
		t.Rows = append(t.Rows, []string{
			reports.Number(p.InFlight), reports.Integer(p.Windows), reports.Number(p.Throughput), reports.Integer(p.N),
			formatted(u, p.MeanNS), formatted(u, p.P50NS), formatted(u, p.P99NS),
		})
	}
	return t
}
