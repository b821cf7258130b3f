package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// repository is the root of the module as tests see it from here.
const repository = "../.."

const modulePath = "github.com/tailpath/tailpath"

// mayImport is the order of the packages: each may import those named and no others
// of this module. Test files are free, because what they import ships nowhere.
var mayImport = map[string][]string{
	"ingest/table":              {},
	"ingest/discretion":         {},
	"ingest/otlp":               {"ingest/table", "ingest/discretion"},
	"ingest/tracefile":          {"ingest/table", "ingest/discretion"},
	"ingest/serverlog/line":     {"ingest/table"},
	"ingest/serverlog/match":    {"ingest/table"},
	"ingest/serverlog/format":   {"ingest/table", "ingest/serverlog/match"},
	"ingest/serverlog/template": {"ingest/serverlog/match", "ingest/serverlog/format"},
	"ingest/serverlog":          {"ingest/table", "ingest/serverlog/line", "ingest/serverlog/match", "ingest/serverlog/format"},
	"ingest":                    {"ingest/table", "ingest/otlp", "ingest/tracefile", "ingest/serverlog", "ingest/serverlog/format"},
	"ingest/store":              {"ingest/table"},
	"critical/stage":            {"ingest/table"},
	"critical/clock":            {"ingest/table"},
	"critical/join":             {"ingest/table"},
	"critical/chunk":            {"ingest/table"},
	"critical/engine":           {"ingest/table", "critical/stage", "critical/chunk"},
	"critical":                  {"ingest/table", "critical/stage", "critical/clock", "critical/join", "critical/chunk", "critical/engine"},
	"analyze/stat":              {},
	"analyze/tokens":            {"analyze/stat"},
	"analyze/curve":             {"analyze/stat"},
	"analyze/capacity":          {"analyze/stat"},
	"analyze/little":            {"analyze/stat"},
	"analyze/serving":           {"analyze/stat", "analyze/little"},
	"analyze/attribution":       {"analyze/stat"},
	"analyze/change":            {"analyze/stat"},
	"analyze/cohort":            {"analyze/stat"},
	"analyze/filter":            {},
	"analyze":                   {"ingest/table", "ingest/discretion", "critical/stage", "critical/clock", "critical/chunk", "critical/engine", "critical", "analyze/stat", "analyze/filter", "analyze/cohort", "analyze/change", "analyze/little", "analyze/attribution", "analyze/tokens", "analyze/curve", "analyze/capacity", "analyze/serving"},
	"reports":                   {"analyze/stat", "analyze", "analyze/cohort", "analyze/change", "analyze/attribution", "analyze/filter", "analyze/tokens", "analyze/curve", "analyze/capacity", "analyze/serving"},
	"reports/chart":             {},
	"reports/page":              {"reports", "reports/chart"},
	"reports/text":              {"reports", "reports/page"},
	"reports/markdown":          {"reports", "reports/page"},
	"reports/html":              {"reports", "reports/page", "reports/chart"},
	"reports/csv":               {"reports"},
	"reports/export":            {"ingest/table", "critical/stage", "critical/engine", "critical"}, // an engine for a while is one of the things it draws
	"reports/openmetrics":       {"reports"},
	"cmd/lab/simulate":          {"ingest/table"},
	"cmd/lab/logs":              {"cmd/lab/simulate"},
	"cmd/lab/plant":             {"ingest/table", "critical/stage", "critical", "analyze/stat"},
	"cmd/lab":                   {"*"},
	"cmd/tailpath":              {"*"},
}

// ban is an import that only some packages may have, and why.
type ban struct {
	importPath string   // and all below it
	but        []string // packages, or single files
	why        string
	tests      bool // in test files too
}

