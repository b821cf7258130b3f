package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// tailFigure shows how the duration, and the time to the first token, are distributed.
func tailFigure(d reports.Document) chartOf {
	s := reportSummary(d)
	at := slices.IndexFunc(d.Report.Distribution, func(x reports.Distribution) bool { return x.Metric == "duration" && len(x.Quantiles) > 0 })
	if s == nil || at < 0 {
		return chartOf{missing: "no chart of the distribution: no duration is known"}
	}
	main := d.Report.Distribution[at]
	tail := chart.Tail{Unit: chart.Nanos, Marks: tailMarks(s, main)}
	for _, x := range d.Report.Distribution {
		if x.Metric != "duration" && x.Metric != "ttft" {
			continue
		}
		curve := chart.Curve{Label: x.Metric}
		for _, q := range x.Quantiles {
			if q.Above > 0 { // nothing is above the largest, and no logarithm of it
				curve.Values, curve.Above = append(curve.Values, float64(q.NS)), append(curve.Above, q.Above)
			}
		}
		if len(curve.Values) > 0 {
			tail.Curves = append(tail.Curves, curve)
		}
	}
	if len(main.Edges) == len(main.Counts)+1 {
		tail.Counts = main.Counts
		for _, e := range main.Edges {
			tail.Edges = append(tail.Edges, float64(e))
		}
	}
	out := chartOf{
		figure: Figure{ID: "figure-distribution", Answer: tailAnswer(s, main, d.Report.Impact), Drawing: tail},
		tables: []Table{percentileTable(s, d.Report.Distribution)},
	}
	var limits []string
	for _, o := range s.Objectives {
		limits = append(limits, o.Objective)
	}
	if limits != nil {
		out.remarks = append(out.remarks, "objectives: "+strings.Join(limits, "; "))
	}
	if usable(d) >= leastCharted {
		out.remarks = append(out.remarks, "every request by its duration is in "+distributionTitle)
	}
	return out
}

// percentilesShown are the marks of the distribution.
var percentilesShown = []string{"p50", "p95", "p99"}

// tailMarks marks the mean, some percentiles and the limits of objectives.
func tailMarks(s *reports.Summary, main reports.Distribution) (marks []chart.Mark) {
	if main.MeanNS != nil {
		marks = append(marks, chart.Mark{Label: "mean", Value: float64(*main.MeanNS), Low: math.NaN(), High: math.NaN()})
	}
	for _, q := range s.Duration.Percentiles.Percentiles {
		if q.ValueNS == nil || !slices.Contains(percentilesShown, q.P) {
			continue
		}
		m := chart.Mark{Label: q.P, Value: float64(*q.ValueNS), Low: math.NaN(), High: math.NaN()}
		if q.LowNS != nil && q.HighNS != nil {
			m.Low, m.High = float64(*q.LowNS), float64(*q.HighNS)
		}
		marks = append(marks, m)
	}
	for _, o := range s.Objectives {
		for _, t := range o.Terms {
			for _, l := range t.Limits {
				if l.P == "" && slices.Contains([]string{"e2e", "duration", "ttft"}, l.Metric) {
					marks = append(marks, chart.Mark{Label: "limit of " + l.Metric, Value: float64(l.NS), Low: math.NaN(), High: math.NaN(), Limit: true})
				}
			}
		}
	}
	return marks
}

// percentileTable writes the mean and the percentiles of both metrics, with their intervals.
func percentileTable(s *reports.Summary, list []reports.Distribution) Table {
	t := Table{ID: "percentiles", Caption: "percentiles, with 95 % intervals for independent requests", Columns: []Column{{Text: true}}}
	t.Rows = append(t.Rows, []string{"mean"})
	for _, q := range s.Duration.Percentiles.Percentiles {
		t.Rows = append(t.Rows, []string{q.P})
	}
	t.Rows = append(t.Rows, []string{"largest"}, []string{"n"})
	for _, m := range []reports.Percentiles{s.Duration.Percentiles, s.TTFT.Percentiles} {
		if m.N == 0 && m.Metric != s.Duration.Metric {
			continue
		}
		var mean, largest *int64
		for _, x := range list {
			if x.Metric == m.Metric {
				mean = x.MeanNS
			}
		}
		if m.Slowest != nil {
			largest = &m.Slowest.NS
		}
		cells := [][]*int64{{mean, nil, nil}}
		for _, p := range s.Duration.Percentiles.Percentiles {
			q := percentileOf(m, p.P)
			cells = append(cells, []*int64{q.ValueNS, q.LowNS, q.HighNS})
		}
		cells = append(cells, []*int64{largest, nil, nil})
		var values []int64
		for _, v := range slices.Concat(cells...) {
			if v != nil {
				values = append(values, *v)
			}
		}
		u := finerUnit(values)
		t.Columns = append(t.Columns, Column{Head: cmp.Or(m.Metric, "duration") + " " + u.Name}, Column{Head: "95 %", Join: true})
		for i, c := range cells {
			t.Rows[i] = append(t.Rows[i], formatted(u, c[0]), boundsIn(u, c[1], c[2]))
		}
		t.Rows[len(cells)] = append(t.Rows[len(cells)], reports.Integer(m.N), "")
	}
	return t
}

// percentileOf returns a percentile of a metric, one of which nothing is known without it.
func percentileOf(m reports.Percentiles, p string) reports.Percentile {
	for _, q := range m.Percentiles {
		if q.P == p {
			return q
		}
	}
	return reports.Percentile{P: p}
}

// boundsIn writes an interval in the unit of its column; empty without one.
func boundsIn(u reports.Unit, low, high *int64) string {
	if low == nil && high == nil {
		return ""
	}
	from, to := "0", "∞"
	if low != nil {
		from = u.Format(*low)
	}
	if high != nil {
		to = u.Format(*high)
	}
	return from + "–" + to
}

// rareness says of how many requests one exceeds a percentile.
var rareness = map[string]string{"p50": "half of them", "p90": "1 in 10", "p95": "1 in 20", "p99": "1 in 100", "p99.9": "1 in 1,000"}

// tailAnswer sets the highest percentile that is known against the median.
func tailAnswer(s *reports.Summary, main reports.Distribution, i reports.Impact) string {
	var median, high *reports.Percentile
	for k := range s.Duration.Percentiles.Percentiles {
		q := &s.Duration.Percentiles.Percentiles[k]
		switch {
		case q.ValueNS == nil || rareness[q.P] == "":
		case q.P == "p50":
			median = q
		case q.P != "p99.9" || high == nil:
			high = q
		}
	}
	var parts []string
	if median != nil {
		parts = append(parts, "half of the requests took "+reports.Duration(*median.ValueNS)+" or more")
	}
	if high != nil {
		text := rareness[high.P] + " took " + reports.Duration(*high.ValueNS) + " or more"
		if median != nil && *median.ValueNS > 0 {
			text += fmt.Sprintf(" (%s times as long)", reports.Number(float64(*high.ValueNS)/float64(*median.ValueNS)))
		}
		parts = append(parts, text)
	}
	if main.MeanNS != nil {
		parts = append(parts, "the mean is "+reports.Duration(*main.MeanNS))
	}
	if parts == nil {
		parts = []string{"too few requests for a percentile"}
	}
	text := strings.Join(parts, ", ") + fmt.Sprintf(" (n = %s)", reports.Integer(main.N))
	for _, o := range i.Over {
		text += fmt.Sprintf("; %s of %s missed %s", reports.Integer(o.Missed), reports.Integer(o.Asked), o.Objective)
	}
	return text
}
