package simulate

import (
	"fmt"
	"math/rand/v2"
)

// request is one request's draws and the instants, in ns, at which things
// happened to it. An instant that has not happened is 0.
type request struct {
	index          int
	class          *Class
	route          *Route
	prompt, output int // tokens
	greedy         bool
	grpc           bool
	seed           uint64 // sampling seed the client asked for

	traceID                             [16]byte
	clientSpan, ingressSpan, egressSpan [8]byte
	requestID                           string // x-request-id

	net          *rand.Rand
	toServer     lane
	fromServer   lane
	toClient     lane
	headerAtNS   int64 // headers reach the gateway
	bodyAtNS     int64 // last request byte reaches the gateway
	gatewayNeed  int64
	sent         int64 // client span start
	ingressStart int64
	egressStart  int64
	firstByte    int64 // first request byte reaches the server
	received     int64 // last request byte reaches the server

	firstAtGateway, firstForwarded, firstAtClient int64
	egressEnd, ingressEnd, clientEnd              int64

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
	lastToken     int64
	firstOutput   int64 // host handles the first output
	firstEmit     int64
	lastOutput    int64 // host handles the last output
	spanEnd       int64
	rootEnd       int64 // end of a span around spanEnd, where there is one

	computed, produced, blocks int
	scheduleNS                 int64 // sum over its steps
	forwardNS, executeNS       int64
	preemptedAt, preemptedNS   int64

	// Triton.
	readBegin, rootStart, requestStart, queueStart           int64
	computeStart, inputEnd, outputStart, computeEnd          int64
	requestEnd, responseComplete, sendStart, sendEnd, formed int64
	batchDelay                                               int64
	serial                                                   int64
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
	cycle := min(sc.Load.CycleRequests, n)

	requests := make([]*request, n)
	at := epochNS
	for i := range requests {
		at += exponential(arrivals, sc.Load.rate(i%cycle, cycle))
		r := &request{index: i, sent: at}

		r.class = &sc.Classes[pick(sizes, len(sc.Classes), func(k int) float64 { return sc.Classes[k].Share })]
		r.prompt = r.class.Prompt.draw(sizes)
		r.output = r.class.Output.draw(sizes)
		r.greedy = sizes.Float64() < 0.2
		r.grpc = sizes.Float64() < sc.Batcher.GRPCShare
		r.gatewayNeed = lognormal(sizes, sc.Gateway.WorkNS, sc.Gateway.WorkSigma)

		r.net = rand.New(rand.NewPCG(network.Uint64(), network.Uint64()))
		r.route = &sc.Routes[pick(r.net, len(sc.Routes), func(k int) float64 { return sc.Routes[k].Share })]

		fill(ids, r.traceID[:])
		fill(ids, r.clientSpan[:])
		fill(ids, r.ingressSpan[:])
		fill(ids, r.egressSpan[:])
		r.requestID = uuid(ids)
		r.seed = ids.Uint64() >> 1
		requests[i] = r
	}
	return requests
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
