// Package markdown draws a page as GitHub-flavoured Markdown, for a pull request, a step summary,
// a wiki or an issue. It says what the text of the same document says, in the same order.
//
// The headline is the title; sections have headings, and those that a reader opens are folded
// into details elements. A chart is its answer in bold, and the table that follows has its
// figures. The last lines are the command to run next.
//
// # Tables
//
// Numbers are aligned to the right by the line under the head. Cells are not padded: a wider
// figure next week changes one line and not all of them, and the bytes are needed elsewhere.
// The table library that text uses also writes Markdown, padded and with a | in a name left
// as it is, so that a name can add columns; tables are therefore written here.
//
// # Guarantees
//
//   - Names from the input are text and nothing else: they make no HTML, link, mention,
//     reference to an issue, formula, emphasis or list, and a table keeps its columns.
//   - The output is at most as long as Options.MaxBytes says, or is none. What is left out for that is whole folded sections,
//     the last first, then last rows of the longest tables, then whole parts; it is counted,
//     and the command that prints all of it is named. No line is ever cut.
//   - Equal pages give equal bytes.
//
// # Example
//
//	err := markdown.Write(os.Stdout, doc, page.Of(doc, page.Options{Brief: true}))
package markdown
