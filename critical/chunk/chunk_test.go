package chunk

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// TestNamesSayWhatEventsAreOf has names as instrumentations give them, and names about other
// chunks and tokens.
func TestNamesSayWhatEventsAreOf(t *testing.T) {
	for name, want := range map[string]Kind{
		"llm.chunk": Chunk, "llm.content.completion.chunk": Chunk, "ai.stream.firstChunk": Chunk, "Stream chunk received": Chunk,
		"chunk 17": Chunk, "CHUNK": Chunk, "last_chunk": Chunk, "token chunk": Chunk, "gen_ai.chunk": Chunk,
		"token": Token, "tokens": Token, "NewTokenEvent": Token, "gen_ai.token.generated": Token, "token_5": Token,
		"First Token Stream Event": FirstToken, "first_token": FirstToken, "llm.firstToken": FirstToken, "time_to_first_token": FirstToken,
		"prefill_chunk": None, "chunkedPrefill": None, "tokenize": None, "detokenized": None, "Tokenization done": None,
		"access_token.refreshed": None, "AuthToken": None, "token bucket empty": None, "token_usage": None, "waiting for first token": None,
		"last_token": None, "token generation finished": None, "start of token stream": None, "retrieved chunks": None, "DocumentChunk": None,
		"kv_cache_chunk_sent": None, "upload chunk": None, "input_tokens": None, "message": None, "": None, "\xff\xfe": None, "retract": None,
	} {
		if got := KindOf(name); got != want {
			t.Errorf("%q is of %d, want %d", name, got, want)
		}
	}
}

// said is an event of a span.
type said struct {
	name string
	at   int64
	key  string // of an attribute; none when empty
	with table.Value
}

// told are the tables with one span that has some events.
func told(list ...said) *table.Set {
	set := table.NewSet()
	for _, s := range list {
		i := set.SpanEvents.Grow()
		set.SpanEvents.Name[i], set.SpanEvents.Time[i] = set.Symbols.Intern(s.name), s.at
		if s.key != "" {
			set.SpanEvents.Attributes.Add(set.Symbols.Intern(s.key), s.with)
		}
	}
	return set
}

// piece is a chunk that says how many tokens it brought.
func piece(at, n int64) said { return said{"llm.chunk", at, "llm.chunk.tokens", table.IntValue(n)} }

// TestTokensAreWholeNumbers holds which attributes are believed.
func TestTokensAreWholeNumbers(t *testing.T) {
	for i, c := range []struct {
		key  string
		with table.Value
		n    int64
		said bool
	}{
		{"llm.chunk.tokens", table.IntValue(3), 3, true},
		{"token_count", table.DoubleValue(2), 2, true},
		{"tokens", table.StringValue("4"), 4, true},
		{"tokens", table.StringValue("four"), 0, false},
		{"tokens", table.StringValue("0x4"), 0, false},
		{"tokens", table.IntValue(-1), 0, false},
		{"tokens", table.IntValue(Most), Most, true},
		{"tokens", table.IntValue(Most + 1), 0, false},
		{"tokens", table.DoubleValue(1.5), 0, false},
		{"tokens", table.BoolValue(true), 0, false},
		{"content_length", table.IntValue(0), 0, true},
		{"content_length", table.IntValue(12), 0, false},
		{"index", table.IntValue(0), 0, false},
	} {
		e := Of(told(said{"llm.chunk", 0, c.key, c.with}))
		if n, said := e.Tokens(0); n != c.n || said != c.said {
			t.Errorf("%d: %s is %d tokens, %v", i, c.key, n, said)
		}
		if e.Counted() != (c.said && c.key != "content_length") {
			t.Errorf("%d: counted is %v", i, e.Counted())
		}
	}
}

