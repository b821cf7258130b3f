package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tailpath/tailpath/ingest/table"
)

func TestDirectory(t *testing.T) {
	got := read(t, Options{}, "testdata/tree")
	diff(t, "issues", []string{"input-skipped=1", "otlp-bad-span=1", "otlp-foreign-id=2", "otlp-text-left-out=1"}, got.issues())
	if got.set.Spans.Len() != 2 || got.set.Logs.Len() != 1 || got.set.SpanEvents.Len() != 1 {
		t.Fatalf("%d spans, %d logs", got.set.Spans.Len(), got.set.Logs.Len())
	}
	diff(t, "both encodings are one trace", got.set.Spans.TraceID[0], got.set.Spans.TraceID[1])
	data, err := os.ReadFile("testdata/tree/vllm.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	var names []string
	for _, in := range got.report.Inputs {
		names = append(names, in.Name)
	}
	diff(t, "inputs", []string{"testdata/tree/access.txt", "testdata/tree/sub/gateway.jsonl", "testdata/tree/vllm.json"}, names)
	diff(t, "pretty document", Input{Name: "testdata/tree/vllm.json", Format: "OTLP JSON", Bytes: int64(len(data)), Decompressed: int64(len(data)),
		SHA256: hex.EncodeToString(sum[:]), Documents: 1, Spans: 1}, got.report.Inputs[2])
	lines := got.report.Inputs[1]
	if lines.Format != "OTLP JSON lines" || lines.Documents != 3 || lines.Spans != 1 || lines.Logs != 1 || lines.BadSpans != 1 || lines.Bad != 1 || lines.Faults[0].At.Line != 2 {
		t.Errorf("%+v", lines)
	}
	if p := got.report.Inputs[0].Problem; p == nil || !strings.Contains(p.What, "access log") {
		t.Errorf("%v", p)
	}
	if got.set.Symbols.Text(got.set.Spans.Source[0]) != "testdata/tree/sub/gateway.jsonl" {
		t.Errorf("source %q", got.set.Symbols.Text(got.set.Spans.Source[0]))
	}
}

func TestPatternsAndNamesTwice(t *testing.T) {
	want := read(t, Options{}, "testdata/tree/vllm.json", "testdata/tree/sub/gateway.jsonl")
	got := read(t, Options{}, "testdata/tree/*.json", "testdata/tree/sub/*")
	same(t, "pattern", want, got)
	got = read(t, Options{}, "testdata/tree/vllm.json", "testdata/tree/sub", "./testdata/tree/../tree/vllm.json", "testdata/tree/sub/gateway.jsonl")
	diff(t, "issues", []string{"input-named-twice=2", "otlp-bad-span=1", "otlp-foreign-id=2", "otlp-text-left-out=1"}, got.issues())
	if got.set.Spans.Len() != 2 || len(got.report.Inputs) != 2 {
		t.Errorf("%d spans of %d inputs", got.set.Spans.Len(), len(got.report.Inputs))
	}
}

func TestCopiesAreToldOf(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(line(1, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, Options{}, dir)
	diff(t, "issues", []string{"input-same-bytes=1"}, got.issues())
	if got.set.Spans.Len() != 2 {
		t.Errorf("%d spans", got.set.Spans.Len())
	}
}

func TestStdin(t *testing.T) {
	data := line(1, 3) + "\n"
	got := read(t, Options{Stdin: strings.NewReader(data)}, "-")
	if got.set.Spans.Len() != 3 || got.report.Inputs[0].Name != "-" || got.report.Inputs[0].Bytes != int64(len(data)) {
		t.Errorf("%+v", got.report.Inputs[0])
	}
	if e := refuse(t, Options{}, "-"); e.Where != "-" {
		t.Error(e)
	}
}

func TestProgressAddsUpToTotal(t *testing.T) {
	var sum, total atomic.Int64
	read(t, Options{Total: total.Store, Progress: func(n int64) { sum.Add(n) }}, "testdata/tree")
	var want int64
	for _, name := range []string{"vllm.json", "sub/gateway.jsonl", "access.txt"} {
		info, err := os.Stat(filepath.Join("testdata/tree", name))
		if err != nil {
			t.Fatal(err)
		}
		want += info.Size()
	}
	diff(t, "total", want, total.Load())
	diff(t, "progress", want, sum.Load())
}

// Every form and compression of the same documents comes to the same rows.
func TestCompressions(t *testing.T) {
	first, second := []byte(line(1, 5)+"\n"), []byte(line(2, 5)+"\n")
	both := append(append([]byte{}, first...), second...)
	for name, tc := range map[string]struct {
		data        []byte
		format      string
		compression string
	}{
		"plain":              {both, "OTLP JSON lines", ""},
		"gzip":               {gzipOf(t, both), "OTLP JSON lines", "gzip"},
		"two gzip members":   {append(gzipOf(t, first), gzipOf(t, second)...), "OTLP JSON lines", "gzip"},
		"zstd":               {zstdOf(t, both), "OTLP JSON lines", "zstd"},
		"two zstd frames":    {append(zstdOf(t, first), zstdOf(t, second)...), "OTLP JSON lines", "zstd"},
		"skippable and zstd": {append([]byte("\x50\x2a\x4d\x18\x02\x00\x00\x00xx"), zstdOf(t, both)...), "OTLP JSON lines", "zstd"},
		"zstd in gzip":       {gzipOf(t, zstdOf(t, both)), "OTLP JSON lines", "gzip, zstd"},
		"frames":             {append(frame(first), frame(second)...), "OTLP JSON, length-prefixed", ""},
		"zstd frames":        {append(frame(zstdOf(t, first)), frame(zstdOf(t, second))...), "OTLP JSON, length-prefixed, zstd per message", ""},
		"frames in zstd":     {zstdOf(t, append(frame(first), frame(second)...)), "OTLP JSON, length-prefixed", "zstd"},
		"array":              {[]byte("[" + line(1, 5) + ",\n" + line(2, 5) + "]"), "OTLP JSON", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "misleading.png", tc.data)
			got := read(t, Options{Workers: 2}, path)
			in := got.report.Inputs[0]
			diff(t, "format", []string{tc.format, tc.compression}, []string{in.Format, in.Compression})
			if in.Spans != 10 || got.set.Spans.Len() != 10 || len(got.issues()) > 0 || in.Bytes != int64(len(tc.data)) {
				t.Errorf("%+v, issues %v", in, got.issues())
			}
			sum := sha256.Sum256(tc.data)
			diff(t, "hash", hex.EncodeToString(sum[:]), in.SHA256)
		})
	}
}

