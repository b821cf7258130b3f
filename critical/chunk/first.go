package chunk

import "github.com/tailpath/tailpath/ingest/table"

// Known is what is known of how many tokens the pieces of an answer brought.
type Known uint8

// What is known.
const (
	All     Known = iota // all pieces are there, and the tokens of each are known
	Some                 // nothing says how many tokens each brought
	Missing              // the pieces are not all of the answer, and which ones are not is unknown
)

// Tally sums up the pieces of one answer. The zero Tally has none.
type Tally struct {
	pieces, sum int64
	unsaid      bool // some piece does not say how many tokens it brought
	other       bool // some piece says, or is no token
}

// Add counts a piece, an event of a chunk or a token with what it says of its tokens.
func (t *Tally) Add(k Kind, tokens int64, said bool) {
	t.pieces++
	t.sum = min(t.sum+tokens, Most+1)
	t.unsaid = t.unsaid || !said
	t.other = t.other || said || k != Token
}

// Single reports whether every piece is of a token and none says how many it brought: then
// each brought one, if they are all of the answer.
func (t *Tally) Single() bool { return !t.other }

// Of returns what is known of an answer of so many tokens, [table.Missing] for an unknown
// number. lost says that the span lost something of what was recorded.
func (t *Tally) Of(made int64, lost bool) Known {
	switch {
	case t.Single() && t.pieces == made:
		return All
	case t.unsaid && lost:
		return Missing
	case t.unsaid:
		return Some
	case t.sum > Most, made != table.Missing && t.sum != made, made == table.Missing && lost:
		return Missing
	}
	return All
}

// Made returns how many tokens an answer has by the events of a span in rows [from, to): known
// where each piece says how many it brought and nothing was lost. lost is as for [Tally.Of].
func (e *Events) Made(from, to int32, lost bool) (tokens int64, known bool) {
	if !e.Tell() {
		return 0, false
	}
	var tally Tally
	for event := from; event < to; event++ {
		if e.IsPiece(event) {
			n, said := e.Tokens(event)
			tally.Add(e.Kind(event), n, said)
		}
	}
	return tally.sum, tally.pieces > 0 && tally.Of(table.Missing, lost) == All
}

// By is what shows the first token.
type By uint8

// What shows it, the best first.
const (
	ByTokens By = iota // the first piece that brought tokens
	ByName             // an event that is named for it
	ByChunk            // the first piece, which may be empty
)

// First is the first token of an answer by the events of one span.
type First struct {
	AtNS int64 // as the event was recorded
	By   By
}

// First returns the first token that the events of a span in rows [from, to) show of an answer
// of made tokens, as the span itself says; [table.Missing] for an unknown number. Pieces that
// are known to be empty are passed over, and where some are missing the first may be. lost is as
// for [Tally.Of].
func (e *Events) First(from, to int32, made int64, lost bool) (First, bool) {
	if !e.Tell() {
		return First{}, false
	}
	var tally Tally
	var named, brought, perhaps, none instant
	for event := from; event < to; event++ {
		at := e.set.SpanEvents.Time[event]
		switch k := e.Kind(event); k {
		case FirstToken:
			named.take(at)
		case Chunk, Token:
			n, said := e.Tokens(event)
			tally.Add(k, n, said)
			if said && n > 0 || !said && k == Token {
				brought.take(at)
			} else if !said {
				perhaps.take(at)
			}
		}
	}
	if tally.pieces > 0 && tally.Of(made, lost) == Missing {
		brought, perhaps = none, none
	}
	switch {
	case brought.known && (!perhaps.known || brought.at <= perhaps.at):
		return First{brought.at, ByTokens}, true
	case named.known:
		return First{named.at, ByName}, true
	case perhaps.known:
		return First{perhaps.at, ByChunk}, true
	}
	return First{}, false
}

// instant is the earliest of some instants.
type instant struct {
	at    int64
	known bool
}

func (i *instant) take(at int64) {
	if !i.known || at < i.at {
		i.at, i.known = at, true
	}
}
