package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// verdictScale is the unit that the figures of a table of verdicts have in common. Figures are
// whole numbers of a small part of it: ns of a time, thousand-millionths of a share, requests.
type verdictScale struct {
	unit    reports.Unit
	parts   float64 // of the figures in the document
	grouped bool    // thousands are parted by commas
	points  bool    // a difference is one of points of a per cent
	round   rounding
}

// rounding says in which direction figures are rounded to what is written of them. The share that
// met an objective is rounded down, lest 100 % is written of less; and so is the lower bound of
// it, while the upper one is rounded up.
type rounding int

const (
	nearest rounding = iota
	down
	up
)

// The scales whose unit does not follow from the figures. Shares have two decimals, so that
// 99.95 % is told from 100 %.
var (
	requestScale = verdictScale{unit: reports.Unit{NS: 1}, parts: 1, grouped: true}
	shareScale   = verdictScale{unit: reports.Unit{Name: "%", NS: 1e7, Decimals: 2}, parts: 1e9, points: true}
	budgetScale  = verdictScale{unit: reports.Unit{Name: "min", NS: 60e9, Decimals: 1}, parts: 1}
)

// verdictTable is the rows whose figures have one unit.
type verdictTable struct {
	metric string // of a time; else what the rows are
	rows   []reports.VerdictRow
}

// verdictTables parts rows by unit, in the order in which units come first.
func verdictTables(rows []reports.VerdictRow) (out []verdictTable) {
	for _, r := range rows {
		metric := r.Metric
		switch {
		case r.Metric == "budget":
		case r.Unit == "share":
			metric = "share"
		case r.Unit == "requests":
			metric = "requests"
		}
		at := slices.IndexFunc(out, func(t verdictTable) bool { return t.metric == metric })
		if at < 0 {
			at, out = len(out), append(out, verdictTable{metric: metric})
		}
		out[at].rows = append(out[at].rows, r)
	}
	return out
}

// scale returns the unit of a table.
func (t verdictTable) scale() verdictScale {
	switch t.metric {
	case "budget":
		return budgetScale
	case "share":
		return shareScale
	case "requests":
		return requestScale
	}
	var values []int64
	add := func(v *float64) {
		if v != nil {
			values = append(values, wholeOf(*v))
		}
	}
	for _, r := range t.rows {
		for _, c := range []reports.Compact{r.Now, r.Last} {
			add(c.Value)
			add(c.Low)
			add(c.High)
		}
		add(r.Median)
	}
	return verdictScale{unit: finerUnit(values), parts: 1}
}

// finerUnit is the common unit of values of which the small ones must stay apart from each other:
// in seconds, where two decimals show no more of a time below a tenth than one digit, it has three.
func finerUnit(values []int64) reports.Unit {
	const tenth = 100_000_000
	u := reports.CommonUnit(values...)
	if u.Name == "s" && slices.ContainsFunc(values, func(v int64) bool { return v > 0 && v < tenth }) {
		u.Decimals = 3
	}
	return u
}

// head is the head of the first column: what the rows are of, and the unit of all others.
func (t verdictTable) head(s verdictScale) string {
	switch t.metric {
	case "share":
		return "% of requests"
	case "requests":
		return "requests"
	case "budget":
		return "objective, " + s.unit.Name
	}
	return t.metric + " " + s.unit.Name
}

// caption says what the table is of.
func (t verdictTable) caption() string {
	switch t.metric {
	case "share":
		return "requests that failed, or that met an objective"
	case "requests":
		return "requests in use"
	case "budget":
		return "time that was spent of the error budget of 28 days"
	}
	return "percentiles of " + t.metric
}

// label names a row.
func (t verdictTable) label(r reports.VerdictRow) string {
	switch {
	case r.P != "":
		return r.P
	case r.Metric == "slo":
		return "met " + r.Of
	case r.Of != "":
		return r.Of
	case r.Metric == "errors":
		return "failed"
	}
	return r.Metric
}

// wholeOf rounds a figure to a whole number; what no number of 64 bits holds is the largest.
func wholeOf(v float64) int64 {
	const most = 1 << 62
	switch {
	case math.IsNaN(v):
		return 0
	case v >= most:
		return most
	case v <= -most:
		return -most
	}
	return int64(math.Round(v))
}

// inaccuracy is how many parts a share that was divided in floating point may be off.
const inaccuracy = 1e-3

