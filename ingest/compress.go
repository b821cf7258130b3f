package ingest

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/tailpath/tailpath/ingest/otlp"
)

// Compressed input may be hostile: a few bytes can stand for any number. Everything is
// read as a stream, so that what bounds memory is the window of the decompressor and
// the largest record.
const (
	maxWindow = 128 << 20 // largest zstd window, in bytes: what zstd --long needs at most without a switch to read it
	maxLayers = 3         // compressions inside each other
)

// plain is an input without its compression.
type plain struct {
	*bufio.Reader
	layers []string
	closes []func()
	n      int64 // bytes read, decompressed
}

// decompress looks at what r holds and takes off gzip and zstd, of any number of
// members or frames. Names and endings play no part.
func decompress(r io.Reader) (*plain, error) {
	p := &plain{Reader: bufio.NewReaderSize(r, otlp.HeadSize)}
	for range maxLayers {
		head, _ := p.Peek(4)
		var inner io.Reader
		switch {
		case isGzip(head):
			z, err := newMembers(p.Reader)
			if err != nil {
				return p, fmt.Errorf("gzip: %w", err)
			}
			p.layers, p.closes = append(p.layers, "gzip"), append(p.closes, z.close)
			inner = z
		case isZstd(head):
			z, err := zstd.NewReader(p.Reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
			if err != nil {
				return p, fmt.Errorf("zstd: %w", err)
			}
			p.layers, p.closes = append(p.layers, "zstd"), append(p.closes, z.Close)
			inner = z
		default:
			p.fromUTF16()
			return p, nil
		}
		p.Reader = bufio.NewReaderSize(inner, otlp.HeadSize)
	}
	return p, nil
}

// fromUTF16 goes on in UTF-8 if the text is UTF-16.
func (p *plain) fromUTF16() {
	head, _ := p.Peek(256)
	if order, is := utf16Order(head); is {
		p.layers = append(p.layers, "UTF-16")
		p.Reader = bufio.NewReaderSize(fromUTF16(p.Reader, order), otlp.HeadSize)
	}
}

// isGzip knows a member of gzip by its magic number.
func isGzip(head []byte) bool {
	return len(head) >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8
}

// isZstd knows a frame of zstd, or one that is to be skipped, by its magic number.
func isZstd(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	magic := string(head[:4])
	return magic == "\x28\xb5\x2f\xfd" || head[0]&0xf0 == 0x50 && magic[1:] == "\x2a\x4d\x18"
}

func (p *plain) Read(to []byte) (int, error) {
	n, err := p.Reader.Read(to)
	p.n += int64(n)
	return n, err
}

func (p *plain) compression() string { return strings.Join(p.layers, ", ") }

func (p *plain) close() {
	for i := len(p.closes) - 1; i >= 0; i-- {
		p.closes[i]()
	}
}
