package simulate

// Bounds, in ns, of what float64 seconds do to a stamp. At today's epoch a
// float64 of ns has a grain of 256 ns and one of seconds a grain of 2^-22 s.
const (
	// wallStampNS bounds ns -> float seconds -> ns: half of 256, of 238 and of
	// 256 again, rounded up.
	wallStampNS = 384
	// wallDifferenceNS bounds the difference of two wall-clock float seconds.
	wallDifferenceNS = 512
	// steadyDifferenceNS bounds the difference of two monotonic float seconds,
	// whose grain is far below 1 ns, rounded to whole ns by its reader.
	steadyDifferenceNS = 2
)

// readerError bounds, per stage in ns, what the spans of a call leave open.
func readerError(sc *Scenario, c *call, server Server) (e StageNS) {
	for _, r := range c.attempts {
		if c.winner != nil && r != c.winner || r.egressStart == 0 || !r.leavesSpan(server) {
			continue
		}
		e.add(attemptError(r, server))
		if r.other != nil {
			e.add(attemptError(r.other, server))
		}
	}
	if r := c.last(); sc.Gateway.EndAtHeaders && r.firstAtClient > r.egressEnd {
		e[StageGateway] += sc.Gateway.ForwardNS // when it passed the last byte on
		e[StageNetwork] += sc.Gateway.ForwardNS
	}
	e.widen(driftNS(sc, c))
	return e
}

// add adds bounds of one part to those of another.
func (d *StageNS) add(other StageNS) {
	for i, ns := range other {
		d[i] += ns
	}
}

// widen adds ns to the bound of every stage.
func (d *StageNS) widen(ns int64) {
	for i := range d {
		d[i] += ns
	}
}

// driftNS bounds by how much the drift of the clocks makes any time within a call
// longer or shorter, in ns.
func driftNS(sc *Scenario, c *call) int64 {
	ppb := int64(0)
	for _, h := range sc.Clocks {
		ppb += max(h.DriftPPB, -h.DriftPPB)
	}
	if ppb == 0 {
		return 0
	}
	const rounding = 16 // ns; each stamp is rounded by itself
	return (c.last().clientEnd-c.attempts[0].sent)/ms*ppb/1000 + ppb/1000 + rounding
}

// attemptError bounds what the spans of one attempt at a server leave open.
func attemptError(r *request, server Server) (e StageNS) {
	switch server {
	case VLLM:
		// The span's start is rounded; queue, prefill and decode are exact, so
		// the sum of the two gaps around them is too. But the reader anchors
		// decode at the span's first token, which the host stamped later than
		// the engine did. If that delay is longer than everything after the last
		// token, decode no longer fits before the span's end and is cut.
		e[StageNetwork] = wallStampNS
		e[StageQueue] = steadyDifferenceNS
		e[StageGPU] = 2 * steadyDifferenceNS
		e[StageScheduling] = wallStampNS + 3*steadyDifferenceNS
		if r.spanEnd > 0 {
			delay, after := r.firstOutput-r.firstToken, r.spanEnd-r.lastToken
			cut := max(0, delay+wallStampNS+wallDifferenceNS-after)
			e[StageGPU] += cut
			e[StageScheduling] += cut
		}
	case VLLMV0:
		e[StageNetwork] = wallStampNS
		e[StageQueue] = wallDifferenceNS
		e[StageGPU] = 2 * wallDifferenceNS
		e[StageScheduling] = wallStampNS + wallDifferenceNS
	case SGLang:
		// Every boundary between slices of different stages is a rounded stamp.
		e[StageNetwork] = 2 * wallStampNS
		e[StageQueue] = 2 * wallStampNS
		e[StageGPU] = 4 * wallStampNS
		e[StageScheduling] = 6 * wallStampNS
		if n := int64(len(r.preemptions)); n > 0 {
			e[StageQueue] += n * 2 * wallStampNS
			e[StageGPU] += n * 4 * wallStampNS
			e[StageScheduling] += n * 2 * wallStampNS
		}
		if r.other != nil {
			e[StageTransfer] = 4 * wallStampNS
		}
	case Triton:
		// Events and spans carry every boundary to the nanosecond.
	case TGI:
		// Spans and fields carry every boundary to the nanosecond.
	}
	return e
}

// readerTTFTError is readerError for the path to the first token that the server's
// spans show. Where the clocks of two hosts differ, a reader knows the two ways
// between them only together, and the path has but one of them.
func readerTTFTError(sc *Scenario, c *call, server Server) *StageNS {
	r := c.last()
	e := tokenError(server)
	if r.other != nil {
		e.add(attemptError(r.other, server))
	}
	for _, before := range c.attempts[:r.attempt] {
		if c.winner == nil && before.egressStart > 0 && before.leavesSpan(server) {
			e.add(attemptError(before, server))
		}
	}
	clocks, client, end := hostClocks(sc.Clocks), clientHost(r.route.Region), r.clientEnd
	if sc.Gateway.EndAtHeaders {
		end = r.firstAtClient
	}
	if clocks.differ(client, gatewayHost) {
		e[StageNetwork] += max(r.ingressStart-r.sent, end-r.ingressEnd)
	}
	if place := sc.replicas()[r.replica].Host; clocks.differ(gatewayHost, place) {
		e[StageNetwork] += max(r.arrival-r.egressStart, r.egressEnd-max(r.spanEnd, r.rootEnd))
	}
	e.widen(driftNS(sc, c))
	return &e
}

// tokenError bounds what the spans of the attempt that shows the first token leave
// open before it.
func tokenError(server Server) (e StageNS) {
	switch server {
	case VLLM:
		e[StageNetwork] = wallStampNS
		e[StageQueue] = steadyDifferenceNS
		e[StageGPU] = steadyDifferenceNS
		e[StageScheduling] = wallDifferenceNS + 2*steadyDifferenceNS
	case VLLMV0:
		e[StageNetwork] = wallStampNS
		e[StageQueue] = wallDifferenceNS
		e[StageGPU] = 2 * wallDifferenceNS
	case SGLang:
		e[StageNetwork] = wallStampNS
		e[StageQueue] = 2 * wallStampNS
		e[StageGPU] = 2 * wallStampNS
		e[StageScheduling] = 2 * wallStampNS
	}
	return e
}
