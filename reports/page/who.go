package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// whoShown is how many findings a table usually shows, and sameShown how many others are named that
// the same requests have; the rest are counted.
const (
	whoShown  = 10
	sameShown = 8
)

// who writes which attributes slow requests have more often than the rest, with what
// speaks for it, and what was not compared.
func (b *builder) who(w reports.Who) {
	b.section("who", fmt.Sprintf("who differs: slow requests (n = %s) against the rest (n = %s)", reports.Integer(w.Slow), reports.Integer(w.Rest)))
	if len(w.Findings) == 0 {
		b.hanging(Plain, "  ", w.Sentence)
	} else {
		b.silently(b.whoFigure(w))
		b.table(b.whoGrid(w))
		shown := shownOf(b, w.Findings, whoShown)
		b.rest(Dim, len(shown), b.limit.Of("queue.who.findings", len(w.Findings)), fmt.Sprintf("and %d more", len(w.Findings)-len(shown)))
		for _, f := range shown {
			if len(f.Same) > 0 {
				b.hanging(Plain, "  ", b.finding(f)+" is the same as "+b.sameWords(f))
			}
		}
		b.hanging(Dim, "  ", whoMethod(w))
	}
	alone := shownOf(b, w.TimeOnly, whoShown)
	for _, f := range alone {
		b.hanging(Plain, "  ", b.timeOnlyWords(f))
	}
	b.rest(Plain, len(alone), b.limit.Of("queue.who.time_only", len(w.TimeOnly)), fmt.Sprintf("and %d more that may be no more than the time", len(w.TimeOnly)-len(alone)))
	if text := whoCounts(w); text != "" {
		b.hanging(Dim, "  ", text)
	}
	for _, note := range w.Warnings {
		b.hanging(Dim, "  ", note.ID+": "+note.Text)
	}
	if b.o.Verbose {
		b.hanging(Dim, "  rule: ", w.Rule)
	}
}

// whoGrid lays out the findings. Shares, difference and lift are those that decide: among
// requests of the same time if there is more than one bucket.
func (b *builder) whoGrid(w reports.Who) Table {
	g := Table{Columns: []Column{{Text: true, Flex: true, Told: true}, {Head: "slow %"}, {Head: "rest %"}, {Head: "difference"}, {Head: "95 %", Join: true}}}
	stratified := w.Strata.WidthNS > 0
	if stratified {
		g.Columns = append(g.Columns, Column{Head: "any time"})
	}
	g.Columns = append(g.Columns, Column{Head: "lift"}, Column{Head: "would go %"})
	if b.o.Verbose {
		g.Columns = append(g.Columns, Column{Head: "95 %", Join: true})
	}
	g.Columns = append(g.Columns, Column{Head: "n slow"}, Column{Head: "n rest", Join: true})
	for _, f := range shownOf(b, w.Findings, whoShown) {
		c := f.Decides()
		points := reports.Tenths([]float64{c.SlowShare, c.RestShare})
		row := []string{quoted(f.Words, f.Value.Name), reports.PercentText(points[0]), reports.PercentText(points[1]), signedTenths(points[0] - points[1]), boundsText(c.Difference)}
		if stratified {
			row = append(row, signedTenths(reports.Tenths([]float64{f.Crude.Difference.Value})[0]))
		}
		row = append(row, liftText(c), reports.Percent(c.Fraction.Value))
		if b.o.Verbose {
			row = append(row, boundsText(c.Fraction))
		}
		g.Rows = append(g.Rows, append(row, reports.Integer(f.Value.Slow), reports.Integer(f.Value.Rest)))
	}
	return g
}

// signedTenths writes tenths of a point with a sign.
func signedTenths(tenths int64) string {
	if tenths > 0 {
		return "+" + reports.PercentText(tenths)
	}
	return reports.PercentText(tenths)
}

// boundsText writes the bounds of a share in per cent.
func boundsText(f reports.Figure) string {
	if f.Low == nil || f.High == nil {
		return absent
	}
	low, high := reports.PercentRange(*f.Low, *f.High)
	return low + " to " + high
}

func liftText(c reports.Contrast) string {
	if c.Lift == nil {
		return "∞"
	}
	return reports.Number(*c.Lift)
}

func (b *builder) sameWords(f reports.WhoFinding) string {
	var words []string
	for i, s := range f.Same {
		if i == sameShown {
			words = append(words, moreNames(len(f.Same)-i))
			break
		}
		words = append(words, b.name(quoted(s.Words, strings.TrimPrefix(s.Words, s.Attribute+"="))))
	}
	return strings.Join(words, ", ")
}

// finding names a finding in a sentence.
func (b *builder) finding(f reports.WhoFinding) string { return b.name(quoted(f.Words, f.Value.Name)) }

// quoted returns the words for a value of an attribute; a value that looks like nothing is quoted.
func quoted(words, of string) string {
	if attribute, is := strings.CutSuffix(words, of); is {
		return attribute + value(of)
	}
	return words
}

// whoMethod says what the figures are.
func whoMethod(w reports.Who) string {
	text := "what goes together, not what causes what; would go: if these were slow no more often than the others"
	if w.Strata.WidthNS > 0 {
		text = fmt.Sprintf("against requests of the same %s; any time: difference regardless of time; ", bucketWidth(w.Strata.WidthNS)) + text
	}
	return text
}

// bucketWidth writes the width of a bucket of time, which is whole seconds.
func bucketWidth(ns int64) string {
	switch seconds := ns / 1_000_000_000; {
	case seconds%3600 == 0:
		return reports.Integer(seconds/3600) + " h"
	case seconds%60 == 0:
		return reports.Integer(seconds/60) + " min"
	default:
		return reports.Integer(seconds) + " s"
	}
}

// timeOnlyWords says why a value that stands out proves nothing.
func (b *builder) timeOnlyWords(f reports.WhoFinding) string {
	text := fmt.Sprintf("%s has %s points more of the slow requests, ", b.finding(f), signedTenths(reports.Tenths([]float64{f.Crude.Difference.Value})[0]))
	switch {
	case f.Why == "no_overlap":
		return text + "but hardly any others ran at the same time: it cannot be told from the time"
	case f.Why == "one_moment":
		return text + "but in one or two moments alone: it cannot be told from the time"
	case f.Adjusted == nil:
		return text + "but it cannot be told from the time"
	}
	return text + fmt.Sprintf("but %s among requests of the same time (95 %%: %s): it goes with the time",
		signedTenths(reports.Tenths([]float64{f.Adjusted.Difference.Value})[0]), boundsText(f.Adjusted.Difference))
}

// whoCounts says what became of every attribute.
func whoCounts(w reports.Who) string {
	var tested int64
	var not []string
	for _, c := range w.Counts {
		switch {
		case c.N == 0:
		case c.Name == "tested":
			tested += c.N
		case c.Name == "presence":
			tested += c.N
			not = append(not, plural(c.N, "id")+" but for being there")
		case c.Name == "id":
			not = append(not, plural(c.N, "id"))
		case c.Name == "constant":
			not = append(not, reports.Integer(c.N)+" that hardly vary")
		case c.Name == "scattered":
			not = append(not, reports.Integer(c.N)+" of rare values only")
		case c.Name == "left_out":
			not = append(not, reports.Integer(c.N)+" that tell how slow a request is, or which one")
		}
	}
	if tested == 0 && not == nil {
		return ""
	}
	text := plural(tested, "attribute") + " tested"
	if not != nil {
		text += "; not tested: " + strings.Join(not, ", ")
	}
	return text
}
