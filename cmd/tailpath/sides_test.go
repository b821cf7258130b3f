package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// spanLine is what the test reads of a document of one span.
type spanLine struct {
	ResourceSpans []struct {
		ScopeSpans []struct {
			Spans []struct {
				TraceID string `json:"traceId"`
				Start   string `json:"startTimeUnixNano"`
			} `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

// cutAt deals the spans of a capture over two directories, by when their traces start.
func cutAt(t *testing.T, lines [][]byte, starts map[string]int64, trace []string, at int64) (dirs [2]string) {
	t.Helper()
	var halves [2]bytes.Buffer
	for i, line := range lines {
		side := change.Base
		if starts[trace[i]] >= at {
			side = change.New
		}
		halves[side].Write(line)
	}
	for s := range dirs {
		dirs[s] = filepath.Join(t.TempDir(), [2]string{"base", "new"}[s])
		if err := os.Mkdir(dirs[s], 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dirs[s], "spans.jsonl"), halves[s].Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

// statistics takes out of a comparison what it has found, but for the sentence.
func statistics(t *testing.T, text string) map[string]string {
	t.Helper()
	var doc struct {
		Compare map[string]json.RawMessage `json:"compare"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, part := range []string{"metrics", "mix", "rates", "change_blocks", "no_intervals", "rule", "verdict"} {
		lines := strings.Split(string(doc.Compare[part]), "\n")
		out[part] = strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, `"sentence": `) }), "\n")
	}
	return out
}

// TestSplitIsLikeTwoCapturesThatWereCutByHand: two times of a capture give, to the byte, the
// figures of two captures that hold the requests of each.
func TestSplitIsLikeTwoCapturesThatWereCutByHand(t *testing.T) {
	incident, err := simulate.Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	capture, err := simulate.Run(incident, 7, simulate.Options{Requests: 300})
	if err != nil {
		t.Fatal(err)
	}
	lines := oneSpanLines(t, capture)
	starts, trace := map[string]int64{}, make([]string, len(lines))
	for i, text := range lines {
		var line spanLine
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		span := line.ResourceSpans[0].ScopeSpans[0].Spans[0]
		at, err := strconv.ParseInt(span.Start, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		trace[i] = span.TraceID
		if first, is := starts[span.TraceID]; !is || at < first {
			starts[span.TraceID] = at
		}
	}
	all := filepath.Join(t.TempDir(), "all.jsonl")
	if err := os.WriteFile(all, bytes.Join(lines, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	var order []int64
	for _, at := range starts {
		order = append(order, at)
	}
	slices.Sort(order)
	for _, k := range []int{len(order) / 2, 4 * len(order) / 5} {
		at := order[k]
		dirs := cutAt(t, lines, starts, trace, at)
		want := statistics(t, mustRun(t, "compare", "--force", "-f", "json", dirs[change.Base], dirs[change.New]))
		got := statistics(t, mustRun(t, "compare", "-f", "json", all, "--split", time.Unix(0, at).UTC().Format(time.RFC3339Nano)))
		for part := range want {
			if got[part] != want[part] || part == "metrics" && len(got[part]) < 1000 {
				t.Errorf("split at request %d: %s is\n%s\nwant\n%s", k, part, got[part], want[part])
			}
		}
	}
}

// TestTwoTimesNeverOverlap: whatever bounds are given, each of the two times keeps its own, and
// one that was left open ends where the other begins at most, unless they are refused.
func TestTwoTimesNeverOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := func(flag string) *moment {
			if rapid.Bool().Draw(t, flag) {
				return nil
			}
			return &moment{flag: flag, text: "then", ns: rapid.Int64Range(0, 5).Draw(t, flag+" at")}
		}
		given := chosenTimes{zone: time.UTC, one: true, since: of("--since"), until: of("--until"), baseSince: of(baseSinceFlag), baseUntil: of(baseUntilFlag)}
		times, in, err := given.halves(0)
		if err != nil {
			return
		}
		a, b := in[change.Base], in[change.New]
		if a.Start >= a.End || b.Start >= b.End || a.Start < b.End && b.Start < a.End {
			t.Fatalf("%v and %v", a, b)
		}
		for s, own := range [2][2]*moment{{given.baseSince, given.baseUntil}, {given.since, given.until}} {
			if own[0] != nil && in[s].Start != own[0].ns || own[1] != nil && in[s].End != own[1].ns {
				t.Fatalf("side %d is %v", s, in[s])
			}
			if again, err := times[s].interval(0); err != nil || again != in[s] {
				t.Fatalf("side %d is %v by its flags, and %v (%v)", s, again, in[s], err)
			}
		}
		whole, err := given.reads(0, true)
		if err != nil || whole != (analyze.Interval{Start: min(a.Start, b.Start), End: max(a.End, b.End)}) {
			t.Fatalf("%v is read (%v) of %v and %v", whole, err, a, b)
		}
	})
}
