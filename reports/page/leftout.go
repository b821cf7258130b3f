package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// leftOut writes what the figures do not stand on.
func (b *builder) leftOut(s *reports.Summary) {
	b.title("left out")
	b.excluded(s.Population)
	if s.Load.Unfinished > 0 {
		b.field("  load", plural(s.Load.Unfinished, "unfinished request")+" not counted in it")
	}
	for _, m := range []reports.Percentiles{s.TTFT.Percentiles, s.TPOT} {
		var reasons []string
		for _, u := range m.Undefined {
			reasons = append(reasons, fmt.Sprintf("%s in %s", u.Name, reports.Integer(u.N)))
		}
		if len(reasons) > 0 {
			b.field("  "+m.Metric, strings.Join(reasons, ", "))
		}
	}
	u := s.Unattributed
	if s.Population.Used > 0 {
		text := fmt.Sprintf("unattributed is %s %% of all (n = %s)", reports.Percent(u.Overall), reports.Integer(s.Population.Used))
		if s.Duration.Tail.Enough {
			text += fmt.Sprintf(", %s %% in the slow requests (%s and above, n = %s)", reports.Percent(u.Tail), u.TailQ, reports.Integer(u.TailN))
		}
		b.field("  time", text)
	}
	b.field("  spans", spanAccount(s.Conservation))
	for _, w := range s.Warnings {
		b.field("  warning", w.Text+" ("+w.ID+")")
	}
}

// excluded writes how many requests are left out, by reason.
func (b *builder) excluded(pop reports.Population) {
	for _, x := range pop.Excluded {
		reason := ""
		if x.Reason != "" {
			reason = " (" + x.Reason + ")"
		}
		b.field("  "+x.Kind, plural(x.N, "request")+reason)
	}
	if len(pop.Excluded) == 0 {
		verb := " are used"
		if pop.Requests == 1 {
			verb = " is used"
		}
		b.field("  requests", "none: "+all(pop.Requests)+verb)
	}
}

// spanAccount writes the account of all spans.
func spanAccount(c reports.Conservation) string {
	text := fmt.Sprintf("%s = %s on the path + %s off it + %s excluded", reports.Integer(c.SpansIn),
		reports.Integer(c.OnPath), reports.Integer(c.OffPath), reports.Integer(c.Excluded))
	if !c.Balanced {
		text = fmt.Sprintf("%s, but %s on the path + %s off it + %s excluded: the account does not add up", reports.Integer(c.SpansIn),
			reports.Integer(c.OnPath), reports.Integer(c.OffPath), reports.Integer(c.Excluded))
	}
	if c.SpansRead > 0 && c.SpansRead != c.SpansIn {
		text += fmt.Sprintf("; %s were read", reports.Integer(c.SpansRead))
	}
	return text
}

// the is plural behind "of", with an article where there are several.
func the(n int64, word string) string {
	if n == 1 {
		return plural(n, word)
	}
	return "the " + plural(n, word)
}

// all says that it is all of n, or the only one.
func all(n int64) string {
	if n == 1 {
		return "the only one"
	}
	return "all " + reports.Integer(n)
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return reports.Integer(n) + " " + word + "s"
}

// percentileNote is a footnote of the percentile table with the rows it is about.
type percentileNote struct {
	note
	rows map[int]bool
}

// independence is the id of the note that comes with every interval.
const independence = reports.Independence

// percentileNotes gathers the warnings of all metrics by id, so that one doubt is
// one note, however many figures it touches. Those about all of a metric come first.
func percentileNotes(metrics []reports.Percentiles) []percentileNote {
	var notes []percentileNote
	for i := range metrics[0].Percentiles {
		for _, m := range metrics {
			for _, w := range m.Percentiles[i].Warnings {
				at := slices.IndexFunc(notes, func(n percentileNote) bool { return n.id == w.ID })
				if at < 0 {
					at = len(notes)
					notes = append(notes, percentileNote{note{w.ID, w.Text}, map[int]bool{}})
				}
				notes[at].rows[i] = true
			}
		}
	}
	for i, n := range notes {
		if meaning, ok := warningMeanings[n.id]; ok {
			notes[i].text = meaning + ": " + strings.Join(n.figures(metrics), ", ")
		}
	}
	var whole []percentileNote
	for _, m := range metrics {
		for _, w := range m.Warnings {
			if !slices.ContainsFunc(whole, func(n percentileNote) bool { return n.note == note{w.ID, w.Text} }) {
				whole = append(whole, percentileNote{note: note{w.ID, w.Text}})
			}
		}
	}
	return append(whole, notes...)
}

// figures names the percentiles a note is about, with their metrics when it is not
// about all of them.
func (n percentileNote) figures(metrics []reports.Percentiles) (out []string) {
	for i, q := range metrics[0].Percentiles {
		if !n.rows[i] {
			continue
		}
		var names []string
		for _, m := range metrics {
			if slices.ContainsFunc(m.Percentiles[i].Warnings, func(w reports.Warning) bool { return w.ID == n.id }) {
				names = append(names, m.Metric)
			}
		}
		figure := q.P
		if n.id == tooFew {
			figure += " needs " + reports.Integer(q.Need)
		}
		if len(names) < len(metrics) {
			figure += " (" + strings.Join(names, ", ") + ")"
		}
		out = append(out, figure)
	}
	return out
}

// tooFew is the id of the warning that says how many requests a percentile needs.
const tooFew = "too-few"

// warningMeanings are the sentences for the warnings of percentiles; others are
// written as they come.
var warningMeanings = map[string]string{
	tooFew:           "too few requests for this percentile",
	"low-n":          "fewer than ten requests lie beyond",
	"no-upper-bound": "too few requests for an upper bound",
}

// marks returns the marks of the notes that are about a row.
func (b *builder) marks(notes []percentileNote, about func(percentileNote) bool) string {
	var out string
	for i, n := range notes {
		if about(n) {
			out += mark(b.notes + i + 1)
		}
	}
	if out != "" {
		return " " + out
	}
	return ""
}
