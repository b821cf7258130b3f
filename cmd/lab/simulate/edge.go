package simulate

// backend is the inference server as the gateway sees it.
type backend interface {
	// start plans what happens without a request, such as loading.
	start()
	// receive is called when the last byte of a request has arrived. The backend
	// answers with calls of edge.emit, in order of time.
	receive(r *request)
	// cancel is called when the gateway has closed the connection of a request.
	cancel(r *request)
}

// edge is everything between the client's call and the servers: both networks and
// the gateway.
type edge struct {
	clock    *clock
	sc       *Scenario
	cfg      *Gateway
	workers  *station
	servers  []backend
	streams  bool // the servers stream their responses
	turn     int  // replica that is next
	upstream int  // requests that are with a server
	// pair takes requests over that are served by two hosts.
	pair *pair
}

// issue begins an attempt at its client. Its headers travel ahead of its body.
func (e *edge) issue(r *request) {
	e.clock.at(r.sent, func(at int64) {
		e.watch(r)
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
		switch {
		case r.closed:
		case e.cfg.MaxUpstream > 0 && e.upstream >= e.cfg.MaxUpstream:
			e.answer(r, at, 503)
		case e.pair != nil:
			e.pair.begin(r, at)
		default:
			e.upstream++
			r.upstream = true
			r.replica = e.choose(r)
			e.forward(r, at)
			e.expire(r, at)
		}
	}})
}

// choose takes the replicas in turn, but for a hedged request never the one that it
// waits for already.
func (e *edge) choose(r *request) int {
	chosen := e.turn % len(e.servers)
	if first := r.call.attempts[0]; r != first && e.sc.Client.HedgeAfterNS > 0 && chosen == first.replica {
		e.turn++
		chosen = e.turn % len(e.servers)
	}
	e.turn++
	return chosen
}

// forward sends a request to its replica from instant at on.
func (e *edge) forward(r *request, at int64) {
	r.egressStart = at
	r.firstByte = r.toServer.send(&e.cfg.Up, r.net, at, headerBytes)
	r.received = r.toServer.send(&e.cfg.Up, r.net, max(at, r.bodyAtNS), int64(r.prompt)*promptBytes)
	e.clock.at(r.received, func(int64) { e.servers[r.replica].receive(r) })
}

// emit sends response bytes from the server at instant at, through the gateway to
// the client. The first message carries the headers; the last ends the spans: the
// upstream one when the gateway has it, the gateway's when it has passed it on,
// the client's when it has arrived.
func (e *edge) emit(r *request, at, bytes int64, last bool) {
	if r.closed {
		return
	}
	first := r.firstAtGateway == 0
	if first {
		bytes += responseBytes
	}
	gateway := r.fromServer.send(&e.cfg.Down, r.net, at, bytes)
	if r.role == RolePrefill {
		r.firstAtGateway, r.egressEnd = gateway, gateway
		e.clock.at(gateway, func(at int64) { e.pair.answered(r, at) })
		return
	}
	forwarded := gateway + e.cfg.ForwardNS
	client := r.toClient.send(&r.route.Down, r.net, forwarded, bytes)
	if first {
		r.firstAtGateway, r.firstForwarded = gateway, forwarded
		if r.abandoned == 0 {
			r.firstAtClient = client
			e.answered(r)
		}
	}
	if last {
		r.egressEnd, r.ingressEnd = gateway, forwarded
		if r.abandoned == 0 {
			r.clientEnd = client
		}
		if r.upstream {
			e.clock.at(gateway, func(int64) { e.release(r) })
		}
	}
}

// release takes a request off those that are upstream.
func (e *edge) release(r *request) {
	if r.upstream {
		r.upstream = false
		e.upstream--
	}
}

// answer lets the gateway answer by itself at instant at, with an error.
func (e *edge) answer(r *request, at int64, status int) {
	r.closed, r.status = true, status
	r.ingressEnd = at + e.cfg.ForwardNS
	if r.abandoned > 0 {
		return
	}
	r.clientEnd = r.toClient.send(&r.route.Down, r.net, r.ingressEnd, responseBytes)
	e.clock.at(r.clientEnd, func(at int64) { e.retry(r, at) })
}

// hangUp lets the gateway close the upstream request at instant at. What the server
// had sent and had not arrived by then is lost; what the gateway had sent arrives,
// and only then does the server learn that nobody waits for an answer.
func (e *edge) hangUp(r *request, at int64) {
	if r.firstAtGateway > at {
		r.firstAtGateway, r.firstForwarded, r.firstAtClient = 0, 0, 0
	}
	if r.firstForwarded > at {
		r.firstForwarded = 0
	}
	r.egressEnd = at
	e.release(r)
	learns := max(at+e.cfg.Up.latency(r.net), r.received)
	e.clock.at(learns, func(int64) { e.servers[r.replica].cancel(r) })
}
