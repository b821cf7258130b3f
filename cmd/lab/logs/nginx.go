package logs

import (
	"fmt"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// writeNginx writes nginx's access log: the format combined with the times behind it.
//
// nginx writes a line at the end of a request. $request_time is a difference of two stamps
// of the wall clock that were each cut to ms; the times of the upstream are differences of
// its steady clock, cut likewise, and all three begin when it turns to the server. A
// client that goes away before the response began is a 499; behind that the status is the
// response's.
func writeNginx(b *book, visits []*simulate.Visit) {
	for _, v := range visits {
		end := gatewayEnd(v)
		status, upstream, upstreamStatus := v.Status, "-", "-"
		switch {
		case v.FirstByte > 0:
			status = answered(v)
			upstreamStatus = fmt.Sprint(status)
		case left(v):
			status = 499
		case v.UpstreamStart > 0:
			upstreamStatus = fmt.Sprint(status)
		}
		if v.UpstreamStart > 0 {
			upstream = v.ServerAddr
		}
		b.add(end, `%s - - [%s] "POST %s HTTP/2.0" %d %d "-" "%s" rt=%s uct="%s" uht="%s" urt="%s" ua="%s" us="%s" msec=%s rid=%s tp=%s`,
			clientIP(v), b.local(end).Format("02/Jan/2006:15:04:05 -0700"), v.Path, status, bytesOut(v), userAgent(v),
			milliseconds(max(0, b.wallMS(end)-b.wallMS(v.GatewayStart))),
			b.sinceUpstream(v, v.Connected), b.sinceUpstream(v, v.FirstByte), b.sinceUpstream(v, upstreamEnd(v)),
			upstream, upstreamStatus, milliseconds(b.wallMS(end)), orDash(v.RequestID), traceparent(v))
	}
}

// sinceUpstream is a time of nginx's upstream module, or "-" for what did not happen.
func (b *book) sinceUpstream(v *simulate.Visit, at int64) string {
	if v.UpstreamStart == 0 || at == 0 {
		return "-"
	}
	return milliseconds(b.steadyMS(at) - b.steadyMS(v.UpstreamStart))
}

// milliseconds writes whole ms as seconds with three decimals.
func milliseconds(n int64) string { return fmt.Sprintf("%d.%03d", n/1000, n%1000) }

// orDash is a text, or the dash that stands for none.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
