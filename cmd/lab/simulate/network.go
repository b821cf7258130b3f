package simulate

import "math/rand/v2"

// Sizes on the wire, in bytes. A prompt token is about four characters; a
// streamed token is one server-sent event with its JSON around it.
const (
	headerBytes    = 900
	promptBytes    = 4
	eventBytes     = 230
	responseBytes  = 420 // headers, and the JSON around an unstreamed response
	outputBytes    = 5
	mostTimeouts   = 3 // retransmissions of one message
	handshakeTrips = 2 // TCP, then TLS 1.3
)

// lane is the state of one direction of one connection: when its last byte left
// and when its last message arrived.
type lane struct{ left, arrived int64 }

// send puts bytes on the link at instant at and returns when the last of them
// arrives. Messages of a lane must be sent in order of time; they arrive in
// order, as TCP delivers them.
func (ln *lane) send(l *Link, r *rand.Rand, at, bytes int64) int64 {
	ln.left = max(at, ln.left) + bytes*s/l.BytesPerSecond
	ln.arrived = max(ln.arrived, ln.left+l.latency(r))
	return ln.arrived
}

// latency draws the time that one message is under way, in ns.
func (l *Link) latency(r *rand.Rand) int64 {
	d := l.PropagationNS
	if l.JitterNS > 0 {
		d += lognormal(r, l.JitterNS, l.JitterSigma)
	}
	timeout := l.RetransmitNS
	for i := 0; i < mostTimeouts && l.LossShare > 0 && r.Float64() < l.LossShare; i++ {
		d += timeout
		timeout *= 2
	}
	return d
}

// backend is the inference server as the gateway sees it.
type backend interface {
	// start plans what happens without a request, such as loading.
	start()
	// receive is called when the last byte of a request has arrived. The backend
	// answers with calls of edge.emit, in order of time.
	receive(r *request)
}

// edge is everything between the client's call and the server: both networks and
// the gateway.
type edge struct {
	clock   *clock
	cfg     *Gateway
	workers *station
	server  backend
}

// issue begins a request at its client. Its headers travel ahead of its body.
func (e *edge) issue(r *request) {
	e.clock.at(r.sent, func(at int64) {
		if r.net.Float64() < r.route.ConnectShare {
			for range handshakeTrips {
				at += r.route.Up.latency(r.net) + r.route.Down.latency(r.net)
			}
		}
		var up lane
		r.headerAtNS = up.send(&r.route.Up, r.net, at, headerBytes)
		r.bodyAtNS = up.send(&r.route.Up, r.net, at, int64(r.prompt)*promptBytes)
		e.clock.at(r.headerAtNS, func(int64) { e.arrive(r) })
	})
}

// arrive is the gateway reading a request's headers: its span begins, a worker
// authenticates and routes, and then the upstream request begins. The body is
// passed on as it comes, so a slow upload shows behind the upstream call.
func (e *edge) arrive(r *request) {
	r.ingressStart = e.clock.now
	e.workers.submit(job{need: r.gatewayNeed, end: func(at int64) {
		r.egressStart = at
		r.firstByte = r.toServer.send(&e.cfg.Up, r.net, at, headerBytes)
		r.received = r.toServer.send(&e.cfg.Up, r.net, max(at, r.bodyAtNS), int64(r.prompt)*promptBytes)
		e.clock.at(r.received, func(int64) { e.server.receive(r) })
	}})
}

// emit sends response bytes from the server at instant at, through the gateway to
// the client. The first message carries the headers; the last ends the spans: the
// upstream one when the gateway has it, the gateway's when it has passed it on,
// the client's when it has arrived.
func (e *edge) emit(r *request, at, bytes int64, last bool) {
	first := r.firstAtClient == 0
	if first {
		bytes += responseBytes
	}
	gateway := r.fromServer.send(&e.cfg.Down, r.net, at, bytes)
	forwarded := gateway + e.cfg.ForwardNS
	client := r.toClient.send(&r.route.Down, r.net, forwarded, bytes)
	if first {
		r.firstAtGateway, r.firstForwarded, r.firstAtClient = gateway, forwarded, client
	}
	if last {
		r.egressEnd, r.ingressEnd, r.clientEnd = gateway, forwarded, client
	}
}
