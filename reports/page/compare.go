package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// same marks a difference that does not stand out from chance.
const same = "~"

func (b *builder) compare(c *reports.Compare) {
	if c.Verdict.Kind == "describes" {
		b.hanging(Plain, "not proven: ", c.Verdict.Reason)
	}
	for _, w := range c.Warnings {
		b.hanging(Plain, "caveat: ", w.Text+" ("+w.ID+")")
	}
	b.blank()
	b.side("base", c.Base)
	b.side("new", c.New)
	why := reasonsOf(c)
	if len(c.Refused) > 0 {
		b.hanging(Plain, "", "figures of such sides say nothing about each other; --force compares them all the same, and --where takes requests that are alike")
		b.contexts(c)
		b.mix(c)
		b.leftOutOfBoth(c, why)
		return
	}
	if c.Base.Population.Used > 0 && c.New.Population.Used > 0 {
		if c.Shifted() {
			b.mix(c)
		}
		b.percentileChanges(c, why)
		b.changeBy(c.By)
		if !c.Shifted() {
			b.mix(c)
		}
		b.moved(c, why)
		b.missedBySide(c, why)
		b.contexts(c)
	}
	b.leftOutOfBoth(c, why)
}

// side writes what one side is.
func (b *builder) side(name string, s reports.ComparedSide) {
	text := fmt.Sprintf("%s: %s of %s requests", s.Label, reports.Integer(s.Population.Used), reports.Integer(s.Population.Requests))
	if s.Population.Words != "" {
		text += ", " + s.Population.Words
	}
	if s.Load.Requests > 0 {
		text += "; " + loadWindow(s.Load)
	}
	if l := s.Load; l.ArrivalRate != nil && l.ConcurrencyMean != nil {
		text += fmt.Sprintf("; %s requests/s, mean %s in flight", reports.Number(*l.ArrivalRate), reports.Number(*l.ConcurrencyMean))
	}
	b.field(name, text)
}

// percentileChanges writes a table a latency: both values, the ratio with its interval,
// and what it came to.
func (b *builder) percentileChanges(c *reports.Compare, why *reasons) {
	notes, marks := changeNotes(c)
	b.section("latency", "how long requests took, new against base"+b.markOf(len(notes) > 0 && notes[0].id != tooFew && notes[0].id != hereNote, 0))
	for _, m := range c.Metrics {
		if m.BaseN == 0 && m.NewN == 0 {
			continue
		}
		var values []int64
		for _, q := range m.Percentiles {
			for _, v := range []*int64{q.BaseNS, q.NewNS} {
				if v != nil {
					values = append(values, *v)
				}
			}
		}
		u := reports.CommonUnit(values...)
		g := Table{ID: "latency-" + slug(m.Metric), Caption: m.Metric, Columns: []Column{{Head: m.Metric + " " + u.Name, Text: true}, {Head: "base"}, {Head: "new"}, {Head: "ratio"}, {Head: "95 %", Join: true}, {Head: "", Text: true, Join: true}}}
		wide := len(g.Columns)
		if equalShown(c, m) || b.o.Verbose {
			g.Columns = append(g.Columns, Column{Head: "alike requests"}, Column{Head: "95 %", Join: true})
			wide = len(g.Columns)
		}
		for _, q := range m.Percentiles {
			missing := why.mark(b, &notes, withoutInterval(q, wide > 6)...)
			g.Rows = append(g.Rows, percentileCells(u, q, b.marked(marks[m.Metric+q.P])+missing)[:wide])
		}
		g.Rows = append(g.Rows, []string{"n", reports.Integer(m.BaseN), reports.Integer(m.NewN), "", "", "", "", ""}[:wide])
		b.table(g)
		if m.Longer != nil && b.o.Verbose {
			b.hanging(Dim, "  ", fmt.Sprintf("a request of new takes longer than one of base with probability %s (Mann-Whitney, %s if requests were independent)",
				reports.Number(*m.Longer), reports.PText(*m.LongerChance)))
		}
	}
	b.footnotes(notes)
}

// withoutInterval returns the ids of the reasons why the ratio of a percentile, and that of
// alike requests if it is shown, have no interval. That of too few requests has a note of
// its own.
func withoutInterval(q reports.PercentileChange, equal bool) (ids []string) {
	if q.Outcome == "too_few" {
		return nil
	}
	if q.Ratio != nil {
		ids = append(ids, q.Ratio.NoInterval)
	}
	if equal && q.Equal != nil {
		ids = append(ids, q.Equal.Ratio.NoInterval)
	}
	return ids
}

