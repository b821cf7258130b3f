package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

const verdictIntro = `The verdict

Slow requests are those at a high percentile and above, usual ones those in the
middle. What slow ones take longer than usual ones, on average, is the excess,
and each stage has a part of it. The verdict is about the largest part. summary
says it of any stage; queue asks whether that stage is the queue.

  in words                  kind          what it means
`

// verdictKind is a row of the page: how summary begins, what JSON and --fail-on call it, and
// what it means.
type verdictKind struct {
	words   string
	kind    analyze.Kind
	meaning string
}

// verdictKinds lists every kind, the strongest first.
var verdictKinds = []verdictKind{
	{"S dominates", analyze.KindDominates, "more than half, and will have it again"},
	{"S takes the largest part", analyze.KindLeads, "so it is in these requests"},
	{"no single stage", analyze.KindMixed, "no stage is far enough ahead"},
	{"hardly slower", analyze.KindNone, "there is nothing to explain"},
	{"cannot say: chance", analyze.KindUnclear, "other requests might turn it round"},
	{"cannot say: unattributed", analyze.KindUnattributed, "nothing recorded explains too much"},
	{"too few requests", analyze.KindTooFew, "more are needed, and how many is said"},
}

const verdictText = `
queue answers "dominates" and "leads" where that stage is the queue, "cannot
say" for the last three kinds, and "does not dominate" otherwise; in JSON the
answer is dominates, leads, cannot_say or no.

The rule, part by part; the first that fails decides. --min-share PERCENT takes
another share than 40 % for leads:

`

const verdictIntervals = `
Intervals

Slow requests come in incidents: each slows all that are there. Bounds such
as (95 %: 61.4 to 87.5) come from resampling blocks of time, not single
requests, and predict: of 100 captures like this one about 95 have bounds that
hold the share that such traffic has in the long run. They leave room for slow
requests of a kind not seen here: twenty of one cause do not rule out another.

One incident cannot say what the next one is like. Where incidents are few, or
slowness comes in long spells, bounds are therefore left out, and a caveat says
that the figures describe these requests and do not predict. Nothing dominates
without bounds.

~ stands before a difference that chance makes as well. A gate on the kind is
--fail-on 'verdict(queue) = leads'; what cannot be said is inconclusive there,
and ends with exit code 3.
`

// writeVerdict writes the kinds of verdict and the rule that chooses among them, from the
// rule itself.
func writeVerdict(w io.Writer) error {
	var out strings.Builder
	out.WriteString(verdictIntro)
	for _, k := range verdictKinds {
		fmt.Fprintf(&out, "  %-24s  %-12s  %s\n", k.words, k.kind, k.meaning)
	}
	out.WriteString(verdictText)
	for part := range strings.SplitSeq(analyze.DefaultRule().String(), "; ") {
		for i, line := range wrapped(part, 76) {
			lead := "  "
			if i > 0 {
				lead = "    "
			}
			out.WriteString(lead + line + "\n")
		}
	}
	out.WriteString(verdictIntervals)
	_, err := io.WriteString(w, out.String())
	return err
}

// wrapped breaks a text at spaces into lines of at most so many characters; a longer word
// stands alone.
func wrapped(text string, most int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > most:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
