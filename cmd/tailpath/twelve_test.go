package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tailpath/tailpath/reports"
	reportpage "github.com/tailpath/tailpath/reports/page"
)

// TestTwelveChecksAreNamed sees that the script of the twelve checks has all of them, each with
// something that runs, and that the tests it names are there.
func TestTwelveChecksAreNamed(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("testdata", "script", "twelve.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(script), "\n-- ")
	blocks := regexp.MustCompile(`(?m)^# (\d+)\. `).FindAllStringSubmatchIndex(text, -1)
	if len(blocks) != 12 {
		t.Fatalf("the script has %d numbered checks", len(blocks))
	}
	for i, at := range blocks {
		end := len(text)
		if i+1 < len(blocks) {
			end = blocks[i+1][0]
		}
		if number := text[at[2]:at[3]]; number != strconv.Itoa(i+1) {
			t.Errorf("check %d has the number %s", i+1, number)
		}
		if !regexp.MustCompile(`(?m)^(exec|exits) `).MatchString(text[at[0]:end]) {
			t.Errorf("check %d runs nothing", i+1)
		}
	}
	named := regexp.MustCompile(`(?m)^# go: (\S+) (.+)$`).FindAllStringSubmatch(text, -1)
	if len(named) < 12 {
		t.Fatalf("the script names tests in %d lines", len(named))
	}
	sources := map[string]string{} // of the tests of a package
	for _, line := range named {
		dir := line[1]
		if _, read := sources[dir]; !read {
			files, err := filepath.Glob(filepath.Join(repository, filepath.FromSlash(dir), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range files {
				source, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				sources[dir] += string(source)
			}
		}
		for _, name := range strings.Fields(line[2]) {
			if !strings.Contains(sources[dir], "\nfunc "+name+"(t *testing.T) {") {
				t.Errorf("%s has no %s", dir, name)
			}
		}
	}
}

// TestRenderIsTheRunItself draws the document of every command later, in every format, and wants
// the bytes of the run that draws at once; the JSON satisfies the schema. The command line, which
// documents hold and which names the format, is the one thing that has to be made equal.
func TestRenderIsTheRunItself(t *testing.T) {
	inRepository(t)
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(reports.SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("document.json", schema); err != nil {
		t.Fatal(err)
	}
	valid, err := compiler.Compile("document.json")
	if err != nil {
		t.Fatal(err)
	}
	small, kept := "cmd/tailpath/testdata/small/traces.jsonl", filepath.Join(t.TempDir(), "kept.json")
	for _, args := range [][]string{
		{"inspect", small}, {"summary", small, "--slo", "p50(e2e) < 1s", "--by", "host"}, {"explain", small, "--slowest", "2"}, {"queue", small},
		{"capacity", small, "--slo", "p50(e2e) < 1s"}, {"compare", small, small}, {"report", small}, {"report", small, "--kind", "postmortem"},
		{"report", scenario("queue-buildup"), "--slo", "p99(e2e) < 2s"},
	} {
		formats := documentFormats
		if args[1] != small {
			formats = []string{formatText, formatHTML}
		}
		told := mustRun(t, append(args, "-f", formatJSON)...)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(told))
		if err != nil {
			t.Fatal(err)
		}
		if err := valid.Validate(value); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		doc, err := reports.ReadJSON(strings.NewReader(told))
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range formats {
			direct := mustRun(t, append(args, "-f", format)...)
			doc.Command[len(doc.Command)-1] = format
			var text bytes.Buffer
			if err := reports.WriteJSON(&text, doc); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(kept, text.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			if later := mustRun(t, "render", kept, "-f", format); later != direct {
				t.Errorf("%v as %s (-run +render):\n%s", args, format, cmp.Diff(direct, later))
			}
		}
	}
}

// weeklyReports are the reports of the scenarios, made once for all tests that look at them.
var weeklyReports = map[string]string{}

// weekly returns the report of a scenario as JSON.
func weekly(t *testing.T, name string) string {
	t.Helper()
	if weeklyReports[name] == "" {
		weeklyReports[name] = mustRun(t, "report", "-f", "json", scenario(name))
	}
	return weeklyReports[name]
}

// TestReportIsTheSameHoweverItIsRead reads a scenario as files in another order by way of ingested
// tables.
func TestReportIsTheSameHoweverItIsRead(t *testing.T) {
	inRepository(t)
	files := telemetry(t, "slow-prefill")
	slices.Reverse(files)
	dir := filepath.Join(t.TempDir(), "run")
	mustRun(t, append([]string{"ingest", "-q", "--jobs", "16", "-o", dir}, files...)...)
	checks := regexp.MustCompile(`"check": ".*"`) // they name the input
	want := checks.ReplaceAllString(weekly(t, "slow-prefill"), `"check": ""`)
	sameButInputs(t, "ingested", want, checks.ReplaceAllString(mustRun(t, "report", "-f", "json", "--jobs", "1", dir), `"check": ""`))
}

// TestReportHeadlinesNameThePlantedCause wants in the headline of a report what that of the
// summary names.
func TestReportHeadlinesNameThePlantedCause(t *testing.T) {
	inRepository(t)
	for _, name := range scenarios {
		d, err := reports.ReadJSON(strings.NewReader(weekly(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(d.Headline, "; "+headlines[name]) {
			t.Errorf("%s: %q, want %q", name, d.Headline, headlines[name])
		}
	}
}

// TestWrittenColumnsAddUp adds up every column of every table that ends in a total, or in a mean
// of the request, as it is written.
func TestWrittenColumnsAddUp(t *testing.T) {
	inRepository(t)
	var docs []reports.Document
	for _, name := range scenarios {
		d, err := reports.ReadJSON(strings.NewReader(weekly(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	for _, args := range [][]string{{"summary"}, {"queue"}, {"explain", "--slowest", "3"}, {"report", "--kind", "postmortem"}, {"compare", "--force", scenario("healthy")}} {
		docs = append(docs, document(t, append(args, scenario("queue-buildup"))...))
	}
	columns := map[string]int{} // that were added up, by unit
	for _, d := range docs {
		for _, s := range reportpage.Of(d, reportpage.Options{Verbose: true}).Sections {
			for _, block := range s.Blocks {
				if table, ok := block.(reportpage.Table); ok {
					addUp(t, strings.Join(d.Command, " ")+": "+table.ID, table, columns)
				}
			}
		}
	}
	if columns["%"] < 20 || columns["time"] < 50 {
		t.Errorf("no more columns were added up than %v", columns)
	}
}

// addUp checks the columns of one table.
func addUp(t *testing.T, what string, table reportpage.Table, columns map[string]int) {
	t.Helper()
	end := slices.IndexFunc(table.Rows, func(row []string) bool { return row[0] == "total" || row[0] == "mean" })
	if end < 1 {
		return
	}
	for k := 1; k < len(table.Columns); k++ {
		want, exact, ok := written(table.Rows[end][k])
		if !ok || table.Columns[k].Text {
			continue
		}
		sum, slack, parts := 0.0, 0.0, 0
		for _, row := range table.Rows[:end] {
			v, whole, ok := written(row[k])
			if strings.HasPrefix(row[0], " ") || !ok { // a part of the row above
				continue
			}
			if !whole {
				slack++
			}
			sum, parts = sum+v, parts+1
		}
		if parts == 0 {
			continue
		}
		unit := "time"
		if strings.Contains(table.Columns[k].Head, "%") {
			unit = "%"
		}
		columns[unit]++
		if !exact {
			slack++
		}
		if off := max(sum-want, want-sum); off > slack+1e-6 {
			t.Errorf("%s, column %q: the parts are %v and the total is %s", what, table.Columns[k].Head, sum, table.Rows[end][k])
		}
	}
}

// written reads a cell; exact is false of one that says no more than "<1".
func written(cell string) (v float64, exact, ok bool) {
	text := strings.TrimPrefix(strings.ReplaceAll(cell, ",", ""), "+")
	if strings.TrimPrefix(text, "-") == "<1" {
		return 0, false, true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, true, err == nil
}

// TestFlagsOfOutputDoWhatHelpSays compares each format with and without the flags that are about
// how a document is written, against the table that help output shows.
func TestFlagsOfOutputDoWhatHelpSays(t *testing.T) {
	inRepository(t)
	help := mustRun(t, "help", "output")
	if !strings.Contains(help, flagsOfOutput) {
		t.Error("help output does not have the table")
	}
	name := scenario("queue-buildup")
	// The command line is in most formats, so that it is taken out by drawing a document.
	kept := filepath.Join(t.TempDir(), "kept.json")
	mustRun(t, "queue", name, "-o", kept)
	plain := map[string]string{}
	for _, format := range documentFormats {
		plain[format] = mustRun(t, "render", kept, "-f", format)
	}
	lines := strings.Split(strings.TrimSuffix(flagsOfOutput, "\n"), "\n")
	heads := strings.Fields(lines[0])
	if !slices.Equal(heads, documentFormats) {
		t.Fatalf("the table is of %v", heads)
	}
	for _, line := range lines[1:] {
		flag, cells, ok := strings.Cut(strings.TrimSpace(line), "  ")
		words := strings.Fields(cells)
		if !ok || len(words) != len(heads) {
			t.Fatalf("%q", line)
		}
		for i, format := range heads {
			args := append([]string{"render", kept, "-f", format}, strings.Fields(flag)...)
			code, got, stderr := tailpath(nil, args...)
			is := map[bool]string{true: "yes", false: "same"}[got != plain[format]]
			if code != exitDone {
				is = "error"
			}
			if is != words[i] {
				t.Errorf("%v: %q, help says %q; exit %d, %s", args, is, words[i], code, stderr)
			}
		}
	}
}
