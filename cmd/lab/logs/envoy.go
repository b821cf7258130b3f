package logs

import (
	"encoding/json"
	"fmt"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// envoyStamp is Envoy's %START_TIME%: UTC, cut to ms.
const envoyStamp = "2006-01-02T15:04:05.000Z"

// envoyExchange is what Envoy's operators say of a visit. Durations are whole ms since
// the beginning, each cut by itself; none is there for what did not happen.
type envoyExchange struct {
	status   int
	flags    string
	details  string
	upstream string
	// service is x-envoy-upstream-service-time: from when the router had all of the
	// request, which is not before the filters in front of it are done, to the headers.
	duration, service                *int64
	request, requestTx               *int64
	response, responseTx, connection *int64
}

func (b *book) envoy(v *simulate.Visit) envoyExchange {
	end := gatewayEnd(v)
	between := func(from, to int64) *int64 {
		if from == 0 || to == 0 {
			return nil
		}
		n := b.elapsedMS(from, to)
		return &n
	}
	x := envoyExchange{status: v.Status, flags: "-", details: "via_upstream", upstream: "-", duration: between(v.GatewayStart, end),
		request: between(v.GatewayStart, v.UploadEnd), response: between(v.GatewayStart, v.FirstByte), responseTx: between(v.FirstByte, end)}
	if v.UpstreamStart > 0 {
		x.upstream = v.ServerAddr
		x.connection = between(v.UpstreamStart, v.Connected)
		if v.Connected > 0 && v.UploadEnd > 0 {
			sent := max(v.UploadEnd, v.UpstreamStart, v.Connected)
			x.requestTx = between(v.GatewayStart, sent)
			x.service = between(max(v.UploadEnd, v.UpstreamStart), v.FirstByte)
		}
	}
	switch {
	case left(v):
		x.flags, x.details, x.status = "DC", "downstream_remote_disconnect", 0
		if v.FirstByte > 0 {
			x.status = 200
		}
	case v.FirstByte > 0:
	case v.UpstreamStart == 0 && v.Status == 429:
		x.flags, x.details = "RL", "request_rate_limited"
	case v.UpstreamStart == 0:
		x.flags, x.details = "UO", "overflow"
	case v.Status == 504:
		x.flags, x.details = "UT", "response_timeout"
	case v.Connected == 0:
		x.flags, x.details = "UF", "upstream_reset_before_response_started{connection_failure}"
	default:
		x.flags, x.details = "UC", "upstream_reset_before_response_started{connection_termination}"
	}
	return x
}

// writeEnvoy writes Envoy's default access log. A line is written when the response has
// ended and stamped with when the request began.
func writeEnvoy(b *book, visits []*simulate.Visit) {
	for _, v := range visits {
		x := b.envoy(v)
		b.add(gatewayEnd(v), `[%s] "POST %s HTTP/2" %d %s %d %d %d %s "%s" "%s" "%s" "%s" "%s"`,
			b.utc(v.GatewayStart).Format(envoyStamp), v.Path, x.status, x.flags, bytesIn(v), bytesOut(v), *x.duration,
			number(x.service), clientIP(v), userAgent(v), orDash(v.RequestID), publicHost, x.upstream)
	}
}

// number writes a duration, or "-" for none.
func number(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

// writeEnvoyJSON writes Envoy's access log as JSON: members in order of their names, and
// an operator that is a whole value as a number where it is one, null where it has none.
// Headers are texts even if they hold a number.
func writeEnvoyJSON(b *book, visits []*simulate.Visit) {
	for _, v := range visits {
		x := b.envoy(v)
		var service, upstream *string
		if x.service != nil {
			text := number(x.service)
			service = &text
		}
		if x.upstream != "-" {
			upstream = &x.upstream
		}
		record := struct {
			Authority  string  `json:":authority"`
			BytesIn    int     `json:"bytes_received"`
			BytesOut   int     `json:"bytes_sent"`
			Remote     string  `json:"downstream_remote_address"`
			Duration   *int64  `json:"duration"`
			Method     string  `json:"method"`
			Protocol   string  `json:"protocol"`
			Request    *int64  `json:"request_duration"`
			RequestTx  *int64  `json:"request_tx_duration"`
			Status     int     `json:"response_code"`
			Details    string  `json:"response_code_details"`
			Response   *int64  `json:"response_duration"`
			Flags      string  `json:"response_flags"`
			ResponseTx *int64  `json:"response_tx_duration"`
			RouteName  string  `json:"route_name"`
			Start      string  `json:"start_time"`
			TraceID    string  `json:"trace_id"`
			Cluster    string  `json:"upstream_cluster"`
			Pool       *int64  `json:"upstream_connection_pool_ready_duration"`
			Upstream   *string `json:"upstream_host"`
			UserAgent  string  `json:"user-agent"`
			Path       string  `json:"x-envoy-origin-path"`
			Service    *string `json:"x-envoy-upstream-service-time"`
			RequestID  string  `json:"x-request-id"`
		}{
			publicHost, bytesIn(v), bytesOut(v), v.ClientAddr, x.duration, "POST", "HTTP/2", x.request, x.requestTx,
			x.status, x.details, x.response, x.flags, x.responseTx, "llm", b.utc(v.GatewayStart).Format(envoyStamp),
			fmt.Sprintf("%x", v.TraceID), "llm", x.connection, upstream, userAgent(v), v.Path, service, v.RequestID,
		}
		b.add(gatewayEnd(v), "%s", mustJSON(record))
	}
}

// mustJSON writes a value as JSON in one line. It panics for a type that JSON cannot
// hold, which none of this package's records has.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("write a log record as JSON: %v", err))
	}
	return data
}
