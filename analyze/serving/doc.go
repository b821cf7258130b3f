// Package serving answers one question: how much work does the system do over time, and
// what holds it up: the device, the queue, or something before it?
//
// A GPU that is busy for 30 % of the time while requests are slow has many possible causes:
// no limit at all, one in front of the engines, too few slots, a full KV cache, copies, host
// work, one replica that gets everything, or arrivals in bursts. [Of] measures what tells
// them apart and asks for each of them in that order.
//
// # Words
//
// Work is present at an engine while a request, or an interval of one, is there. A request
// waits while an interval of it says that it is in anything but GPU work, and an engine is
// idle while waiting when there is no GPU interval and a request of it waits. For a place a
// request waits at the gateway and in the engine's queue; while it waits for neither it
// runs, with its host work and its copies, since those are inside its slot. An interval is
// of the engine at which the request is or to which it will go; one of no engine counts for
// the whole, and leaves every engine's idle time uncertain by its length. Likewise a wait in
// a queue of no engine leaves open whether slots or the KV cache were full meanwhile.
//
// A device that is busy is not full: between two steps of an execution, and beside it, there
// may be room. So it is the device only where requests are in the engines' queues for a fifth
// of their time or more and the GPU is busy for nine tenths of the time with a queue, and
// nothing before fits: full slots then are the device, and a full KV cache is not. Requests
// that spend half of their time so are held up by neither copies nor host work.
//
// Who backs off, to try again later, is in flight and at no engine: neither waiting for a place
// nor running, so what is in flight is who waits, who runs and who backs off.
//
// Two signatures have two signs, of which either is enough. A KV cache is full where requests
// queue beside it while slots are free, or where one request in ten was preempted. Replicas are
// skewed where one is busy and the others are not, or where one takes half as long again for
// the same work as the median of the others, by the intervals of both, on requests that are
// alike and with as many others on the device. A replica that takes longer and has more to do
// may be slow or not: that is unknown.
//
// Readings of a KV cache tell of a queue only if one was taken while it was there: what comes
// and goes between two readings is unknown. One between 80 and 90 % leaves open whether the next
// request had room.
//
// A queue of a tenth to a fifth of the requests' time may be chance: whether it is the device
// that holds them up is unknown then.
//
// Replicas are engines that do the same work. Which do only the caller can tell
// ([Options.Replicas]); of others one may be busy for good reasons while the rest are not.
//
// # Guarantees
//
//   - Time is counted in whole ns and never rounded. Intervals are half open: what ends at an
//     instant is gone before what starts there has come.
//   - GPU time of an engine is that of the union of its intervals: requests of one batch
//     share it.
//   - Windows add up: arrivals, completions, tokens and request-ns of all of them are those of
//     the whole.
//   - The order of what is put in changes nothing, nor does an interval in two touching pieces
//     (counts of refused rows apart). Two readings of one instant count as the greater.
//   - Rates of the system and rates of a request have names of their own and are never mixed:
//     [TokensEmitted] and [TokensOfCompleted] are of the system, [Generation] of a request.
//   - What was not recorded is unknown, which is not 0. A signature that lacks data decides
//     nothing, and nor does any after it. A kind of wait that was not recorded may have had
//     time, so it leaves open what share others have.
//   - Of a part of the system ([Options.Partial]) nothing is decided.
//   - No input panics. What cannot be used is counted by reason in [Refused].
//
// # Example
//
// One engine, one slot, and three requests of 2 s that came together. The GPU works for
// 200 ms of each:
//
//	c := serving.Capture{Slots: []serving.Sample{{AtNS: 0, Engine: 0, Value: 1}}}
//	for i := range int64(3) {
//		c.Requests = append(c.Requests, serving.Request{EndNS: 2e9 * (i + 1), FirstTokenNS: serving.Unknown,
//			InputTokens: serving.Unknown, OutputTokens: 100})
//		c.Intervals = append(c.Intervals,
//			serving.Interval{FromNS: 0, ToNS: 2e9 * i, What: serving.Queue},
//			serving.Interval{FromNS: 2e9 * i, ToNS: 2e9*i + 18e8, What: serving.Host},
//			serving.Interval{FromNS: 2e9*i + 18e8, ToNS: 2e9 * (i + 1), What: serving.GPU})
//	}
//	r := serving.Of(c, serving.Options{Recorded: serving.Everything})
//	r.Engines[0].Busy()        // 0.1
//	r.Engines[0].IdleWaiting() // 0.9
//	r.Table.Verdict.Signature  // slots-full
package serving