// equalShown reports whether ratios of alike requests tell something new: what requests ask
// for has changed, and enough of them are alike.
func equalShown(c *reports.Compare, m reports.MetricChange) bool {
	return c.Shifted() && slices.ContainsFunc(m.Percentiles, func(q reports.PercentileChange) bool { return q.Equal != nil })
}

// marked writes the marks of notes, by their places.
func (b *builder) marked(notes []int) (text string) {
	for _, n := range notes {
		text += " " + mark(b.notes+n+1)
	}
	return text
}

func (b *builder) markOf(is bool, n int) string {
	if !is {
		return ""
	}
	return " " + mark(b.notes+n+1)
}

func percentileCells(u reports.Unit, q reports.PercentileChange, marks string) []string {
	cells := []string{q.P, absent, absent, absent, absent, outcomeText(q.Outcome) + marks, absent, absent}
	if q.BaseNS != nil {
		cells[1] = u.Format(*q.BaseNS)
	}
	if q.NewNS != nil {
		cells[2] = u.Format(*q.NewNS)
	}
	if q.Ratio != nil {
		cells[3], cells[4] = ratioCells(*q.Ratio)
	}
	if q.Equal != nil {
		cells[6], cells[7] = ratioCells(q.Equal.Ratio)
	}
	return cells
}

func ratioCells(f reports.Figure) (value, bounds string) {
	bounds = absent
	if f.Low != nil && f.High != nil {
		bounds = reports.Number(*f.Low) + "–" + reports.Number(*f.High)
	}
	return reports.RatioText(f.Value), bounds
}

// outcomeText writes an outcome as a cell.
func outcomeText(outcome string) string {
	switch outcome {
	case "same":
		return same
	case "describes":
		return "here only"
	case "too_few":
		return "too few"
	}
	return outcome
}

// changeNotes are the footnotes of the percentile tables, and by metric and percentile
// the places of those that are about it. The first is about the intervals.
func changeNotes(c *reports.Compare) (notes []note, about map[string][]int) {
	about = map[string][]int{}
	b := c.Blocks
	switch {
	case !resampled(c):
		if slices.ContainsFunc(c.Metrics, func(m reports.MetricChange) bool {
			return slices.ContainsFunc(m.Percentiles, func(q reports.PercentileChange) bool { return q.Outcome == "same" })
		}) {
			notes = append(notes, note{same, "nothing that counts"})
		}
	case b.Paired:
		notes = append(notes, note{"intervals", fmt.Sprintf("95 %%, from resampling %d %s, the same ones of both sides together; %s: nothing that counts", b.BaseN, b.Kind, same)})
	default:
		notes = append(notes, note{"intervals", fmt.Sprintf("95 %%, from resampling %d %s of base, %s each, and %d of new, %s each; %s: nothing that counts",
			b.BaseN, b.Kind, reports.Period(b.BaseLong), b.NewN, reports.Period(b.NewLong), same)})
	}
	var here, few, other []string // what the notes say, in order
	var keys [2][]string
	for _, m := range c.Metrics {
		if m.BaseN == 0 && m.NewN == 0 { // it has no table
			continue
		}
		for _, q := range m.Percentiles {
			switch q.Outcome {
			case "describes":
				here, keys[0] = append(here, q.Reason), append(keys[0], m.Metric+q.P)
			case "too_few":
				keys[1] = append(keys[1], m.Metric+q.P)
				if min(m.BaseN, m.NewN) >= q.Need { // something else is in the way
					other = append(other, q.Reason)
					continue
				}
				few = append(few, fmt.Sprintf("%s takes %s", q.P, reports.Integer(q.Need)))
			}
		}
	}
	add := func(text note, about map[string][]int, keys []string) {
		for _, key := range keys {
			about[key] = append(about[key], len(notes))
		}
		notes = append(notes, text)
	}
	if here != nil {
		add(note{hereNote, "a large difference that may not come back: " + hereOnly(c, here)}, about, keys[0])
	}
	if few != nil || other != nil {
		add(note{tooFew, strings.Join(append(takes(few), distinct(other)...), "; ")}, about, keys[1])
	}
	return notes, about
}

// takes says how many requests percentiles take, if there are any.
func takes(few []string) []string {
	if few == nil {
		return nil
	}
	return []string{"to judge it, " + strings.Join(distinct(few), ", ") + " requests on either side"}
}

