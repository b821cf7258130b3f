// Package ingest answers one question: what is in these inputs? It opens files,
// directories, patterns and standard input, tells from the content what each of them
// is, has it decoded, and puts everything into one table.Set with an account of what
// was lost, repaired or doubtful.
//
// # What is read
//
// OTLP traces, logs and metrics in every form of package otlp; the other trace files of
// package tracefile; lines of logs in the formats of package serverlog, which the bodies
// of OTLP log records may be, too, also in colours, as containers write them, or several
// in one body; plain or compressed by gzip or zstd as a whole, in
// UTF-8 or UTF-16; and directories of tables that tailpath wrote. In a directory all
// files below it are read, in order of their names; names that begin with . or _ are
// passed over. Names never say what a file is: a protobuf stream may be called x.json.
// Tables below such a directory are read only if nothing else there is.
//
// Lines whose times have no year are read last. Their year is the one that Options
// gives, else that of dated lines of the same input, else of all else that was read,
// else of the date of the file; which of them is counted as an issue.
//
// # What is guaranteed
//
//   - The rows, the account and the report are the same for any number of workers and
//     any order of the paths. The Set is canonical.
//   - A file is read once, however many names it was given.
//   - Bad content never is an error: it is counted, with its place, and costs itself
//     only. An error is returned when a path cannot be opened, when nothing could be
//     read at all, when the rows take more than Options.RowBytes, or would by
//     the end, and when the context ends.
//   - An input that is not read gets one sentence on what it looks like and one on what
//     to do, be it an Error or an entry of the account.
//   - Apart from the rows, memory is bounded by the number of workers times the largest
//     record, whatever the size of the input and whatever it decompresses to.
//
// # Issues
//
//	input-unread           warning  a named input is of a kind that is not read, or a file cannot be opened
//	input-skipped          info     so is a file of a directory
//	input-empty            info     a file has no bytes
//	input-cut-compression  loss     a compressed stream is cut or damaged
//	input-read-failed      loss     the system failed while an input was read
//	input-tables-passed-over warning  tables lie below a directory of telemetry
//	input-named-twice      info     one file has two names
//	input-flag-unused      warning  a rule or zone for logs matches no input
//	input-same-bytes       warning  two files hold the same bytes
//
// # Example
//
//	set, account, report, err := ingest.Read(ctx, []string{"incident/"}, ingest.Options{})
//	var problem *ingest.Error
//	if errors.As(err, &problem) {
//		fmt.Println("error:", problem)
//		fmt.Println("hint:", problem.Hint)
//	}
package ingest
