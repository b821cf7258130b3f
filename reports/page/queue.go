package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports"
)

// queue writes whether queueing dominates, and the evidence for and against it.
func (b *builder) queue(q *reports.Queue) {
	b.missed(q.Summary.Objectives)
	for _, c := range q.Summary.Verdict.Caveats {
		b.hanging(Plain, "caveat: ", c.Text+" ("+c.ID+")")
	}
	b.blank()
	b.load(&q.Summary)
	if q.Summary.Population.Used > 0 {
		b.objectives(q.Summary.Objectives)
		b.queueShares(q)
		b.stageFigure(q.Summary.Duration)
		b.sides(q)
		b.title("waiting, or more work")
		b.lesserVerdicts(q)
		b.labelled("work", q.Work.Words)
		for _, x := range q.Work.Speeds {
			b.labelled(x.Detail, x.Words())
		}
		b.labelled("Little's law", q.Little.Words)
		b.labelled("busy or not", q.Busy.Words)
		b.when(q.When, q.Summary.Duration.Tail)
		over := stretchesOfQueue(q)
		drawn := b.waitingFigure(over, q.When)
		b.where(q.Where)
		b.why(q)
		b.who(q.Who)
		if q.WhatIf != nil || len(q.WithoutQueue) > 0 {
			b.title("what if")
		}
		if q.WhatIf != nil {
			b.hanging(Plain, "  ", q.WhatIf.Words)
		}
		b.withoutQueue(q.WithoutQueue)
		if b.o.Verbose {
			b.contextLines(q.Summary.Context)
		}
		if drawn {
			b.waitingDetails(over)
		}
	}
	b.leftOut(&q.Summary)
}

// labelled writes a label in the margin and what it is about.
func (b *builder) labelled(label, text string) {
	label = "  " + clean(label)
	label += strings.Repeat(" ", max(1, NamedWidth-utf8.RuneCountInString(label)))
	b.add(Labelled{Label: label, Text: text, Named: true})
}

// queueShares writes the share of the queue in the bands of both metrics and in the excess.
func (b *builder) queueShares(q *reports.Queue) {
	b.title("how much: % of the time that is in the queue, by how long the request took")
	g := Table{Columns: []Column{{Text: true}, {Head: "%"}, {Head: "95 %", Join: true}, {Head: "n"}, {Head: "% of ttft"}, {Head: "95 %", Join: true}, {Head: "n"}}}
	least := q.Summary.Duration.Tail.MinTail
	cells := func(f reports.Figure, of []reports.Band, i int) []string {
		if f.N < least || i >= len(of) {
			return []string{absent, "", reports.Integer(f.N)}
		}
		return []string{of[i].PercentOf("queue"), rangeOf(&f), reports.Integer(f.N)}
	}
	s := &q.Summary
	for i, band := range q.Bands {
		row := append([]string{band.Band}, cells(band.Share, s.Duration.Bands, i)...)
		g.Rows = append(g.Rows, append(row, cells(q.TTFTBands[i].Share, s.TTFT.Bands, i)...))
	}
	excess := func(v reports.Verdict, t reports.Tail) []string {
		if v.QueueShare == nil {
			return []string{absent, "", reports.Integer(t.Tail.N)}
		}
		return []string{t.ExcessPercent("queue"), rangeOf(v.QueueInterval), reports.Integer(t.Tail.N)}
	}
	row := append([]string{"excess"}, excess(s.Verdict, s.Duration.Tail)...)
	g.Rows = append(g.Rows, append(row, excess(s.TTFTVerdict, s.TTFT.Tail)...))
	if s.TTFT.N == 0 {
		g = g.without(4, 5, 6)
	}
	b.table(g.without(g.empty()...))
	b.hanging(Dim, "  ", fmt.Sprintf("excess: what the requests at %s and above take longer than those ranked 40 to 60 %%; shares need %s requests", s.Duration.Tail.Q, reports.Integer(least)))
	if a := s.Duration.Attribution; a != nil && a.Blocks.Refused != "" {
		why := a.Blocks.Refused
		if len(s.Verdict.Caveats) > 0 {
			why = "the caveat at the top says why"
		}
		b.hanging(Dim, "  ", "no interval that predicts: "+why)
	}
}

// empty returns the columns that hold nothing in any row.
func (g Table) empty() (columns []int) {
	for k := range g.Columns {
		if !slices.ContainsFunc(g.Rows, func(row []string) bool { return row[k] != "" }) {
			columns = append(columns, k)
		}
	}
	return columns
}

// without returns the grid without some columns.
func (g Table) without(columns ...int) Table {
	out := Table{Rows: make([][]string, len(g.Rows))}
	for k, c := range g.Columns {
		if slices.Contains(columns, k) {
			continue
		}
		out.Columns = append(out.Columns, c)
		for i, row := range g.Rows {
			out.Rows[i] = append(out.Rows[i], row[k])
		}
	}
	return out
}

