package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// The titles of the sections that a reader opens, by which others point to them.
const (
	distributionTitle = "details: the distribution"
	overTimeTitle     = "details: over time"
	hoursTitle        = "details: hours of the week"
	streamTitle       = "details: one stream"
	definitionsTitle  = "details: what figures mean"
)

// fold starts a section of detail.
func (b *builder) fold(id, title string) {
	b.section(id, title)
	b.page.Sections[len(b.page.Sections)-1].Folded = true
}

// reportDetails writes what the charts are drawn from in full, and the requests that the report
// shows.
func (b *builder) reportDetails(d reports.Document) {
	b.distributionDetails(d)
	b.timeDetails(stretchesOf(d))
	b.hourDetails(d.Report)
	if s, ok := streamOf(d.Report); ok {
		b.fold("details-stream", streamTitle)
		chunks := chunksOf(s)
		shown := shownOf(b, chunks, chunkRows)
		b.table(gapTable(Table{ID: "chunks", Caption: "every chunk of trace " + s.Request.TraceID}, shown))
		if more := int64(len(chunks) - len(shown)); more > 0 && b.limit == nil {
			b.styled(Dim, fmt.Sprintf("and %s later", plural(more, "chunk")))
		}
		b.rest(Dim, len(shown), len(chunks), "")
	}
	if s := reportSummary(d); s != nil {
		b.pathSection(s.Path)
	}
	b.exemplars(d)
	b.definitionDetails(d)
}

// quantileRows is how many quantiles have a row: the largest of each step of the grid.
const quantileRows = 40

// distributionDetails writes the histogram and the quantiles of each distribution.
func (b *builder) distributionDetails(d reports.Document) {
	if usable(d) < leastCharted {
		return
	}
	first := true
	for _, x := range d.Report.Distribution {
		if len(x.Quantiles) == 0 {
			continue
		}
		if first {
			b.fold("details-distribution", distributionTitle)
			first = false
		}
		b.table(histogramTable(x))
		b.table(quantileTable(x))
	}
}

// histogramTable writes how many requests took how long. Cells before the first and behind the
// last that hold something have no row.
func histogramTable(x reports.Distribution) Table {
	t := Table{ID: idWith("histogram", x.Metric), Caption: "requests by " + x.Metric}
	if len(x.Edges) != len(x.Counts)+1 {
		return t
	}
	from, to := 0, len(x.Counts)
	for from < to && x.Counts[from] == 0 {
		from++
	}
	for to > from && x.Counts[to-1] == 0 {
		to--
	}
	unit, format := edgeFormat(x.Edges[from:min(len(x.Edges), to+1)])
	t.Columns = []Column{{Head: "from" + unit}, {Head: "to" + unit, Join: true}, {Head: "n"}}
	for i := from; i < to; i++ {
		low := format(x.Edges[i])
		if i == 0 {
			low = "0"
		}
		t.Rows = append(t.Rows, []string{low, format(x.Edges[i+1]), reports.Integer(x.Counts[i])})
	}
	return t
}

// edgeFormat returns how the edges of cells are written: in one unit, which stands in the head of the
// column, or each in its own where one unit would write two of them alike.
func edgeFormat(edges []int64) (unit string, format func(int64) string) {
	u := reports.CommonUnit(edges...)
	for i := 1; i < len(edges); i++ {
		if u.Format(edges[i]) == u.Format(edges[i-1]) {
			return "", reports.Duration
		}
	}
	return " " + u.Name, u.Format
}

// quantileTable writes some of the quantiles that the chart is drawn through, among them the
// first and the last.
func quantileTable(x reports.Distribution) Table {
	var values []int64
	var shown []reports.Quantile
	last := len(x.Quantiles) - 1
	step := max(1, (last+quantileRows-1)/quantileRows)
	for i, q := range x.Quantiles {
		if i%step == 0 || i == last {
			shown, values = append(shown, q), append(values, q.NS)
		}
	}
	u := reports.CommonUnit(values...)
	t := Table{ID: idWith("quantiles", x.Metric), Caption: "share of the requests above a " + x.Metric + ", of " + reports.Integer(x.N), Columns: []Column{{Head: x.Metric + " " + u.Name}, {Head: "% above"}}}
	for _, q := range shown {
		t.Rows = append(t.Rows, []string{u.Format(q.NS), reports.Number(100 * q.Above)})
	}
	return t
}

