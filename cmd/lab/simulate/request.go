package simulate

import (
	"fmt"
	"math/rand/v2"
)

// call is what a client wants once, however many attempts that takes.
type call struct {
	index    int
	root     [8]byte    // span around the attempts, where there is one
	attempts []*request // in order of sending
	winner   *request   // of hedged attempts, the first to answer
	// more draws what goes beyond the first attempt, and patience.
	more *rand.Rand
	// patience is how long the client waits before it gives up, in ns; 0 forever.
	patience int64
}

// last is the attempt that decided the call.
func (c *call) last() *request {
	if c.winner != nil {
		return c.winner
	}
	return c.attempts[len(c.attempts)-1]
}

// request is one attempt at a call: its draws and the instants, in ns, at which
// things happened to it. An instant that has not happened is 0.
type request struct {
	call           *call
	attempt        int // counts the call's attempts
	index          int // into Capture.Visits, once all have happened
	class          *Class
	route          *Route
	region         int // index of the route
	prompt, output int // tokens
	greedy         bool
	grpc           bool
	seed           uint64 // sampling seed the client asked for

	traceID                             [16]byte
	clientSpan, ingressSpan, egressSpan [8]byte
	requestID                           string // x-request-id
	engineID                            string // the engine's own

	net          *rand.Rand
	toServer     lane
	fromServer   lane
	toClient     lane
	headerAtNS   int64 // headers reach the gateway
	bodyAtNS     int64 // last request byte reaches the gateway
	gatewayNeed  int64
	replica      int
	sent         int64 // client span start
	ingressStart int64
	egressStart  int64
	firstByte    int64 // first request byte reaches the server
	received     int64 // last request byte reaches the server

	firstAtGateway, firstForwarded, firstAtClient int64
	egressEnd, ingressEnd, clientEnd              int64

	// What went wrong. status is what the gateway answered, 0 for the server's own
	// answer; closed means that nothing of the server passes the gateway any more;
	// upstream that the request counts as being upstream.
	status    int
	closed    bool
	upstream  bool
	abandoned int64 // the client gave up
	gone      int64 // the server let go of it, unfinished

	// Continuous batching servers.
	arrival       int64 // handler begins
	handled       int64
	tokenized     int64
	dispatchBegin int64
	dispatched    int64
	taken         int64 // engine loop takes it from its input
	queued        int64
	scheduled     int64 // first
	firstToken    int64
	decodeBegin   int64 // first step that decodes it
	lastToken     int64 // so far
	firstOutput   int64 // host handles the first output
	firstEmit     int64
	lastOutput    int64 // host handles the last output
	spanEnd       int64
	rootEnd       int64 // end of a span around spanEnd, where there is one

	computed, produced, blocks int
	scheduleNS                 int64 // sum over its steps
	forwardNS, executeNS       int64
	preemptions                []preemption
	// held is the account of causes when the request began to wait, and once it
	// waits no more what kept it waiting.
	held  held
	waits bool

	// Split over two hosts: the leg that prefills has the decoding one as its other
	// and the other way round.
	other          *request
	role           string
	bootBegin      int64 // it meets the other leg
	allocated      int64 // decode: the two have met, and there is room
	kvBegin, kvEnd int64 // the keys and values are under way
	handedOver     bool  // decode: the first token is the other leg's and not yet handed on

	// Triton.
	readBegin, rootStart, requestStart, queueStart           int64
	computeStart, inputEnd, outputStart, computeEnd          int64
	requestEnd, responseComplete, sendStart, sendEnd, formed int64
	batchDelay                                               int64
	serial                                                   int64
}

// preemption is once that a running request had to make room: when it lost its
// memory and when it ran again, when its tokens were computed again and when it
// next decoded. Instants are ns, 0 for what did not happen.
type preemption struct{ from, to, prefilled, decoding int64 }

// preemptedNS is how long the request was out of the running batch after being in
// it, up to an instant at which that may still be so.
func (r *request) preemptedNS(until int64) int64 {
	sum := int64(0)
	for _, p := range r.preemptions {
		to := p.to
		if to == 0 || to > until {
			to = until
		}
		sum += max(0, to-p.from)
	}
	return sum
}

