package page

import (
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// bandChangeFigure shows what the stages of a band took on either side, on a page that has the
// table.
func bandChangeFigure(m reports.MetricChange, band reports.ChangeBand, order []int) chartOf {
	c := chart.Change{Unit: chart.Nanos, Old: "base", New: "new"}
	most := -1
	for _, i := range order {
		part := band.Parts[i]
		if part.BaseNS == 0 && part.NewNS == 0 {
			continue
		}
		if most < 0 || absolute(part.DifferenceNS) > absolute(band.Parts[most].DifferenceNS) {
			most = i
		}
		word := same
		switch {
		case part.Judged() && !part.Stands:
		case part.DifferenceNS > 0:
			word = "slower"
		case part.DifferenceNS < 0:
			word = "faster"
		}
		c.Pairs = append(c.Pairs, chart.Pair{Label: part.Part, Stage: part.Part, Old: float64(part.BaseNS), New: float64(part.NewNS), Word: word})
	}
	if most < 0 {
		return chartOf{}
	}
	t, top := band.Total, band.Parts[most]
	answer := fmt.Sprintf("%s of %s took %s on average, %s in base (n = %s and %s): %s", band.Band, m.Metric, reports.Duration(t.NewNS), reports.Duration(t.BaseNS),
		reports.Integer(band.NewN), reports.Integer(band.BaseN), reports.Signed(t.DifferenceNS))
	if top.DifferenceNS != 0 {
		answer += fmt.Sprintf("; %s changed most, %s (%s, %s in base)", top.Part, reports.Signed(top.DifferenceNS), reports.Duration(top.NewNS), reports.Duration(top.BaseNS))
	}
	switch {
	case !slices.ContainsFunc(band.Parts, reports.PartChange.Judged):
		answer += "; whether it is chance cannot be told"
	case !slices.ContainsFunc(band.Parts, func(p reports.PartChange) bool { return p.Stands }):
		answer += "; none of it stands out from chance"
	}
	return chartOf{figure: Figure{ID: "figure-change-" + slug(m.Metric), Answer: answer, Drawing: c}}
}

// gainFigure shows what the percentile would fall by without the time of a stage beyond its
// median, of the stages that have a row in the table that follows, with bounds where that has them.
func (t *sideTable) gainFigure(s *reports.Summary) chartOf {
	a := *t.a
	a.Stages = nil
	for _, k := range t.shown {
		x := t.a.Stages[k]
		if !t.bounds {
			x.GainBounded.Low, x.GainBounded.High = nil, nil
		}
		a.Stages = append(a.Stages, x)
	}
	return gainsOf(s, a)
}

// whoFigure shows by how many points slow requests have each attribute more often than the rest,
// on a page that has the table.
func (b *builder) whoFigure(w reports.Who) chartOf {
	ranked := chart.Ranked{Unit: chart.Share}
	shown := shownOf(b, w.Findings, whoShown)
	for _, f := range shown {
		c := f.Decides()
		// The numbers are those of the table: the difference of the written shares, and bounds
		// rounded outwards.
		points := reports.Tenths([]float64{c.SlowShare, c.RestShare})
		rank := chart.Rank{Label: quoted(f.Words, f.Value.Name), Value: float64(points[0]-points[1]) / 1000, Low: math.NaN(), High: math.NaN(), Note: "lift " + liftText(c)}
		if low, high := c.Difference.Low, c.Difference.High; low != nil && high != nil {
			rank.Low, rank.High = math.Floor(*low*1000)/1000, math.Ceil(*high*1000)/1000
		}
		ranked.Ranks = append(ranked.Ranks, rank)
	}
	if len(shown) == 0 {
		return chartOf{}
	}
	return chartOf{figure: Figure{ID: "figure-who", Answer: w.Sentence, Drawing: ranked}}
}
