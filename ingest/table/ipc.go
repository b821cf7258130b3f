package table

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// ipcRows bounds the rows of a record batch.
const ipcRows = 64 << 10

// A stream is followed by a seal: sealMagic, the length of the stream in bytes (64
// bits, little-endian) and its SHA-256. Other readers of Arrow stop where the
// stream ends and do not see it.
const (
	sealMagic = "tailpath"
	sealSize  = len(sealMagic) + 8 + sha256.Size
)

// WriteIPC writes a table of a set as an Arrow IPC stream with zstd buffers, and
// behind its end the seal that ReadIPC asks for.
func WriteIPC(w io.Writer, s *Set, t *Rows) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("write arrow stream: %w", err)
	}
	if err := writeIPC(memory.NewGoAllocator(), w, s, t); err != nil {
		return fmt.Errorf("write arrow stream: table %s: %w", t.schema.Name, err)
	}
	return nil
}

func writeIPC(mem memory.Allocator, w io.Writer, s *Set, t *Rows) error {
	seal := sha256.New()
	out := &countingWriter{to: io.MultiWriter(w, seal)}
	buffered := bufio.NewWriterSize(out, 1<<16)
	if err := writeStream(mem, buffered, s, t); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint64([]byte(sealMagic), uint64(out.n))
	_, err := w.Write(seal.Sum(end))
	return err
}

func writeStream(mem memory.Allocator, w io.Writer, s *Set, t *Rows) (err error) {
	b := builder{mem: mem, symbols: s.Symbols}
	schema := arrowSchema(t.schema, true)
	dicts, err := b.dictionaries(t, 0, t.Len())
	defer func() {
		for _, d := range dicts {
			d.release()
		}
	}()
	if err != nil {
		return err
	}
	stream := ipc.NewWriter(w, ipc.WithSchema(schema), ipc.WithAllocator(mem), ipc.WithZstd())
	defer func() { err = errors.Join(err, stream.Close()) }()
	for lo := 0; lo < t.Len(); {
		hi := t.batchEnd(lo, ipcRows, textBatch)
		rec, err := b.record(schema, t, dicts, lo, hi)
		if err != nil {
			return fmt.Errorf("rows %d to %d: %w", lo, hi, err)
		}
		err = stream.Write(rec)
		rec.Release()
		if err != nil {
			return fmt.Errorf("rows %d to %d: %w", lo, hi, err)
		}
		lo = hi
	}
	return nil
}

// ReadIPC appends the rows of an Arrow IPC stream that WriteIPC wrote to the table t
// of the set s. Name is what errors call the file. The seal is verified before
// anything else is read, since a damaged schema can make the Arrow module ask for
// more memory than there is; a stream without a seal is refused. After an error the
// table has the rows it had.
func ReadIPC(r io.ReaderAt, size int64, name string, s *Set, t *Rows) error {
	return readIPC(memory.NewGoAllocator(), r, size, name, s, t)
}

func readIPC(mem memory.Allocator, r io.ReaderAt, size int64, name string, s *Set, t *Rows) (err error) {
	kept := t.Len()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the stream is damaged: %v", p)
		}
		if err != nil {
			t.truncate(kept)
			err = fmt.Errorf("read %s as table %s: %w", name, t.schema.Name, err)
		}
	}()
	length, err := checkSeal(r, size)
	if err != nil {
		return err
	}
	stream, err := ipc.NewReader(bufio.NewReaderSize(io.NewSectionReader(r, 0, length), 1<<16), ipc.WithAllocator(mem))
	if err != nil {
		return err
	}
	defer stream.Release()
	if err := checkArrowSchema(t.schema, stream.Schema()); err != nil {
		return err
	}
	u := unpacker{symbols: s.Symbols}
	for stream.Next() {
		if err := u.record(t, stream.Record()); err != nil {
			return fmt.Errorf("rows from %d: %w", t.Len()-kept, err)
		}
	}
	return stream.Err()
}

// checkSeal returns the length of the sealed stream, or says what is wrong with it.
func checkSeal(r io.ReaderAt, size int64) (length int64, err error) {
	var seal [sealSize]byte
	length = size - int64(sealSize)
	if length >= 0 {
		if _, err := r.ReadAt(seal[:], length); err != nil {
			return 0, fmt.Errorf("read its seal: %w", err)
		}
	}
	rest, sealed := bytes.CutPrefix(seal[:], []byte(sealMagic))
	if !sealed {
		return 0, errors.New("the stream is cut short or was not written by tailpath: it has no checksum at its end, and unchecked Arrow data is not read; give the traces themselves or a tailpath directory instead")
	}
	if recorded := binary.LittleEndian.Uint64(rest); recorded != uint64(length) {
		return 0, fmt.Errorf("the stream has %d bytes and its seal says %d: copy it anew", length, recorded)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, length)); err != nil {
		return 0, fmt.Errorf("verify its checksum: %w", err)
	}
	if !bytes.Equal(sum.Sum(nil), rest[8:]) {
		return 0, errors.New("the stream is damaged: its checksum does not match; copy it anew")
	}
	return length, nil
}

// countingWriter counts the bytes that went through.
type countingWriter struct {
	to io.Writer
	n  int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