var bans = []ban{
	{"github.com/apache/" + "arrow", []string{"ingest/table"}, "everybody else sees typed column slices, so that the Arrow module can be replaced in one place", true},
	{"go.opentelemetry.io", []string{"ingest/otlp", "cmd/lab/simulate"}, "one package knows the wire format; the laboratory writes it by other means than it is read", false},
	{"github.com/spf13", []string{"cmd"}, "flags live under cmd", true},
	{"flag", []string{"cmd"}, "flags live under cmd", false},
	{"os/signal", []string{"cmd"}, "signals are for the program, not for a package", false},
	{"os/exec", []string{"cmd/tailpath/pager.go"}, "tailpath starts no program but the pager that TAILPATH_PAGER names", false},
	{"golang.org/x/term", []string{"cmd"}, "the terminal is known under cmd alone", false},
	{"github.com/mattn/go-isatty", nil, "golang.org/x/term is used instead", false},
	{"os", []string{"cmd", "ingest", "ingest/table", "ingest/store"}, "files are opened by ingest, which reads traces, and ingest/table and ingest/store, which keep tables; the rest gets values", false},
	{"net", nil, "tailpath is offline; net/netip parses addresses and no more", false},
	{"log", nil, "a package returns errors and counts issues; it does not print or exit", false},
	{"math/rand", []string{"cmd/lab", "analyze/stat"}, "the same bytes in are the same bytes out: analyze/stat alone resamples, with a PCG seeded by its caller", false},
	{"unsafe", []string{"ingest/table", "ingest/otlp", "ingest/serverlog/match"}, "only where text is borrowed from a buffer", false},
}

// uses that are banned outside cmd, because the same bytes in must be the same bytes
// out on any machine at any time.
var bannedUses = map[string]string{
	"time.Now": "now is passed in", "time.Since": "now is passed in", "time.Until": "now is passed in", "time.Local": "the zone of the machine is not data",
	"os.Getenv": "the environment is read under cmd", "os.LookupEnv": "the environment is read under cmd", "os.Environ": "the environment is read under cmd",
	"os.ExpandEnv": "the environment is read under cmd", "os.Hostname": "no host name goes into a report", "os.Args": "arguments are read under cmd",
	"os.Exit": "a package returns errors", "os.Stdin": "streams are passed in", "os.Stdout": "streams are passed in", "os.Stderr": "streams are passed in",
	"fmt.Print": "streams are passed in", "fmt.Println": "streams are passed in", "fmt.Printf": "streams are passed in",
}

// bannedNames say nothing about what is inside.
var bannedNames = []string{"util", "utils", "common", "helper", "helpers", "types", "models", "misc", "base", "lib"}

// topLevel is what the root of the repository may hold besides names with a dot in
// front.
var topLevel = []string{"cmd", "analyze", "ingest", "critical", "reports", "testdata", "go.mod", "go.sum", "README.md", "LICENSE"}

// maxLines is how long a source file may be: one idea fits.
const maxLines = 500

// source is one Go file of the repository.
type source struct {
	path    string // from the root, with slashes
	pkg     string // its directory
	test    bool
	lines   int
	imports []string
	file    *ast.File
	fset    *token.FileSet
}

// sources parses every Go file of the module.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(repository, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && (base == "testdata" || base != ".." && strings.HasPrefix(base, ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(base, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(repository, name)
		if err != nil {
			return err
		}
		s := source{path: filepath.ToSlash(rel), test: strings.HasSuffix(base, "_test.go"), lines: bytes.Count(text, []byte("\n")), fset: fset}
		s.pkg = path.Dir(s.path)
		if s.file, err = parser.ParseFile(fset, s.path, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return err
		}
		for _, spec := range s.file.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, to)
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no Go file was found")
	}
	return all
}

// layoutFaults returns every breach of the layout in some files.
func layoutFaults(files []source) (faults []string) {
	fail := func(s source, format string, args ...any) {
		faults = append(faults, s.path+": "+fmt.Sprintf(format, args...))
	}
	documented := map[string]bool{}
	for _, s := range files {
		if path.Base(s.path) == "doc.go" && s.file.Doc != nil {
			documented[s.pkg] = true
		}
	}
	for _, s := range files {
		if s.lines > maxLines {
			fail(s, "has %d lines, at most %d are wanted: split it", s.lines, maxLines)
		}
		for part := range strings.SplitSeq(s.pkg, "/") {
			if slices.Contains(bannedNames, part) {
				fail(s, "a package named %s says nothing about what is inside", part)
			}
		}
		allowed, known := mayImport[s.pkg]
		if !known {
			fail(s, "package %s has no place in the order of packages", s.pkg)
			continue
		}
		if !documented[s.pkg] {
			fail(s, "package %s has no doc.go with a package comment", s.pkg)
			documented[s.pkg] = true // say it once
		}
		for _, to := range s.imports {
			own, internal := strings.CutPrefix(to, modulePath+"/")
			if internal && !s.test && !slices.Contains(allowed, own) && !slices.Contains(allowed, "*") {
				fail(s, "imports %s; %s may import %v: data flows one way", own, s.pkg, allowed)
			}
			if internal && own == "cmd/tailpath" {
				fail(s, "imports a program")
			}
			for _, b := range bans {
				if (!s.test || b.tests) && below(to, b.importPath) && to != "net/netip" && !slices.ContainsFunc(b.but, func(p string) bool {
					return s.pkg == p || s.path == p || strings.HasPrefix(p, "cmd") && below(s.pkg, p)
				}) {
					fail(s, "imports %s: %s", to, b.why)
				}
			}
		}
		if !s.test && !below(s.pkg, "cmd") {
			ast.Inspect(s.file, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if from, ok := sel.X.(*ast.Ident); ok {
						if why, banned := bannedUses[from.Name+"."+sel.Sel.Name]; banned {
							fail(s, "line %d uses %s.%s: %s", s.fset.Position(sel.Pos()).Line, from.Name, sel.Sel.Name, why)
						}
					}
				}
				return true
			})
		}
	}
	return faults
}

