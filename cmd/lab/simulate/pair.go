package simulate

import "math/rand/v2"

// The roles of the two visits of a request whose prompt and answer are computed on
// two hosts.
const (
	RolePrefill = "prefill"
	RoleDecode  = "decode"
)

// pair is two engines that serve every request together. With vLLM the gateway first
// asks the prefilling one for a single token and then the other, which fetches the
// keys and values while the request waits in its queue. With SGLang it asks both at
// once; they meet, the first computes and sends, and the second waits for that.
type pair struct {
	edge            *edge
	cfg             *Split
	server          Server
	prefill, decode *host
	noise           *rand.Rand
}

func newPair(e *edge, sc *Scenario, server Server, seed uint64, prefill, decode *host) *pair {
	p := &pair{edge: e, cfg: &sc.Split, server: server, prefill: prefill, decode: decode, noise: stream(seed, sc.Name, "kv")}
	if server == SGLang {
		prefill.engine.hold, decode.engine.hold = p.meet, p.meet
		prefill.engine.deliver = p.send
		return p
	}
	decode.engine.hold = p.fetch
	return p
}

// begin splits a request into its two legs and sends the first, or both.
func (p *pair) begin(r *request, at int64) {
	leg := &request{
		call: r.call, attempt: r.attempt, class: r.class, route: r.route, region: r.region, prompt: r.prompt, output: 1,
		greedy: r.greedy, seed: r.seed, traceID: r.traceID, clientSpan: r.clientSpan, ingressSpan: r.ingressSpan, requestID: r.requestID,
		net: r.net, bodyAtNS: r.bodyAtNS, role: RolePrefill, other: r,
	}
	fill(r.call.more, leg.egressSpan[:])
	r.role, r.other, r.replica = RoleDecode, leg, 1
	p.edge.forward(leg, at)
	if p.server == SGLang {
		p.edge.forward(r, at)
	}
}

// answered is the gateway having the answer of the leg that prefills.
func (p *pair) answered(leg *request, at int64) {
	if p.server != SGLang {
		p.edge.forward(leg.other, at+p.edge.cfg.ForwardNS)
	}
}

// transferNS draws how long the keys and values of a prompt are under way, in ns.
func (p *pair) transferNS(r *request) int64 {
	return lognormal(p.noise, p.cfg.KVNS+int64(r.prompt)*p.cfg.KVTokenNS, hostSigma)
}

// fetch lets a decoding vLLM engine queue a request and fetch what was computed
// elsewhere. All but the last token of the prompt come with it.
func (p *pair) fetch(r *request, at int64) bool {
	p.decode.engine.enqueue(r, at)
	r.kvBegin = at
	p.edge.clock.at(at+p.transferNS(r), func(at int64) {
		r.kvEnd, r.computed = at, r.prompt-1
		p.decode.engine.enlist(r)
	})
	return true
}

// meet holds SGLang's legs until both engines have taken note of theirs. Then the
// prefilling one queues its own.
func (p *pair) meet(x *request, at int64) bool {
	x.bootBegin = at
	if x.other.bootBegin == 0 {
		return true
	}
	leg := x
	if x.role == RoleDecode {
		leg = x.other
	}
	p.edge.clock.at(max(at, x.other.bootBegin)+p.cfg.HandshakeNS, func(at int64) {
		leg.other.allocated = at
		p.prefill.engine.enqueue(leg, at)
		p.prefill.engine.enlist(leg)
	})
	return true
}

// send takes the prompts that SGLang's prefilling engine has computed to the other
// one, which then queues the request to decode it.
func (p *pair) send(outs []output, at int64) int64 {
	for _, o := range outs {
		leg, r := o.r, o.r.other
		leg.kvBegin, r.kvBegin = at, at
		p.edge.clock.at(at+p.transferNS(leg), func(at int64) {
			leg.kvEnd, r.kvEnd = at, at
			r.computed, r.produced, r.firstToken, r.handedOver = r.prompt, 1, leg.firstToken, true
			p.decode.engine.enqueue(r, at)
			p.decode.engine.enlist(r)
			p.prefill.deliver([]output{o}, at)
		})
	}
	return 0
}
