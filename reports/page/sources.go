package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// joinedWords says how many requests several sources tell of, and how that is known;
// empty when there are none.
func joinedWords(j reports.Joining) string {
	if j.Joined == 0 {
		return ""
	}
	var by []string
	for _, b := range j.ByBasis {
		text := b.Name
		if len(j.ByBasis) > 1 {
			text += fmt.Sprintf(" (%s)", reports.Integer(b.N))
		}
		by = append(by, text)
	}
	return fmt.Sprintf("%s of %s are told by several, joined by %s", reports.Integer(j.Joined), plural(j.Requests, "request"), strings.Join(by, ", "))
}

// retriedWords says how many attempts there were where one was not enough; empty for none.
func retriedWords(j reports.Joining) string {
	if j.Retried == 0 {
		return ""
	}
	return fmt.Sprintf("%s at the %s that took more than one", reports.Integer(j.Attempts), plural(j.Retried, "request"))
}

// joined writes how requests were put together of traces and records.
func (b *builder) joined(j reports.Joining) {
	if j.Joined == 0 && j.Retried == 0 && len(j.Issues) == 0 {
		return
	}
	b.title("what was joined")
	if j.Joined > 0 {
		var by []string
		for _, u := range j.ByUnits {
			one := "by " + reports.Integer(u.Units)
			if u.Units == 1 {
				one = "by 1 trace or record"
			}
			by = append(by, reports.Integer(u.N)+" told "+one)
		}
		b.field("  requests", strings.Join(by, ", "))
		by = nil
		for _, basis := range j.ByBasis {
			by = append(by, reports.Integer(basis.N)+" by "+basis.Name)
		}
		b.field("  joined", strings.Join(by, ", "))
	}
	if j.Retried > 0 {
		b.field("  attempts", fmt.Sprintf("%s at %s", reports.Integer(j.Attempts), plural(j.Retried, "request")))
	}
	if len(j.Issues) > 0 {
		var issues []string
		for _, d := range j.Issues {
			issues = append(issues, reports.Integer(d.N)+" "+d.Name)
		}
		b.field("  issues", strings.Join(issues, ", ")+" (see input quality)")
	}
}

// clocks writes how far each clock is off, and what that is used for.
func (b *builder) clocks(c reports.Clocks) {
	if len(c.Clocks) == 0 && len(c.Lines) == 0 {
		return
	}
	b.section("clocks", "clocks, by the calls between hosts")
	if len(c.Clocks) > 0 {
		b.offsets(c)
	}
	for _, l := range c.Lines {
		b.hanging(Plain, "  ", l.Advice+"; nothing was moved by it")
	}
	if b.o.Verbose {
		b.stretches(c)
	}
}

// offsets writes the table of clocks and what is done about them.
func (b *builder) offsets(c reports.Clocks) {
	g := Table{Columns: []Column{
		{Head: "clock", Text: true, Flex: true, Path: true}, {Head: "ahead by"}, {Head: "±"}, {Head: "of", Text: true, Flex: true, Path: true}, {Head: "calls"}, {Head: "against"}, {Head: "stretches"},
	}}
	single, clean := true, true
	for _, o := range c.Clocks {
		single, clean = single && len(o.Stretches) < 2, clean && o.Violated+o.Broken == 0
	}
	shown := shownOf(b, c.Clocks, seenShown)
	for _, o := range shown {
		offset, bound := offsetCells(o)
		reference := o.Reference
		if o.Clock == o.Reference {
			offset, bound, reference = "reference", "", ""
		}
		row := []string{o.Clock, offset, bound, reference, reports.Integer(o.Calls), reports.Integer(o.Violated + o.Broken), reports.Integer(int64(len(o.Stretches)))}
		g.Rows = append(g.Rows, row)
	}
	if single {
		g.drop(len(g.Columns) - 1)
	}
	if clean {
		g.drop(5)
	}
	b.table(g)
	b.rest(Plain, len(shown), len(c.Clocks), fmt.Sprintf("and %d more that are off by less", len(c.Clocks)-len(shown)))
	b.hanging(Dim, "  ", clockUse(c))
	for _, o := range c.Clocks {
		if o.Advice != "" {
			b.hanging(Plain, "  ", o.Advice+"; nothing was moved by it")
		}
	}
}

