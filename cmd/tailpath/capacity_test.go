package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
)

// capacityAnswers begin the answers about each scenario. None lasts long enough to see a limit.
var capacityAnswers = map[string]string{
	"healthy":       "keeps p90(e2e) < 2s (100.00 % of 1,100 requests met it); cannot say up to which rate: no rate was held for longer than ",
	"queue-buildup": "carries at least ",
	"slow-prefill":  "keeps p90(e2e) < 2s (96.63 % of 1,100 requests met it); cannot say up to which rate: windows of 10 s have ",
	"slow-network":  "carries at least ",
	"cold-start":    "misses p90(e2e) < 2s (85.36 % of 1,100 requests met it); cannot say what rate is carried within it: attainment at ",
}

// capacityFlags ask for a rate in windows of 10 s, of which the scenarios have a dozen.
var capacityFlags = []string{"--slo", "p90(e2e) < 2s", "--slo", "p50(ttft) < 1s and 80%(ttft < 1s and tpot <= 50ms)", "--window", "10s", "--gpus", "2"}

func TestGoldenCapacityOfEveryScenario(t *testing.T) {
	inRepository(t)
	for _, name := range scenarios {
		got := mustRun(t, append([]string{"capacity", scenario(name)}, capacityFlags...)...)
		golden(t, "capacity-"+name+".txt", got)
		if line, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(line, capacityAnswers[name]) {
			t.Errorf("%s: %q, want %q", name, line, capacityAnswers[name])
		}
	}
}

// TestCapacityIsTheSameHoweverItIsRead reads a scenario as a directory, with few and many
// workers, and from ingested tables.
func TestCapacityIsTheSameHoweverItIsRead(t *testing.T) {
	inRepository(t)
	const name = "queue-buildup"
	args := append([]string{"capacity", "-f", "json"}, capacityFlags...)
	want := mustRun(t, append(args, "--jobs", "1", scenario(name))...)
	files := telemetry(t, name)
	slices.Reverse(files)
	sameButInputs(t, name+" in another order", want, mustRun(t, append(append(slices.Clone(args), "--jobs", "8"), files...)...))
	dir := t.TempDir() + "/run"
	mustRun(t, append([]string{"ingest", "-q", "-o", dir}, files...)...)
	sameButInputs(t, name+" ingested", want, mustRun(t, append(args, dir)...))
}

// accessLog is a log of HAProxy of so many minutes at each of some rates. Of the requests of
// the last rate every third takes 3 s, of the others one in a hundred; the rest take 0.9 s.
func accessLog(rates []int, minutes int) string {
	var out strings.Builder
	at, n := time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC), 0
	for k, rate := range rates {
		every := 100
		if k == len(rates)-1 {
			every = 3
		}
		for range minutes * 60 * rate {
			took := 900
			if n++; n%every == 0 {
				took = 3000
			}
			end := at.Add(time.Duration(took) * time.Millisecond)
			fmt.Fprintf(&out, "%s lb1 haproxy[14389]: 10.0.3.14:51822 [%s] llm_front vllm_back/vllm1 0/12/1/%d/%d 200 18540 - - ---- 24/24/23/12/0 0/3 \"POST /v1/chat/completions HTTP/1.1\"\n",
				end.Format(time.Stamp), at.Format("02/Jan/2006:15:04:05.000"), took/2, took)
			at = at.Add(time.Second / time.Duration(rate))
		}
	}
	return out.String()
}

// TestCapacityIsReachedInALog: forty-five minutes of an access log have the limit.
func TestCapacityIsReachedInALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "haproxy.log")
	plant(t, path, accessLog([]int{2, 3, 4, 5, 6}, 9))
	d := document(t, "capacity", path, "--slo", "p90(e2e) < 2s", "--slo", "p99.9(e2e) <= 3100ms", "--gpus", "4")
	first, second := d.Capacity.Objectives[0], d.Capacity.Objectives[1]
	if c := first.Carried; d.Capacity.Answer != "reached" || c.Fail == nil || *c.Fail < 5.9 || *c.Fail > 6.1 || c.Rate == nil || *c.Rate < 4.9 || *c.Rate > 6 || *c.PerGPU != *c.Rate/4 {
		t.Errorf("%s: %+v", d.Headline, c)
	}
	if first.Outcome != "fail" || first.Carried.TokenRate != nil {
		t.Errorf("no token is recorded, and one in six requests misses: %+v", first)
	}
	if second.Outcome != "pass" || second.Carried.Kind != "cannot_say" && second.Carried.Kind != "not_reached" {
		t.Errorf("no request takes more than 3 s: %s, %s", second.Outcome, second.Carried.Kind)
	}
	if !strings.HasSuffix(d.Headline, " within p90(e2e) < 2s; at 6.00 it fails") || strings.Contains(d.Headline, "tokens") {
		t.Error(d.Headline)
	}
}

// TestHelpShowsObjectives reads those that the help of objectives shows.
func TestHelpShowsObjectives(t *testing.T) {
	n := 0
	for line := range strings.SplitSeq(objectivesPage, "\n") {
		text, _, ok := strings.Cut(strings.TrimPrefix(line, "  "), "  ")
		if !ok || !strings.ContainsAny(text, "<=") || len(line) < 40 || line[:2] != "  " {
			continue
		}
		n++
		if _, err := filter.ParseObjective(text, analyze.ObjectiveMetrics()); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if n != 5 {
		t.Errorf("help shows %d objectives", n)
	}
	for _, line := range strings.Split(objectivesPage, "\n") {
		if len(line) > 90 {
			t.Errorf("%d columns: %q", len(line), line)
		}
	}
}
