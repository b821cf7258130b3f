package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// Exit codes of lab's commands: done, and asked for something that cannot be done.
const (
	exitDone  = 0
	exitUsage = 2
)

// runGenerate is the command generate: it simulates a scenario and writes the
// capture and its planted truth into a directory. What it wrote goes to stdout;
// an error goes to stderr as one line and makes the exit code 2.
func runGenerate(args []string, stdout, stderr io.Writer) int {
	fail := func(err error) int {
		fmt.Fprintf(stderr, "lab generate: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		return exitUsage
	}
	flags := pflag.NewFlagSet("generate", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	scenario := flags.String("scenario", "", "scenario to simulate, see --list")
	seed := flags.Uint64("seed", 1, "seed of every random draw")
	output := flags.StringP("output", "o", "", "directory to write into, made if needed")
	requests := flags.Int("requests", 0, "number of requests, 0 for the scenario's own")
	server := flags.String("server", string(simulate.VLLM), "inference server: "+serverNames())
	list := flags.Bool("list", false, "list the scenarios and exit")

	switch err := flags.Parse(doubleDashes(flags, args)); {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(stdout, "usage: lab generate --scenario NAME --seed N --output DIR\n\n%s", flags.FlagUsages())
		return exitDone
	case err != nil:
		return fail(fmt.Errorf("%w: see lab generate --help", err))
	case flags.NArg() > 0:
		return fail(fmt.Errorf("unexpected argument %q: see lab generate --help", flags.Arg(0)))
	case *list:
		listScenarios(stdout)
		return exitDone
	case *scenario == "":
		return fail(errors.New("no scenario: name one with --scenario, --list shows them"))
	case *output == "":
		return fail(errors.New("no output directory: name one with --output"))
	}

	sc, err := simulate.Lookup(*scenario)
	if err != nil {
		return fail(fmt.Errorf("--scenario: %w", err))
	}
	chosen, err := simulate.ParseServer(*server)
	if err != nil {
		return fail(fmt.Errorf("--server: %w", err))
	}
	if *requests < 0 {
		return fail(fmt.Errorf("--requests: %d is negative: give the number of requests to simulate", *requests))
	}
	capture, err := simulate.Run(sc, *seed, simulate.Options{Server: chosen, Requests: *requests})
	if err != nil {
		return fail(err)
	}
	if err := capture.WriteDir(*output); err != nil {
		return fail(err)
	}
	fmt.Fprintf(stdout, "%s, seed %d, %s: %d requests in %s: %s\n", sc.Name, *seed, chosen, len(capture.Truth), *output,
		strings.Join(capture.Files(), " "))
	return exitDone
}

func serverNames() string {
	var names []string
	for _, server := range simulate.Servers() {
		names = append(names, string(server))
	}
	return strings.Join(names, ", ")
}

// listScenarios prints each scenario with what happens and what should be found.
func listScenarios(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, sc := range simulate.Scenarios() {
		cause := "-"
		if sc.Cause != nil {
			cause = sc.Cause.Key()
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", sc.Name, cause, sc.Summary)
	}
	table.Flush()
}

// doubleDashes lets a long flag be written with one dash, as Go's own tools do:
// -scenario is --scenario. Only names of flags are rewritten, so short flags,
// values and what follows a bare -- stay as they are.
func doubleDashes(flags *pflag.FlagSet, args []string) []string {
	out := make([]string, len(args))
	copy(out, args)
	for i, arg := range out {
		if arg == "--" {
			break
		}
		if len(arg) < 3 || arg[0] != '-' || arg[1] == '-' {
			continue
		}
		name, _, _ := strings.Cut(arg[1:], "=")
		if len(name) > 1 && flags.Lookup(name) != nil {
			out[i] = "-" + arg
		}
	}
	return out
}
