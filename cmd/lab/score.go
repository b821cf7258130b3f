package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/cmd/lab/plant"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// The tables of a score.
const (
	tablePaths    = "paths"
	tableTails    = "tails"
	tableCapacity = "capacity"
)

// scores is what runScore prints as JSON.
type scores struct {
	Paths    []score         `json:"paths,omitempty"`
	Tails    []tailScore     `json:"tails,omitempty"`
	Capacity []capacityScore `json:"capacity,omitempty"`
}

// runScore prints how well tailpath recovers what was planted: the paths of simulated
// incidents, the tails of populations, and the capacity of systems.
func runScore(args []string, stdout, stderr io.Writer) int {
	return runScoreAnd(args, stdout, stderr, nil)
}

// runScoreAnd is runScore, and asks more of what was read of the simulated incidents.
func runScoreAnd(args []string, stdout, stderr io.Writer, more asked) int {
	flags := pflag.NewFlagSet("lab score", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "print JSON")
	only := flags.String("only", "", "only this table: paths, of simulated incidents, tails, of planted populations, or capacity, of simulated systems")
	seeds := flags.Int("seeds", 1, fmt.Sprintf("seeds a scenario and server are run with; a kind of tail is with %d, and a day of a system with %d, unless told", tailSeeds, capacityDays))
	requests := flags.Int("requests", 0, "requests a run; 0 for the scenario's own number, and each of a tail's own; not of capacity")
	scenario := flags.String("scenario", "", "only this scenario, kind of tail, or system")
	server := flags.String("server", "", "only this server; of paths")
	keep := flags.String("keep", "", "keep the files that were read in this directory, in one of their own a run; of paths")
	from := flags.String("sources", "", "only these: traces, logs, all of both, or the engine's log alone: engine; of paths")
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
	if *from != "" && !slices.Contains(allSources, sources(*from)) {
		return fail(fmt.Errorf("unknown sources %q", *from), "traces, logs, all or engine")
	}
	ofPaths := flags.Changed("server") || flags.Changed("keep") || flags.Changed("sources")
	switch *only {
	case "":
		if ofPaths {
			*only = tablePaths
		}
	case tablePaths:
	case tableTails, tableCapacity:
		if ofPaths {
			return fail(errors.New("--server, --keep and --sources are of paths"), "leave them out, or --only paths")
		}
	default:
		return fail(fmt.Errorf("unknown table %q", *only), "paths, tails or capacity")
	}
	if *only == tableCapacity && *requests > 0 {
		return fail(errors.New("--requests is of paths and tails"), "leave it out: days of a system have as many as they have")
	}
	unlessTold := func(told, usual int) int {
		if flags.Changed("seeds") {
			return told
		}
		return usual
	}
	var made scores
	var err error
	if *only == "" || *only == tablePaths {
		if made.Paths, err = scorePaths(*scenario, *server, *seeds, *requests, sources(*from), *keep, more); err != nil {
			return fail(err, "this is a fault of tailpath; please report it")
		}
	}
	if *only == "" || *only == tableTails {
		if *requests > plant.MostRequests {
			return fail(fmt.Errorf("%d requests of a tail", *requests), fmt.Sprintf("at most %d, or --only paths", plant.MostRequests))
		}
		made.Tails = scoreTails(selectKinds(*scenario), unlessTold(*seeds, tailSeeds), *requests)
	}
	if *only == "" && *requests == 0 || *only == tableCapacity {
		made.Capacity = scoreCapacity(capacityCases(*scenario), unlessTold(*seeds, capacityDays))
	}
	if len(made.Paths)+len(made.Tails)+len(made.Capacity) == 0 {
		return fail(fmt.Errorf("no scenario, tail or system %q on a server %q", *scenario, *server),
			"lab generate --list names the scenarios, lab score --only tails the tails, and --only capacity the systems")
	}
	if *asJSON {
		out := json.NewEncoder(stdout)
		out.SetIndent("", "  ")
		if err := out.Encode(made); err != nil {
			return fail(err, "check where the output goes")
		}
		return exitDone
	}
	var text []string
	if len(made.Paths) > 0 {
		text = append(text, scoreText(made.Paths))
	}
	if len(made.Tails) > 0 {
		text = append(text, tailsText(made.Tails))
	}
	if len(made.Capacity) > 0 {
		text = append(text, capacityText(made.Capacity))
	}
	if _, err := io.WriteString(stdout, strings.Join(text, "\n")); err != nil {
		return fail(err, "check where the output goes")
	}
	return exitDone
}

// asked is called with everything that was read of a capture, once it is scored. Several
// goroutines call it at once. nil asks nothing.
type asked func(scenario string, server simulate.Server, from sources, f *found)

// scorePaths scores simulated incidents on their servers: all, or those of the given names. It
// scores several at once; which, changes nothing.
func scorePaths(scenario, server string, seeds, requests int, from sources, keep string, more asked) ([]score, error) {
	type run struct {
		sc   simulate.Scenario
		sv   simulate.Server
		rows []score
		err  error
	}
	var runs []*run
	for _, sc := range simulate.Scenarios() {
		for _, sv := range simulate.Servers() {
			if sc.On(sv) && (scenario == "" || sc.Name == scenario) && (server == "" || string(sv) == server) {
				runs = append(runs, &run{sc: sc, sv: sv})
			}
		}
	}
	var all sync.WaitGroup
	next := make(chan *run)
	for range min(runtime.GOMAXPROCS(0), len(runs)) {
		all.Go(func() {
			for r := range next {
				r.rows, r.err = scoreRuns(r.sc, r.sv, seeds, requests, from, keep, more)
			}
		})
	}
	for _, r := range runs {
		next <- r
	}
	close(next)
	all.Wait()
	var rows []score
	for _, r := range runs {
		if r.err != nil {
			return nil, r.err
		}
		rows = append(rows, r.rows...)
	}
	return rows, nil
}

// scoreRuns scores one scenario on one server, once for each subset of the sources.
func scoreRuns(sc simulate.Scenario, sv simulate.Server, seeds, requests int, only sources, keep string, more asked) ([]score, error) {
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
		var client string // the answer to what the client's spans see, which all sources have that hold them
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
			if capture.Header.Cause != nil {
				s.Cause = capture.Header.Cause.Stage
			}
			want := client
			if clients := s.Sources == fromTraces || s.Sources == fromAll; !clients || client == "" {
				truth, err := plantedSet(capture, s.Sources)
				if err != nil {
					return nil, err
				}
				if want = answer(analyze.Summarize(truth, analyze.Options{})); clients {
					client = want
				}
			}
			said := analyze.Summarize(f.set, analyze.Options{})
			got := answer(said)
			s.slowCause(capture, &said)
			wants[i], gots[i] = append(wants[i], want), append(gots[i], got)
			if got == want {
				s.Right++
			}
			if more != nil {
				more(sc.Name, sv, s.Sources, f)
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
func answer(s analyze.Summary) string {
	if v := s.Verdict; v.Kind == analyze.KindDominates || v.Kind == analyze.KindLeads {
		return v.Stage.String()
	}
	return string(s.Verdict.Kind)
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
