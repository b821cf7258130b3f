package logs

import "github.com/tailpath/tailpath/cmd/lab/simulate"

// tritonStamp is the time of Triton's prefix: UTC whatever the host's zone, no year, cut
// to microseconds.
const tritonStamp = "0102 15:04:05.000000"

// writeTriton writes Triton's log with --log-verbose=1.
//
// An HTTP request is logged when its body is there. Its changes of state follow: PENDING
// just before it enters the queue, EXECUTING just before the backend gets its batch and
// RELEASED when the backend gives it back. A request that is given up in the queue goes
// from PENDING to RELEASED; one that is being executed is executed to its end. Requests
// of a client that names none have an id that says so.
func writeTriton(b *book, p *replica) {
	for _, v := range p.visits {
		if !v.GRPC {
			b.triton(v.Received, "http_server.cc:4857", "HTTP request: 2 "+v.Path)
		}
		if v.RequestStart == 0 {
			continue
		}
		b.tritonState(v.RequestStart, v, "INITIALIZED", "INITIALIZED")
		if v.QueueStart == 0 {
			continue
		}
		b.tritonState(v.QueueStart, v, "INITIALIZED", "PENDING")
		switch {
		case v.ComputeStart > 0:
			b.tritonState(v.ComputeStart, v, "PENDING", "EXECUTING")
			if v.RequestEnd > 0 {
				b.tritonState(v.RequestEnd, v, "EXECUTING", "RELEASED")
			}
		case gone(v) > v.QueueStart:
			b.tritonState(gone(v), v, "PENDING", "RELEASED")
		}
	}
}

// triton adds a line at the level INFO, which verbose lines have too. The message is a
// JSON text.
func (b *book) triton(at int64, place, message string) {
	b.add(at, `I%s 1 %s] %s`, b.utc(at).Format(tritonStamp), place, mustJSON(message))
}

func (b *book) tritonState(at int64, v *simulate.Visit, from, to string) {
	id := v.EngineID
	if id == "" {
		id = "<id_unknown>"
	}
	b.add(at, `I%s 1 infer_request.cc:133] "[request id: %s] Setting state from %s to %s"`, b.utc(at).Format(tritonStamp), id, from, to)
}
