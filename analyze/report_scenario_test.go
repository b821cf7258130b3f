package analyze_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest"
)

// TestReportNamesThePlantedStageFirst reads the simulated incidents, each of which has one cause.
func TestReportNamesThePlantedStageFirst(t *testing.T) {
	for _, c := range []struct {
		scenario string
		stage    stage.Stage
		detail   string
	}{
		{"queue-buildup", stage.Queue, "engine"},
		{"slow-prefill", stage.GPU, "prefill"},
		{"slow-network", stage.Network, "hop"},
		{"cold-start", stage.Scheduling, "frontend"},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			set, account, _, err := ingest.Read(context.Background(), []string{filepath.Join("..", "testdata", "scenarios", c.scenario)}, ingest.Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if err := critical.NewBuilder(set, account, critical.Options{Workers: 2}).Build(context.Background()); err != nil {
				t.Fatal(err)
			}
			r := analyze.ReportOf(set, analyze.ReportOptions{})
			first := r.Bottlenecks[0]
			if first.Stage != c.stage || first.Detail != c.detail {
				t.Errorf("the first bottleneck is %s/%s, planted was %s/%s", first.Stage, first.Detail, c.stage, c.detail)
			}
			if first.GainNS <= 0 || !first.Timed || first.Worst == (analyze.Exemplar{}) {
				t.Errorf("it is %+v", first)
			}
		})
	}
}
