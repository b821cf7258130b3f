package simulate

// shownFirstToken is the instant of the first token that the server's own spans
// show, 0 if they show none.
func (r *request) shownFirstToken(server Server) int64 {
	switch {
	case !server.streams(), !r.leavesSpan(server):
		return 0
	case server == VLLM:
		return r.firstOutput
	}
	return r.firstToken
}

// firstToken adds the path to the first token: the same until the server has it,
// then through host, gateway and networks to the client.
func firstToken(t *Truth, sc *Scenario, c *call, server Server) error {
	r := c.last()
	l := ledger{at: c.attempts[0].sent}
	l.attemptsBefore(c, r, server, false)
	l.to(r.ingressStart, StageNetwork, "hop")
	l.to(r.upstreamStart(), StageGateway, "")
	if r.other != nil && server == SGLang {
		l.limit = r.firstToken
	}
	l.untilFirstToken(r, server)
	l.limit = 0

	beyond := ledger{at: r.shownFirstToken(server)}
	for _, x := range []*ledger{&l, &beyond} {
		if r.other != nil && server == SGLang {
			x.to(r.kvEnd, StageTransfer, "kv")
		}
		x.to(r.firstEmit, StageScheduling, "ipc")
		x.to(r.firstAtGateway, StageNetwork, "hop")
		x.to(r.firstForwarded, StageGateway, "")
		x.to(r.firstAtClient, StageNetwork, "hop")
	}
	at := r.firstAtClient
	t.FirstTokenNS = &at
	t.TTFTStagesNS, t.TTFTDetailsNS = &l.stages, l.details
	t.TTFTBeyondNS, t.TTFTHiddenNS = &beyond.stages, &l.hidden
	t.TTFTErrorNS = readerTTFTError(sc, c, server)
	if l.err == nil {
		return beyond.err
	}
	return l.err
}
