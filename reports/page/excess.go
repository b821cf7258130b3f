package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// excess writes what the slow requests have more of than usual ones.
func (b *builder) excess(s *reports.Summary) {
	t, v := s.Duration.Tail, s.Verdict
	if !t.Enough {
		b.section("excess", "why slow requests are slow")
		b.hanging(Plain, "  ", v.Reason)
		return
	}
	e := newExcessTable(t, v)
	e.intervals(s.Duration.Attribution, v)
	b.section("excess", fmt.Sprintf("why slow requests are slow: mean %s of the %s slowest (%s and above) and of %s usual ones (ranks 40 to 60 %%)",
		e.unit.Name, reports.Integer(t.Tail.N), t.Q, reports.Integer(t.Body.N)))
	b.table(e.grid)
	b.none(e.without)
	b.hanging(Dim, "  verdict: ", fmt.Sprintf("%s, since %s", strings.ReplaceAll(v.Kind, "_", " "), v.Reason))
	if text := s.Duration.Attribution.CountWords(); text != "" && e.shares {
		b.hanging(Plain, "  ", text)
	}
	if v.Needs != "" {
		b.hanging(Dim, "  to dominate it takes: ", v.Needs)
	}
	if a := s.Duration.Attribution; v.Predicts && a != nil {
		b.hanging(Dim, "  intervals: ", fmt.Sprintf("95 %%, %s of %s on average resampled %s times, so that requests that waited for each other stay together",
			plural(int64(a.Blocks.N), "block"), reports.Period(a.Blocks.LengthNS), reports.Integer(int64(a.Blocks.Replicates))))
	}
	if b.o.Verbose {
		b.hanging(Dim, "  rule: ", v.Rule)
		for _, s := range s.Duration.Strata {
			b.hanging(Dim, "  by "+s.Field+": ", strataWords(s))
		}
	}
}

// strataWords says how the excess splits within and between kinds of request.
func strataWords(s reports.Strata) string {
	text := fmt.Sprintf("%s = %s within each of %s + %s that slow requests are of other kinds (%s %%)",
		reports.Signed(s.ExcessNS), reports.Signed(s.WithinNS), plural(s.Kinds, "kind"), reports.Signed(s.BetweenNS), reports.Percent(s.Between))
	if s.Stage != "" {
		text += fmt.Sprintf("; within kinds %s has most, %s %%", s.Stage, reports.Percent(s.WithinShare))
	}
	return text
}

// excessTable lays out a tail. Its figures are numbers of steps, so that as they are
// written stages add up to the total, details to their stage, and in every row the
// excess is what is slow less what is usual.
type excessTable struct {
	shares  bool  // an excess worth dividing
	stages  []int // row of every stage, -1 for none
	unit    reports.Unit
	grid    Table
	without []string // stages without a row
}

// excessCells are the figures of one row, before they are written.
type excessCells struct {
	steps  [3]int64 // slow, usual, excess
	ns     [3]int64
	tenths int64
}

func newExcessTable(t reports.Tail, v reports.Verdict) *excessTable {
	e := &excessTable{shares: v.Kind != "none" && t.ExcessPercents() != nil, grid: Table{Columns: []Column{{Text: true, Flex: true}, {Head: "slow"}, {Head: "usual"}, {Head: "excess"}, {Head: "% of excess"}}}}
	values := []int64{t.Tail.MeanNS, t.Body.MeanNS}
	for _, s := range t.Stages {
		values = append(values, s.TailNS, s.BodyNS)
	}
	e.unit = reports.CommonUnit(values...)
	total := excessCells{ns: [3]int64{t.Tail.MeanNS, t.Body.MeanNS, t.ExcessNS}, tenths: 1000}
	total.steps[slow], total.steps[usual] = e.unit.Steps(t.Tail.MeanNS), e.unit.Steps(t.Body.MeanNS)
	total.steps[extra] = total.steps[slow] - total.steps[usual]
	for k, cells := range e.split(t.Stages, total) {
		s := t.Stages[k]
		if s.TailNS == 0 && s.BodyNS == 0 && !always(s.Stage) {
			e.without, e.stages = append(e.without, s.Stage), append(e.stages, -1)
			continue
		}
		details := detailsOf(t, s.Stage)
		label := s.Stage
		if len(details) == 1 { // it is the whole stage
			label, details = s.Stage+"/"+details[0].Detail, nil
		}
		e.stages = append(e.stages, len(e.grid.Rows))
		e.row(label, cells)
		for i, part := range e.split(details, cells) {
			e.row("  "+detailName(details[i]), part)
		}
	}
	e.row("total", total)
	return e
}

