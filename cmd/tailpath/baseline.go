package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/store"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// mostBefore is how many weeks a report is set against.
const mostBefore = 4

// noBaseline is the value of --baseline that takes nothing, also of a store.
const noBaseline = "none"

// isStore reports whether an operand is a store.
func isStore(operand string) bool { return operand != stdioName && store.Is(operand) }

// again returns the operands that can be read another time.
func again(operands []string) []string {
	return slices.DeleteFunc(slices.Clone(operands), func(o string) bool { return o == stdioName })
}

// The kinds of what a report is set against, as reports.Report names them.
const (
	fromTables   = "tables"
	fromDocument = "document"
)

// baseline is what a report is set against, the latest last.
type baseline struct {
	before []reports.Before
	from   string // fromTables or fromDocument; empty for none
	// compare is the comparison with the latest, nil where its tables are not at hand.
	compare *reports.Compare
	changes analyze.Comparison // that it was made of
	inputs  []reports.Input
	// few says that what was named holds too few requests to be set against.
	few error
	// short says so in the words of a headline, where there are some.
	short []string
	// required is what became of each --require in the tables of the latest.
	required []reports.Condition
}

// judge judges the conditions of a report: changes by the comparison with what came before,
// others by its requests.
func (b *baseline) judge(l *loaded, s *analyze.Summary, conditions []filter.Condition, choice analyze.Options) []analyze.Judgement {
	out := make([]analyze.Judgement, len(conditions))
	for i, c := range conditions {
		if !c.Relative {
			out[i] = analyze.Judge(l.set, s, conditions[i:i+1], choice)[0]
			continue
		}
		out[i] = analyze.JudgeChange(&b.changes, c)
		switch {
		case b.compare == nil:
			out[i].Why += ": no tables of an earlier time are at hand"
		case len(b.changes.Refused()) > 0:
			out[i].Why += "; --force compares them all the same"
		}
	}
	return out
}

// baselineOf finds what a report is set against: the documents or tables that --baseline names,
// or another time of what the report is of, or of a store the weeks before the one that was asked
// for.
func (p *program) baselineOf(ctx context.Context, c command, l *loaded, choice analyze.Options) (baseline, error) {
	during, bounds := p.during, p.bounds
	defer func() { p.during, p.bounds = during, bounds }() // loading another time moves them
	name := p.flags.baseline
	switch {
	case l.before != nil:
		return p.timeBefore(l, choice)
	case name == noBaseline:
		return baseline{}, nil
	case name == "" && l.week != nil && slices.ContainsFunc(l.operands, isStore):
		return p.weeksBefore(ctx, c, l, again(l.operands), choice)
	case name == "":
		return baseline{}, nil
	}
	info, err := os.Stat(name)
	switch {
	case name == stdioName:
		if b, is, err := p.documentOnStdin(c); is || err != nil {
			return b, err
		}
	case err != nil:
		return baseline{}, failed(name, err, "--baseline wants a report as JSON, a directory of them, a store, or what tables and traces are read from")
	case store.Is(name) && l.week == nil:
		return baseline{}, usage("--baseline "+name, "is a store, of which the weeks before that of the report are taken", "add --week 2026-W47 or --week last")
	case store.Is(name):
		return p.weeksBefore(ctx, c, l, []string{name}, choice)
	case info.IsDir() && !table.IsDir(name):
		if b, ok, err := p.documentsBefore(name, l, choice); ok || err != nil {
			var names []string
			for _, in := range b.inputs {
				names = append(names, in.Name)
			}
			return b, errors.Join(err, p.checkOutput(c, names))
		}
	case info.Mode().IsRegular():
		data, is, err := readDocument(name)
		if err != nil {
			return baseline{}, failed(name, err, "")
		}
		if !is {
			break
		}
		if err := p.checkOutput(c, []string{name}); err != nil {
			return baseline{}, err
		}
		return documentBefore(name, data)
	}
	return p.pathBefore(ctx, c, l, name, choice)
}

// headSize is how many bytes of a file tell whether it is a document, and mostHTML how long HTML
// may be that holds one.
const (
	headSize = 4096
	mostHTML = 64 << 20
)

