package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// Pages are taken from the Arrow module as decompressed bytes and decoded here. Its
// own column readers never return when a damaged page has fewer values than its
// header says. Only what WriteParquet writes is decoded: data pages of version 1,
// levels in RLE, values plain or by dictionary.

// leafPages are the pages of one leaf of one row group.
type leafPages struct {
	pages  file.PageReader
	maxDef int16
	maxRep int16
	left   int64 // levels that are still to come
	words  []byte
	coded  int // entries of words, -1 before there is a dictionary
}

// dataPage is one page of values with their levels.
type dataPage struct {
	n        int // levels
	rep, def *hybrid
	values   []byte
	coded    bool // values are codes of the dictionary
}

// next returns the next data page, or nil after the last one.
func (l *leafPages) next() (*dataPage, error) {
	for l.pages.Next() {
		switch p := l.pages.Page().(type) {
		case *file.DictionaryPage:
			if l.coded >= 0 || parquet.Encoding(p.Encoding()) != parquet.Encodings.Plain {
				return nil, errors.New("a dictionary that is not the first, or not plain")
			}
			l.words, l.coded = p.Data(), int(p.NumValues())
		case *file.DataPageV1:
			return l.data(p)
		default:
			return nil, fmt.Errorf("a page of type %T", p)
		}
	}
	if err := l.pages.Err(); err != nil {
		return nil, err
	}
	if l.left > 0 {
		return nil, fmt.Errorf("%d values are missing", l.left)
	}
	return nil, nil
}

func (l *leafPages) data(p *file.DataPageV1) (*dataPage, error) {
	page := &dataPage{n: int(p.NumValues()), values: p.Data()}
	if page.n < 0 || int64(page.n) > l.left {
		return nil, fmt.Errorf("a page of %d values where %d are left", page.n, l.left)
	}
	l.left -= int64(page.n)
	switch parquet.Encoding(p.Encoding()) {
	case parquet.Encodings.Plain:
	case parquet.Encodings.RLEDict, parquet.Encodings.PlainDict:
		page.coded = true
	default:
		return nil, fmt.Errorf("values in the encoding %v", parquet.Encoding(p.Encoding()))
	}
	var err error
	if l.maxRep > 0 {
		if page.rep, page.values, err = levelStream(page.values, l.maxRep); err != nil {
			return nil, err
		}
	}
	if l.maxDef > 0 {
		page.def, page.values, err = levelStream(page.values, l.maxDef)
	}
	return page, err
}

// levelStream takes a stream of levels, which begins with its length, off a page.
func levelStream(page []byte, highest int16) (*hybrid, []byte, error) {
	if len(page) < 4 {
		return nil, nil, errors.New("a page without its levels")
	}
	n := binary.LittleEndian.Uint32(page)
	if uint64(n) > uint64(len(page)-4) {
		return nil, nil, fmt.Errorf("levels of %d bytes in a page of %d", n, len(page))
	}
	return &hybrid{data: page[4 : 4+n], width: bits.Len16(uint16(highest)), most: uint32(highest)}, page[4+n:], nil
}

// codes returns the stream of codes that values are.
func (p *dataPage) codes(entries int) (*hybrid, error) {
	if len(p.values) == 0 {
		return &hybrid{}, nil
	}
	width := int(p.values[0])
	if width > 32 {
		return nil, fmt.Errorf("codes of %d bits", width)
	}
	return &hybrid{data: p.values[1:], width: width, most: uint32(max(entries-1, 0))}, nil
}

// hybrid decodes the mix of run lengths and bit-packed values that Parquet calls
// RLE. The layout is that of the section "Run Length Encoding / Bit-Packing Hybrid"
// of the Parquet format.
type hybrid struct {
	data  []byte
	width int    // bits of a value
	most  uint32 // greatest value that may come

	run    int    // values left of a run of value
	value  uint32 //
	packed int    // bit-packed values left, which follow in data
	bit    int    // of data: where the next one begins
}

// read fills dst. Every header takes at least a byte, so it always ends.
func (h *hybrid) read(dst []uint32) error {
	for len(dst) > 0 {
		switch {
		case h.run > 0:
			n := min(h.run, len(dst))
			for i := range n {
				dst[i] = h.value
			}
			h.run -= n
			dst = dst[n:]
		case h.packed > 0:
			n := min(h.packed, len(dst))
			if err := h.unpack(dst[:n]); err != nil {
				return err
			}
			h.packed -= n
			dst = dst[n:]
		default:
			if err := h.header(); err != nil {
				return err
			}
		}
	}
	return nil
}

// header reads the head of the next run.
func (h *hybrid) header() error {
	h.data, h.bit = h.data[h.bit/8:], 0 // packed values come by eights and fill bytes
	head, n := binary.Uvarint(h.data)
	if n <= 0 || head>>1 > 1<<31 {
		return errors.New("a page with fewer values than it says")
	}
	h.data = h.data[n:]
	if head&1 == 1 {
		h.packed = int(head>>1) * 8
		return nil
	}
	h.run, h.value = int(head>>1), 0
	size := (h.width + 7) / 8
	if len(h.data) < size {
		return errors.New("a page that ends within a run")
	}
	for i := range size {
		h.value |= uint32(h.data[i]) << (8 * i)
	}
	h.data = h.data[size:]
	if h.value > h.most {
		return fmt.Errorf("the code or level %d where at most %d may be", h.value, h.most)
	}
	return nil
}

// unpack reads bit-packed values, the least significant bit first. Of the last
// eight, those beyond the end of the page may be missing.
func (h *hybrid) unpack(dst []uint32) error {
	if h.bit+len(dst)*h.width > len(h.data)*8 {
		return errors.New("a page that ends within packed values")
	}
	mask := uint64(1)<<h.width - 1
	for i := range dst {
		at := h.bit / 8
		var word uint64
		if at+8 <= len(h.data) {
			word = binary.LittleEndian.Uint64(h.data[at:])
		} else {
			for k, b := range h.data[at:] {
				word |= uint64(b) << (8 * k)
			}
		}
		v := uint32(word >> (h.bit % 8) & mask)
		if v > h.most {
			return fmt.Errorf("the code or level %d where at most %d may be", v, h.most)
		}
		dst[i] = v
		h.bit += h.width
	}
	return nil
}
