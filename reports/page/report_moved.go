package page

import (
	"cmp"
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// reportMoved writes what the change of the slow requests is made of, and then where the time
// of fast and slow requests goes.
func (b *builder) reportMoved(d reports.Document) {
	r := d.Report
	switch m := r.Moved; {
	case m == nil: // as the verdict says
	case len(m.Stages) == 0:
		b.styled(Plain, "what moved cannot be told: "+cmp.Or(m.Why, "nothing tells why"))
	default:
		b.contributionsTo(r, m)
	}
	b.figureOf(stackFigure(d))
	b.figureOf(tailFigure(d))
}

// contributionsTo draws and writes what each stage adds to the change. Old and new times add up to their
// sums as they are written, and in every row the change is new less old.
func (b *builder) contributionsTo(r *reports.Report, m *reports.Moved) {
	change := m.NewNS - m.OldNS
	values := []int64{m.OldNS, m.NewNS}
	var stages []reports.MovedStage
	var before, now []int64
	var shares []float64
	var without []string
	divided := change != 0
	for _, s := range m.Stages {
		if s.OldNS == 0 && s.NewNS == 0 {
			without = append(without, s.Stage)
			continue
		}
		share := 0.0
		if s.Share == nil {
			divided = false
		} else {
			share = *s.Share
		}
		stages, before, now, shares = append(stages, s), append(before, s.OldNS), append(now, s.NewNS), append(shares, share)
		values = append(values, s.OldNS, s.NewNS)
	}
	u := reports.CommonUnit(values...)
	oldWhole, newWhole := u.Steps(m.OldNS), u.Steps(m.NewNS)
	oldSteps, tenths := u.Split(before, oldWhole), reports.SplitTenths(shares, 1000)
	newSteps := splitLike(u, before, oldSteps, now, newWhole)
	t := Table{
		ID: "contributions", Caption: fmt.Sprintf("mean time of the slow requests (%s and above) by stage", m.Q),
		Columns: []Column{{Head: "stage", Text: true}, {Head: lastName(r) + " " + u.Name}, {Head: "now " + u.Name}, {Head: "change " + u.Name}, {Head: "% of change"}},
	}
	row := func(name string, was, is, wasNS, isNS int64, percent string) {
		if !divided {
			percent = absent
		}
		steps := is - was
		t.Rows = append(t.Rows, []string{name, u.Text(was, wasNS), u.Text(is, isNS), signed(u.Text(steps, isNS-wasNS)), percent})
	}
	for i, s := range stages {
		row(s.Stage, oldSteps[i], newSteps[i], s.OldNS, s.NewNS, reports.PercentText(tenths[i]))
	}
	row("total", oldWhole, newWhole, m.OldNS, m.NewNS, "100.0")
	b.figure(changeOf(r, m, u))
	b.table(t)
	b.none(without)
}

// splitLike writes parts as numbers of steps that add up to whole, those that are what they were
// as they were written then: what did not change has no change.
func splitLike(u reports.Unit, before, steps, now []int64, whole int64) []int64 {
	var moved []int64
	for i, ns := range now {
		if ns == before[i] {
			whole -= steps[i]
			continue
		}
		moved = append(moved, ns)
	}
	moved = u.Split(moved, whole)
	out := make([]int64, len(now))
	for i, ns := range now {
		if ns == before[i] {
			out[i] = steps[i]
			continue
		}
		out[i], moved = moved[0], moved[1:]
	}
	return out
}
