package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// pathDeepest is how far a step is moved in at most.
const pathDeepest = 8

// pathSection writes the steps of slow requests where a reader opens it.
func (b *builder) pathSection(p *reports.Path) {
	if p == nil {
		return
	}
	table, u := pathTable(p)
	b.fold("details-path", "details: the critical path of slow requests: mean "+u.Name+" and %")
	if p.NoSteps != "" {
		b.styled(Dim, "no steps: "+p.NoSteps)
		return
	}
	b.styled(Plain, pathAnswer(b, p))
	b.table(table)
	if p.Beyond != nil {
		b.hanging(Dim, "  ", fmt.Sprintf("%s left out, which have %s %% of the slow requests' time themselves; --limit 0 shows all", plural(p.Beyond.N, "step"),
			reports.Percent(float64(p.Beyond.SlowSelfNS)/float64(max(1, p.SlowNS)))))
	}
	b.hanging(Dim, "  ", "beneath a span are those that it called, and its own time by stage, in the order in which requests come to them; times hold what is beneath; n counts the requests that come there")
	if p.NoIntervals != "" {
		b.hanging(Dim, "  no intervals: ", p.NoIntervals)
	} else {
		b.hanging(Dim, "  intervals: ", "95 %, blocks of time resampled; which requests are slow stays as it is")
	}
}

// pathTable writes the steps. As they are written the times beneath a step add up to it; what is
// more is rounded for itself, as its bounds are.
func pathTable(p *reports.Path) (Table, reports.Unit) {
	slow, usual := p.Means()
	intervals := false
	for _, s := range p.Steps {
		intervals = intervals || s.Difference.Low != nil && s.Difference.High != nil
	}
	u := reports.CommonUnit(slow, usual)
	t := Table{ID: "path", Caption: fmt.Sprintf("mean %s of the %s slowest requests (%s and above) and of %s usual ones (ranks 40 to 60 %%)", u.Name, reports.Integer(p.SlowN), p.Q, reports.Integer(p.UsualN)),
		Columns: []Column{{Head: "step", Text: true, Flex: true, Told: true}, {Head: "slow"}, {Head: "%", Join: true}, {Head: "n", Join: true}, {Head: "usual"}, {Head: "n", Join: true}, {Head: "more"}}}
	if intervals {
		t.Columns = append(t.Columns, Column{Head: "95 %", Join: true})
	}
	means := func(all int64, of func(reports.PathStep) int64) []int64 {
		return pathSplit(p, of, all, u.Steps(all), u.Split)
	}
	slowSteps := means(slow, func(s reports.PathStep) int64 { return s.SlowMeanNS })
	usualSteps := means(usual, func(s reports.PathStep) int64 { return s.UsualMeanNS })
	tenths := pathSplit(p, func(s reports.PathStep) int64 { return s.SlowTotalNS }, p.SlowNS, 1000, func(parts []int64, whole int64) []int64 {
		shares := make([]float64, len(parts))
		for k, ns := range parts {
			shares[k] = float64(ns) / float64(max(1, p.SlowNS))
		}
		return reports.SplitTenths(shares, whole)
	})
	row := func(label string, tenths, slowAt, usualAt int64, s reports.PathStep) {
		cells := []string{label, u.Text(slowAt, s.SlowMeanNS), reports.PercentText(tenths), reports.Integer(s.SlowN), u.Text(usualAt, s.UsualMeanNS), reports.Integer(s.UsualN), u.Format(s.SlowMeanNS - s.UsualMeanNS)}
		if intervals {
			cells = append(cells, differenceBounds(u, s.Difference))
		}
		t.Rows = append(t.Rows, cells)
	}
	for i, s := range p.Steps {
		row(strings.Repeat("  ", int(min(s.Depth, pathDeepest)))+value(s.Words()), tenths[i], slowSteps[i], usualSteps[i], s)
	}
	if len(p.Steps) > 0 && p.Steps[0].SlowTotalNS == p.SlowNS && p.Steps[0].UsualTotalNS == p.UsualNS {
		return t, u // it is all
	}
	row("all", 1000, u.Steps(slow), u.Steps(usual), reports.PathStep{SlowMeanNS: slow, UsualMeanNS: usual, SlowN: p.SlowN, UsualN: p.UsualN})
	return t, u
}

// differenceBounds writes the interval of a difference in the unit of its column.
func differenceBounds(u reports.Unit, f reports.Figure) string {
	if f.Low == nil || f.High == nil {
		return ""
	}
	return u.Format(int64(*f.Low)) + " to " + u.Format(int64(*f.High))
}

