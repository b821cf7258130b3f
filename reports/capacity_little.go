package reports

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// LittleAgainst sets the load of the traces against another source of it. Figures are null
// where one of the sources does not tell.
type LittleAgainst struct {
	Source    string   `json:"source"` // engine_readings or access_log
	Of        []string `json:"of"`     // engines, or the log
	FromNS    int64    `json:"from_ns"`
	ToNS      int64    `json:"to_ns"`
	CoveredNS int64    `json:"covered_ns"` // for which both tell of the load
	N         int64    `json:"n"`          // traced requests
	Outside   int64    `json:"outside"`    // readings, or lines
	Joined    int64    `json:"joined"`     // lines of traced requests
	// ByLines says that the figures of traced requests are those of their lines, not their spans.
	ByLines bool `json:"by_lines"`
	// Rates are requests a second, and the others mean numbers of requests in flight.
	RateTraced      *float64 `json:"traced_per_s"`
	RateOutside     *float64 `json:"outside_per_s"`
	InFlightTraced  *float64 `json:"traced_in_flight"`
	InFlightOutside *float64 `json:"outside_in_flight"`
	// Rate, InFlight and Time are traced over outside: of rates, numbers in flight and mean times.
	Rate       *Figure `json:"rate_ratio"`
	InFlight   *Figure `json:"in_flight_ratio"`
	Time       *Figure `json:"time_ratio"`
	Reading    string  `json:"reading"`
	MissingNS  *int64  `json:"missing_ns"` // of each request, in no span; null unless stage_not_covered
	NoInFlight string  `json:"no_in_flight"`
	NoRates    string  `json:"no_rates"`
	Words      string  `json:"words"`
}

// FullStage is the stage that is full: whose number of requests stays the same while others
// wait before it.
type FullStage struct {
	Kind   string `json:"kind"`   // full, none or cannot_say
	Stage  string `json:"stage"`  // empty unless full
	Before string `json:"before"` // the stage before it that grew most; empty unless full
	Words  string `json:"words"`
	// Quarter is which quarter of the windows, from the least in flight, is set against the
	// busiest; 0 for none.
	Quarter  int           `json:"quarter"`
	Windows  int64         `json:"windows"` // of each
	Blocks   int64         `json:"blocks"`  // of time, resampled
	InFlight *StageGrowth  `json:"in_flight"`
	Stages   []StageGrowth `json:"stages"`
	Rule     string        `json:"rule"`
}

// StageGrowth is how the number of requests in a stage grows to the busiest windows.
type StageGrowth struct {
	Stage  string  `json:"stage"`
	Quiet  float64 `json:"quiet_in_flight"`
	Busy   float64 `json:"busy_in_flight"`
	Growth *Figure `json:"growth"` // busy over quiet; null from none
	Share  *Figure `json:"share"`  // of the growth of all; null where all do not grow
}

func littleAgainst(list []analyze.LittleAgainst) []LittleAgainst {
	out := []LittleAgainst{}
	for i := range list {
		l := &list[i]
		a := LittleAgainst{
			Source: spelled(l.Source), Of: append([]string{}, l.Of...), FromNS: l.From, ToNS: l.To, CoveredNS: l.CoveredNS, N: l.N, Outside: l.Outside,
			Joined: l.Joined, ByLines: l.ByLines, Reading: spelled(l.Reading.Kind), NoInFlight: l.NoInFlight, NoRates: l.NoRates, Words: l.Reading.Text,
		}
		if l.Why != "" {
			a.Reading, a.Words = "cannot_say", l.Why
			out = append(out, a)
			continue
		}
		if l.HasRates {
			a.RateTraced, a.RateOutside, a.Rate = figure(l.RateTraced), figure(l.RateOutside), bounded(l.Rate)
		}
		if l.HasInFlight {
			a.InFlightTraced, a.InFlightOutside, a.InFlight = figure(l.InFlightTraced), figure(l.InFlightOutside), bounded(l.InFlight)
		}
		if l.HasRates && l.HasInFlight {
			a.Time = bounded(l.Time)
		}
		if l.Reading.MissingNS > 0 {
			ns := rounded(l.Reading.MissingNS)
			a.MissingNS = &ns
		}
		out = append(out, a)
	}
	return out
}

// SourceWords says what the traces are compared with.
func (l *LittleAgainst) SourceWords() string {
	of := strings.Join(l.Of, ", ")
	if n := len(l.Of); n > 3 {
		of = fmt.Sprintf("%s and %d more", strings.Join(l.Of[:3], ", "), n-3)
	}
	switch {
	case l.Source != "engine_readings":
		return of
	case of == "":
		return "the engines' readings"
	}
	return "readings of " + of
}

func fullStage(f analyze.Full) FullStage {
	out := FullStage{
		Kind: spelled(f.Kind), Stage: f.Stage, Before: f.Before, Words: f.Why, Quarter: f.From, Windows: f.Windows, Blocks: f.Blocks, Stages: []StageGrowth{}, Rule: f.Rule,
	}
	if out.Kind == "" { // nothing was asked
		out.Kind = spelled(analyze.FullCannotSay)
	}
	of := func(g *analyze.StageGrowth) StageGrowth {
		return StageGrowth{g.Stage, g.Quiet, g.Busy, bounded(g.Growth), bounded(g.Share)}
	}
	if f.From > 0 {
		all := of(&f.InFlight)
		out.InFlight = &all
	}
	for i := range f.Stages {
		out.Stages = append(out.Stages, of(&f.Stages[i]))
	}
	return out
}
