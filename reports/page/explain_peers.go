package page

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// peers compares the stages with those of usual requests, and of those that asked for about the
// same.
func (b *builder) peers(r reports.Request, of string) {
	s := r.Standing
	usual, alike := true, s.Alike != nil
	for _, d := range s.Stages {
		usual, alike = usual && d.MedianNS != nil, alike && d.AlikeNS != nil
	}
	if !usual {
		b.blank()
		are := " are"
		if s.Body == 1 {
			are = " is"
		}
		b.field("peers", plural(s.Body, "usual request")+are+" too few to compare with")
	}
	type medians struct {
		head string
		of   func(reports.StageDifference) int64
	}
	var against []medians
	title := "against the stage medians of "
	if usual {
		title += reports.Integer(s.Body) + " usual requests (ranks 40 to 60 %)"
		against = append(against, medians{"median", func(d reports.StageDifference) int64 { return *d.MedianNS }})
	}
	if alike {
		word := " alike"
		if usual {
			title += " and of "
		} else {
			word = " requests that are alike"
		}
		title += reports.Integer(s.Alike.N) + word
		against = append(against, medians{"alike", func(d reports.StageDifference) int64 { return *d.AlikeNS }})
	}
	if len(against) == 0 {
		return
	}
	var all []int64
	for _, d := range s.Stages {
		all = append(all, d.NS)
		for _, m := range against {
			all = append(all, m.of(d))
		}
	}
	u := reports.CommonUnit(all...)
	b.section(of+"peers", title+", "+u.Name)
	g := Table{Columns: []Column{{Text: true}, {Head: "this"}}}
	for _, m := range against {
		g.Columns = append(g.Columns, Column{Head: m.head}, Column{Head: "difference", Join: true})
	}
	for _, d := range s.Stages {
		// The difference is that of the written figures, so that a row adds up.
		this, met := u.Steps(d.NS), d.NS != 0
		row := []string{d.Stage, u.Text(this, d.NS)}
		for _, m := range against {
			ns := m.of(d)
			median := u.Steps(ns)
			difference := u.Text(this-median, d.NS-ns)
			if d.NS > ns {
				difference = "+" + difference
			}
			row = append(row, u.Text(median, ns), difference)
			met = met || ns != 0
		}
		if met {
			g.Rows = append(g.Rows, row)
		}
	}
	b.table(g)
	b.hanging(Dim, "  ", "medians of stages do not add up to the median request")
	b.blank()
}

// alike says whether what the request asked for makes it slow: where it stands among those that
// asked for about the same, and which stage it is furthest beyond their median in.
func (b *builder) alike(r reports.Request) {
	a := r.Standing.Alike
	if a == nil {
		return
	}
	who := plural(a.N, "other request")
	if a.Model != "" {
		who += " of the same model"
	}
	if a.Least == a.Most {
		who += " with " + plural(a.Least, "prompt token")
	} else {
		who += fmt.Sprintf(" with %s to %s prompt tokens", reports.Integer(a.Least), reports.Integer(a.Most))
	}
	if a.MedianNS == nil {
		b.field("alike", who+": too few to compare with")
		return
	}
	text := fmt.Sprintf("slower than %s of %s", reports.Integer(a.Faster), who)
	if a.Ties > 0 {
		text += fmt.Sprintf(", as slow as %s", reports.Integer(a.Ties))
	}
	text += fmt.Sprintf("; their median is %s", reports.Duration(*a.MedianNS))
	if most := furthest(r.Standing.Stages); r.DurationNS > *a.MedianNS && most != nil {
		text += fmt.Sprintf(", and most of the difference in %s: %s, median %s", most.Stage, reports.Duration(most.NS), reports.Duration(*most.AlikeNS))
	}
	b.field("alike", text)
}

// furthest returns the stage that is the most beyond the median of requests that are alike; nil
// when none is.
func furthest(stages []reports.StageDifference) (most *reports.StageDifference) {
	for k, d := range stages {
		if d.AlikeNS != nil && d.NS > *d.AlikeNS && (most == nil || d.NS-*d.AlikeNS > most.NS-*most.AlikeNS) {
			most = &stages[k]
		}
	}
	return most
}