// pathSplit returns a figure of every step as it is written, in whole steps of a decimal: what is
// beneath a step adds up to it. What was cut beneath it is a part as well.
func pathSplit(p *reports.Path, of func(reports.PathStep) int64, all, whole int64, split func(parts []int64, whole int64) []int64) []int64 {
	out := make([]int64, len(p.Steps))
	for above, list := range pathBelow(p) {
		if list == nil {
			continue
		}
		rest, whole := all, whole
		if above > 0 {
			rest, whole = of(p.Steps[above-1]), out[above-1]
		}
		parts := make([]int64, len(list), len(list)+1)
		for k, i := range list {
			parts[k] = of(p.Steps[i])
			rest -= parts[k]
		}
		if rest != 0 {
			parts = append(parts, rest)
		}
		for k, steps := range split(parts, whole) {
			if k < len(list) {
				out[list[k]] = steps
			}
		}
	}
	return out
}

// pathBelow returns the places of the steps beneath each, by its place from 1, and beneath none.
func pathBelow(p *reports.Path) [][]int {
	below := make([][]int, len(p.Steps)+1)
	for i, s := range p.Steps {
		if s.Parent >= 0 && s.Parent <= int64(i) {
			below[s.Parent] = append(below[s.Parent], i)
		}
	}
	return below
}

// pathAnswer names the largest step of slow requests, and the one that has most more than in usual
// ones where that is another.
func pathAnswer(b *builder, p *reports.Path) string {
	slow, usual := p.Means()
	top, more := p.Largest, p.MostMore
	if top == nil {
		return "no step of the slow requests took time"
	}
	text := fmt.Sprintf("the largest step of slow requests (%s and above, n = %s) is %s: %s of their %s (%s %%), in %s of them; of usual ones (n = %s) it is %s of %s, in %s of them",
		p.Q, reports.Integer(p.SlowN), pathPlace(b, *top), reports.Duration(top.SlowMeanNS), reports.Duration(slow), reports.Percent(top.Share), reports.Integer(top.SlowN),
		reports.Integer(p.UsualN), reports.Duration(top.UsualMeanNS), reports.Duration(usual), reports.Integer(top.UsualN))
	if more != nil && *more != *top {
		text += fmt.Sprintf("; %s has most more than in usual ones, %s", pathPlace(b, *more), reports.Signed(more.SlowMeanNS-more.UsualMeanNS))
	}
	return text
}

// pathPlace names a step in a sentence, with the span that it is in.
func pathPlace(b *builder, at reports.PathPlace) string {
	text := b.name(at.Step)
	if at.Name == "" && at.Service == "" {
		return text
	}
	text += " in " + b.name(value(cmp.Or(at.Name, "a span without a name")))
	if at.Service != "" {
		text += " of " + b.name(value(at.Service))
	}
	return text
}

// pathFigure draws the steps of slow and of usual requests over one axis.
func (b *builder) pathFigure(p *reports.Path) chartOf {
	if p == nil || len(p.Steps) == 0 {
		return chartOf{}
	}
	slow, usual := p.Means()
	g := chart.Icicle{Unit: chart.Nanos, Of: []chart.Layers{
		pathLayers(p, "slow, mean of "+reports.Integer(p.SlowN), slow, p.SlowN, func(s reports.PathStep) (int64, int64) { return s.SlowMeanNS, s.SlowN }),
		pathLayers(p, "usual, mean of "+reports.Integer(p.UsualN), usual, p.UsualN, func(s reports.PathStep) (int64, int64) { return s.UsualMeanNS, s.UsualN }),
	}}
	return chartOf{figure: Figure{ID: "figure-path", Answer: pathAnswer(b, p), Drawing: g}}
}

func pathLayers(p *reports.Path, label string, all, n int64, of func(reports.PathStep) (mean, n int64)) chart.Layers {
	out := chart.Layers{Label: label, Total: float64(all)}
	at := make([]float64, len(p.Steps)+1) // where the next step beneath each begins, by its place from 1
	for i, s := range p.Steps {
		if s.Parent < 0 || s.Parent > int64(i) {
			continue
		}
		mean, through := of(s)
		stage := s.Stage
		if s.Kind == "other" {
			stage = otherSteps
		}
		from := at[s.Parent]
		at[s.Parent], at[i+1] = from+float64(mean), from
		out.Tiles = append(out.Tiles, chart.Tile{Label: s.Words(), Depth: int(s.Depth), From: from, Value: float64(mean), Stage: stage,
			Note: fmt.Sprintf("n = %s of %s", reports.Integer(through), reports.Integer(n))})
	}
	return out
}

// otherSteps is what steps that were put together are called in a legend.
const otherSteps = "other steps"
