package otlp

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/ingest/discretion"
	"github.com/tailpath/tailpath/ingest/table"
)

// withholder leaves the texts of prompts and outputs out of what a Decoder stores.
type withholder struct {
	secret []bool          // by symbol: the key holds text
	nested map[string]bool // by path of a key inside a value
	left   int             // texts left out of the record that is being stored
	first  string          // where the first of them was
	out    []byte
}

// learn judges the symbols that came since the last call.
func (l *withholder) learn(symbols *table.Symbols) {
	for id := len(l.secret); id < symbols.Len(); id++ {
		l.secret = append(l.secret, discretion.HoldsText(symbols.Text(table.Sym(id))))
	}
}

// isSecret reports whether a key inside a value holds text, by itself or as the end of
// its path.
func (l *withholder) isSecret(path string) bool {
	is, ok := l.nested[path]
	if !ok {
		for rest, more := path, true; more && !is; {
			is = discretion.HoldsText(strings.ReplaceAll(rest, "\x00", "."))
			_, rest, more = strings.Cut(rest, "\x00")
		}
		if l.nested == nil || len(l.nested) >= maxFound {
			l.nested = map[string]bool{}
		}
		l.nested[path] = is
	}
	return is
}

func (l *withholder) note(key string) {
	if l.left++; l.left == 1 {
		l.first = fmt.Sprintf("attribute %.60q", key)
	}
}

// store appends attributes to the last row of a column, without texts of prompts and
// outputs unless they are kept.
func (d *Decoder) store(to *table.Attrs, list []table.Attr) {
	if d.opt.KeepText {
		for _, a := range list {
			to.Add(a.Key, a.Value)
		}
		return
	}
	l := &d.withholder
	for _, a := range list {
		if int(a.Key) >= len(l.secret) {
			l.learn(d.set.Symbols)
		}
		if a.Value.Type == table.ValueString && !l.secret[a.Key] {
			if i := discretion.Query(a.Value.Text); i >= 0 {
				l.note(d.set.Symbols.Text(a.Key))
				l.out = discretion.LeftOut(append(l.out[:0], a.Value.Text[:i]...), len(a.Value.Text)-i)
				a.Value.Text = l.out
			}
		}
		if l.secret[a.Key] || a.Value.Type >= table.ValueArray ||
			a.Value.Type == table.ValueString && mayQuote(a.Value.Text) {
			a.Value = l.without(a.Value, d.set.Symbols.Text(a.Key), l.secret[a.Key])
		}
		to.Add(a.Key, a.Value)
	}
}

// mayQuote reports whether a text can be one that discretion.Quotes looks into.
func mayQuote(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	switch text[0] {
	case '{', '[', '"', '\'', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

// without returns a value without the texts in it. Numbers and bools are no texts.
func (l *withholder) without(v table.Value, key string, secret bool) table.Value {
	switch {
	case v.Type < table.ValueBytes && v.Type != table.ValueString || len(v.Text) == 0:
		return v
	case secret:
		l.note(key)
		l.out = discretion.LeftOut(l.out[:0], len(v.Text))
		return table.Value{Type: table.ValueString, Text: l.out}
	case v.Type == table.ValueString && discretion.Quotes(v.Text, l.isSecret):
		return l.without(v, key, true)
	case v.Type < table.ValueArray:
		return v
	}
	s := scrubber{canonical: canonical{text: v.Text}, l: l, out: l.out[:0]}
	s.list(key, v.Type == table.ValueKvlist)
	l.out = s.out
	if s.bad || s.at != len(s.text) { // never seen; what cannot be followed is not shown
		return l.without(v, key, true)
	}
	v.Text = s.out
	return v
}

// noteLeftOut counts what was left out of the record that was just stored.
func (d *Decoder) noteLeftOut(at table.Place) {
	l := &d.withholder
	if l.left == 0 {
		return
	}
	d.account.Add(TextLeftOut, int64(l.left), at, l.first)
	l.left = 0
}

// spanName returns the name of a span without the query of an address in it.
func (d *Decoder) spanName(name []byte) []byte {
	if i := discretion.Query(name); i >= 0 && !d.opt.KeepText {
		d.withholder.note("of the span's name")
		return name[:i-1]
	}
	return name
}