// rangeOf writes the bounds of a share in per cent; empty without bounds.
func rangeOf(f *reports.Figure) string {
	if f == nil || f.Low == nil || f.High == nil {
		return ""
	}
	low, high := reports.PercentRange(*f.Low, *f.High)
	return low + "–" + high
}

// incidentsShown is how many incidents are written; the rest are counted.
const incidentsShown = 5

// lesserIncidents counts the incidents that are not written.
func (b *builder) lesserIncidents(w reports.When, shown int) {
	b.rest(Dim, shown, int(w.All()), "and "+plural(w.All()-int64(shown), "incident")+" in which less was waited")
}

// when writes the incidents.
func (b *builder) when(w reports.When, t reports.Tail) {
	b.title("when")
	b.hanging(Plain, "  ", w.Words)
	shown := w.MostWaited(b.most(incidentsShown))
	for _, i := range shown {
		span := fmt.Sprintf("%s to %s, %s", momentOf(w, i.OnsetNS), momentOf(w, i.RecoveryNS), reports.Period(i.RecoveryNS-i.OnsetNS))
		if i.Begun {
			span += ", under way when the window began"
		}
		if !i.Recovered {
			span += ", not over when it ended"
		}
		b.hanging(Plain, "  - ", span)
		b.hanging(Plain, "      ", fmt.Sprintf("peak %s with %s waiting", momentOf(w, i.PeakNS), reports.Integer(i.Depth)))
		b.hanging(Plain, "      ", fmt.Sprintf("%s hit, %s of %s; %s request-seconds waited, %s on average, %s at most",
			plural(i.Hit, "request"), reports.Integer(i.Slow), the(t.Tail.N, "slow one"), reports.Number(i.Waited), reports.Duration(i.MeanNS), reports.Duration(i.LongestNS)))
		b.hanging(Plain, "      ", trafficWords(i))
	}
	b.lesserIncidents(w, len(shown))
}

// stretchesOfQueue returns the stretches of time of a queue; without times there are none.
func stretchesOfQueue(q *reports.Queue) overTime {
	if len(q.OverTime) == 0 {
		return overTime{missing: noTimes}
	}
	h := reports.Heat{Clock: q.When.Clock, Times: []int64{q.OverTime[0].FromNS}}
	for _, s := range q.OverTime {
		h.Times, h.N = append(h.Times, s.ToNS), append(h.N, s.N)
		h.Rate, h.Depth, h.Queue = append(h.Rate, s.Rate), append(h.Depth, s.Depth), append(h.Queue, s.Queue)
	}
	return stretchesIn(&h, q.Summary.Population.Used)
}

// waitingFigure draws what came and what waited over time; where nobody did, the words of the
// section say so. Without pictures it is written only for who asked for more.
func (b *builder) waitingFigure(o overTime, w reports.When) (drawn bool) {
	c := o.queueing(w)
	switch {
	case c.missing != "":
		return false
	case b.o.Verbose:
		b.figureOf(c)
		return true
	}
	b.silently(c)
	for _, t := range c.tables {
		t.Silent = true
		b.table(t)
	}
	return true
}

// waitingDetails writes every stretch of time.
func (b *builder) waitingDetails(o overTime) {
	b.fold("details-over-time", overTimeTitle)
	b.table(o.waitingTable(allOf(o.n)))
}

// momentOf writes an instant of the window: a date on the wall clock, else the time since
// the window began.
func momentOf(w reports.When, ns int64) string {
	if w.Clock == wall {
		return reports.TimeMilli(ns)
	}
	return "+" + reports.Period(ns-w.StartNS)
}

// trafficWords sets the traffic of an incident beside what came before.
func trafficWords(i reports.Incident) string {
	before, rise, during := i.Before, i.Rise, i.During
	if before.Rate == nil || rise.Rate == nil || during.InFlight == nil {
		if during.Rate == nil {
			return "nothing came before"
		}
		return fmt.Sprintf("%s arrivals/s (n = %s), %s in flight; nothing is known of before", reports.Number(*during.Rate), reports.Integer(during.Arrivals), reports.Number(*during.InFlight))
	}
	if rise.Arrivals == 0 {
		return fmt.Sprintf("nobody arrived between onset and peak, %s arrivals/s before (n = %s); %s in flight against %s",
			reports.Number(*before.Rate), reports.Integer(before.Arrivals), reports.Number(*during.InFlight), reports.Number(*before.InFlight))
	}
	text := fmt.Sprintf("%s arrivals/s up to the peak against %s before (n = %s and %s", reports.Number(*rise.Rate), reports.Number(*before.Rate),
		reports.Integer(rise.Arrivals), reports.Integer(before.Arrivals))
	if f := i.Arrivals; f != nil && f.Low != nil && f.High != nil {
		text += fmt.Sprintf("; %s; 95 %%: %.2f to %.2f", times(f.Value), *f.Low, *f.High)
		if *f.Low <= 1 && *f.High >= 1 {
			text = "~ " + text
		}
	}
	return text + fmt.Sprintf("); %s in flight against %s", reports.Number(*during.InFlight), reports.Number(*before.InFlight))
}

