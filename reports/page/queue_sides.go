package page

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/reports"
)

// leastSide is the share, above or below 0, from which on a stage has a row among the sides.
const leastSide = 0.01

// sideTable lays out the other views of a tail. Its columns add up as they are written:
// what small stages have is one row.
type sideTable struct {
	a                     *reports.Attribution
	verbose, bounds       bool
	excess, moved, spread []int64 // tenths of a per cent, by stage
	split                 []int64 // steps of the unit, by stage
	unit                  reports.Unit
	shown                 []int // stages with a row
	serial                bool  // some gain is less than it would be without the bound of parallel branches
}

// sides writes the other views of the tail, stage by stage.
func (b *builder) sides(q *reports.Queue) {
	a := q.Summary.Duration.Attribution
	if a == nil || q.Summary.Verdict.Kind == "none" {
		return
	}
	t := newSideTable(a, q.Summary.Duration.Tail)
	t.verbose, t.bounds = b.o.Verbose, q.Summary.Verdict.Predicts
	b.section("sides", fmt.Sprintf("the same from other sides: %% by stage at %s (n = %s), and gains in %s", a.Q, reports.Integer(a.N), t.unit.Name))
	b.silently(t.gainFigure(&q.Summary))
	b.table(t.grid())
	for _, text := range t.notes() {
		b.hanging(Dim, "  ", text)
	}
	if text := a.CountWords(); text != "" {
		b.hanging(Plain, "  ", text)
	}
}

func newSideTable(a *reports.Attribution, tail reports.Tail) *sideTable {
	t := &sideTable{a: a}
	n := len(a.Stages)
	excess, moved, spread := make([]float64, n), make([]float64, n), make([]float64, n)
	split := make([]int64, n)
	rise := float64(a.QuantileNS - a.MedianNS)
	for k, s := range a.Stages {
		excess[k], spread[k], split[k] = s.Share.Value, s.Covariance, s.ShapleyNS
		if rise > 0 {
			moved[k] = float64(s.MovedNS) / rise
		}
	}
	for k, s := range tail.Stages { // those of the headline
		if s.Share != nil && k < n {
			excess[k] = *s.Share
		}
	}
	t.excess, t.moved, t.spread = reports.Tenths(excess), reports.Tenths(moved), reports.Tenths(spread)
	if tail.ExcessPercents() != nil { // parts that cancel out add up to 1 but for rounding
		t.excess = reports.SplitTenths(excess, 1000)
	}
	if rise > 0 {
		t.moved = reports.SplitTenths(moved, 1000)
	}
	var values []int64
	for k, s := range a.Stages {
		counted := float64(s.Largest) / float64(max(1, a.TailN))
		gained := s.Gain.Value / math.Max(1, float64(a.GainAllNS))
		if always(s.Stage) || max(math.Abs(excess[k]), math.Abs(moved[k]), math.Abs(spread[k]), counted, gained) >= leastSide {
			t.shown = append(t.shown, k)
			values = append(values, gainNS(s.GainBounded), gainNS(s.Gain))
		}
	}
	t.unit = reports.CommonUnit(values...)
	t.split = t.unit.Split(split, t.unit.Steps(a.GainAllNS))
	for _, k := range t.shown {
		t.serial = t.serial || !a.Stages[k].Serial(t.unit)
	}
	return t
}

func gainNS(f reports.Figure) int64 { return int64(f.Value) }

