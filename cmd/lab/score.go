package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// runScore prints how well tailpath recovers what the simulator planted.
func runScore(args []string, stdout, stderr io.Writer) int {
	flags := pflag.NewFlagSet("lab score", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "print JSON")
	seeds := flags.Int("seeds", 1, "seeds a scenario and server are run with")
	requests := flags.Int("requests", 0, "requests a run; 0 for the scenario's own number")
	scenario := flags.String("scenario", "", "only this scenario")
	server := flags.String("server", "", "only this server")
	keep := flags.String("keep", "", "keep the files that were read in this directory, in one of their own a run")
	only := flags.String("sources", "", "only these: traces, logs, all of both, or the engine's log alone: engine")
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
	if *only != "" && !slices.Contains(allSources, sources(*only)) {
		return fail(fmt.Errorf("unknown sources %q", *only), "traces, logs, all or engine")
	}
	var rows []score
	for _, sc := range simulate.Scenarios() {
		for _, sv := range simulate.Servers() {
			if !sc.On(sv) || *scenario != "" && sc.Name != *scenario || *server != "" && string(sv) != *server {
				continue
			}
			made, err := scoreRuns(sc, sv, *seeds, *requests, sources(*only), *keep)
			if err != nil {
				return fail(err, "this is a fault of tailpath; please report it")
			}
			rows = append(rows, made...)
		}
	}
	if len(rows) == 0 {
		return fail(fmt.Errorf("no scenario %q on a server %q", *scenario, *server), "lab generate --list names them")
	}
	if *asJSON {
		out := json.NewEncoder(stdout)
		out.SetIndent("", "  ")
		if err := out.Encode(rows); err != nil {
			return fail(err, "check where the output goes")
		}
		return exitDone
	}
	if _, err := io.WriteString(stdout, scoreText(rows)); err != nil {
		return fail(err, "check where the output goes")
	}
	return exitDone
}

// scoreRuns scores one scenario on one server, once for each subset of the sources.
func scoreRuns(sc simulate.Scenario, sv simulate.Server, seeds, requests int, only sources, keep string) ([]score, error) {
	var rows []score
	for _, from := range allSources {
		if only == "" || only == from {
			rows = append(rows, score{Scenario: sc.Name, Server: string(sv), Sources: from, Gateway: gatewayOf(sc), Seeds: seeds, Cause: "none", Worst: "-"})
		}
	}
	wants, gots := make([][]string, len(rows)), make([][]string, len(rows))
	for seed := range uint64(seeds) {
		capture, err := simulate.Run(sc, seed+1, simulate.Options{Server: sv, Requests: requests})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			s := &rows[i]
			dir := ""
			if keep != "" {
				dir = filepath.Join(keep, fmt.Sprintf("%s-%s-%s-%d", sc.Name, sv, s.Sources, seed+1))
			}
			f, err := readBack(capture, s.Sources, s.Gateway, dir, critical.Options{})
			if err != nil {
				return nil, fmt.Errorf("%s on %s, seed %d: %w", sc.Name, sv, seed+1, err)
			}
			s.compare(capture, f)
			truth, err := plantedSet(capture, s.Sources)
			if err != nil {
				return nil, err
			}
			if capture.Header.Cause != nil {
				s.Cause = capture.Header.Cause.Stage
			}
			want, got := answer(truth), answer(f.set)
			wants[i], gots[i] = append(wants[i], want), append(gots[i], got)
			if got == want {
				s.Right++
			}
		}
	}
	for i := range rows {
		rows[i].Planted = strings.Join(slices.Compact(wants[i]), ",")
		rows[i].Found = strings.Join(slices.Compact(gots[i]), ",")
	}
	return rows, nil
}

// answer is the verdict on a set in one word: a stage, or why there is none.
func answer(set *table.Set) string {
	verdict := analyze.Summarize(set, analyze.Options{}).Verdict
	if verdict.Kind == analyze.KindLargest {
		return verdict.Stage.String()
	}
	return string(verdict.Kind)
}

// plantedSet returns the requests as they were planted, as the outermost of the sources
// sees them, in the form in which they are found. What was given up is left out, as
// failed requests are.
func plantedSet(c *simulate.Capture, from sources) (*table.Set, error) {
	set := table.NewSet()
	for i := range c.Truth {
		t := &c.Truth[i]
		q := &set.Requests
		k := q.Grow()
		if _, err := hex.Decode(q.TraceID[k][:], []byte(t.TraceID)); err != nil {
			return nil, fmt.Errorf("trace id %q: %w", t.TraceID, err)
		}
		v := vantageOf(t, from)
		q.Error[k] = t.Status >= 400 || t.Aborted
		q.Start[k], q.End[k], q.Duration[k] = v.StartNS, v.EndNS, v.EndNS-v.StartNS
		for s, ns := range v.StagesNS {
			q.Stage[s][k] = ns
		}
	}
	return set, nil
}
