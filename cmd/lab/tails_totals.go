package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/cmd/lab/plant"
)

// tailTotals adds up rows.
type tailTotals struct {
	captures, requests         int
	decided, first, named      int
	wrong, open, held          int
	dominates, wrongly, unfd   int
	predicting, covered        int
	below, above, refused, few int
	blind, blindCovered        int
}

func (t *tailTotals) add(r tailScore) {
	t.captures += r.Seeds
	t.requests += r.Seeds * r.Requests
	if r.Open == plant.Decided {
		t.decided += r.Seeds
	} else {
		t.open += r.Seeds
	}
	t.first += r.First
	t.named += r.Named
	t.wrong += r.Wrong
	t.held += r.Held
	t.dominates += r.Said[0]
	t.wrongly += r.False
	t.unfd += r.Unfounded
	t.predicting += r.Predicting
	t.covered += r.Covered
	t.below += r.Below
	t.above += r.Above
	t.refused += r.Refused
	t.blind += r.Blind
	t.blindCovered += r.BlindCovered
	t.few += r.Said[len(r.Said)-1]
}

// text is the totals in words.
func (t *tailTotals) text(correlated bool) string {
	load := "independent"
	if correlated {
		load = "correlated"
	}
	return fmt.Sprintf("%s: of %d captures with %d requests %d are decidable: the true stage comes first in %d, is named in %d, another is named in %d; "+
		"of %d that are not, %d claim no more than can be known; %d say dominates, %d of a stage that does not, %d of too few incidents; "+
		"intervals hold the true share in %d of %d (%s), %d lie below it and %d above; %d are refused\n",
		load, t.captures, t.requests, t.decided, t.first, t.named, t.wrong, t.open, t.held, t.dominates, t.wrongly, t.unfd,
		t.covered, t.predicting, percent(t.covered, t.predicting), t.below, t.above, t.refused)
}

// limitsText holds the figures of all rows against their limits, a line a limit. It says
// which kinds have intervals that nothing could have made right.
func limitsText(rows []tailScore) string {
	var alone, together, all tailTotals
	kinds, blind := map[string]bool{}, []string(nil)
	var seeds, least, most int
	for i, r := range rows {
		kinds[r.Kind] = true
		all.add(r)
		if i == 0 {
			seeds, least = r.Seeds, r.Requests
		}
		seeds, least, most = min(seeds, r.Seeds), min(least, r.Requests), max(most, r.Requests)
		if r.Correlated {
			together.add(r)
		} else {
			alone.add(r)
		}
		if r.Blind > 0 {
			blind = append(blind, fmt.Sprintf("%s of %d (%d of %d)", r.Kind, r.Requests, r.BlindCovered, r.Blind))
		}
	}
	var out strings.Builder
	line := func(what, limit, format string, values ...any) {
		fmt.Fprintf(&out, "%-34s %-14s %s\n", what, limit, fmt.Sprintf(format, values...))
	}
	line("limit", "", "score")
	line("kinds, and seeds of each size", ">= 20, >= 20", "%d kinds, %d seeds, captures of %d to %d requests", len(kinds), seeds, least, most)
	line("true stage first, of decidable", ">= 99 %", "%s (%d of %d); named %d, no stage named in %d, another named in %d",
		percent(all.first, all.decided), all.first, all.decided, all.named, all.decided-all.named-all.wrong, all.wrong)
	line("false dominates, of all captures", "<= 1 %", "%s (%d of %d), which is %s of the %d that say dominates",
		percent(all.wrongly, all.captures), all.wrongly, all.captures, percent(all.wrongly, all.dominates), all.dominates)
	line("no claim, of undecidable", ">= 95 %", "%s (%d of %d)", percent(all.held, all.open), all.held, all.open)
	line("coverage, independent", "90 to 98 %", "%s (%d of %d); refused %d of %d", percent(alone.covered, alone.predicting), alone.covered, alone.predicting,
		alone.refused, alone.refused+alone.predicting)
	held, of := together.covered-together.blindCovered, together.predicting-together.blind
	line("coverage, correlated", "90 % or refused", "%s (%d of %d) of captures that hold an event or of kinds without; refused %d of %d; all %s (%d of %d)",
		percent(held, of), held, of, together.refused, together.refused+together.predicting,
		percent(together.covered, together.predicting), together.covered, together.predicting)
	if together.blind > 0 {
		slices.Sort(blind)
		fmt.Fprintf(&out, "%d of %d intervals hold in captures without one event of a kind that has events: %s. Such a capture is the same as one of\n"+
			"independent requests without events, so no method that is given the capture alone can refuse the one and not the other\n",
			together.blindCovered, together.blind, strings.Join(blind, ", "))
	}
	return out.String()
}