func frame(msg []byte) []byte {
	n := len(msg)
	return append([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, msg...)
}

// A compressed input that is cut or damaged gives what stood before, and a loss.
func TestDamagedCompression(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		text.WriteString(line(i, 3) + "\n")
	}
	for name, data := range map[string][]byte{"gzip": gzipOf(t, []byte(text.String())), "zstd": zstdOf(t, []byte(text.String()))} {
		for _, workers := range []int{1, 3} {
			got := read(t, Options{Workers: workers}, file(t, "x", data[:len(data)/2]))
			in := got.report.Inputs[0]
			if in.Spans == 0 || in.Spans >= 9000 || got.account.Count(CutCompression.ID) != 1 {
				t.Errorf("%s cut: %+v, issues %v", name, in, got.issues())
			}
			diff(t, "issues", []string{"input-cut-compression=1"}, got.issues())
		}
	}
	trailing := append(gzipOf(t, []byte(line(1, 2))), "garbage"...)
	got := read(t, Options{}, file(t, "x", trailing))
	if got.set.Spans.Len() != 2 || got.account.Count(CutCompression.ID) != 1 {
		t.Errorf("garbage behind gzip: %v", got.issues())
	}
	if e := refuse(t, Options{}, file(t, "x", gzipOf(t, []byte(line(1, 2)))[:12])); !strings.Contains(e.What, "nothing in it") && !strings.Contains(e.What, "damaged") {
		t.Error(e)
	}
}

