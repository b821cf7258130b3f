// Package discretion answers one question: which recorded values hold what people wrote
// or were answered? Prompts and outputs are nobody's business but theirs, and explain no
// latency, so readers leave them out of the tables unless they are told to keep them.
//
// Attributes are judged by their keys, which are those of the GenAI conventions, of
// OpenInference, OpenLLMetry and others like them; a text that is an object or array is
// judged by the names of its members, too, and of those in texts that it quotes. How a
// key is spelt does not matter: inputMessages, input-messages and input_messages are one.
// Of an address, such as that of url.full, the query is text as well. Numbers and bools
// are never texts, and what tells of the size, the role or the end of
// a text is none.
//
//	if discretion.HoldsText("gen_ai.prompt.0.content") {
//		value = discretion.LeftOut(nil, len(value))
//	}
package discretion