// resampled reports whether intervals were made: some figure that is shown has one, or had
// one that was left out for what it was.
func resampled(c *reports.Compare) bool {
	return slices.ContainsFunc(c.NoIntervals, func(w reports.Warning) bool { return w.ID == "lasting" || w.ID == "too-wide" }) ||
		slices.ContainsFunc(c.Metrics, func(m reports.MetricChange) bool {
			return slices.ContainsFunc(m.Percentiles, func(q reports.PercentileChange) bool { return q.Ratio != nil && q.Ratio.Low != nil }) ||
				m.Mean != nil && hasBounds(*m.Mean) ||
				slices.ContainsFunc(m.At, func(a reports.ChangeAt) bool { return a.Ample && hasBounds(a.ChangeSplit) }) ||
				slices.ContainsFunc(m.Bands, func(b reports.ChangeBand) bool { return b.Ample && hasBounds(b.ChangeSplit) })
		}) ||
		slices.ContainsFunc(c.Rates, func(r reports.RateChange) bool { return r.BaseCount+r.NewCount > 0 && r.Difference.Low != nil })
}

// hasBounds reports whether a figure of a split has an interval; one without parts is not shown.
func hasBounds(s reports.ChangeSplit) bool {
	return len(s.Parts) > 0 && s.Total.LowNS != nil || slices.ContainsFunc(s.Parts, func(part reports.PartChange) bool { return part.LowNS != nil })
}

// hereNote is the id of the footnote on changes that are not proven to last.
const hereNote = "here-only"

// hereOnly says why changes are not proven to last. Incidents are counted for the lowest
// percentile of each latency that lacks them: those above have no more.
func hereOnly(c *reports.Compare, reasons []string) string {
	var counts, out []string
	for _, m := range c.Metrics {
		for _, q := range m.Percentiles {
			if q.Outcome == "describes" && strings.Contains(q.Reason, incidentWord) {
				counts = append(counts, fmt.Sprintf("%s of %s has %s and %s", q.P, m.Metric, reports.Integer(q.BaseIncidents), reports.Integer(q.NewIncidents)))
				break
			}
		}
	}
	for _, r := range distinct(reasons) {
		if !strings.Contains(r, incidentWord) {
			out = append(out, r)
		}
	}
	if counts != nil {
		out = append(out, "it takes 10 separate slow moments on either side, and "+strings.Join(counts, ", "))
	}
	return strings.Join(out, "; ")
}

// incidentWord is in the reason of a percentile that has too few incidents.
const incidentWord = "separate slow moments"

