package main

import (
	"fmt"

	"github.com/tailpath/tailpath/ingest/table"
)

// checkSave says why the tables cannot be written where --save says, before any work is done.
func (p *program) checkSave(inputs []string) error {
	dir := p.flags.save
	switch {
	case dir == "":
		return nil
	case dir == stdioName:
		return usage("--save -", "tables are a directory, and cannot be standard output", "name a directory, such as --save run")
	case p.flags.path == "jaeger":
		return usage("--save", "tables have the critical path as tailpath finds it, and --path jaeger asks for another", "leave out one of them")
	case p.flags.output != "" && p.flags.output != stdioName && lies(p.flags.output, dir):
		return usage(p.flags.output, "lies in the directory of --save, which holds tables and nothing else", "write to another name with -o")
	}
	return p.checkTables("--save", dir, inputs)
}

// save writes the tables of a command that knows that it can go on, if --save says so: all that
// was read, whatever is chosen of it. Where nothing was read nothing is written.
func (p *program) save(l *loaded) error {
	if p.flags.save == "" || !l.holdsRows() {
		return nil
	}
	var names []string
	for _, in := range l.inputs {
		names = append(names, in.Name)
	}
	if err := p.checkSave(names); err != nil {
		return err
	}
	if err := p.writeTables(p.flags.save, l); err != nil {
		return err
	}
	return p.stage.wrote()
}

// holdsRows reports whether something was read.
func (l *loaded) holdsRows() bool {
	return l.set.Spans.Len()+l.set.Logs.Len()+l.set.EngineSamples.Len() > 0
}

// writeTables writes the tables as a directory, and says so.
func (p *program) writeTables(dir string, l *loaded) error {
	if err := p.stage.write(); err != nil {
		return err
	}
	if err := table.WriteDir(dir, l.set, table.WithTool(version()), table.WithRules(l.rules)); err != nil {
		return failed(dir, err, spaceHint(err))
	}
	if !p.flags.quiet {
		fmt.Fprintf(p.stderr, "tailpath: wrote %s: %s, %s, %s\n", oneLine(dir), count(l.set.Spans.Len(), "span"),
			count(l.set.Logs.Len(), "log record"), count(l.set.Requests.Len(), "request"))
	}
	return nil
}
