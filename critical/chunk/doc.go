// Package chunk answers one question: which events of spans are pieces of an answer, and how
// many tokens did each bring?
//
// Clients, gateways and servers that stream an answer may record an event for every piece as it
// passes. Nothing standardises their names, so what an event is follows from the words of its
// name (see [KindOf]): a chunk, a token, the first token, or nothing of an answer. How many
// tokens a chunk brought is told by one of its attributes, such as llm.chunk.tokens; that it
// brought none, also by a length of its content of 0. A chunk that tells neither may be empty:
// chat streams often begin with one that has no more than a role.
//
// # Guarantees
//
// All that reads events of tokens asks here, so that a first token in a chart, a table and a
// verdict is the same. Texts of answers are not looked at: they may have been left out, and
// that must change no figure. An Events is not changed once made, and any number of goroutines
// may use it.
//
// # Example
//
//	events, index := chunk.Of(set), stage.EventIndex(set)
//	first, ok := events.First(index[row], index[row+1], made, lost)
//	if ok && first.By != chunk.ByChunk {
//		fmt.Println("a token came at", first.AtNS)
//	}
package chunk