// again is another attempt at the same call, with draws of its own for all that
// is not the request itself.
func (r *request) again(sc *Scenario) *request {
	c := r.call
	next := &request{
		call: c, attempt: len(c.attempts), class: r.class, route: r.route, region: r.region, prompt: r.prompt, output: r.output,
		greedy: r.greedy, grpc: r.grpc, seed: r.seed, traceID: r.traceID, requestID: r.requestID,
		gatewayNeed: lognormal(c.more, sc.Gateway.WorkNS, sc.Gateway.WorkSigma),
		net:         rand.New(rand.NewPCG(c.more.Uint64(), c.more.Uint64())),
	}
	fill(c.more, next.clientSpan[:])
	fill(c.more, next.ingressSpan[:])
	fill(c.more, next.egressSpan[:])
	c.attempts = append(c.attempts, next)
	return next
}

// need is how many tokens have to be computed before the next one comes out.
func (r *request) need() int { return r.prompt + r.produced - r.computed }

// decoding reports whether the next step of r is a decode step.
func (r *request) decoding() bool { return r.produced > 0 && r.need() == 1 }

// drawRequests makes the n requests of a scenario: when they are issued, what
// they ask for, who they come from and their identifiers. Everything is drawn
// here or from the request's own network stream, so that no server can shift
// another draw.
func drawRequests(sc *Scenario, seed uint64, n int) []*request {
	arrivals := stream(seed, sc.Name, "arrivals")
	sizes := stream(seed, sc.Name, "sizes")
	network := stream(seed, sc.Name, "network")
	ids := stream(seed, sc.Name, "ids")
	more := stream(seed, sc.Name, "attempts")
	cycle := min(sc.Load.CycleRequests, n)

	requests := make([]*request, n)
	at := epochNS
	for i := range requests {
		at += exponential(arrivals, sc.Load.rate(i%cycle, cycle))
		r := &request{sent: at}

		r.class = &sc.Classes[pick(sizes, len(sc.Classes), func(k int) float64 { return sc.Classes[k].Share })]
		r.prompt = r.class.Prompt.draw(sizes)
		r.output = r.class.Output.draw(sizes)
		r.greedy = sizes.Float64() < 0.2
		r.grpc = sizes.Float64() < sc.Batcher.GRPCShare
		r.gatewayNeed = lognormal(sizes, sc.Gateway.WorkNS, sc.Gateway.WorkSigma)

		r.net = rand.New(rand.NewPCG(network.Uint64(), network.Uint64()))
		r.region = pick(r.net, len(sc.Routes), func(k int) float64 { return sc.Routes[k].Share })
		r.route = &sc.Routes[r.region]

		fill(ids, r.traceID[:])
		fill(ids, r.clientSpan[:])
		fill(ids, r.ingressSpan[:])
		fill(ids, r.egressSpan[:])
		r.requestID = uuid(ids)
		r.seed = ids.Uint64() >> 1
		requests[i] = r
		r.call = newCall(sc, r, i, rand.New(rand.NewPCG(more.Uint64(), more.Uint64())))
	}
	return requests
}

// newCall is the call of a first attempt.
func newCall(sc *Scenario, r *request, index int, more *rand.Rand) *call {
	c := &call{index: index, attempts: []*request{r}, more: more}
	fill(more, c.root[:])
	if more.Float64() < sc.Client.PatienceShare {
		c.patience = lognormal(more, sc.Client.PatienceNS, sc.Client.PatienceSigma)
	}
	return c
}

// rate is the arrival rate of the i-th request of a round of n.
func (l Load) rate(i, n int) float64 {
	total := 0.0
	for _, p := range l.Phases {
		total += p.Share
	}
	reached := 0.0
	for _, p := range l.Phases {
		reached += p.Share
		if float64(i)*total < reached*float64(n) {
			return p.PerSecond
		}
	}
	return l.Phases[len(l.Phases)-1].PerSecond
}

// fill draws an identifier; an all-zero one is invalid in OpenTelemetry, and the
// last byte keeps it from being drawn.
func fill(r *rand.Rand, id []byte) {
	for i := 0; i < len(id); i += 8 {
		x := r.Uint64()
		for j := i; j < min(i+8, len(id)); j++ {
			id[j] = byte(x)
			x >>= 8
		}
	}
	id[len(id)-1] |= 1
}

// uuid draws a random (version 4) UUID in its text form.
func uuid(r *rand.Rand) string {
	var b [16]byte
	fill(r, b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
