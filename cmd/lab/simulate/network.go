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
