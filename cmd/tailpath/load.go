package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// loaded is what a command works on: the tables of its inputs, with the requests and
// segments built.
type loaded struct {
	operands []string // - for standard input
	set      *table.Set
	inputs   []reports.Input
	options  critical.Options
	builder  *critical.Builder
	excluded analyze.ExclusionTally
	rules    string // text of the rules before the built-in ones; empty for none
	source   reading
	during   *analyze.Interval // in which requests start, by choice; nil for any time
	before   *analyze.Interval // in which those of the base start, of two times of one set; nil for one
	week     *analyze.Week     // that was asked for; nil for none
	// passedOver are the inputs that a store has already.
	passedOver []ingest.Input
}

// load reads the operands of a command and builds the requests. Without operands it
// reads standard input, if there is any. A base with a time of its own is of the same operands.
// Where --save can write the tables is checked; a command that has the flag saves them as soon as
// it knows that it can go on.
func (p *program) load(ctx context.Context, c command, operands []string, opt critical.Options) (*loaded, error) {
	operands, err := p.operandsOf(c, operands)
	if err != nil {
		return nil, err
	}
	if err := p.checkSave(operands); err != nil {
		return nil, err
	}
	times, err := p.times()
	if err != nil {
		return nil, err
	}
	if times.one = times.ownBase(); times.one {
		if err := times.inOrder(); err != nil {
			return nil, err
		}
	}
	l, err := p.loadAt(ctx, c, operands, opt, times)
	if err != nil {
		return nil, err
	}
	return l, p.checkWhere(l)
}

// loadAt is load of a part of what a command works on, that of a time: a field of --where that
// none of its requests has may be one of another part.
func (p *program) loadAt(ctx context.Context, c command, operands []string, opt critical.Options, times chosenTimes) (*loaded, error) {
	if err := p.checkOutput(c, operands); err != nil {
		return nil, err
	}
	if err := p.parseWhere(); err != nil {
		return nil, err
	}
	if err := p.parseBands(); err != nil {
		return nil, err
	}
	if err := p.parseMinShare(); err != nil {
		return nil, err
	}
	if err := p.parseRequire(); err != nil {
		return nil, err
	}
	var err error
	l := &loaded{operands: operands}
	if l.source, err = p.sourceOf(operands, times); err != nil {
		return nil, err
	}
	if opt.Rules, l.rules, err = p.stageRules(l.source.paths); err != nil {
		return nil, err
	}
	opt.Workers = p.flags.jobs
	opt.Clock = critical.ClockMode(slices.Index(critical.ClockModeNames, p.flags.clock))
	if opt.Join, err = joinKeys(p.flags.joins); err != nil {
		return nil, err
	}
	l.options = opt
	var account *table.Account
	if account, err = p.read(ctx, l); err != nil {
		return nil, err
	}
	var names []string
	for _, in := range l.inputs {
		names = append(names, in.Name)
	}
	if err := p.checkOutput(c, names); err != nil {
		return nil, err
	}
	l.builder = critical.NewBuilder(l.set, account, opt)
	if err := l.builder.BuildAnd(ctx, p.seeing(l.excluded.Add)); err != nil {
		return nil, err
	}
	account.WriteTo(l.set)
	if !l.source.known {
		_, l.source.last, l.source.known = table.Extent(l.set)
	}
	l.during, l.week, err = times.resolve(l.source.last, l.source.known)
	if err == nil {
		p.bounds, l.before, err = times.chosen(l.source.last)
	}
	p.during = l.during
	return l, err
}

// joinKeys returns the names of attributes that each --join gives.
func joinKeys(given []string) ([][]string, error) {
	var keys [][]string
	for _, value := range given {
		names := strings.Split(value, ",")
		if slices.Contains(names, "") {
			return nil, usage("--join "+value, "a name of an attribute is empty", "--join x-correlation-id, or --join x-correlation-id,correlation_id for one id under two names")
		}
		keys = append(keys, names)
	}
	return keys, nil
}

// operandsOf returns the operands of a command, - for standard input when none is
// given and data can come from there.
func (p *program) operandsOf(c command, operands []string) ([]string, error) {
	if len(operands) == 0 {
		if !dataOn(p.stdin) {
			if err := c.help(p.stderr); err != nil {
				return nil, err
			}
			return nil, usage(c.name, "no FILE is given, and no data comes from standard input", "")
		}
		operands = []string{stdioName}
	}
	for _, o := range operands {
		if o == "" {
			return nil, usage(c.name, "a FILE has no name", "check for an empty variable")
		}
		if o == stdioName {
			if err := p.useStdin("FILE -"); err != nil {
				return nil, err
			}
		}
	}
	return operands, nil
}

// useStdin takes standard input for one user.
func (p *program) useStdin(user string) error {
	if p.stdinUser != "" {
		return usage("standard input", "is named twice, by "+p.stdinUser+" and by "+user, "it can be read once: put one of them in a file")
	}
	p.stdinUser = user
	if p.stdin == nil {
		p.stdin = strings.NewReader("")
	}
	return nil
}

// countedReader counts the bytes that are read through it.
type countedReader struct {
	from io.Reader
	n    *atomic.Int64
}

