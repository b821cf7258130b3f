package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze"
)

// sentence answers whether it got slower, where, and whether the workload or the server
// did it.
func (c *Compare) sentence() string {
	v := c.Verdict
	for _, s := range []struct {
		name string
		side ComparedSide
	}{{"base", c.Base}, {"new", c.New}} {
		switch {
		case s.side.Population.Requests == 0:
			return "nothing to compare: no request was found in " + s.name
		case s.side.Population.Used == 0:
			return fmt.Sprintf("nothing to compare: all %s of %s were left out", plural(s.side.Population.Requests, "request"), s.name)
		}
	}
	p := c.told()
	if p == nil || p.BaseNS == nil || p.NewNS == nil || p.Ratio == nil || analyze.ChangeKind(v.Kind) == analyze.ChangeTooFew {
		if p != nil && p.BaseNS != nil && p.NewNS != nil && p.Ratio == nil { // of nothing there is no ratio
			return "nothing to compare: " + v.Reason
		}
		return "too few requests to compare: " + v.Reason
	}
	words := c.words() + c.By.changed()
	switch analyze.ChangeKind(v.Kind) {
	case analyze.ChangeSame:
		return fmt.Sprintf("no change that counts: %s of %s is %s and %s (%s)%s", v.P, v.Metric, Duration(*p.BaseNS), Duration(*p.NewNS), c.worth(p), words)
	case analyze.ChangeDescribes:
		return fmt.Sprintf("%s in %s, not proven to last: %s; %s%s", direction(p), c.here(), c.went(p), c.why(p), words)
	case analyze.ChangeMixed:
		return fmt.Sprintf("slower and faster: %s, and other percentiles went the other way; %s%s", c.went(p), c.why(p), words)
	}
	return fmt.Sprintf("%s: %s; %s%s", v.Kind, c.went(p), c.why(p), words)
}

// here names what a change is of that predicts nothing.
func (c *Compare) here() string {
	if c.OneCapture {
		return "this capture"
	}
	return "these captures"
}

// direction says which way a percentile went.
func direction(p *PercentileChange) string {
	if *p.NewNS < *p.BaseNS {
		return "faster"
	}
	return "slower"
}

// told returns the percentile that the verdict is about.
func (c *Compare) told() *PercentileChange {
	for _, m := range c.Metrics {
		if m.Metric != c.Verdict.Metric {
			continue
		}
		if i := slices.IndexFunc(m.Percentiles, func(p PercentileChange) bool { return p.P == c.Verdict.P }); i >= 0 {
			return &m.Percentiles[i]
		}
	}
	return nil
}

// words says what else has to be known: that a side holds kept traces only, that other
// shares of the requests failed, that requests are in that are usually left out, and that a
// side was made, chosen or measured otherwise.
func (c *Compare) words() (text string) {
	if c.Base.Population.kept() || c.New.Population.kept() {
		text = ", " + keptWords
	}
	for _, r := range c.Rates {
		if r.Outcome == "slower" || r.Outcome == "faster" || r.Outcome == "describes" {
			text += fmt.Sprintf("; %s went from %s to %s %%", r.Name, Percent(float64(r.BaseCount)/float64(r.BaseOf)), Percent(float64(r.NewCount)/float64(r.NewOf)))
		}
	}
	for s, p := range []Population{c.Base.Population, c.New.Population} {
		if mixed := p.mixedIn(" of " + sideNames[s]); mixed != "" {
			text += "; " + mixed
		}
	}
	return text + c.artefacts()
}

// artefacts says what one side alone has that may make the difference, or hide one.
func (c *Compare) artefacts() string {
	var sides []string
	for _, name := range sideNames {
		var has []string
		for _, a := range c.Verdict.Artefacts {
			if a.Side == name {
				has = append(has, a.Is)
			}
		}
		if has != nil {
			sides = append(sides, name+" has "+strings.Join(has, " and "))
		}
	}
	switch {
	case sides == nil:
		return ""
	case analyze.ChangeKind(c.Verdict.Kind) == analyze.ChangeSame:
		return "; a change may be hidden, or made up for: " + strings.Join(sides, ", ")
	}
	return "; the difference may be an artefact: " + strings.Join(sides, ", ")
}

