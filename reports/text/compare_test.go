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

// TestGroupsAreNamedOnANarrowPage: values that differ at their ends alone are told apart on a page of
// 60 columns, and no row of a percentile, and no head, loses its name.
func TestGroupsAreNamedOnANarrowPage(t *testing.T) {
	d := fixed(t)["compare_by"]
	by := d.Compare.By
	slower := by.Groups[0]
	by.Keys, by.Groups = []string{"model_path", "cluster"}, nil
	for _, model := range []string{"a", "b"} {
		path, cluster := "/opt/models/meta-llama/Llama-3.1-70B-Instruct-FP8-"+model, "prod-eu-central-1-cluster-1"
		g := slower
		g.Values = []*string{&path, &cluster}
		by.Groups = append(by.Groups, g)
	}
	for _, width := range []int{60, 80, 100} {
		got := render(t, d, Options{Width: width})
		for _, want := range []string{"\ngroup  base n", "\ngroup   base ", "\np50 #1 ", "\np95 #2 ", "-FP8-a\n    prod-eu-central-1-cluster-1\n", "-FP8-b\n    prod-eu-central-1-cluster-1\n", "\ngroup  added s ["} {
			if !strings.Contains(got, want) {
				t.Errorf("width %d: no %q in\n%s", width, want, got)
			}
		}
	}
}