func (t *sideTable) grid() Table {
	g := Table{Columns: []Column{{Text: true}, {Head: "excess"}, {Head: "at " + t.a.Q}, {Head: "spread"}, {Head: "largest in"}, {Head: "gain"}}}
	if t.bounds {
		g.Columns = append(g.Columns, Column{Head: "95 %", Join: true})
	}
	if t.serial {
		g.Columns = append(g.Columns, Column{Head: "unbounded"})
	}
	if t.verbose {
		g.Columns = append(g.Columns, Column{Head: "split"})
	}
	all := make([]int, len(t.a.Stages))
	var others []int
	for k := range all {
		all[k] = k
	}
	at := 0
	for _, k := range all {
		if at < len(t.shown) && t.shown[at] == k {
			g.Rows = append(g.Rows, t.row(t.a.Stages[k].Stage, []int{k}))
			at++
		} else {
			others = append(others, k)
		}
	}
	if t.any(others) {
		g.Rows = append(g.Rows, t.row("other stages", others))
	}
	g.Rows = append(g.Rows, t.row("total", all))
	return g
}

// any reports whether some stage adds to a column that adds up.
func (t *sideTable) any(stages []int) bool {
	for _, k := range stages {
		if t.excess[k] != 0 || t.moved[k] != 0 || t.spread[k] != 0 || t.a.Stages[k].Largest != 0 || t.verbose && t.split[k] != 0 {
			return true
		}
	}
	return false
}

// row sums up some stages. Gains do not add up: those of several stages are left out.
func (t *sideTable) row(name string, stages []int) []string {
	var excess, moved, spread, largest, split, ns int64
	for _, k := range stages {
		excess, moved, spread = excess+t.excess[k], moved+t.moved[k], spread+t.spread[k]
		largest, split, ns = largest+t.a.Stages[k].Largest, split+t.split[k], ns+t.a.Stages[k].ShapleyNS
	}
	at := reports.PercentText(moved)
	if t.a.QuantileNS <= t.a.MedianNS {
		at = absent
	}
	row := []string{name, reports.PercentText(excess), at, reports.PercentText(spread),
		fmt.Sprintf("%s of %s", reports.Integer(largest), reports.Integer(t.a.TailN))}
	gain, bounds, serial := "", "", ""
	if len(stages) == 1 && name == t.a.Stages[stages[0]].Stage {
		s := t.a.Stages[stages[0]]
		gain, serial = t.unit.Format(gainNS(s.GainBounded)), t.unit.Format(gainNS(s.Gain))
		if f := s.GainBounded; f.Low != nil && f.High != nil {
			bounds = t.unit.Format(int64(*f.Low)) + "–" + t.unit.Format(int64(*f.High))
		}
	}
	row = append(row, gain)
	if t.bounds {
		row = append(row, bounds)
	}
	if t.serial {
		row = append(row, serial)
	}
	if t.verbose {
		row = append(row, t.unit.Text(split, ns))
	}
	return row
}

// notes says what the columns are.
func (t *sideTable) notes() []string {
	gain := fmt.Sprintf("gain: what %s would fall by if no request spent more in the stage than the median", t.a.Q)
	if t.serial {
		gain += "; a request gets no shorter than its parallel branches allow, and unbounded is the gain without that"
	}
	notes := []string{fmt.Sprintf("at %s: of the rise from the median to it; spread: of the variance of all; largest in: slow requests; %s: arithmetic, no forecast", t.a.Q, gain)}
	if none := t.a.TailN - t.a.Exceeding(); none > 0 {
		notes = append(notes, fmt.Sprintf("largest in counts no stage for %s of %s: no stage takes longer there than usual", reports.Integer(none), the(t.a.TailN, "slow request")))
	}
	var sum int64
	for k := range t.a.Stages {
		sum += gainNS(t.a.Stages[k].Gain)
	}
	all := reports.Duration(t.a.GainAllNS)
	without := ""
	if t.serial {
		without = ", without the bound of parallel branches"
	}
	switch {
	case t.verbose:
		notes = append(notes, fmt.Sprintf("split: what all stages at once would gain%s, %s, divided among them (Shapley), so that it adds up", without, all))
	case sum != t.a.GainAllNS:
		notes = append(notes, fmt.Sprintf("gains do not add up: all stages at once would gain %s%s (-v divides it among them)", all, without))
	}
	return notes
}
