package openmetrics

import (
	"bytes"
	"flag"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/reports"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// document reads one of the golden documents.
func document(t *testing.T, name string) reports.Document {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := reports.ReadJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// points writes a document and reads it again.
func points(t *testing.T, d reports.Document) (string, []point) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, d); err != nil {
		t.Fatal(err)
	}
	list, err := read(out.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String(), list
}

// value returns the sample of a family with some labels.
func value(list []point, name string, labels map[string]string) (float64, bool) {
	i := slices.IndexFunc(list, func(p point) bool { return p.name == name && maps.Equal(p.labels, labels) })
	if i < 0 {
		return 0, false
	}
	return list[i].value, true
}

func TestSummaryAsMetrics(t *testing.T) {
	text, list := points(t, document(t, "summary"))
	file := filepath.Join("testdata", "summary.om")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", file, diff)
	}
	for _, c := range []struct {
		name   string
		labels map[string]string
		want   float64
	}{
		{"tailpath_requests", nil, 2001},
		{"tailpath_requests_used", nil, 1983},
		{"tailpath_requests_left_out", map[string]string{"kind": "incomplete", "reason": "missing parent"}, 5},
		{"tailpath_errors", nil, 12},
		{"tailpath_e2e_seconds", map[string]string{"quantile": "0.99"}, 4.141332163},
		{"tailpath_e2e_low_seconds", map[string]string{"quantile": "0.99"}, 3.450102553},
		{"tailpath_e2e_high_seconds", map[string]string{"quantile": "0.99"}, 5.215562764},
		{"tailpath_tpot_seconds", map[string]string{"quantile": "0.5"}, 0.023313467},
		{"tailpath_stage_mean_seconds", map[string]string{"metric": "e2e", "group": "tail", "stage": "queue"}, 3.358417647},
		{"tailpath_stage_ratio", map[string]string{"metric": "e2e", "group": "p90-99", "stage": "gpu"}, 0.9688676735654804},
		{"tailpath_verdict", map[string]string{"metric": "e2e", "tailpath_verdict": "leads"}, 1},
		{"tailpath_verdict", map[string]string{"metric": "e2e", "tailpath_verdict": "dominates"}, 0},
		{"tailpath_verdict_share_ratio", map[string]string{"metric": "e2e", "stage": "queue"}, 0.9515431834115133},
		{"tailpath_tail_quantile", map[string]string{"metric": "e2e"}, 0.99},
	} {
		if got, ok := value(list, c.name, c.labels); !ok || got != c.want {
			t.Errorf("%s %v is %v (%t), want %v", c.name, c.labels, got, ok, c.want)
		}
	}
	if _, there := value(list, "tailpath_e2e_seconds", map[string]string{"quantile": "0.999"}); there {
		t.Error("a percentile that is not known has a sample")
	}
	for _, p := range list {
		if p.stamp != "" {
			t.Fatalf("%s has a timestamp", p.name)
		}
	}
}

// TestStagesOfAGroupAddUp adds the means and the shares of each group.
func TestStagesOfAGroupAddUp(t *testing.T) {
	_, list := points(t, document(t, "summary"))
	means, shares := map[[2]string]float64{}, map[[2]string]float64{}
	for _, p := range list {
		group := [2]string{p.labels["metric"], p.labels["group"]}
		switch p.name {
		case "tailpath_stage_mean_seconds":
			means[group] += p.value
		case "tailpath_stage_ratio":
			shares[group] += p.value
		}
	}
	if len(means) < 6 {
		t.Fatalf("%d groups", len(means))
	}
	for group, mean := range means {
		want, _ := value(list, "tailpath_group_mean_seconds", map[string]string{"metric": group[0], "group": group[1]})
		if math.Abs(mean-want) > 1e-9 || math.Abs(shares[group]-1) > 1e-9 {
			t.Errorf("%v: stages add up to %v s of %v, and shares to %v", group, mean, want, shares[group])
		}
	}
}

func TestEveryDocumentWithASummaryIsValid(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "testdata", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal(err, len(names))
	}
	n := map[reports.Kind]int{}
	for _, name := range names {
		d := document(t, strings.TrimSuffix(filepath.Base(name), ".json"))
		if d.Summary == nil && d.Queue == nil {
			if err := Write(&bytes.Buffer{}, d); err == nil || !strings.Contains(err.Error(), "no summary") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		n[d.Kind]++
		points(t, d)
	}
	for _, kind := range []reports.Kind{reports.KindSummary, reports.KindQueue, reports.KindReport} {
		if n[kind] == 0 {
			t.Errorf("no %s was written", kind)
		}
	}
}

func TestLabelsAreEscaped(t *testing.T) {
	d := document(t, "summary")
	const hostile = "a\"b\\c\nd}\xff,e=\"1\" # EOF"
	d.Tool.Version = hostile
	d.Summary.Population.Excluded = []reports.Exclusion{{Kind: "filter", Reason: hostile, N: 1}}
	passed := true
	d.Conditions = []reports.Condition{{Condition: hostile, Passed: &passed}, {Condition: hostile, Passed: &passed}, {Condition: "open"}}
	_, list := points(t, d)
	want := strings.ReplaceAll(hostile, "\xff", "\ufffd")
	for name, labels := range map[string]map[string]string{
		"tailpath_info":              {"version": want, "schema_version": "3"},
		"tailpath_requests_left_out": {"kind": "filter", "reason": want},
		"tailpath_gate_passed":       {"condition": want},
	} {
		if got, ok := value(list, name, labels); !ok || got != 1 {
			t.Errorf("%s is %v (%t)", name, got, ok)
		}
	}
	if _, there := value(list, "tailpath_gate_passed", map[string]string{"condition": "open"}); there {
		t.Error("a condition that is open has a sample")
	}
}

