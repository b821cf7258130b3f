package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/tailpath/tailpath/ingest/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// result is what one call of Read came to.
type result struct {
	set     *table.Set
	account *table.Account
	report  *Report
}

func read(t *testing.T, opt Options, paths ...string) result {
	t.Helper()
	set, account, report, err := Read(context.Background(), paths, opt)
	if err != nil {
		t.Fatalf("read %v: %v", paths, err)
	}
	return result{set, account, report}
}

// refuse returns the error of paths that cannot be read.
func refuse(t *testing.T, opt Options, paths ...string) *Error {
	t.Helper()
	_, _, _, err := Read(context.Background(), paths, opt)
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("read %v: %v", paths, err)
		return nil
	}
	return e
}

func (r result) issues() []string {
	var out []string
	for _, e := range r.account.Entries() {
		out = append(out, fmt.Sprintf("%s=%d", e.ID, e.Count))
	}
	slices.Sort(out)
	return out
}

// same fails when two results differ in any row, count or line of the report.
func same(t *testing.T, what string, want, got result) {
	t.Helper()
	if d := table.Difference(want.set, got.set); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
	diff(t, what+": account", want.account.Entries(), got.account.Entries())
	diff(t, what+": report", want.report, got.report)
}

func diff(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

// file writes a file into a directory of its own and returns its path.
func file(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// line is a document with n spans of one trace.
func line(trace, n int) string {
	var spans []string
	for i := range n {
		spans = append(spans, fmt.Sprintf(`{"traceId":"%032x","spanId":"%016x","name":"step %d","startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[{"key":"gen_ai.request.id","value":{"stringValue":"r-%d"}}]}`,
			trace+1, trace*1000+i+1, i%7, 1787227200000000000+int64(trace)*1000, 1787227201000000000+int64(i), trace))
	}
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"svc"}}]},"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
}

func gzipOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstdOf(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}