// below says whether a path is a root or lies under it.
func below(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }

func TestLayout(t *testing.T) {
	for _, fault := range layoutFaults(sources(t)) {
		t.Error(fault)
	}
}

// TestLayoutFindsBreaches keeps the test above from passing whatever there is.
func TestLayoutFindsBreaches(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"critical/a.go", "package critical\nimport _ \"github.com/tailpath/tailpath/analyze\"", "data flows one way"},
		{"reports/text/a.go", "package text\nimport _ \"github.com/tailpath/tailpath/ingest/table\"", "data flows one way"},
		{"critical/a.go", "package critical\nimport _ \"github.com/apache/" + "arrow/go/v17/arrow\"", "Arrow module"},
		{"critical/a_test.go", "package critical\nimport _ \"github.com/apache/" + "arrow/go/v17/arrow\"", "Arrow module"},
		{"analyze/a.go", "package analyze\nimport _ \"net/http\"", "offline"},
		{"analyze/a.go", "package analyze\nimport \"os\"\nvar _ = os.Open", "files are opened by ingest"},
		{"ingest/a.go", "package ingest\nimport \"os\"\nvar _ = os.Getenv", "environment"},
		{"ingest/a.go", "package ingest\nimport \"time\"\nvar _ = time.Now", "now is passed in"},
		{"analyze/helpers/a.go", "package helpers", "says nothing"},
		{"analyze/other/a.go", "package other", "no place in the order"},
		{"analyze/stat/a.go", "package stat", "no doc.go"},
		{"analyze/stat/a.go", "package stat" + strings.Repeat("\n", maxLines+1), "split it"},
		{"cmd/tailpath/a.go", "package main\nimport _ \"os/exec\"", "no program but the pager"},
		{"cmd/lab/a.go", "package main\nimport _ \"github.com/tailpath/tailpath/cmd/tailpath\"", "imports a program"},
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, c.name, c.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		s := source{path: c.name, pkg: path.Dir(c.name), test: strings.HasSuffix(c.name, "_test.go"), lines: strings.Count(c.text, "\n"), file: file, fset: fset}
		for _, spec := range file.Imports {
			s.imports = append(s.imports, strings.Trim(spec.Path.Value, `"`))
		}
		if faults := strings.Join(layoutFaults([]source{s}), "\n"); !strings.Contains(faults, c.want) {
			t.Errorf("%s: %q gives %q, want %q", c.name, c.text, faults, c.want)
		}
	}
}

// TestTopLevel holds the root of the repository to its fixed entries. What .gitignore
// names there, such as a program that was built, is left alone.
func TestTopLevel(t *testing.T) {
	ignored, err := os.ReadFile(filepath.Join(repository, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := slices.Clone(topLevel)
	for line := range strings.Lines(string(ignored)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "/"); ok {
			allowed = append(allowed, name)
		}
	}
	entries, err := os.ReadDir(repository)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s does not belong at the top: put it under one of %v", e.Name(), topLevel)
		}
	}
	for _, name := range topLevel {
		if _, err := os.Stat(filepath.Join(repository, name)); err != nil {
			t.Errorf("%s is missing: %v", name, err)
		}
	}
}
