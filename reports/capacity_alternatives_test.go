package reports_test

import (
	"math"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// systemIDs are the ids of all definitions of a system.
func systemIDs() (ids []string) {
	metrics := map[string]bool{
		"request throughput": true, "output-token throughput": true, "concurrency": true, "goodput": true, "attainment": true, "knee": true,
		"capacity": true, "fluidity": true,
	}
	for _, d := range analyze.Definitions() {
		if metrics[d.Metric] {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// definedSystem are figures of every shape that other definitions may have.
func definedSystem(objective string) []analyze.Alternative {
	one := func(id string, x analyze.Alternative) analyze.Alternative {
		d, err := analyze.DefinitionNamed(id)
		if err != nil {
			panic(err)
		}
		x.Definition = d
		return x
	}
	rate := func(v float64, n int64, counts string) analyze.Alternative {
		return analyze.Alternative{Unit: "requests/s", Counts: counts, Estimate: stat.Estimate{Value: v, N: n, Method: "count"}, Unbounded: "it is of one stretch of time"}
	}
	late := analyze.Alternative{
		Of: objective, Figure: "on time", Counts: "tokens", Estimate: stat.Estimate{Value: .97124, N: 8120, Method: "request-bootstrap", HasBounds: true, Bounds: stat.Bounds{Low: .9611, High: .9802}},
		Apart: []analyze.Undefined{{Reason: "no instants of tokens recorded", N: 12}},
	}
	latest := analyze.Alternative{Of: objective, Figure: "latest", Unit: "ns", Counts: "tokens", Estimate: stat.Estimate{Value: 1.254e9, N: 8120, Method: "maximum"}, Unbounded: "it is the largest of those that were seen"}
	passing := rate(22, 238, "windows")
	passing.Of, passing.Words = objective, "the highest rate of all is 24"
	passing.Warnings = []stat.Warning{{ID: analyze.BiasedHigh, Text: "chance lets some windows of a rate that fails pass"}}
	least := rate(14, 60, "windows")
	least.Of, least.AtLeast = objective, true
	out := []analyze.Alternative{one("throughput", rate(2, 240, "requests")), one("offered_rate", rate(2.1, 252, "requests")), one("tokens_emitted", analyze.Alternative{Undefined: "not every request tells when its tokens came"})}
	out = append(out, analyze.Knees([]curve.Point{
		{InFlight: 1, Throughput: 51.67}, {InFlight: 5, Throughput: 218.48}, {InFlight: 25, Throughput: 623.4}, {InFlight: 50, Throughput: 814.37},
		{InFlight: 100, Throughput: 917.26}, {InFlight: 150, Throughput: 920.9}, {InFlight: 200, Throughput: 920.54}, {InFlight: 250, Throughput: 920.12},
	}, "output tokens", []string{"kneedle", "usl_nstar"})...)
	return append(out,
		one("attainment", analyze.Alternative{Of: objective, Counts: "requests", Outcome: tokens.Pass, Estimate: shareOf(386, 386)}),
		one("attainment_point", analyze.Alternative{Of: objective, Counts: "requests", Outcome: tokens.Fail, Estimate: stat.Estimate{Value: .94999, N: 386, Method: "clopper-pearson"}, Unbounded: "a point estimate"}),
		one("capacity", least), one("max_passing_window", passing), one("fluidity", late), one("fluidity", latest))
}

// definedCapacity adds the document of a capacity with figures by other definitions.
func definedCapacity(of analyze.Population, add func(name string, c analyze.Capacity)) {
	const objective = "95%(ttft < 1s and p95(itl) <= 50ms)"
	open := analyze.ObjectiveCapacity{Result: capacity.Of(halfHours([]int{12, 14}, []int{0, 0}), capacity.Options{Target: stat.P95})}
	add("capacity_defined", analyze.Capacity{
		Population: of, System: systemServed(false), Objectives: []analyze.Objective{judged(objective, 386, []int64{386}, open)}, Alternatives: definedSystem(objective),
	})
}

// TestAlternatives: what has no figure says why, and what is no number is no figure.
func TestAlternatives(t *testing.T) {
	list := definedSystem("p99(e2e) < 2s")
	list[0].Value = math.NaN()
	late := &list[len(list)-2]
	late.Bounds.High = math.Inf(1)
	c := analyze.CapacityOf(table.NewSet(), analyze.Options{}, analyze.CapacityOptions{})
	c.Alternatives = list
	d := run("capacity").Capacity(c)
	got := d.Capacity.Alternatives
	if len(got) != len(list) {
		t.Fatalf("%d of %d", len(got), len(list))
	}
	if a := got[0]; a.Value != nil || a.Unknown != "it is no number" || !a.Own || a.ID != "throughput" || a.Metric != "request throughput" {
		t.Errorf("%+v", a)
	}
	if a := got[2]; a.Value != nil || a.Unknown == "" || a.Unbounded != "" {
		t.Errorf("%+v", a)
	}
	if a := got[len(got)-2]; a.Value == nil || a.Value.Low != nil || a.Unbounded != "its bounds are no numbers" || a.Apart[0].N != 12 {
		t.Errorf("%+v", a)
	}
	for _, a := range got {
		if (a.Value == nil) != (a.Unknown != "") || a.Value != nil && (a.Value.Low == nil) != (a.Unbounded != "") || a.Text == "" {
			t.Errorf("%+v", a)
		}
	}
	if err := validate(t, compiled(t), encoded(t, d)); err != nil {
		t.Error(err)
	}
	if list := (reports.Run{}).Capacity(analyze.Capacity{}).Capacity.Alternatives; len(list) != 0 {
		t.Errorf("%+v", list)
	}
}
