// Package filter answers: what do the words of --where, --by, --fail-on and --slo mean? It is one
// small language. It knows nothing of tables: the fields of a request are handed to it by
// name.
//
//	e, err := filter.Parse("model=llama3 AND (route=/v1/chat OR prompt_tokens>4k) AND -status=error")
//	err = e.Check(fields, false)        // every name is a field, every value fits it
//	match := e.Bind(column)             // func(row int32) bool
//
// # Expressions
//
//	expression = and { "OR" and }
//	and        = not { [ "AND" ] not }
//	not        = { "-" | "NOT" } ( comparison | "(" expression ")" )
//	comparison = field operator value | field ( "=" | "!=" ) list
//	operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
//	list       = "(" value { [ "," ] value } ")"
//	value      = word | quoted
//
// Two comparisons side by side are joined by AND. A field is any run of characters but
// space ( ) = ! < > ~ " and comma; a word any run of characters but space and parentheses,
// of a list without commas too. What is in quotes, "a b" or 'a b', is text as it stands,
// with \" and \\ for those two characters; a field may be quoted as well.
//
// # Values
//
//   - Numbers: 12, 1.5, -3, 4k, 2M, 1G. Times: 20ms, 1.5s, 300us, 100ns, 5m, 2h, 1m30s.
//     Dates: 2026-08-20, 2026-08-20T12:01:30Z; UTC when no zone is given.
//   - none is no value: model=none holds where no model was recorded. The word itself is
//     quoted.
//   - = and != compare text as it stands. Where the field may be a number and the value is
//     one, equal numbers are equal too: batch=4k holds for 4000.
//   - < <= > >= compare numbers, and never hold where the field has none. There is no order
//     of text.
//   - ~ takes a pattern as in the files of stage rules: text in which * stands for any
//     characters, and which must match as a whole, or a regular expression between slashes,
//     which may match anywhere.
//
// A comparison holds or does not: where the field has no value, only =none, != and the like
// hold. NOT turns that round, so of an expression and its negation exactly one holds for
// each request.
//
// # Keys
//
//	keys  = key { "," key }
//	key   = field [ "@" order ]
//	order = "num" | "alpha" | list
//
// [ParseKeys] reads what requests are grouped by, such as model@(small large),route. An
// order sorts and drops nothing: values that a list does not name come behind those it does.
//
// # Conditions
//
//	condition = quantity operator limit
//	quantity  = "p" percent "(" metric ")" | "share" "(" stage [ "," band ] ")" |
//	            "unattributed" | "incomplete" | "errors" | "n" | "verdict" [ "(" stage ")" ] |
//	            ( "rate" | "goodput" | "capacity" ) "(" "slo" [ ":" name ] ")"
//	name      = number | metric { "+" metric }
//	limit     = time | percent "%" | number | word | list | ( "+" | "-" ) percent "%" [ "@" alpha ]
//
// [ParseCondition] reads a condition of --fail-on, such as p99(e2e) > 5s. A limit with a
// sign is a change against a baseline. An objective is named by its number among those that
// are given, or by all the metrics that it limits, see [Condition.ObjectiveIn].
//
// [ParseRequirement] reads one of --require, which says what must hold of the data, such as
// unattributed < 5%. Its quantity is n, incomplete, errors, unattributed, residual, lost, excluded,
// joined, clock or sampling; the limit of clock is a time, and sampling takes words.
//
// # Objectives
//
//	objective = term { ( "and" | "&&" ) term }
//	term      = "p" percent "(" metric ")" ( "<" | "<=" ) time | percent "%" "(" limit { ( "and" | "&&" ) limit } ")"
//	limit     = metric ( "<" | "<=" ) time | "p" percent "(itl)" ( "<" | "<=" ) time
//
// [ParseObjective] reads an objective of --slo; and is read in any case. Every term must be
// met. The first form of a term is a percentile over all requests, such as p99(e2e) < 2s; of
// itl it is one over the gaps between tokens of all of them. The second is a share of the
// requests, each of which must keep every limit, such as 95%(ttft < 500ms and e2e < 5s). A
// request has many gaps, so within a share itl has a percentile of its own: 95%(p99(itl) <
// 50ms) is met when 95 of 100 requests keep 99 of 100 of their gaps below 50 ms. A percent
// lies between 0 and 100 and is kept exactly, as a fraction; a time is above 0 and at most
// 146 years.
//
// # Errors
//
// Every error is an [*Error]: it points at a place in the text and says what to write
// instead. No input makes the package panic. Printing what was parsed and parsing that gives
// the same again.
package filter
