package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// queueAnswers begin the answers about each scenario.
var queueAnswers = map[string]string{
	"healthy":       "queueing does not dominate",
	"queue-buildup": "queueing leads",
	"slow-prefill":  "queueing does not dominate, gpu does",
	"slow-network":  "queueing does not dominate, network does",
	"cold-start":    "queueing does not dominate, scheduling leads",
}

func TestGoldenQueueAnswersEveryScenario(t *testing.T) {
	inRepository(t)
	for _, name := range scenarios {
		got := mustRun(t, "queue", scenario(name))
		golden(t, "queue-"+name+".txt", got)
		if line, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(line, queueAnswers[name]) {
			t.Errorf("%s: %q, want %q", name, line, queueAnswers[name])
		}
	}
}

// TestQueueIsTheSameHoweverItIsRead reads the scenarios as directories, with few and many
// workers, and from ingested tables.
func TestQueueIsTheSameHoweverItIsRead(t *testing.T) {
	inRepository(t)
	for _, name := range []string{"queue-buildup", "slow-prefill"} {
		want := mustRun(t, "queue", "-f", "json", "--jobs", "1", scenario(name))
		files := telemetry(t, name)
		slices.Reverse(files)
		sameButInputs(t, name+" in another order", want, mustRun(t, append([]string{"queue", "-f", "json", "--jobs", "8"}, files...)...))
		dir := t.TempDir() + "/run"
		mustRun(t, append([]string{"ingest", "-q", "-o", dir}, files...)...)
		sameButInputs(t, name+" ingested", want, mustRun(t, "queue", "-f", "json", dir))
	}
}

// TestScenariosHaveNoArtefacts: simulated load is open and recorded to the nanosecond. Two
// of the scenarios hold requests back for a while.
func TestScenariosHaveNoArtefacts(t *testing.T) {
	inRepository(t)
	for _, name := range scenarios {
		d := document(t, "queue", scenario(name))
		if got, want := len(d.Queue.When.Incidents), map[string]int{"queue-buildup": 1, "cold-start": 1}[name]; got != want {
			t.Errorf("%s has %d incidents, want %d", name, got, want)
		}
		if slices.ContainsFunc(d.Queue.Summary.Warnings, func(w reports.Warning) bool { return w.ID == "closed-loop" || w.ID == "whole-seconds" }) {
			t.Errorf("%s: %v", name, d.Queue.Summary.Warnings)
		}
	}
}