// timeDetails writes every stretch of time, and the cells of the heat map.
func (b *builder) timeDetails(o overTime) {
	if o.n == 0 {
		return
	}
	b.fold("details-over-time", overTimeTitle)
	columns := append(append(o.latencyColumns(), o.trafficColumns()...), o.waitingColumns()...)
	b.table(o.stretchTable(Table{ID: "over-time", Caption: "stretches of " + o.length()}, allOf(o.n), columns...))
	b.table(o.cellTable())
}

// cellTable writes the cells of the heat map: a row a stretch with how many requests took how
// long, so that a row is a distribution.
func (o overTime) cellTable() Table {
	unit, format := edgeFormat(o.Levels)
	t := Table{ID: "heat-cells", Caption: "requests by how long they took", Columns: []Column{{Head: "from", Text: true}, {Head: "from" + unit + ": requests", Text: true, Below: true}}}
	for i := range o.n {
		var cells []string
		if i < len(o.Counts) {
			for k, n := range o.Counts[i] {
				if n > 0 && k < len(o.Levels) {
					low := format(o.Levels[k])
					if k == 0 {
						low = "0"
					}
					cells = append(cells, low+": "+reports.Integer(n))
				}
			}
		}
		if cells != nil {
			t.Rows = append(t.Rows, []string{o.stamp(i), strings.Join(cells, ", ")})
		}
	}
	return t
}

// hourDetails writes how many requests came in each hour of the week.
func (b *builder) hourDetails(r *reports.Report) {
	if len(r.Hours) < 2 {
		return
	}
	t := hourTable(r, Table{ID: "hours-requests", Caption: "requests by hour of the week"}, "requests", func(h reports.HourOfWeek) string { return reports.Integer(h.N) })
	if len(t.Rows) > 0 {
		b.fold("details-hours", hoursTitle)
		b.table(t)
	}
}

// exemplars writes the requests that the report shows, each with why it was chosen.
func (b *builder) exemplars(d reports.Document) {
	for i, r := range d.Requests {
		var roles []string
		for _, e := range d.Report.Exemplars {
			if e.Request.TraceID != r.TraceID || e.Request.RootSpanID != r.RootSpanID {
				continue
			}
			role := e.Role
			if e.Of != "" {
				role += " of " + e.Of
			} else {
				role += " of all"
			}
			roles = append(roles, role)
		}
		title := fmt.Sprintf("request %d", i+1)
		if roles != nil {
			title += ": " + strings.Join(roles, ", ")
		}
		b.fold(fmt.Sprintf("request-%d", i+1), title)
		b.styled(Plain, r.Headline)
		b.field("trace", r.TraceID)
		b.field("request", describe(r))
		b.field("started", moment(r.Clock, r.StartNS)+took(r))
		b.waterfallFigure(r)
		b.waterfall(r, fmt.Sprintf("request-%d-", i+1))
		if len(r.Path) > 0 {
			b.field("path", stageSums(r))
		}
		for _, w := range r.Waits {
			b.field("waited", fmt.Sprintf("%s, %s", reports.Duration(w.WaitNS), w.Words))
		}
	}
	b.tooLong(d.Report)
}

// tooLong names the requests whose paths are too long to be drawn.
func (b *builder) tooLong(r *reports.Report) {
	named := map[reports.RequestRef]bool{}
	for _, e := range r.Exemplars {
		if e.Segments == 0 || named[e.Request] {
			continue
		}
		if len(named) == 0 {
			b.fold("requests-too-long", "requests too long to draw")
		}
		named[e.Request] = true
		b.field("trace", fmt.Sprintf("%s, %s: its path has %s; tailpath explain FILE... %s shows it", e.Request.TraceID, reports.Duration(e.Request.NS), plural(e.Segments, "segment"), e.Request.TraceID))
	}
}
