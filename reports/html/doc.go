// Package html draws a page as one HTML file that opens anywhere: from disk, by mail, on
// paper, in a dark room, on a telephone, without a network and without scripts.
//
// # Guarantees
//
//   - The file is whole. It loads nothing, and a content security policy in it forbids that
//     it ever does: styles and the script are let in by their digests, all else is refused. No
//     link leaves it; addresses that a document holds are written out as text, so that they
//     are on paper as they are on the screen.
//   - Whatever comes from a document is text. No name, path or message of the input becomes an
//     element, an attribute or a script, and characters that hide or reorder text are spelled.
//   - All is there without scripts. The script sorts and filters tables, copies them as CSV,
//     folds details and remembers a theme; its controls are made by itself.
//   - The document is inside: [Island] finds it, and reports.ReadJSON reads it back.
//   - Text has a contrast of 4.5:1 or more in both themes, marks of 3:1; each table has a caption
//     and headers with a scope; each chart has a name; nothing is told by colour alone.
//   - A file is at most [MaxBytes] long, or as long as Options say, unless what may not be left out is
//     longer. What is left out for that is said at the top of it and in its place.
//   - Equal documents and pages give equal bytes.
//
// # Example
//
//	err := html.Write(w, doc, page.Of(doc, page.Options{}))
//
// # The parts
//
// page.css and page.js are the style and the script; the colours come from one table
// (tokens.go) for both themes and from chart.Palette for the stages. A page has ids of letters,
// digits and hyphens; ids that this package makes have a dot in them, so that they never meet.
package html
