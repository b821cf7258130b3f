// Package line answers one question: which log records do these bytes hold, without
// what others put around them? It turns a stream of bytes into records, each with its
// place, and with the time, stream and names that wrappers tell.
//
// # What is taken off
//
// Line ends of any kind, byte order marks, NUL bytes and the escape sequences of a
// terminal. UTF-16 of both orders is read as UTF-8, with a byte order mark or without.
// Of a text with carriage returns within, only what stands behind the last one that has
// text behind it is seen, as on a terminal.
//
// Then up to four wrappers, each within the one before:
//
//	container runtime   2026-08-20T12:00:00.123456789Z stdout F text
//	Docker's file       {"log":"text\n","stream":"stdout","time":"2026-08-20T12:00:00Z"}
//	kubectl, docker     2026-08-20T12:00:00.123456789Z text
//	kubectl --prefix    [pod/name/container] text
//	docker compose      name-1  | text
//	docker service      name.1.id@host    | text
//	stern               pod-7d9f8c6b5d-x2x4z container text
//	syslog              <134>Aug 20 12:00:00 host program[1]: text, with <134> or without
//	syslog, RFC 5424    <134>1 2026-08-20T12:00:00Z host program 1 - - text
//	journalctl          forms short, short-precise, short-iso, short-full, short-unix
//	JSON, one a line    journalctl -o json, Fluent Bit, Fluentd, Vector, Filebeat, FireLens,
//	                    Google Cloud Logging, CloudWatch Logs, logcli -o jsonl
//
// A JSON object is a wrapper only if it has members that together no server's own
// record has; any other object is a record, and left as it is. A time before a text
// is a wrapper if the text begins as a record of its own does, because servers begin
// records with such times too. Once times with nine digits, which container runtimes
// write, are shown to be wrappers, all such times are.
//
// Parts of a record are joined: those of a container runtime marked P up to the one
// marked F, and those of Docker up to a newline, for each stream of each container.
// Where a tool has taken away the newlines of Docker, each record is whole.
//
// # Several records of one line
//
// A text in a wrapper may hold several lines, and JSON objects may stand behind each
// other. With Options.Begins, records that were written without a newline between them
// come out one by one too, as do those between the pictures of a progress bar. Records
// that consist of several lines are not put together here.
//
// # Guarantees
//
//   - Every byte belongs to one physical line, and every physical line begins a record or
//     is counted in Stats.Joined. No input stops the reading; only an error of the
//     stream does.
//   - How the stream is cut into reads does not show.
//   - Records come in the order of the physical lines in which they end. Offset and Nth
//     together are unique, and Offset is one of the input even for UTF-16.
//   - Memory is bounded: of a record of any length the first Options.MaxLine bytes are
//     kept, and Options.MaxWhole of one that begins with a JSON object or that
//     Options.Whole names. What is overwritten by a carriage return, and NUL bytes, do
//     not count. At most 64 records, of Options.MaxWhole bytes together, wait for their
//     last part.
//   - Bytes that are not valid UTF-8 are kept as they are.
//   - A time without a year or a zone is not read, as that of syslog: Time is what is sure.
//
// # Issues
//
//	line-too-long      warning  the end of a record was not kept
//	line-invalid-utf8  info     a physical line is not valid UTF-8
//	line-nul-bytes     info     NUL bytes were left out
//	line-partial-lost  warning  the last part of a record was not met
//	line-unended       info     Docker records have no newlines at their ends
//
// # Example
//
//	r := line.NewReader(file, account, "server.log", line.Options{})
//	for l, ok := r.Next(); ok; l, ok = r.Next() {
//		use(l.Text, l.Line, l.Time)
//	}
//	err := r.Err()
package line
