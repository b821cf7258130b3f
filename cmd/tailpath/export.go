package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports/export"
	"github.com/tailpath/tailpath/reports/openmetrics"
)

// The formats of export.
const (
	exportPprof       = "pprof"
	exportFolded      = "folded"
	exportPerfetto    = "perfetto"
	exportParquet     = "parquet"
	exportArrow       = "arrow"
	exportCSV         = "csv"
	exportOpenMetrics = "openmetrics"
)

// exportFormat is a format with the ends of file names that stand for it.
type exportFormat struct {
	name   string
	ends   []string
	binary bool // it is no text
}

// exportFormats are the formats in the order of help.
var exportFormats = []exportFormat{
	{exportPprof, []string{".pb.gz", ".pprof"}, true},
	{exportFolded, []string{".folded"}, false},
	{exportPerfetto, []string{".json"}, false},
	{exportParquet, []string{".parquet"}, true},
	{exportArrow, []string{".arrow", ".arrows"}, true},
	{exportCSV, []string{".csv"}, false},
	{exportOpenMetrics, []string{".om", ".prom"}, false},
}

// exportCommand declares export.
func exportCommand() command {
	var formats []string
	for _, f := range exportFormats {
		formats = append(formats, f.name)
	}
	return command{
		name: "export", operands: "FILE...", files: true, formats: formats,
		about: "requests and their paths in the formats of other tools",
		examples: []example{
			{"tailpath export logs/ -o path.pb.gz", "for go tool pprof"},
			{"tailpath export logs/ --slowest 1 -o slow.json", "a trace for Perfetto"},
			{"tailpath export logs/ --table requests -o all.csv", "a table"},
			{"tailpath export logs/ -f openmetrics", "figures for Prometheus"},
		},
		more:  []string{"FORMAT is pprof, folded, perfetto, parquet, arrow, csv or openmetrics; tailpath", "help exports has all of them."},
		flags: slices.Concat([]string{"format", "output", "table", "request", "slowest", "engine", "at", "for", "bands"}, choosingFlags, readingFlags),
		run:   runExport,
	}
}

// specs returns the flags of a command as it has them: some have other formats than those of a
// document.
func (c command) specs() []flagSpec {
	list := specsOf(c.flags)
	if i := slices.IndexFunc(list, func(f flagSpec) bool { return f.name == "format" }); i >= 0 && c.also != "" {
		f := &list[i]
		f.choices = append(slices.Clip(documentFormats), c.also)
		f.about = strings.Join(f.choices[:len(f.choices)-1], ", ") + " or " + c.also
	}
	if c.formats == nil {
		return list
	}
	for i := range list {
		switch f := &list[i]; f.name {
		case "format":
			f.choices, f.value, f.about = c.formats, "FORMAT", "of the output (default: from -o)"
		case "table":
			f.choices = append(tableNames(), tableList)
		case "request":
			f.minor = false
		case "slowest", "incomplete", "errors": // help has a screen for all of them
			f.minor = true
		}
	}
	return list
}

// tableNames are the names of the tables, in the order in which they are written.
func tableNames() []string {
	var names []string
	for _, s := range table.Schemas() {
		names = append(names, s.Name)
	}
	return names
}

// asExported returns the format that the flags ask for.
func (p *program) asExported() (string, error) {
	if p.flags.format != "" {
		return p.flags.format, nil
	}
	var names []string
	base := strings.ToLower(filepath.Base(p.flags.output))
	for _, f := range exportFormats {
		names = append(names, f.name)
		if slices.ContainsFunc(f.ends, func(end string) bool { return strings.HasSuffix(base, end) }) {
			return f.name, nil
		}
	}
	return "", usage("export", "no format is named", "-f one of "+strings.Join(names, ", ")+", or -o with a name such as path.pb.gz or slow.json")
}

// exporter is one export: what it is of, and how it is written.
type exporter struct {
	*program
	format  string
	callers critical.Callers
}

