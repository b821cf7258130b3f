package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// chartOf is a chart with its tables. A report has eight charts at most, each an answer to one question, and each followed by the
// table that it is drawn from. Which are there follows from the document alone:
//
//   - stages by band, where requests have a critical path;
//   - the distribution, where there is one;
//   - the heat map and the traffic over time, where requests have times;
//   - throughput against what is in flight, where the capacity has a curve;
//   - one stream, where tokens have instants;
//   - what changed by stage with a baseline, else waiting over time;
//   - the trend with two times before or more, else what removing each stage would gain.
//
// One that lacks its figures is not drawn empty: a sentence in its place says what is missing
// and how to record it.
type chartOf struct {
	figure  Figure
	tables  []Table
	remarks []string // under the tables
	missing string   // stands in place of all of it
}

// figureOf writes a chart with its tables, or what stands in its place.
func (b *builder) figureOf(c chartOf) {
	if c.missing != "" {
		b.styled(Dim, c.missing)
		return
	}
	if c.figure.Drawing == nil {
		return
	}
	if s := b.page.Sections[len(b.page.Sections)-1]; len(s.Blocks) > 0 {
		b.blank()
	}
	b.figure(c.figure)
	for _, t := range c.tables {
		b.table(t)
	}
	for _, text := range c.remarks {
		b.hanging(Dim, "  ", text)
	}
}

// silently writes the chart alone, on a page whose tables have its figures already.
func (b *builder) silently(c chartOf) {
	if c.missing != "" || c.figure.Drawing == nil {
		return
	}
	c.figure.Silent = true
	b.figure(c.figure)
}

// stageFigure draws of what the time of each band is made, on a page that has the table.
func (b *builder) stageFigure(l reports.Latency) { b.silently(stackOf(l)) }

// stackFigure shows where the time of fast and slow requests goes.
func stackFigure(d reports.Document) chartOf {
	s := reportSummary(d)
	if s == nil {
		return chartOf{missing: "no chart of the stages: no request could be used"}
	}
	return stackOf(s.Duration)
}

// sharesOf returns the shares of the stages of a mix.
func sharesOf(m reports.Mix) []float64 {
	shares := make([]float64, len(m.Stages))
	for k, s := range m.Stages {
		shares[k] = s.Share
	}
	return shares
}

// stackOf draws a bar for each band, and writes its stages as times and as shares.
func stackOf(l reports.Latency) chartOf {
	if l.All.N == 0 {
		return chartOf{missing: "no chart of the stages: no request could be used"}
	}
	bands, few := bandsShown(l)
	var all []int64
	stack := chart.Stack{Unit: chart.Nanos}
	for _, x := range bands {
		bar := chart.Bar{Label: x.Band, Note: "n = " + reports.Integer(x.N)}
		all = append(all, x.MeanNS)
		written := reports.Tenths(sharesOf(x.Mix)) // as in the table, where they add up
		for k, s := range x.Stages {
			all = append(all, s.MeanNS)
			if s.MeanNS != 0 {
				bar.Parts = append(bar.Parts, chart.Part{Stage: s.Stage, Value: float64(s.MeanNS), Share: float64(written[k]) / 1000})
			}
		}
		stack.Bars = append(stack.Bars, bar)
	}
	table, without := stackTable(bands, reports.CommonUnit(all...))
	out := chartOf{figure: Figure{ID: "figure-stages", Answer: stackAnswer(bands), Drawing: stack}, tables: []Table{table}}
	if len(without) > 0 {
		out.remarks = append(out.remarks, "no time in: "+strings.Join(without, ", "))
	}
	for _, n := range few {
		out.remarks = append(out.remarks, n.text)
	}
	return out
}

// stackTable writes the stages of the bands. In each the times add up to the mean, and the
// shares to 100.0, as they are written.
func stackTable(bands []reports.Band, u reports.Unit) (t Table, without []string) {
	t = Table{ID: "stages-by-band", Caption: "mean time by stage and band of the duration", Columns: []Column{{Head: "stage", Text: true}}}
	var rows []int
	for k, s := range bands[0].Stages {
		met := always(s.Stage)
		for _, x := range bands {
			met = met || k < len(x.Stages) && x.Stages[k].MeanNS != 0
		}
		if !met {
			without = append(without, s.Stage)
			continue
		}
		rows = append(rows, k)
		t.Rows = append(t.Rows, []string{s.Stage})
	}
	t.Rows = append(t.Rows, []string{"mean"}, []string{"n"})
	for _, x := range bands {
		t.Columns = append(t.Columns, Column{Head: x.Band + " " + u.Name}, Column{Head: "%", Join: true})
		means := make([]int64, len(x.Stages))
		for k, s := range x.Stages {
			means[k] = s.MeanNS
		}
		whole := u.Steps(x.MeanNS)
		steps, percents := u.Split(means, whole), reports.Percents(sharesOf(x.Mix))
		for i, k := range rows {
			cells := []string{absent, absent}
			if k < len(x.Stages) {
				cells = []string{u.Text(steps[k], means[k]), percents[k]}
			}
			t.Rows[i] = append(t.Rows[i], cells...)
		}
		hundred := "100.0"
		if x.MeanNS == 0 {
			hundred = absent
		}
		t.Rows[len(rows)] = append(t.Rows[len(rows)], u.Text(whole, x.MeanNS), hundred)
		t.Rows[len(rows)+1] = append(t.Rows[len(rows)+1], reports.Integer(x.N), "")
	}
	return t, without
}

// stackAnswer names the largest stage of the slowest band, and what it is in the fastest.
func stackAnswer(bands []reports.Band) string {
	slowest, fastest := bands[len(bands)-1], bands[0]
	if len(slowest.Stages) == 0 {
		return fmt.Sprintf("no stage is known of %s", plural(slowest.N, "request"))
	}
	top := 0
	for k, s := range slowest.Stages {
		if s.MeanNS > slowest.Stages[top].MeanNS {
			top = k
		}
	}
	of := func(x reports.Band) string {
		if top >= len(x.Stages) {
			return "an unknown part"
		}
		return fmt.Sprintf("%s %% (%s of %s, n = %s)", reports.Percents(sharesOf(x.Mix))[top], reports.Duration(x.Stages[top].MeanNS), reports.Duration(x.MeanNS), reports.Integer(x.N))
	}
	if len(bands) == 1 {
		return fmt.Sprintf("%s takes the most time, %s", slowest.Stages[top].Stage, of(slowest))
	}
	return fmt.Sprintf("%s takes the most time of the slowest requests, %s: %s; in %s: %s", slowest.Stages[top].Stage, slowest.Band, of(slowest), fastest.Band, of(fastest))
}
