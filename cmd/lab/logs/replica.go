package logs

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// blockTokens is how many tokens a key-value block holds: vLLM's default, and SGLang's
// --page-size 16.
const blockTokens = 16

// kvTokenBytes is what one token takes of key-value memory: 32 layers of 8 heads of 128
// numbers of 2 bytes, twice.
const kvTokenBytes = 32 * 8 * 128 * 2 * 2

// kvMiB is the size of a prompt's keys and values in units of 2^20 bytes.
func kvMiB(v *simulate.Visit) float64 { return float64(v.PromptTokens) * kvTokenBytes / (1 << 20) }

// maxTokens is the limit that the client of a visit asked for: the least power of two,
// from 256 on, that holds its answer. A server that only computes the prompt is asked for
// one token.
func maxTokens(v *simulate.Visit) int {
	n := 256
	if v.Role == simulate.RolePrefill {
		n = 1
	}
	for n < v.OutputTokens {
		n *= 2
	}
	return n
}

// gatewayPeer is the address from which the gateway connects to a server.
const gatewayPeer = "10.0.1.2"

// replica is one engine of a capture with the visits that reached it.
type replica struct {
	engine *simulate.EngineState
	server simulate.Server
	// epochNS is when the engine is ready for the first request.
	epochNS int64
	visits  []*simulate.Visit
	// role is that of its visits: empty, or its part where two servers serve each.
	role string
	// peers are the ip:port of the gateway's connections, one a visit.
	peers []string
	// ended is when each visit was over for the engine, 0 if it is not.
	ended []int64
}

func newReplica(c *simulate.Capture, i int) *replica {
	p := &replica{engine: &c.Engines[i], server: c.Header.Server, epochNS: c.Header.EpochNS}
	for k := range c.Visits {
		v := &c.Visits[k]
		if v.Replica == i && v.Received > 0 {
			p.visits = append(p.visits, v)
			p.ended = append(p.ended, serverEnd(v))
			p.role = v.Role
		}
	}
	p.peers = peers(p.visits)
	return p
}

// serverEnd is when the server was done with a visit.
func serverEnd(v *simulate.Visit) int64 {
	if v.ServerEnd == 0 {
		return v.AbortedAt
	}
	return v.ServerEnd
}

// finished reports whether the server served the visit to its end, whoever waited for it.
func finished(v *simulate.Visit) bool { return v.LastOutput > 0 || v.RequestEnd > 0 }

// gone is when the server let go of a visit whose client had left, 0 if it did not.
func gone(v *simulate.Visit) int64 {
	if !v.Aborted || finished(v) {
		return 0
	}
	return serverEnd(v)
}

// happened reports whether something happened to a visit before the server let go of it.
func happened(v *simulate.Visit, at int64) bool {
	end := gone(v)
	return at > 0 && (end == 0 || at <= end)
}

// peers hands out the ports of the gateway's connections to a server: each visit has the
// lowest one that no other is using, as a pool of connections that are kept open does.
func peers(visits []*simulate.Visit) []string {
	const first = 32_768
	order := make([]int, len(visits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(visits[i].UpstreamStart, visits[j].UpstreamStart) })
	var busy []int64 // until when, a port
	out := make([]string, len(visits))
	for _, i := range order {
		port := slices.IndexFunc(busy, func(until int64) bool { return until <= visits[i].UpstreamStart })
		if port < 0 {
			port = len(busy)
			busy = append(busy, 0)
		}
		busy[port] = upstreamEnd(visits[i])
		out[i] = gatewayPeer + ":" + decimal(first+2*port)
	}
	return out
}

func decimal(n int) string { return strconv.Itoa(n) }

// answeredAt is when the headers of a response left the server, 0 if they did not: with
// the first token of a stream, or with a response that is one message.
func answeredAt(v *simulate.Visit) int64 {
	switch {
	case v.Streaming && happened(v, v.FirstOutput):
		return v.FirstOutput
	case !v.Streaming && finished(v):
		return serverEnd(v)
	}
	return 0
}

// uvicorn is a line of the HTTP server inside of Python servers, which has neither a time
// nor a duration. It names the gateway, whose connection it is.
func uvicorn(v *simulate.Visit, peer string) string {
	return fmt.Sprintf(`INFO:     %s - "POST %s HTTP/1.1" 200 OK`, peer, v.Path)
}

// suffix is the eight digits that tell attempts under one name apart.
func suffix(v *simulate.Visit) string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s/%d/%d", v.EngineID, v.Request, v.Attempt)
	return fmt.Sprintf("%08x", h.Sum32())
}

// level is a number that changes at instants.
type level struct {
	at  []int64
	sum []int
}

// change is by how much a number changes at an instant.
type change struct {
	at int64
	by int
}

// newLevel adds changes up. It reorders them.
func newLevel(changes []change) *level {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	l := &level{}
	sum := 0
	for _, x := range changes {
		if sum += x.by; len(l.at) > 0 && l.at[len(l.at)-1] == x.at {
			l.sum[len(l.sum)-1] = sum
			continue
		}
		l.at, l.sum = append(l.at, x.at), append(l.sum, sum)
	}
	return l
}

// until is the number with all changes up to an instant and at it.
func (l *level) until(t int64) int {
	n, _ := slices.BinarySearch(l.at, t+1)
	if n == 0 {
		return 0
	}
	return l.sum[n-1]
}

// change is by how much the number changes at an instant.
func (l *level) change(t int64) int { return l.until(t) - l.until(t-1) }
