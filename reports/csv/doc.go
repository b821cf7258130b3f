// Package csv writes the lists of a document as tables, for spreadsheets and for tools that
// read columns. A table is named by its path in the JSON, such as summary.duration.percentiles,
// and has one row for each object of that list.
//
// # Columns
//
//   - An object within an object becomes columns with its name before them: exemplar.trace_id.
//   - A list of objects within an object is a table of its own, whose rows begin with what names
//     the objects above them: metrics.row, the place in its list counted from 1, and
//     metrics.metric. A list of plain values is one cell, with a space between the values;
//     lists within it are parted by a semicolon.
//   - What a section has beside its lists is one row under the name of the section: summary.
//     The table document is what the document says of itself.
//   - Which columns there are, and their order, depends on the kind of table alone and never on
//     what was found, so that files of several weeks can be put under one another.
//
// # Guarantees
//
//   - Numbers are those of the JSON, with no digit lost: ns as integers, shares from 0 to 1.
//     What is null or absent there is an empty cell.
//   - A row is one line. Lines end in LF alone, as other tools of a pipe expect; RFC 4180 has
//     CR LF, and what reads that reads this.
//   - Text that a spreadsheet would take for a formula, which is text that begins with = + - @
//     or their wide forms, gets a ' before it. Numbers are left alone.
//   - Control characters, and those that reorder or hide text, are spelled as \u{1b}.
//   - Equal documents give equal bytes.
//
// # Example
//
//	err := csv.Write(os.Stdout, doc, "") // the table that answers the document's question
//	for _, table := range csv.Tables(doc) {
//		fmt.Println(table.Name, len(table.Rows), table.About)
//	}
package csv
