package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// compared reports whether the document has what changed by stage.
func compared(d reports.Document) bool {
	return d.Report.Moved != nil && len(d.Report.Moved.Stages) > 0
}

// changeFigure shows whether it is queueing, over time. With a baseline the chart of what changed
// by stage takes its place, above the table of the contributions.
func changeFigure(d reports.Document) chartOf {
	if compared(d) {
		return chartOf{}
	}
	return queueingFigure(d)
}

// changeOf shows what changed by stage; the table of the contributions follows it.
func changeOf(r *reports.Report, m *reports.Moved, u reports.Unit) Figure {
	c := chart.Change{Unit: chart.Nanos, Old: lastName(r), New: "now"}
	for _, s := range m.Stages {
		if s.OldNS == 0 && s.NewNS == 0 {
			continue
		}
		word := "same"
		switch steps := u.Steps(s.NewNS) - u.Steps(s.OldNS); {
		case steps > 0:
			word = "slower"
		case steps < 0:
			word = "faster"
		}
		c.Pairs = append(c.Pairs, chart.Pair{Label: s.Stage, Stage: s.Stage, Old: float64(s.OldNS), New: float64(s.NewNS), Word: word})
	}
	top := m.Stages[0]
	answer := fmt.Sprintf("slow requests (%s and above) took %s on average, %s before (n = %s and %s)",
		m.Q, reports.Duration(m.NewNS), reports.Duration(m.OldNS), reports.Integer(m.NewN), reports.Integer(m.OldN))
	if top.Change == 0 {
		answer += ": no stage changed"
	} else {
		answer += fmt.Sprintf(": %s; %s changed most, %s (%s now, %s before)", reports.Signed(m.NewNS-m.OldNS),
			top.Stage, reports.Signed(top.Change), reports.Duration(top.NewNS), reports.Duration(top.OldNS))
	}
	return Figure{ID: "figure-change", Answer: answer, Drawing: c}
}

// leastWeeks is how many times before make a trend.
const leastWeeks = 2

// helpFigure shows the trend over the times before, where there are enough, else what the
// percentile would gain without each stage.
func helpFigure(d reports.Document) chartOf {
	if len(d.Report.Before) >= leastWeeks {
		if c := trendFigure(d); c.missing == "" {
			return c
		}
	}
	s := reportSummary(d)
	if s == nil || s.Duration.Attribution == nil {
		why := "no request could be used"
		if s != nil && s.Duration.N > 0 {
			why = fmt.Sprintf("too few slow requests: it takes %s requests, n = %s", reports.Integer(s.Duration.Tail.Need), reports.Integer(s.Duration.N))
		}
		return chartOf{missing: "no chart of what would help: " + why}
	}
	return gainsOf(s, *s.Duration.Attribution)
}

// gainsOf ranks the stages by what the percentile would fall by if none of them took longer than
// its median, bounded by what ran beside it.
func gainsOf(s *reports.Summary, a reports.Attribution) chartOf {
	stages := slices.DeleteFunc(slices.Clone(a.Stages), func(x reports.AttributedStage) bool { return wholeOf(x.GainBounded.Value) <= 0 })
	slices.SortStableFunc(stages, func(x, y reports.AttributedStage) int { return cmp.Compare(y.GainBounded.Value, x.GainBounded.Value) })
	if len(stages) == 0 {
		return chartOf{missing: fmt.Sprintf("no chart of what would help: %s would be no less without the time of any stage beyond its median", a.Q)}
	}
	var values []int64
	for _, x := range stages {
		values = append(values, wholeOf(x.GainBounded.Value))
	}
	u := reports.CommonUnit(values...)
	ranked := chart.Ranked{Unit: chart.Nanos}
	t := Table{ID: "gains", Caption: "what " + a.Q + " of the duration would fall by", Columns: []Column{
		{Head: "stage", Text: true}, {Head: "gain " + u.Name}, {Head: "95 %", Join: true}, {Head: "n"}, {Head: "largest in"},
	}}
	for _, x := range stages {
		g := x.GainBounded
		rank := chart.Rank{Label: x.Stage, Stage: x.Stage, Value: g.Value, Low: math.NaN(), High: math.NaN(), Note: "n = " + reports.Integer(g.N)}
		bounds := ""
		if g.Low != nil && g.High != nil {
			rank.Low, rank.High = *g.Low, *g.High
			low, high := wholeOf(*g.Low), wholeOf(*g.High)
			bounds = boundsIn(u, &low, &high)
		}
		ranked.Ranks = append(ranked.Ranks, rank)
		t.Rows = append(t.Rows, []string{x.Stage, u.Format(wholeOf(g.Value)), bounds, reports.Integer(g.N), fmt.Sprintf("%s of %s", reports.Integer(x.Largest), reports.Integer(a.TailN))})
	}
	top := stages[0].GainBounded
	answer := a.Q
	if q := percentileOf(s.Duration.Percentiles, a.Q); q.ValueNS != nil {
		answer += ", " + reports.Duration(*q.ValueNS) + ","
	}
	answer += fmt.Sprintf(" would be %s less if no request spent more in %s than the median", reports.Duration(wholeOf(top.Value)), stages[0].Stage)
	if top.Low != nil && top.High != nil {
		answer += fmt.Sprintf(" (95 %%: %s to %s)", reports.Duration(wholeOf(*top.Low)), reports.Duration(wholeOf(*top.High)))
	}
	out := chartOf{
		figure:  Figure{ID: "figure-gains", Answer: answer + ": arithmetic on these requests, no forecast", Drawing: ranked},
		tables:  []Table{t},
		remarks: []string{fmt.Sprintf("gains do not add up: all stages at once would gain %s; largest in: of the slow requests, those in which the stage exceeds its median by most", reports.Duration(a.GainAllNS))},
	}
	if a.Blocks.Refused != "" {
		out.remarks = append(out.remarks, "no interval that predicts: "+a.Blocks.Refused)
	}
	return out
}

