package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// byGroups is how many groups have a row.
const byGroups = 20

// by writes a row for every group of requests.
func (b *builder) by(by *reports.By, tailQ string) {
	if by == nil {
		return
	}
	b.section("by", "by "+strings.Join(by.Keys, " and "))
	shown := shownOf(b, by.Groups, byGroups)
	duration := func(g reports.ByGroup) reports.Percentiles { return g.Duration }
	ttft := func(g reports.ByGroup) reports.Percentiles { return g.TTFT }
	u, first := groupUnit(shown, duration), groupUnit(shown, ttft)
	var g Table
	for _, key := range by.Keys {
		g.Columns = append(g.Columns, Column{Head: key, Text: true, Flex: true})
	}
	g.Columns = append(g.Columns, Column{Head: "n"}, Column{Head: "slow"}, Column{Head: "p50 " + u.Name}, Column{Head: "p95"}, Column{Head: "p99"},
		Column{Head: "ttft p95 " + first.Name}, Column{Head: "own slow ones", Text: true})
	var need []string
	streamed := false
	for _, x := range shown {
		var row []string
		for i, v := range x.Values {
			if v == nil {
				row = append(row, "(not recorded)")
			} else {
				row = append(row, value(reports.FieldText(by.Keys[i], *v)))
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
		g.Rows = append(g.Rows, append(row, x.Words))
	}
	n, slow := by.OtherN, by.OtherSlow
	for _, x := range by.Groups[len(shown):] {
		n, slow = n+x.N, slow+x.Slow
	}
	if left := by.OtherGroups + int64(len(by.Groups)-len(shown)); left > 0 {
		row := make([]string, len(g.Columns))
		row[0], row[len(by.Keys)], row[len(by.Keys)+1] = reports.Integer(left)+" more", reports.Integer(n), reports.Integer(slow)
		g.Rows = append(g.Rows, row)
	}
	if !streamed {
		g = g.without(len(by.Keys) + 5)
	}
	b.table(g)
	b.rest(Dim, len(shown), len(by.Groups)+int(by.OtherGroups), "")
	b.hanging(Dim, "  ", fmt.Sprintf("slow: of %s at %s and above; own slow ones: what makes the slow requests of the group itself slow", the(by.Slow, "request"), tailQ))
	slices.Sort(need)
	if need = slices.Compact(need); len(need) > 0 {
		b.hanging(Dim, "  ", "too few requests for some percentiles: "+strings.Join(need, ", "))
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
