package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDirComesBackIdentical(t *testing.T) {
	tmp, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(tmp, strconv.Itoa(n))
		s := canonical(sets(6).Draw(t, "set"))
		if err := WriteDir(dir, s); err != nil {
			t.Fatal(err)
		}
		back, err := ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if d := identity(s, back); d != "" {
			t.Fatal(d)
		}
	})
}

// exampleSet is one fixed set with rows in every table.
func exampleSet() *Set {
	f := &filler{rnd: rand.New(rand.NewPCG(11, 1)), words: []string{"", "queue", "caf\xe9", "日本", "a|b"}}
	s := NewSet()
	for _, t := range s.Tables() {
		f.fill(s, t, 5)
	}
	return canonical(s)
}

func writeExample(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	if err := WriteDir(dir, exampleSet(), WithTool("tailpath test")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func dirBytes(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

func TestDirIsTheSameBytesOnAnyNumberOfProcessors(t *testing.T) {
	want := dirBytes(t, writeExample(t))
	if len(want) != len(Schemas())+1 {
		t.Errorf("%d files for %d tables and a manifest", len(want), len(Schemas()))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 3, 8} {
		runtime.GOMAXPROCS(n)
		for name, got := range dirBytes(t, writeExample(t)) {
			if got != want[name] {
				t.Errorf("on %d processors %s differs", n, name)
			}
		}
	}
}

func TestDirKeepsTheRules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, rules := range []string{"", "version: 1\nrules: [{id: \"a\", stage: queue}]\n"} {
		if err := WriteDir(dir, NewSet(), WithRules(rules)); err != nil {
			t.Fatal(err)
		}
		if got, err := DirRules(dir); err != nil || got != rules {
			t.Errorf("rules %q come back as %q, %v", rules, got, err)
		}
	}
}

func TestIsDir(t *testing.T) {
	dir := writeExample(t)
	if !IsDir(dir) {
		t.Error("what WriteDir wrote is not recognised")
	}
	if IsDir(filepath.Dir(dir)) || IsDir(filepath.Join(dir, "spans.parquet")) || IsDir(filepath.Join(dir, "none")) {
		t.Error("something else is recognised")
	}
}

func TestWriteDirReplacesItsOwnAndNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(dir string) error
		says    string
	}{
		"nothing there":   {func(string) error { return nil }, ""},
		"empty directory": {func(dir string) error { return os.Mkdir(dir, 0o777) }, ""},
		"tailpath directory": {func(dir string) error {
			s := NewSet()
			s.Quality.Grow()
			return WriteDir(dir, s)
		}, ""},
		"link to a tailpath directory": {func(dir string) error {
			if err := WriteDir(dir+"-real", NewSet()); err != nil {
				return err
			}
			return os.Symlink(dir+"-real", dir)
		}, ""},
		"a file": {func(dir string) error { return os.WriteFile(dir, []byte("x"), 0o666) }, "is no directory"},
		"another directory": {func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o666))
		}, "not a tailpath directory (it holds thesis.txt"},
		"with a stranger": {func(dir string) error {
			return errors.Join(WriteDir(dir, NewSet()), os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666))
		}, "it holds notes.txt, which tailpath did not write"},
		"with a subdirectory of a table's name": {func(dir string) error {
			return errors.Join(WriteDir(dir, NewSet()), os.Remove(filepath.Join(dir, "spans.parquet")), os.Mkdir(filepath.Join(dir, "spans.parquet"), 0o777))
		}, "it holds spans.parquet, which"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "out")
			if err := c.prepare(dir); err != nil {
				t.Fatal(err)
			}
			s := exampleSet()
			err := WriteDir(dir, s)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), dir) {
					t.Fatalf("error is %v, which does not say %q", err, c.says)
				}
			} else if err != nil {
				t.Fatal(err)
			} else if back, err := ReadDir(dir); err != nil {
				t.Fatal(err)
			} else if d := identity(s, back); d != "" {
				t.Fatal(d)
			}
			assertNoRemains(t, parent)
		})
	}
	if err := WriteDir("", NewSet()); err == nil {
		t.Error("a directory without a name is written")
	}
	if err := WriteDir(filepath.Join(t.TempDir(), "no", "parent"), NewSet()); err == nil {
		t.Error("a directory is written where its parent is missing")
	}
}

