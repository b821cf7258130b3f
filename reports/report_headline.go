package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tailpath/tailpath/analyze"
)

// reportHeadline says in one sentence of three parts how slow requests were and what changed since
// the last time, what took it, and where and when. What comes next is said only of what is
// everywhere and all the time: the tables have it.
func reportHeadline(d Document, a analyze.Report) string {
	s := &d.Queue.Summary
	verdict := summaryHeadline(s)
	if s.Population.Used == 0 {
		return verdict
	}
	text := verdict
	if figure := headlineFigure(d.Report); figure != "" {
		text = figure + "; " + verdict
	}
	if place := headlinePlace(d.Report, a); place != "" {
		text = strings.Replace(text, s.Verdict.next(s.Duration.Tail), "", 1) + "; " + place
	}
	return text
}

// headlineFigure says how long the farthest percentile of the duration is that is known, and what
// it was.
func headlineFigure(r *Report) string {
	for _, p := range []string{"p99", "p90", "p50"} {
		for _, row := range r.Verdicts {
			if row.Metric != "duration" || row.P != p || row.Now.Value == nil {
				continue
			}
			text := fmt.Sprintf("%s e2e %s", p, Duration(int64(*row.Now.Value)))
			if row.Change != nil {
				text += " (" + row.changed(r.Banner) + ")"
			}
			return text
		}
	}
	return ""
}

// changed says what a time changed by, and whether that is more than chance.
func (r VerdictRow) changed(banner []Warning) string {
	text := "no change"
	if ns := int64(r.Change.Value); ns != 0 {
		text = Signed(ns)
		if r.Percent != nil {
			text += ", " + signedPercent(*r.Percent)
		}
	}
	switch {
	case slices.ContainsFunc(banner, func(w Warning) bool { return w.ID == NotAlike }):
		return text + ", not like for like"
	case r.Outcome == outcomeHigher, r.Outcome == outcomeLower:
		return text + ", more than chance"
	case r.Outcome == outcomeSame && r.Why != "":
		return text + ", too little to count"
	case r.Outcome == outcomeSame:
		return text + ", no more than chance"
	case r.Outcome == outcomeDescribes:
		return text + ", in these captures"
	}
	return text + ", not ranked"
}

// signedPercent writes a share in whole per cent with its sign; 0 has none.
func signedPercent(share float64) string {
	whole := math.Round(100 * share)
	if whole == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%+.0f %%", whole)
}

// headlinePlace says where and when the bottleneck was that the verdict is about; empty when it
// was everywhere and all the time, or when the verdict names none.
func headlinePlace(r *Report, a analyze.Report) string {
	list := listed(a)
	for i, b := range r.Bottlenecks {
		if b.Confidence == describes || b.Confidence == tooFew {
			continue
		}
		place := "90 % of the excess of " + b.Name()
		scope := scopeOf(b.Scope)
		if scope != "" {
			place = "most of the excess of " + b.Name() + " is of requests " + scope
		}
		if confined(a, list[i]) && b.From != "" {
			if scope != "" {
				place += ", 90 % of that"
			} else {
				place += " is"
			}
			return fmt.Sprintf("%s within %s from %s on", place, Period(b.ToNS-b.FromNS), time.Unix(0, b.FromNS).UTC().Format("2006-01-02T15:04:05Z"))
		}
		if scope != "" {
			return place
		}
	}
	return ""
}
