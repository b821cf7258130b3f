// Package join answers one question: which traces and records are of one request?
//
// A slow request leaves a line in a gateway's log, a trace, a record in an engine's log.
// In the spans table each trace id is a unit: a trace, or one record under an id that is
// made up. Find puts the units that belong to one request, or to one trace of several
// requests, into one group, and says which rows carry the same request id.
//
// # Keys
//
// The keys are tried in this order; a group's Basis is the weakest that it needed.
//
//  1. Trace id: of spans, and what records have in the attribute trace_id, in the forms of
//     W3C, B3, X-Ray and Jaeger. An id of 64 bits is also the one of 128 bits that ends
//     with it, if there is one such.
//  2. Request id: the column request_id, the attributes of requestKeys, and the id that a
//     client keeps of an answer, gen_ai.response.id.
//  3. Declared keys, one after the other, by the rules for request ids.
//  4. The client's address and port with the time, for units that nothing else has joined.
//     The other end of a connection, and addresses of a host with itself, are no keys.
//
// # Forms of an id
//
// Equal ids are one: UUIDs with and without dashes, hexadecimal numbers in both cases.
// Engines make ids of ids, and these are joined to the closest form that some row carries
// as it is. What can be taken off is
//
//	3_         the number of a sample, by vLLM
//	chatcmpl-  the prefix of an interface: see enginePrefixes
//	-0         the number of a prompt, after a prefix for several prompts; or _0
//	-9f3a41c2  eight random small letters or digits, by vLLM
//
// so that 3_cmpl-X-0-9f3a41c2 is X, where cmpl-X-0 is not carried. The fewest things off
// are the closest form; of two such the one with a head off. Ids of prompts and samples
// of one request are joined with each other also where their request's is not carried.
//
// # Strong and weak ids
//
// A strong id has 16 hexadecimal digits in a row, six of them different, or 16 letters
// and digits, eight of them different, that change between small letters, large letters
// and digits at least four times. It joins whatever the clocks say. Any other id is weak:
// a number, a word. It joins two groups that carry it at overlapping times, by a clock
// that tells the date and with the errors of both, at services that are all different,
// and only where neither has another candidate at a service of the other. Addresses are
// weak.
//
// An id that more than 32 groups of one service carry, or 256 in all, is a constant and
// joins nothing; nor does a weak id, or an address, at an instant at which more than
// eight groups carry it. Two clients of one service with the id of one answer have it
// from a cache, and are not joined by it. Rows of one unit never make an id ambiguous.
//
// # Rows of one request
//
// Requests and SameRequest tell the requests of a group apart. Rows with one strong id, or
// ids of one request's forms, are of one request; rows with one weak id if they are of one
// unit, or of groups that it joins or that were one before, and their times form a stretch
// without a gap. This holds across several ids of one row. An address is no id.
//
// # Guarantees
//
//   - Every unit is in exactly one group. Groups are in the order of their name units: the
//     first with spans, else the first.
//   - The order of rows and units does not matter, nor do units that share no key.
//   - What is joined by one kind of key does not depend on the order in which its values
//     are looked at: each step judges by the groups as they were before it.
//   - Nothing is joined that fits several requests. It is counted: once for each id.
//   - Ids are compared as texts; hashes only find them. n ids take O(n log n) time, and
//     16 bytes each plus 4 for forms, as long as no two are alike.
//
// # Issues
//
//	joined             info     several traces or records are of one request
//	join-ambiguous     warning  a key fits several requests and joins nothing
//	joined-by-address  warning  a group rests on an address and a time
//
// # Example
//
//	plan := join.Find(set, units, join.Options{Keys: [][]string{{"order.id", "request_id"}}}, count)
//	for _, g := range plan.Groups {
//		fmt.Println(len(g.Units), "units by", g.Basis)
//	}
package join
