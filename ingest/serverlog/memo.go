package serverlog

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// memo is the symbol of the last text of a field, since most fields hardly change.
type memo struct {
	text []byte
	sym  table.Sym
}

// intern returns the symbol of a text.
func (m *memo) intern(symbols *table.Symbols, text []byte) table.Sym {
	if m.is(text) {
		return m.sym
	}
	return m.keep(text, symbols.InternBytes(text))
}

// is reports whether the last text was this one, and has a symbol.
func (m *memo) is(text []byte) bool { return m.sym != 0 && bytes.Equal(m.text, text) }

// keep makes a text the last one, and returns its symbol.
func (m *memo) keep(text []byte, sym table.Sym) table.Sym {
	m.text, m.sym = append(m.text[:0], text...), sym
	return sym
}
