package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// rowsOf is how many bins, points and stretches of time have a row; the rest are counted.
const rowsOf = 12

// carried writes the rate that was carried within an objective, and what it stands on.
func (b *builder) carried(o *reports.Objective) {
	c := &o.Carried
	b.section("capacity", "capacity within "+o.Objective)
	if !c.Known() {
		b.labelled("cannot say", c.Words)
	} else {
		b.labelled("carries", c.Words)
		perGPU := "unknown: --gpus N says how many served"
		if c.PerGPU != nil {
			perGPU = reports.RateText(*c.PerGPU, c.TokensPerGPU)
		}
		b.labelled("per GPU", perGPU)
		b.labelled("by", c.MethodText())
	}
	if len(c.Need) > 0 {
		b.labelled("needs", needWords(c))
	}
	b.terms(o)
	if c.Windows > 0 && c.Why != "refused" {
		b.labelled("windows", windowWords(c))
		b.bins(c)
	}
	if c.Mix != nil && c.All != nil {
		b.labelled("mix", fmt.Sprintf("%s in the windows of the bin that limits; %s in all: the rate holds for that mix", mixWords(*c.Mix), mixWords(*c.All)))
	}
	for _, w := range c.Warnings {
		b.labelled("warning", w.Text+" ("+w.ID+")")
	}
}

// needWords says what an answer takes.
func needWords(c *reports.Carried) string {
	var words []string
	for _, n := range c.Need {
		words = append(words, reports.Integer(n.N)+" "+n.What)
	}
	text := strings.Join(words, " with ") + " at about one rate, for an answer"
	if c.Why == "too_few_windows" && c.Windows > 0 {
		text += "; --window makes windows shorter"
	}
	return text
}

// terms writes what each of several terms lets through.
func (b *builder) terms(o *reports.Objective) {
	if len(o.Terms) < 2 {
		return
	}
	if o.Carried.Known() && o.Limiting != "" {
		b.labelled("limited by", o.Limiting)
	}
	for _, t := range o.Terms {
		b.hanging(Plain, "  - ", t.Term+": "+t.Carried.Words)
	}
}

// windowWords says which windows a rate stands on.
func windowWords(c *reports.Carried) string {
	text := fmt.Sprintf("%s of %s", plural(c.Windows, "window"), reports.Period(c.WindowNS))
	if c.Empty > 0 {
		text += fmt.Sprintf(", and %s without a request between them", reports.Integer(c.Empty))
	}
	for i, l := range c.LeftOut {
		lead := ", "
		if i == 0 {
			lead = "; left out: "
		}
		text += fmt.Sprintf("%s%s %s (n = %s)", lead, reports.Integer(l.Windows), leftOutWords[l.Reason], reports.Integer(l.Requests))
	}
	if c.LowLoadNS != nil {
		text += fmt.Sprintf("; at low load a request takes %s", reports.Duration(*c.LowLoadNS))
	}
	return text
}

// leftOutWords say why windows are left out.
var leftOutWords = map[string]string{
	"edge": "at the ends of the capture", "gap": "beside a pause of the recording", "backlog": "that worked off a backlog",
}

// bins writes the rates around the limit.
func (b *builder) bins(c *reports.Carried) {
	from, to := c.BinsShown(b.most(rowsOf))
	if from == to {
		return
	}
	g := Table{Columns: []Column{{Head: "requests/s"}, {Head: "tokens/s"}, {Head: "windows"}, {Head: "n"}, {Head: "met %"}, {Head: "95 %", Join: true}, {Text: true}}}
	for i, bin := range c.Bins[from:to] {
		bounds := ""
		if a := bin.Attainment; a.Low != nil && a.High != nil {
			bounds = reports.MetRange(*a.Low, *a.High, c.MetDecimals())
		}
		met := absent
		if bin.Attainment.N > 0 {
			met = reports.Met(bin.Attainment.Value, c.MetDecimals())
		}
		verdict := binWords[bin.Verdict]
		switch {
		case is(c.PassBin, from+i):
			verdict += " (last)"
		case is(c.FailBin, from+i):
			verdict += " (first)"
		}
		tokens := ""
		if bin.TokenRate > 0 {
			tokens = reports.Number(bin.TokenRate)
		}
		g.Rows = append(g.Rows, []string{reports.Number(bin.Rate), tokens, reports.Integer(bin.Windows), reports.Integer(bin.Attainment.N), met, bounds, verdict})
	}
	b.table(g.without(g.empty()...))
	var rest []string
	for _, r := range []struct {
		n    int
		text string
	}{{from, "at lower rates"}, {len(c.Bins) - to, "at higher rates"}} {
		if r.n > 0 {
			rest = append(rest, plural(int64(r.n), "bin")+" "+r.text)
		}
	}
	if rest != nil {
		b.hanging(Dim, "  ", "and "+strings.Join(rest, ", "))
	}
}

func is(at *int64, i int) bool { return at != nil && *at == int64(i) }

// binWords say what a bin says of its rate.
var binWords = map[string]string{"passes": "passes", "fails": "fails", "doubtful": "~ either", "thin": "too few to ask"}

// mixWords writes how long requests are.
func mixWords(m reports.LengthMix) string {
	return fmt.Sprintf("prompt tokens %s, output tokens %s", lengthWords(m.Prompt), lengthWords(m.Output))
}

func lengthWords(l reports.Lengths) string {
	if l.N == 0 {
		return "unknown"
	}
	return fmt.Sprintf("p50 %s, p95 %s (n = %s)", whole(l.P50), whole(l.P95), reports.Integer(l.N))
}

// whole writes a number that may be unknown.
func whole(v *int64) string {
	if v == nil {
		return "unknown"
	}
	return reports.Integer(*v)
}
