package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// program is one run: what it was called with, the streams it talks through and what
// its flags say.
type program struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	flags          flagValues
	configArgs     []string                 // flags that a file gave, as they would stand on the line
	wheres         []*filter.Expr           // of --where, in order
	bands          []analyze.Band           // of --bands; none for those of the analysis
	rule           analyze.Rule             // with the share of --min-share; zero for the usual one
	required       []filter.Condition       // of --require, in order
	known          func(sha256 string) bool // says which inputs a store has; nil to read all
	during         *analyze.Interval        // in which requests start, of what was loaded last; nil for any time
	bounds         chosenTimes              // that gave during, as flags give them
	stdinUser      string                   // who reads standard input, once somebody does
	stdinBytes     atomic.Int64
	helpErr        error                   // of writing help
	see            func(*critical.Request) // is shown every request as it is built, if it is set
	stage          phase
	memory         *memory    // of --memory; nil without
	tooMuch        chan error // says that the run holds more than that
}

// run is the whole program: it carries out one command line and returns the exit
// code. A nil stdin is a terminal or nothing, from which no data can come.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{args: args, stdin: stdin, stdout: stdout, stderr: stderr, env: os.Getenv, tooMuch: make(chan error, 1)}
	ctx, caught, stop := interruptible()
	defer stop()
	endPager := p.paged()
	done := make(chan error, 1)
	go func() { done <- p.execute(ctx) }()
	var err error
	select {
	case err = <-done:
	case err = <-p.tooMuch:
		if !p.stage.abandon() { // what is being written is written to its end
			if ended := <-done; !errors.Is(ended, context.Canceled) {
				err = ended
			}
		}
	case <-ctx.Done():
		if p.stage.abandon() { // whatever is being read or worked out, nothing was written
			return caught()
		}
		err = <-done
	}
	endPager()
	switch {
	case errors.Is(err, context.Canceled):
		return caught()
	case errors.Is(err, pflag.ErrHelp), brokenPipe(err):
		return exitDone
	}
	return p.report(err)
}

// execute carries out the command that the arguments name.
func (p *program) execute(ctx context.Context) error {
	root := p.root()
	root.SetArgs(p.args)
	root.SetIn(p.stdin)
	root.SetOut(p.unpaged())
	root.SetErr(p.stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	return p.helpErr
}
