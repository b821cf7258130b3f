// Package page says what a reader sees of a document, in the order of reading and in no
// format yet: sections of paragraphs, labelled texts, tables with their footnotes, waterfalls
// and charts. Text, Markdown and HTML are drawn from a page, so that they say the same.
//
// # Guarantees
//
//   - Nothing is read but the document.
//   - Every text is fit to be shown, those of charts too: no control character, no escape
//     sequence, none that reorders or hides text. Escape sequences are taken out, other such
//     characters are spelled. It is not escaped for any format: that is the format's work.
//   - A column has one unit. Parts of a sum add up to it as printed, a difference is that of
//     the printed figures, and shares of a whole add up to 100.0.
//   - A table has rows, and each row as many cells as there are columns. Several tables of a
//     section have captions. A footnote stands in the section of the first table that shows its
//     mark.
//   - The ids of sections, tables, waterfalls and figures are unlike one another and the same
//     for every document of a kind, whatever its figures are, so that a link can be kept. That of
//     a bottleneck is the bottleneck's own, which it keeps from week to week.
//   - Nothing is cut but lists, which have their usual number of rows or as many as the document
//     says, and what Options.Brief cuts; what is cut is counted.
//
// # Example
//
//	p := page.Of(doc, page.Options{})
//	p.Headline // queue takes the largest part of what makes slow requests slow: ...
//	for _, s := range p.Sections {
//		for _, b := range s.Blocks {
//			switch b := b.(type) {
//			case page.Table:
//				drawTable(b.Columns, b.Rows)
//			}
//		}
//	}
package page