// A few bytes that ask for much memory, or stand for much text, get little of it.
func TestBombs(t *testing.T) {
	window := "\x28\xb5\x2f\xfd\x00\xa8" + strings.Repeat("\x00", 32) // 2 GiB
	if e := refuse(t, Options{}, file(t, "x", []byte(window))); !strings.Contains(e.What, "window") {
		t.Error(e)
	}
	blanks := append([]byte(line(1, 1)), bytes.Repeat([]byte(" "), 64<<20)...)
	for _, data := range [][]byte{gzipOf(t, blanks), zstdOf(t, blanks)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := read(t, Options{Workers: 1}, file(t, "x", data))
		runtime.ReadMemStats(&after)
		if in := got.report.Inputs[0]; in.Spans != 1 || in.Decompressed != int64(len(blanks)) {
			t.Errorf("%+v", in)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 48<<20 {
			t.Errorf("%d MiB were allocated", grown>>20)
		}
	}
}

// Rows, account and report do not depend on the number of workers or the order of paths.
func TestDeterminism(t *testing.T) {
	dir := t.TempDir()
	var text bytes.Buffer
	for i := range 12000 {
		switch i % 1500 {
		case 700:
			text.WriteString(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"zz"}` + "\n")
		case 900:
			text.WriteString("INFO text in between\n")
		}
		text.WriteString(line(i, 4) + "\n")
	}
	if text.Len() < 9<<20 {
		t.Fatalf("%d bytes are too few for several chunks", text.Len())
	}
	paths := []string{"testdata/tree"}
	for name, data := range map[string][]byte{"a": text.Bytes(), "b": text.Bytes()[:5<<20], "c": zstdOf(t, text.Bytes()[1<<20:])} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths = append(paths, filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c"))
	want := read(t, Options{Workers: 1}, paths...)
	if want.set.Spans.Len() < 60000 || want.account.Count("otlp-bad-document") < 10 {
		t.Fatalf("%d spans, issues %v", want.set.Spans.Len(), want.issues())
	}
	same(t, "two workers", want, read(t, Options{Workers: 2}, paths...))
	same(t, "five workers, other order", want, read(t, Options{Workers: 5}, paths[3], paths[1], paths[0], paths[2]))
}

func TestTablesDirectory(t *testing.T) {
	raw := read(t, Options{}, "testdata/tree")
	raw.account.WriteTo(raw.set)
	dir := filepath.Join(t.TempDir(), "run.tailpath")
	if err := table.WriteDir(dir, raw.set); err != nil {
		t.Fatal(err)
	}
	got := read(t, Options{}, dir)
	diff(t, "account", raw.account.Entries(), got.account.Entries())
	if got.set.Quality.Len() != 0 || got.report.Inputs[0].Format != "tailpath tables" || got.report.Inputs[0].Spans != 2 || got.report.Inputs[0].SHA256 == "" {
		t.Errorf("%+v", got.report.Inputs[0])
	}
	got.account.WriteTo(got.set)
	if d := table.Difference(raw.set, got.set); d != "" {
		t.Error(d)
	}
	mixed := read(t, Options{}, file(t, "more", []byte(line(1, 4))), filepath.Dir(dir))
	if mixed.set.Spans.Len() != 6 || len(mixed.report.Inputs) != 2 {
		t.Errorf("%d spans of %d inputs", mixed.set.Spans.Len(), len(mixed.report.Inputs))
	}
	entries, err := filepath.Glob(filepath.Join(dir, "spans*"))
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	if err := os.Truncate(entries[0], 10); err != nil {
		t.Fatal(err)
	}
	if e := refuse(t, Options{}, dir); e.Where != dir || e.Hint == "" {
		t.Error(e)
	}
}

// endless is a reader that never ends, or never answers.
type endless struct{ block chan struct{} }

func (e endless) Read(p []byte) (int, error) {
	if e.block != nil {
		<-e.block
		return 0, io.EOF
	}
	return copy(p, line(1, 1)+"\n"), nil
}

func TestCancel(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	for name, stdin := range map[string]io.Reader{"endless": endless{}, "silent": endless{block}} {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			_, _, _, err := Read(ctx, []string{"-"}, Options{Stdin: stdin})
			done <- err
		}()
		time.Sleep(20 * time.Millisecond)
		cancel()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: still reading", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := Read(ctx, []string{"testdata/tree"}, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
