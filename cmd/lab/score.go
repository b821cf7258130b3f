package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/table"
)

// score is the result of one scenario on one server, over its seeds: what tailpath
// found in the spans against what was planted.
type score struct {
	Scenario string `json:"scenario"`
	Server   string `json:"server"`
	Seeds    int    `json:"seeds"`
	Requests int    `json:"requests"`
	Missing  int    `json:"missing"`   // planted and not found, or not as complete requests
	Exact    int    `json:"exact"`     // every stage equal to the nanosecond
	Within   int    `json:"within"`    // every stage within the stated error
	MaxError int64  `json:"max_error"` // ns; the largest difference of any stage
	Worst    string `json:"worst"`     // the stage of it
	TTFT     int    `json:"ttft"`      // requests with a first token planted
	TTFTGood int    `json:"ttft_within"`
	Cause    string `json:"cause"`   // stage of the planted cause; "none" for none
	Planted  string `json:"planted"` // verdict on the planted times, per seed, joined when they differ
	Found    string `json:"found"`   // verdict on the times found, likewise
	Right    int    `json:"right"`   // seeds in which the two agree, and name the cause if there is one
}

// runScore prints how well tailpath recovers what the simulator planted.
func runScore(args []string, stdout, stderr io.Writer) int {
	flags := pflag.NewFlagSet("lab score", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "print JSON")
	seeds := flags.Int("seeds", 1, "seeds a scenario and server are run with")
	requests := flags.Int("requests", 0, "requests a run; 0 for the scenario's own number")
	scenario := flags.String("scenario", "", "only this scenario")
	server := flags.String("server", "", "only this server")
	fail := func(err error, next string) int {
		fmt.Fprintf(stderr, "lab: error: score: %v\nlab: hint: %s\n", err, next)
		return exitUsage
	}
	if err := flags.Parse(doubleDashes(flags, args)); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprintf(stdout, "usage: lab score [flags]\n\n%s", flags.FlagUsages())
			return exitDone
		}
		return fail(err, "lab score --help lists the flags")
	}
	if flags.NArg() > 0 || *seeds < 1 || *requests < 0 {
		return fail(fmt.Errorf("unexpected %v, or a count out of range", flags.Args()), "lab score --help lists the flags")
	}
	var table []score
	for _, sc := range simulate.Scenarios() {
		for _, sv := range simulate.Servers() {
			if *scenario != "" && sc.Name != *scenario || *server != "" && string(sv) != *server {
				continue
			}
			s, err := scoreRuns(sc, sv, *seeds, *requests)
			if err != nil {
				return fail(err, "this is a fault of tailpath; please report it")
			}
			table = append(table, s)
		}
	}
	if len(table) == 0 {
		return fail(fmt.Errorf("no scenario %q on a server %q", *scenario, *server), "lab generate --list names them")
	}
	if *asJSON {
		out := json.NewEncoder(stdout)
		out.SetIndent("", "  ")
		if err := out.Encode(table); err != nil {
			return fail(err, "check where the output goes")
		}
		return exitDone
	}
	if _, err := io.WriteString(stdout, scoreText(table)); err != nil {
		return fail(err, "check where the output goes")
	}
	return exitDone
}

func scoreRuns(sc simulate.Scenario, sv simulate.Server, seeds, requests int) (score, error) {
	s := score{Scenario: sc.Name, Server: string(sv), Seeds: seeds, Cause: "none", Worst: "-"}
	var planted, found []string
	for seed := range uint64(seeds) {
		capture, err := simulate.Run(sc, seed+1, simulate.Options{Server: sv, Requests: requests})
		if err != nil {
			return s, err
		}
		set, err := readBack(capture)
		if err != nil {
			return s, fmt.Errorf("%s on %s, seed %d: %w", sc.Name, sv, seed+1, err)
		}
		truth, err := plantedSet(capture.Truth)
		if err != nil {
			return s, err
		}
		s.compare(set, capture.Truth)
		if capture.Header.Cause != nil {
			s.Cause = capture.Header.Cause.Stage
		}
		want, got := answer(truth), answer(set)
		planted, found = append(planted, want), append(found, got)
		if got == want && (s.Cause == "none" || got == s.Cause) {
			s.Right++
		}
	}
	s.Planted = strings.Join(slices.Compact(planted), ",")
	s.Found = strings.Join(slices.Compact(found), ",")
	return s, nil
}

// answer is the verdict on a set in one word: a stage, or why there is none.
func answer(set *table.Set) string {
	verdict := analyze.Summarize(set, analyze.Options{}).Verdict
	if verdict.Kind == analyze.KindLargest {
		return verdict.Stage.String()
	}
	return string(verdict.Kind)
}

