package page

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// TestAPartOfANanosecondIsShown has a stage whose mean over all requests is less than half a
// nanosecond, and that takes one in the slowest: it is a row, or the rows would not add up.
func TestAPartOfANanosecondIsShown(t *testing.T) {
	split := func(gateway int64) reports.ChangeSplit {
		return reports.ChangeSplit{Total: reports.PartChange{Part: "total", NewNS: gateway, DifferenceNS: gateway}, Parts: []reports.PartChange{{Part: "gateway", NewNS: gateway, DifferenceNS: gateway}}}
	}
	mean := split(0)
	m := reports.MetricChange{Metric: "duration", BaseN: 1000, NewN: 1000, Mean: &mean, At: []reports.ChangeAt{{P: "p99", Ample: true, ChangeSplit: split(1)}}}
	p := newBuilder(Options{})
	p.moved(&reports.Compare{Metrics: []reports.MetricChange{m}}, reasonsOf(&reports.Compare{}))
	if got := textOf(p); !strings.Contains(got, "\ngateway ") {
		t.Errorf("gateway is no row:\n%s", got)
	}
}

// TestMeansWithIntervalsSayHowTheyWereMade: where only means, a percentile, a band or a rate have
// an interval, and no ratio has, a note tells of the blocks all the same; where nothing that is
// shown has one, none does.
func TestMeansWithIntervalsSayHowTheyWereMade(t *testing.T) {
	low, high := int64(-5), int64(5)
	rate := -.5
	split := func(bounds bool) reports.ChangeSplit {
		s := reports.ChangeSplit{Total: reports.PartChange{Part: "total"}, Parts: []reports.PartChange{{Part: "queue"}}}
		if bounds {
			s.Parts[0].LowNS, s.Parts[0].HighNS = &low, &high
		}
		return s
	}
	for name, c := range map[string]struct {
		set  func(*reports.Compare)
		want bool
	}{
		"none":  {func(*reports.Compare) {}, false},
		"mean":  {func(c *reports.Compare) { s := split(true); c.Metrics[0].Mean = &s }, true},
		"total": {func(c *reports.Compare) { c.Metrics[0].Mean.Total.LowNS = &low }, true},
		"at": {func(c *reports.Compare) {
			c.Metrics[0].At = []reports.ChangeAt{{P: "p50", Ample: true, ChangeSplit: split(true)}}
		}, true},
		"at, not shown": {func(c *reports.Compare) {
			c.Metrics[0].At = []reports.ChangeAt{{P: "p50", ChangeSplit: split(true)}}
		}, false},
		"band": {func(c *reports.Compare) {
			c.Metrics[0].Bands = []reports.ChangeBand{{Band: "p0-50", Ample: true, ChangeSplit: split(true)}}
		}, true},
		"rate": {func(c *reports.Compare) {
			c.Rates = []reports.RateChange{{Name: "errors", BaseCount: 1, BaseOf: 12, NewOf: 12, Difference: reports.Figure{Low: &rate}}}
		}, true},
		"rate, not shown": {func(c *reports.Compare) {
			c.Rates = []reports.RateChange{{Name: "errors", BaseOf: 12, NewOf: 12, Difference: reports.Figure{Low: &rate}}}
		}, false},
	} {
		mean := split(false)
		doc := &reports.Compare{
			Base: reports.ComparedSide{Population: reports.Population{Requests: 12, Used: 12}}, New: reports.ComparedSide{Population: reports.Population{Requests: 12, Used: 12}},
			Metrics: []reports.MetricChange{{Metric: "duration", BaseN: 12, NewN: 12, Mean: &mean, Percentiles: []reports.PercentileChange{{P: "p50", Outcome: "too_few", Need: 20}}}},
			Blocks:  reports.ChangeBlocks{Kind: "blocks", BaseN: 5, NewN: 6},
		}
		c.set(doc)
		p := newBuilder(Options{})
		p.compare(doc)
		if got := textOf(p); strings.Contains(got, "intervals: 95 %, from resampling 5 blocks of base, ") != c.want {
			t.Errorf("%s: told %v, want %v:\n%s", name, !c.want, c.want, got)
		}
	}
}

// TestOnlyShownLatenciesAreTooFew: a latency that no request of either side has is no row, and
// no note says how many requests it takes.
func TestOnlyShownLatenciesAreTooFew(t *testing.T) {
	metric := func(name string, n int64) reports.MetricChange {
		return reports.MetricChange{Metric: name, BaseN: n, NewN: n, Percentiles: []reports.PercentileChange{{P: "p50", Outcome: "too_few", Need: 20}, {P: "p90", Outcome: "describes", Reason: "one day"}}}
	}
	notes, about := changeNotes(&reports.Compare{Metrics: []reports.MetricChange{metric("ttft", 0)}})
	if len(notes) != 0 || len(about) != 0 {
		t.Errorf("notes on what is not shown: %+v, %v", notes, about)
	}
	if notes, about = changeNotes(&reports.Compare{Metrics: []reports.MetricChange{metric("ttft", 0), metric("duration", 12)}}); len(notes) != 2 || len(about) != 2 {
		t.Errorf("notes %+v on %v", notes, about)
	}
}

// TestOneRequestIsNoPlural: a summary and a queue of one request, by groups.
func TestOneRequestIsNoPlural(t *testing.T) {
	p := newBuilder(Options{})
	value := "1079360427"
	p.by(&reports.By{Keys: []string{"e2e"}, Slow: 1, Groups: []reports.ByGroup{{Values: []*string{&value}, N: 1, Slow: 1}}}, "p90")
	p.leftOut(&reports.Summary{Population: reports.Population{Requests: 1, Used: 1}})
	q := &reports.Queue{}
	m := &q.Summary.Queueing
	m.Q, m.Slow.N, m.All.N, m.All.Causes = "p90", 1, 1, []reports.CauseTime{{Cause: "slots", Share: 1}}
	p.why(q)
	p.when(reports.When{Incidents: []reports.Incident{{Hit: 1, Slow: 1}}}, reports.Tail{Tail: reports.Mix{N: 1}})
	got := strings.Join(strings.Fields(textOf(p)), " ")
	for _, want := range []string{"slow: of 1 request at p90 and above", "1.079360427 s 1 1", "requests none: the only one is used", "on average of 1 slow request (p90 and above)", "of the only one", "1 request hit, 1 of 1 slow one; "} {
		if !strings.Contains(got, want) {
			t.Errorf("missing is %q in\n%s", want, got)
		}
	}
}
