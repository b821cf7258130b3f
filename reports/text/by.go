package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// byGroups is how many groups have a row.
const byGroups = 20

// by writes a row for every group of requests.
func (p *page) by(b *reports.By, tailQ string) {
	if b == nil {
		return
	}
	p.title("by " + p.clean(strings.Join(b.Keys, " and ")))
	shown := b.Groups[:min(len(b.Groups), byGroups)]
	duration := func(g reports.ByGroup) reports.Percentiles { return g.Duration }
	ttft := func(g reports.ByGroup) reports.Percentiles { return g.TTFT }
	u, first := groupUnit(shown, duration), groupUnit(shown, ttft)
	var g grid
	for _, key := range b.Keys {
		g.columns = append(g.columns, column{head: p.clean(key), text: true, flex: true})
	}
	g.columns = append(g.columns, column{head: "n"}, column{head: "slow"}, column{head: "p50 " + u.Name}, column{head: "p95"}, column{head: "p99"},
		column{head: "ttft p95 " + first.Name}, column{head: "own slow ones", text: true})
	var need []string
	streamed := false
	for _, x := range shown {
		var row []string
		for i, v := range x.Values {
			if v == nil {
				row = append(row, "(not recorded)")
			} else {
				row = append(row, p.value(reports.FieldText(b.Keys[i], *v)))
			}
		}
		row = append(row, reports.Integer(x.N), reports.Integer(x.Slow))
		cell := func(u reports.Unit, m reports.Percentiles, at string) {
			q := percentileAt(m, at)
			row = append(row, formatted(u, q.ValueNS))
			if q.ValueNS == nil && m.N > 0 && q.Need > 0 {
				need = append(need, fmt.Sprintf("%s needs %s", at, reports.Integer(q.Need)))
			}
		}
		for _, at := range []string{"p50", "p95", "p99"} {
			cell(u, x.Duration, at)
		}
		cell(first, x.TTFT, "p95")
		streamed = streamed || x.TTFT.N > 0
		g.rows = append(g.rows, append(row, x.Words))
	}
	n, slow := b.OtherN, b.OtherSlow
	for _, x := range b.Groups[len(shown):] {
		n, slow = n+x.N, slow+x.Slow
	}
	if left := b.OtherGroups + int64(len(b.Groups)-len(shown)); left > 0 {
		row := make([]string, len(g.columns))
		row[0], row[len(b.Keys)], row[len(b.Keys)+1] = reports.Integer(left)+" more", reports.Integer(n), reports.Integer(slow)
		g.rows = append(g.rows, row)
	}
	if !streamed {
		g = g.without(len(b.Keys) + 5)
	}
	p.table(g)
	p.hanging(dim, "  ", fmt.Sprintf("slow: of %s at %s and above; own slow ones: what makes the slow requests of the group itself slow", the(b.Slow, "request"), tailQ))
	slices.Sort(need)
	if need = slices.Compact(need); len(need) > 0 {
		p.hanging(dim, "  ", "too few requests for some percentiles: "+strings.Join(need, ", "))
	}
}

// percentileAt returns a percentile by its name; one without a value when it is not there.
func percentileAt(m reports.Percentiles, at string) reports.Percentile {
	for _, q := range m.Percentiles {
		if q.P == at {
			return q
		}
	}
	return reports.Percentile{}
}

// groupUnit is the unit that the percentiles of all groups are written in.
func groupUnit(groups []reports.ByGroup, of func(reports.ByGroup) reports.Percentiles) reports.Unit {
	var values []int64
	for _, g := range groups {
		for _, at := range []string{"p50", "p95", "p99"} {
			if q := percentileAt(of(g), at); q.ValueNS != nil {
				values = append(values, *q.ValueNS)
			}
		}
	}
	return reports.CommonUnit(values...)
}