// plantedSet returns the requests as they were planted, in the form in which they
// are found.
func plantedSet(truth []simulate.Truth) (*table.Set, error) {
	set := table.NewSet()
	for _, t := range truth {
		q := &set.Requests
		i := q.Grow()
		if _, err := hex.Decode(q.TraceID[i][:], []byte(t.TraceID)); err != nil {
			return nil, fmt.Errorf("trace id %q: %w", t.TraceID, err)
		}
		q.Start[i], q.End[i], q.Duration[i] = t.StartNS, t.EndNS, t.EndNS-t.StartNS
		for k, ns := range t.StagesNS {
			q.Stage[k][i] = ns
		}
	}
	return set, nil
}

// readBack reads the spans of a capture as a user's files would be read, and builds
// the requests.
func readBack(capture *simulate.Capture) (*table.Set, error) {
	set, account := table.NewSet(), &table.Account{}
	for _, service := range capture.Services {
		var file bytes.Buffer
		if err := service.WriteJSON(&file); err != nil {
			return nil, err
		}
		decoder := otlp.NewDecoder(set, account, service.Name)
		if err := decoder.Read(&file, otlp.JSONLines, otlp.Start{Line: 1}); err != nil {
			return nil, err
		}
		decoder.Close()
	}
	set.Canonicalize()
	return set, critical.NewBuilder(set, account, critical.Options{}).Build(context.Background())
}

// compare counts how the requests of a set agree with the planted truth.
func (s *score) compare(set *table.Set, truth []simulate.Truth) {
	rows := make(map[string]int, set.Requests.Len())
	for i, id := range set.Requests.TraceID {
		if critical.Class(set.Requests.Class[i]) == critical.Complete {
			rows[hex.EncodeToString(id[:])] = i
		}
	}
	for _, t := range truth {
		s.Requests++
		i, ok := rows[t.TraceID]
		if !ok || set.Requests.Start[i] != t.StartNS || set.Requests.End[i] != t.EndNS {
			s.Missing++
			continue
		}
		exact, within := true, true
		for k := range stage.Count {
			off := max(set.Requests.Stage[k][i]-t.StagesNS[k], t.StagesNS[k]-set.Requests.Stage[k][i])
			exact = exact && off == 0
			within = within && off <= t.ErrorNS[k]
			if off > s.MaxError {
				s.MaxError, s.Worst = off, stage.Stage(k).String()
			}
		}
		if exact {
			s.Exact++
		}
		if within {
			s.Within++
		}
		if t.TTFTStagesNS == nil || t.TTFTBeyondNS == nil {
			continue
		}
		s.TTFT++
		good := set.Requests.TTFT[i] != table.Missing
		for k := range stage.Count {
			want := t.TTFTStagesNS[k] - t.TTFTBeyondNS[k]
			got := set.Requests.TTFTStage[k][i]
			good = good && max(got-want, want-got) <= t.TTFTErrorNS[k]
		}
		if good {
			s.TTFTGood++
		}
	}
}

// scoreText is the table as it is kept as a golden file. Missing figures count
// against tailpath; nothing is left out.
func scoreText(rows []score) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-14s %-8s %5s %8s %7s %7s %7s %12s %-12s %10s %-11s %-11s %-11s %5s\n",
		"scenario", "server", "seeds", "requests", "missing", "exact", "within", "max error ns", "in", "ttft", "cause", "planted", "found", "right")
	var sum score
	for _, r := range rows {
		fmt.Fprintf(&out, "%-14s %-8s %5d %8d %7d %7d %7d %12d %-12s %10s %-11s %-11s %-11s %5d\n",
			r.Scenario, r.Server, r.Seeds, r.Requests, r.Missing, r.Exact, r.Within, r.MaxError, r.Worst,
			fmt.Sprintf("%d/%d", r.TTFTGood, r.TTFT), r.Cause, r.Planted, r.Found, r.Right)
		sum.Seeds += r.Seeds
		sum.Requests += r.Requests
		sum.Missing += r.Missing
		sum.Exact += r.Exact
		sum.Within += r.Within
		sum.TTFT += r.TTFT
		sum.TTFTGood += r.TTFTGood
		sum.Right += r.Right
	}
	fmt.Fprintf(&out, "\nof %d requests: %d missing, %d exact to the nanosecond, %d within the stated error; first token %d of %d; verdict right in %d of %d runs\n",
		sum.Requests, sum.Missing, sum.Exact, sum.Within, sum.TTFTGood, sum.TTFT, sum.Right, sum.Seeds)
	return out.String()
}
