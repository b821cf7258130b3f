// Package stage answers one question: which part of a request's time is this?
//
// Every span gets one rule, the first of an ordered list that matches it. A rule
// names the stage of the span's own time (the time that is not a recorded child's),
// a detail under it, how well the ends of that time are known, and, where the span
// carries finer times of its own, the recipe that cuts them out. The built-in rules
// are data, in rules.yaml beside this file; rules of the user stand before them.
//
// # The stages
//
//	network       the wire, both ways: client span minus its server span, connect, TLS, upload
//	gateway       a proxy's own work: auth, plugins, routing, retries' own cost
//	queue         admitted, waiting for capacity
//	scheduling    host work to get onto and off the device: chat template, tokenising, IPC,
//	              endpoint picking, batch forming, detokenising
//	gpu           execution on the device: prefill, decode, compute
//	transfer      moving payload: host-device copies, KV cache, response body draining
//	application   work of a service that is none of these: retrieval, tools, database
//	unattributed  nothing recorded says what happened
//
// # Rule files
//
// A rule file is YAML:
//
//	version: 1
//	rules:
//	  - id: retriever
//	    doc: our vector search
//	    match:
//	      service: [retriever, "retriever-*"]
//	      kind: SERVER
//	      attribute: {db.system: "*"}
//	    stage: application
//	    detail: $service
//
// All conditions of a match must hold; within a list any one may. A pattern is plain
// text, where "*" stands for any run of characters, or a regular expression between
// slashes. The conditions are service, scope, kind, name, attribute (key to pattern),
// event (the span has an event of that name), peer (see Peer) and origin (span, or
// record for what was read from a log line or a server's own record). A detail may be
// $service, $scope, $name or $attribute(KEY). Unknown keys are errors, told with line
// and column.
//
// What a record says of its own time stands in the parts table with its stage; rules
// cover what it leaves over.
//
// A rule with "role: container" marks spans that only hold others together, such as
// the thread spans of SGLang: they own no time, and their children count as children
// of their parent. "role: startup" marks work of a server before it serves, which is
// no request, and "role: entry" spans by which a request enters a process although
// their kind does not say so.
package stage