// drop takes a column out.
func (g *Table) drop(column int) {
	g.Columns = append(g.Columns[:column:column], g.Columns[column+1:]...)
	for i, row := range g.Rows {
		g.Rows[i] = append(row[:column:column], row[column+1:]...)
	}
}

// offsetCells writes an offset and its error; of a clock that drifts, the range of the
// offsets and the greatest error.
func offsetCells(o reports.ClockOffset) (offset, bound string) {
	var low, high, most int64
	known := 0
	for _, s := range o.Stretches {
		if s.OffsetNS == nil || s.ErrorNS == nil {
			continue
		}
		at := *s.OffsetNS
		if negligible(s) {
			at = 0
		}
		if known == 0 {
			low, high = at, at
		}
		known++
		low, high, most = min(low, at), max(high, at), max(most, *s.ErrorNS)
	}
	switch {
	case known == 0:
		return "durations only", absent
	case low != high:
		offset = reports.Offset(low, most) + " to " + reports.Offset(high, most)
	default:
		offset = reports.Offset(low, most)
	}
	if unknown := len(o.Stretches) - known; unknown > 0 {
		offset += fmt.Sprintf("; durations only in %d", unknown)
	}
	return offset, reports.Period(most)
}

// negligible reports whether the offset of a stretch is nothing beside its error: less
// than a thousandth of it.
func negligible(s reports.Stretch) bool {
	return s.OffsetNS != nil && s.ErrorNS != nil && math.Abs(float64(*s.OffsetNS)) < float64(*s.ErrorNS)/1000
}

// clockUse says what offsets are used for.
func clockUse(c reports.Clocks) string {
	off := false
	for _, o := range c.Clocks {
		for _, s := range o.Stretches {
			off = off || s.OffsetNS == nil || *s.OffsetNS != 0 && !negligible(s)
		}
	}
	switch {
	case c.Mode == "adjust":
		return "times of paths are moved by these offsets (--clock adjust); recorded times stay as they are"
	case off:
		return "times are as recorded, and what does not fit into its caller is placed by its duration; --clock adjust moves them by these offsets"
	}
	return "no clock needs to be off: times are as recorded"
}

// stretchesShown is how many stretches of one clock are listed.
const stretchesShown = 50

// stretches lists the offsets of every clock that has several.
func (b *builder) stretches(c reports.Clocks) {
	g := Table{Columns: []Column{
		{Head: "clock", Text: true, Flex: true, Path: true}, {Head: "from", Text: true}, {Head: "for"}, {Head: "ahead by"}, {Head: "±"}, {Head: "calls"}, {Head: "against"},
	}}
	of := 0
	for _, o := range c.Clocks {
		if len(o.Stretches) < 2 {
			continue
		}
		for _, s := range shownOf(b, o.Stretches, stretchesShown) {
			offset, bound := offsetCells(reports.ClockOffset{Stretches: []reports.Stretch{s}})
			g.Rows = append(g.Rows, []string{o.Clock, reports.TimeMilli(s.FromNS), reports.Period(s.ToNS - s.FromNS), offset, bound, reports.Integer(s.Calls), reports.Integer(s.Violated)})
		}
		of += len(o.Stretches)
	}
	if len(g.Rows) == 0 {
		return
	}
	b.section("stretches", "stretches of clocks that drift or were set")
	b.table(g)
	b.rest(Plain, len(g.Rows), of, fmt.Sprintf("and %d more", of-len(g.Rows)))
}