// documentOnStdin takes standard input as what a report is set against. If it is no document, is
// is false, and all of it can still be read.
func (p *program) documentOnStdin(c command) (b baseline, is bool, err error) {
	if err := p.useStdin("--baseline -"); err != nil {
		return b, false, err
	}
	if err := p.checkOutput(c, nil); err != nil {
		return b, false, err
	}
	data, is, err := documentFrom(p.stdin)
	switch {
	case err != nil:
		return b, false, failed(stdioName, err, "")
	case is:
		b, err = documentBefore(stdioName, data)
		return b, true, err
	}
	p.stdin = io.MultiReader(bytes.NewReader(data), p.stdin)
	return b, false, nil
}

// readDocument reads a file if it is meant as a document of tailpath, of any version, and no more
// than its head if not: it may be the traces of a week.
func readDocument(name string) (data []byte, is bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	return documentFrom(f)
}

// documentFrom is readDocument of what is open. It returns what it has read in any case.
func documentFrom(f io.Reader) (data []byte, is bool, err error) {
	head, err := io.ReadAll(io.LimitReader(f, headSize))
	if err != nil {
		return nil, false, err
	}
	html := bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) // which has the document at its end
	if mark := []byte(`"` + reports.SchemaName + `"`); html || bytes.Contains(head, mark) {
		rest, err := io.ReadAll(io.LimitReader(f, mostHTML))
		if err != nil {
			return nil, false, err
		}
		data = append(head, rest...)
		return data, bytes.Contains(data, mark), nil
	}
	return head, false, nil
}

// documentBefore takes what one document tells.
func documentBefore(name string, data []byte) (baseline, error) {
	doc, err := documentIn(name, data)
	if err != nil {
		return baseline{}, err
	}
	before, err := reports.BeforeOf(doc)
	if err != nil {
		return baseline{}, usage(name, err.Error(), "tailpath report FILE... -o report.json writes one")
	}
	return baseline{before: []reports.Before{before}, from: fromDocument, inputs: []reports.Input{documentInput(name, data)}}, nil
}

