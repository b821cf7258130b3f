package chunk

import (
	"slices"
	"strings"
	"unicode"
)

// Kind is what an event is of.
type Kind uint8

// The kinds of events.
const (
	None       Kind = iota // nothing of an answer
	Chunk                  // a piece of an answer, of as many tokens as it says
	Token                  // the same, of one token if it does not say
	FirstToken             // the instant of the first token; no piece
)

// How words of a name begin that is about chunks or tokens and not about a piece of an answer:
// of a prompt, of a document, of the cache of an engine, of what lets a caller in, of an account
// of tokens, or of the work around a stream.
var (
	otherWords = strings.Fields(`
		tokeniz tokenis detokeniz detokenis prefill prompt input upload
		document retriev embed rerank kv cache
		auth oauth access refresh bearer csrf jwt
		bucket quota budget limit usage count
		start begin wait error fail invalid valid expire revoke`)
	// lastWords are of the end of a stream. The last chunk is a chunk; an event that is named for
	// the last token, or for all of them being done, is no token more.
	lastWords = strings.Fields(`last final finish complete done end`)
)

// KindOf returns what an event of some name is of. A name with "chunk" in it is of a chunk; one
// with "token" is of a token, and of the first one with "first" besides. Names with a word that
// says that something else is meant are of none: "prefill chunk", "access_token.refreshed",
// "token usage", "last token".
func KindOf(name string) Kind {
	folded := strings.ToLower(name)
	chunk := strings.Contains(folded, "chunk")
	if !chunk && !strings.Contains(folded, "token") {
		return None
	}
	words := wordsOf(name)
	switch {
	case anyBegins(words, otherWords):
		return None
	case chunk:
		return Chunk
	case anyBegins(words, lastWords):
		return None
	case strings.Contains(folded, "first"):
		return FirstToken
	}
	return Token
}

// anyBegins reports whether a word begins as one of a list.
func anyBegins(words, list []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(list, func(begins string) bool { return strings.HasPrefix(word, begins) })
	})
}

// wordsOf returns the words of a name in lower case: runs of letters, which a capital behind a
// small letter parts as well.
func wordsOf(name string) (words []string) {
	from, before := -1, ' '
	flush := func(to int) {
		if from >= 0 && from < to {
			words = append(words, strings.ToLower(name[from:to]))
		}
		from = -1
	}
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r):
			flush(i)
		case from < 0:
			from = i
		case unicode.IsUpper(r) && unicode.IsLower(before):
			flush(i)
			from = i
		}
		before = r
	}
	flush(len(name))
	return words
}
