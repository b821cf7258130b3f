// Package discretion answers one question: which recorded values hold what people wrote
// or were answered? Prompts and outputs are nobody's business but theirs, and explain no
// latency, so readers leave them out of the tables unless they are told to keep them.
//
// Attributes are judged by their keys, which are those of the GenAI conventions, of
// OpenInference, OpenLLMetry and others like them; a text that is an object or array is
// judged by the names of its members, too. Numbers and bools are never texts.
//
//	if discretion.HoldsText("gen_ai.prompt.0.content") {
//		value = discretion.LeftOut(nil, len(value))
//	}
package discretion