// documentInput is a document as an input of another.
func documentInput(name string, data []byte) reports.Input {
	sum := sha256.Sum256(data)
	return reports.Input{Name: name, Format: "tailpath document", Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
}

// documentsBefore takes the latest reports of a directory that are of an earlier time than this
// one; ok is false when it holds no report at all. Other documents are passed over, and one that
// cannot be read is told of.
func (p *program) documentsBefore(dir string, l *loaded, choice analyze.Options) (b baseline, ok bool, err error) {
	names, err := filepath.Glob(filepath.Join(globQuoted(dir), "*.json"))
	if err != nil {
		return b, false, usage("--baseline "+dir, err.Error(), "")
	}
	start, known := l.begins(choice)
	type dated struct {
		at     int64
		before reports.Before
		input  reports.Input
	}
	var found []dated
	for _, name := range names { // in order
		data, is, err := readDocument(name)
		if err != nil || !is {
			continue
		}
		ok = true
		doc, err := documentIn(name, data)
		if err != nil {
			p.tell("%s is passed over: %s", oneLine(name), oneLine(err.Error()))
			continue
		}
		at, has := beginsAt(doc)
		if doc.Kind != reports.KindReport || !has || known && at >= start {
			continue
		}
		before, err := reports.BeforeOf(doc)
		if err != nil {
			return b, true, usage(name, err.Error(), "")
		}
		found = slices.DeleteFunc(found, func(d dated) bool { return d.before.Name == before.Name })
		found = append(found, dated{at, before, documentInput(name, data)})
	}
	slices.SortStableFunc(found, func(x, y dated) int { return cmp.Compare(x.at, y.at) })
	for _, d := range found[max(0, len(found)-mostBefore):] {
		b.before, b.inputs, b.from = append(b.before, d.before), append(b.inputs, d.input), fromDocument
	}
	return b, ok, nil
}

// globQuoted protects a path from being taken for a pattern.
func globQuoted(path string) string {
	var out []rune
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' || r == '\\' && filepath.Separator != '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}

// beginsAt returns when the time of a report begins, in ns since the epoch.
func beginsAt(doc reports.Document) (ns int64, ok bool) {
	switch {
	case doc.Report != nil && doc.Report.Week != nil:
		return doc.Report.Week.StartNS, true
	case doc.Queue != nil && doc.Queue.Summary.Load.Clock == "wall":
		return doc.Queue.Summary.Load.StartNS, true
	case doc.Summary != nil && doc.Summary.Load.Clock == "wall":
		return doc.Summary.Load.StartNS, true
	}
	return 0, false
}

// begins returns when the time of what is reported begins: that of its week, or of its first
// request.
func (l *loaded) begins(choice analyze.Options) (ns int64, ok bool) {
	if l.week != nil {
		return l.week.From, true
	}
	keeps, r := choice.Keeps(l.set), &l.set.Requests
	for _, row := range l.rows() {
		if at := r.Start[row]; keeps(row) && r.Clock[row] == table.ClockWall && at != table.Missing && (!ok || at < ns) {
			ns, ok = at, true
		}
	}
	return ns, ok
}

// weeksBefore analyses the weeks before that of a report, one after the other. Those without a
// request are passed over.
func (p *program) weeksBefore(ctx context.Context, c command, l *loaded, operands []string, choice analyze.Options) (baseline, error) {
	b := baseline{from: fromTables}
	for n := mostBefore; n > 0; n-- {
		week := l.week.Before(n)
		was, err := p.loadAt(ctx, c, operands, l.buildOptions(), chosenTimes{zone: week.Zone, week: week.Name, named: week})
		var none *fault
		if errors.As(err, &none) && none.code == exitNothing {
			continue
		}
		if err != nil {
			return b, err
		}
		keeps := p.choiceOf(was).Keeps(was.set)
		if !slices.ContainsFunc(was.rows(), keeps) {
			continue
		}
		earlier := choice
		earlier.During = was.during
		b.before = append(b.before, was.earlier(earlier, choice.Objectives, week))
		b.inputs = append(b.inputs, was.inputs...)
		if n == 1 {
			if err = p.compareWith(&b, was, l, choice, week.Name, l.week.Name); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

// pathBefore analyses tables or traces of another time.
func (p *program) pathBefore(ctx context.Context, c command, l *loaded, path string, choice analyze.Options) (baseline, error) {
	was, err := p.loadAt(ctx, c, []string{path}, l.buildOptions(), chosenTimes{})
	if err != nil {
		return baseline{}, err
	}
	return p.before(was, l, path, choice)
}

// timeBefore analyses the base of a report that is another time of the same tables.
func (p *program) timeBefore(l *loaded, choice analyze.Options) (baseline, error) {
	return p.before(l.base(), l, l.before.Words(), choice)
}

// before analyses the tables that a report is set against, by that name.
func (p *program) before(was, l *loaded, name string, choice analyze.Options) (baseline, error) {
	earlier := choice
	earlier.During, earlier.Engines = was.during, was.builder.Engines()
	s := analyze.Summarize(was.set, earlier)
	few := p.enough(was, s.Population.N)
	if s.Population.N == 0 {
		return baseline{inputs: was.inputs, few: few}, nil
	}
	r := analyze.ReportOf(was.set, analyze.ReportOptions{Options: earlier})
	b := baseline{before: []reports.Before{reports.BeforeNow(name, true, s, r)}, from: fromTables, inputs: was.inputs, few: few, short: p.fewer("base", s.Population.N)}
	err := p.compareWith(&b, was, l, choice, name, "this report")
	return b, err
}

// withMore adds inputs to others, but for those that are there: a part of a store may be of two
// weeks, and tables may be set against themselves.
func withMore(inputs, more []reports.Input) []reports.Input {
	out := slices.Clone(inputs)
	for _, in := range more {
		if !slices.ContainsFunc(out, func(o reports.Input) bool { return o.Name == in.Name && o.SHA256 == in.SHA256 }) {
			out = append(out, in)
		}
	}
	return out
}

// buildOptions returns the options that requests of another time are to be built with.
func (l *loaded) buildOptions() critical.Options { return critical.Options{Jaeger: l.options.Jaeger} }

// compareWith compares a report with the tables of what came before.
func (p *program) compareWith(b *baseline, was, now *loaded, choice analyze.Options, base, new string) error {
	if was.rules != now.rules {
		return usage(was.where(), "was written with other rules of stages than "+now.where(), "name the rules that shall hold for both with --stages")
	}
	rule, err := p.changeRule()
	if err != nil {
		return err
	}
	choice.Force = p.flags.force
	choice.Base = analyze.Platform{Engines: was.builder.Engines(), GPUs: choice.GPUs, During: was.during}
	named := func(label string, l *loaded) reports.Compared {
		out := reports.Compared{Label: label, Files: []string{}}
		for _, in := range l.inputs {
			out.Files = append(out.Files, in.Name)
		}
		return out
	}
	b.required = p.met(was, "base")
	b.changes = analyze.Compare(was.set, now.set, choice, rule)
	b.compare = p.document(now).Compare(b.changes, named(base, was), named(new, now)).Compare
	return nil
}
