package page

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// attained is an objective of one term of which so much was met.
func attained(text, outcome string, met float64) reports.Objective {
	low, high := met-.01, min(1, met+.01)
	a := reports.Figure{Value: met, N: 5500, Low: &low, High: &high}
	return reports.Objective{
		Objective: text, Outcome: outcome, Attainment: &a, Good: int64(met * 5500), Asked: 5500, NoGoodput: "durations alone are recorded",
		Terms: []reports.ObjectiveTerm{{Term: text, Outcome: outcome, Target: .99, Of: "requests", Attainment: &a, Limits: []reports.Limit{{Metric: "e2e", Below: true, Time: "2s"}}}},
	}
}

// TestWhatIsMetByWeightsIsCalledThat: 90 of 100 is not 97 %, unless they stand for others.
func TestWhatIsMetByWeightsIsCalledThat(t *testing.T) {
	const note = "met % is that of all requests, kept or not, by their sampling weights"
	for method, want := range map[string]bool{"clopper-pearson": false, "weighted-clopper-pearson": true} {
		d := fixed(t)["summary"]
		o := attained("p99(e2e) < 2s", "fail", .97)
		o.Attainment.Method = method
		d.Summary.Objectives = []reports.Objective{o}
		got := render(t, d, Options{})
		for _, text := range []string{"97.00 % of 5,500 met it, by sampling weights\n", "5,500 requests: 97.00 % by sampling weights (95 % each: ", note} {
			if strings.Contains(got, text) != want {
				t.Errorf("%s: %q is there: %t", method, text, !want)
			}
		}
	}
}

// TestObjectivesStandBehindTheHeadline: what is missed is said in the lines after the first,
// and the table is that of a capacity, which says nothing of rates that were not asked for.
func TestObjectivesStandBehindTheHeadline(t *testing.T) {
	missed, kept := attained("p99(e2e) < 2s", "fail", .9103), attained("p99(ttft) < 2s", "pass", 1)
	for _, name := range []string{"summary", "queue"} {
		d := fixed(t)[name]
		before := render(t, d, Options{})
		s := d.Summary
		if d.Queue != nil {
			s = &d.Queue.Summary
			d.Queue.WithoutQueue = []reports.WithoutQueue{{Objective: missed.Objective, Words: "of 493 answered requests that missed a limit"}}
		}
		s.Objectives = []reports.Objective{missed, kept}
		got := render(t, d, Options{})
		lines, was := strings.Split(got, "\n"), strings.Split(before, "\n")
		if lines[0] != was[0] || lines[1] != "misses p99(e2e) < 2s: 91.03 % of 5,500 met it" || lines[2] != was[1] {
			t.Errorf("%s begins\n%s", name, strings.Join(lines[:3], "\n"))
		}
		if rows := section(t, got, "objectives ["); len(rows) < 4 || !strings.HasPrefix(rows[1], "p99(e2e) < 2s ") || !strings.Contains(rows[1], " FAIL") || !strings.Contains(rows[2], " PASS") {
			t.Errorf("%s:\n%s", name, strings.Join(rows, "\n"))
		}
		if strings.Contains(got, "capacity within") {
			t.Errorf("%s tells of a rate that was not asked for", name)
		}
		if want := "\n  p99(e2e) < 2s: of 493 answered requests that missed a limit\n"; strings.Contains(got, want) != (name == "queue") {
			t.Errorf("%s says %q: %t", name, want, name != "queue")
		}
	}
}
