// Package match answers one question: which values does the text of one log record
// hold, if it is a record of a declared shape? A shape is declared as a pattern, or as
// the fields of a JSON object, of key=value pairs, of a Python repr, or as a regular
// expression; a Matcher reads it.
//
// # Worked example
//
//	slots := match.NewSlots()
//	m, _, err := match.Pattern("took={took:ms} status={status:int}", slots, []string{"-"})
//	values := slots.NewValues()
//	for each line {
//		match.Reset(values)
//		if m.Match(line, values) {
//			took, _ := slots.Lookup("took")
//			// values[took]: Kind Duration, Int in ns, Res 1_000_000 ns
//		}
//	}
//
// # Patterns
//
// A pattern is literal text with holes:
//
//	{name}            text up to where what follows the hole is found first
//	{name:type}       text of the type; {_} and {_:type} capture nothing
//	{name:(a|b c|d)}  one of the texts
//	{~}               any number of blanks, also none
//	{? ... ?}         is taken if it matches at this place, and left out if not; it
//	                  begins with a literal or a hole of another type than text
//	{...}             ignores the rest of the text
//	{{ }}             braces
//
// A hole of type text or token is as short as it can be for the fixed stretch behind
// it, all that stands before the next such hole, to match. Nothing that stands before
// it is tried again. Such a hole at the end of a group ends at the literal behind the
// group. A hole at the end takes what is left; a literal at the end is
// looked for at the end of the text. Blanks at the end of the text do not matter.
//
// # Types
//
//	text      anything           token  anything without blanks
//	word      A-Z and a-z        hex    hexadecimal digits
//	uuid      32 hexadecimal digits, with the dashes of a UUID or without
//	int       with sign or not   float  likewise; nan and inf are no value
//	quoted    "..." with \-escapes, or -
//	python    '...' or "..." with Python's escapes, or None
//	s ms us ns                   a number in that unit with any decimals
//	rust go                      812.345µs, 3.41s, 1m2.5s
//	gin_latency                  likewise, with the worth of what gin cuts it to
//	list(t)                      items between ", ", and groups of them between " : "
//	rfc3339   2026-08-20T12:00:00.101Z, or +02:00
//	datetime  2026-08-20 12:00:03, also with T, fraction, offset
//	clf       20/Aug/2026:12:00:03 +0000
//	haproxy   20/Aug/2026:12:00:00.101
//	vllm      08-20 12:00:00     glog   0820 12:00:00.123456
//	syslog    Aug 20 12:00:00    gin    2026/08/20 - 12:00:03
//	epoch_s epoch_ms epoch_us epoch_ns    since 1970
//	uptime    minutes.SS.mmm.uuu of a steady clock
//	steady_s  seconds of a steady clock
//
// Durations and instants are computed from their decimal digits, exactly; digits below
// one ns are rounded half up. Value.Res is the worth of the last digit. A bare number
// with a point in JSON or Python is a double whose zeros at the end are left out: its
// worth is taken as 1 ms at most.
//
// # Absent and bad values
//
// A text that is declared to stand for no value, such as "-", is taken by a hole of
// any type, as are null in JSON and None in Python, and gives a Value of kind None.
// So do an empty text and a date of the year 1. In a pattern, a text that is not of
// the hole's type is no match, and PatternMatcher.Near tells which. In all other
// shapes it gives a Value of kind None with the flag Bad; so does a number or date in
// any shape that does not fit 64 bits of ns.
//
// # Why JSON is walked here
//
// A record is read by paths in one pass, and a dot in a path may be part of a key. A
// line may be cut off, and what is left of a number then must not be taken for a value.
// A Matcher has no state, so that decoders share it. github.com/buger/jsonparser takes
// a number that is cut off for a whole one; the decoder of encoding/json's jsontext is
// a stream with state that has to read a line to its end. The walk of Python's repr
// finds its fields in the same way. encoding/json is the oracle of the tests.
//
// # Guarantees
//
//   - No input makes a Matcher panic, read beyond the text, or take more than time in
//     proportion to its length, times a constant of the shape.
//   - Text inside of strings is never taken for anything else.
//   - A match of a pattern, JSON, logfmt or Python allocates nothing, once the values
//     have been used.
//   - A Matcher may be used from several goroutines.
package match