// whole returns a figure as a whole number of the scale's parts.
func (s verdictScale) whole(v float64) int64 {
	step := float64(s.unit.NS)
	for range s.unit.Decimals {
		step /= 10
	}
	switch s.round {
	case down:
		return wholeOf(math.Floor((v*s.parts+inaccuracy)/step) * step)
	case up:
		return wholeOf(math.Ceil((v*s.parts-inaccuracy)/step) * step)
	}
	return wholeOf(v * s.parts)
}

// of returns the scale of a row.
func (s verdictScale) of(r reports.VerdictRow) verdictScale {
	if r.Metric == "slo" {
		s.round = down
	}
	return s
}

// text writes a figure.
func (s verdictScale) text(v *float64) string {
	switch {
	case v == nil:
		return absent
	case s.grouped:
		return reports.Integer(s.whole(*v))
	}
	return s.unit.Format(s.whole(*v))
}

// bounds writes an interval; "0" and "∞" stand for the bounds that are not known.
func (s verdictScale) bounds(low, high *float64) string {
	switch {
	case low == nil && high == nil:
		return absent
	case low != nil && high != nil && *low == *high: // a count, which is what it is
		return ""
	}
	from, to := "0", "∞"
	if low != nil {
		from = s.text(low)
	}
	if high != nil {
		if s.round == down {
			s.round = up
		}
		to = s.text(high)
	}
	return from + "–" + to
}

// less writes a difference, with its sign, as that of the figures as they are written.
func (s verdictScale) less(now, last *float64) string {
	if now == nil || last == nil {
		return absent
	}
	a, b := s.whole(*now), s.whole(*last)
	steps := s.unit.Steps(a) - s.unit.Steps(b)
	if s.grouped {
		return signed(reports.Integer(steps))
	}
	return signed(s.unit.Text(steps, a-b))
}

// lessBounds writes the bounds of a difference with their signs.
func (s verdictScale) lessBounds(f *reports.Figure) string {
	switch {
	case f == nil || f.Low == nil || f.High == nil:
		return absent
	case *f.Low == *f.High:
		return ""
	}
	bound := func(v float64) string { return signed(s.text(&v)) }
	return bound(*f.Low) + " to " + bound(*f.High)
}

// signed writes a plus before a number that is written as more than 0.
func signed(text string) string {
	if strings.HasPrefix(text, "-") || strings.Trim(text, "0.") == "" {
		return text
	}
	return "+" + text
}

// outcomeCell says in a word, with an arrow, what became of a figure; ~ is for a change that
// chance makes as well, and "here only" for one that says nothing of other captures.
func outcomeCell(outcome string) string {
	switch outcome {
	case "higher":
		return "▲ higher"
	case "lower":
		return "▼ lower"
	case "same":
		return "~"
	case "describes":
		return "here only"
	}
	return "unknown"
}

// caveats writes what limits the verdict.
func (b *builder) caveats(d reports.Document) {
	if s := reportSummary(d); s != nil {
		for _, c := range s.Verdict.Caveats {
			b.hanging(Plain, "caveat: ", withID(c))
		}
	}
}

// reportVerdict writes what was observed, with how sure that is, beside what was before.
func (b *builder) reportVerdict(d reports.Document) {
	r := d.Report
	b.caveats(d)
	if len(r.Verdicts) == 0 || usable(d) == 0 && len(r.Before) == 0 {
		b.styled(Plain, "no figure is known: no request could be used")
		return
	}
	if len(r.Before) == 0 {
		b.styled(Dim, noBaseline)
	}
	var notes []note
	var unknown []verdictTable
	for _, t := range verdictTables(r.Verdicts) {
		if t.unknown() {
			unknown = append(unknown, t)
			continue
		}
		b.blank()
		notes = b.verdicts(r, t, notes)
	}
	b.footnotes(notes)
	b.unknownFigures(unknown)
	if len(r.Before) > 0 {
		b.styled(Dim, "~: chance makes such a change as well, or it is too small to count; here only: the captures, or a document in place of tables, hold too little to tell it from chance")
	}
}

// unknown reports whether no figure of a table is known, now or before.
func (t verdictTable) unknown() bool {
	return !slices.ContainsFunc(t.rows, func(r reports.VerdictRow) bool {
		return r.Now.Value != nil || r.Last.Value != nil || r.Median != nil
	})
}

