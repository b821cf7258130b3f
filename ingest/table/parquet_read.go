package table

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// ReadParquet appends the rows of a Parquet file that WriteParquet wrote to the table
// t of the set s. Name is what errors call the file. A file of another table, format
// version or schema is refused. Damage that shows is an error, never a panic, and
// leaves the table the rows it had; ReadDir finds the damage that does not show.
func ReadParquet(r io.ReaderAt, size int64, name string, s *Set, t *Rows) error {
	kept := t.Len()
	err := guarded(func() error { return readParquet(r, size, s, t) })
	if err != nil {
		t.truncate(kept)
		return fmt.Errorf("read %s as table %s: %w", name, t.schema.Name, err)
	}
	return nil
}

func readParquet(r io.ReaderAt, size int64, s *Set, t *Rows) error {
	if err := checkFooter(r, size); err != nil {
		return err
	}
	props := parquet.NewReaderProperties(limitAllocations(memory.NewGoAllocator(), size))
	in, err := file.NewParquetReader(io.NewSectionReader(r, 0, size), file.WithReadProps(props))
	if err != nil {
		return err
	}
	if err := checkParquetSchema(t.schema, in.MetaData()); err != nil {
		return err
	}
	jobs := make([]columnReader, len(t.cols))
	leaf := 0
	for i, f := range t.schema.Fields {
		jobs[i] = columnReader{field: f, column: t.cols[i], before: t.cols[i].size(), leaf: leaf, file: in, size: size}
		if f.Type == Dict || f.Type == Map {
			jobs[i].symbols = NewSymbols()
		}
		leaf += f.leaves()
	}
	if err := inParallel(len(jobs), func(i int) error {
		if err := jobs[i].read(); err != nil {
			return fmt.Errorf("column %s: %w", jobs[i].field.Name, err)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, j := range jobs {
		if j.symbols == nil {
			continue
		}
		renamed := make([]Sym, j.symbols.Len())
		for id, text := range j.symbols.text {
			renamed[id] = s.Symbols.Intern(text)
		}
		j.column.rename(j.before, renamed)
	}
	return nil
}

// checkParquetSchema says how a file differs from what WriteParquet writes of a table.
func checkParquetSchema(s *Schema, meta *metadata.FileMetaData) error {
	kv := meta.KeyValueMetadata()
	err := checkOrigin(s, func(key string) (string, bool) {
		v := kv.FindValue(key)
		if v == nil {
			return "", false
		}
		return *v, true
	})
	if err != nil {
		return err
	}
	want, got := parquetSchema(s), meta.Schema
	if got == nil {
		return errors.New("the file has no schema")
	}
	for i := range min(want.NumColumns(), got.NumColumns()) {
		a, b := want.Column(i), got.Column(i)
		if a.Path() != b.Path() || !a.Equals(b) {
			return fmt.Errorf("column %d of the file is %s and that of the table %s is %s", i, columnText(b.Path(), b.PhysicalType()), s.Name, columnText(a.Path(), a.PhysicalType()))
		}
	}
	if want.NumColumns() != got.NumColumns() || !want.Equals(got) {
		return fmt.Errorf("the file has the schema\n%v\nand the table %s has\n%v", got, s.Name, want)
	}
	return nil
}

func columnText(path string, t parquet.Type) string { return fmt.Sprintf("%s (%v)", path, t) }

// columnReader appends the rows of a file to one column. Columns are read side by
// side, each with symbols of its own if it has any, which are merged into those of the set in the
// end.
type columnReader struct {
	field   Field
	column  column
	before  int // rows the column had
	leaf    int // first leaf of the column
	file    *file.Reader
	size    int64 // of the file, in bytes
	symbols *Symbols
}

func (r *columnReader) read() error {
	if err := r.reserve(); err != nil {
		return err
	}
	for g := range r.file.NumRowGroups() {
		if err := r.rowGroup(r.file.RowGroup(g)); err != nil {
			return fmt.Errorf("row group %d of %d: %w", g, r.file.NumRowGroups(), err)
		}
	}
	return nil
}

// reserve makes room for what the file says it holds, if that is likely.
func (r *columnReader) reserve() error {
	var rows, levels, text int64
	for g := range r.file.NumRowGroups() {
		group := r.file.RowGroup(g)
		n := group.NumRows()
		if n < 0 || n > rowGroupRows {
			return fmt.Errorf("row group %d: %d rows where at most %d may be", g, n, rowGroupRows)
		}
		rows += n
		if r.field.Type == Map {
			levels += chunkMeta(group, r.leaf+leafKey).NumValues()
			text += chunkMeta(group, r.leaf+leafStr).TotalUncompressedSize()
		}
	}
	if most := min(r.size, 1<<40) * reserveRatio; max(rows, levels, text) > most || min(levels, text) < 0 {
		return nil
	}
	r.column.reserve(int(rows))
	if a, ok := r.column.slice().(*Attrs); ok {
		a.items = slices.Grow(a.items, int(levels))
		a.text = slices.Grow(a.text, int(text))
	}
	return nil
}

// chunkMeta returns where a leaf of a row group lies; it panics when there is no such.
func chunkMeta(group *file.RowGroupReader, leaf int) *metadata.ColumnChunkMetaData {
	meta, err := group.MetaData().ColumnChunk(leaf)
	if err != nil {
		panic(err)
	}
	return meta
}

func (r *columnReader) rowGroup(group *file.RowGroupReader) error {
	leaves := make([]*leafPages, r.field.leaves())
	for k := range leaves {
		meta := chunkMeta(group, r.leaf+k)
		if err := checkChunk(meta, r.size); err != nil {
			return err
		}
		pages, err := group.GetColumnPageReader(r.leaf + k)
		if err != nil {
			return err
		}
		descr := r.file.MetaData().Schema.Column(r.leaf + k)
		leaves[k] = &leafPages{
			pages: pages, maxDef: descr.MaxDefinitionLevel(), maxRep: descr.MaxRepetitionLevel(),
			left: meta.NumValues(), coded: -1,
		}
	}
	n, before := int(group.NumRows()), r.column.size()
	if err := r.decode(leaves, n); err != nil {
		return err
	}
	if got := r.column.size() - before; got != n {
		return fmt.Errorf("%d values for %d rows", got, n)
	}
	return nil
}
