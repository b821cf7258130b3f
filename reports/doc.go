// Package reports makes the document: one versioned JSON value that holds an answer
// in full, with what it stands on and what was left out. Text, Markdown, HTML and
// CSV are drawn from a document alone and never look at the data behind it.
//
// # Guarantees
//
//   - A document depends on nothing but the analysis and the Run it was made from:
//     no clock, no host, no terminal. Equal ones are equal to the byte.
//   - Every document satisfies schema.json, which SchemaJSON returns.
//   - Integers named _ns are nanoseconds. Stage times add up to the total beside
//     them, and shares of a whole add up to 1.
//   - What is not known is null, never 0.
//   - As JSON no string holds a character that a terminal obeys or that reorders text:
//     they are escaped.
//   - A report holds the answers that it stands on, each once, and is below 1.5 MB
//     however many requests it is of, unless more than usual is listed. What it is set against may come from tables or
//     from an earlier document, and gives the same figures.
//   - The headline uses the same rounded figures as the tables.
//
// # Example
//
//	run := reports.Run{Version: "1.0.0", Command: os.Args, Operands: []string{"incident/"}}
//	doc := run.Summary(analyze.Summarize(set, analyze.Options{}))
//	doc.Headline // queue takes the largest part of what makes slow requests slow: ...
//	doc.Next     // tailpath explain incident/ --slowest 5
//	err := reports.WriteJSON(os.Stdout, doc)
package reports
