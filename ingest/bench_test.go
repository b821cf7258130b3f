package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRead reads 32 MiB of JSON lines from a file, with one worker and with two.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 32<<20; i++ {
		text.WriteString(line(i, 50) + "\n")
	}
	path := filepath.Join(b.TempDir(), "traces.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			spans := 0
			for b.Loop() {
				set, _, _, err := Read(context.Background(), []string{path}, Options{Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
				spans += set.Spans.Len()
			}
			b.ReportMetric(float64(spans)/b.Elapsed().Seconds(), "spans/s")
		})
	}
}
