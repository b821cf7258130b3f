package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeTables(t *testing.T, dir string, r result) {
	t.Helper()
	r.account.WriteTo(r.set)
	if err := table.WriteDir(dir, r.set); err != nil {
		t.Fatal(err)
	}
}

// A directory into which its own tables were written comes to the same rows as before.
func TestOwnTablesAreNotReadTwice(t *testing.T) {
	for _, workers := range []int{1, 3} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.json"), line(1, 3))
		write(t, filepath.Join(dir, "sub", "b.json"), line(2, 2))
		raw := read(t, Options{Workers: workers}, dir)
		tables := filepath.Join(dir, "sub", "tables")
		writeTables(t, tables, read(t, Options{}, dir))

		got := read(t, Options{Workers: workers}, dir)
		diff(t, "difference", "", table.Difference(raw.set, got.set))
		diff(t, "report", raw.report, got.report)
		diff(t, "issues", []string{"input-tables-passed-over=1"}, got.issues())
		if e := got.account.Entries()[0]; e.First.Source != tables || e.Severity != table.Warning {
			t.Errorf("%+v", e)
		}
		named := filepath.Join(dir, "sub", "b.json")
		same(t, "order of paths", read(t, Options{}, named, dir), read(t, Options{}, dir, named))

		// Named, they are read whatever lies around them.
		got = read(t, Options{Workers: workers}, dir, tables)
		diff(t, "issues", []string{"input-named-twice=1"}, got.issues())
		diff(t, "spans", 10, got.set.Spans.Len())
	}
}

// Tables beside what is no telemetry are all there is, so they are read.
func TestTablesAloneAreRead(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "notes.txt"), "12:00:00 the incident")
	writeTables(t, filepath.Join(dir, "run"), read(t, Options{}, file(t, "x", []byte(line(1, 3)))))
	got := read(t, Options{}, dir)
	diff(t, "issues", []string{"input-skipped=1"}, got.issues())
	diff(t, "spans", 3, got.set.Spans.Len())
}

// A file that happens to be called like the manifest is a file like any other.
func TestForeignManifestIsAFile(t *testing.T) {
	for _, text := range []string{`{"name":"mine"}`, "not JSON", "", `[]`, `{"format":0,"tables":[]}`, `{"format":1,"tables":{}}`, `{"format":"1","tables":[]}`, `{"tables":[],"format":1}`, line(9, 1)} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "tailpath.json"), text)
		write(t, filepath.Join(dir, "a.json"), line(1, 3))
		if table.IsDir(dir) {
			t.Errorf("%s makes a directory of tables", text)
		}
		got := read(t, Options{}, dir)
		want := 3
		if strings.Contains(text, "resourceSpans") {
			want = 4
		}
		if got.set.Spans.Len() != want || len(got.report.Inputs) != 2 {
			t.Errorf("%s: %d spans of %d inputs, issues %v", text, got.set.Spans.Len(), len(got.report.Inputs), got.issues())
		}
	}
	for _, text := range []string{`{"format":1,"tool":"x","tables":[`, `{"format":99,"tables":[{"name":"spans"}]}`} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "tailpath.json"), text)
		if !table.IsDir(dir) {
			t.Errorf("%s is taken for a file of someone else", text)
		}
	}
}

// What else lies in a directory of tables is counted, and changes neither its size nor
// its hash.
func TestOtherFilesAmongTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeTables(t, dir, read(t, Options{}, file(t, "x", []byte(line(1, 3)))))
	want := read(t, Options{}, dir)
	write(t, filepath.Join(dir, "more.json"), line(2, 2))
	write(t, filepath.Join(dir, "sub", "deep.json"), line(3, 2))
	write(t, filepath.Join(dir, ".hidden"), "x")
	got := read(t, Options{}, dir)
	diff(t, "report", want.report, got.report)
	diff(t, "issues", []string{"input-skipped=2"}, got.issues())
	diff(t, "spans", 3, got.set.Spans.Len())
}

// NUL bytes behind gzip are padding; anything else there is a loss, as is a cut member.
func TestBehindGzip(t *testing.T) {
	whole, second := gzipOf(t, []byte(line(1, 2)+"\n")), gzipOf(t, []byte(line(2, 3)+"\n"))
	pad := bytes.Repeat([]byte{0}, 300<<10)
	for _, tc := range []struct {
		name   string
		parts  [][]byte
		spans  int
		issues []string
	}{
		{"padding", [][]byte{whole, pad}, 2, nil},
		{"one NUL", [][]byte{whole, {0}}, 2, nil},
		{"padding between members", [][]byte{whole, pad, second, pad}, 5, nil},
		{"text", [][]byte{whole, []byte("garbage")}, 2, []string{"input-cut-compression=1"}},
		{"text behind padding", [][]byte{whole, pad, []byte("garbage")}, 2, []string{"input-cut-compression=1"}},
		{"cut header", [][]byte{whole, second[:6]}, 2, []string{"input-cut-compression=1"}},
		{"one byte of a header", [][]byte{whole, second[:1]}, 2, []string{"input-cut-compression=1"}},
	} {
		data := bytes.Join(tc.parts, nil)
		got := read(t, Options{}, file(t, "x", data))
		diff(t, tc.name, tc.issues, got.issues())
		if in := got.report.Inputs[0]; got.set.Spans.Len() != tc.spans || in.Bytes != int64(len(data)) {
			t.Errorf("%s: %d spans, %+v", tc.name, got.set.Spans.Len(), in)
		}
	}
}
