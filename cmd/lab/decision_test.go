package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
)

// servingOf simulates a scenario, reads the files that its servers write, and measures what
// held the system up. With 0 requests there are as many as the scenario has.
func servingOf(t *testing.T, scenario string, server simulate.Server, from sources, requests int) serving.Result {
	t.Helper()
	sc, err := simulate.Lookup(scenario)
	if err != nil {
		t.Fatal(err)
	}
	c, err := simulate.Run(sc, 1, simulate.Options{Server: server, Requests: requests})
	if err != nil {
		t.Fatal(err)
	}
	f, err := readBack(c, from, gatewayOf(sc), "", critical.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return servingIn(f)
}

// servingIn measures what held the system up of which files were read.
func servingIn(f *found) serving.Result {
	return analyze.CapacityOf(f.set, analyze.Options{Engines: engine.Build(f.set)}, analyze.CapacityOptions{}).System.Serving
}

// answeredBy is the answer of a table in one word: its signature, or else the kind of it.
func answeredBy(t serving.Table) string {
	if v := t.Verdict; v.Kind != serving.Answered {
		return string(v.Kind)
	}
	return string(t.Verdict.Signature)
}

// TestDecision holds what is planted against what the decision table says of the files.
func TestDecision(t *testing.T) {
	if raceEnabled {
		t.Skip("long, and workers are under the race detector in other tests")
	}
	for _, c := range []struct {
		scenario string
		server   simulate.Server
		from     sources
		requests int
		want     string
		text     string // part of the verdict, or of what it lacks
	}{
		// SGLang's spans tell of preemptions, and vLLM's log does. vLLM's spans do not, but some
		// requests took longer for a token than those beside them.
		{"preemption", simulate.SGLang, fromTraces, 100, string(serving.KVFull), "requests are preempted"},
		{"preemption", simulate.VLLM, fromAll, 150, string(serving.KVFull), "requests are preempted"},
		{"preemption", simulate.VLLM, fromTraces, 150, string(serving.CannotSay), "how often requests were preempted"},
		{"healthy", simulate.VLLM, fromTraces, 150, string(serving.NoneFits), ""},
		{"slow-replica", simulate.VLLM, fromTraces, 200, string(serving.ReplicaSkew), "one replica is slower than the others"},
		{"slow-replica", simulate.Triton, fromTraces, 100, string(serving.CannotSay), "how many tokens the requests had"},
		// Back-off is nothing that the system has too little of.
		{"retry-storm", simulate.VLLM, fromTraces, 0, string(serving.NoneFits), "before they try again"},
		// The copies of keys and values between the two hosts are what is planted.
		{"split-prefill", simulate.SGLang, fromTraces, 0, string(serving.TransferBound), ""},
	} {
		table := servingOf(t, c.scenario, c.server, c.from, c.requests).Table
		if got := answeredBy(table); got != c.want || !strings.Contains(table.Verdict.Text, c.text) {
			t.Errorf("%s on %s from %s: %s, want %s: %s", c.scenario, c.server, c.from, got, c.want, table.Verdict.Text)
		}
	}
}

// rightAnswers are what may be said of a scenario beside that nothing fits, and that it cannot
// be told. Nothing is asked where no request was found.
var rightAnswers = map[string][]string{
	"drifting-clocks": {"no-saturation"},
	"queue-buildup":   {"device-busy"}, "skewed-clocks": {"device-busy"}, "wrong-clock": {"device-busy"}, "aborted": {"device-busy"},
	"cold-start": {"host-bound", "slots-full"}, "retry-storm": {"device-busy"}, "preemption": {"kv-full"}, "kv-full": {"kv-full"}, "slow-prefill": {"no-saturation"},
	"long-prompt-ahead": {"device-busy"}, "slow-replica": {"replica-skew"}, "split-prefill": {"transfer-bound"},
}

// TestDecisionsAreNeverWrong asks every scenario on every server that it is of. It takes
// minutes, so it is done where TAILPATH_WHOLE is set, as the checks of the repository do.
func TestDecisionsAreNeverWrong(t *testing.T) {
	if testing.Short() || raceEnabled || os.Getenv("TAILPATH_WHOLE") == "" {
		t.Skip("simulates, writes and reads every scenario")
	}
	all, err := everything()
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range simulate.Scenarios() {
		for _, server := range simulate.Servers() {
			if sc.Servers != nil && !slices.Contains(sc.Servers, server) {
				continue
			}
			t.Run(fmt.Sprint(sc.Name, "/", server), func(t *testing.T) {
				for _, from := range allSources {
					got, ok := all.decisions[decided{sc.Name, server, from}]
					if !ok {
						t.Fatalf("nothing was read from %s", from)
					}
					t.Log(from, got)
					if got != "" && got != string(serving.NoneFits) && got != string(serving.CannotSay) && !slices.Contains(rightAnswers[sc.Name], got) {
						t.Errorf("from %s: %s", from, got)
					}
				}
			})
		}
	}
}