func runExport(p *program, ctx context.Context, operands []string) error {
	if p.flags.table == tableList {
		return p.listTables()
	}
	e := &exporter{program: p}
	var err error
	if e.format, err = p.asExported(); err != nil {
		return err
	}
	if err := e.check(); err != nil {
		return err
	}
	if e.format == exportPprof || e.format == exportFolded {
		p.see = e.callers.Add
	}
	l, err := p.load(ctx, exportCommand(), operands, critical.Options{})
	if err != nil {
		return err
	}
	if l.set.Requests.Len() == 0 && !e.isTable() {
		return p.enough(l, 0)
	}
	switch e.format {
	case exportPprof, exportFolded:
		return e.paths(l)
	case exportPerfetto:
		return e.perfetto(l)
	case exportOpenMetrics:
		return e.openMetrics(l)
	}
	return e.table(l)
}

// seeing returns what is shown every request as it is built: note, and what the command asked for.
func (p *program) seeing(note func(*critical.Request)) func(*critical.Request) {
	if p.see == nil {
		return note
	}
	return func(r *critical.Request) {
		note(r)
		p.see(r)
	}
}

func (e *exporter) isTable() bool {
	return e.format == exportParquet || e.format == exportArrow || e.format == exportCSV
}

// check says which flags do not go together, before anything is read.
func (e *exporter) check() error {
	f := &e.flags
	for _, flag := range []struct {
		name  string
		given bool
		only  bool
		of    string
	}{
		{"--table", f.table != "", e.isTable(), "parquet, arrow and csv"},
		{"--request", f.request != "", e.format == exportPerfetto, exportPerfetto},
		{"--slowest", f.slowest > 0, e.format == exportPerfetto, exportPerfetto},
		{"--bands", f.bands != "", e.format == exportOpenMetrics, exportOpenMetrics},
		{"--engine", f.engine != "", e.format == exportPerfetto, exportPerfetto},
		{"--at", f.at != "", f.engine != "", "--engine"},
		{"--for", f.length != "", f.engine != "", "--engine"},
	} {
		if flag.given && !flag.only {
			return usage(flag.name, "is of "+flag.of+" alone", "leave it out, or see tailpath export --help")
		}
	}
	switch {
	case e.isTable():
		if err := e.checkTableName(); err != nil {
			return err
		}
	case e.format == exportPerfetto:
		if err := e.checkPerfetto(); err != nil {
			return err
		}
	}
	i := slices.IndexFunc(exportFormats, func(f exportFormat) bool { return f.name == e.format })
	if _, terminal := terminalOf(e.stdout); terminal && exportFormats[i].binary && (f.output == "" || f.output == stdioName) {
		return usage("export", e.format+" is no text, and standard output is a terminal", "write it to a file with -o, or pipe it on")
	}
	return nil
}

// deliver writes what fill writes to the output, and says what is in it.
func (e *exporter) deliver(l *loaded, what string, chosen bool, fill func(w io.Writer) error) error {
	if err := e.stage.write(); err != nil {
		return err
	}
	if err := e.writeWith(e.flags.output, fill); err != nil {
		return err
	}
	if e.flags.quiet {
		return nil
	}
	if chosen {
		if by := e.leftOutBy(l); by != "" {
			what += "; left out: " + by
		}
	}
	if e.flags.output != "" && e.flags.output != stdioName {
		fmt.Fprintf(e.stderr, "tailpath: wrote %s: %s\n", oneLine(e.flags.output), oneLine(what))
	} else if strings.Contains(what, "; left out: ") {
		fmt.Fprintf(e.stderr, "tailpath: %s\n", oneLine(what))
	}
	return nil
}

// chosen returns the rows of the requests that the flags choose, or why there are none.
func (e *exporter) chosen(l *loaded) ([]int32, error) {
	rows, _ := analyze.Chosen(l.set, e.choiceOf(l))
	return rows, e.enough(l, int64(len(rows)))
}

