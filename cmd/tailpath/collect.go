package main

import "runtime/debug"

// Go's collector lets the heap grow to twice what is in use before it looks for garbage. Rows
// are columns of numbers, in which it has hardly anything to look at: from manyRows bytes of them
// on it may look more often, which costs little and saves much of what is garbage by then.
const (
	manyRows     = 256 << 20
	tightPercent = 40 // by how much the heap may grow instead, of what is in use
)

// collectTightly has the collector keep the heap small once many bytes of rows were read, unless
// GOGC says how it is to work.
func (p *program) collectTightly(rows int64) {
	if rows >= manyRows && p.env("GOGC") == "" {
		debug.SetGCPercent(tightPercent)
	}
}
