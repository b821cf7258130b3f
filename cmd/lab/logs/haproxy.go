package logs

import (
	"slices"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// writeHAProxy writes HAProxy's httplog as syslog leaves it in a file.
//
// A line is written when the response has ended, and its stamp in brackets is when the
// request began, local time, cut to ms. HAProxy notes when each part of a request is over
// in whole ms since its beginning, cut, and a timer is the difference of two of those; so
// timers add up to Ta without a rest. Whatever lies between the headers of the request and
// its server is Tw, the gateway's own work as well; the upload of the body is in Tr. A
// part that was not reached is -1.
func writeHAProxy(b *book, visits []*simulate.Visit) {
	load := newLoad(visits)
	for _, v := range visits {
		end := gatewayEnd(v)
		status, flags := haproxyEnd(v)
		server := "llm/llm" + decimal(v.Replica+1)
		if v.UpstreamStart == 0 {
			server = "llm/<NOSRV>"
		}
		queue, connect, response := int64(-1), int64(-1), int64(-1)
		reached := int64(0)
		timer := func(at int64) int64 {
			total := b.elapsedMS(v.GatewayStart, at)
			took := total - reached
			reached = total
			return took
		}
		switch {
		case v.UpstreamStart > 0:
			queue = timer(v.UpstreamStart)
			if v.Connected > 0 {
				connect = timer(v.Connected)
				if v.FirstByte > 0 {
					response = timer(v.FirstByte)
				}
			}
		case flags[1] == 'Q':
			queue = timer(end)
		}
		n := load.at(end)
		b.add(end, `%s %s haproxy[1187]: %s [%s] public %s 0/%d/%d/%d/%d %d %d - - %s %d/%d/%d/%d/0 0/0 {%s|%s} "POST %s HTTP/2.0"`,
			b.local(end).Format("Jan _2 15:04:05"), b.host, v.ClientAddr, b.local(v.GatewayStart).Format("02/Jan/2006:15:04:05.000"),
			server, queue, connect, response, b.elapsedMS(v.GatewayStart, end), status, bytesOut(v)+headerBytes, flags, n, n, n, n,
			traceparent(v), v.RequestID, v.Path)
	}
}

// haproxyEnd is the status and the termination state of a visit.
func haproxyEnd(v *simulate.Visit) (status int, flags string) {
	switch {
	case left(v) && v.UpstreamStart == 0:
		return 503, "CQ--"
	case left(v) && v.Connected == 0:
		return 503, "CC--"
	case left(v) && v.FirstByte == 0:
		return 400, "CH--"
	case left(v):
		return answered(v), "CD--"
	case v.FirstByte > 0:
		return answered(v), "----"
	case v.UpstreamStart == 0: // by a rule, such as one for too many requests at once
		return v.Status, "PR--"
	case v.Connected == 0:
		return v.Status, "SC--"
	case v.Status == 504:
		return v.Status, "sH--"
	}
	return v.Status, "SH--"
}

// load tells how many visits a gateway had at an instant.
type load struct{ starts, ends []int64 }

func newLoad(visits []*simulate.Visit) *load {
	l := &load{}
	for _, v := range visits {
		l.starts = append(l.starts, v.GatewayStart)
		l.ends = append(l.ends, gatewayEnd(v))
	}
	slices.Sort(l.starts)
	slices.Sort(l.ends)
	return l
}

// at counts the visits that have begun at an instant and not ended before it.
func (l *load) at(t int64) int {
	begun, _ := slices.BinarySearch(l.starts, t+1)
	ended, _ := slices.BinarySearch(l.ends, t)
	return begun - ended
}