// The columns of an excess table.
const (
	slow = iota
	usual
	extra // slow less usual
)

// split divides the figures of a row among its parts. The excess is taken from the
// written figures: the excesses of the parts then add up as these do.
func (e *excessTable) split(parts []reports.ExcessShare, of excessCells) []excessCells {
	out := make([]excessCells, len(parts))
	shares := make([]float64, len(parts))
	tail, body := make([]int64, len(parts)), make([]int64, len(parts))
	for i, p := range parts {
		tail[i], body[i] = p.TailNS, p.BodyNS
	}
	tailSteps, bodySteps := e.unit.Split(tail, of.steps[slow]), e.unit.Split(body, of.steps[usual])
	for i, p := range parts {
		out[i].ns = [3]int64{p.TailNS, p.BodyNS, p.ExcessNS}
		out[i].steps = [3]int64{tailSteps[i], bodySteps[i], tailSteps[i] - bodySteps[i]}
		if p.Share != nil {
			shares[i] = *p.Share
		}
	}
	for i, tenths := range reports.SplitTenths(shares, of.tenths) {
		out[i].tenths = tenths
	}
	return out
}

func (e *excessTable) row(label string, c excessCells) {
	cells := []string{label}
	for i, steps := range c.steps {
		cells = append(cells, e.unit.Text(steps, c.ns[i]))
	}
	percent := absent
	if e.shares {
		percent = reports.PercentText(c.tenths)
	}
	e.grid.Rows = append(e.grid.Rows, append(cells, percent))
}

// intervals adds the bounds of the stages' shares, where they predict.
func (e *excessTable) intervals(a *reports.Attribution, v reports.Verdict) {
	if a == nil || !v.Predicts || !e.shares {
		return
	}
	e.grid.Columns = append(e.grid.Columns, Column{Head: "95 %", Join: true})
	for i := range e.grid.Rows {
		e.grid.Rows[i] = append(e.grid.Rows[i], "")
	}
	for k, row := range e.stages {
		if f := a.Stages[k].Share; row >= 0 && f.Low != nil && f.High != nil {
			low, high := reports.PercentRange(*f.Low, *f.High)
			e.grid.Rows[row][len(e.grid.Columns)-1] = low + "–" + high
		}
	}
}

// always reports whether a stage has a row even when it took no time: the one that
// is asked about, and the one that must not be hidden.
func always(stage string) bool { return stage == "queue" || stage == "unattributed" }

// none names the stages that a table leaves out.
func (b *builder) none(without []string) {
	if len(without) > 0 {
		b.hanging(Dim, "  ", "no time in: "+strings.Join(without, ", "))
	}
}

// detailsOf returns the sub-labels of a stage, unless there is but the unnamed one.
func detailsOf(t reports.Tail, stage string) (out []reports.ExcessShare) {
	named := false
	for _, d := range t.Details {
		if d.Stage == stage {
			out = append(out, d)
			named = named || d.Detail != ""
		}
	}
	if !named {
		return nil
	}
	return out
}

func detailName(d reports.ExcessShare) string {
	if d.Detail == "" {
		return "(no detail)"
	}
	return d.Detail
}
