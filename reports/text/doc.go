// Package text draws a document for a terminal or a pipe: what package page says of it, in
// columns of characters. The first line answers the question, tables prove it, then comes what
// was left out, and the last line names the next command.
//
// # Guarantees
//
//   - Nothing is read but the document: no terminal, no environment, no clock.
//   - What is said, and that its figures add up, is the work of package page; nothing is added.
//   - Names from the input cannot move the cursor, colour the screen or reorder the
//     line: escape sequences are taken out, other control characters and invisible ones
//     are spelled. Without Color there is no escape character at all.
//   - With Width 0 nothing is cut. With a width, words and paragraphs that are far longer
//     than ours lose their middle, and say how many characters it had; a waterfall of very
//     many spans leaves out the shortest of those off the path and counts them; and no line
//     is longer than the width, except the next command when one of its words is: a cut
//     command would be another command.
//
// # Example
//
//	err := text.Write(os.Stdout, doc, text.Options{Width: 80})
package text