// unknownFigures says of what no figure is known, and why, in place of tables without a number. Of
// percentiles it is the reason of the least, which takes the fewest requests.
func (b *builder) unknownFigures(list []verdictTable) {
	var reasons []string
	of := map[string][]string{}
	for _, t := range list {
		why := cmp.Or(t.rows[0].Why, "nothing is recorded of it")
		if of[why] == nil {
			reasons = append(reasons, why)
		}
		name := t.caption()
		switch t.metric {
		case "share", "requests", "budget":
		default:
			name = t.metric
		}
		of[why] = append(of[why], name)
	}
	for _, why := range reasons {
		b.hanging(Dim, "not known: ", strings.Join(of[why], ", ")+": "+why)
	}
}

// medianHead is the head of the column of medians: of four, or of as many as there are where that
// is the same in every row. It is empty where nothing has a median.
func medianHead(r *reports.Report, rows []reports.VerdictRow) (head string, same bool) {
	of, known := int64(4), false
	same = true
	for _, row := range rows {
		if row.Median == nil {
			continue
		}
		if known && row.Of4 != of {
			return "median of 4", false
		}
		of, known = row.Of4, true
	}
	if !known || len(r.Before) < 2 { // that of one is what stands beside it
		return "", true
	}
	return "median of " + reports.Integer(of), true
}

// verdicts writes one table, and adds to the notes each reason why something is not known.
func (b *builder) verdicts(r *reports.Report, t verdictTable, notes []note) []note {
	s := t.scale()
	compared := len(r.Before) > 0
	median, same := medianHead(r, t.rows)
	table := Table{ID: idWith("verdict", t.metric), Caption: t.caption(), Columns: []Column{
		{Head: t.head(s), Text: true, Flex: true, Told: true}, {Head: "now"}, {Head: "95 %", Join: true}, {Head: "n"},
	}}
	if compared {
		table.Columns = append(table.Columns, Column{Head: lastName(r)})
		if median != "" {
			table.Columns = append(table.Columns, Column{Head: median})
		}
		change := Column{Head: "change"}
		if s.points {
			change.Head = "change, points"
		}
		table.Columns = append(table.Columns, change, Column{Head: "95 %", Join: true})
		if !s.points { // per cent of a per cent say little
			table.Columns = append(table.Columns, Column{Head: "%"})
		}
		table.Columns = append(table.Columns, Column{Text: true, Join: true})
	}
	for _, row := range t.rows {
		s := s.of(row)
		cells := []string{t.label(row), s.text(row.Now.Value), s.bounds(row.Now.Low, row.Now.High), reports.Integer(row.Now.N)}
		mark := ""
		if row.Why != "" && (compared || row.Now.Value == nil) {
			notes, mark = b.noted(notes, row.Why)
		}
		if !compared {
			cells[0] += mark
			table.Rows = append(table.Rows, cells)
			continue
		}
		cells = append(cells, s.text(row.Last.Value))
		if median != "" {
			cell := s.text(row.Median)
			if row.Median != nil && !same && row.Of4 != 4 {
				var of string
				notes, of = b.noted(notes, fmt.Sprintf("of %d: so many of the four before are complete and have the figure", row.Of4))
				cell += of
			}
			cells = append(cells, cell)
		}
		cells = append(cells, s.less(row.Now.Value, row.Last.Value), s.lessBounds(row.Change))
		if !s.points {
			cells = append(cells, percentOf(row))
		}
		table.Rows = append(table.Rows, append(cells, outcomeCell(row.Outcome)+mark))
	}
	b.table(table)
	return notes
}

// noted adds a footnote unless there is one that says the same, and returns its mark.
func (b *builder) noted(notes []note, text string) ([]note, string) {
	at := slices.IndexFunc(notes, func(n note) bool { return n.text == text })
	if at < 0 {
		at, notes = len(notes), append(notes, note{"", text})
	}
	return notes, " " + mark(b.notes+at+1)
}

// percentOf writes by how many per cent a figure differs from what it was. It is worked out of
// the two figures, so that the row agrees with itself.
func percentOf(r reports.VerdictRow) string {
	if r.Percent == nil || r.Now.Value == nil || r.Last.Value == nil || *r.Last.Value == 0 {
		return absent
	}
	share := (*r.Now.Value - *r.Last.Value) / math.Abs(*r.Last.Value)
	tenths := reports.Tenths([]float64{share})[0]
	return signed(reports.PercentText(tenths))
}
