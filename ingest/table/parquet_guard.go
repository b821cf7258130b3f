package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// Lengths in a damaged file can be anything. Go turns most of what they lead to into
// panics that can be caught, but not memory that the system refuses, nor a stack
// that grows beyond its bound. What is checked here keeps either from being asked for.

const (
	largestFooter = 64 << 20  // bytes; about 4000 row groups of the widest table
	pageRoom      = 256 << 20 // bytes a page may take whatever the file's size
	pageRatio     = 1 << 16   // and for each byte of the file: zstd does not shrink further
	reserveRatio  = 1 << 10   // bytes for each of the file that are believed in advance
)

// checkFooter says what is wrong with the end of a file, which holds the length of
// its metadata.
func checkFooter(r io.ReaderAt, size int64) error {
	var end [8]byte
	if size < int64(len(end)+len(parquetMagic)) {
		return errors.New("the file is cut short or no Parquet file")
	}
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil {
		return err
	}
	if string(end[4:]) != parquetMagic {
		return errors.New("the file is cut short or no Parquet file: it does not end in " + parquetMagic)
	}
	if n := int64(binary.LittleEndian.Uint32(end[:])); n > largestFooter || n > size-int64(len(end)) {
		return fmt.Errorf("metadata of %d bytes in a file of %d", n, size)
	}
	return nil
}

// checkChunk says what is wrong with where a column chunk says it lies.
func checkChunk(c *metadata.ColumnChunkMetaData, size int64) error {
	start, length := c.DataPageOffset(), c.TotalCompressedSize()
	if d := c.DictionaryPageOffset(); c.HasDictionaryPage() && d > 0 && d < start {
		start = d
	}
	if start < 0 || length < 0 || start > size || length > size-start {
		return fmt.Errorf("%d bytes from %d on do not lie in a file of %d", length, start, size)
	}
	if c.Compression() != compress.Codecs.Zstd {
		return fmt.Errorf("pages compressed by %v", c.Compression())
	}
	return nil
}

// limitedAllocator refuses allocations that no page of an honest file needs.
type limitedAllocator struct {
	memory.Allocator
	limit int64
}

func limitAllocations(mem memory.Allocator, fileSize int64) memory.Allocator {
	return limitedAllocator{mem, pageRoom + min(fileSize, 1<<31)*pageRatio}
}

func (l limitedAllocator) check(size int) {
	if size < 0 || int64(size) > l.limit {
		panic(fmt.Errorf("a page of %d bytes", size))
	}
}

// Allocate is Allocate of the allocator behind, for sizes within the limit.
func (l limitedAllocator) Allocate(size int) []byte {
	l.check(size)
	return l.Allocator.Allocate(size)
}

// Reallocate is Reallocate of the allocator behind, for sizes within the limit.
func (l limitedAllocator) Reallocate(size int, b []byte) []byte {
	l.check(size)
	return l.Allocator.Reallocate(size, b)
}
