package page

import (
	"fmt"
	"time"

	"github.com/tailpath/tailpath/reports"
)

// stampOf writes an instant to the second: a date on the wall clock, else the time since from.
func stampOf(clock string, ns, from int64) string {
	if clock == wall {
		return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05Z07:00")
	}
	return "+" + reports.Period(ns-from)
}

// reportWhen writes when requests were slow: over the time of the report, in incidents and by
// hour of the week.
func (b *builder) reportWhen(d reports.Document) {
	if d.Queue != nil && d.Queue.When.Words != "" {
		b.styled(Plain, d.Queue.When.Words)
	}
	b.figureOf(heatFigure(d))
	if d.Queue != nil {
		b.incidents(d.Queue.When, d.Queue.Summary.Duration.Tail)
	}
	b.hoursOfWeek(d.Report)
}

// incidentRows is how many incidents have a row; the rest are counted.
const incidentRows = 10

// incidents writes the times in which a backlog built up, those in which most was waited, in the
// order of time.
func (b *builder) incidents(w reports.When, t reports.Tail) {
	var means []int64
	shown := w.MostWaited(b.most(incidentRows))
	for _, i := range shown {
		means = append(means, i.MeanNS, i.LongestNS)
	}
	u := reports.CommonUnit(means...)
	table := Table{ID: "incidents", Caption: "incidents: times in which a backlog built up and went again", Columns: []Column{
		{Head: "no."}, {Head: "onset", Text: true}, {Head: "peak", Text: true, Join: true}, {Head: "recovery", Text: true, Join: true}, {Head: "waiting at peak"}, {Head: "hit"},
		{Head: "of them slow"}, {Head: "waited request-s"}, {Head: "mean wait " + u.Name}, {Head: "longest", Join: true},
	}}
	for _, i := range shown {
		at := func(ns int64) string { return stampOf(w.Clock, ns, w.StartNS) }
		onset, recovery := at(i.OnsetNS), at(i.RecoveryNS)
		if i.Begun {
			onset = "before the window"
		}
		if !i.Recovered {
			recovery = "not in the window"
		}
		table.Rows = append(table.Rows, []string{
			reports.Integer(i.No), onset, at(i.PeakNS), recovery, reports.Integer(i.Depth), reports.Integer(i.Hit), reports.Integer(i.Slow),
			reports.Number(i.Waited), u.Format(i.MeanNS), u.Format(i.LongestNS),
		})
	}
	b.blank()
	b.table(table)
	b.lesserIncidents(w, len(table.Rows))
	if len(table.Rows) > 0 {
		b.hanging(Dim, "  ", fmt.Sprintf("slow: among the requests at %s and above", t.Q))
	}
}

// weekdays are the days of a week, Monday first.
var weekdays = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// hourZone is the zone of the hours of a week.
func hourZone(r *reports.Report) string {
	if r.Week != nil && r.Week.Zone != "" {
		return r.Week.Zone
	}
	return "UTC"
}

// hourTable lays out the hours of a week: a row an hour of the day, a column a day. Hours in
// which no request came have no row.
func hourTable(r *reports.Report, t Table, what string, cell func(reports.HourOfWeek) string) Table {
	t.Columns = []Column{{Head: what + ", hour in " + hourZone(r)}}
	for _, day := range weekdays {
		t.Columns = append(t.Columns, Column{Head: day})
	}
	for hour := range 24 {
		row, met := []string{fmt.Sprintf("%02d", hour)}, false
		for range weekdays {
			row = append(row, absent)
		}
		for _, h := range r.Hours {
			if h.Hour == hour && h.Day >= 0 && h.Day < len(weekdays) && h.N > 0 {
				row[1+h.Day], met = cell(h), true
			}
		}
		if met {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// hoursOfWeek writes at which hours of the week requests are slow.
func (b *builder) hoursOfWeek(r *reports.Report) {
	var values []int64
	for _, h := range r.Hours {
		if h.P99 != nil {
			values = append(values, *h.P99)
		}
	}
	if len(values) < 2 { // nothing to set against each other
		return
	}
	u := reports.CommonUnit(values...)
	b.blank()
	b.table(hourTable(r, Table{ID: "hours-of-week", Caption: "p99 of the duration by hour of the week, " + u.Name}, "p99 "+u.Name, func(h reports.HourOfWeek) string { return formatted(u, h.P99) }))
	b.hanging(Dim, "  ", absent+": too few requests for a p99; how many came is in "+hoursTitle)
}
