package page

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// stalling writes what makes token gaps long; nothing when no instants of tokens are
// known.
func (b *builder) stalling(s reports.Stalling) {
	if s.Requests == 0 {
		return
	}
	b.blank()
	b.hanging(Plain, "token gaps   ", s.Verdict.Sentence)
	indent := strings.Repeat(" ", len("token gaps   "))
	b.hanging(Plain, indent, gapWords(s))
	if text := stallParts(s); text != "" {
		b.hanging(Plain, indent, text)
	}
	shown := s.Engines
	if !b.o.Verbose {
		shown = worstStalled(s)
	}
	for _, e := range shown {
		b.hanging(Plain, indent, stallEngine(e))
	}
	for _, c := range s.Verdict.Caveats {
		b.hanging(Plain, indent, fmt.Sprintf("caveat: %s (%s)", c.Text, c.ID))
	}
	if s.Verdict.Needs != "" {
		b.hanging(Dim, indent, "to dominate it takes: "+s.Verdict.Needs)
	}
	if !b.o.Verbose {
		return
	}
	b.hanging(Dim, indent, fmt.Sprintf("verdict: %s, since %s", strings.ReplaceAll(s.Verdict.Kind, "_", " "), s.Verdict.Reason))
	for _, u := range s.Undefined {
		b.hanging(Dim, indent, fmt.Sprintf("not judged: %s, %s", plural(u.N, "request"), u.Name))
	}
	b.hanging(Dim, indent, "rule: "+s.Verdict.Rule)
}

// gapWords writes the percentiles of the gaps with their intervals.
func gapWords(s reports.Stalling) string {
	var values []int64
	for _, q := range s.Percentiles {
		for _, v := range []*int64{q.ValueNS, q.LowNS, q.HighNS} {
			if v != nil {
				values = append(values, *v)
			}
		}
	}
	u := reports.CommonUnit(values...)
	var words []string
	for _, q := range s.Percentiles {
		switch {
		case q.ValueNS == nil:
			words = append(words, fmt.Sprintf("%s needs %s gaps", q.P, reports.Integer(q.Need)))
		case q.LowNS == nil && q.HighNS == nil:
			words = append(words, fmt.Sprintf("%s %s %s", q.P, u.Format(*q.ValueNS), u.Name))
		default:
			words = append(words, fmt.Sprintf("%s %s %s (95 %%: %s)", q.P, u.Format(*q.ValueNS), u.Name, interval(u, q)))
		}
	}
	return fmt.Sprintf("%s; n = %s gaps of %s", strings.Join(words, ", "), reports.Integer(s.Gaps), plural(s.Requests, "request"))
}

// stallParts writes what the excess of stalls is made of; empty for less than two parts,
// which the sentence has.
func stallParts(s reports.Stalling) string {
	percents := s.StallPercents()
	if percents == nil {
		return ""
	}
	var words []string
	for i, part := range s.Parts {
		if part.NS > 0 {
			words = append(words, fmt.Sprintf("%s %s %%", part.Cause, percents[i]))
		}
	}
	if len(words) < 2 {
		return ""
	}
	return fmt.Sprintf("%s take %s beyond the median gap: %s", plural(s.Stalls, "stall"), reports.Duration(s.ExcessNS), strings.Join(words, ", "))
}

// worstStalled returns the engine to which prefills cost most, if they cost anything that
// matters.
func worstStalled(s reports.Stalling) []reports.StallEngine {
	best := -1
	for i, e := range s.Engines {
		if e.PrefillNS > 0 && (best < 0 || e.PrefillNS > s.Engines[best].PrefillNS) {
			best = i
		}
	}
	if best < 0 || s.Verdict.Kind == "none" {
		return nil
	}
	return s.Engines[best : best+1]
}

// stallEngine says how stalls and prefills go together at one engine.
func stallEngine(e reports.StallEngine) string {
	text := fmt.Sprintf("%s: %s of %s beside a prefill, and %s of %s", e.Engine,
		reports.Integer(e.StallsOverlapped), plural(e.Stalls, "stall"), reports.Integer(e.OthersOverlapped), plural(e.Others, "other gap"))
	switch {
	case e.Stalls == 0:
	case e.Adjusted <= 0.05 && e.Lift != nil:
		text += fmt.Sprintf(" (lift %s)", reports.Number(*e.Lift))
	case e.Adjusted > 0.05:
		text += " (no more than by chance ~)"
	}
	if e.OverlappedNS != nil && e.ClearNS != nil {
		text += fmt.Sprintf("; mean gap with one %s, without %s", reports.Duration(*e.OverlappedNS), reports.Duration(*e.ClearNS))
	}
	if d := e.Dose; d != nil && d.Low != nil && d.High != nil {
		text += fmt.Sprintf("; %s ms for 1,000 prompt tokens (95 %%: %s to %s, n = %s)",
			reports.Number(d.Value/1e6), reports.Number(*d.Low/1e6), reports.Number(*d.High/1e6), reports.Integer(d.N))
	}
	return text
}
