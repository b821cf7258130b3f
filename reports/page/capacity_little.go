package page

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// outsideLoads sets the load of the traces, and how many waited, beside what other sources
// tell of it.
func (b *builder) outsideLoads(s *reports.System) {
	b.section("outside", "traces against other sources of the load, by Little's law")
	if s.Little != nil {
		b.hanging(Plain, "  - ", "who waits at the engines: "+s.Little.Words)
	}
	if s.NoOutside != "" {
		b.hanging(Plain, "  ", "cannot be compared: "+s.NoOutside)
	}
	for i := range s.Outside {
		b.outsideLoad(&s.Outside[i])
	}
}

func (b *builder) outsideLoad(l *reports.LittleAgainst) {
	reading := l.Words
	if l.Reading == "cannot_say" {
		reading = "cannot say: " + reading
	}
	b.hanging(Plain, "  - ", l.SourceWords()+": "+reading)
	if l.Rate == nil && l.InFlight == nil {
		return
	}
	text := ""
	add := func(traced, outside *float64, of string, ratio *reports.Figure, missing string) {
		if text != "" {
			text += "; "
		}
		if traced == nil || outside == nil {
			text += of + " unknown: " + missing
			return
		}
		text += fmt.Sprintf("%s %s traced and %s outside", reports.Number(*traced), of, reports.Number(*outside))
		if ratio != nil {
			text += ", a ratio of " + reports.Number(ratio.Value)
			if ratio.Low != nil && ratio.High != nil {
				text += fmt.Sprintf(" (95 %%: %s to %s)", reports.Number(*ratio.Low), reports.Number(*ratio.High))
			}
		}
	}
	add(l.RateTraced, l.RateOutside, "requests/s", l.Rate, l.NoRates)
	add(l.InFlightTraced, l.InFlightOutside, "in flight", l.InFlight, l.NoInFlight)
	what := "reading"
	if l.Source == "access_log" {
		what = "line"
	}
	b.hanging(Dim, "    ", fmt.Sprintf("%s; n = %s and %s, over %s", text, plural(l.N, "traced request"), plural(l.Outside, what), reports.Period(l.CoveredNS)))
	switch {
	case l.ByLines:
		b.hanging(Dim, "    ", "both by lines, with times of one source: "+plural(l.Joined, "line")+" of traced requests")
	case l.Joined > 0 && b.o.Verbose:
		b.hanging(Dim, "    ", plural(l.Joined, "line")+" of traced requests")
	}
}

// full writes which stage is full.
func (b *builder) full(f *reports.FullStage) {
	head := map[string]string{"full": f.Stage + " is full: ", "none": "none is full: ", "cannot_say": "cannot say which is full: "}[f.Kind]
	b.hanging(Plain, "  ", head+f.Words)
	if f.InFlight == nil || f.Kind == "cannot_say" && !b.o.Verbose {
		return
	}
	for i := range f.Stages {
		g := &f.Stages[i]
		if g.Stage == f.Stage || b.o.Verbose {
			b.hanging(Dim, "    ", growthWords(g))
		}
	}
	b.hanging(Dim, "    ", growthWords(f.InFlight)+fmt.Sprintf("; n = 2 x %s, quarter %d and the busiest", plural(f.Windows, "window"), f.Quarter))
	if b.o.Verbose {
		b.hanging(Dim, "    ", "rule: "+f.Rule)
	}
}

// growthWords says how many times as many there are in the busiest windows.
func growthWords(g *reports.StageGrowth) string {
	name := g.Stage
	if name == "in_flight" {
		name = "all in flight"
	}
	text := fmt.Sprintf("%s: %s, in the busiest windows %s", name, reports.Number(g.Quiet), reports.Number(g.Busy))
	if r := g.Growth; r != nil {
		text += fmt.Sprintf(", %s times as many", reports.Number(r.Value))
		if r.Low != nil && r.High != nil {
			text += fmt.Sprintf(" (%s to %s)", reports.Number(*r.Low), reports.Number(*r.High))
		}
	}
	return text
}
