package table

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// copyThrough returns what is read back of every table of a set.
func copyThrough(t rapid.TB, s *Set, copy func(s *Set, from *Rows, into *Set, to *Rows) error) *Set {
	into := NewSet()
	for i, from := range s.Tables() {
		if err := copy(s, from, into, into.Tables()[i]); err != nil {
			t.Fatal(err)
		}
	}
	return into
}

func throughIPC(mem memory.Allocator) func(s *Set, from *Rows, into *Set, to *Rows) error {
	return func(s *Set, from *Rows, into *Set, to *Rows) error {
		var file bytes.Buffer
		if err := writeIPC(mem, &file, s, from); err != nil {
			return err
		}
		return readIPC(mem, bytes.NewReader(file.Bytes()), int64(file.Len()), "x.arrows", into, to)
	}
}

func TestIPCComesBackEqualAndReturnsItsMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		s := sets(5).Draw(t, "set")
		if d := Difference(s, copyThrough(t, s, throughIPC(mem))); d != "" {
			t.Fatal(d)
		}
		mem.AssertSize(t, 0)
	})
}

func TestIPCOfManyBatches(t *testing.T) {
	s := NewSet()
	for i := range 3*ipcRows + 17 {
		e := &s.EngineSamples
		e.Grow()
		e.Time[i], e.Value[i] = int64(i), float64(i)
		e.Metric[i] = s.Symbols.Intern([]string{"running", "waiting", "kv_cache_use"}[i%3])
	}
	if d := Difference(s, copyThrough(t, s, throughIPC(memory.NewGoAllocator()))); d != "" {
		t.Fatal(d)
	}
}

func ipcFile(t *testing.T, s *Set, table *Rows) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := WriteIPC(&file, s, table); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func readIPCFile(file []byte, s *Set, table *Rows) error {
	return ReadIPC(bytes.NewReader(file), int64(len(file)), "x.arrows", s, table)
}

func seal(stream []byte) []byte {
	sum := sha256.Sum256(stream)
	sealed := append(bytes.Clone(stream), sealMagic...)
	return append(binary.LittleEndian.AppendUint64(sealed, uint64(len(stream))), sum[:]...)
}

func TestIPCRefusesWhatItCannotTrust(t *testing.T) {
	s := NewSet()
	s.Spans.Grow()
	s.Scopes.Grow()
	file := ipcFile(t, s, &s.Spans.Rows)
	stream := file[:len(file)-sealSize]
	for name, c := range map[string]struct {
		file []byte
		into func(*Set) *Rows
		says string
	}{
		"empty file":     {nil, nil, "no checksum"},
		"foreign stream": {stream, nil, "no checksum"},
		"cut short":      {file[:len(file)-1], nil, "no checksum"},
		"cut inside":     {append(bytes.Clone(stream[:40]), file[len(stream):]...), nil, "its seal says"},
		"other table":    {file, func(s *Set) *Rows { return &s.Logs.Rows }, "holds the table spans, not logs"},
		"other version": {seal(bytes.Replace(stream, fmt.Appendf(nil, "\x01\x00\x00\x00%d\x00", Format), []byte("\x01\x00\x00\x009\x00"), 1)), nil,
			fmt.Sprintf("format version 9 and this tailpath reads version %d", Format)},
		"no metadata": {seal(bytes.ReplaceAll(stream, []byte(tableKey), []byte("elsewhere.tabl"))), nil, "not written by tailpath"},
		"other column": {seal(bytes.ReplaceAll(stream, []byte("parent_id"), []byte("parent_ix"))), nil,
			"column 2 of the file is parent_ix and that of the table spans is parent_id"},
		"other words": {ipcFile(t, s, under(&s.Spans.Rows, func(s *Schema) { fieldOf(s, "status").Names = []string{"unset"} })), nil, "is none of [UNSET OK ERROR]"},
	} {
		t.Run(name, func(t *testing.T) {
			into := NewSet()
			table := &into.Spans.Rows
			if c.into != nil {
				table = c.into(into)
			}
			err := readIPCFile(c.file, into, table)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "x.arrows") {
				t.Errorf("error is %v, which does not say %q", err, c.says)
			}
			if table.Len() != 0 {
				t.Errorf("%d rows stay after the error", table.Len())
			}
			checkColumns(t, into, 0)
		})
	}
}

