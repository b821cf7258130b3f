package chunk

import (
	"math"
	"strconv"

	"github.com/tailpath/tailpath/ingest/table"
)

// The attributes of an event that say how many tokens a chunk brought, those that say how long
// its content is, and the one that says whether its tokens were of reasoning.
var (
	countKeys  = []string{"llm.chunk.tokens", "chunk.tokens", "gen_ai.chunk.tokens", "token_count", "tokens"}
	lengthKeys = []string{"llm.chunk.content_length", "chunk.content_length", "gen_ai.chunk.content_length", "content_length", "content.length"}
)

const reasoningKey = "llm.chunk.reasoning"

// Most is the greatest number of tokens that is believed of one answer.
const Most = 1_000_000_000

// Events knows what the span events of a set tell of answers.
type Events struct {
	set             *table.Set
	kinds           map[table.Sym]Kind // by name; of no answer where absent
	counts, lengths []table.Sym
	reasoning       table.Sym
}

// Of returns what the events of a set tell. It takes one pass over their names; the set must
// not change meanwhile, nor afterwards.
func Of(set *table.Set) *Events {
	e := &Events{set: set, kinds: map[table.Sym]Kind{}}
	seen := map[table.Sym]bool{}
	for _, name := range set.SpanEvents.Name {
		if seen[name] {
			continue
		}
		seen[name] = true
		if k := KindOf(set.Symbols.Text(name)); k != None {
			e.kinds[name] = k
		}
	}
	occurring := func(keys []string) (list []table.Sym) {
		for _, key := range keys {
			if sym, ok := set.Symbols.Lookup(key); ok {
				list = append(list, sym)
			}
		}
		return list
	}
	e.counts, e.lengths = occurring(countKeys), occurring(lengthKeys)
	e.reasoning, _ = set.Symbols.Lookup(reasoningKey)
	return e
}

// Kind returns what an event is of.
func (e *Events) Kind(event int32) Kind { return e.kinds[e.set.SpanEvents.Name[event]] }

// IsPiece reports whether an event is of a chunk or a token: a piece of an answer.
func (e *Events) IsPiece(event int32) bool {
	k := e.Kind(event)
	return k == Chunk || k == Token
}

// Tell reports whether some event is of an answer at all.
func (e *Events) Tell() bool { return len(e.kinds) > 0 }

// Pieces reports whether some event is a piece of an answer.
func (e *Events) Pieces() bool {
	for _, k := range e.kinds {
		if k == Chunk || k == Token {
			return true
		}
	}
	return false
}

// Counted reports whether some piece of an answer says how many tokens it brought.
func (e *Events) Counted() bool {
	if len(e.counts) == 0 || !e.Pieces() {
		return false
	}
	for i := range e.set.SpanEvents.Name {
		if e.IsPiece(int32(i)) {
			if _, said := e.Tokens(int32(i)); said {
				return true
			}
		}
	}
	return false
}

// Tokens returns how many tokens an event says that it brought: what the first of its
// attributes says that is a whole number up to [Most], and 0 where its content has no length.
// Nothing is said where there is neither.
func (e *Events) Tokens(event int32) (n int64, said bool) {
	for _, key := range e.counts {
		if n, ok := e.whole(event, key); ok {
			return n, true
		}
	}
	for _, key := range e.lengths {
		if n, ok := e.whole(event, key); ok && n == 0 {
			return 0, true
		}
	}
	return 0, false
}

// whole returns an attribute of an event that is a whole number from 0 to [Most].
func (e *Events) whole(event int32, key table.Sym) (int64, bool) {
	v, ok := e.set.SpanEvents.Attributes.Get(int(event), key)
	if !ok {
		return 0, false
	}
	f := math.NaN()
	switch v.Type {
	case table.ValueInt:
		f = float64(v.Int())
	case table.ValueDouble:
		f = v.Double()
	case table.ValueString:
		if n, err := strconv.ParseInt(string(v.Text), 10, 64); err == nil {
			f = float64(n)
		}
	}
	if f >= 0 && f <= Most && f == math.Trunc(f) {
		return int64(f), true
	}
	return 0, false
}

// Reasoning returns whether the tokens of an event were of reasoning, if it says so.
func (e *Events) Reasoning(event int32) (is, said bool) {
	if e.reasoning == 0 {
		return false, false
	}
	v, ok := e.set.SpanEvents.Attributes.Get(int(event), e.reasoning)
	if !ok || v.Type != table.ValueBool {
		return false, false
	}
	return v.Bool(), true
}