func (c countedReader) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// stageRules returns the rules of --stages before the built-in ones, and their text.
// Without the flag, the rules that a directory of tables was written with hold, as its
// requests are built anew.
func (p *program) stageRules(operands []string) (*stage.Rules, string, error) {
	name := p.flags.stages
	if name == "" {
		return p.keptRules(operands)
	}
	var data []byte
	var err error
	if name == stdioName {
		if err := p.useStdin("--stages -"); err != nil {
			return nil, "", err
		}
		data, err = io.ReadAll(p.stdin)
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, "", failed(name, err, "--stages wants a YAML file of rules: tailpath help stages")
	}
	return withBuiltin(data, name)
}

// withBuiltin parses rules and puts them before the built-in ones.
func withBuiltin(data []byte, name string) (*stage.Rules, string, error) {
	rules, err := stage.ParseRules(data, name)
	if err == nil {
		rules, err = rules.Before(stage.Builtin())
	}
	if err != nil {
		return nil, "", rulesFault(name, err)
	}
	return rules, string(data), nil
}

// keptRules returns the rules that the directories among the operands were written
// with. They must agree.
func (p *program) keptRules(operands []string) (*stage.Rules, string, error) {
	text, first := "", ""
	for _, o := range operands {
		if !table.IsDir(o) {
			continue
		}
		kept, err := table.DirRules(o)
		if err != nil {
			return nil, "", failed(o, err, "")
		}
		if first != "" && kept != text {
			return nil, "", usage(o, "was written with other rules than "+first, "name the rules that shall hold with --stages")
		}
		text, first = kept, o
	}
	if text == "" {
		return stage.Builtin(), "", nil
	}
	return withBuiltin([]byte(text), first)
}

// read reads the operands into l, with a progress line where it can be seen.
func (p *program) read(ctx context.Context, l *loaded) (*table.Account, error) {
	begun := time.Now()
	var line *progress
	if p.progressVisible() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		line = startProgress(p.stderr, time.Now, ticker.C)
	}
	p.stage.draw(line)
	logs, err := p.logOptions()
	if err != nil {
		return nil, err
	}
	set, counted, report, err := ingest.Read(ctx, l.source.paths, ingest.Options{
		Known: p.known, Logs: logs, Stdin: countedReader{p.stdin, &p.stdinBytes}, Workers: p.memory.workers(p.flags.jobs), Total: line.expect, Progress: line.add,
		RowBytes: p.memory.rowBytes(),
	})
	line.stop()
	if err != nil {
		return nil, p.readFault(l, err)
	}
	p.memory.hold(report.RowBytes)
	if err := l.source.damaged(report); err != nil {
		return nil, err
	}
	l.set, l.passedOver = set, report.Known
	p.collectTightly(report.RowBytes)
	account := withoutAssembly(counted)
	bytes := int64(0)
	for _, in := range report.Inputs {
		l.inputs = append(l.inputs, reports.Input{
			Name: in.Name, Format: in.Format, Compression: in.Compression, Bytes: in.Bytes, SHA256: in.SHA256,
			Spans: in.Spans, Logs: in.Logs, Samples: in.Samples, Bad: in.Bad, Lines: linesOf(in),
		})
		bytes += in.Bytes
	}
	if p.flags.verbose && !p.flags.quiet {
		fmt.Fprintf(p.stderr, "tailpath: read %s, %s, %s and %s, %s as rows, in %.1f s\n", count(len(report.Inputs), "file"), byteCount(bytes),
			count(set.Spans.Len(), "span"), count(set.Logs.Len(), "log record"), byteCount(report.RowBytes), time.Since(begun).Seconds())
	}
	return account, nil
}

// linesOf returns the account of an input's lines, nil if it has none.
func linesOf(in ingest.Input) *reports.Lines {
	if in.Lines == nil {
		return nil
	}
	out := &reports.Lines{In: in.Lines.In, Used: in.Lines.Used, Unused: []reports.Count{}}
	for _, r := range in.Lines.Unused {
		out.Unused = append(out.Unused, reports.Count{Name: r.Why, N: r.Count})
	}
	return out
}

// progressVisible says whether somebody would see a progress line.
func (p *program) progressVisible() bool {
	_, terminal := terminalOf(p.stderr)
	return terminal && p.flags.progress == "auto" && !p.flags.quiet && p.env("TERM") != "dumb"
}

// readFault is the fault of inputs that could not be read.
func (p *program) readFault(l *loaded, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if tooLarge := p.rowsTooLarge(l, err); tooLarge != nil {
		return tooLarge
	}
	f := &fault{code: exitFailed, where: l.where(), what: err.Error(), cause: err}
	var in *ingest.Error
	if errors.As(err, &in) {
		f.where, f.what, f.hint = in.Where, in.What, in.Hint
		if p.isEmpty(in.Where) {
			f.code = exitNothing
		}
	}
	return f
}

// isEmpty says whether an input was read and had not a byte in it.
func (p *program) isEmpty(name string) bool {
	if name == stdioName {
		return p.stdinBytes.Load() == 0
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// document returns what every document of the run says of it. The operands are put in
// order, because their order changes nothing.
func (p *program) document(l *loaded) reports.Run {
	operands := slices.Sorted(slices.Values(l.operands))
	operands = append(operands, p.readingFlags()...)
	return reports.Run{
		Version: version(), Command: p.commandLine(), Operands: operands,
		Inputs: l.inputs, Quality: analyze.Issues(l.set), Requests: int64(l.set.Requests.Len()), Listed: p.listed(),
	}
}
