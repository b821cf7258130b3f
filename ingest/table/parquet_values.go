package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// valueDecoder begins a page and returns a function that reads its next values.
type valueDecoder[T any] func(l *leafPages, p *dataPage) (read func(dst []T) error, err error)

// errShort is the fault of a page whose values end too early.
var errShort = errors.New("a page with fewer values than it says")

// fixed decodes plain values of size bytes.
func fixed[T any](size int, decode func(b []byte) T) valueDecoder[T] {
	return func(_ *leafPages, p *dataPage) (func(dst []T) error, error) {
		if p.coded {
			return nil, errors.New("codes where there is no dictionary")
		}
		data := p.values
		return func(dst []T) error {
			if len(data) < len(dst)*size {
				return errShort
			}
			for i := range dst {
				dst[i] = decode(data[i*size : (i+1)*size])
			}
			data = data[len(dst)*size:]
			return nil
		}, nil
	}
}

var (
	int64Values  = fixed(8, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
	int32Values  = fixed(4, func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) })
	doubleValues = fixed(8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
	traceValues  = fixed(len(TraceID{}), func(b []byte) TraceID { return TraceID(b) })
	spanValues   = fixed(len(SpanID{}), func(b []byte) SpanID { return SpanID(b) })
)

// boolValues decodes plain bits, the least significant first.
func boolValues(_ *leafPages, p *dataPage) (func(dst []bool) error, error) {
	if p.coded {
		return nil, errors.New("codes where there is no dictionary")
	}
	bit := 0
	return func(dst []bool) error {
		if len(p.values)*8-bit < len(dst) {
			return errShort
		}
		for i := range dst {
			dst[i] = p.values[bit/8]>>(bit%8)&1 == 1
			bit++
		}
		return nil
	}, nil
}

// textValues decodes strings, plain or by dictionary, and converts each; those of a
// dictionary are converted once. What convert is given lives as long as the page.
func textValues[T any](convert func(text []byte) (T, error)) valueDecoder[T] {
	var words []T
	return func(l *leafPages, p *dataPage) (func(dst []T) error, error) {
		if !p.coded {
			data := p.values
			return func(dst []T) (err error) {
				for i := range dst {
					var text []byte
					if text, data, err = cutText(data); err != nil {
						return err
					}
					if dst[i], err = convert(text); err != nil {
						return err
					}
				}
				return nil
			}, nil
		}
		if l.coded < 0 {
			return nil, errors.New("codes where there is no dictionary")
		}
		if words == nil {
			var err error
			if words, err = dictionaryWords(l, convert); err != nil {
				return nil, fmt.Errorf("dictionary: %w", err)
			}
		}
		codes, err := p.codes(len(words))
		if err != nil {
			return nil, err
		}
		buffer := make([]uint32, readLevels)
		return func(dst []T) error {
			code := buffer[:len(dst)]
			if err := codes.read(code); err != nil {
				return err
			}
			if len(words) == 0 && len(dst) > 0 {
				return errors.New("codes of an empty dictionary")
			}
			for i, c := range code {
				dst[i] = words[c]
			}
			return nil
		}, nil
	}
}

func dictionaryWords[T any](l *leafPages, convert func(text []byte) (T, error)) ([]T, error) {
	data := l.words
	if l.coded > len(data)/4 {
		return nil, errShort
	}
	words := make([]T, l.coded)
	for i := range words {
		text, rest, err := cutText(data)
		if err != nil {
			return nil, err
		}
		if words[i], err = convert(text); err != nil {
			return nil, err
		}
		data = rest
	}
	return words, nil
}

// cutText takes a string, which begins with its length, off the front of data.
func cutText(data []byte) (text, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, errShort
	}
	n := binary.LittleEndian.Uint32(data)
	if uint64(n) > uint64(len(data)-4) {
		return nil, nil, errShort
	}
	return data[4 : 4+n : 4+n], data[4+n:], nil
}

// readLevels is how many levels are decoded at once.
const readLevels = 1 << 10

// readLeaf decodes a leaf and calls take with some of it at a time: the repetition
// and definition levels, which are nil when they are always 0, and the values of
// the levels that have one.
func readLeaf[T any](l *leafPages, decode valueDecoder[T], take func(rep, def []uint32, values []T) error) error {
	values := make([]T, readLevels)
	reps, defs := make([]uint32, readLevels), make([]uint32, readLevels)
	for {
		page, err := l.next()
		if err != nil || page == nil {
			return err
		}
		read, err := decode(l, page)
		if err != nil {
			return err
		}
		for left := page.n; left > 0; {
			n := min(left, readLevels)
			left -= n
			var rep, def []uint32
			count := n
			if page.rep != nil {
				rep = reps[:n]
				if err := page.rep.read(rep); err != nil {
					return fmt.Errorf("repetition levels: %w", err)
				}
			}
			if page.def != nil {
				def = defs[:n]
				if err := page.def.read(def); err != nil {
					return fmt.Errorf("definition levels: %w", err)
				}
				count = 0
				for _, d := range def {
					if d == uint32(l.maxDef) {
						count++
					}
				}
			}
			if err := read(values[:count]); err != nil {
				return err
			}
			if err := take(rep, def, values[:count]); err != nil {
				return err
			}
		}
	}
}
