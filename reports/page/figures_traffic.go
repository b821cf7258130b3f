package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// follows is the correlation from which on one rate is said to follow another, and settled how
// many mean durations a stretch must be long for that: tokens count when their request ends.
const (
	follows = 0.8
	settled = 10
)

// trafficFigure sets what came against how much work it was: whether tokens follow requests, or
// requests became longer or shorter.
func trafficFigure(d reports.Document) chartOf {
	o := stretchesOf(d)
	if o.n == 0 {
		return chartOf{missing: "no chart of the load over time: " + o.missing}
	}
	_, most, known := extremes(o, o.Rate)
	if !known || *o.Rate[most] == 0 { // all came in stretches that are cut off
		return chartOf{missing: "no chart of the load over time: no rate of arrivals is known"}
	}
	panels := chart.Panels{Brackets: o.bracketsOf(d), Panels: []chart.Panel{{Label: "requests/s", Unit: chart.PerS, Lines: []chart.Line{line(o, "", o.Rate)}}}}
	panels.XUnit, panels.X = o.axis()
	var remarks []string
	if _, _, told := extremes(o, o.Tokens); told {
		panels.Panels = append(panels.Panels, chart.Panel{Label: "output tokens/s", Unit: chart.PerS, Lines: []chart.Line{line(o, "", o.Tokens)}})
	} else {
		remarks = append(remarks, "no tokens: no request recorded how many it had (gen_ai.usage.output_tokens and the like)")
	}
	for _, x := range []struct {
		label string
		list  []*int64
	}{{"prompt tokens p50", o.Prompt}, {"output tokens p50", o.Output}} {
		if _, _, told := extremes(o, x.list); told {
			panels.Panels = append(panels.Panels, chart.Panel{Label: x.label, Lines: []chart.Line{line(o, "", x.list)}})
		}
	}
	answer := fmt.Sprintf("most requests came in the %s from %s: %s requests/s (n = %s)", o.length(), o.stamp(most), reports.Number(*o.Rate[most]), reports.Integer(o.count(most)))
	for _, text := range []string{o.followWords(d), o.mixWords(d), longerWords(d)} {
		if text != "" {
			answer += "; " + text
		}
	}
	if d.Queue != nil {
		answer += markedWords(panels.Brackets, d.Queue.When)
	}
	shown := mostOf(o, o.Rate, 0)
	table := o.stretchTable(Table{ID: "traffic", Caption: "what came, in stretches of " + o.length()}, shown, o.trafficColumns()...)
	return chartOf{
		figure: Figure{ID: "figure-traffic", Answer: answer, Drawing: panels}, tables: []Table{table}, remarks: append(o.shownWords(shown, "requests/s"), remarks...),
	}
}

// followWords says whether output tokens follow requests over time, by their correlation; empty
// where no tokens are known.
func (o overTime) followWords(d reports.Document) string {
	r, n := correlation(o.n, o.Rate, o.Tokens)
	if n == 0 {
		return ""
	}
	if s := reportSummary(d); s != nil && float64(o.Times[1]-o.Times[0]) < settled*float64(s.Duration.All.MeanNS) {
		return fmt.Sprintf("whether output tokens/s follow requests/s cannot be told of stretches of %s: requests take %s on average, and their tokens count when they end",
			o.length(), reports.Duration(s.Duration.All.MeanNS))
	}
	of := reports.Integer(int64(n)) + " stretches"
	switch {
	case math.IsNaN(r):
		return "whether output tokens/s follow requests/s cannot be told of " + of
	case r >= follows:
		return fmt.Sprintf("output tokens/s follow requests/s (correlation %.2f over %s)", r, of)
	}
	return fmt.Sprintf("output tokens/s do not follow requests/s (correlation %.2f over %s)", r, of)
}

// mixWords says whether requests got longer or shorter: by the tests of busy against quiet times
// where these were made, else in which range the medians of the stretches lie, which chance
// moves as well.
func (o overTime) mixWords(d reports.Document) string {
	var moved, kept []string
	if d.Queue != nil {
		for _, c := range d.Queue.Candidates {
			switch {
			case c.Name != "prompts" && c.Name != "outputs":
			case c.Speaks == "for":
				moved = append(moved, c.Words)
			default:
				kept = append(kept, c.Words)
			}
		}
	}
	switch {
	case moved != nil:
		return "the mix moved: " + strings.Join(moved, "; ")
	case kept != nil:
		return "the mix did not move: " + strings.Join(kept, "; ")
	}
	var parts []string
	for _, x := range []struct {
		label string
		list  []*int64
	}{{"prompt", o.Prompt}, {"output", o.Output}} {
		if least, most, known := extremes(o, x.list); known {
			parts = append(parts, fmt.Sprintf("median %s tokens of %s to %s", x.label, reports.Integer(*x.list[least]), reports.Integer(*x.list[most])))
		}
	}
	return strings.Join(parts, ", ")
}

