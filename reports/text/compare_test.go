package text

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// TestComparedTablesFitATerminal writes the widest tables of a comparison at 80 columns and in a
// pipe: no stage loses letters of its name, and no row is wider than 100 even in a pipe.
func TestComparedTablesFitATerminal(t *testing.T) {
	low, high := int64(-123_456_000_000), int64(123_456_000_000)
	part := func(name string) reports.PartChange {
		return reports.PartChange{Part: name, BaseNS: 98_765_000_000, NewNS: 87_654_000_000, DifferenceNS: -11_111_000_000, LowNS: &low, HighNS: &high}
	}
	split := reports.ChangeSplit{Total: part("total"), Parts: []reports.PartChange{part("queue"), part("unattributed")}}
	m := reports.MetricChange{Metric: "duration", BaseN: 1_000_000, NewN: 1_000_000, Mean: &split}
	for _, b := range []string{"p0-50", "p50-90", "p90-99", "p99-100"} {
		m.Bands = append(m.Bands, reports.ChangeBand{Band: b, BaseN: 100_000, NewN: 100_000, Ample: true, ChangeSplit: split})
	}
	side := reports.ComparedSide{Population: reports.Population{Requests: 1_000_000, Used: 1_000_000}}
	d := reports.Document{Headline: "nothing moved", Compare: &reports.Compare{Base: side, New: side, Metrics: []reports.MetricChange{m}}}
	for _, width := range []int{0, 80, 48} {
		got := strings.Join(section(t, render(t, d, Options{Width: width}), "where the time goes"), "\n")
		for _, line := range strings.Split(got, "\n") {
			if limit := max(width, 100*btoi(width == 0)); len([]rune(line)) > limit {
				t.Errorf("width %d: %d columns: %q", width, len([]rune(line)), line)
			}
		}
		for _, name := range []string{"queue ", "unattributed ", "p99-100 "} {
			if !strings.Contains(got, name) {
				t.Errorf("width %d: %q is cut:\n%s", width, name, got)
			}
		}
	}
}

func btoi(is bool) int {
	if is {
		return 1
	}
	return 0
}