// assertNoRemains fails if a temporary directory is left.
func assertNoRemains(t *testing.T, parent string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(parent, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// fullDisk is a file on a disk with room for so many more bytes.
type fullDisk struct {
	*os.File
	room *int
	err  error
}

func (f fullDisk) Write(p []byte) (int, error) {
	if len(p) > *f.room {
		n, _ := f.File.Write(p[:*f.room])
		*f.room = 0
		return n, f.err
	}
	*f.room -= len(p)
	return f.File.Write(p)
}

func (f fullDisk) Sync() error {
	if *f.room == 0 {
		return f.err
	}
	return f.File.Sync()
}

func TestFullDiskLeavesWhatWasThere(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	old := NewSet()
	old.Quality.Grow()
	old = canonical(old)
	if err := WriteDir(dir, old); err != nil {
		t.Fatal(err)
	}
	before := dirBytes(t, dir)
	s := exampleSet()
	total := 0
	for _, content := range dirBytes(t, writeExample(t)) {
		total += len(content)
	}
	full := errors.New("no space left on device")
	for room := 0; room < total-len("tailpath test"); room += 997 {
		left := room
		w := dirWriter{rename: os.Rename, create: func(path string) (syncedFile, error) {
			f, err := os.Create(path)
			return fullDisk{f, &left, full}, err
		}}
		if err := w.write(dir, s); !errors.Is(err, full) {
			t.Fatalf("with room for %d of %d bytes the error is %v", room, total, err)
		}
		assertNoRemains(t, parent)
	}
	for name, got := range dirBytes(t, dir) {
		if got != before[name] {
			t.Errorf("%s has changed", name)
		}
	}
}

// unsyncedFile is a file of which the disk says too late that it is full.
type unsyncedFile struct{ *os.File }

var errLate = errors.New("disk full after all")

func (unsyncedFile) Sync() error { return errLate }

func TestFailedSyncAndRenameLeaveWhatWasThere(t *testing.T) {
	broken := errors.New("renames are broken")
	unsynced := func(path string) (syncedFile, error) {
		f, err := os.Create(path)
		return unsyncedFile{f}, err
	}
	// failing makes the renames of these numbers fail.
	failing := func(numbers ...int) func(from, to string) error {
		n := 0
		return func(from, to string) error {
			if n++; slices.Contains(numbers, n) {
				return broken
			}
			return os.Rename(from, to)
		}
	}
	for name, c := range map[string]struct {
		w    dirWriter
		want error
		lost bool
	}{
		"sync":                 {dirWriter{create: unsynced, rename: os.Rename}, errLate, false},
		"setting aside":        {dirWriter{create: createFile, rename: failing(1)}, broken, false},
		"putting in place":     {dirWriter{create: createFile, rename: failing(2)}, broken, false},
		"putting back as well": {dirWriter{create: createFile, rename: failing(2, 3)}, broken, true},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "out")
			if err := WriteDir(dir, NewSet()); err != nil {
				t.Fatal(err)
			}
			before := dirBytes(t, dir)
			err := c.w.write(dir, exampleSet())
			if !errors.Is(err, c.want) {
				t.Fatalf("error is %v, not %v", err, c.want)
			}
			if !c.lost {
				assertNoRemains(t, parent)
			} else if dir = err.Error()[strings.LastIndex(err.Error(), " is now ")+len(" is now "):]; !IsDir(dir) {
				t.Fatalf("error %q does not say where the old directory is", err)
			}
			if got := dirBytes(t, dir); !maps.Equal(got, before) {
				t.Error("what was there has changed")
			}
		})
	}
}

func TestReadDirNamesTheDamage(t *testing.T) {
	edit := func(name string, change func(b []byte) []byte) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, change(b), 0o666)
		}
	}
	remove := func(name string) func(dir string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
	}
	replace := func(from, to string) func(b []byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte(from), []byte(to), 1) }
	}
	for name, c := range map[string]struct {
		damage func(dir string) error
		says   []string
	}{
		"no manifest":      {remove("tailpath.json"), []string{"is not a tailpath directory", "tailpath.json"}},
		"missing table":    {remove("logs.parquet"), []string{"logs.parquet is missing", "anew"}},
		"cut short":        {edit("spans.parquet", func(b []byte) []byte { return b[:len(b)-1] }), []string{"spans.parquet has", "cut short", "anew"}},
		"changed byte":     {edit("spans.parquet", func(b []byte) []byte { b[len(b)/2] ^= 4; return b }), []string{"spans.parquet is damaged", "SHA-256", "anew"}},
		"not JSON":         {edit("tailpath.json", func(b []byte) []byte { return b[:20] }), []string{"tailpath.json is damaged", "anew"}},
		"other format":     {edit("tailpath.json", replace(fmt.Sprintf(`"format": %d`, Format), `"format": 7`)), []string{"has format 7", `written by "tailpath test"`, fmt.Sprintf("reads format %d", Format)}},
		"unlisted table":   {edit("tailpath.json", replace(`"name": "logs"`, `"name": "lags"`)), []string{"tailpath.json is damaged", `"lags"`}},
		"path in manifest": {edit("tailpath.json", replace(`"file": "logs.parquet"`, `"file": "../logs.parquet"`)), []string{"tailpath.json is damaged"}},
		"fewer tables": {edit("tailpath.json", func(b []byte) []byte {
			var m manifest
			_ = json.Unmarshal(b, &m)
			m.Tables = m.Tables[:3]
			b, _ = m.encode()
			return b
		}), []string{"lists 3 tables"}},
		"other rows": {edit("tailpath.json", replace(`"rows": 5`, `"rows": 6`)), []string{"scopes.parquet has 5 rows", "says 6"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeExample(t)
			if err := c.damage(dir); err != nil {
				t.Fatal(err)
			}
			_, err := ReadDir(dir)
			if err == nil {
				t.Fatal("it is read")
			}
			for _, s := range append(c.says, dir) {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("error %q does not say %q", err, s)
				}
			}
		})
	}
}
