package main

import (
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// TestFirstTokenOfChunksIsTheTrueOne takes from the engine's spans of a run all but the chunks:
// its requests, percentiles, objectives and streams then have the first token that was true. Of
// chunks that do not say their tokens the first one, empty or not, is taken, with a warning.
func TestFirstTokenOfChunksIsTheTrueOne(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work")
	}
	for _, c := range []struct {
		name    string
		form    answerForm
		counted bool
		of      func(*answered) float64
		basis   string
	}{
		{"chunks that say their tokens, an empty one first", bundled, true, (*answered).first, "the engine's first chunk event with tokens"},
		{"chunks that do not, an empty one first", bundled, false, (*answered).opened, "the engine's first chunk event, which may be empty"},
		{"chunks that do not, each of a token", single, false, (*answered).first, "the engine's first chunk event, which may be empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sc, err := simulate.Lookup("queue-buildup")
			if err != nil {
				t.Fatal(err)
			}
			run, err := simulate.Run(sc, 1, simulate.Options{Server: simulate.VLLM, Requests: 200})
			if err != nil {
				t.Fatal(err)
			}
			all := seenAnswers(run, c.form)
			withChunks(run, all)
			onlyChunksTell(run)
			engineSpans(run, func(span ptrace.Span) {
				for _, event := range span.Events().All() {
					if !c.counted {
						event.Attributes().Remove(chunkTokens)
					}
				}
			})
			set, engines := readRun(t, run)
			row := map[string]int{}
			for i, id := range set.Requests.TraceID {
				row[hex.EncodeToString(id[:])] = i
			}
			var first, perToken []int64
			for i := range all {
				at := row[run.Truth[i].TraceID]
				want := int64(c.of(&all[i]))
				if got := set.Requests.TTFT[at]; got != want {
					t.Errorf("request %d has its first token after %d, and in truth after %d", i, got, want)
				}
				if basis := set.Symbols.Text(set.Requests.FirstTokenBasis[at]); basis != c.basis {
					t.Fatalf("request %d has its first token by %q", i, basis)
				}
				first = append(first, want)
				if n := int64(all[i].tokens()); n > 1 {
					perToken = append(perToken, stat.DivRound(all[i].end-want, n-1))
				}
			}

			objective, err := filter.ParseObjective("90%(ttft <= 400ms)", analyze.ObjectiveMetrics())
			if err != nil {
				t.Fatal(err)
			}
			opt := analyze.Options{Engines: engines, Replicates: 20, Define: []string{"ttft"}}
			s := analyze.Summarize(set, opt)
			p50 := func(values []int64) int64 { return stat.QuantileOf(sorted(values), stat.P50).Value }
			if q := s.TTFT.Quantiles[0]; s.TTFT.N != int64(len(all)) || q.P != stat.P50 || q.Value != p50(first) {
				t.Errorf("the median of %d is %+v, want %d of %d", s.TTFT.N, q, p50(first), len(first))
			}
			if q := s.TPOT.Quantiles[0]; s.TPOT.N != int64(len(perToken)) || q.Value != p50(perToken) {
				t.Errorf("the median tpot of %d is %+v, want %d of %d", s.TPOT.N, q, p50(perToken), len(perToken))
			}
			if m := s.Measures.Values[0]; m.Requests != int64(len(all)) || m.Quantiles[0].Value != p50(first) {
				t.Errorf("by definition the median of %d is %+v", m.Requests, m.Quantiles[0])
			}
			if warned := slices.ContainsFunc(s.Warnings, func(w stat.Warning) bool { return w.ID == analyze.FirstChunk }); warned == c.counted {
				t.Errorf("it warns of %v", s.Warnings)
			}
			met := 0.0
			for _, ns := range first {
				if ns <= 400_000_000 {
					met++
				}
			}
			capacity := analyze.CapacityOf(set, opt, analyze.CapacityOptions{Objectives: []filter.Objective{objective}})
			if got := capacity.Objectives[0].Attainment.Value; math.Abs(got-met/float64(len(first))) > 1e-12 {
				t.Errorf("%g of the requests meet the limit, want %g", got, met/float64(len(first)))
			}
			if len(capacity.Objectives[0].Undefined) > 0 {
				t.Errorf("not asked: %v", capacity.Objectives[0].Undefined)
			}
			gaps := 0
			for _, m := range analyze.Summarize(set, analyze.Options{Engines: engines, Replicates: 20, Define: []string{"itl"}}).Measures.Values {
				gaps += int(m.N)
			}
			if (gaps > 0) != c.counted {
				t.Errorf("there are %d gaps between tokens", gaps)
			}
			streams := analyze.ReportOf(set, analyze.ReportOptions{Options: opt}).Streams
			if len(streams) == 0 {
				t.Fatal("no stream is shown")
			}
			for _, x := range streams {
				if want := set.Requests.TTFT[row[hex.EncodeToString(x.Request.TraceID[:])]]; x.FirstNS != want || want == tokens.Absent {
					t.Errorf("a stream has its first token after %d, and the request after %d", x.FirstNS, want)
				}
			}
		})
	}
}
