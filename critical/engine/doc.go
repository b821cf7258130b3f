// Package engine answers one question: who held this engine at this instant, and what
// was full?
//
// It sets every request's stay at an inference engine beside those of the others and
// beside the engine's own readings, and from that says why a request waited, which
// requests it waited for, and what its own tokens waited for later.
//
// An engine is one service, host and instance that executed something or kept somebody
// waiting to be executed. Triton's models are engines of their own, because each has
// its own instances. Times of different clocks are never set against each other.
//
// # Who runs, who waits
//
// A request runs at an engine from the start of its execution there to the end, with
// the engine's own host work in between; the copies to and from the device count, being
// inside the execution. It waits in its queue segments there; time after a preemption
// is told apart from both. All of this comes from the paths to the end of the request, and
// from spans of execution off the paths. Times are those of the engine's own clock: where
// the spans of a host were moved to fit a request together, that is taken back, so that
// requests lie beside each other, and beside readings, as the engine saw them.
//
//	queue       prefill  decode    queue/preempted  prefill decode
//	|--waiting--|------running-----|----preempted---|----running---|
//
// # Why a request waited
//
// Rules lists what is asked of a queue segment, in order; the first that holds gives the
// cause, and a Finding has the numbers behind it. "Most" is half of the wait.
//
//	retry        the wait is the back-off before another attempt
//	kv_memory    the wait follows a preemption
//	batch_delay  a batching server had an instance free for most of it, for no longer than
//	             twice as long as nine in ten batches fill, and 500 ms at most
//	upstream     the wait is a gateway's, and the engine behind it had room for most of it
//	stuck        nothing ran for most of it, and for 200 ms at least
//	slots        as many ran as ever can, for most of it: by own times, else by own times
//	             where its path has a wait of unknown place, else by readings
//	kv_memory    the KV cache was 90 % full in most readings, or they tell of preemptions
//	kv_memory    preempted requests waited ahead for most of it
//	prefill      a prompt of four times its size (in time of prefill, else in tokens) was
//	             prefilled for most of it; or slots were free and somebody prefilled for
//	             90 % of it, or for half of it when readings show room in memory; or
//	             readings show room in slots and memory, and prompts being prefilled
//	kv_memory    the KV cache was 80 % full by a reading in it or next to it, and for most
//	             of it slots were free, the engine ran, and no prompts were prefilled
//	unknown      none of these can be shown
//
// A wait whose place is not known to half its length has a cause only if its own record
// names it, if the rule holds wherever the wait may lie, or if its run, which has the same
// place, shows that it lies where its path has it: if as many ran as ever can for most of
// that run, itself among them, while others waited, then a slot would have been free
// without it. That takes a limit that is held for nine tenths of the time in which somebody
// waits. A wait whose times are on no clock is unknown.
//
// # Prefills that no span tells
//
// An engine that records executions as a whole, as TGI does, shows prefills in two ways. An
// answer of one token is prefill alone. And if the engine takes a request that has waited for
// three steps or more, and nobody ended, or may have ended unrecorded, since it took the one
// before, then there was room all the time and a single step lasted until then. That
// one prefilled for as long as it stood still then: it took so much beyond its tokens, less
// what those took that were taken later, which bounds how long it stood still for them. Such
// prefills count only where all requests of the engine are known, and only if the number of
// tokens is: recorded, or the whole time by the time for each.
//
// # What is full
//
// The most that can run is nowhere recorded. It is known only by its effect: running
// stays at its maximum while others wait. SlotLimit is that level, if it was held for a
// quarter of the time in which the engine ran and somebody waited, at least twice as long
// as the level below, and reached at least 5 times by one that had waited. Times that are
// misplaced a little lift running above the limit for short whiles: what lies above it may
// be 25 % of what reaches it, if each while is at most a fiftieth of the mean time that a
// request runs, and half of the time after which one of those that run ends. In readings it
// takes 3 at the level, a fifth of those in which somebody waited, and more than at the
// level below. Time in which memory was 80 % full or somebody prefilled proves nothing about
// slots and is left out, as far as it is known; of readings, so are those of a batch of
// prompts. Where batches run, instances count, not requests.
//
// A memory that holds one number of requests of one size looks like slots, as long as no
// reading tells of it.
//
// Below the highest level that was ever held, slots were not full, whether the limit is
// known or not. An engine at which never two ran, and which prefilled for 90 % of the time
// in which somebody waited, takes prompts one at a time, and its limit is another.
//
// # Readings and the requests' own times
//
// Own times are asked first: readings of statistics lines, batch lines and metrics are
// seconds apart, and a wait may begin and end between two of them. Readings decide what
// own times cannot: how full memory was, and what ran if requests are not all known. They
// answer where they cover a wait: some were taken in it, or the one before and the one
// after agree and are near. A Finding says what its rule rests on.
//
// What own times show was there. What they do not show may have been, if requests are
// missing: when the traces are sampled, when readings count more running requests than are
// known, or when one in twenty of the engine's spans is off the paths. Then own times are
// only asked what was there. A server that records nothing of requests that were given up
// leaves a gap in their paths: in such a gap the request may have been at any engine, so
// nothing counts as free or idle because of it.
//
// Readings are matched to an engine by host, then service, then instance, or go to the
// only engine. Where that leaves several, they go to the one that served the requests that
// the readings' source tells of, if 95 % of them, and 5 at least, have their ids in the
// spans of that one alone. Readings that still may be of several are not used, and Engines
// counts them.
//
// Logs of one service that name neither host nor instance, and were written at the same
// time, are of several engines; those that follow each other are of one.
//
// # Blame
//
// Blame names the requests that held the engine during a wait. What they held is
// divided among them at every instant: equally, or by their prompts where it is memory.
// During decode, it is the prefills of others that stalled the request's tokens. The sum
// never exceeds the segment.
//
// # Guarantees
//
// Nothing depends on the order of rows. All of Annotate takes O(n log n) for n segments
// and readings; every other question about one segment takes time for the requests that
// were there with it.
//
// # Example
//
//	t := engine.Build(set)
//	t.Annotate(set) // fills set.Segments.Cause
//	f := t.Finding(segment)
//	fmt.Println(f.Cause, f.Rule, f.FullNS, f.Limit.Value)
//	for _, h := range t.Blame(segment) {
//		fmt.Println(set.Requests.TraceID[h.Request], h.NS, h.Why)
//	}
package engine