// longerWords says of which tokens slow requests have more than the rest.
func longerWords(d reports.Document) string {
	if d.Queue == nil {
		return ""
	}
	var parts []string
	for _, x := range d.Queue.Work.Sizes {
		if x.More && x.Slow != nil && x.Rest != nil {
			parts = append(parts, fmt.Sprintf("%s %s against %s", strings.ReplaceAll(x.Name, "_", " "), reports.Integer(*x.Slow), reports.Integer(*x.Rest)))
		}
	}
	if parts == nil {
		return ""
	}
	return "slow requests are longer than the rest: median " + strings.Join(parts, ", ")
}

// correlation is Pearson's over the stretches that have both numbers, NaN for fewer than three
// or where one of them never changes. It returns how many have both.
func correlation(n int, a, b []*float64) (r float64, both int) {
	var x, y []float64
	for i := range n {
		if v, w := stretchOf(a, i), stretchOf(b, i); v != nil && w != nil {
			x, y = append(x, *v), append(y, *w)
		}
	}
	if len(x) < 3 {
		return math.NaN(), len(x)
	}
	mean := func(list []float64) (m float64) {
		for _, v := range list {
			m += v / float64(len(list))
		}
		return m
	}
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy, xx, yy = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy), len(x)
}

// queueingFigure shows whether it is queueing: what came, what waited, and the share of the time
// that was in the queue.
func queueingFigure(d reports.Document) chartOf {
	o := stretchesOf(d)
	if d.Queue == nil {
		return o.queueing(reports.When{})
	}
	return o.queueing(d.Queue.When)
}

// waitingTable writes what came and what waited in some stretches.
func (o overTime) waitingTable(shown []int) Table {
	columns := append([]timeColumn{o.trafficColumns()[0]}, o.waitingColumns()...)
	return o.stretchTable(Table{ID: "waiting", Caption: "what came and what waited, in stretches of " + o.length()}, shown, columns...)
}

// queueing is queueingFigure of the stretches, with the incidents marked in which most was waited.
func (o overTime) queueing(w reports.When) chartOf {
	if o.n == 0 {
		return chartOf{missing: "no chart of the waiting: " + o.missing}
	}
	_, most, waited := extremes(o, o.Depth)
	if !waited {
		return chartOf{missing: "no chart of the waiting: no wait is recorded; a span of the queue, an engine's log or an attribute such as gen_ai.latency.time_in_queue tells it"}
	}
	if *o.Depth[most] < leastDepth {
		return chartOf{missing: fmt.Sprintf("no chart of the waiting: nobody waited, or hardly anybody: in no stretch of %s were there %s on average", o.length(), reports.Number(leastDepth))}
	}
	panels := chart.Panels{Brackets: o.bracketsIn(w), Panels: []chart.Panel{
		{Label: "requests/s", Unit: chart.PerS, Lines: []chart.Line{line(o, "", o.Rate)}},
		{Label: "waiting", Lines: []chart.Line{line(o, "", o.Depth)}},
		{Label: "queue, % of the time", Unit: chart.Share, Lines: []chart.Line{line(o, "", o.Queue)}},
	}}
	panels.Panels[1].Lines[0].Stage, panels.Panels[2].Lines[0].Stage = "queue", "queue"
	panels.XUnit, panels.X = o.axis()
	answer := fmt.Sprintf("most waited in the %s from %s: %s on average", o.length(), o.stamp(most), reports.Number(*o.Depth[most]))
	if v := stretchOf(o.Rate, most); v != nil {
		answer += fmt.Sprintf(", while %s requests/s came", reports.Number(*v))
	}
	if v := stretchOf(o.Queue, most); v != nil {
		answer += fmt.Sprintf("; the queue took %s %% of the time of those that came (n = %s)", reports.Percent(*v), reports.Integer(o.count(most)))
	}
	answer += markedWords(panels.Brackets, w)
	shown := mostOf(o, o.Depth, leastDepth)
	return chartOf{figure: Figure{ID: "figure-queueing", Answer: answer, Drawing: panels}, tables: []Table{o.waitingTable(shown)}, remarks: o.shownWords(shown, "waiting")}
}
