package simulate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func listing(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sizes := make(map[string]int64)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		sizes[e.Name()] = info.Size()
	}
	return sizes
}

func TestWriteDir(t *testing.T) {
	for _, sc := range Scenarios() {
		dir := filepath.Join(t.TempDir(), "new", sc.Name)
		c := mustRun(t, sc, 1, Options{Requests: 100})
		if _, err := c.WriteDir(dir); err != nil {
			t.Fatal(err)
		}
		var names []string
		sizes := listing(t, dir)
		for _, name := range []string{"chat-frontend.jsonl.zst", "edge-proxy.jsonl.zst", "vllm-server.jsonl.zst", TruthName} {
			if sizes[name] == 0 {
				t.Errorf("%s: %s is missing or empty", sc.Name, name)
			}
			names = append(names, name)
		}
		if diff := cmp.Diff(names, c.Files()); diff != "" || len(sizes) != len(names) {
			t.Errorf("%s: files %v, announced %v", sc.Name, sizes, c.Files())
		}
		f, err := os.Open(filepath.Join(dir, TruthName))
		if err != nil {
			t.Fatal(err)
		}
		truth, err := ReadTruth(f)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.Truth, truth.Requests); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWriteDirReplacesOnlyItsOwnFiles(t *testing.T) {
	sc, err := Lookup("healthy")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{30, 10} {
		if _, err := mustRun(t, sc, 1, Options{Requests: n}).WriteDir(dir); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(filepath.Join(dir, TruthName))
		if err != nil {
			t.Fatal(err)
		}
		truth, err := ReadTruth(f)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if len(truth.Requests) != n {
			t.Errorf("%d requests in the directory, want %d", len(truth.Requests), n)
		}
	}
	if got, err := os.ReadFile(notes); err != nil || string(got) != "mine" {
		t.Errorf("another file was touched: %q, %v", got, err)
	}

	before := listing(t, dir)
	_, err = mustRun(t, sc, 1, Options{Server: Triton, Requests: 10}).WriteDir(dir)
	if !errors.Is(err, ErrForeignTelemetry) || !strings.Contains(err.Error(), "vllm-server.jsonl.zst") {
		t.Errorf("error %v, want the foreign file to be named", err)
	}
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("a refused write changed the directory:\n%s", diff)
	}
}

func TestWriteDirLeavesNothingBehindWhenItFails(t *testing.T) {
	sc, err := Lookup("healthy")
	if err != nil {
		t.Fatal(err)
	}
	c := mustRun(t, sc, 1, Options{Requests: 5})
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "edge-proxy.jsonl.zst", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WriteDir(dir); err == nil || !strings.Contains(err.Error(), "edge-proxy.jsonl.zst") {
		t.Errorf("error %v, want it to name the file", err)
	}
	for name := range listing(t, dir) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("temporary file %s was left behind", name)
		}
		if name == TruthName {
			t.Error("there is a truth for telemetry that was not written")
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WriteDir(file); err == nil {
		t.Error("wrote into a file")
	}
}

func TestScenariosAreDeclaredCompletely(t *testing.T) {
	names := make(map[string]bool)
	for _, sc := range Scenarios() {
		if err := sc.Validate(); err != nil {
			t.Error(err)
		}
		if names[sc.Name] || sc.Summary == "" || sc.Finding == "" {
			t.Errorf("%q: name used twice, or summary or finding missing", sc.Name)
		}
		names[sc.Name] = true
		if got, err := Lookup(sc.Name); err != nil || got.Name != sc.Name {
			t.Errorf("lookup of %q: %q, %v", sc.Name, got.Name, err)
		}
	}
	if _, err := Lookup("quiet"); err == nil || !strings.Contains(err.Error(), "queue-buildup") {
		t.Errorf("error %v, want the names in it", err)
	}
	a, b := Scenarios(), Scenarios()
	a[0].Routes[0].Region, a[0].Load.Phases[0].PerSecond = "changed", 1
	if b[0].Routes[0].Region == "changed" || b[0].Load.Phases[0].PerSecond == 1 {
		t.Error("two calls share memory")
	}
}

func TestValidateAndRunRefuseWhatCannotWork(t *testing.T) {
	for want, spoil := range map[string]func(*Scenario){
		"a name is missing":           func(sc *Scenario) { sc.Name = "" },
		"at least one phase":          func(sc *Scenario) { sc.Load.Phases = nil },
		"share and rate of a phase":   func(sc *Scenario) { sc.Load.Phases = []Phase{{Share: 1}} },
		"at least one class":          func(sc *Scenario) { sc.Classes = nil },
		"at least one route":          func(sc *Scenario) { sc.Routes = nil },
		"bandwidth must be positive":  func(sc *Scenario) { sc.Routes[0].Up.BytesPerSecond = 0 },
		"gateway needs a worker":      func(sc *Scenario) { sc.Gateway.Workers = 0 },
		"frontend needs a tokenizer":  func(sc *Scenario) { sc.Frontend.Tokenizers = 0 },
		"engine needs a slot":         func(sc *Scenario) { sc.Engine.Slots = 0 },
		"one token per slot":          func(sc *Scenario) { sc.Engine.TokensPerStep = 3 },
		"do not fit":                  func(sc *Scenario) { sc.Engine.Blocks = 5 },
		"batcher needs an instance":   func(sc *Scenario) { sc.Batcher.Instances = 0 },
		"below the longest output":    func(sc *Scenario) { sc.Classes[0].MaxTokens = 3 },
		"bounds must be positive":     func(sc *Scenario) { sc.Classes[0].Prompt.Min = 0 },
		`class "chat": share must be`: func(sc *Scenario) { sc.Classes[0].Share = 0 },
	} {
		sc := healthy()
		spoil(&sc)
		if _, err := Run(sc, 1, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	for _, n := range []int{-1, mostRequests + 1} {
		if _, err := Run(healthy(), 1, Options{Requests: n}); err == nil {
			t.Errorf("ran %d requests", n)
		}
	}
	if _, err := Run(healthy(), 1, Options{Server: "ollama"}); err == nil || !strings.Contains(err.Error(), "sglang") {
		t.Errorf("error %v, want the servers in it", err)
	}
}

// TestPhasesFollowTheirShares checks rounds of several sizes, longer and shorter
// than the declared one.
func TestPhasesFollowTheirShares(t *testing.T) {
	l := Load{CycleRequests: 10, Phases: []Phase{{Share: 0.5, PerSecond: 1}, {Share: 0.2, PerSecond: 9}, {Share: 0.3, PerSecond: 2}}}
	var got []float64
	for i := range 10 {
		got = append(got, l.rate(i, 10))
	}
	if diff := cmp.Diff([]float64{1, 1, 1, 1, 1, 9, 9, 2, 2, 2}, got); diff != "" {
		t.Error(diff)
	}
	burst := func(n int) (count int) {
		sc := queueBuildup()
		for i, r := range drawRequests(&sc, 1, n) {
			cycle := min(sc.Load.CycleRequests, n)
			if sc.Load.rate(i%cycle, cycle) > 20 {
				count++
			}
			if i > 0 && r.sent < epochNS {
				t.Fatal("a request before the beginning")
			}
		}
		return count
	}
	for n, want := range map[int]int{100: 20, 1100: 220, 2200: 440} {
		if got := burst(n); got != want {
			t.Errorf("%d of %d requests are in the burst, want %d", got, n, want)
		}
	}
}
