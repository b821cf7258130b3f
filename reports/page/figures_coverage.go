package page

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// coverageFigure shows how well what is in the tables is known, on a page that says it in words.
func coverageFigure(in *reports.Inspect) chartOf {
	c := in.Coverage
	if c.PathSeconds <= 0 {
		return chartOf{}
	}
	var bars []chart.Covers
	if c.Balanced {
		bars = append(bars, chart.Covers{Label: "path time", Unit: chart.Share, Parts: []chart.Covered{
			{Label: "exact", Value: c.Exact}, {Label: "anchored", Value: c.Anchored, Known: chart.WorkedOut}, {Label: "residual", Value: c.Residual, Known: chart.LeftOver},
		}})
	}
	bars = append(bars, chart.Covers{Label: "its stages", Unit: chart.Share, Parts: []chart.Covered{
		{Label: "attributed", Value: c.Attributed}, {Label: "unattributed", Value: c.Unattributed, Known: chart.Nothing},
	}})
	if s := in.Conservation; s.Balanced {
		bars = append(bars, chart.Covers{Label: "spans", Note: "n = " + reports.Integer(s.SpansIn), Parts: []chart.Covered{
			{Label: "on the path", Value: float64(s.OnPath)}, {Label: "off it", Value: float64(s.OffPath), Known: chart.LeftOver}, {Label: "excluded", Value: float64(s.Excluded), Known: chart.Nothing},
		}})
	}
	requests := chart.Covers{Label: "requests", Note: "n = " + reports.Integer(in.Requests)}
	for _, x := range in.Classes {
		known := chart.Nothing
		if x.Class == "complete" {
			known = chart.Recorded
		}
		requests.Parts = append(requests.Parts, chart.Covered{Label: x.Class, Value: float64(x.N), Known: known})
	}
	bars = append(bars, requests)
	of := reports.Percents([]float64{c.Attributed, c.Unattributed})
	answer := of[0] + " % of path time is attributed to a stage"
	if c.Balanced {
		by := reports.Percents([]float64{c.Exact, c.Anchored, c.Residual})
		answer += fmt.Sprintf("; %s %% is exact, %s %% anchored, %s %% residual", by[0], by[1], by[2])
	}
	return chartOf{figure: Figure{ID: "figure-coverage", Answer: answer, Drawing: chart.Coverage{Bars: bars}}}
}
