package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// baseNames are those of the inputs that were passed over.
func baseNames(inputs []Input) (out []string) {
	for _, in := range inputs {
		out = append(out, filepath.Base(in.Name))
	}
	return out
}

// TestKnownInputsArePassedOver: what is known by its bytes gives no row, whatever its name is and
// wherever it comes from; bytes that come twice are read once.
func TestKnownInputsArePassedOver(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, other := line(1, 1), line(2, 1)
	first := write("first.json", one)
	read := func(known map[string]bool, opt Options, paths ...string) (*table.Set, *Report) {
		t.Helper()
		opt.Known = func(sum string) bool { return known[sum] }
		set, _, report, err := Read(t.Context(), paths, opt)
		if err != nil {
			t.Fatal(err)
		}
		return set, report
	}
	set, report := read(nil, Options{}, first)
	if set.Spans.Len() != 1 || len(report.Known) != 0 {
		t.Fatalf("%d spans, known %v", set.Spans.Len(), baseNames(report.Known))
	}
	known := map[string]bool{report.Inputs[0].SHA256: true}
	copied, fresh := write("copied.json", one), write("fresh.json", other)
	again := write("again.json", other)
	write("sub/raw.json", one)
	tables := filepath.Join(dir, "sub", "run")
	if err := table.WriteDir(tables, set); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		about string
		opt   Options
		paths []string
		spans int
		known []string
	}{
		{"all is known", Options{}, []string{first, copied}, 0, []string{"copied.json", "first.json"}},
		{"some is known", Options{}, []string{copied, fresh}, 1, []string{"copied.json"}},
		{"the same bytes twice", Options{}, []string{again, fresh}, 1, []string{"fresh.json"}},
		{"standard input", Options{Stdin: bytes.NewReader([]byte(one))}, []string{"-"}, 0, []string{"-"}},
		{"standard input that is new", Options{Stdin: bytes.NewReader([]byte(other))}, []string{"-", first}, 1, []string{"first.json"}},
		{"standard input like a file", Options{Stdin: bytes.NewReader([]byte(other))}, []string{"-", fresh}, 1, []string{"fresh.json"}},
		{"tables beside what they were made of", Options{}, []string{filepath.Join(dir, "sub")}, 0, []string{"raw.json"}},
	} {
		for _, workers := range []int{1, 4} {
			if c.opt.Stdin != nil && workers > 1 {
				continue // it can be read once
			}
			c.opt.Workers = workers
			set, report := read(known, c.opt, c.paths...)
			if set.Spans.Len() != c.spans || !slices.Equal(baseNames(report.Known), c.known) {
				t.Errorf("%s: %d spans and known %v, want %d and %v", c.about, set.Spans.Len(), baseNames(report.Known), c.spans, c.known)
			}
			for _, in := range report.Inputs {
				if known[in.SHA256] {
					t.Errorf("%s: %s is among the inputs", c.about, in.Name)
				}
			}
		}
	}
}

// TestKnownTables: a directory of tables is known by its own bytes.
func TestKnownTables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(file, []byte(line(1, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	set, _, _, err := Read(t.Context(), []string{file}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := table.WriteDir(dir, set); err != nil {
		t.Fatal(err)
	}
	_, _, report, err := Read(t.Context(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum := report.Inputs[0].SHA256
	set, _, report, err = Read(t.Context(), []string{dir}, Options{Known: func(s string) bool { return s == sum }})
	if err != nil || set.Spans.Len() != 0 || len(report.Known) != 1 {
		t.Errorf("%d spans, known %v, %v", set.Spans.Len(), report.Known, err)
	}
}

// TestHashingIsProgress: that a file is read twice, to know it and then for its rows, is told as
// it goes on, and no less is read than was told to come.
func TestHashingIsProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	text := line(1, 1)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	size := int64(len(text))
	sum := ""
	for _, c := range []struct {
		about string
		known func(string) bool
		want  []int64 // read, and to come
	}{
		{"fresh", func(string) bool { return false }, []int64{2 * size, 2 * size}},
		{"known", func(s string) bool { return s == sum }, []int64{size, 0}},
		{"no store", nil, []int64{size, size}},
	} {
		var done atomic.Int64
		total := int64(-1)
		_, _, report, err := Read(t.Context(), []string{path}, Options{
			Known: c.known, Progress: func(n int64) { done.Add(n) }, Total: func(n int64) { total = n },
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Inputs) > 0 {
			sum = report.Inputs[0].SHA256
		}
		if got := []int64{done.Load(), total}; !slices.Equal(got, c.want) {
			t.Errorf("%s: read and to come %v, want %v", c.about, got, c.want)
		}
	}
}
