package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// rowGroupRows bounds the rows of a row group, and with them the memory that
// writing and reading take.
const rowGroupRows = 128 << 10

const (
	parquetMagic = "PAR1"
	createdBy    = "tailpath"
)

// WriteParquet writes a table of a set as a Parquet file: zstd pages, row groups of
// up to 128 Ki rows with statistics, the columns of its schema. The bytes depend on
// the rows alone.
func WriteParquet(w io.Writer, s *Set, t *Rows) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("write parquet: %w", err)
	}
	if err := writeParquet(memory.NewGoAllocator(), w, s, t); err != nil {
		return fmt.Errorf("write parquet: table %s: %w", t.schema.Name, err)
	}
	return nil
}

// parquetWriter writes the column chunks of one file. It stands in for the writer of
// the Arrow module's file package, which loses the error of a failed footer, states a
// distinct count of 0 for columns it did not count, and mixes encodings in a chunk
// in an order that changes from run to run.
type parquetWriter struct {
	mem   memory.Allocator
	set   *Set
	rows  *Rows
	sink  *sink
	meta  *metadata.FileMetaDataBuilder
	plain *parquet.WriterProperties
	coded *parquet.WriterProperties // for chunks with a dictionary
}

func writeParquet(mem memory.Allocator, w io.Writer, s *Set, t *Rows) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("encode: %v", p)
		}
	}()
	kv, err := parquetMetadata(t.schema)
	if err != nil {
		return err
	}
	common := []parquet.WriterProperty{
		parquet.WithAllocator(mem), parquet.WithCreatedBy(createdBy),
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithVersion(parquet.V2_LATEST),
	}
	// Attributes of all keys share a leaf, so its least and greatest value say nothing.
	sch := parquetSchema(t.schema)
	for i := range sch.NumColumns() {
		if c := sch.Column(i); c.MaxRepetitionLevel() > 0 {
			common = append(common, parquet.WithStatsFor(c.Path(), false))
		}
	}
	p := &parquetWriter{
		mem: mem, set: s, rows: t, sink: &sink{to: w},
		plain: parquet.NewWriterProperties(append(common, parquet.WithDictionaryDefault(false))...),
		// One data page a chunk, so that its statistics are those of the chunk.
		coded: parquet.NewWriterProperties(append(common, parquet.WithDictionaryDefault(true), parquet.WithDataPageSize(1<<30))...),
	}
	p.meta = metadata.NewFileMetadataBuilder(sch, p.plain, kv)
	if _, err := io.WriteString(p.sink, parquetMagic); err != nil {
		return err
	}
	for lo, group := 0, 0; lo < t.Len(); group++ {
		hi := t.batchEnd(lo, rowGroupRows, textBatch)
		if err := p.rowGroup(int16(group), lo, hi); err != nil {
			return fmt.Errorf("rows %d to %d: %w", lo, hi, err)
		}
		lo = hi
	}
	return p.footer()
}

func (p *parquetWriter) footer() error {
	meta, err := p.meta.Finish()
	if err != nil {
		return err
	}
	for _, group := range meta.RowGroups {
		for _, c := range group.Columns {
			if st := c.MetaData.Statistics; st != nil && st.GetDistinctCount() == 0 {
				st.DistinctCount = nil // not counted
			}
		}
	}
	n, err := meta.WriteTo(p.sink, nil)
	if err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint32(nil, uint32(n))
	_, err = p.sink.Write(append(end, parquetMagic...))
	return err
}

// chunk is one column chunk being written: a job that encodes and compresses it into
// memory, and what is to be closed, in the order of the file, once it has run.
type chunk struct {
	path   string
	encode func(*chunk) error
	open   func(props *parquet.WriterProperties) error
	writer file.ColumnChunkWriter
}

// rowGroup encodes the chunks of rows lo to hi side by side and writes them in order.
func (p *parquetWriter) rowGroup(ordinal int16, lo, hi int) error {
	meta := p.meta.AppendRowGroup()
	var chunks []*chunk
	for i, f := range p.rows.schema.Fields {
		for _, encode := range p.encoders(f, p.rows.cols[i], lo, hi) {
			column := meta.NextColumnChunk()
			c := &chunk{path: column.Descr().Path(), encode: encode}
			leaf := int16(len(chunks))
			c.open = func(props *parquet.WriterProperties) error {
				pager, err := file.NewPageWriter(p.sink, compress.Codecs.Zstd, compress.DefaultCompressionLevel, column, ordinal, leaf, p.mem, true, nil, nil)
				if err != nil {
					return err
				}
				c.writer = file.NewColumnChunkWriter(column, pager, props)
				return nil
			}
			chunks = append(chunks, c)
		}
	}
	err := inParallel(len(chunks), func(i int) error {
		if err := chunks[i].encode(chunks[i]); err != nil {
			return fmt.Errorf("column %s: %w", chunks[i].path, err)
		}
		return nil
	})
	written := int64(0)
	for _, c := range chunks {
		if c.writer == nil {
			continue
		}
		if e := c.writer.Close(); e != nil && err == nil {
			err = fmt.Errorf("column %s: %w", c.path, e)
		}
		written += c.writer.TotalBytesWritten()
	}
	if err = errors.Join(err, p.sink.err); err != nil {
		return err
	}
	meta.SetNumRows(hi - lo)
	return meta.Finish(written, ordinal)
}

// inParallel runs n jobs on all processors and returns the error of the first job, by
// number, that failed. A panic of a job is its error.
func inParallel(n int, job func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				errs[i] = guarded(func() error { return job(i) })
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// guarded turns a panic of f into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return f()
}

// sink tells where it is in a file and keeps the first error, since not every writer
// of pages passes it on.
type sink struct {
	to  io.Writer
	pos int64
	err error
}

func (s *sink) Tell() int64 { return s.pos }

func (s *sink) Write(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.to.Write(b)
	s.pos += int64(n)
	s.err = err
	return n, err
}
