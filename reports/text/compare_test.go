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
	for _, width := range []int{0, 80, 48} {
		p := &page{o: Options{Width: width}}
		p.bandChanges(m, []int{0, 1}, reasonsOf(&reports.Compare{}))
		got := p.out.String()
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

// TestAPartOfANanosecondIsShown has a stage whose mean over all requests is less than half a
// nanosecond, and that takes one in the slowest: it is a row, or the rows would not add up.
func TestAPartOfANanosecondIsShown(t *testing.T) {
	split := func(gateway int64) reports.ChangeSplit {
		return reports.ChangeSplit{Total: reports.PartChange{Part: "total", NewNS: gateway, DifferenceNS: gateway}, Parts: []reports.PartChange{{Part: "gateway", NewNS: gateway, DifferenceNS: gateway}}}
	}
	mean := split(0)
	m := reports.MetricChange{Metric: "duration", BaseN: 1000, NewN: 1000, Mean: &mean, At: []reports.ChangeAt{{P: "p99", Ample: true, ChangeSplit: split(1)}}}
	p := &page{}
	p.moved(&reports.Compare{Metrics: []reports.MetricChange{m}}, reasonsOf(&reports.Compare{}))
	if got := p.out.String(); !strings.Contains(got, "\ngateway ") {
		t.Errorf("gateway is no row:\n%s", got)
	}
}

func btoi(is bool) int {
	if is {
		return 1
	}
	return 0
}
