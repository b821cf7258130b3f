package ingest

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
)

// members reads the members of a gzip stream one behind the other. NUL bytes behind the
// last one are padding, as of a tape or a preallocated file, and no damage.
type members struct {
	from *bufio.Reader // so that a member takes no byte of what follows
	z    *gzip.Reader
	err  error // what ended the stream
}

func newMembers(from *bufio.Reader) (*members, error) {
	z, err := gzip.NewReader(from)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{from: from, z: z}, nil
}

func (m *members) Read(p []byte) (int, error) {
	for m.err == nil {
		n, err := m.z.Read(p)
		switch {
		case err == io.EOF:
			m.err = m.next()
		case err != nil:
			m.err = err
		}
		if n > 0 || len(p) == 0 {
			return n, nil
		}
	}
	return 0, m.err
}

// next goes on to the next member. It returns io.EOF when there is none.
func (m *members) next() error {
	for {
		c, err := m.from.ReadByte()
		if err != nil {
			return err
		}
		if c == 0 {
			continue
		}
		if err := m.from.UnreadByte(); err != nil {
			return err
		}
		err = m.z.Reset(m.from)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		m.z.Multistream(false)
		return err
	}
}

func (m *members) close() { m.z.Close() }
