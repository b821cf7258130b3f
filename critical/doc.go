// Package critical answers one question: where did the time of one request go?
//
// It assembles requests from the spans and records of a set, walks back from a target
// instant over what was waited for, and gives every nanosecond of the way to one span
// or record and one stage.
//
// # One request from many sources
//
// A gateway's log line, a trace and an engine's log may all tell of one request. Package
// join says which; here they become one tree, by a few rules on who can have waited for
// whom. Durations decide, as they need no agreement of clocks: of two that belong together
// the longer holds the shorter, and where two times are of one clock they must fit too. A
// traceparent or a request id that both carry says where in a trace a record belongs.
//
//	client's span     |------------------------------------|
//	  proxy's line      |upload|queue|      upstream      |
//	    engine's span                   |--------------|        anywhere in the upstream's time
//
// What a proxy waited for, less what is recorded of it, is the wire between the two; how
// it splits into the way there and the way back is only known as well as the clocks agree,
// and bounded by the gap. A record of the same work as a span (Record) cuts the own time of
// that span finer; one that says what a span has said already is left out, and so is one
// that could belong to several calls, or to more than can be tried. An id that more spans
// and records carry than can be attempts at one request is one of a session: it says which
// trace a line is of, and no more. Attempts at a request that nothing holds together become
// one request: the attempt that was answered leads, and the time before it that no other
// attempt covers was a wait to try again. What begins more than a second after the answer
// is another request under the same id.
//
// # The path
//
// A request is one root's work. Its critical path to an instant T is a partition of
// [start, T) found by walking back: at cursor t inside span P, of the children that P
// waits for, the one with the largest end at or before t (within a tolerance) is
// entered, and the time between its end and t is P's own. When a child is used up the
// walk goes on in P at the child's start. What no child covers is P's own.
//
//	request  |----------------------------------|
//	  A         |--------|
//	  B                   |------------|
//	  C                        |--|                 hidden by B: off the path
//	path     |rr|AAAAAAAA|r|BBBBBBBBBBBB|rrrrrrr|
//
// Ties go to the earliest start, then to the least span id, so the answer does not
// depend on the order of the input. The tolerance is min(max(1 % of P, clock error),
// 5 ms); what overlaps within it is cut, so nothing is counted twice.
//
// # What is waited for
//
// A span waits for its children, except:
//
//   - children that end later than it did, by more than the tolerance (detached);
//   - a CONSUMER under a PRODUCER that is still running, and spans that say they only
//     follow from their parent (async);
//   - children that lie wholly outside it: they are offered to the nearest ancestor
//     that holds them (successor). A consumer that begins after its producer ended is
//     one of these, and the time between the two is queue (hand-off).
//
// The far end of a call, a SERVER span under a CLIENT span or any span whose parent is
// in another process, is always waited for, and cut to its caller's time. When it lies
// outside, the clocks of the two hosts disagree; its duration then counts, and its place
// is inferred, which its segments say. With Adjust all that a host recorded is moved by
// one offset first, which package clock finds from all calls between the hosts; recorded
// times never change. A proxy or handler that ended with the response
// headers is read to the end of the answer it streams, if nothing shows that the work
// went on without it.
//
// Calls that were cancelled once another attempt at the same call had answered are not
// waited for (abandoned); the time between a failed attempt and the next is a wait to
// try again, and belongs to the queue, and so does the time that a caller gave the first
// attempt before it sent the one that was answered.
//
// # Targets
//
// The same walk leads to three instants: the end of the request; its first token, as the
// caller saw it, else the engine; and the first byte of the response where it was first
// seen, which with streams may be no more than the headers. What served as each is named.
//
// A first token that was measured, by an attribute, a field of a log, the end of a prefill or
// a caller's own mark, counts before events of chunks and tokens, which package chunk finds in
// the spans of any client, gateway or server. Of those that tell of one answer, pieces that
// brought something, and events named for the first token, count before chunks that may be
// empty, and then the outermost span: it sees what the vantage of the request sees.
//
// Own time during which a child ran that the path does not go through is marked with
// that child: whether the span waited for it or worked, the data cannot tell.
//
// # Who ended it
//
// A request is aborted if who asked for it went away before the answer was complete. Its
// root says so, or, where that says nothing, the last call that it waited for; a time limit
// of a server or gateway is a failure. The list of signals stands at type ending.
//
// # Of no length
//
// A request that began and ended within one step of its clock took less than the step: its
// duration is 0, may be off by the step, and no segment tiles it. The step is what the
// record says of its times, or what all times of its scope show. Without one, a root of no
// length is broken.
//
// # Finer times
//
// Engines record parts of their spans as durations in attributes or as events. A
// recipe, named by the stage rule, cuts the span's own time by them. Values that
// cannot be true (negative, longer than the span, contradicting each other) are
// counted and the time they would have covered is left unattributed.
//
// # Guarantees
//
// Validate states them, and is run on every request of every run. Nothing recurses;
// a trace of n spans takes O(n log n) time and memory, however wide or deep. Each of the
// records that are joined with it is tried with a few hundred others, however many there
// are, and looked for a thousand calls deep.
//
// # Example
//
//	b := critical.NewBuilder(set, account, critical.Options{})
//	err := b.Build(ctx) // fills set.Requests, set.Segments and set.Clocks
//	for _, r := range b.Find(id) {
//		for _, s := range r.EndPath {
//			fmt.Println(s.Duration(), s.Stage, s.Detail, s.Reason)
//		}
//	}
package critical