func times(factor float64) string { return fmt.Sprintf("%.2f times", factor) }

// wherePlaces is how many places of a field have a row.
const wherePlaces = 5

// where writes how the waiting is spread.
func (b *builder) where(list []reports.Where) {
	if len(list) == 0 {
		return
	}
	b.title("where")
	tables := false
	for _, w := range list {
		b.labelled(w.Key, w.Words)
		if w.Kind == "single" || w.Kind == "few" {
			continue
		}
		shown := shownOf(b, w.Places, wherePlaces)
		var values []int64
		for _, x := range shown {
			for _, v := range []*int64{x.P50NS, x.P95NS} {
				if v != nil {
					values = append(values, *v)
				}
			}
		}
		u := reports.CommonUnit(values...)
		g := Table{ID: "where-" + slug(w.Key), Caption: w.Key, Columns: []Column{{Head: w.Key, Text: true, Flex: true}, {Head: "n"}, {Head: "% of excess"}, {Head: "% long waits"}, {Head: "95 %", Join: true}, {Head: "queue p50 " + u.Name}, {Head: "p95"}}}
		tenths := w.ShareTenths()
		share := func(from, to int) string {
			if tenths == nil {
				return absent
			}
			sum := int64(0)
			for _, t := range tenths[from:to] {
				sum += t
			}
			return reports.PercentText(sum)
		}
		var few []string
		for i, x := range shown {
			few = append(few, needs(x)...)
			g.Rows = append(g.Rows, []string{value(reports.FieldText(w.Key, x.Value)), reports.Integer(x.N), share(i, i+1), reports.Percent(x.LongShare.Value), rangeOf(&x.LongShare), formatted(u, x.P50NS), formatted(u, x.P95NS)})
		}
		if left := w.Values - int64(len(shown)); left > 0 {
			g.Rows = append(g.Rows, []string{fmt.Sprintf("%s more", reports.Integer(left)), reports.Integer(unlisted(w, len(shown))), share(len(shown), len(w.Places)+1), "", "", "", ""})
		}
		if w.None > 0 {
			g.Rows = append(g.Rows, []string{"(not recorded)", reports.Integer(w.None), share(len(w.Places)+1, len(w.Places)+2), "", "", "", ""})
		}
		b.table(g)
		b.rest(Dim, len(shown), int(w.Values), "")
		if tenths == nil {
			b.hanging(Dim, "  ", "no shares of the excess: "+w.NoShares)
		}
		slices.Sort(few)
		if few = slices.Compact(few); few != nil {
			b.hanging(Dim, "  ", "too few requests for a percentile of the queue: "+strings.Join(few, ", "))
		}
		tables = true
	}
	if !tables {
		return
	}
	b.hanging(Dim, "  ", "excess: of the queue alone; long waits: the longest twentieth of all")
}

// unlisted returns how many requests have a value of a field that has no row.
func unlisted(w reports.Where, shown int) (n int64) {
	for _, x := range w.Places[shown:] {
		n += x.N
	}
	if w.Others != nil {
		n += w.Others.N
	}
	return n
}

// needs says what the percentiles of a place take that it has too few requests for.
func needs(x reports.Place) (out []string) {
	if x.P50NS == nil && x.P50Need > 0 { // 0 in documents that do not say
		out = append(out, "p50 needs "+reports.Integer(x.P50Need))
	}
	if x.P95NS == nil && x.P95Need > 0 {
		out = append(out, "p95 needs "+reports.Integer(x.P95Need))
	}
	return out
}

func formatted(u reports.Unit, ns *int64) string {
	if ns == nil {
		return absent
	}
	return u.Format(*ns)
}

// why writes the causes of the waiting, and what speaks for and against other ones.
func (b *builder) why(q *reports.Queue) {
	b.title("why")
	m := q.Summary.Queueing
	if len(m.All.Causes) == 0 {
		b.hanging(Plain, "  ", "no request waited for a cause that can be told")
	} else {
		b.labelled("waited for", fmt.Sprintf("%s, on average of %s (%s and above); %s of %s",
			orNothing(causes(m.Slow)), the(m.Slow.N, "slow request"), m.Q, orNothing(causes(m.All)), all(m.All.N)))
	}
	for _, c := range q.Candidates {
		b.labelled(cmp.Or(candidateWords[c.Name], c.Name), speaksWords[c.Speaks]+c.Words)
	}
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return strings.TrimSpace(text)
}

// candidateWords name the candidates.
var candidateWords = map[string]string{
	"arrivals": "more arrivals", "service": "slower service", "prompts": "longer prompts", "outputs": "longer outputs",
	"capacity": "fewer engines", "memory": "memory full", "retries": "more retries",
}

// speaksWords say what a candidate's number speaks for.
var speaksWords = map[string]string{"for": "yes: ", "against": "no: ", "~": "~ "}
