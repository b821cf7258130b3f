package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// command is one experiment of the laboratory. It reads its own flags and returns
// the exit code.
type command struct {
	name, about string
	run         func(args []string, stdout, stderr io.Writer) int
}

// commands lists every command in the order of help.
func commands() []command {
	return []command{
		{"generate", "simulate an incident and write its capture with the planted truth", runGenerate},
		{"score", "compare what tailpath finds in simulated incidents with the planted truth", runScore},
	}
}

// run is the whole program: it carries out the command that the first argument names
// and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		usage(stdout)
		return exitDone
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:], stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "lab: error: unknown command %q\nlab: hint: lab help lists the commands\n", args[0])
	return exitUsage
}

// usage lists the commands.
func usage(w io.Writer) {
	fmt.Fprint(w, "usage: lab COMMAND [FLAG...]\n\ncommands:\n")
	list := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(list, "  %s\t%s\n", c.name, c.about)
	}
	list.Flush()
	fmt.Fprint(w, "\nlab COMMAND --help lists the flags of a command.\n")
}
