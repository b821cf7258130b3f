package simulate

// watch starts the client's timers for an attempt that is being sent.
func (e *edge) watch(r *request) {
	client := &e.sc.Client
	if patience := r.call.patience; patience > 0 {
		e.clock.at(r.sent+patience, func(at int64) {
			if r.clientEnd == 0 || r.clientEnd > at {
				e.abandon(r, at)
			}
		})
	}
	if client.HedgeAfterNS > 0 && r.attempt == 0 {
		e.clock.at(r.sent+client.HedgeAfterNS, func(at int64) {
			if r.call.winner == nil {
				second := r.again(e.sc)
				second.sent = at
				e.issue(second)
			}
		})
	}
}

// answered decides between hedged attempts when the headers of one reach the client.
func (e *edge) answered(r *request) {
	if e.sc.Client.HedgeAfterNS == 0 {
		return
	}
	e.clock.at(r.firstAtClient, func(at int64) {
		if r.call.winner != nil || r.abandoned > 0 {
			return
		}
		r.call.winner = r
		for _, loser := range r.call.attempts {
			if loser != r {
				e.abandon(loser, at)
			}
		}
	})
}

// abandon lets the client give an attempt up at instant at. The gateway learns of it
// one way later and closes the upstream request.
func (e *edge) abandon(r *request, at int64) {
	r.abandoned, r.clientEnd = at, at
	if r.firstAtClient > at {
		r.firstAtClient = 0
	}
	// All that was sent travels ahead of the end of the connection, whatever the jitter.
	seen := max(at+r.route.Up.latency(r.net), r.bodyAtNS+1)
	e.clock.at(seen, func(at int64) {
		if r.closed || r.ingressEnd > 0 && r.ingressEnd <= at {
			return // it had answered by then
		}
		r.closed, r.status = true, 499
		r.ingressEnd = at
		if r.egressStart > 0 {
			e.hangUp(r, at)
		}
	})
}

// expire starts the gateway's timer for the first byte of an answer.
func (e *edge) expire(r *request, at int64) {
	limit := e.cfg.TimeoutNS
	if !e.streams {
		limit = e.cfg.UnaryTimeoutNS
	}
	if limit == 0 {
		return
	}
	e.clock.at(at+limit, func(at int64) {
		if r.closed || r.firstAtGateway > 0 && r.firstAtGateway <= at {
			return
		}
		e.hangUp(r, at)
		e.answer(r, at, 504)
	})
}

// retry sends a failed request again after a back-off, unless it was the last time.
func (e *edge) retry(r *request, at int64) {
	client := &e.sc.Client
	if len(r.call.attempts) >= client.Attempts {
		return
	}
	spread := 0.5 + r.call.more.Float64()
	next := r.again(e.sc)
	next.sent = at + quantise(float64(client.BackoffNS<<r.attempt)*spread)
	e.issue(next)
}