// trendOf is one series of a trend.
type trendOf struct {
	label, stage string
	of           func(weekOf) (value, low, high *int64)
}

// weekOf is a time in a trend: one before, or that of the report.
type weekOf struct {
	name     string
	complete bool
	n        int64
	metrics  []reports.Percentiles
	slow     *reports.Mix
}

// percentileTrend returns the series of a percentile of a metric.
func percentileTrend(metric, p string) trendOf {
	return trendOf{label: metric + " " + p, of: func(w weekOf) (value, low, high *int64) {
		for _, m := range w.metrics {
			if m.Metric == metric {
				q := percentileOf(m, p)
				return q.ValueNS, q.LowNS, q.HighNS
			}
		}
		return nil, nil, nil
	}}
}

// stageTrend returns the series of the mean time of a stage in slow requests.
func stageTrend(stage string) trendOf {
	return trendOf{label: stage + " in slow requests", stage: stage, of: func(w weekOf) (value, low, high *int64) {
		if w.slow != nil {
			for _, s := range w.slow.Stages {
				if s.Stage == stage {
					return &s.MeanNS, nil, nil
				}
			}
		}
		return nil, nil, nil
	}}
}

// trendFigure shows percentiles over the times before, and the stage of the first bottleneck.
func trendFigure(d reports.Document) chartOf {
	r, s := d.Report, reportSummary(d)
	if s == nil {
		return chartOf{missing: "no chart of the times before: no request could be used"}
	}
	var weeks []weekOf
	for _, w := range r.Before {
		weeks = append(weeks, weekOf{w.Name, w.Complete, w.Requests, w.Metrics, w.Slow})
	}
	now := weekOf{name: reportName(r), complete: r.Week == nil || r.Week.Complete, n: s.Duration.N, metrics: []reports.Percentiles{s.Duration.Percentiles, s.TTFT.Percentiles, s.TPOT}}
	if s.Duration.Tail.Enough {
		now.slow = &s.Duration.Tail.Tail
	}
	weeks = append(weeks, now)
	list := []trendOf{percentileTrend("duration", "p50"), percentileTrend("duration", "p99"), percentileTrend("ttft", "p99")}
	if len(r.Bottlenecks) > 0 {
		list = append(list, stageTrend(r.Bottlenecks[0].Stage))
	}
	t := Table{ID: "weeks", Caption: "now and before, with 95 % intervals for independent requests", Columns: []Column{{Text: true}, {Head: "n"}}}
	for _, w := range weeks {
		name := w.name
		if !w.complete {
			name += " (incomplete)"
		}
		t.Rows = append(t.Rows, []string{name, reports.Integer(w.n)})
	}
	var drawn chart.Multiples
	answer := ""
	for _, x := range list {
		series := chart.Series{Label: x.label, Unit: chart.Nanos, Stage: x.stage}
		var values []int64
		for _, w := range weeks {
			p := chart.Point{Label: w.name, Value: math.NaN(), Low: math.NaN(), High: math.NaN(), Partial: !w.complete}
			value, low, high := x.of(w)
			if value != nil {
				p.Value, values = float64(*value), append(values, *value)
			}
			if value != nil && low != nil && high != nil {
				p.Low, p.High = float64(*low), float64(*high)
			}
			series.Points = append(series.Points, p)
		}
		if len(values) < leastWeeks {
			continue
		}
		drawn.Of = append(drawn.Of, series)
		u := reports.CommonUnit(values...)
		t.Columns = append(t.Columns, Column{Head: x.label + " " + u.Name})
		if x.stage == "" { // the means of stages have no interval
			t.Columns = append(t.Columns, Column{Head: "95 %", Join: true})
		}
		for i, w := range weeks {
			value, low, high := x.of(w)
			t.Rows[i] = append(t.Rows[i], formatted(u, value))
			if x.stage == "" {
				t.Rows[i] = append(t.Rows[i], boundsIn(u, low, high))
			}
		}
		if text := trendWords(x, weeks, timesWord(r)); answer == "" || x.label == "duration p99" && text != "" {
			answer = text
		}
	}
	if len(drawn.Of) == 0 {
		return chartOf{missing: "no chart of the times before: no percentile is known in two of them"}
	}
	if answer == "" {
		answer = fmt.Sprintf("too little is known of %s to set it against what was before", now.name)
	}
	return chartOf{figure: Figure{ID: "figure-weeks", Answer: answer, Drawing: drawn}, tables: []Table{t}}
}

// trendWords sets the time of the report against the range of those before that are complete.
func trendWords(x trendOf, weeks []weekOf, word string) string {
	now, _, _ := x.of(weeks[len(weeks)-1])
	var least, most *int64
	n := int64(0)
	for _, w := range weeks[:len(weeks)-1] {
		v, _, _ := x.of(w)
		if v == nil || !w.complete {
			continue
		}
		n++
		if least == nil || *v < *least {
			least = v
		}
		if most == nil || *v > *most {
			most = v
		}
	}
	if now == nil || least == nil {
		return ""
	}
	text := fmt.Sprintf("%s is %s, and was %s to %s in the %s %ss before that are complete", x.label, reports.Duration(*now),
		reports.Duration(*least), reports.Duration(*most), reports.Integer(n), word)
	if n == 1 {
		text = fmt.Sprintf("%s is %s, and was %s in the only %s before that is complete", x.label, reports.Duration(*now), reports.Duration(*least), word)
	}
	switch {
	case *now > *most:
		text += ": the highest of all"
	case *now < *least:
		text += ": the lowest of all"
	}
	return text
}