func TestEveryFlippedByteOfIPCIsRefused(t *testing.T) {
	s := rapid.Custom(func(t *rapid.T) *Set { return sets(3).Draw(t, "set") }).Example(7)
	file := ipcFile(t, s, &s.Logs.Rows)
	for i := range file {
		file[i] ^= 1
		into := NewSet()
		if err := readIPCFile(file, into, &into.Logs.Rows); err == nil {
			t.Fatalf("byte %d of %d may be flipped", i, len(file))
		}
		file[i] ^= 1
	}
}

func TestIPCReportsTheWriterThatFails(t *testing.T) {
	s := NewSet()
	s.Spans.Grow()
	full := errors.New("no space left")
	size := len(ipcFile(t, s, &s.Spans.Rows))
	for n := 0; n < size; n += 61 {
		if err := WriteIPC(&failingWriter{room: n, err: full}, s, &s.Spans.Rows); !errors.Is(err, full) {
			t.Fatalf("a writer with room for %d of %d bytes: error is %v", n, size, err)
		}
	}
}

// failingWriter takes room bytes and fails from then on.
type failingWriter struct {
	room int
	err  error
}

func (f *failingWriter) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n := f.room
		f.room = 0
		return n, f.err
	}
	f.room -= len(p)
	return len(p), nil
}

// TestNumbersAreNotCopied holds the builder to the zero-copy that doc.go promises.
func TestNumbersAreNotCopied(t *testing.T) {
	s := NewSet()
	for range 3 {
		i := s.Spans.Grow()
		s.Spans.Attributes.Add(s.Symbols.Intern("k"), StringValue("text"))
		s.Spans.Start[i] = int64(i)
	}
	mem := memory.NewGoAllocator()
	b := builder{mem: mem, symbols: s.Symbols}
	dicts, err := b.dictionaries(&s.Spans.Rows, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := b.record(arrowSchema(&SpansSchema, true), &s.Spans.Rows, dicts, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	column := func(name string) []*memory.Buffer {
		return rec.Column(rec.Schema().FieldIndices(name)[0]).Data().Buffers()
	}
	if &column("start_ns")[1].Bytes()[0] != &view(s.Spans.Start)[0] {
		t.Error("timestamps are copied")
	}
	if &column("trace_id")[1].Bytes()[0] != &view(s.Spans.TraceID)[0] {
		t.Error("ids are copied")
	}
	attrs := rec.Column(rec.Schema().FieldIndices("attributes")[0]).Data().Children()[0].Children()[1].Children()[1]
	if &attrs.Buffers()[2].Bytes()[0] != &s.Spans.Attributes.text[0] {
		t.Error("text of attributes is copied")
	}
}

// TestTextsThatCompleteEachOtherAreEscaped has two texts that are valid UTF-8 only
// side by side, as they lie in the arena.
func TestTextsThatCompleteEachOtherAreEscaped(t *testing.T) {
	s := NewSet()
	s.Spans.Grow()
	key := s.Symbols.Intern("half")
	for _, half := range []string{"\xe6\x97", "\xa5"} {
		s.Spans.Attributes.Add(key, StringValue(half))
	}
	b := builder{mem: memory.NewGoAllocator(), symbols: s.Symbols}
	data, err := b.values(&s.Spans.Attributes, s.Spans.Attributes.items)
	if err != nil {
		t.Fatal(err)
	}
	text := array.NewStringData(data.Children()[1])
	for i, want := range []string{"\uFFFDxE6\uFFFDx97", "\uFFFDxA5"} {
		if got := text.Value(i); got != want {
			t.Errorf("text %d is %q, not %q", i, got, want)
		}
	}
	if d := Difference(s, copyThrough(t, s, throughIPC(memory.NewGoAllocator()))); d != "" {
		t.Error(d)
	}
}