// engines lists the engines with the most that ran at once and what shows their limit.
func (b *builder) engines(list []reports.Engine) {
	if len(list) == 0 {
		return
	}
	b.title("engines")
	g := Table{Columns: []Column{
		{Head: "engine", Text: true, Flex: true}, {Head: "requests"}, {Head: "peak"}, {Head: "limit"}, {Head: "readings"}, {Head: "what shows the limit", Text: true, Below: true},
	}}
	var notes []note
	shown := shownOf(b, list, seenShown)
	for _, e := range shown {
		limit, shows := absent, ""
		if l := e.Limit; l != nil {
			limit, shows = reports.Integer(l.Value), limitWords(*l, e.Batches)
			if e.Batches {
				limit = batches(l.Value)
			}
		}
		name, peak := e.Name, reports.Integer(e.Peak)
		if e.Batches {
			peak = batches(e.Peak)
		}
		if text := engineDoubt(e); text != "" {
			k := slices.Index(notes, note{text: text})
			if k < 0 {
				k = len(notes)
				notes = append(notes, note{text: text})
			}
			name += " " + mark(b.notes+k+1)
		}
		g.Rows = append(g.Rows, []string{name, reports.Integer(e.Requests), peak, limit, reports.Integer(e.Readings), shows})
	}
	b.table(g)
	b.rest(Plain, len(shown), b.limit.Of("inspect.engines", len(list)), fmt.Sprintf("and %d more", len(list)-len(shown)))
	b.footnotes(notes)
}

// limitWords says how it is known that no more can run.
func limitWords(l reports.SlotLimit, batches bool) string {
	unit := "requests"
	if batches {
		unit = "batches"
	}
	share := reports.Percent(l.Share) + " %"
	if l.Basis == "readings" {
		return fmt.Sprintf("%s of the readings while others waited (%s)", share, reports.Integer(l.Visits))
	}
	return fmt.Sprintf("%s ran for %s of the time in which others waited (%s), filled up again %s times", unit, share, reports.Duration(l.NS), reports.Integer(l.Visits))
}

// engineDoubt says what is not known of an engine.
func engineDoubt(e reports.Engine) string {
	var parts []string
	switch {
	case e.Partial && e.Coverage != nil:
		parts = append(parts, fmt.Sprintf("not all of its requests are known: %s for each that its readings count", reports.Number(*e.Coverage)))
	case e.Partial:
		parts = append(parts, "not all of its requests are known: traces are sampled")
	}
	if e.Ambiguous > 0 {
		parts = append(parts, plural(e.Ambiguous, "reading")+" may be of another engine, and are not used")
	}
	if e.Clock == none {
		parts = append(parts, "durations alone are recorded: what ran at once is not known")
	}
	return strings.Join(parts, "; ")
}

// leastQueueShare is the share of the mean time of the slow, or of all, from which on the
// causes of queueing are told.
const leastQueueShare = 0.01

// queueing says why the slow requests waited, and all of them.
func (b *builder) queueing(s *reports.Summary) {
	q := s.Queueing
	if len(q.All.Causes) == 0 {
		return
	}
	tail := s.Duration.Tail
	matters := func(m reports.CauseMix, mean int64) bool { return float64(m.MeanNS) >= leastQueueShare*float64(mean) }
	slow := tail.Enough && matters(q.Slow, tail.Tail.MeanNS)
	if !slow && !matters(q.All, s.Duration.All.MeanNS) {
		return
	}
	text := fmt.Sprintf("of %s: %s", all(q.All.N), causes(q.All))
	if slow {
		text = fmt.Sprintf("mean of the %s slowest (%s and above): %s; %s", reports.Integer(q.Slow.N), q.Q, causes(q.Slow), text)
	} else {
		text = "mean " + text
	}
	b.hanging(Plain, "  why queue: ", text)
}

// causes writes the causes of a mix with their shares, most first, but for those whose
// share is written as nothing.
func causes(m reports.CauseMix) string {
	shares := make([]float64, len(m.Causes))
	for i, c := range m.Causes {
		shares[i] = c.Share
	}
	percents := reports.Percents(shares)
	var parts []string
	for i, c := range m.Causes {
		if percents[i] == "0.0" {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s %%)", c.Cause, reports.Duration(c.MeanNS), percents[i]))
	}
	return strings.Join(parts, ", ")
}
