package table

import (
	"io"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// pageCodec is the zstd codec of Parquet pages. It takes the place of the one that
// comes with the Arrow module, which makes a new encoder for every page when a level
// is set and decompresses a damaged page to any size it asks for.
type pageCodec struct {
	compress.Codec // for the streams, which Parquet pages do not use
	enc            *zstd.Encoder
	dec            *zstd.Decoder
}

func init() {
	standard, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		panic(err)
	}
	enc, err := zstd.NewWriter(io.Discard, zstd.WithZeroFrames(true), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		panic(err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
	if err != nil {
		panic(err)
	}
	compress.RegisterCodec(compress.Codecs.Zstd, pageCodec{standard, enc, dec})
}

// Encode compresses src into dst, whose length does not matter.
func (c pageCodec) Encode(dst, src []byte) []byte { return c.enc.EncodeAll(src, dst[:0]) }

// EncodeLevel is Encode; there is one level.
func (c pageCodec) EncodeLevel(dst, src []byte, _ int) []byte { return c.Encode(dst, src) }

// Decode decompresses src into dst, which is as large as the page header says, and
// panics when it does not fit or src is damaged, as the codecs of the Arrow module do.
func (c pageCodec) Decode(dst, src []byte) []byte {
	out, err := c.dec.DecodeAll(src, dst[:0])
	if err != nil {
		panic(err)
	}
	return out
}