// TestRequirementsAreMetrics: what is met, what is not and what cannot be told are told apart, each
// once for a side.
func TestRequirementsAreMetrics(t *testing.T) {
	d := document(t, "summary")
	yes, no := true, false
	const hostile = "n > 1\"}\n# EOF"
	d.Requirements = []reports.Condition{
		{Condition: "a", Passed: &yes}, {Condition: "a", Passed: &yes}, {Condition: "a", Side: "new", Passed: &no}, {Condition: hostile, Passed: &no}, {Condition: "open"},
	}
	_, list := points(t, d)
	for _, c := range []struct {
		labels map[string]string
		want   float64
		there  bool
	}{
		{map[string]string{"condition": "a"}, 1, true}, {map[string]string{"condition": "a", "side": "new"}, 0, true},
		{map[string]string{"condition": hostile}, 0, true}, {map[string]string{"condition": "open"}, 0, false},
	} {
		if got, there := value(list, "tailpath_requirement_met", c.labels); got != c.want || there != c.there {
			t.Errorf("%v is %v (%t)", c.labels, got, there)
		}
	}
}

func TestNumbersThatAreNoneHaveNoSample(t *testing.T) {
	d := document(t, "summary")
	d.Summary.Unattributed.Overall, d.Summary.Duration.All.Stages[0].Share = math.NaN(), math.Inf(1)
	_, list := points(t, d)
	if _, there := value(list, "tailpath_unattributed_ratio", map[string]string{"group": "all"}); there {
		t.Error("NaN has a sample")
	}
}

// TestAWeekHasTheTimeOfItsEnd is of a report, whose figures belong to a time that is over.
func TestAWeekHasTheTimeOfItsEnd(t *testing.T) {
	d := document(t, "summary")
	d.Report = &reports.Report{Week: &reports.Week{Name: "2026-W10", EndNS: 1_772_470_000_000_000_000}}
	_, list := points(t, d)
	for _, p := range list {
		if p.stamp != "1772462001.236503204" { // of the capture
			t.Fatalf("%s has timestamp %q", p.name, p.stamp)
		}
	}
	d.Summary.Load.Clock = "steady"
	if _, list = points(t, d); list[0].stamp != "1772470000" {
		t.Errorf("timestamp %q", list[0].stamp)
	}
}

func TestEveryKindOfVerdictIsAState(t *testing.T) {
	all := []analyze.Kind{
		analyze.KindTooFew, analyze.KindNone, analyze.KindUnattributed, analyze.KindMixed, analyze.KindUnclear, analyze.KindLeads, analyze.KindDominates,
	}
	for i, kind := range all {
		if kinds[i] != string(kind) {
			t.Errorf("state %d is %s, want %s", i, kinds[i], kind)
		}
	}
	if len(kinds) != len(all) {
		t.Errorf("%d states of %d kinds", len(kinds), len(all))
	}
}

func TestUnitsLoseNoDigit(t *testing.T) {
	for ns, want := range map[int64]string{0: "0", 1: "0.000000001", 1_000_000_000: "1", -1_500_000_000: "-1.5", math.MaxInt64: "9223372036.854775807", 100_000_000_000: "100"} {
		if got := seconds(ns); got != want {
			t.Errorf("%d ns is %s s, want %s", ns, got, want)
		}
	}
	for p, want := range map[string]string{"p50": "0.5", "p99": "0.99", "p99.9": "0.999", "p99.99": "0.9999", "p100": "1", "p0": "0", "max": "", "p": ""} {
		if got, ok := quantile(p); got != want || ok != (want != "") {
			t.Errorf("%s is %q (%t), want %q", p, got, ok, want)
		}
	}
}

// TestTheReaderIsStrict keeps the tests above from passing whatever is written.
func TestTheReaderIsStrict(t *testing.T) {
	const head = "# TYPE a gauge\n# HELP a A.\n"
	if _, err := read(head + "a{b=\"c\"} 1\n# EOF\n"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", head + "a 1\n", head + "a 1\n# EOF\n\n", head + "\na 1\n# EOF\n", head + "b 1\n# EOF\n", head + "a 1\na 2\n# EOF\n", head + "a  1\n# EOF\n",
		head + "a{b=\"c} 1\n# EOF\n", head + "a{b=\"\\x\"} 1\n# EOF\n", head + "a{b=\"c\",b=\"d\"} 1\n# EOF\n", head + "a{b=\"c\",} 1\n# EOF\n", head + "a{1=\"c\"} 1\n# EOF\n",
		head + "a NaN\n# EOF\n", head + "a 1 x\n# EOF\n", head + "a 1 \n# EOF\n", head + "a 1\n# TYPE b gauge\n# HELP b B.\nb 1\n# HELP a A.\n# EOF\n",
		"# TYPE a gauge\n# UNIT a seconds\n# HELP a A.\na 1\n# EOF\n", "# TYPE a info\n# HELP a A.\na_info 2\n# EOF\n", "# TYPE a stateset\n# HELP a A.\na{b=\"c\"} 1\n# EOF\n",
		head + "a 1\n# EOF\n# EOF\n", "a 1\n# EOF\n",
	} {
		if _, err := read(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
