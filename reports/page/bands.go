package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// bands writes the stage mix of every band that has requests enough for shares: mean
// and share side by side. Without any there is one column of all requests.
func (b *builder) bands(l reports.Latency, id, title string) {
	shown, few := bandsShown(l)
	var all []int64
	for _, band := range shown {
		all = append(all, band.MeanNS)
		for _, s := range band.Stages {
			all = append(all, s.MeanNS)
		}
	}
	u := reports.CommonUnit(all...)
	title = fmt.Sprintf("%s: mean %s and %%", title, u.Name)
	if few != nil {
		title += " " + mark(b.notes+1)
	}
	b.section(id, title)
	g := Table{Columns: []Column{{Text: true}}}
	var without []string
	var rows []int
	for k, s := range l.All.Stages {
		if s.MeanNS == 0 && s.Share == 0 && !always(s.Stage) {
			without = append(without, s.Stage)
			continue
		}
		rows = append(rows, k)
		g.Rows = append(g.Rows, []string{s.Stage})
	}
	g.Rows = append(g.Rows, []string{"mean"}, []string{"slowest"}, []string{"n"})
	for _, band := range shown {
		g.Columns = append(g.Columns, Column{Head: band.Band}, Column{Head: "%", Join: true})
		for i, cells := range bandCells(u, band.Mix, rows) {
			g.Rows[i] = append(g.Rows[i], cells[0], cells[1])
		}
	}
	b.table(g)
	b.footnotes(few)
	b.none(without)
}

// bandsShown returns the bands with requests enough, or else all requests as one, and
// a note about the others.
func bandsShown(l reports.Latency) (shown []reports.Band, few []note) {
	var names []string
	for _, b := range l.Bands {
		if b.N > 0 && b.N >= l.Tail.MinTail {
			shown = append(shown, b)
			continue
		}
		names = append(names, fmt.Sprintf("%s has %s", b.Band, plural(b.N, "request")))
	}
	if shown == nil {
		shown = []reports.Band{{Band: "all", Mix: l.All}}
	}
	if names == nil {
		return shown, nil
	}
	return shown, []note{{tooFew, strings.Join(names, ", ") + "; shares need " + reports.Integer(l.Tail.MinTail)}}
}

// bandCells returns the value and the share of every row of one band.
func bandCells(u reports.Unit, m reports.Mix, rows []int) (cells [][2]string) {
	means, shares := make([]int64, len(m.Stages)), make([]float64, len(m.Stages))
	for k, s := range m.Stages {
		means[k], shares[k] = s.MeanNS, s.Share
	}
	whole := u.Steps(m.MeanNS)
	steps, percents := u.Split(means, whole), reports.Percents(shares)
	for _, k := range rows {
		cells = append(cells, [2]string{u.Text(steps[k], means[k]), percents[k]})
	}
	all := "100.0"
	if m.MeanNS == 0 {
		all = absent
	}
	return append(cells, [2]string{u.Text(whole, m.MeanNS), all}, [2]string{u.Format(m.MaxNS), ""}, [2]string{reports.Integer(m.N), ""})
}
