// Package serverlog answers one question: which requests, instants and readings does this
// log tell of? It turns the logs of gateways and engines into rows of a table.Set, by
// declared formats.
//
// # Worked example
//
//	set, account := table.NewSet(), &table.Account{}
//	d := serverlog.NewDecoder(set, account, "haproxy.log", serverlog.Options{
//		Zone: func(source, format string) *time.Location { return berlin },
//	})
//	err := d.Read(file, serverlog.Start{Line: 1})
//
// The line
//
//	10.0.3.14:51822 [20/Aug/2026:12:00:00.101] front back/vllm1 0/12/1/902/3418 200 ...
//
// becomes a span of 3.418 s with the parts queue (12 ms), network (1 ms), and two of what
// the server behind it did, which HAProxy cannot tell apart.
//
// # How a log is read
//
// Package line takes off what containers, syslog and journald put around a record.
// Package match finds the values in its text, and package format says what they mean.
// The formats are the files in the folder formats, one each; those of a user are the same
// declarations, and stand before them. Nothing that is known of one program is written
// in Go.
//
// The format of an input is the one that claims most of its first lines. Lines are tried
// against it first and then against all others, since programs share a log. A text that
// is no record, or a reading behind which anything may stand, is searched for another
// record with a head: processes write without line feeds between them.
//
// # Rows
//
//   - A request is a row of the spans table, of origin record, kind SERVER and without a
//     parent; its ids are made of its place. What the record says of its time is rows of
//     the parts table.
//   - An instant is a row of the logs table, with the event name "<format>.<record>".
//   - A reading is rows of the engine_samples table.
//   - There is a row of the scopes table for each service, host, instance and format.
//
// Durations and instants among attributes are whole ns, under a name that ends in _ns.
//
// # Guarantees
//
//   - Every record is used, or unused for a reason that Stats names: Lines is Used plus
//     the sum of Unused.
//   - Nothing in a log makes reading fail or panic, and no bad line costs a good one.
//   - The rows depend on the bytes and the Options alone, not on how the bytes come.
//   - The text of a line is stored nowhere, unless KeepText asks for it, and then with the
//     rows of the logs table alone. Fields are stored only if a declaration names them.
//     Issues name formats, records and fields, and no values.
//   - Memory is bounded by the longest record, by 2^20 requests that have begun and not
//     ended, and by 32 bytes for every row that waits for its year.
//
// # Years
//
// Dates without a year are about in order: each is taken for the year that puts it next to
// the one before it, so that January follows December. The first one's year is the one
// given in Options; else the one that puts the dates next to one with a year in the same
// input, wherever it stands; else the last one that puts none more than a day behind
// Options.Reference. If nothing tells it, the rows are on a steady clock.
//
// # Zones
//
// Times without a zone are in that of the format, if the program fixes it, else in the one
// that Options gives, else taken for UTC, which is counted. Of an hour that clocks show
// twice, the first is meant, unless it lies before the line before.
//
// # Ranks
//
// The ranks of an engine log the same readings. Records of one time that differ in the
// fields of rank alone are one record, except that what one rank writes twice is two.
//
// # Issues
//
//	log-assumed-utc      warning  times without a zone were taken for UTC
//	log-bad-record       error    a record of a known shape has a field that could not be read
//	log-bad-value        warning  a field could not be read; the record was kept without it
//	log-dst-gap          warning  the zone has no such time
//	log-dst-overlap      warning  the zone has this time twice
//	log-id-reused        warning  a request began under the id of one that had not ended
//	log-impossible-time  warning  a recorded time cannot be, and was not used
//	log-new-year         info     dates without a year go on into another
//	log-no-begin         warning  a request ended that had not begun in this log
//	log-no-begin-update  info     likewise, in the middle of a request
//	log-no-end           warning  a record tells a request without end or duration
//	log-no-time          warning  a request or reading has no time
//	log-no-year          warning  dates have no year, and nothing tells it
//	log-rank-duplicate   info     another rank wrote the same record
//	log-too-many-open    error    a request was given up since too many had not ended
//	log-unfinished       warning  a request did not end in this log
//	log-untold-time      info     a program set a stamp anew, so that a part of a request is not told
//	log-year-inferred    info     the year of dates was found out, and by what
package serverlog
