package analyze

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
)

// UnlikeLeftOut is the id of the warning that many more requests of one side have no times
// that can be used.
const UnlikeLeftOut = "unlike-left-out"

// Artefact is something in how the requests of a side were made, chosen or measured that
// moves its latencies and that the other side has not, or has otherwise: a difference
// between the sides may come from it alone.
type Artefact struct {
	ID   string // of the warning about it
	Side int    // change.Base or change.New
	Is   string // what the side has, in a few words
}

// doubt is a warning about one side. Artefact says in a few words what may move its
// latencies; it is empty for what does not.
type doubt struct {
	stat.Warning
	artefact string
}

// doubts are the warnings that a summary of the side has, as far as a comparison shows what
// they are about.
func (x *sideOf) doubts(p Population, durations Percentiles) (out []doubt) {
	add := func(artefact string, list ...stat.Warning) {
		for _, w := range list {
			out = append(out, doubt{w, artefact})
		}
	}
	switch s := p.Sampling; {
	case s.Biased():
		add("kept traces alone", stat.Warning{ID: OneSideBiased, Text: "traces were not all kept alike: percentiles and shares are those of kept traces"})
	case s.Kind == SamplingUniform:
		add("", stat.Warning{ID: UniformWeights, Text: fmt.Sprintf("every trace stands for %.4g requests: percentiles and shares hold, rates and what is in flight are those of the kept traces", s.Low)})
	}
	streamed, _ := ttftRows(x.set, x.rows)
	first := bases(x.set, streamed)
	if len(first) > 1 {
		add("", stat.Warning{ID: MixedBasis, Text: "requests differ in what served as the first token: ttft and tpot mix vantage points"})
	}
	add("", firstChunks(first)...)
	if !conservation(x.set).Balanced {
		add("", stat.Warning{ID: SpanAccount, Text: "spans on path, off path and excluded do not add up to the spans of the requests"})
	}
	add("sources that are not joined", notJoined(x.set, x.rows)...)
	add("clocks of another zone", otherZone(x.set, ClockOffsets(x.set, nil))...)
	if _, most := coarseness(x.set, x.rows); most > 0 {
		add("durations that may be off by "+inUnit(most), coarse(x.set, x.rows)...)
	}
	_, _, step := wholeStep(x.set, x.rows)
	for _, w := range artefacts(x.set, x.rows) {
		is := "a closed loop"
		if w.ID == WholeSeconds {
			if is = ""; step > 0 { // of few requests within one step, no figure is an artefact
				is = "times in whole steps of " + inUnit(step)
			}
		}
		add(is, w)
	}
	add("slow requests that were left out", survivors(x.set, durations, x.opt)...)
	return out
}

// doubts warns of what is in doubt about either side, by its name, and finds the artefacts
// that one side has and the other has not.
func (c *Comparison) doubts(sides [2]sideOf, workers int) (out []stat.Warning) {
	var of [2][]doubt
	populations := [2]Population{c.Base.Population, c.New.Population}
	stat.Replicates(2, workers, func(_, s int) {
		of[s] = sides[s].doubts(populations[s], c.durations(sides[s], s))
	})
	out = unlikeLeftOut(populations)
	for s, list := range of {
		for _, d := range list {
			whole := c.OneCapture && slices.ContainsFunc(of[1-s], func(other doubt) bool { return other.Warning == d.Warning })
			switch {
			case !whole:
				out = append(out, stat.Warning{ID: d.ID, Text: sideNames[s] + ": " + d.Text})
			case s == change.Base: // what is of the whole capture is told once
				out = append(out, stat.Warning{ID: d.ID, Text: "base and new: " + d.Text})
			}
			same := func(other doubt) bool { return other.ID == d.ID && other.artefact == d.artefact }
			told := func(a Artefact) bool { return a.ID == d.ID && a.Side == s }
			if d.artefact != "" && !slices.ContainsFunc(of[1-s], same) && !slices.ContainsFunc(c.Artefacts, told) {
				c.Artefacts = append(c.Artefacts, Artefact{d.ID, s, d.artefact})
			}
		}
	}
	return out
}

// durations returns the percentiles of the durations of a side, and its slowest one.
func (c *Comparison) durations(x sideOf, side int) Percentiles {
	p := Percentiles{Metric: "duration", N: int64(len(x.rows))}
	for _, row := range x.rows {
		p.Slowest.NS = max(p.Slowest.NS, x.set.Requests.Duration[row])
	}
	for _, m := range c.Metrics {
		for _, q := range m.Percentiles {
			if m.Metric == p.Metric {
				p.Quantiles = append(p.Quantiles, Percentile{Quantile: [2]stat.Quantile{q.Base, q.New}[side]})
			}
		}
	}
	return p
}

// otherLeftOut is by how much the shares of requests that have no times may differ.
const otherLeftOut = 0.05

// unlikeLeftOut warns that many more requests of one side have no times that can be used.
// Those that failed, and those of which a part or the end is missing, are rates of their own.
func unlikeLeftOut(of [2]Population) []stat.Warning {
	var share [2]float64
	for s, p := range of {
		var n, kept int64 = 0, p.Requests
		for _, x := range p.Excluded {
			switch x.Kind {
			case critical.Broken.String(), ExcludedInvalid:
				n += x.N
			case ExcludedFilter, ExcludedOutside, ExcludedUndated:
				kept -= x.N
			}
		}
		share[s] = float64(n) / float64(max(kept, 1))
	}
	if d := share[change.New] - share[change.Base]; max(d, -d) <= otherLeftOut {
		return nil
	}
	return []stat.Warning{{ID: UnlikeLeftOut, Text: fmt.Sprintf(
		"%.1f %% of the requests of base and %.1f %% of new have no times that can be used: the rest may be of another kind", 100*share[0], 100*share[1])}}
}
