package table

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"
)

func throughParquet(mem memory.Allocator) func(s *Set, from *Rows, into *Set, to *Rows) error {
	return func(s *Set, from *Rows, into *Set, to *Rows) error {
		var file bytes.Buffer
		if err := writeParquet(mem, &file, s, from); err != nil {
			return err
		}
		return ReadParquet(bytes.NewReader(file.Bytes()), int64(file.Len()), "x.parquet", into, to)
	}
}

func TestParquetComesBackEqualAndReturnsItsMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		s := sets(5).Draw(t, "set")
		if d := Difference(s, copyThrough(t, s, throughParquet(mem))); d != "" {
			t.Fatal(d)
		}
		mem.AssertSize(t, 0)
	})
}
