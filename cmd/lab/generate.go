package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/tailpath/tailpath/cmd/lab/logs"
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
	server := flags.String("server", string(simulate.VLLM), "inference server: "+names(simulate.Servers()))
	from := flags.String("sources", string(fromAll), "what is written: traces, logs, all of both, or the engine's log alone: engine")
	gateway := flags.String("gateway", "", "kind of the gateway's log: "+strings.Join(logs.Gateways(), ", ")+" (default: one that the scenario has)")
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
	if !slices.Contains(allSources, sources(*from)) {
		return fail(fmt.Errorf("--sources: unknown sources %q: choose traces, logs, all or engine", *from))
	}
	if *gateway == "" {
		*gateway = gatewayOf(sc)
	}
	if !slices.Contains(logs.Gateways(), *gateway) {
		return fail(fmt.Errorf("--gateway: unknown kind %q: choose one of %s", *gateway, strings.Join(logs.Gateways(), ", ")))
	}
	capture, err := simulate.Run(sc, *seed, simulate.Options{Server: chosen, Requests: *requests})
	if err != nil {
		return fail(err)
	}
	names, err := writeAll(capture, sources(*from), *gateway, *output)
	if err != nil {
		return fail(err)
	}
	fmt.Fprintf(stdout, "%s, seed %d, %s: %d requests in %s: %s\n", sc.Name, *seed, chosen, len(capture.Truth), *output, strings.Join(names, " "))
	return exitDone
}

// writeAll writes what is wanted of a capture into a directory, with the planted truth, and
// returns the names of the files.
func writeAll(c *simulate.Capture, from sources, gateway, dir string) ([]string, error) {
	var extra []simulate.File
	if from != fromTraces {
		files, err := logsOf(c, from, gateway)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			extra = append(extra, simulate.File{Name: f.Name, Data: f.Data})
		}
	}
	if from != fromTraces && from != fromAll {
		c.Services = nil
	}
	return c.WriteDir(dir, extra...)
}

// names joins the names of servers.
func names(servers []simulate.Server) string {
	list := make([]string, len(servers))
	for i, server := range servers {
		list[i] = string(server)
	}
	return strings.Join(list, ", ")
}

// listScenarios prints each scenario with where its cause shows and what happens, and
// the servers of those that do not exist on all.
func listScenarios(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, sc := range simulate.Scenarios() {
		cause := "-"
		if sc.Cause != nil {
			cause = sc.Cause.Key()
		}
		summary := sc.Summary
		if len(sc.Servers) > 0 {
			summary += " Only on " + names(sc.Servers) + "."
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", sc.Name, cause, summary)
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