// paths exports the critical paths of the chosen requests as a profile or folded stacks.
func (e *exporter) paths(l *loaded) error {
	rows, err := e.chosen(l)
	if err != nil {
		return err
	}
	paths, err := export.Aggregate(l.set, &e.callers, rows)
	if err != nil {
		return failed(l.where(), err, "--where chooses requests")
	}
	return e.deliver(l, count(len(rows), "request"), true, func(w io.Writer) error {
		if e.format == exportFolded {
			return paths.WriteFolded(w)
		}
		comments := []string{"tailpath " + version(), strings.Join(e.commandLine(), " "), count(len(rows), "request")}
		if by := e.leftOutBy(l); by != "" {
			comments = append(comments, "left out: "+by)
		}
		return paths.WritePprof(w, comments...)
	})
}

// openMetrics exports the figures of the summary.
func (e *exporter) openMetrics(l *loaded) error {
	choice := e.choiceOf(l)
	choice.Engines = l.builder.Engines()
	s := analyze.Summarize(l.set, choice)
	if err := e.enough(l, s.Population.N); err != nil {
		return err
	}
	doc := e.document(l).Summary(s)
	return e.deliver(l, count(int(s.Population.N), "request"), true, func(w io.Writer) error { return openmetrics.Write(w, doc) })
}

// tableList is the value of --table that asks for the names of the tables.
const tableList = "list"

// listTables prints the names of the tables with what their rows are.
func (p *program) listTables() error {
	var out strings.Builder
	for _, s := range table.Schemas() {
		first, _, _ := strings.Cut(s.Doc, ". ")
		fmt.Fprintf(&out, "%-15s %s\n", s.Name, strings.TrimSuffix(first, "."))
	}
	return p.write(p.flags.output, []byte(out.String()))
}

// checkTableName says whether a table is named, and the flags can choose in it.
func (e *exporter) checkTableName() error {
	if e.flags.table == "" {
		return usage("export", "no table is named", "--table one of "+strings.Join(tableNames(), ", "))
	}
	if e.ofRequests() {
		return nil
	}
	return e.refuseChoice("--table "+e.flags.table, "has all rows", "leave it out; the tables requests and segments are of the chosen requests")
}

// ofRequests says whether the table has rows of requests, of which some can be chosen.
func (e *exporter) ofRequests() bool {
	return e.flags.table == table.RequestsSchema.Name || e.flags.table == table.SegmentsSchema.Name
}

// refuseChoice refuses the flags that choose requests where they would do nothing.
func (e *exporter) refuseChoice(where, what, hint string) error {
	f := &e.flags
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--where", len(f.where) > 0}, {"--since", f.since != ""}, {"--until", f.until != ""},
		{"--incomplete", f.incomplete != "exclude"}, {"--errors", f.errors != "exclude"},
	} {
		if flag.given {
			return usage(where, what+", and "+flag.name+" chooses among requests", hint)
		}
	}
	return nil
}

// table exports one table.
func (e *exporter) table(l *loaded) error {
	if e.ofRequests() {
		rows, err := e.chosen(l)
		if err != nil {
			return err
		}
		// What is left out is told before the table is cut.
		by := e.leftOutBy(l)
		l.set.KeepRequests(rows)
		what := count(len(rows), "request")
		if by != "" {
			what += "; left out: " + by
		}
		return e.writeTable(l, what)
	}
	t, _ := l.set.Table(e.flags.table)
	if t.Len() == 0 {
		return nothing(l.where(), "the table "+e.flags.table+" has no rows", "tailpath inspect says what was read")
	}
	return e.writeTable(l, count(t.Len(), "row"))
}

func (e *exporter) writeTable(l *loaded, what string) error {
	t, _ := l.set.Table(e.flags.table)
	write := map[string]func(io.Writer, *table.Set, *table.Rows) error{
		exportParquet: table.WriteParquet, exportArrow: table.WriteIPC, exportCSV: table.WriteCSV,
	}[e.format]
	return e.deliver(l, what, false, func(w io.Writer) error { return write(w, l.set, t) })
}