// distinct returns texts without those that were there before.
func distinct(texts []string) (out []string) {
	for _, t := range texts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// mix writes what the requests ask for on both sides, and how much of the change that
// explains.
func (b *builder) mix(c *reports.Compare) {
	title := "what requests ask for"
	if c.Shifted() {
		title += ", which changed: " + strings.Join(c.Verdict.Shifted, ", ")
	}
	b.section("workload", title)
	g := Table{Columns: []Column{{Text: true, Flex: true}, {Head: "base"}, {Head: "new", Join: true}, {Head: "bits apart", Join: true}, {Text: true, Join: true}}}
	var without, cut []string
	for i, m := range c.Mix {
		if m.BaseN == 0 && m.NewN == 0 {
			without = append(without, m.Column)
			continue
		}
		rows := b.mixRows(m)
		g.Rows = append(g.Rows, rows...)
		if of := b.limit.Of(fmt.Sprintf("compare.mix.%d.values", i+1), len(m.Values)); b.limit != nil && len(m.Values) > 0 && of > len(rows) {
			cut = append(cut, m.Column+": "+cutWords(len(rows), of))
		}
	}
	b.table(g)
	for _, words := range cut {
		b.hanging(Dim, "  ", words)
	}
	if len(without) > 0 {
		b.hanging(Dim, "  ", "not recorded: "+strings.Join(without, ", "))
	}
	b.equalWorkload(c)
}

// mostMoved is how many values of a property are usually written.
const mostMoved = 3

func (b *builder) mixRows(m reports.MixShift) [][]string {
	what := same
	switch {
	case m.Unseen:
		what = "not recorded on one side"
	case m.TooFew:
		what = outcomeText("too_few")
	case m.Shifted:
		what = "shifted"
	}
	bits := absent
	if !m.Unseen && !m.TooFew {
		bits = reports.Number(m.Divergence)
	}
	if len(m.Values) == 0 {
		median := func(v *int64) string {
			if v == nil {
				return absent
			}
			return reports.Integer(*v)
		}
		return [][]string{{m.Column + " p50", median(m.BaseMedian), median(m.NewMedian), bits, what}}
	}
	var rows [][]string
	for i, v := range shownOf(b, m.Values, mostMoved) {
		row := []string{m.Column + " " + v.Label, reports.Percent(v.Base) + " %", reports.Percent(v.New) + " %", "", ""}
		if i == 0 {
			row[3], row[4] = bits, what
		}
		rows = append(rows, row)
	}
	return rows
}

// equalWorkload writes how the changes of the duration divide between workload and
// server.
func (b *builder) equalWorkload(c *reports.Compare) {
	if !c.Shifted() && !b.o.Verbose || len(c.Metrics) == 0 {
		return
	}
	for i, m := range c.Metrics {
		if i > 0 && m.Metric != c.Verdict.Metric && !b.o.Verbose {
			continue
		}
		if m.BaseMatched+m.NewMatched > 0 && m.BaseMatched+m.NewMatched < m.BaseN+m.NewN {
			b.hanging(Dim, "  ", fmt.Sprintf("alike requests of %s: the %s %% of base and %s %% of new that have a counterpart", m.Metric,
				reports.Percent(float64(m.BaseMatched)/float64(m.BaseN)), reports.Percent(float64(m.NewMatched)/float64(m.NewN))))
		}
		for _, q := range m.Percentiles {
			if q.Equal == nil || q.BaseNS == nil || q.NewNS == nil || q.P != "p50" && q.P != "p99" && q.P != c.Verdict.P {
				continue
			}
			text := fmt.Sprintf("%s of %s: what is asked for %s, the rest %s", q.P, m.Metric, reports.Signed(q.Equal.WorkloadNS), reports.Signed(q.Equal.ServerNS))
			if q.Equal.UnmatchedNS != 0 {
				text += ", requests without counterpart " + reports.Signed(q.Equal.UnmatchedNS)
			}
			b.hanging(Plain, "  ", text+", in all "+reports.Signed(*q.NewNS-*q.BaseNS))
		}
	}
}

// leftOutOfBoth writes what the latencies do not stand on, on both sides.
func (b *builder) leftOutOfBoth(c *reports.Compare, why *reasons) {
	b.section("left-out", "left out, on both sides")
	g := Table{Columns: []Column{{Text: true}, {Head: "base"}, {Head: "%", Join: true}, {Head: "new"}, {Head: "%", Join: true}, {Head: "difference", Text: false}, {Head: "95 %", Join: true}, {Text: true}}}
	var none []string
	var notes []note
	for _, r := range c.Rates {
		switch {
		case r.Objective != "": // it leaves nothing out
		case r.BaseCount == 0 && r.NewCount == 0 && r.BaseOf > 0 && r.NewOf > 0:
			none = append(none, r.Name)
		default:
			g.Rows = append(g.Rows, rateCells(r.Name, r, why.mark(b, &notes, r.Difference.NoInterval)))
		}
	}
	if len(g.Rows) > 0 {
		b.table(g)
	}
	b.footnotes(notes)
	if len(none) > 0 {
		b.field("  none", strings.Join(none, ", ")+": on either side, n = "+reports.Integer(c.Base.Population.Requests)+" and "+reports.Integer(c.New.Population.Requests))
	}
	for _, s := range []struct {
		name string
		side reports.ComparedSide
	}{{"base", c.Base}, {"new", c.New}} {
		var parts []string
		for _, x := range s.side.Population.Excluded {
			text := x.Kind + ": " + plural(x.N, "request")
			if x.Reason != "" {
				text += " (" + x.Reason + ")"
			}
			parts = append(parts, text)
		}
		if len(parts) == 0 {
			parts = []string{"none"}
		}
		b.field("  "+s.name, strings.Join(parts, ", "))
	}
	if len(c.Refused) == 0 {
		b.field("  rule", "a change counts if "+c.Rule)
	}
}

// rateCells are the name of a rate, the counts and per cents of both sides, the difference with its
// interval, and what it came to.
func rateCells(name string, r reports.RateChange, marks string) []string {
	share := func(n, of int64) string {
		if of == 0 {
			return absent
		}
		return reports.Percent(float64(n) / float64(of))
	}
	row := []string{name, reports.Integer(r.BaseCount), share(r.BaseCount, r.BaseOf), reports.Integer(r.NewCount), share(r.NewCount, r.NewOf), absent, absent, rateText(r.Outcome) + marks}
	if r.BaseOf > 0 && r.NewOf > 0 {
		row[5] = points(r.Difference.Value)
		if r.Difference.Low != nil && r.Difference.High != nil {
			row[6] = points(*r.Difference.Low) + " to " + points(*r.Difference.High)
		}
	}
	return row
}

// points writes a difference of shares in percentage points.
func points(d float64) string {
	text := reports.Percent(d)
	if d > 0 {
		text = "+" + text
	}
	return text
}

func rateText(outcome string) string {
	switch outcome {
	case "slower":
		return "more"
	case "faster":
		return "fewer"
	}
	return outcomeText(outcome)
}
