// Package page says what a reader sees of a document, in the order of reading and in no
// format yet: sections of paragraphs, labelled texts, tables with their footnotes, and charts.
// Text, Markdown and HTML are drawn from a page, so that they say the same.
//
// # Guarantees
//
//   - Nothing is read but the document.
//   - Every text is fit to be shown: no control character, no escape sequence, none that
//     reorders or hides text. It is not escaped for any format: that is the format's work.
//   - A column has one unit. Parts of a sum add up to it as printed, a difference is that of
//     the printed figures, and shares of a whole add up to 100.0.
//   - The ids of sections, tables and figures are unlike one another and the same for every
//     document of a kind, so that a link can be kept.
package page
