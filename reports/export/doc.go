// Package export answers: how do requests and their critical paths look in the formats of
// other tools?
//
//	pprof      a profile whose time is critical-path time         go tool pprof, Speedscope
//	folded     the same as lines of "frame;frame;stage ns"        flame graph scripts
//	perfetto   one request, or an engine for a while, as JSON     ui.perfetto.dev, chrome://tracing
//
// Tables in Parquet, Arrow and CSV are written by package table, which knows their columns.
//
// # Stacks
//
// A profile adds up the segments of many critical paths. A stack is the chain of spans from the
// root of the request to the owner of the segment, each as "service: span name", and below them
// the stage as "stage/detail":
//
//	edge-proxy: POST /v1/chat;vllm-server: llm_request;queue/engine
//
// So the flat time of a stage is what requests spent in it, and the cumulative time of a span is
// what they spent waiting for it, and for all that it waited for. The sum over all stacks is the
// sum of the durations of the requests, to the nanosecond. The other value of a stack is the
// number of requests that have it on their path; a request counts once for each of its stacks.
// A stack has at most 256 spans: where more hang under each other, the owner follows the 255th.
//
// # Text
//
// Names come from whoever wrote the traces. Characters that are not seen or that steer a
// terminal are spelled \u{1b}, and bytes that are no UTF-8 as \x{ff}. Frames of folded stacks
// have underscores for white space and commas for semicolons besides, which the format needs;
// what becomes equal by that is added up.
//
// # Traces for Perfetto
//
// The JSON is an object of the Trace Event format. Times are microseconds with three decimals,
// so nanoseconds are kept, and count from an origin that stands under otherData: as microseconds
// since 1970 they would not fit the floating-point numbers that viewers read them into. The origin
// is the first instant that is drawn, because Perfetto leaves out what has a negative time; only
// what a wrong clock puts more than an hour before its request has one.
//
// An arrow leads into each span that the path enters, from the owner of the segment before, where
// viewers bind both its ends to these two.
//
// # Guarantees
//
// The bytes depend on the requests alone. What takes part is chosen by the caller, who passes
// rows of the requests table.
//
//	var callers critical.Callers
//	err := builder.BuildAnd(ctx, callers.Add)
//	...
//	paths, err := export.Aggregate(set, &callers, rows)
//	...
//	err = paths.WritePprof(w, "tailpath export traces.jsonl")
package export
