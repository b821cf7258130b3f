package join

import (
	"bytes"
	"encoding/json"
	"math/bits"

	"github.com/tailpath/tailpath/ingest/table"
)

// requestKeys are the attributes that hold the id of a request, besides the column
// request_id, which holds the first of them that a span has.
var requestKeys = []string{
	"gen_ai.request.id", "triton.request_id", "rid", "x_request_id", "request_id", "guid:x-request-id",
	"client_request_id", "http.request.header.x-request-id", "http.request.header.x_request_id",
}

// answerKey is what a client keeps of the id that an answer came with, which is the
// engine's id of the request. An answer from a cache brings the id of another request,
// so of two clients of one service that have the same, neither is believed.
const answerKey = "gen_ai.response.id"

// requestColumn is the name of the column for request ids.
const requestColumn = "request_id"

// The roles of attributes, by symbol.
const (
	noRole = iota
	idRole
	answerRole
)

// entry is one id that a row of the spans table carries.
type entry struct {
	hash uint64 // of its canonical text
	row  int32
	from int32 // place of the attribute in the row; -1 for the column
}

const (
	fromColumn = -1
	answerBit  = 1 << 30 // in entry.from: the attribute is answerKey
)

// answered reports whether the id came with an answer.
func (e entry) answered() bool { return e.from >= 0 && e.from&answerBit != 0 }

// roles returns the role of every symbol, nil if none has one.
func (f *finder) roles(names []string, role uint8, to []uint8) []uint8 {
	for _, name := range names {
		if sym, ok := f.set.Symbols.Lookup(name); ok && sym != 0 {
			if to == nil {
				to = make([]uint8, f.set.Symbols.Len())
			}
			to[sym] = role
		}
	}
	return to
}

// ids calls visit with the canonical text of every id that a row carries, in order of
// the rows: of the column, if it is asked for, and of the attributes that have a role.
// The text is void after the call. Every place where an id may be has a number, nth; with
// only, no texts are read but those whose bit it has.
func (f *finder) ids(roles []uint8, column bool, only bitset, visit func(id []byte, row, from int32, nth int)) {
	spans := &f.set.Spans
	var raw, buf []byte
	nth := -1
	for row := range int32(len(f.unitOf)) {
		if column && spans.RequestID[row] != "" {
			if nth++; only == nil || only.has(nth) {
				raw = append(raw[:0], spans.RequestID[row]...)
				if id := bytes.TrimSpace(raw); isID(id) {
					buf = appendCanonical(buf[:0], id)
					visit(buf, row, fromColumn, nth)
				}
			}
		}
		if roles == nil {
			continue
		}
		for j := range spans.Attributes.Count(int(row)) {
			a := spans.Attributes.At(int(row), j)
			role := roles[a.Key]
			if role == noRole {
				continue
			}
			if nth++; only != nil && !only.has(nth) {
				continue
			}
			if column && a.Value.Type == table.ValueString && string(a.Value.Text) == spans.RequestID[row] {
				continue // the column has it
			}
			from := int32(j)
			if role == answerRole {
				from |= answerBit
			}
			if id := idText(a.Value); isID(id) {
				buf = appendCanonical(buf[:0], id)
				visit(buf, row, from, nth)
			}
		}
	}
}

// bitset is a set of numbers.
type bitset []uint64

func (b *bitset) add(n int) {
	for n/64 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bitset) has(n int) bool { return n/64 < len(b) && b[n/64]>>(n%64)&1 != 0 }

// appendID appends the canonical text of an entry.
func (f *finder) appendID(dst []byte, e entry) []byte {
	if e.from == fromColumn {
		f.raw = append(f.raw[:0], f.set.Spans.RequestID[e.row]...)
		return appendCanonical(dst, bytes.TrimSpace(f.raw))
	}
	return appendCanonical(dst, idText(f.set.Spans.Attributes.At(int(e.row), int(e.from&^answerBit)).Value))
}

// idText returns the text of a value that holds one id, nil for any other value. A
// header is recorded as a list, of one text if it was there once.
func idText(v table.Value) []byte {
	if v.Type == table.ValueArray {
		var list struct {
			Values []struct {
				StringValue string `json:"stringValue"`
			} `json:"values"`
		}
		if err := json.Unmarshal(v.Text, &list); err != nil || len(list.Values) != 1 {
			return nil
		}
		return bytes.TrimSpace([]byte(list.Values[0].StringValue))
	}
	if v.Type == table.ValueBool {
		return nil
	}
	text, _ := v.Scalar()
	return bytes.TrimSpace(text)
}

// hashText is FNV-1a, with the bits mixed so that the leading ones are even.
func hashText(text []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range text {
		h = (h ^ uint64(c)) * 1099511628211
	}
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9)
	return hi ^ lo
}