// worth writes a ratio with its interval and the numbers of requests.
func (c *Compare) worth(p *PercentileChange) string {
	text := RatioText(p.Ratio.Value)
	switch {
	case analyze.ChangeKind(c.Verdict.Kind) == analyze.ChangeDescribes: // an interval would seem to predict
	case p.Ratio.Low != nil:
		text += fmt.Sprintf(", 95 %% %s", RatioRange(*p.Ratio.Low, *p.Ratio.High))
	default:
		text += ", no interval"
	}
	for _, m := range c.Metrics {
		if m.Metric == c.Verdict.Metric {
			text += fmt.Sprintf("; n = %s and %s", Integer(m.BaseN), Integer(m.NewN))
		}
	}
	return text
}

// went says how the percentile changed and which stage took most of it.
func (c *Compare) went(p *PercentileChange) string {
	v := c.Verdict
	text := fmt.Sprintf("%s of %s went from %s to %s (%s)", v.P, v.Metric, Duration(*p.BaseNS), Duration(*p.NewNS), c.worth(p))
	switch {
	case v.Share == nil:
	case strings.Contains(v.Part, unattributed) && v.Part != unattributed:
		text += fmt.Sprintf(", %s of it in %s, which one side cannot tell apart", mostOf(*v.Share), v.Part)
	case v.Part == unattributed:
		text += fmt.Sprintf(", %s of it unattributed, so no stage can be named", mostOf(*v.Share))
	default:
		text += fmt.Sprintf(", %s of it in %s", mostOf(*v.Share), v.Part)
		if !v.Stands && analyze.ChangeKind(v.Kind) != analyze.ChangeDescribes {
			text += " (~)"
		}
	}
	return text
}

// mostOf writes the share that the largest part has of a change. Others may make up for
// some of it.
func mostOf(share float64) string {
	if share > 1 {
		return "all"
	}
	return Percent(share) + " %"
}

// why says whether requests ask for something else, and what of the change that leaves. It
// blames no server: a stage named beside it may be a network.
func (c *Compare) why(p *PercentileChange) string {
	v := c.Verdict
	if p.Equal == nil {
		if !c.Shifted() {
			return "whether requests ask for the same cannot be told"
		}
		return "requests ask for something else (" + c.shifts() + "), and too few are alike to tell how much of it that is"
	}
	alike := "alike requests take " + RatioText(p.Equal.Ratio.Value)
	if p.Equal.Ratio.Low != nil && p.Equal.Outcome == "same" {
		alike += " (~)"
	}
	switch analyze.ChangeCause(v.Cause) {
	case analyze.CauseServer:
		if !c.Shifted() {
			return "requests ask for the same as before"
		}
		return fmt.Sprintf("not because requests ask for something else (%s): %s", c.shifts(), alike)
	case analyze.CauseWorkload:
		return fmt.Sprintf("because requests ask for something else (%s): %s", c.shifts(), alike)
	}
	return fmt.Sprintf("in part because requests ask for something else (%s): %s", c.shifts(), alike)
}

// shifts names what requests ask for otherwise, numbers with their medians.
func (c *Compare) shifts() string {
	var out []string
	for _, name := range c.Verdict.Shifted {
		for _, m := range c.Mix {
			if m.Column == name && m.BaseMedian != nil && m.NewMedian != nil && *m.BaseMedian != *m.NewMedian {
				name += fmt.Sprintf(" p50 %s, was %s", Integer(*m.NewMedian), Integer(*m.BaseMedian))
			}
		}
		out = append(out, name)
	}
	return strings.Join(out, "; ")
}

// RatioText writes a ratio, such as x1.42.
func RatioText(v float64) string { return "x" + Number(v) }

// RatioRange writes the bounds of a ratio.
func RatioRange(low, high float64) string { return Number(low) + " to " + Number(high) }

// Shifted reports whether the mix of some property has shifted.
func (c *Compare) Shifted() bool { return len(c.Verdict.Shifted) > 0 }

// afterCompare names the command that follows a comparison: a look at the queue or at
// slow requests of new, of the group that got slower where there is one, or, when nothing can be
// judged, at what is in it.
func (r Run) afterCompare(c *Compare, v analyze.ChangeVerdict) string {
	if g := c.By.worst(); g != nil && g.Where != "" {
		if g.Part == queue {
			return r.command("queue", "--where", Quote(g.Where))
		}
		return r.command("explain", "--slowest", "5", "--where", Quote(g.Where))
	}
	switch {
	case c.Base.Population.Used == 0 || c.New.Population.Used == 0 || v.HasPart && !v.KnownStage():
		return r.command("inspect")
	case v.HasPart && v.Part.Name() == queue:
		return r.command("queue")
	}
	return r.command("explain", "--slowest", "5")
}
