package table

import (
	"crypto/sha256"
	"encoding/binary"
)

// RecordIDs returns the ids of the span that is made of the nth record at a byte
// offset of a source. They depend on the place alone, differ from place to place, and
// have the top bit of the trace id clear, so they are never empty ids.
func RecordIDs(source string, offset int64, nth int) (TraceID, SpanID) {
	return NewRecordIDs(source).At(offset, nth)
}

// RecordIDSource makes the ids of the records of one source.
type RecordIDSource struct{ hash [16]byte }

// NewRecordIDs returns the ids of a source, whose name is hashed once.
func NewRecordIDs(source string) RecordIDSource {
	sum := sha256.Sum256([]byte(source))
	return RecordIDSource{[16]byte(sum[:16])}
}

// At is RecordIDs for the source.
func (s RecordIDSource) At(offset int64, nth int) (trace TraceID, span SpanID) {
	place := mix(uint64(offset) ^ mix(uint64(nth)+0x9e3779b97f4a7c15))
	binary.BigEndian.PutUint64(trace[:8], binary.BigEndian.Uint64(s.hash[:8])&^(1<<63)|1)
	binary.BigEndian.PutUint64(trace[8:], place)
	binary.BigEndian.PutUint64(span[:], mix(place^binary.BigEndian.Uint64(s.hash[8:]))|1)
	return trace, span
}

// mix is a permutation of 64 bits in which each bit depends on all others: the
// finalizer of splitmix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
