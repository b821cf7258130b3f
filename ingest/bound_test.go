package ingest

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// longCapture is about 8 MB of lines of equal size, which can be compressed to a half.
var longCapture = func() []byte {
	var out bytes.Buffer
	random := rand.NewChaCha8([32]byte{})
	note := make([]byte, 1000)
	for i := range 2000 {
		random.Read(note)
		text := line(i, 8)
		out.WriteString(strings.Replace(text, `"stringValue":"r-`, `"stringValue":"`+hex.EncodeToString(note)+`-`, 1))
		out.WriteByte('\n')
	}
	return out.Bytes()
}()

// tooLarge returns the error of paths whose rows are too many.
func tooLarge(t *testing.T, opt Options, paths ...string) *TooLarge {
	t.Helper()
	_, _, _, err := Read(context.Background(), paths, opt)
	var e *TooLarge
	if !errors.As(err, &e) {
		t.Fatalf("read %v: %v", paths, err)
	}
	return e
}

// TestRowsThatWillBeTooManyAreRefusedEarly reads a capture whose rows take far more than the
// bound: reading ends after little of it, and says what the whole takes.
func TestRowsThatWillBeTooManyAreRefusedEarly(t *testing.T) {
	dir := t.TempDir()
	path, half := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "half")
	if err := os.MkdirAll(half, 0o755); err != nil {
		t.Fatal(err)
	}
	cut := bytes.LastIndexByte(longCapture[:len(longCapture)/2], '\n') + 1
	for name, data := range map[string][]byte{path: longCapture, filepath.Join(half, "1.jsonl"): longCapture[:cut], filepath.Join(half, "2.jsonl"): longCapture[cut:]} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	whole := read(t, Options{}, path).report.RowBytes
	for what, c := range map[string]struct {
		path    string
		workers int
		read    float64 // share of the input, at most
	}{
		"one worker":  {path, 1, 0.5},
		"two workers": {path, 2, 1},
		"two files":   {half, 1, 0.5},
		"gzip":        {file(t, "b.jsonl.gz", gzipOf(t, longCapture)), 1, 0.6},
		"zstd":        {file(t, "c.jsonl.zst", zstdOf(t, longCapture)), 1, 0.6},
	} {
		t.Run(what, func(t *testing.T) {
			opt := Options{Workers: c.workers, RowBytes: whole / 4}
			e := tooLarge(t, opt, c.path)
			if e.Bound != whole/4 || e.Total == 0 || float64(e.Read) > c.read*float64(e.Total) {
				t.Errorf("%+v of %d bytes of rows", *e, whole)
			}
			// What was read but not decoded makes the estimate a little low, never high.
			if e.Whole < e.Rows || e.Whole < e.Bound || e.Whole > whole*11/10 {
				t.Errorf("%+v of %d bytes of rows", *e, whole)
			}
			if again := tooLarge(t, opt, c.path); c.workers == 1 && *again != *e {
				t.Errorf("%+v, and again %+v", *e, *again)
			}
			if text := e.Error(); !strings.Contains(text, "the bound is") {
				t.Error(text)
			}
		})
	}
}

// TestRowsOfAStreamAreRefusedWhenTheyAreTooMany: of standard input the end is not known, so what
// is there counts alone.
func TestRowsOfAStreamAreRefusedWhenTheyAreTooMany(t *testing.T) {
	whole := read(t, Options{Stdin: bytes.NewReader(longCapture)}, "-").report.RowBytes
	for _, workers := range []int{1, 2} {
		e := tooLarge(t, Options{Stdin: bytes.NewReader(longCapture), Workers: workers, RowBytes: whole / 4}, "-")
		if e.Total != 0 || e.Whole != e.Rows || e.Rows <= whole/4 || e.Rows > whole/2 && workers == 1 {
			t.Errorf("%d workers: %+v of %d bytes of rows", workers, *e, whole)
		}
	}
}

// TestRowsWithinTheBoundAreTheSame: a bound that is not met changes nothing, for any reader.
func TestRowsWithinTheBoundAreTheSame(t *testing.T) {
	dir := t.TempDir()
	set := read(t, Options{}, file(t, "a.jsonl", longCapture[:bytes.IndexByte(longCapture, '\n')+1])).set
	if err := table.WriteDir(filepath.Join(dir, "run"), set); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"lines": file(t, "a.jsonl", longCapture), "tables": filepath.Join(dir, "run"), "log": file(t, "vllm.log", []byte(putOffLog)),
	} {
		for _, workers := range []int{1, 3} {
			want := read(t, Options{Workers: workers}, path)
			got := read(t, Options{Workers: workers, RowBytes: 1 << 40}, path)
			same(t, name, want, got)
			got = read(t, Options{Workers: workers, RowBytes: want.report.RowBytes * 2}, path)
			same(t, name+" with little room", want, got)
			tooLarge(t, Options{Workers: workers, RowBytes: want.report.RowBytes / 2}, path)
		}
	}
}

// TestKindsAreJudgedByThemselves: the rows of a compressed file say nothing of a file that is not.
func TestKindsAreJudgedByThemselves(t *testing.T) {
	dir := t.TempDir()
	packed := gzipOf(t, longCapture)
	rest := bytes.Repeat([]byte("2026-08-20 nothing of note\n"), 3*len(packed)/27) // three times its size, and no row
	for name, data := range map[string][]byte{"a.jsonl.gz": packed, "b.log": rest} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := read(t, Options{Workers: 1}, dir)
	same(t, "two kinds", want, read(t, Options{Workers: 1, RowBytes: want.report.RowBytes * 5 / 4}, dir))
}

// TestInputsThatAreNotReadWeighNothing: what was taken for rows of an input that turns out to be
// something else is given back.
func TestInputsThatAreNotReadWeighNothing(t *testing.T) {
	b := newBound(nil, Options{RowBytes: 100}, func(error) { t.Error("it was stopped") })
	for range 3 {
		g := &gauge{bound: b, kind: &tally{}}
		g.add(60)
		g.drop()
		if g.kind.rows.Load() != 0 {
			t.Error("its kind keeps rows")
		}
	}
	var none *gauge
	none.readMore(5)
	none.add(1 << 40)
	none.drop()
}

// TestABoundIsNoEndOfTheRun: that of the context is told as before.
func TestABoundIsNoEndOfTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := Read(ctx, []string{file(t, "a.jsonl", longCapture)}, Options{RowBytes: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
