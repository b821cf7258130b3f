package text

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// bands writes the stage mix of every band that has requests enough for shares: mean
// and share side by side. Without any there is one column of all requests.
func (p *page) bands(l reports.Latency, title string) {
	shown, few := bandsShown(l)
	var all []int64
	for _, b := range shown {
		all = append(all, b.MeanNS)
		for _, s := range b.Stages {
			all = append(all, s.MeanNS)
		}
	}
	u := reports.CommonUnit(all...)
	title = fmt.Sprintf("%s: mean %s and %%", title, u.Name)
	if few != nil {
		title += " " + mark(p.notes+1)
	}
	p.title(title)
	g := grid{columns: []column{{text: true}}}
	var without []string
	var rows []int
	for k, s := range l.All.Stages {
		if s.MeanNS == 0 && s.Share == 0 && !always(s.Stage) {
			without = append(without, s.Stage)
			continue
		}
		rows = append(rows, k)
		g.rows = append(g.rows, []string{s.Stage})
	}
	g.rows = append(g.rows, []string{"mean"}, []string{"slowest"}, []string{"n"})
	for _, b := range shown {
		g.columns = append(g.columns, column{head: b.Band}, column{head: "%", join: true})
		for i, cells := range bandCells(u, b.Mix, rows) {
			g.rows[i] = append(g.rows[i], cells[0], cells[1])
		}
	}
	p.table(g)
	p.footnotes(few)
	p.none(without)
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
