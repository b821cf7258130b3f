// Package simulate answers: what would the telemetry of this incident look like,
// and where did the time of each request truly go?
//
// It is a seeded discrete-event simulation of one serving path: a client, the
// network, a gateway, one or more inference servers (host process, queue,
// scheduler, batching GPU) and the response streaming back. Nothing is drawn as
// "queue time" or "prefill time": requests arrive, occupy workers, slots, token
// budget and key-value blocks, and every wait is what is left when those are taken.
// Clients may try again, send a second request, or give up. A run yields the spans
// that such a stack would export; for every attempt what gateway and server saw of
// it, from which their logs can be written ([Visit]); and for every request the
// planted truth: the same nanoseconds sorted into stages.
//
// # Guarantees
//
//   - One scenario, seed, server and number of requests give one capture, byte
//     for byte. The wall clock, the host and map order never enter. Random
//     durations are rounded to 64 ns, so that the last bit of an exponential
//     does not decide a nanosecond.
//   - The stages of a request add up to its duration exactly, and those of its
//     first token to the time until the client held it, both in int64 ns.
//   - Arrivals, sizes, network and identifiers come from separate streams.
//     Changing the server changes none of them, so captures of two servers are
//     paired request by request.
//   - The engine is work conserving: it is never idle while a request that it
//     has received could be put into a step, unless the scenario makes it pause.
//   - What the hosts' clocks show changes nothing but what the spans show: visits
//     and truth are true instants ([Capture.Shown] is the way between them).
//   - What a scenario adds draws from streams of its own: a second replica, a
//     retry or a wrong clock leaves the first attempts of all requests as they were.
//
// # Whose truth
//
// Truth is what a perfect reader of the spans would say, not what a spectator
// inside the GPU would. Three conventions follow. Time that a span convention
// leaves outside a span belongs to the wire: a request waiting in the socket
// until the event loop picks it up is network. Decode and response overlap in a
// stream, and decode has the right of way: network is charged only for what is
// left once the engine has ended. And time between a request being preempted and
// running again stays where the engine's own stamps leave it, inside prefill or
// decode, with PreemptedNS beside it; only SGLang's spans show it. So does the
// transfer of keys and values that a decoding vLLM engine waits for, which is in its
// queue. Where the spans are too coarse or too rounded to show an instant,
// [Truth.ErrorNS] says by how much a reader may be off for each stage.
//
// A request with several attempts has them in series, and the waits between them are
// queue/retry_backoff. Of two hedged attempts only the one whose answer was kept
// counts, after the wait until it was sent, which is queue/retry_backoff as well. An
// attempt that is given up lasts until its caller lets go, whatever the server does
// after that. What happened to it is in the stages even if the server left no span of
// it; that part is in [Truth.HiddenNS] too.
//
// [Truth.Gateway] is the same request from the gateway's place. What kept it waiting
// is the engine's own account of why it took no more ([Truth.QueueCausesNS]): its
// queue is first come, first served, so what keeps the first one keeps all.
//
// # Example
//
//	sc, _ := simulate.Lookup("queue-buildup")
//	c, err := simulate.Run(sc, 1, simulate.Options{Server: simulate.VLLM})
//	if err != nil {
//		return err
//	}
//	for _, t := range c.Truth {
//		fmt.Println(t.TraceID, t.StagesNS[simulate.StageQueue])
//	}
//	_, err = c.WriteDir("out") // chat-frontend.jsonl.zst, edge-proxy.jsonl.zst, ...
package simulate