// TestFirstTokenOfEvents has the first token of a span by its events, worked out by hand.
func TestFirstTokenOfEvents(t *testing.T) {
	const unknown = table.Missing
	bare := func(name string, at int64) said { return said{name: name, at: at} }
	for _, c := range []struct {
		name string
		list []said
		made int64
		lost bool
		want First
		none bool
	}{
		{name: "nothing", made: unknown, none: true},
		{name: "other events", list: []said{bare("retract", 5), bare("access token refreshed", 6)}, made: unknown, none: true},
		{name: "a role comes first", list: []said{piece(10, 0), piece(60, 1), piece(65, 2)}, made: 3, want: First{60, ByTokens}},
		{name: "out of order", list: []said{piece(65, 2), piece(60, 1), piece(10, 0)}, made: unknown, want: First{60, ByTokens}},
		{name: "an empty answer", list: []said{piece(10, 0)}, made: 0, none: true},
		{name: "not all of the answer", list: []said{piece(60, 1), piece(65, 2)}, made: 4, none: true},
		{name: "some were lost", list: []said{piece(60, 1), piece(65, 2)}, made: unknown, lost: true, none: true},
		{name: "nothing of the answer was lost", list: []said{piece(60, 1), piece(65, 2)}, made: 3, lost: true, want: First{60, ByTokens}},
		{name: "more than is believed", list: []said{piece(60, Most), piece(65, Most)}, made: unknown, none: true},
		{name: "chunks alone", list: []said{bare("llm.chunk", 10), bare("llm.chunk", 60)}, made: 2, want: First{10, ByChunk}},
		{name: "chunks of which some were lost", list: []said{bare("llm.chunk", 10), bare("llm.chunk", 60)}, made: 2, lost: true, none: true},
		{name: "the first has no content", list: []said{{"llm.chunk", 10, "content_length", table.IntValue(0)}, bare("llm.chunk", 60)}, made: 5, want: First{60, ByChunk}},
		{name: "one that says nothing before one with tokens", list: []said{bare("llm.chunk", 10), piece(60, 1)}, made: unknown, want: First{10, ByChunk}},
		{name: "tokens", list: []said{bare("token", 60), bare("token", 65)}, made: 7, want: First{60, ByTokens}},
		{name: "all tokens though some attribute was lost", list: []said{bare("token", 60), bare("token", 65)}, made: 2, lost: true, want: First{60, ByTokens}},
		{name: "tokens of which some were lost", list: []said{bare("token", 60)}, made: 7, lost: true, none: true},
		{name: "named, before chunks that say nothing", list: []said{bare("llm.chunk", 10), bare("first_token", 60)}, made: unknown, want: First{60, ByName}},
		{name: "named, after chunks that say", list: []said{piece(10, 0), bare("first_token", 10), piece(60, 1)}, made: unknown, want: First{60, ByTokens}},
		{name: "named, with chunks missing", list: []said{bare("first_token", 60), piece(65, 1)}, made: 9, lost: true, want: First{60, ByName}},
		{name: "first and last", list: []said{bare("first_token", 60), bare("last_token", 90)}, made: 9, want: First{60, ByName}},
		{name: "the last alone", list: []said{bare("last_token", 90)}, made: 9, none: true},
	} {
		e := Of(told(c.list...))
		got, ok := e.First(0, int32(len(c.list)), c.made, c.lost)
		if ok == c.none || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, ok, c.want)
		}
	}
}

// TestFirstIsTheEarliestThatMayBeIt: whatever events a span has, in any order, its first token
// is at one of them, and no piece that is known to bring tokens is before it.
func TestFirstIsTheEarliestThatMayBeIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) said {
			s := said{name: rapid.SampledFrom([]string{"llm.chunk", "token", "first_token", "message"}).Draw(t, "name"), at: rapid.Int64Range(0, 50).Draw(t, "at")}
			if rapid.Bool().Draw(t, "says") {
				s.key, s.with = "tokens", table.IntValue(rapid.Int64Range(0, 3).Draw(t, "tokens"))
			}
			return s
		}), 0, 8).Draw(t, "events")
		made := rapid.SampledFrom([]int64{table.Missing, 0, 1, 2, 3, 4, 5}).Draw(t, "made")
		lost := rapid.Bool().Draw(t, "lost")
		e := Of(told(list...))
		got, ok := e.First(0, int32(len(list)), made, lost)
		if other, known := Of(told(rapid.Permutation(list).Draw(t, "order")...)).First(0, int32(len(list)), made, lost); other != got || known != ok {
			t.Fatalf("in another order it is %+v, and was %+v", other, got)
		}
		at := map[int64]bool{}
		for i, s := range list {
			at[s.at] = true
			if n, said := e.Tokens(int32(i)); ok && got.By != ByName && e.IsPiece(int32(i)) && said && n > 0 && s.at < got.AtNS {
				t.Fatalf("%+v comes before the first token, %+v", s, got)
			}
		}
		if ok && !at[got.AtNS] {
			t.Fatalf("%+v is at no event of %+v", got, list)
		}
	})
}

// TestReasoningIsWhatIsSaid holds that only a truth value says it.
func TestReasoningIsWhatIsSaid(t *testing.T) {
	e := Of(told(said{"llm.chunk", 0, "llm.chunk.reasoning", table.BoolValue(true)}, said{"llm.chunk", 0, "llm.chunk.reasoning", table.IntValue(1)}, piece(0, 1)))
	for event, want := range [][2]bool{{true, true}, {false, false}, {false, false}} {
		if is, said := e.Reasoning(int32(event)); [2]bool{is, said} != want {
			t.Errorf("event %d: %v, %v", event, is, said)
		}
	}
}

// TestTokensOfAnAnswerAreKnownIfAllSay: a number that is not all of the answer is none.
func TestTokensOfAnAnswerAreKnownIfAllSay(t *testing.T) {
	bare := said{name: "llm.chunk", at: 70}
	for _, c := range []struct {
		name  string
		list  []said
		lost  bool
		n     int64
		known bool
	}{
		{name: "nothing"},
		{name: "all say", list: []said{piece(10, 0), piece(60, 1), {name: "message", at: 61}, piece(65, 2)}, n: 3, known: true},
		{name: "one does not", list: []said{piece(60, 1), bare}},
		{name: "some were lost", list: []said{piece(60, 1), piece(65, 2)}, lost: true},
		{name: "tokens that do not say", list: []said{{name: "token", at: 60}, {name: "token", at: 65}}},
		{name: "more than is believed", list: []said{piece(60, Most), piece(65, 1)}},
		{name: "named alone", list: []said{{name: "first_token", at: 60}}},
	} {
		n, known := Of(told(c.list...)).Made(0, int32(len(c.list)), c.lost)
		if known != c.known || known && n != c.n {
			t.Errorf("%s: %d, %v; want %d, %v", c.name, n, known, c.n, c.known)
		}
	}
}
