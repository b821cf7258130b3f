package text

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// outsideLoads sets the load of the traces, and how many waited, beside what other sources
// tell of it.
func (p *page) outsideLoads(s *reports.System) {
	p.title("traces against other sources of the load, by Little's law")
	if s.Little != nil {
		p.hanging(plain, "  - ", "who waits at the engines: "+s.Little.Words)
	}
	if s.NoOutside != "" {
		p.hanging(plain, "  ", "cannot be compared: "+s.NoOutside)
	}
	for i := range s.Outside {
		p.outsideLoad(&s.Outside[i])
	}
}

func (p *page) outsideLoad(l *reports.LittleAgainst) {
	reading := l.Words
	if l.Reading == "cannot_say" {
		reading = "cannot say: " + reading
	}
	p.hanging(plain, "  - ", l.SourceWords()+": "+reading)
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
	p.hanging(dim, "    ", fmt.Sprintf("%s; n = %s and %s, over %s", text, plural(l.N, "traced request"), plural(l.Outside, what), reports.Period(l.CoveredNS)))
	switch {
	case l.ByLines:
		p.hanging(dim, "    ", "both by lines, with times of one source: "+plural(l.Joined, "line")+" of traced requests")
	case l.Joined > 0 && p.o.Verbose:
		p.hanging(dim, "    ", plural(l.Joined, "line")+" of traced requests")
	}
}

// full writes which stage is full.
func (p *page) full(f *reports.FullStage) {
	head := map[string]string{"full": f.Stage + " is full: ", "none": "none is full: ", "cannot_say": "cannot say which is full: "}[f.Kind]
	p.hanging(plain, "  ", head+f.Words)
	if f.InFlight == nil || f.Kind == "cannot_say" && !p.o.Verbose {
		return
	}
	for i := range f.Stages {
		g := &f.Stages[i]
		if g.Stage == f.Stage || p.o.Verbose {
			p.hanging(dim, "    ", growthWords(g))
		}
	}
	p.hanging(dim, "    ", growthWords(f.InFlight)+fmt.Sprintf("; n = 2 x %s, quarter %d and the busiest", plural(f.Windows, "window"), f.Quarter))
	if p.o.Verbose {
		p.hanging(dim, "    ", "rule: "+f.Rule)
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
