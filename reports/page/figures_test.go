package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// Which charts a report has follows from its document; where one is missing, a sentence says what
// it lacks.
func TestChartsOfAReport(t *testing.T) {
	all := []string{"figure-change", "figure-stages", "figure-distribution", "figure-weeks", "figure-stream", "figure-traffic", "figure-knee", "figure-heat"}
	without := func(ids ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(ids, id) })
	}
	for name, x := range map[string]struct {
		change func(*reports.Document)
		want   []string
		says   string // in the place of a chart
	}{
		"everything":     {func(*reports.Document) {}, all, ""},
		"one week":       {func(d *reports.Document) { d.Report.Before = d.Report.Before[2:] }, append(without("figure-weeks"), "figure-gains"), ""},
		"weeks of none":  {func(d *reports.Document) { clear(d.Report.Before) }, append(without("figure-weeks"), "figure-gains"), ""},
		"no baseline":    {func(d *reports.Document) { d.Report.Before, d.Report.Moved = nil, nil }, append(without("figure-weeks", "figure-change"), "figure-gains", "figure-queueing"), noBaseline},
		"no times":       {func(d *reports.Document) { d.Report.Heat = nil }, without("figure-traffic", "figure-heat"), "no heat map: the requests have no times"},
		"no tokens":      {func(d *reports.Document) { d.Report.Streams = nil }, without("figure-stream"), "no chart of a stream: no request recorded when its tokens came; a span event"},
		"no capacity":    {func(d *reports.Document) { d.Capacity = nil }, without("figure-knee"), "the report holds no capacity"},
		"one load":       {func(d *reports.Document) { c := &d.Capacity.System.Curves[0]; c.Points = c.Points[:1] }, without("figure-knee"), "only one load was seen, 1.00 in flight"},
		"no percentiles": {func(d *reports.Document) { d.Report.Distribution = nil }, without("figure-distribution"), "no duration is known"},
		"nobody waited": {func(d *reports.Document) {
			d.Report.Moved = nil
			for i := range d.Report.Heat.Depth {
				d.Report.Heat.Depth[i] = to(0.0)
			}
		}, without("figure-change"), "nobody waited, or hardly anybody"},
	} {
		d := richReport(t)
		x.change(&d)
		var got []string
		said := false
		for _, s := range Of(d, Options{}).Sections {
			for _, block := range s.Blocks {
				switch b := block.(type) {
				case Figure:
					if !s.Folded {
						got = append(got, b.ID)
					}
				case Paragraph:
					said = said || strings.Contains(b.Text, x.says)
				}
			}
		}
		want := slices.Sorted(slices.Values(x.want))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: charts %v, want %v", name, got, want)
		}
		if !said {
			t.Errorf("%s: nothing says %q", name, x.says)
		}
	}
}

// Whether tokens follow requests is said of stretches that are long beside requests alone, and
// that requests changed only where a test says so.
func TestTrafficAnswers(t *testing.T) {
	answer := func(change func(*reports.Document)) string {
		d := richReport(t)
		change(&d)
		return trafficFigure(d).figure.Answer
	}
	for name, x := range map[string]struct {
		change func(*reports.Document)
		want   string
	}{
		"follow": {func(*reports.Document) {}, "output tokens/s follow requests/s (correlation 1.00 over 16 stretches)"},
		"do not follow": {func(d *reports.Document) {
			for i := range d.Report.Heat.Tokens {
				d.Report.Heat.Tokens[i] = to(float64(i % 3))
			}
		}, "output tokens/s do not follow requests/s"},
		"short stretches": {func(d *reports.Document) { d.Queue.Summary.Duration.All.MeanNS = minute }, "cannot be told of stretches of 2 min: requests take 60.0 s on average"},
		"moved": {func(d *reports.Document) {
			d.Queue.Candidates = []reports.QueueCandidate{{Name: "prompts", Speaks: "for", Words: "median prompt tokens 400 in quiet, 900 in busy times"}}
		}, "the mix moved: median prompt tokens 400 in quiet, 900 in busy times"},
		"did not move": {func(d *reports.Document) {
			d.Queue.Candidates = []reports.QueueCandidate{{Name: "outputs", Speaks: "against", Words: "median output tokens 80 in quiet, 81 in busy times"}}
		}, "the mix did not move: median output tokens 80 in quiet"},
		"longer": {func(d *reports.Document) {
			d.Queue.Work.Sizes = []reports.QueueSizes{{Name: "prompt_tokens", Slow: to(int64(48_024)), Rest: to(int64(411)), More: true}}
		}, "slow requests are longer than the rest: median prompt tokens 48,024 against 411"},
	} {
		if got := answer(x.change); !strings.Contains(got, x.want) {
			t.Errorf("%s: %q says not %q", name, got, x.want)
		}
	}
}

// Shares that met an objective are never rounded up to all.
func TestMetIsRoundedDown(t *testing.T) {
	almost := reports.VerdictRow{Metric: "slo", Unit: "share", Now: reports.Compact{Value: to(0.99997), Low: to(0.99986), High: to(0.999991)}}
	s := shareScale.of(almost)
	if got := s.text(almost.Now.Value); got != "99.99" {
		t.Errorf("0.99997 is written as %s", got)
	}
	if got := s.bounds(almost.Now.Low, almost.Now.High); got != "99.98–100.00" {
		t.Errorf("bounds are written as %s", got)
	}
	if got := shareScale.of(reports.VerdictRow{Metric: "errors"}).text(to(0.00996)); got != "1.00" {
		t.Errorf("0.996 %% is written as %s", got)
	}
}
